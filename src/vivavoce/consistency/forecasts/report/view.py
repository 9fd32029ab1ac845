"""What of the figures there is room for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.consistency.forecasts.ranking import CONTROL, ranking
from vivavoce.consistency.forecasts.summary import Summary
from vivavoce.formats.wording import clipped, count

MOST_LAWS: Final = 24
"""Columns of a table; a file may hold a law of its own in every line."""
MOST_CELLS: Final = 1_500
"""Of a table, so that the page stays below a megabyte."""
FEW: Final = 5
"""Forecasters up to which each has histograms of its own; tables of more are tinted, to be taken in at a glance."""
MOST_NAMES: Final = 20
"""Forecasters in a terminal."""
LONGEST_LAW: Final = 17
"""Characters of the widest built-in name; a user's law is cut to as many where there is little room."""


@dataclass(frozen=True, slots=True)
class View:
    """The part of all figures that is shown."""

    rows: Mapping[tuple[str, str], Summary]
    """By forecaster and law."""
    forecasters: tuple[str, ...]
    laws: tuple[str, ...]
    """The control last."""
    left_out: str
    """What there was no room for, in words."""
    who: str = "Forecaster"
    """What a forecaster is called here."""

    @property
    def alone(self) -> bool:
        """Whether there is one forecaster."""
        return len(self.forecasters) == 1

    @property
    def few(self) -> bool:
        """Whether forecasters are so few that each is shown in full."""
        return len(self.forecasters) <= FEW

    @property
    def in_full(self) -> tuple[str, ...]:
        """The forecasters that are shown with histograms and tuples: all where they are few, else the two extremes."""
        return self.forecasters if self.few else tuple(dict.fromkeys(self.extremes))

    @property
    def extremes(self) -> tuple[str, ...]:
        """Who contradicts itself strongly least and most often, as the sentence has it."""
        found = ranking([row for row in self.rows.values() if row.n])
        return (found.best, found.worst) if found else self.forecasters[:2]

    @property
    def ranked(self) -> list[str]:
        """The forecasters, who contradicts itself strongly least often first; those that cannot be compared last."""
        found = ranking([row for row in self.rows.values() if row.n])
        order = list(found.shares) if found else []
        return order + [name for name in self.forecasters if name not in order]

    def of_law(self, law: str) -> list[Summary]:
        """The forecasters that were asked this law."""
        return [self.rows[name, law] for name in self.forecasters if (name, law) in self.rows]


def view_of(rows: Sequence[Summary], who: str = "Forecaster") -> View:
    """What of these figures there is room for; `who`: what a forecaster is called."""
    names, laws = (tuple(dict.fromkeys(values)) for values in zip(*((row.forecaster, row.law) for row in rows), strict=True))
    of_laws = [law for law in laws if law != CONTROL]
    shown_laws = (*of_laws[:MOST_LAWS], *((CONTROL,) if CONTROL in laws else ()))
    shown = names[: max(1, MOST_CELLS // len(shown_laws))]
    places = {(row.forecaster, row.law): row for row in rows if row.forecaster in set(shown) and row.law in set(shown_laws)}
    left_out = ""
    if len(shown) < len(names) or len(of_laws) > MOST_LAWS:
        left_out = (
            f"There is room for {count(len(shown))} of {count(len(names))} forecasters and {count(len(shown_laws))} of "
            f"{count(len(laws))} laws; the JSON has all of them."
        )
    return View(places, shown, shown_laws, left_out, who)


def law_label(law: str) -> str:
    """The law as the command line calls it.

    >>> law_label("neg"), law_label("won: A, B where A implies B"), law_label("A, B, C where A implies B")
    ('neg', 'won', 'A, B, C where A i…')
    """
    name = clipped(law.partition(":")[0].strip(), 200)
    return name if len(name) <= LONGEST_LAW else f"{name[:LONGEST_LAW]}…"
