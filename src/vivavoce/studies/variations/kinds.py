"""The kinds of variation: what is varied, how, and who has shown that it matters.

A kind by program makes its variants from a seed; a written one needs a writer and a checker (`writing.py`). To add a kind, add
an entry to `KINDS`. This module also has the sentences and typing errors that they use.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import permutations
from math import factorial
from typing import Final

import numpy as np

from vivavoce.errors import BadInput, UnknownName
from vivavoce.interview.candidate import Exchange


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording of a question: text, options and earlier turns.

    >>> Wording("Largest?", ("Oslo", "Rome")).reordered((1, 0))
    Wording(text='Largest?', options=('Rome', 'Oslo'), places=(1, 0), before=())
    """

    text: str
    options: tuple[str, ...] = ()
    """Options; empty if the answer is free."""
    places: tuple[int, ...] = field(default=())
    """Original position of each option, from 0; empty: the original order."""
    before: tuple[Exchange, ...] = ()
    """Earlier turns of the conversation."""

    def original_place(self, index: int) -> int:
        """The original position of an option."""
        return self.places[index] if self.places else index

    def reordered(self, order: tuple[int, ...]) -> Wording:
        """The same wording with its options reordered by their present positions."""
        return replace(self, options=tuple(self.options[i] for i in order), places=tuple(self.original_place(i) for i in order))


def in_words(wording: Wording) -> str:
    """The text of a wording with its options; earlier turns in brackets.

    >>> in_words(Wording("Largest?", ("Rome", "Oslo")))
    'Largest? (Rome / Oslo)'
    """
    text = f"{wording.text} ({' / '.join(wording.options)})" if wording.options else wording.text
    return " ".join([*(f"[{turn.asked} / {turn.replied}]" for turn in wording.before), text])


SHARE: Final = 0.1
"""Share of the eligible words that are mistyped, at least one."""
_WORD: Final = re.compile(r"(?<![\w'’`/\\.$_-])[A-Za-z][a-z]{3,}(?![\w'’`/\\$_-]|\.\w)")
_KEPT: Final = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|«[^»]*»|\$[^$]*\$|\S+://\S+|\S+@\S+")
_SENTENCE_BEGINS: Final = re.compile(r"(?:^|[.!?:]\s+|\n\s*)$")
_BESIDE: Final = {
    "a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj", "i": "uo", "j": "hk", "k": "jl",
    "l": "k", "m": "n", "n": "bm", "o": "ip", "p": "o", "q": "wa", "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb",
    "w": "qe", "x": "zc", "y": "tu", "z": "x",
}  # fmt: skip
"""Neighbouring keys on a QWERTY keyboard, in the same row except for a and q."""
_WAYS: Final = ("swapped", "left out", "doubled", "beside")


def mistyped(text: str, rng: np.random.Generator) -> str | None:
    """Add typing errors to a tenth of the longer words; None if no word can be changed.

    Words stay recognisable: letters are swapped, left out, doubled, or replaced by a neighbour on the keyboard. Numbers, names,
    words in capitals, short words, quotations and code stay unchanged, since another letter may make another question.

    >>> mistyped("What is the capital of Norway?", np.random.default_rng(1))
    'Whaat is the capital of Norway?'
    >>> mistyped("7 + 8 = ?", np.random.default_rng(0)) is None
    True
    """
    words = _words(text)
    if not words:
        return None
    chosen = sorted(rng.permutation(len(words))[: max(1, round(SHARE * len(words)))], reverse=True)
    for i in chosen:
        start, end = words[i]
        text = text[:start] + _error(text[start:end], rng) + text[end:]
    return text


def _words(text: str) -> list[tuple[int, int]]:
    """Positions of the words that can be mistyped."""
    kept = [match.span() for match in _KEPT.finditer(text)]
    result = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        a_name = match[0][0].isupper() and not _SENTENCE_BEGINS.search(text[max(0, start - 20) : start])
        if not a_name and not any(begin <= start < stop for begin, stop in kept):
            result.append((start, end))
    return result


def _error(word: str, rng: np.random.Generator) -> str:
    """The word with one error after its first letter; it always changes."""
    typo = _WAYS[int(rng.integers(len(_WAYS)))]
    index = int(rng.integers(1, len(word) - 1))
    if typo == "swapped":
        places = [i for i in range(1, len(word) - 1) if word[i] != word[i + 1]]
        if places:
            index = places[int(rng.integers(len(places)))]
            return word[:index] + word[index + 1] + word[index] + word[index + 2 :]
        typo = "left out"
    if typo == "left out":
        return word[:index] + word[index + 1 :]
    if typo == "doubled":
        return word[: index + 1] + word[index:]
    near = _BESIDE[word[index]]
    return word[:index] + near[int(rng.integers(len(near)))] + word[index + 1 :]


CONTEXTS: Final = (
    "The library in our street opens on Saturdays again.",
    "My neighbour has painted her garden fence green.",
    "The bus was late this morning, as it often is.",
    "Somebody left a blue umbrella in the waiting room.",
    "The bakery round the corner sells rye bread.",
    "It rained most of the afternoon, and then the sun came out.",
    "My cousin is learning to play the accordion.",
    "The lift in our building is being repaired.",
    "A cat was asleep on the window sill.",
    "The meeting was moved to the large room upstairs.",
    "The new carpet in the hall is softer than the old one.",
    "There were fresh flowers on the kitchen table.",
)
"""Irrelevant sentences without numbers, names and claims about the world, so that no question can depend on them."""

PERSONAS: Final = (
    "I am a retired bus driver.",
    "I am a nurse, just back from a night shift.",
    "I am in my first year at university.",
    "I am a gardener and mostly work outdoors.",
    "I am a grandmother who likes quizzes.",
    "I am a lawyer preparing for the day.",
    "I am a musician on tour.",
    "I am a farmer from the hills.",
    "I am a shop assistant on a lunch break.",
    "I am an engineer with little time.",
    "I am a teacher of sports.",
    "I am a carpenter who left school early.",
)
"""Sentences on who asks, never on who is to answer: a role given to a candidate may rightly change its answer."""

TURNS: Final = (
    Exchange("Hello!", "Hello! How can I help you?"),
    Exchange("I have a question. Are you ready?", "Yes, please go ahead."),
    Exchange("Can you hear me?", "Yes, I can."),
    Exchange("Good morning.", "Good morning! What would you like to know?"),
    Exchange("May I ask you something?", "Of course."),
    Exchange("Thank you for your help yesterday.", "You are welcome."),
    Exchange("I am back from my walk.", "Welcome back!"),
    Exchange("One moment, I have to find my notes.", "Take your time."),
    Exchange("Let us begin.", "I am ready when you are."),
    Exchange("How are you?", "Fine, thank you. What can I do for you?"),
    Exchange("This will be short.", "All right."),
    Exchange("I was told to write to you.", "I am glad that you did."),
)
"""Earlier turns, none of them about the question."""


Make = Callable[[Wording, int, np.random.Generator], tuple[Wording, ...]]
"""Makes a number of variants of a wording with a generator; none if the kind does not apply."""

_ABOVE: Final = re.compile(r"\b(?:all|none|both|any|neither|either|each) of (?:the|these|those)\b", re.IGNORECASE)
"""Matches options that refer to the others, which stay last."""
_LETTERED: Final = re.compile(
    r"\b(?:[Oo]ptions?|[Aa]nswers?|[Cc]hoices?|[Bb]oth|[Nn]either) \(?[A-Z]\)?(?!\w)"
    r"|\([A-Z]\) (?:and|or) \("
    r"|^\s*\(?[A-Z]\)?,? (?:and|or|&) \(?[A-Z]\)?\s*\.?$"
)
"""Matches texts that name options by their letters, whose options can't be reordered."""
_FEW: Final = 6
"""Most options for which all orders are listed; with more, orders are drawn until they differ."""


@dataclass(frozen=True, slots=True)
class VariationKind:
    """A kind of variation that must not change an answer."""

    name: str
    about: str
    """The variation in a few words that follow "with"."""
    source: str
    """Key in `docs/references.bib` of the study that found that it matters."""
    make: Make | None = None
    """Makes the variants; None: a writer does."""
    wanted: str = ""
    """Request to the writer of a written kind; `{language}` stands for the language."""
    checked: str = ""
    """Question to the checker of a written kind."""
    in_language: bool = False
    """Whether the name includes a language, as in `translate:de`."""

    @property
    def written(self) -> bool:
        """Whether it needs a writer."""
        return self.make is None


@dataclass(frozen=True, slots=True)
class RequestedVariation:
    """A requested kind, with its language if it has one."""

    kind: VariationKind
    language: str = ""

    @property
    def name(self) -> str:
        """Name on the command line."""
        return f"{self.kind.name}:{self.language}" if self.language else self.kind.name

    @property
    def about(self) -> str:
        """The variation in a few words."""
        return self.kind.about.format(language=self.spoken)

    @property
    def spoken(self) -> str:
        """Name of the language."""
        return LANGUAGES.get(self.language.lower(), self.language)


def reordered(wording: Wording, number: int, rng: np.random.Generator) -> tuple[Wording, ...]:
    """Reorder the options, beginning with orders in which no option keeps its position; orders repeat if there are too few.

    An option that refers to all others ("None of the above") stays last. Empty if fewer than two options can move, or the text
    names options by their letters.

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
    """Number of options that can move, all before those that stay; 0 if they can't."""
    if _LETTERED.search(wording.text) or any(_LETTERED.search(option) for option in wording.options):
        return 0
    speaking = [i for i, option in enumerate(wording.options) if _ABOVE.search(option)]
    moving = len(wording.options) - len(speaking)
    return 0 if moving < 2 or speaking not in ([], [moving]) else moving


def _orders(size: int, number: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Draw different orders of this many things, none of them the present one."""
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
    """The text with typing errors, different ones in each variant if chance has it; options stay unchanged."""
    texts = [mistyped(wording.text, rng) for _ in range(number)]
    return tuple(replace(wording, text=text) for text in texts if text is not None)


def in_context(wording: Wording, number: int, rng: np.random.Generator) -> tuple[Wording, ...]:
    """The text after an irrelevant sentence.

    >>> in_context(Wording("2 + 2?"), 1, np.random.default_rng(0))[0].text
    'The meeting was moved to the large room upstairs.\\n\\n2 + 2?'
    """
    drawn = (CONTEXTS[i] for i in rng.permutation(len(CONTEXTS))[:number])
    return tuple(replace(wording, text=f"{sentence}\n\n{wording.text}") for sentence in drawn)


def from_persona(wording: Wording, number: int, rng: np.random.Generator) -> tuple[Wording, ...]:
    """The text after a sentence on who asks."""
    drawn = (PERSONAS[i] for i in rng.permutation(len(PERSONAS))[:number])
    return tuple(replace(wording, text=f"{persona} This is my question.\n\n{wording.text}") for persona in drawn)


def in_a_later_turn(wording: Wording, number: int, rng: np.random.Generator) -> tuple[Wording, ...]:
    """The question in a conversation that began with something else."""
    return tuple(replace(wording, before=(TURNS[i],)) for i in rng.permutation(len(TURNS))[:number])


KINDS: Final = (
    VariationKind("order", "its options in another order", "pezeshkpour2024", reordered),
    VariationKind("typos", "typing errors", "belinkov2018", with_typos),
    VariationKind("context", "an irrelevant sentence before it", "shi2023", in_context),
    VariationKind("persona", "a sentence on who asks", "perez2023", from_persona),
    VariationKind("turn", "small talk in a turn before it", "laban2025", in_a_later_turn),
    VariationKind(
        "paraphrase",
        "other words",
        "elazar2021",
        wanted="the text in other words, which asks exactly the same; options are not repeated",
        checked="Do both texts ask exactly the same, so that the same answer is right, and is nothing added, left out or given "
        "away?",
    ),
    VariationKind(
        "translate",
        "a translation into {language}",
        "qi2023",
        wanted="translated into {language}, all of it, so that exactly the same is asked",
        checked="Is each part a faithful translation into {language}, so that the same answer is right, and nothing is added, "
        "left out or given away?",
        in_language=True,
    ),
)
"""All kinds, in listed order."""

LANGUAGES: Final = {
    "ar": "Arabic", "de": "German", "en": "English", "es": "Spanish", "fr": "French", "hi": "Hindi", "it": "Italian",
    "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ru": "Russian", "sw": "Swahili",
    "tr": "Turkish", "uk": "Ukrainian", "zh": "Chinese",
}  # fmt: skip
"""Languages by code; any other language is given by its own name."""
_LANGUAGE: Final = re.compile(r"[A-Za-z][A-Za-z -]{1,39}")


def variation(name: str) -> RequestedVariation:
    """Make the variation with this name. Raises `UnknownName`, and `BadInput` for a missing or superfluous language.

    >>> variation("translate:de").about, variation("order").about
    ('a translation into German', 'its options in another order')
    """
    kind_name, colon, language = name.partition(":")
    kind = next((entry for entry in KINDS if entry.name == kind_name), None)
    if kind is None:
        raise UnknownName("kind of variation", kind_name, [entry.name for entry in KINDS])
    if not kind.in_language and colon:
        raise BadInput(f"'{name[:60]}': {kind.name} takes no language")
    if kind.in_language and not _LANGUAGE.fullmatch(language):
        raise BadInput(f"'{name[:60]}': name a language, such as {kind.name}:de")
    return RequestedVariation(kind, language)
