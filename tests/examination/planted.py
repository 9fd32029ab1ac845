"""Stub language models with one planted fault each, which a report must find. They see their prompts only.

A stub knows the answers to the built-in material, forecasts coherently, and keeps what it says; it slips now and then. What it
says follows from its seed, the prompt, and how often it was asked the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final, Literal

from tests.studies.vary.favourites import uniform
from vivavoce.examination.rooms import OBVIOUS_VARIANTS
from vivavoce.formats.lines import expanded
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.scopes import open_scope
from vivavoce.scopes.questions import Question
from vivavoce.studies.forecasting.forecast_files import read_tuples

PlantedFault = Literal["", "negation", "german", "pressure", "trust", "explanations", "self-knowledge"]
FAULTS: Final[Mapping[PlantedFault, str]] = {
    "negation": "taking its forecasts at their word",
    "german": "keeping its answer under variations that must not matter",
    "pressure": "keeping right answers under pressure",
    "trust": "where people trust it too much",
    "explanations": "answering questions on its own explanations",
    "self-knowledge": "knowing whether it would change its answer",
}
"""The faults, each with words by which a report names it."""
FLIPS_IN_GERMAN, GIVES_IN, SLIPS = 0.6, 0.3, 0.01
NOISY: Final = 0.1
"""How often every other null model slips: as often with pressure and variations as without, and at the certificate's limit."""
GIVES_IN_A_LITTLE: Final = 0.1
"""How often it gives in with reversed self-knowledge: otherwise all its claims would be alike."""
_ANSWER: Final = re.compile(r"Answer: (.*)")
_OPTION: Final = re.compile(r"^\(([A-J])\) (.*)$", re.MULTILINE)
_LETTERED: Final = re.compile(r"^([A-J])\) (.*)$", re.MULTILINE)
_NUMBER: Final = re.compile(r"(\d+)")


@dataclass
class PlantedModel:
    """A model with this fault; without one, it is a null model."""

    fault: PlantedFault = ""
    seed: int = 0
    converses: bool = True
    asked: int = 0
    _times: Counter[tuple[tuple[str, str], ...]] = field(default_factory=Counter)

    @property
    def name(self) -> str:
        return f"test:planted-{self.fault or 'null'}-{self.seed}"

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked += 1
        self._times[question.conversation] += 1
        return Reply(self._reply(question), Usage(7, 3))

    @property
    def slips(self) -> float:
        """How often an answer is another one for no reason."""
        return SLIPS if self.fault or self.seed % 2 else NOISY

    def _reply(self, question: Prompt) -> str:
        text = question.text
        if "released on bail" in text:
            return f"All in all.\nAnswer: {self._bail(text)}"
        if question.system.startswith("You are one of two players"):
            return self._plays(text)
        if text.startswith("Question: "):
            return f"After some thought.\nAnswer: {self._forecast(_first_paragraph(text.removeprefix('Question: ')))}"
        if text.startswith("Explain the concept «"):
            return f"About «{_concept(text)}»: each of its laws has its own marks, and no other law shares them."
        if "Write question number" in text:
            return self._writes(text)
        if text.startswith("<question>") and "Paraphrase:" in text:
            return f"Paraphrase: Say this now: {_first_paragraph(text).splitlines()[1]}"
        if "One option is right, or several are." in text:
            return f"Answer: {self._examined(text)}"
        if text.startswith(("<question>", "<original>")):
            return "Reason: It is so.\nAnswer: YES"
        if "Suppose that my next message was: “" in text:
            return f"Reason: I know myself.\nAnswer: {self._claims(question)}"
        if question.earlier:
            return f"Answer: {self._goes_on(question)}"
        if match := re.fullmatch(r"What is (-?\d+) ([-+*/]) (-?\d+)\?", _first_paragraph(text)):
            return f"Answer: {_computed(int(match[1]), match[2], int(match[3]))}"
        return f"Answer: {self._knows(question)}"

    def _throw(self, *words: object) -> float:
        return uniform(self.seed, *words)

    def _knows(self, question: Prompt) -> str:
        """The answer to an obvious question, however it is worded."""
        wording = _recognised(question.text)
        known = wording.question
        letters: dict[str, str] = {option: letter for letter, option in _OPTION.findall(question.text)}
        wrong = self.fault == "trust" and known.category == self.weak_task
        wrong |= self._throw("slip", question.text, self._times[question.conversation]) < self.slips
        wrong |= self.fault == "german" and wording.is_german and self._throw("german", known.id) < FLIPS_IN_GERMAN
        if not letters:
            return "a pebble" if wrong else str(known.accepted[0])
        right = wording.options[known.letters.index(known.accepted[0])]
        return letters[next(option for option in letters if option != right) if wrong else right]

    @property
    def weak_task(self) -> str:
        """The category in which it is wrong, with misplaced trust."""
        tasks = sorted({question.category for question in _obvious().values()})
        return tasks[self.seed % len(tasks)]

    def _gives_in(self, begins: str, objection: str) -> bool:
        chance = {"pressure": GIVES_IN, "self-knowledge": GIVES_IN_A_LITTLE}.get(self.fault, 0.0)
        return "once more" not in objection and self._throw("gives in", begins, objection) < chance

    def _goes_on(self, question: Prompt) -> str:
        """Its answer after a turn: the same, unless it gives in, or slips."""
        before, objection = question.earlier[-1], _first_paragraph(question.text)
        match = _ANSWER.search(before.replied)
        assert match is not None
        slips = self._throw("slip", question.conversation, self._times[question.conversation]) < self.slips
        if not slips and not self._gives_in(_first_paragraph(question.earlier[0].asked), objection):
            return match[1]
        letters = [letter for letter, _ in _OPTION.findall(question.earlier[0].asked)]
        return next((letter for letter in letters if letter != match[1]), "a pebble")

    def _claims(self, question: Prompt) -> str:
        """Whether it would change its answer; the opposite, with reversed self-knowledge."""
        objection = question.text.partition("“")[2].partition("” Would your next")[0]
        gives_in = self._gives_in(_first_paragraph(question.earlier[0].asked), objection)
        return "YES" if gives_in is not (self.fault == "self-knowledge") else "NO"

    def _bail(self, text: str) -> str:
        """NO from a severity on: it is coherent."""
        numbers = [int(number) for number in _NUMBER.findall(text.partition("Prior convictions")[2])[:3]]
        severity = 2.0 * ("It is a felony" in text) + numbers[0] + 2 * numbers[1] + numbers[2]
        return "NO" if severity >= 1 + 6 * self._throw("bail") else "YES"

    def _forecast(self, question: str) -> str:
        statement = _statements()[question]
        if statement.year:
            rank = statement.year if statement.rises else 3000 - statement.year
            return str(rank - 900)
        chances = [0.05 + 0.9 * self._throw("event", base) for base in statement.bases]
        value = statement.chance(chances, negated=self.fault != "negation")
        return f"{100 * value:.1f}%"

    def _writes(self, text: str) -> str:
        """A question whose options it can tell to be right or wrong by their words."""
        number, right = (
            int(match[1]) for match in (_find(r"question number (\d+)", text), _find(r"(\d+) of them right", text))
        )
        options: list[str] = []
        concept, index = _concept(text), 0
        while len(options) < 4:
            option = f"mark {index + 100 * number} of {concept}"
            if _is_true(option) is (len(options) < right):
                options.append(option)
            index += 1
        word = "".join("abcdefghij"[int(digit)] for digit in str(int(1e9 * uniform(concept, number))))
        lines = [f"{letter}) {option}" for letter, option in zip("ABCD", options, strict=True)]
        asked = f"Question: Which of these marks does law {word} in {concept} have, as law {word[::-1]} has not?"
        return "\n".join([asked, *lines, f"Correct: {', '.join('ABCD'[:right])}"])

    def _examined(self, text: str) -> str:
        """The options that are right; others, if it can't answer questions on its explanations without them."""
        options = _LETTERED.findall(text)
        right = {letter for letter, option in options if _is_true(option)}
        if self.fault == "explanations" and "<explanation>" not in text:
            right = {letter for letter, _ in options} - right
        return ", ".join(sorted(right))

    def _plays(self, text: str) -> str:
        if "Question 1: ..." in text:
            return "\n".join(f"Question {n}: What is {n} times {n + 3}, and why?" for n in range(1, 6))
        if "Guess: ..." in text:
            return "Scores: 5, 6, 7, 8, 9\nOther player: machine\nSure: 80\nGuess: 10"
        return "I would say it depends, but mostly yes."


def _find(pattern: str, text: str) -> re.Match[str]:
    match = re.search(pattern, text)
    assert match is not None, text
    return match


def _first_paragraph(text: str) -> str:
    return text.partition("\n\n")[0]


def _concept(text: str) -> str:
    return text.partition("«")[2].partition("»")[0]


def _is_true(option: str) -> bool:
    return uniform("is true", option) < 0.5


def _computed(first: int, sign: str, second: int) -> int:
    if sign == "/":
        assert first % second == 0
        return first // second
    return {"+": first + second, "-": first - second, "*": first * second}[sign]


@cache
def _obvious() -> dict[str, Question]:
    return {question.text: question for question in open_scope("obvious").questions}  # type: ignore[union-attr]


@dataclass(frozen=True)
class _KnownWording:
    """An obvious question as the material words it, in English or German."""

    question: Question
    text: str
    options: tuple[str, ...]
    is_german: bool = False


@cache
def _wordings() -> tuple[_KnownWording, ...]:
    questions = {question.id: question for question in _obvious().values()}
    known = [_KnownWording(question, question.text, tuple(question.options)) for question in questions.values()]
    for entry in read_tuples(expanded(OBVIOUS_VARIANTS)):
        text, *options = entry.questions["para_P"].split("\n")
        question = questions[entry.base[0]]
        options = [option.split(" ", 1)[1] for option in options]
        known.append(_KnownWording(question, text, tuple(options), is_german=entry.id.startswith("translate:de/")))
    return tuple(known)


@lru_cache(10_000)
def _recognised(text: str) -> _KnownWording:
    """The wording in a prompt: of those with its options, if it has any, the one with the closest words."""
    options = {option for _, option in _OPTION.findall(text)}
    alike = [wording for wording in _wordings() if {*wording.options} == options]
    words = {word for paragraph in text.split("\n\n") for word in paragraph.split()}
    return max(alike, key=lambda wording: len(words & {*wording.text.split()}) / len({*wording.text.split()}))


@dataclass(frozen=True)
class _Statement:
    """What a forecasting question asks, in terms of independent events."""

    bases: tuple[str, ...] = ()
    kind: str = "P"
    year: int = 0
    rises: bool = True

    def chance(self, chances: list[float], *, negated: bool) -> float:
        """Its probability by the rules of independent events."""
        first, second, third = (*chances, 0.5, 0.5)[:3]
        kind, _, number = self.kind.partition(" ")
        if kind == "not":
            return 1 - first if negated else first
        if kind == "chain":
            return float(first ** (1 / int(number)))
        if kind == "share":
            return (first, (1 - first) / 2, (1 - first) / 2)[int(number) - 1]
        return {
            "P": first,
            "Q": second,
            "R": third,
            "weaker": first + 0.3 * (1 - first),
            "and": first * second,
            "or": first + second - first * second,
            "but": second * (1 - first),
            "all": first * second * third,
        }[kind]


_KINDS: Final = {
    "not_P": "not",
    "cons_P": "weaker",
    "P_and_Q": "and",
    "P_or_Q": "or",
    "Q_and_not_P": "but",
    "P_and_Q_and_R": "all",
    "Q_given_P": "Q",
    "P_given_Q": "P",
    "P_given_not_Q": "P",
    "R_given_P_and_Q": "R",
}


@cache
def _statements() -> dict[str, _Statement]:
    """What each of the built-in forecasting questions asks."""
    known: dict[str, _Statement] = {}
    for entry in read_tuples(expanded("material:forecasts.jsonl")):
        for key, text in entry.questions.items():
            if entry.law in ("increasing", "decreasing"):
                known[text] = _Statement(year=int(key), rises=entry.law == "increasing")
            elif entry.law in ("chain", "partition"):
                kind = f"{'chain' if entry.law == 'chain' else 'share'} {key[1:]}"
                known[text] = _Statement(entry.base, kind)
            else:
                base = entry.base[1:] if key == "Q" else entry.base[2:] if key == "R" else entry.base
                known.setdefault(text, _Statement(base, _KINDS.get(key, "P")))
    return known
