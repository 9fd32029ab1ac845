"""What the paraphrase checks find: how often a decision depends on the words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

from vivavoce.consistency.legal.cases.beside import beside_the_paper
from vivavoce.consistency.legal.cases.caveats import caveats
from vivavoce.consistency.legal.cases.counts import Counts, OfBox
from vivavoce.consistency.legal.cases.report import BeforeAndAfter, flips_and_shifts, method, outcomes, to_read_first
from vivavoce.consistency.legal.cases.trials import Box, Examined, Trial
from vivavoce.formats.interval import Interval
from vivavoce.formats.wording import clipped, count, percent, percent_interval
from vivavoce.interview.caveats import copies_in_words
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, Figure, InFull, Report
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported

WORST = 10
"""Trials that are shown."""
LONGEST_NAME = 160
_LEAD = "One fact of a case is paraphrased; what it states, and all other facts, stay the same. So should the decision."


@dataclass(frozen=True, slots=True, repr=False)
class CaseConsistency(Reported):
    """What `examine_cases` returns."""

    candidate: str
    paraphraser: str
    """Who paraphrased facts."""
    source: str
    """Where the cases come from."""
    cases: int
    """That were given."""
    exhausted: str
    """Which limit of the budget ended the examination; empty if none did."""
    threshold: float
    shortest: int
    counts: Counts
    examined: tuple[Examined, ...]
    signature: Signature
    asked_so: tuple[str, ...] = ()
    """What a reader must know of how it was asked."""

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Everything that was tried, case by case."""
        return tuple(trial for one in self.examined for trial in one.trials)

    @property
    def worst(self) -> tuple[Trial, ...]:
        """The trials to look at first: flips before others, then by size of the shift; one of each case."""
        return worst(self.trials, self.threshold)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the checks do not show."""
        found = (*caveats(self.counts, paraphraser=self.paraphraser, shortest=self.shortest), *self.asked_so)
        if not self.exhausted:
            return found
        heard = f"{count(len(self.examined))} of {count(self.cases)} cases"
        return (f"The budget of {self.exhausted} was used up after {heard}; the others were not asked.", *found)

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return " ".join(filter(None, (self.headline, self.copies, self.others, self.comparison)))

    @property
    def headline(self) -> str:
        """The box with the most flips, in one sentence."""
        rows = self._by_flips()
        who = clipped(self.candidate, LONGEST_NAME)
        if not rows:
            why = clipped(self.counts.first_absence or next(iter(self.counts.problems), ""), 200)
            return f"Nothing was compared: no case could be tried on {who}" + (f" ({why})." if why else ".")
        return f"{who} changes its decision on {_flips(rows[0])} of {_occasion(rows[0])}."

    @property
    def copies(self) -> str:
        """How many replies only repeat the prompt, in one sentence; empty where few do."""
        return copies_in_words(self.counts.absences.get("copied", 0), self.counts.came)

    @property
    def others(self) -> str:
        """The other box, and the control."""
        rows = self._by_flips()
        again = self.counts.row(Box.AGAIN)
        others = [*rows[1:], *([again] if rows and again is not None and again.trials else [])]
        return f"It does so on {'; on '.join(f'{_flips(row)} of {_occasion(row)}' for row in others)}." if others else ""

    @property
    def comparison(self) -> str:
        """White against black box, in one sentence; empty where there is no pair."""
        pairs = self.counts.pairs
        if pairs is None:
            return ""
        white, black = pairs.both + pairs.white_only, pairs.both + pairs.black_only
        verdict = (
            "no difference beyond chance"
            if pairs.p > 0.05
            else f"the {'most important' if white > black else 'random'} fact flips more"
        )
        return (
            f"Of {count(pairs.cases)} cases tried in both ways, the most important fact flips {count(white)} and a random one "
            f"{count(black)}: {verdict} (difference {signed_percent(pairs.difference.value or 0.0)} "
            f"{signed_percent_interval(pairs.difference.interval)}, {chance(pairs.p)})."
        )

    def report(self) -> Report:
        """All of it as blocks."""
        source = clipped(self.source, LONGEST_NAME) or "not named"
        about = f"{_LEAD} Cases: {source}. Paraphrases: {clipped(self.paraphraser, LONGEST_NAME)}."
        return self.reported(
            "Decisions on paraphrased cases",
            f"Decisions of {clipped(self.candidate, 120)} on paraphrased cases",
            InFull(paragraphs(self.others, self.comparison, about)),
            flips_and_shifts(self.counts.rows),
            *outcomes(self.counts),
            *beside_the_paper(self.trials, self.threshold),
            Figure(BeforeAndAfter(self.trials, self.counts.rows, self.threshold)),
            to_read_first(self.worst, self.threshold),
            Caveats(self.caveats),
            method(self.threshold, self.counts.pairs),
        )

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; the names are part of the public face."""
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "paraphraser": self.paraphraser,
            "source": self.source,
            "cases": self.cases,
            "threshold": self.threshold,
            "exhausted": self.exhausted,
            **self.counts.as_json(),
            "worst": [trial.as_json(self.threshold) for trial in self.worst],
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }

    def _by_flips(self) -> list[OfBox]:
        rows = [row for row in self.counts.rows if row.trials and row.box is not Box.AGAIN]
        return sorted(rows, key=lambda row: row.flips.value or 0.0, reverse=True)


def worst(trials: Sequence[Trial], threshold: float) -> tuple[Trial, ...]:
    """The trials to look at first: flips before others, then by size of the shift; one of each case, none without a shift."""
    moved = [trial for trial in trials if trial.box is not Box.AGAIN and trial.shift]
    moved.sort(key=lambda trial: (trial.flips(threshold), abs(trial.shift)), reverse=True)
    by_case: dict[str, Trial] = {}
    for trial in moved:
        by_case.setdefault(trial.case, trial)
    return tuple(by_case.values())[:WORST]


def chance(p: float) -> str:
    """A p-value, as far as it says anything.

    >>> chance(0.0213), chance(1e-9)
    ('p = 0.021', 'p < 0.001')
    """
    return f"p = {p:.2g}" if p >= 0.001 else "p < 0.001"


def signed_percent(value: float) -> str:
    """A difference of rates in percent, with its sign.

    >>> signed_percent(0.25), signed_percent(-0.031), signed_percent(0.0)
    ('+25%', '−3.1%', '0%')
    """
    return percent(value) if value == 0 else f"{'+' if value > 0 else '−'}{percent(abs(value))}"


def signed_percent_interval(interval: Interval) -> str:
    """An interval of differences of rates in percent, each end rounded outwards to whole percents.

    >>> signed_percent_interval(Interval(-0.031, 0.245))
    '[−4, +25]'
    """
    lower, upper = floor(round(interval.lower * 100, 9)), ceil(round(interval.upper * 100, 9))
    return (
        f"[{'−' if lower < 0 else '+' if lower else ''}{abs(lower)}, {'−' if upper < 0 else '+' if upper else ''}{abs(upper)}]"
    )


def _flips(row: OfBox) -> str:
    found = row.flips
    return f"{percent(found.value or 0.0)} {percent_interval(found.interval)}"


def _occasion(row: OfBox) -> str:
    if row.box is Box.AGAIN:
        return f"{count(row.trials)} repetition{'' if row.trials == 1 else 's'} of the identical case"
    fact = "the most important fact" if row.box is Box.WHITE else "a random fact"
    some = "paraphrase" if row.trials == 1 else "paraphrases"
    return f"{count(row.trials)} {some} of {fact} in {count(row.cases)} case{'' if row.cases == 1 else 's'}"
