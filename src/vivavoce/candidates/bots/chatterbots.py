"""Bots that chat without understanding (gibberish, Eliza), and the parts that all bots share: a name and seeded randomness.

Eliza works by patterns, after Weizenbaum's program of 1966 (`weizenbaum1966`), with its own rules. It takes the heaviest
pattern in the last message, turns "I" into "you", and returns it as a question. People have felt understood by such a program;
an examination must not be misled by it.
"""

from __future__ import annotations

import hashlib
import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.candidates.options import canonical
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class SeedOptions:
    """Options of a bot that draws at random."""

    seed: int = 0


class DeterministicBot:
    """A bot whose answer depends on the prompt and its options alone."""

    asked_again: RepeatReason = "same"
    """Why it may be asked again: it gives the same answer."""

    def __init__(self, name: str, options: DataclassInstance) -> None:
        self.name = f"bot:{name}{canonical(options)}"

    def __repr__(self) -> str:
        return f"<{self.name}>"


def random_for(bot: str, seed: int, prompt: Prompt) -> random.Random:
    """A random generator for one bot, seed and prompt.

    >>> random_for("x", 0, Prompt("?")).random() == random_for("x", 0, Prompt("?")).random()
    True
    """
    digest = hashlib.sha256("\n".join((bot, str(seed), prompt.system, prompt.text)).encode("utf-8", "replace")).digest()
    return random.Random(digest)  # noqa: S311 - nothing here is a secret


ONSETS = ("b", "br", "d", "f", "fl", "g", "gl", "h", "k", "kl", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v")
VOWELS = ("a", "e", "i", "o", "u", "ai", "ea", "oo")
CODAS = ("", "", "", "l", "m", "n", "r", "s", "sk", "nt")


class Gibberish(DeterministicBot):
    """Answers every prompt with one to three sentences of nonsense."""

    def __init__(self, options: SeedOptions) -> None:
        super().__init__("gibberish", options)
        self._seed = options.seed

    async def answer(self, question: Prompt, /) -> Reply:
        """Nonsense that depends only on the prompt and the seed."""
        rng = random_for("gibberish", self._seed, question)
        return Reply(" ".join(_sentence(rng) for _ in range(rng.randint(1, 3))))


def _sentence(rng: random.Random) -> str:
    words = [_word(rng) for _ in range(rng.randint(3, 10))]
    return " ".join(words).capitalize() + rng.choice(".....!?")


def _word(rng: random.Random) -> str:
    syllables = rng.choices((1, 2, 3), weights=(3, 4, 2))[0]
    return "".join(rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS) for _ in range(syllables))


@dataclass(frozen=True, slots=True)
class ReplyRule:
    """Replies to a text that matches: `{0}` is the pattern's first group, turned around."""

    weight: int
    """If several rules match, the one with the largest weight replies."""
    pattern: str
    answers: tuple[str, ...]


REFLECTIONS = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "am": "are", "i'm": "you are",
    "i've": "you have", "i'll": "you will", "you": "I", "your": "my", "yours": "mine", "yourself": "myself",
    "you're": "I am", "you've": "I have", "was": "were", "we": "you", "us": "you", "our": "your",
}  # fmt: skip
"""Words that change when the other side says them."""

RULES: tuple[ReplyRule, ...] = (
    ReplyRule(
        90, r"\b(?:computer|machine|robot|program)s?\b", ("Do machines trouble you?", "What have machines to do with it?")
    ),
    ReplyRule(85, r"\bi need (.+)", ("Why do you need {0}?", "What if you got {0}?", "Would {0} really help you?")),
    ReplyRule(84, r"\bi want (.+)", ("What would it mean to you to get {0}?", "Why do you want {0}?")),
    ReplyRule(82, r"\bi (?:feel|am feeling) (.+)", ("Do you often feel {0}?", "When did you first feel {0}?")),
    ReplyRule(80, r"\bi (?:can't|cannot) (.+)", ("What keeps you from {0}?", "Perhaps you could {0} if you tried.")),
    ReplyRule(79, r"\bi (?:don't|do not) (.+)", ("Why don't you {0}?", "Would you like to {0}?")),
    ReplyRule(78, r"\bi (?:am|'m) (.+)", ("How long have you been {0}?", "Does it please you to be {0}?")),
    ReplyRule(76, r"\bi remember (.+)", ("Does {0} often come back to you?", "What else does {0} bring to mind?")),
    ReplyRule(75, r"\bi dream(?:ed|t)? (?:of |about )?(.+)", ("What does {0} stand for?", "Have you dreamt of {0} before?")),
    ReplyRule(74, r"\bi (?:love|like) (.+)", ("What is it about {0}?", "Does {0} like you too?")),
    ReplyRule(73, r"\bi (?:hate|fear) (.+)", ("What has {0} done to you?", "Is it only {0}?")),
    ReplyRule(70, r"\bare you (.+)", ("Would you rather I were not {0}?", "What if I were {0}?")),
    ReplyRule(69, r"\byou are (.+)", ("What makes you say that I am {0}?", "Are you perhaps {0} yourself?")),
    ReplyRule(68, r"\bcan you (.+)", ("Perhaps you would like to {0} yourself?", "Why do you ask whether I can {0}?")),
    ReplyRule(66, r"\bcan i (.+)", ("Do you want to {0}?", "Who keeps you from it?")),
    ReplyRule(
        60, r"\b(?:mother|father|sister|brother|family|parents)\b", ("Tell me more about your family.", "Who else is there?")
    ),
    ReplyRule(58, r"\bbecause (.+)", ("Is that the real reason?", "What other reasons might there be than {0}?")),
    ReplyRule(56, r"\b(?:sorry|apologi[sz]e)\b", ("There is nothing to be sorry for.", "Do you often say that you are sorry?")),
    ReplyRule(54, r"\b(?:always|never|everybody|nobody)\b", ("Can you think of an example?", "Really without exception?")),
    ReplyRule(52, r"\b(?:which|who) (.+)", ("Which would you choose?", "Does it matter to you {0}?")),
    ReplyRule(50, r"\bwhat is (.+)", ("What do you think {0} is?", "Why does {0} interest you?")),
    ReplyRule(49, r"\bwhat (.+)", ("Why do you ask?", "What comes to your mind when you ask that?")),
    ReplyRule(48, r"\bhow (.+)", ("How would you like it to be?", "What would you do with the answer?")),
    ReplyRule(47, r"\bwhy (.+)", ("Is that what you really want to know?", "Why do you think {0}?")),
    ReplyRule(46, r"\b(?:when|where) (.+)", ("Does the answer matter to you?", "What do you remember of it yourself?")),
    ReplyRule(44, r"\bif (.+)", ("Do you think it likely that {0}?", "Let us suppose that {0}.")),
    ReplyRule(42, r"\b(?:true|false|right|wrong)\b", ("Who is to say?", "Would it change anything for you?")),
    ReplyRule(40, r"\b\d+\b", ("Do numbers calm you?", "You seem to like numbers.")),
    ReplyRule(30, r"\byes\b", ("You seem quite sure.", "I see.")),
    ReplyRule(29, r"\bno\b", ("Why not?", "You are a little negative.")),
    ReplyRule(20, r"^\W*(?:hello|hi|good (?:morning|evening))\b", ("Hello. What would you like to talk about?",)),
    ReplyRule(10, r"\?", ("What answer would please you most?", "Have you asked others?")),
    ReplyRule(0, r"", ("Please go on.", "Tell me more about that.", "I see. And what does that suggest to you?")),
)
"""Tried from the weightiest down; the last matches everything."""

_MOST = 2_000
"""Characters of a prompt that are read."""


class Eliza(DeterministicBot):
    """Answers by pattern."""

    def __init__(self, options: SeedOptions) -> None:
        super().__init__("eliza", options)
        self._seed = options.seed

    async def answer(self, question: Prompt, /) -> Reply:
        """An answer of the matching rule with the largest weight, for the first paragraph of the prompt."""
        paragraph = question.text[:_MOST].strip().split("\n\n")[0]
        rng = random_for("eliza", self._seed, question)
        for rule in RULES:
            if match := re.search(rule.pattern, paragraph, re.IGNORECASE):
                return Reply(rng.choice(rule.answers).format(*map(turned_around, match.groups())))
        raise AssertionError("the last rule matches everything")


def turned_around(text: str) -> str:
    """The first clause of a text from the other side's point of view.

    >>> turned_around("my dog, which you know")
    'your dog'
    """
    clause = re.split(r"[.,;:?!\n]", text, maxsplit=1)[0]
    return " ".join(REFLECTIONS.get(word.lower(), word) for word in clause.split())
