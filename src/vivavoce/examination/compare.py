"""Several dossiers side by side: the same figures in one row, and differences where the same was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from vivavoce.errors import BadInput
from vivavoce.examination.cards import Figure
from vivavoce.examination.dossier import Dossier
from vivavoce.examination.paired import PairedDifferences
from vivavoce.examination.parts.eqt import EqtPart
from vivavoce.examination.rooms import QUESTIONS
from vivavoce.formats.wording import count
from vivavoce.interview.scope import Signature
from vivavoce.report.document import document
from vivavoce.version import __version__

KIND: Final = "dossiers"
"""Of the JSON document."""
MOST: Final = 20
"""Dossiers side by side."""
OTHER: Final = "not comparable: other questions"
UNTOLD: Final = "not comparable: each was examined on questions of its own"
MISSING: Final = "not comparable: not examined"
LITTLE: Final = "not comparable: too little evidence"


@dataclass(frozen=True, slots=True)
class FigureDifference:
    """The difference of one figure: a later dossier less the first."""

    difference: Figure | None
    why_not: str
    """Why there is none; empty where there is one."""

    @property
    def beyond_chance(self) -> bool:
        """Whether the interval of the difference lies on one side of 0."""
        one = self.difference
        return one is not None and one.lower is not None and one.upper is not None and (one.lower > 0 or one.upper < 0)


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of all dossiers."""

    room: str
    name: str
    figures: tuple[Figure | None, ...]
    """One a dossier; None where it has none of that name."""
    beside: tuple[FigureDifference, ...]
    """One for each dossier after the first."""

    @property
    def titled(self) -> str:
        """The display title of the figure, from the first dossier that has one."""
        return next((one.title for one in self.figures if one is not None and one.title), self.name)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several dossiers side by side."""

    dossiers: tuple[Dossier, ...]
    rows: tuple[Row, ...]
    """By room, in the order of the rooms."""
    paired: PairedDifferences = field(default=PairedDifferences())
    """Question by question, where the records are at hand."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the differences do not show."""
        own = "Each candidate wrote the questions on its own explanations itself: they may be easier or harder."
        return (
            "A difference is given only where both were asked the same: questions drawn from the same scope, or the same file.",
            "Its interval is as wide as both intervals allow, from the least of one to the most of the other: it holds where "
            "both of them do, and is wider than necessary. Two candidates may differ although it includes 0.",
            "Many differences were looked at (multiple comparisons): some intervals may exclude 0 by chance.",
            *((own,) if any(row.room == EqtPart.room for row in self.rows) else ()),
            *self.paired.caveats,
            *self.paired.why_not,
        )

    def as_json(self) -> dict[str, Any]:
        """The comparison as a JSON document."""
        candidates = [dossier.candidate for dossier in self.dossiers]
        named = any(dossier.name for dossier in self.dossiers)
        clear = sum(beside.beyond_chance for row in self.rows for beside in row.beside)
        figures = {
            "rows": [
                {
                    "room": row.room,
                    "name": row.name,
                    "figures": [None if figure is None else figure.as_json() for figure in row.figures],
                    "differences": [
                        {
                            "difference": None if one.difference is None else one.difference.as_json(),
                            "why_not": one.why_not,
                            "beyond_chance": one.beyond_chance,
                        }
                        for one in row.beside
                    ],
                }
                for row in self.rows
            ],
            **({"paired": [scope.as_json() for scope in self.paired.scopes]} if self.paired.scopes else {}),
        }
        return document(
            KIND,
            statement=f"{count(clear)} of {count(sum(len(row.beside) for row in self.rows))} differences exclude 0.",
            verdict=None,
            candidates=candidates,
            figures=figures,
            caveats=self.caveats,
            signature=Signature(__version__, KIND, f"{len(candidates)} candidates", "dossiers", "", 0, {}),
            **({"names": [dossier.called for dossier in self.dossiers]} if named else {}),
            answers=[dossier.answer.paragraph for dossier in self.dossiers],
        )


def compare(dossiers: Sequence[Dossier], paired: PairedDifferences = PairedDifferences()) -> Comparison:  # noqa: B008 -- frozen
    """Put dossiers side by side. Raises `BadInput` for none, and for more than `MOST`.

    paired: what can be said question by question (`paired.pair_up`).

    >>> compare([]).rows
    Traceback (most recent call last):
    ...
    vivavoce.errors.BadInput: 0 dossiers: give 1 to 20
    """
    if not 1 <= len(dossiers) <= MOST:
        raise BadInput(f"{len(dossiers)} dossiers: give 1 to {MOST}")
    told = [_figures(one) for one in dossiers]
    names = list(dict.fromkeys(key for figures in told for key in figures))
    names.sort(key=lambda key: list(QUESTIONS).index(key[0]))
    rows = []
    for room, name in names:
        figures = tuple(of_one.get((room, name)) for of_one in told)
        rows.append(Row(room, name, figures, tuple(_beside(figures[0], other) for other in figures[1:])))
    return Comparison(tuple(dossiers), tuple(rows), paired)


def _figures(dossier: Dossier) -> dict[tuple[str, str], Figure]:
    """Figures by room and name; the first of several of one name."""
    found: dict[tuple[str, str], Figure] = {}
    for card in dossier.cards:
        for figure in card.figures:
            found.setdefault((card.room, figure.name), figure)
    return found


def _beside(first: Figure | None, other: Figure | None) -> FigureDifference:
    """The other less the first."""
    if first is None or other is None:
        return FigureDifference(None, MISSING)
    if not first.asked or not other.asked:
        return FigureDifference(None, UNTOLD)
    if first.asked != other.asked or first.unit != other.unit:
        return FigureDifference(None, OTHER)
    bounds = (first.value, first.lower, first.upper, other.value, other.lower, other.upper)
    if any(bound is None for bound in bounds):
        return FigureDifference(None, LITTLE)
    value, lower, upper, of_other, other_lower, other_upper = (float(bound) for bound in bounds if bound is not None)
    found = replace(
        other, value=of_other - value, lower=other_lower - upper, upper=other_upper - lower, n=min(first.n, other.n)
    )
    return FigureDifference(found, "")
