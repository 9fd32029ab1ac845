"""What a series of Luna games among machines shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, Final

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.formats.wording import clipped, count, name_of, percent
from vivavoce.interview.scope import Signature
from vivavoce.luna.estimate_cells import number_cell
from vivavoce.luna.rules import HIGHEST, LOWEST
from vivavoce.luna.settings import THESIS
from vivavoce.report.blocks import Block, Card, Caveats, Column, Fold, InFull, Pairs, Paragraph, Report, Row, Table
from vivavoce.report.cells import Cell, count_cell
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported
from vivavoce.statistics.clustered import mean_interval

ANYTHING: Final = Interval(LOWEST, HIGHEST)
SHOWN: Final = 2_000
"""Characters of a text in a game."""
NAMES: Final = {
    "gibberish": "a bot that sends random letters",
    "chatterbot": "a chatterbot that turns questions round",
    "echo": "a bot that repeats what people once said",
}
"""The opponents, in a reader's words."""


@dataclass(frozen=True, slots=True)
class SeriesGame:
    """One game that was played to its end."""

    opponent: str
    questions: tuple[str, ...]
    """That the candidate put."""
    replies: tuple[str, ...]
    """Of the opponent."""
    asked: tuple[str, ...]
    """Of the candidate."""
    answers: tuple[str, ...]
    guess: float
    """How smart the opponent is, from 0 to 100."""
    guessed: bool
    """Whether that is the candidate's own guess; else it could not be read, or stood fixed."""
    own_questions: bool
    answered: int
    """Answers of the candidate that came, of five."""
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class LunaSeries(Reported):
    """What `play_series` returns."""

    candidate: str
    games: tuple[SeriesGame, ...]
    planned: int
    told: bool
    """Whether the candidate knew of the game."""
    exhausted: str
    """Which limit of the budget ended the games; empty where none did."""
    signature: Signature
    how_asked: tuple[str, ...] = ()
    """What a reader must know about how it was asked."""

    def guesses(self, opponent: str) -> Estimate:
        """Mean of the candidate's own guesses, with Student's interval at level 95%; all that is possible for fewer than two.

        Guesses that are all equal tell nothing of how they vary, so they have no narrower interval either.
        """
        values = [game.guess for game in self.games if game.opponent == opponent and game.guessed]
        if not values:
            return Estimate(None, ANYTHING, 0)
        return Estimate(fsum(values) / len(values), _bounds(values), len(values))

    @property
    def opponents(self) -> tuple[str, ...]:
        """In the order in which they were met."""
        return tuple(dict.fromkeys(game.opponent for game in self.games))

    @property
    def complete(self) -> int:
        """Games in which every part was the candidate's own."""
        return sum(game.own_questions and game.guessed and game.answered == THESIS.questions for game in self.games)

    @property
    def headline(self) -> str:
        """Whether it plays, in one sentence."""
        if not self.games:
            return f"{name_of(self.candidate)} finished no game: the budget of {self.exhausted} ran out."
        number = f"{count(len(self.games))} game{'' if len(self.games) == 1 else 's'}"
        if not self.told:
            came = sum(game.answered for game in self.games)
            of = len(self.games) * THESIS.questions
            return f"{name_of(self.candidate)} answered {count(came)} of {count(of)} questions in {number} against bots."
        return (
            f"{name_of(self.candidate)} wrote its own questions, all answers and a guess in {count(self.complete)} of {number} "
            "against bots."
        )

    @property
    def others(self) -> str:
        """How smart it found the bots, in one sentence; empty where it did not say."""
        found = [(name, self.guesses(name)) for name in self.opponents]
        told = [
            f"{NAMES.get(name, name)} {one.value:.0f} [{one.interval.lower:.0f}, {one.interval.upper:.0f}]"
            for name, one in found
            if one.value is not None
        ]
        return f"On a scale from 0 to 100 it found {'; '.join(told)}." if told else ""

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.others}".rstrip()

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the games do not show."""
        told = [
            "Nobody rated the candidate: a rating is the mean of what people guess, and only bots played here. To get one, let "
            "it play on a site: viva luna play.",
            "What it says about three kinds of bots shows little about how it judges people, or better machines.",
        ]
        if not self.told:
            told.append("It was not told about the game: its questions and guesses were fixed, as those of the thesis' bots.")
        if self.exhausted:
            told.append(f"The budget of {self.exhausted} ended it after {len(self.games)} of {self.planned} games.")
        if problems := [problem for game in self.games for problem in game.problems]:
            told.append(
                f"{count(len(problems))} parts of games were not its own words, or only in part. They could not be "
                "read, were cut off, or did not come."
            )
        if self.told:
            told.append(f"Intervals are Student's at level {percent(CONFIDENCE)}: rough, with so few games against each.")
        return (*told, *self.how_asked)

    def report(self) -> Report:
        """All of it as blocks."""
        how = (
            "Five questions to the other, answers to five of the other’s, and a guess how smart the other is, from 0 to 100. "
            "The others were bots that understand nothing; it was not told so."
            if self.told
            else "Each game put five questions to it. It was not asked for questions of its own, nor how smart it finds the "
            "other."
        )
        return self.reported(
            "",
            f"Luna games of {name_of(self.candidate)}",
            InFull((Paragraph(how),)),
            self._table,
            Caveats(self.caveats),
            *map(_in_full, self.games[:1]),
            headline=clipped(self.headline, SHOWN),
        )

    @property
    def _table(self) -> Table:
        heads = ("Played against", "Games", *(("How smart it found that",) if self.told else ()))
        rows = tuple(
            Row(
                Cell(NAMES.get(name, name)),
                (
                    count_cell(sum(game.opponent == name for game in self.games)),
                    *((number_cell(self.guesses(name), 0, unknown="not asked"),) if self.told else ()),
                ),
            )
            for name in self.opponents
        )
        return Table(tuple(map(Column, heads)), rows)

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return (self.candidate,)

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "planned": self.planned,
            "told": self.told,
            "complete": self.complete,
            "guesses": {name: self.guesses(name) for name in self.opponents},
            "games": self.games,
            "exhausted": self.exhausted,
        }


def _in_full(game: SeriesGame) -> Block:
    """A game in full: the candidate's questions and replies, and those of the other player."""
    said = (
        *zip(("It asked",) * len(game.questions), game.questions, ("The bot",) * len(game.replies), game.replies, strict=True),
        *zip(("The bot",) * len(game.asked), game.asked, ("It answered",) * len(game.answers), game.answers, strict=True),
    )
    cards = tuple(
        Card((Pairs(((who, clipped(question, SHOWN)), (whom, clipped(answer, SHOWN)))),))
        for who, question, whom, answer in said
    )
    guess = f"It guessed {game.guess:.0f}." if game.guessed else ""
    return Fold(f"One game in full, against {NAMES.get(game.opponent, game.opponent)}", (*cards, *paragraphs(guess)))


def _bounds(values: Sequence[float]) -> Interval:
    if len(set(values)) < 2:
        return ANYTHING
    try:
        bounds = mean_interval(values, [()] * len(values), confidence=CONFIDENCE)
    except NotEnoughEvidence:
        return ANYTHING
    return Interval(max(LOWEST, bounds.lower), min(HIGHEST, bounds.upper))
