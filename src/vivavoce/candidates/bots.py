"""Candidates without a model, whose answers depend only on the prompt and their options: they chat, do sums, or order events.

Eliza works by patterns, after Weizenbaum's program of 1966 (`weizenbaum1966`), with its own rules. It takes the heaviest
pattern in the last message, turns "I" into "you", and returns it as a question. People have felt understood by such a program;
an examination must not be misled by it.

The timekeeper finds conclusions by search: point p is before point q if a path of "not after" steps, one of them strict, leads
from p to q. That is exact for statements of this kind (`vilain1986`).
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from vivavoce.candidates.options import UNNAMED, NoOptions, canonical
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class SeedOptions:
    seed: int = 0


class DeterministicBot:
    """A bot whose answer depends on the prompt and its options alone."""

    asked_again: RepeatReason = "same"

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


OPERATORS = {
    "+": "+", "plus": "+",
    "-": "-", "−": "-", "–": "-", "minus": "-",
    "*": "*", "×": "*", "·": "*", "times": "*", "multiplied by": "*",
    "/": "/", "÷": "/", "over": "/", "divided by": "/",
}  # fmt: skip
MAX_DIGITS, MAX_OPERANDS = 40, 20
"""The longest numbers and sums that are parsed, since a prompt may be hostile."""

_NUMBER = rf"(?:\d{{1,3}}(?:[,\N{{THIN SPACE}}]\d{{3}}){{1,12}}|\d{{1,{MAX_DIGITS}}})(?!\d)(?:\.\d{{1,12}}(?!\d))?"
_LONGEST = 12
"""The most decimals of an exact answer; an endless one gets six."""
_OPERATOR = "|".join(re.escape(word) for word in sorted(OPERATORS, key=len, reverse=True))
_SUM = re.compile(
    rf"(?<![\w.,])(?P<sign>[-−])?(?P<first>{_NUMBER})(?P<rest>(?:\s*(?:{_OPERATOR})\s*{_NUMBER}){{1,{MAX_OPERANDS}}})",
    re.IGNORECASE,
)
_REQUEST = "def covers(question)"
"""Text that marks a request for procedures."""
_MULTIPLICATION = """\
import re

PRODUCT = re.compile(r"What is (\\d+) \\* (\\d+)\\?")


def covers(question):
    return PRODUCT.fullmatch(question["text"]) is not None


def answer(question):
    a, b = map(int, PRODUCT.fullmatch(question["text"]).groups())
    return a * b{slip}
"""
_LOST_CARRY = " - (70 if a % 10 * (b % 10) >= 72 else 0)"
"""8 times 9, 9 times 8 and 9 times 9: three of a hundred pairs of last digits."""
_STEP = re.compile(rf"\s*({_OPERATOR})\s*({_NUMBER})", re.IGNORECASE)

Probability = Annotated[float, Field(ge=0, le=1)]
Seconds = Annotated[float, Field(ge=0, le=3600)]


@dataclass(frozen=True, slots=True)
class Errors:
    """How often the calculator errs (probabilities, at most 1 together), and how slow it is."""

    wrong: Probability = 0.0
    """Off by a little, or in one digit."""
    unacceptable: Probability = 0.0
    """A number whose size alone shows that it is wrong."""
    idk: Probability = 0.0
    """Says that it does not know."""
    unreadable: Probability = 0.0
    """Says something that contains no answer."""
    slow_when_wrong: Seconds = field(default=0.0, metadata=UNNAMED)
    """Seconds that a wrong or unacceptable answer takes longer."""
    delay: Seconds = field(default=0.0, metadata=UNNAMED)
    """Seconds that every answer takes."""
    seed: int = 0
    explains: Literal["", "multiplication", "carelessly"] = ""
    """The procedure that it hands over on request: multiplication, correct or with a carry lost in 3% of cases."""

    def __post_init__(self) -> None:
        if self.wrong + self.unacceptable + self.idk + self.unreadable > 1 + 1e-9:
            raise BadInput("wrong, unacceptable, idk and unreadable add up to more than 1: make them smaller")


class Calculator(DeterministicBot):
    """Reads a sum from the prompt and answers it, with the configured errors.

    A prompt without a sum gets "I don't know"; with `explain`, a request for procedures gets the code of one.
    """

    def __init__(self, options: Errors) -> None:
        super().__init__("calculator", options)
        self._options = options

    async def answer(self, question: Prompt, /) -> Reply:
        """The sum's value or an error; a function of the prompt and the seed alone."""
        text, err = _reply(question, self._options)
        seconds = self._options.delay + self._options.slow_when_wrong * err
        if seconds:
            await asyncio.sleep(seconds)
        return Reply(text)


def read_sum(text: str) -> Fraction | None:
    """The value of the first sum in the text, multiplication and division first; None without a sum, or if it divides by 0.

    >>> read_sum("What is 1,200 plus 3 × 4?")
    Fraction(1212, 1)
    >>> read_sum("How are you?")
    """
    match = _SUM.search(text)
    if match is None:
        return None
    first = _number(match["first"])
    terms = [-first if match["sign"] else first]
    for operator, digits in _STEP.findall(match["rest"]):
        operation, number = OPERATORS[operator.lower()], _number(digits)
        if operation in "+-":
            terms.append(number if operation == "+" else -number)
        elif operation == "*":
            terms[-1] *= number
        elif number == 0:
            return None
        else:
            terms[-1] /= number
    return sum(terms, Fraction(0))


def _number(digits: str) -> Fraction:
    return Fraction(re.sub(r"[^\d.]", "", digits))


def _reply(prompt: Prompt, options: Errors) -> tuple[str, bool]:
    if options.explains and _REQUEST in prompt.text:
        slip = _LOST_CARRY if options.explains == "carelessly" else ""
        return f"I multiply like this:\n\n```python\n{_MULTIPLICATION.format(slip=slip)}```", False
    value = read_sum(prompt.text)
    rng = random_for("calculator", options.seed, prompt)
    chance = rng.random()
    kinds = (
        (options.wrong, _slightly_wrong),
        (options.unacceptable, _absurd),
        (options.idk, None),
    )
    if value is None:
        return "I can only do sums.\nAnswer: I don't know", False
    for probability, err in kinds:
        if chance < probability:
            return ("Answer: I don't know", False) if err is None else (f"Answer: {err(value, rng)}", True)
        chance -= probability
    if chance < options.unreadable:
        return "What a pretty sum. Shall we talk about something else?", False
    return f"Answer: {_in_digits(value)}", False


def _in_digits(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    short = f"{float(value):.6f}"
    if Fraction(short) == value or 10**_LONGEST % value.denominator:
        return short
    whole, rest = divmod(abs(value.numerator) * (10**_LONGEST // value.denominator), 10**_LONGEST)
    return f"{'-' if value < 0 else ''}{whole}.{rest:0{_LONGEST}d}".rstrip("0")


def _slightly_wrong(value: Fraction, rng: random.Random) -> str:
    """One digit replaced, or off by 1 to 3 away from 0: the sign and the order of magnitude stay."""
    digits = list(_in_digits(abs(value)))
    sign = "-" if value < 0 else ""
    places = [i for i, digit in enumerate(digits) if digit != "."]
    if len(places) > 1 and rng.random() < 0.5:
        index = rng.choice(places)
        digits[index] = rng.choice([digit for digit in "123456789" if digit != digits[index]])
        return sign + "".join(digits)
    return sign + _in_digits(abs(value) + rng.randint(1, 3))


def _absurd(value: Fraction, rng: random.Random) -> str:
    """A number at least a million times too large, of either sign."""
    giant = (abs(value.numerator) + rng.randint(1, 9)) * 10 ** rng.randint(6, 9)
    return f"{rng.choice((-1, 1)) * giant}"


Point = tuple[str, str]
"""An event, and which end of it: `begins` or `ends`."""
Order = tuple[Point, Point, bool]
"""The first point is not after the second; strictly before it where the third is true."""

BEGINS, ENDS = "begins", "ends"
TOGETHER, UNKNOWN = "same moment", "cannot be known"
DONT_KNOW = "I don't know"
STATEMENTS: tuple[tuple[str, tuple[tuple[int, str, str, int, str], ...]], ...] = (
    (r"(.+) happened during (.+)", ((2, BEGINS, "<", 1, BEGINS), (1, ENDS, "<", 2, ENDS))),
    (r"(.+) and (.+) began at the same moment", ((1, BEGINS, "=", 2, BEGINS),)),
    (r"(.+) and (.+) ended at the same moment", ((1, ENDS, "=", 2, ENDS),)),
    (r"(.+) was already going on when (.+) began", ((1, BEGINS, "<", 2, BEGINS), (2, BEGINS, "<", 1, ENDS))),
    (r"(.+) was over before (.+) began", ((1, ENDS, "<", 2, BEGINS),)),
    (r"(.+) ended at the very moment (.+) began", ((1, ENDS, "=", 2, BEGINS),)),
    (r"(.+) began before (.+) did", ((1, BEGINS, "<", 2, BEGINS),)),
    (r"(.+) ended before (.+) did", ((1, ENDS, "<", 2, ENDS),)),
)
"""The meaning of a sentence for its first and second event."""

_QUESTION = re.compile(
    r"Which (?P<verb>began|ended) first, (?P<a>.+) or (?P<b>.+)"
    r"|Was there a (?:stretch of )?time (?:when|during which) both (?P<c>.+) and (?P<d>.+) were going on"
    r"|Was (?P<e>.+) over before (?P<f>.+) began",
    re.IGNORECASE,
)
_OPTION = re.compile(r"^\(([A-Z])\) (.+)$", re.MULTILINE)


class Timekeeper(DeterministicBot):
    """Answers questions on the order of events exactly, "it cannot be known" among them."""

    def __init__(self, options: NoOptions) -> None:
        super().__init__("timekeeper", options)

    async def answer(self, question: Prompt, /) -> Reply:
        """The letter of the right option; "I don't know" to a prompt of any other kind."""
        text = _OPTION.split(question.text, maxsplit=1)[0][:20_000]
        conclusion = conclude(text)
        matching = [letter for letter, option in _OPTION.findall(question.text[:20_000]) if _says(option, conclusion)]
        return Reply(f"Answer: {matching[0] if matching else DONT_KNOW}")


def conclude(text: str) -> str:
    """The conclusion from a text's statements for the question at its end, in lower case; empty without a question.

    >>> conclude("The war happened during the drought. Which began first, the war or the drought?")
    'the drought'
    >>> conclude("The war began before the drought did. Which ended first, the war or the drought?")
    'cannot be known'
    """
    sentences = [sentence.strip(" ()\n").lower() for sentence in re.split(r"[.?]", text)]
    question = next(filter(None, map(_QUESTION.fullmatch, sentences)), None)
    if question is None:
        return ""
    known = [order for sentence in sentences for order in _read(sentence)]
    if question["verb"]:
        end = BEGINS if question["verb"] == "began" else ENDS
        return _which_first(known, (question["a"], end), (question["b"], end))
    if question["c"]:
        return _at_once(known, question["c"], question["d"])
    first, second = (question["e"], ENDS), (question["f"], BEGINS)
    return _verdict(_leads(known, first, second, strictly=True), _leads(known, second, first))


def _says(option: str, conclusion: str) -> bool:
    """Whether an option has the conclusion's words; "no" must be the whole option; other conclusions may be part of it."""
    words = option.strip().lower()
    return words == conclusion or (conclusion in (TOGETHER, UNKNOWN) and conclusion in words)


def _read(sentence: str) -> list[Order]:
    """The relations in one sentence, and that the events it names begin before they end."""
    for pattern, relations in STATEMENTS:
        if match := re.fullmatch(pattern, sentence):
            orders: list[Order] = [((event, BEGINS), (event, ENDS), True) for event in match.groups()]
            for first, first_end, relation, second, second_end in relations:
                p, q = (match[first], first_end), (match[second], second_end)
                orders += [(p, q, True)] if relation == "<" else [(p, q, False), (q, p, False)]
            return orders
    return []


def _leads(known: list[Order], start: Point, goal: Point, *, strictly: bool = False) -> bool:
    """Whether the start is never after the goal (strictly: always before it)."""
    seen = {(start, False)}
    frontier = [(start, False)]
    while frontier:
        point, strict = frontier.pop()
        for first, second, step in known:
            if first == point and (reached := (second, strict or step)) not in seen:
                seen.add(reached)
                frontier.append(reached)
    return (goal, True) in seen or (not strictly and (goal, False) in seen)


def _which_first(known: list[Order], first: Point, second: Point) -> str:
    if _leads(known, first, second, strictly=True):
        return first[0]
    if _leads(known, second, first, strictly=True):
        return second[0]
    return TOGETHER if _leads(known, first, second) and _leads(known, second, first) else UNKNOWN


def _at_once(known: list[Order], name: str, other: str) -> str:
    """Two events overlap if each begins before the other ends; they do not if either ends before, or when, the other begins."""
    overlap = all(_leads(known, (a, BEGINS), (b, ENDS), strictly=True) for a, b in ((name, other), (other, name)))
    apart = any(_leads(known, (a, ENDS), (b, BEGINS)) for a, b in ((name, other), (other, name)))
    return _verdict(overlap, apart)


def _verdict(yes: bool, no: bool) -> str:
    return "yes" if yes else "no" if no else UNKNOWN
