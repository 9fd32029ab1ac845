"""Ratings that were predicted, as a value, and in words."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Any, Final

from vivavoce.formats.interval import Interval
from vivavoce.formats.wording import clipped, count, name_of
from vivavoce.interview.scope import Signature
from vivavoce.luna.predict.compare_finding import words_of
from vivavoce.luna.predict.figures import in_order
from vivavoce.luna.predict.interval import Prediction
from vivavoce.report.blocks import Block, Caveats, Column, Figure, Report, Row, Section, Table
from vivavoce.report.cells import Cell
from vivavoce.report.parts import method_of, notes
from vivavoce.report.reported import Reported

SHOWN: Final = 500
"""People in a table."""


@dataclass(frozen=True, slots=True, repr=False)
class PredictedRatings(Reported):
    """A rating with an interval for each person, from answers alone."""

    predictions: tuple[Prediction, ...]
    """In the order of the answers."""
    predictor: str
    learnt_from: int
    """People."""
    tried_on: int
    """Of them, those left out in turn to see how far off it is; 0: too few to tell."""
    level: float
    """Of the intervals."""
    questions: int
    """That the predictor has learnt."""
    unknown: int
    """Other questions that these people answered: what they said there is not looked at."""
    sparse: int
    """People who answered fewer of the questions than anybody whom the predictor learnt from."""
    signature: Signature

    @property
    def statement(self) -> str:
        """The result in two plain sentences."""
        ratings = [one.rating for one in self.predictions]
        learnt = f"by {name_of(self.predictor)}, which has learnt from {count(self.learnt_from)} people"
        told = f"{count(len(ratings))} people are given ratings from {min(ratings):.2f} to {max(ratings):.2f} {learnt}."
        if len(ratings) == 1:
            told = f"{name_of(self.predictions[0].person)} is given a rating of {ratings[0]:.2f} {learnt}."
        if not self.tried_on:
            return f"{told} Its error is not known: it has learnt from too few people."
        width = fsum(one.upper - one.lower for one in self.predictions) / len(ratings)
        return f"{told} The interval that holds {self.level:.0%} of true ratings is {width:.2f} wide on average."

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the result does not show, each in a sentence."""
        told = [
            "A rating is predicted from words that graded or rated people used. It does not show what somebody understands: "
            "knowing the words of a right answer is enough for its rating. Do not let it alone decide about anybody.",
            "Intervals hold for people like those learnt from, who answered the same questions for the same reasons.",
        ]
        if self.unknown:
            told.append(
                f"{count(self.unknown)} question{'s are' if self.unknown > 1 else ' is'} not among the "
                f"{count(self.questions)} that the predictor has learnt: answers to them are left out."
            )
        if self.sparse:
            told.append(
                f"{count(self.sparse)} {'people have' if self.sparse > 1 else 'person has'} answered fewer of these questions "
                "than anybody learnt from: what is left out counts as an empty answer, and an interval says nothing about it."
            )
        return tuple(told)

    def report(self) -> Report:
        """All of it as blocks."""
        tried = f"the rating of each of {count(self.tried_on)} people was predicted by a predictor that had not seen them"
        return self.reported(
            "Ratings predicted from answers",
            f"Ratings predicted for {clipped(self.signature.scope, 120) or 'answers'}",
            Figure(in_order(self.predictions, self.level)),
            Caveats(self.caveats),
            Section("Ratings", self._ratings()),
            method_of(
                (
                    f"The predictor {name_of(self.predictor)} goes by: {words_of(self.predictor)}. It has learnt from "
                    f"{count(self.learnt_from)} people who answered {count(self.questions)} questions.",
                    f"For the intervals {tried}; an interval reaches as far to each side as it took to hold "
                    f"{self.level:.0%} of them."
                    if self.tried_on
                    else "It has learnt from too few people to leave some out and see how far off it is: intervals are the "
                    "whole scale.",
                )
            ),
            headline=self.statement,
        )

    def _ratings(self) -> tuple[Block, ...]:
        """The highest first."""
        ordered = sorted(self.predictions, key=lambda one: -one.rating)
        rows = tuple(
            Row(
                Cell(name_of(one.person)),
                (
                    Cell(
                        f"{one.rating:.2f}",
                        one.rating,
                        Interval(one.lower, one.upper),
                        f"[{one.lower:.2f}, {one.upper:.2f}]",
                    ),
                ),
            )
            for one in ordered[:SHOWN]
        )
        left = len(ordered) - SHOWN
        more = f"And {count(left)} more, with lower ratings." if left > 0 else ""
        return (Table((Column("Person"), Column("Rating", below=f"{self.level:.0%} interval")), rows), *notes(more))

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "ratings": {one.person: one.as_json() for one in self.predictions},
            "level": self.level,
            "predictor": self.predictor,
            "learnt_from": self.learnt_from,
            "unknown_questions": self.unknown,
            "answered_too_few": self.sparse,
        }
