"""The kinds of variation, one entry each: what is varied, how, and who has shown that it matters.

A kind by program makes its variants from a seed; a written one needs a writer and a checker (`writing.py`). To add one is to
add an entry to `KINDS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import permutations
from math import factorial
from typing import Final

import numpy as np

from vivavoce.errors import BadInput, UnknownName
from vivavoce.studies.variations.sentences import CONTEXTS, PERSONAS, TURNS
from vivavoce.studies.variations.typos import mistyped
from vivavoce.studies.variations.wording import Wording

Make = Callable[[Wording, int, np.random.Generator], tuple[Wording, ...]]
"""From a wording, how many variants, and a generator, to that many variants; none where the kind does not apply."""

_ABOVE: Final = re.compile(r"\b(?:all|none|both|any|neither|either|each) of (?:the|these|those)\b", re.IGNORECASE)
"""An option that speaks of the others stays last."""
_LETTERED: Final = re.compile(
    r"\b(?:[Oo]ptions?|[Aa]nswers?|[Cc]hoices?|[Bb]oth|[Nn]either) \(?[A-Z]\)?(?!\w)"
    r"|\([A-Z]\) (?:and|or) \("
    r"|^\s*\(?[A-Z]\)?,? (?:and|or|&) \(?[A-Z]\)?\s*\.?$"
)
"""A text that names options by their letters cannot have them in another order."""
_FEW: Final = 6
"""Options of which all orders are listed; of more, orders are drawn until they differ."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of variation under which an answer must stay the same."""

    name: str
    about: str
    """What is varied, in a few words that follow "with"."""
    source: str
    """Key in `docs/references.bib`: who found that it matters."""
    make: Make | None = None
    """None: a writer writes it."""
    wanted: str = ""
    """Of a written one, what the writer is asked for; `{language}` stands for the language."""
    checked: str = ""
    """Of a written one, what the checker is asked."""
    in_language: bool = False
    """Whether a language stands behind the name, as in `translate:de`."""

    @property
    def written(self) -> bool:
        """Whether it needs a writer."""
        return self.make is None


@dataclass(frozen=True, slots=True)
class Variation:
    """A kind as it was asked for, with its language where it has one."""

    kind: Kind
    language: str = ""

    @property
    def name(self) -> str:
        """As on the command line."""
        return f"{self.kind.name}:{self.language}" if self.language else self.kind.name

    @property
    def about(self) -> str:
        """What is varied, in a few words."""
        return self.kind.about.format(language=self.spoken)

    @property
    def spoken(self) -> str:
        """The language in words."""
        return LANGUAGES.get(self.language.lower(), self.language)


def reordered(wording: Wording, number: int, rng: np.random.Generator) -> tuple[Wording, ...]:
    """The options in other orders, first those in which no option keeps its place; again from the first if there are too few.

    An option that speaks of all others ("None of the above") stays last. None where fewer than two can move, or a text names
    options by their letters.

    >>> [one.options for one in reordered(Wording("?", ("a", "b", "None of these")), 2, np.random.default_rng(0))]
    [('b', 'a', 'None of these'), ('b', 'a', 'None of these')]
    """
    moving = _moving(wording)
    if not moving:
        return ()
    orders = _orders(moving, number, rng)
    rest = tuple(range(moving, len(wording.options)))
    return tuple(wording.reordered((*orders[i % len(orders)], *rest)) for i in range(number))


def _moving(wording: Wording) -> int:
    """How many options can have another order, all before those that stay; 0 where they cannot."""
    if _LETTERED.search(wording.text) or any(_LETTERED.search(option) for option in wording.options):
        return 0
    speaking = [i for i, option in enumerate(wording.options) if _ABOVE.search(option)]
    moving = len(wording.options) - len(speaking)
    return 0 if moving < 2 or speaking not in ([], [moving]) else moving


def _orders(size: int, number: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Different orders of so many things, none of them the present one."""
    present = tuple(range(size))
    turns = [tuple((i + by) % size for i in present) for by in 1 + rng.permutation(size - 1)]
    if number <= len(turns):
        return turns[:number]
    if size <= _FEW:
        others = [order for order in permutations(present) if order != present and order not in turns]
        return (turns + [others[i] for i in rng.permutation(len(others))])[:number]
    while len(turns) < min(number, factorial(size) - 1):
        order = tuple(int(i) for i in rng.permutation(size))
        if order != present and order not in turns:
            turns.append(order)
    return turns


def with_typos(wording: Wording, number: int, rng: np.random.Generator) -> tuple[Wording, ...]:
    """The text with typing errors, others in each variant as far as chance has it; options stay as they are."""
    texts = [mistyped(wording.text, rng) for _ in range(number)]
    return tuple(replace(wording, text=text) for text in texts if text is not None)


def in_context(wording: Wording, number: int, rng: np.random.Generator) -> tuple[Wording, ...]:
    """The text behind a sentence that has nothing to do with it.

    >>> in_context(Wording("2 + 2?"), 1, np.random.default_rng(0))[0].text
    'The meeting was moved to the large room upstairs.\\n\\n2 + 2?'
    """
    return tuple(_behind(wording, CONTEXTS[i]) for i in rng.permutation(len(CONTEXTS))[:number])


def from_persona(wording: Wording, number: int, rng: np.random.Generator) -> tuple[Wording, ...]:
    """The text behind a sentence on who asks."""
    return tuple(_asked_by(wording, PERSONAS[i]) for i in rng.permutation(len(PERSONAS))[:number])


def in_a_later_turn(wording: Wording, number: int, rng: np.random.Generator) -> tuple[Wording, ...]:
    """The question in a conversation that began with something else."""
    return tuple(replace(wording, before=(TURNS[i],)) for i in rng.permutation(len(TURNS))[:number])


def _behind(wording: Wording, sentence: str) -> Wording:
    return replace(wording, text=f"{sentence}\n\n{wording.text}")


def _asked_by(wording: Wording, persona: str) -> Wording:
    return _behind(wording, f"{persona} This is my question.")


KINDS: Final = (
    Kind(
        "order",
        "its options in another order",
        "pezeshkpour2024",
        reordered,
    ),
    Kind(
        "typos",
        "typing errors",
        "belinkov2018",
        with_typos,
    ),
    Kind(
        "context",
        "an irrelevant sentence before it",
        "shi2023",
        in_context,
    ),
    Kind(
        "persona",
        "a sentence on who asks",
        "perez2023",
        from_persona,
    ),
    Kind(
        "turn",
        "small talk in a turn before it",
        "laban2025",
        in_a_later_turn,
    ),
    Kind(
        "paraphrase",
        "other words",
        "elazar2021",
        wanted="the text in other words, which asks exactly the same; options are not repeated",
        checked="Do both texts ask exactly the same, so that the same answer is right, and is nothing added, left out or given "
        "away?",
    ),
    Kind(
        "translate",
        "a translation into {language}",
        "qi2023",
        wanted="translated into {language}, all of it, so that exactly the same is asked",
        checked="Is each part a faithful translation into {language}, so that the same answer is right, and nothing is added, "
        "left out or given away?",
        in_language=True,
    ),
)
"""All kinds, in the order in which they are listed."""

LANGUAGES: Final = {
    "ar": "Arabic", "de": "German", "en": "English", "es": "Spanish", "fr": "French", "hi": "Hindi", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ru": "Russian", "sw": "Swahili",
    "tr": "Turkish", "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip
"""Names for codes; any other language is taken by its own name."""
_LANGUAGE: Final = re.compile(r"[A-Za-z][A-Za-z -]{1,39}")


def variation(name: str) -> Variation:
    """The variation of that name. Raises `UnknownName`, and `BadInput` for a language that is missing or superfluous.

    >>> variation("translate:de").about, variation("order").about
    ('a translation into German', 'its options in another order')
    """
    kind_name, colon, language = name.partition(":")
    kind = next((one for one in KINDS if one.name == kind_name), None)
    if kind is None:
        raise UnknownName("kind of variation", kind_name, [one.name for one in KINDS])
    if not kind.in_language and colon:
        raise BadInput(f"'{name[:60]}': {kind.name} takes no language")
    if kind.in_language and not _LANGUAGE.fullmatch(language):
        raise BadInput(f"'{name[:60]}': name a language, such as {kind.name}:de")
    return Variation(kind, language)
