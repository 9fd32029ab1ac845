"""Difficulty and discrimination of questions from the marks of their answers, and correlations of clustered pairs.

Two questions are the same if their letters and digits are, ignoring case, blanks and punctuation. A person who guesses may mark
each answer from 0 to 100. Difficulty is the mean mark, as in classical test theory: the *higher*, the *easier*. Discrimination
is the correlation of the mark with the answerer's rating by *other* people (the corrected item-rest correlation). That rating
excludes all guesses by the marker, since a marker who likes the answers also guesses high. Marks by machines and by people with
a voided guess are excluded, like their guesses.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import atanh, fsum, inf, tanh
from typing import Final, Protocol

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.luna.rules import HIGHEST
from vivavoce.statistics.clustered import mean_interval

FEWEST_PAIRS: Final = 4
"""The fewest pairs of a correlation with an interval."""
UNKNOWN: Final = Interval(-inf, inf)


def clustered_correlation(first: Sequence[float], second: Sequence[float], groups: Sequence[Sequence[str]]) -> Estimate:
    """Pearson's correlation of pairs that may share a player, with an interval that allows for it.

    The variance of r comes from the mean of its influence function, robust to shared groups; the ends use Fisher's z. There is
    no interval with fewer than four pairs, with all numbers of a list equal, or if every pair shares a player with every other.
    In the first two cases there is no value either.

    >>> correlation = clustered_correlation([1, 2, 3, 4, 5], [1, 3, 2, 5, 4], [(), (), (), (), ()])
    >>> correlation.n, round(correlation.value or 0, 3)
    (5, 0.8)
    """
    x, y = (np.asarray(values, dtype=np.float64) for values in (first, second))
    n = x.size
    if n < FEWEST_PAIRS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Estimate(None, UNKNOWN, n)
    x, y = ((values - values.mean()) / values.std() for values in (x, y))
    value = float(np.clip((x * y).mean(), -1, 1))
    if abs(value) >= 1 - 1e-12:
        return Estimate(value, UNKNOWN, n)
    influence = x * y - value / 2 * (x**2 + y**2)
    try:
        bounds = mean_interval(influence, groups, confidence=CONFIDENCE)
    except NotEnoughEvidence:
        return Estimate(value, UNKNOWN, n)
    half = (bounds.upper - bounds.lower) / 2 / (1 - value**2)
    return Estimate(value, Interval(tanh(atanh(value) - half), tanh(atanh(value) + half)), n)


FEWEST: Final = 2
"""The fewest marks of a difficulty."""
FEWEST_RATED_MARKS: Final = 10
"""The fewest marks with a rating for a discrimination: with fewer, its interval does not cover."""


class MarkingSeat(Protocol):
    """One player's part of a finished game."""

    @property
    def player(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def questions(self) -> tuple[str, ...] | None: ...
    @property
    def answers(self) -> tuple[str, ...] | None: ...
    @property
    def sliders(self) -> tuple[float | None, ...] | None:
        """This player's marks of the other's answers."""
        ...

    @property
    def guess(self) -> float: ...
    @property
    def voided(self) -> bool: ...


class MarkedGame(Protocol):
    """A finished game."""

    @property
    def game(self) -> str: ...
    @property
    def seats(self) -> tuple[MarkingSeat, MarkingSeat]: ...


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question, with statistics of the marks of its answers."""

    text: str
    """The most common spelling."""
    games: tuple[str, ...]
    """Pseudonyms of the games that asked it."""
    difficulty: Estimate
    """The mean mark, 0 to 100: the higher, the easier; n marks."""
    discrimination: Estimate
    """Correlation of the mark with the answerer's rating by other people; n marks with such a rating."""


@dataclass(slots=True)
class _Marks:
    """The marks of one question."""

    spellings: Counter[str] = field(default_factory=Counter)
    games: list[str] = field(default_factory=list)
    marks: list[tuple[float, str, str]] = field(default_factory=list)
    """The mark, the answerer, the marker."""


class MarkCollector:
    """Takes games one by one; its memory grows with the number of different questions only."""

    def __init__(self) -> None:
        self._questions: dict[str, _Marks] = defaultdict(_Marks)
        self._guesses: dict[str, dict[str, tuple[float, int]]] = defaultdict(dict)

    def add(self, game: MarkedGame) -> None:
        """Take a finished game; hidden texts are None and leave no trace."""
        for own, other in (game.seats, game.seats[::-1]):
            counts = own.kind != "machine" and not own.voided
            if counts:
                before = self._guesses[other.player].get(own.player, (0.0, 0))
                self._guesses[other.player][own.player] = (before[0] + own.guess, before[1] + 1)
            if own.questions is None or other.answers is None:
                continue
            for index, question in enumerate(own.questions):
                marks = self._questions[_key(question)]
                marks.spellings[question.strip()] += 1
                if game.game not in marks.games[-1:]:
                    marks.games.append(game.game)
                mark = own.sliders[index] if counts and own.sliders else None
                if mark is not None:
                    marks.marks.append((mark, other.player, own.player))

    def questions(self) -> tuple[AskedQuestion, ...]:
        """All questions, those with most marks first."""
        figures = [self._figures(question) for question in self._questions.values()]
        return tuple(sorted(figures, key=lambda question: (-question.difficulty.n, -len(question.games), question.text)))

    def _figures(self, question: _Marks) -> AskedQuestion:
        marks = [mark for mark, _, _ in question.marks]
        groups = [(answerer, marker) for _, answerer, marker in question.marks]
        rated = [(mark, rest, (answerer, marker)) for mark, answerer, marker in question.marks
                 if (rest := self._rating(answerer, marker)) is not None]  # fmt: skip
        return AskedQuestion(
            text=question.spellings.most_common(1)[0][0],
            games=tuple(question.games),
            difficulty=_mean(marks, groups),
            discrimination=_correlation(rated),
        )

    def _rating(self, answerer: str, but: str) -> float | None:
        """The rating by all people except one; None without guesses."""
        others = [sums for person, sums in self._guesses.get(answerer, {}).items() if person != but]
        number = sum(count for _, count in others)
        return fsum(total for total, _ in others) / number if number else None


def asked_questions(games: Iterable[MarkedGame]) -> tuple[AskedQuestion, ...]:
    """All questions of these games, those with most marks first.

    >>> asked_questions([])
    ()
    """
    marking = MarkCollector()
    for game in games:
        marking.add(game)
    return marking.questions()


def normalised(text: str) -> str:
    """The form in which equal questions are equal texts.

    >>> normalised("  What IS  2+2?! ") == normalised("what is 2 2"), normalised("Who?") == normalised("Why?")
    (True, False)
    >>> normalised("?!")
    '?!'
    """
    letters = "".join(
        character if character.isalnum() or unicodedata.category(character)[0] == "M" else " " for character in _folded(text)
    )
    return " ".join(letters.split()) or " ".join(text.split())


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _key(text: str) -> str:
    """A key of fixed length for a question of any length."""
    return sha256(normalised(text).encode(errors="backslashreplace")).hexdigest()


def _mean(marks: Sequence[float], groups: Sequence[tuple[str, str]]) -> Estimate:
    """The mean, with an interval that allows for shared answerers or markers; no interval if all marks are equal."""
    if len(marks) < FEWEST:
        return Estimate(None, UNKNOWN, len(marks))
    mean = float(np.mean(marks))
    if np.ptp(marks) == 0:
        return Estimate(mean, UNKNOWN, len(marks))
    try:
        lower, upper = mean_interval(marks, groups, confidence=CONFIDENCE)
    except NotEnoughEvidence:
        return Estimate(mean, UNKNOWN, len(marks))
    return Estimate(mean, Interval(max(0.0, lower), min(HIGHEST, upper)), len(marks))


def _correlation(rated: Sequence[tuple[float, float, tuple[str, str]]]) -> Estimate:
    if len(rated) < FEWEST_RATED_MARKS:
        return Estimate(None, UNKNOWN, len(rated))
    marks, ratings, groups = zip(*rated, strict=True)
    return clustered_correlation(marks, ratings, groups)
