"""What simulated games show, as a value, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count
from vivavoce.interview.finding import Signature, short
from vivavoce.luna.attacks import Withstood
from vivavoce.luna.chapter3 import Curve, Drawn
from vivavoce.luna.ratings import METHODS

SLIPS: Final = (
    "the percentile function is given a share where it wants percents, so that quantile guessers guess about the lowest rating",
    "the first guess that a player receives is overwritten by the second",
    "5 is the standard deviation of guesses, where the text has it as their variance",
    "a player's place is taken among actual guesses of everybody, met or not, where the text has opponents met before",
)
"""Of an early program, which lead to the figures that the thesis prints."""


@dataclass(frozen=True, slots=True)
class LunaSimulation:
    """Figures of chapter 3 in both readings, and the table of attacks; either may be empty."""

    figures: tuple[Drawn, ...]
    attacks: tuple[Withstood, ...]
    honest: Estimate | None
    """The mean distance with honest players where intelligence is Definition 4 to the letter; None without Figure 3.2."""
    signature: Signature

    @property
    def statement(self) -> str:
        """The result in a few plain sentences."""
        return " ".join(self.sentences)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each part says; the first is the most telling."""
        by_number = {drawn.figure.number: drawn for drawn in self.figures}
        told = []
        if "3.8" in by_number:
            ways = by_number["3.8"].corrected.slope, by_number["3.8"].as_published.slope
            told.append(
                f"Each tenth of players who guess by a rule in place of the answers moves ratings {ways[0]:.1f} points off; "
                f"the thesis has 3.5, and with its program's slips it is {ways[1]:.1f}."
            )
        if "3.5" in by_number:
            ends = [_value(way.last.mean) for way in (by_number["3.5"].corrected, by_number["3.5"].as_published)]
            told.append(
                f"Ratings do not collapse if all guess by quantiles: they end {ends[0]} points off; with the slips {ends[1]}."
            )
        if not told and self.figures:
            drawn = self.figures[-1]
            told.append(
                f"{drawn.figure.title}: ratings end {_value(drawn.corrected.last.mean)} points from intelligence on average, "
                f"at most {_value(drawn.corrected.last.largest)}."
            )
        if self.attacks:
            told.append(_withstood(self.attacks))
        return tuple(told)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the result does not show, each in a sentence."""
        told = [
            "These players are simulated: anybody meets anybody equally often, and honest guesses scatter alike for all. "
            "Real ones choose when to play, learn, and err together.",
            f"Numbers are means over {count(self.signature.settings['trials'])} trials; configurations of one figure meet the "
            "same players.",
        ]
        if self.figures:
            told.append(
                f"“As published” is a reconstruction; the thesis' slope and collapse come out of it. In it {'; '.join(SLIPS)}."
            )
            told.append(
                "Distances are from each player's value, which the thesis takes for intelligence. A constant guess of 50 ends "
                "25 points off, not the 50 of the thesis' text; 0 does."
            )
        if self.honest is not None:
            told.append(
                f"With intelligence as the mean of what all find of a player (Definition 4 to the letter) honest ratings end "
                f"{_value(self.honest, 2)} points off."
            )
        if self.attacks:
            told.append(
                "Nothing in guesses alone distinguishes a bloc of half of all guesses from honest players: no rating "
                "withstands it. Nor does one follow players who change."
            )
        return tuple(told)

    def __repr__(self) -> str:
        return short(self)

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; the names are part of the public face."""
        return {
            "statement": self.statement,
            "figures": [
                {
                    "figure": drawn.figure.number,
                    "title": drawn.figure.title,
                    "across": drawn.figure.across,
                    "corrected": _curve(drawn.corrected),
                    "as_published": _curve(drawn.as_published),
                }
                for drawn in self.figures
            ],
            "slips": list(SLIPS),
            "honest_by_definition_4": None if self.honest is None else self.honest.as_json(),
            "attacks": [
                {
                    "attack": row.attack.words,
                    "about_one": row.attack.about_one,
                    "mean": {name: found.as_json() for name, found in row.mean.items()},
                    "largest": {name: found.as_json() for name, found in row.largest.items()},
                }
                for row in self.attacks
            ],
            "methods": {name: method.words for name, method in METHODS.items()},
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }


def _curve(curve: Curve) -> Mapping[str, Any]:
    return {
        "slope_per_tenth": curve.slope,
        "points": [{"x": one.x, "mean": one.mean.as_json(), "largest": one.largest.as_json()} for one in curve.points],
    }


def _withstood(rows: Sequence[Withstood]) -> str:
    mixed = next(row for row in rows if row.attack.mixture.together == 0.3)
    bloc = next(row for row in rows if row.attack.words.startswith("A bloc of 50%"))
    mean, robust = (_value(mixed.mean[name]) for name in ("mean", "robust"))
    return (
        f"With 30% of players dishonest the mean is {mean} points off and the robust rating {robust}; a bloc of half of the "
        f"players beats both ({_value(bloc.mean['mean'])} and {_value(bloc.mean['robust'])})."
    )


def _value(found: Estimate, decimals: int = 1) -> str:
    return "–" if found.value is None else f"{found.value:.{decimals}f}"
