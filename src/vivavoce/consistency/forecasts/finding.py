"""What forecasts show of their forecasters: how often and how far each contradicts itself, law by law."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from vivavoce.consistency.forecasts.negations import FailedNegations
from vivavoce.consistency.forecasts.ranking import CONTROL, ranking
from vivavoce.consistency.forecasts.report.beside import beside_the_paper
from vivavoce.consistency.forecasts.report.comparisons import comparisons
from vivavoce.consistency.forecasts.report.histograms import histograms
from vivavoce.consistency.forecasts.report.kinds import failures, round_numbers, spreads
from vivavoce.consistency.forecasts.report.method import method
from vivavoce.consistency.forecasts.report.shapes import shapes
from vivavoce.consistency.forecasts.report.tables import tables
from vivavoce.consistency.forecasts.report.view import view_of
from vivavoce.consistency.forecasts.report.worst import worst_contradictions
from vivavoce.consistency.forecasts.rounding import Rounding
from vivavoce.consistency.forecasts.spread import MonotoneSeries
from vivavoce.consistency.forecasts.summary import Favourite, Paired, Summary
from vivavoce.consistency.forecasts.wording import OCCASION, law_name
from vivavoce.formats.wording import clipped, count, name_of, percent, percent_interval
from vivavoce.interview.finding import Signature
from vivavoce.interview.reply_counts import copies_of, unread_caveats_of
from vivavoce.laws.metrics import FORMULA
from vivavoce.report.blocks import Caveats, InFull, InShort, Report
from vivavoce.report.parts import notes, paragraphs, replies
from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True, repr=False)
class LawConsistency(Reported):
    """What `score` returns."""

    source: str
    """Where the forecasts come from."""
    summaries: tuple[Summary, ...]
    """One a forecaster and law, in the order in which they first occur."""
    comparisons: tuple[Paired, ...]
    by_place: bool
    """Whether tuples were paired by their place in the file, as they have no ids."""
    replies: Mapping[str, int]
    """What became of single replies, over all forecasters: `read`, or why not -> how many; empty where it is not known."""
    signature: Signature
    favourites: tuple[Favourite, ...] = ()
    """Forecasters that gave one number to most questions."""
    asked_so: tuple[str, ...] = ()
    """What a reader must know of how it was asked."""
    rounding: tuple[Rounding, ...] = ()
    """How often each forecaster says round numbers."""
    negations: tuple[FailedNegations, ...] = ()
    """How strong contradictions on negation fail."""
    series: tuple[MonotoneSeries, ...] = ()
    """How far series are monotone, where draws are known."""

    @property
    def forecasters(self) -> tuple[str, ...]:
        """In the order in which they first occur."""
        return tuple(dict.fromkeys(row.forecaster for row in self.summaries))

    @property
    def laws(self) -> tuple[str, ...]:
        """In the order in which they first occur."""
        return tuple(dict.fromkeys(row.law for row in self.summaries))

    def row(self, forecaster: str, law: str) -> Summary | None:
        """What one forecaster's tuples of one law show; None where there are none."""
        return next((row for row in self.summaries if (row.forecaster, row.law) == (forecaster, law)), None)

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        return headline(self)

    @property
    def copies(self) -> str:
        """How many replies only repeat what they were shown, in one sentence; empty where few do."""
        return copies_of(self.replies)

    @property
    def others(self) -> str:
        """What comes next, in one sentence; may be empty."""
        return others(self)

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return " ".join(filter(None, (self.headline, self.copies, self.others)))

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the numbers do not show."""
        return (*_caveats(self), *self.asked_so)

    def report(self) -> Report:
        """All of it as blocks."""
        view = view_of(self.summaries)
        drawn = "" if view.few else _drawn(view.in_full)
        unread = sum(row.unreadable for row in self.summaries)
        return self.reported(
            "Contradictions between forecasts",
            f"Contradictions between forecasts of {_whose(self.forecasters)}",
            InFull(paragraphs(self.others, f"{_LEAD} Forecasts: {clipped(self.source, LONGEST_SOURCE) or 'not named'}.")),
            *tables(view),
            *failures(self.negations, view),
            *spreads(self.series, view),
            *round_numbers(self.rounding, view),
            *beside_the_paper(view),
            InShort(notes(f"{count(unread)} tuple{'s' * (unread > 1)} with an unreadable forecast." if unread else "")),
            comparisons(self.comparisons),
            histograms(view, drawn),
            shapes(view, drawn),
            *worst_contradictions(view, drawn),
            *replies(self.replies),
            Caveats(self.caveats),
            method(view, self.summaries, compared=bool(self.comparisons)),
        )

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; the names are part of the public face."""
        return {
            "statement": self.statement,
            "source": self.source,
            "rows": [row.as_json() for row in self.summaries],
            "comparisons": [comparison.as_json() for comparison in self.comparisons],
            "paired_by_place": self.by_place,
            "replies": dict(self.replies),
            "favourites": [asdict(favourite) for favourite in self.favourites],
            "rounding": [rounding.as_json() for rounding in self.rounding],
            "failed_negations": [negations.as_json() for negations in self.negations],
            "monotone_series": [series.as_json() for series in self.series],
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }


def headline(finding: LawConsistency) -> str:
    """The result in a sentence: the law on which one forecaster fails most often, or who of several does so least."""
    asked = [row for row in finding.summaries if row.law != CONTROL]
    read = [row for row in asked if row.n]
    unread, total = sum(row.unreadable for row in asked), sum(row.n + row.unreadable for row in asked)
    if not read:
        return f"Nothing can be said: no tuple has all its forecasts ({count(unread)} cannot be read)."
    said = _of_one(read) if len({row.forecaster for row in read}) == 1 else _of_several(finding, read)
    if unread <= total / 2:
        return said
    return f"Most forecasts cannot be read: {count(unread)} of {count(total)} tuples lack one. Of the others: {said}"


def others(finding: LawConsistency) -> str:
    """The next laws on which a single forecaster fails; empty for several, and where there is no more to say."""
    read = [row for row in finding.summaries if row.law != CONTROL and row.n]
    if len({row.forecaster for row in read}) != 1:
        return ""
    more = [f"{_share(row)} {_where(row.law)}" for row in _by_share(read)[1:4] if row.strong.value]
    return f"Also in {'; in '.join(more)}." if more else ""


def _of_one(rows: Sequence[Summary]) -> str:
    worst = _by_share(rows)[0]
    if worst.strong.value:
        return f"{name_of(worst.forecaster)} contradicts itself strongly {_where(worst.law)} in {_share(worst)}."
    total = sum(row.n for row in rows)
    if total == 1:
        return (
            f"{name_of(worst.forecaster)} shows no strong contradiction in the only tuple of related questions; one tuple does "
            "not tell how often it would show one."
        )
    more = f"at most {percent(worst.strong.interval.upper)} of such cases are likely {_where(worst.law)}"
    return f"{name_of(worst.forecaster)} shows no strong contradiction in {count(total)} tuples of related questions; {more}."


def _of_several(finding: LawConsistency, rows: Sequence[Summary]) -> str:
    names, found = len(finding.forecasters), ranking(rows)
    if found is None:
        return f"{count(names)} forecasters, of whom no two can be compared: the table shows each by itself."
    who = "all of them" if len(found.shares) == names else f"{count(len(found.shares))} of them"
    laws = f"over the {len(found.laws)} laws that {who} were asked" if len(found.laws) > 1 else f"on {law_name(found.laws[0])}"
    reasons = ((found.dull, "for always saying the same"), (found.few_laws, "for being asked few of the laws"))
    left_out = ", ".join(f"{count(number)} {why}" for number, why in reasons if number)
    others = f" (left out: {left_out})" if left_out else ""
    best, worst = found.shares[found.best], found.shares[found.worst]
    least, most = (percent(one.value or 0.0) for one in (best, worst))
    if best.value == worst.value:
        of = "any other" if len(found.shares) > 2 else "the other"
        return (
            f"Of {count(names)} forecasters{others} none contradicts itself strongly more often than {of}: each does in "
            f"{least} of tuples {laws}."
        )
    is_least = best.is_smallest(share for name, share in found.shares.items() if name != found.best)
    is_most = worst.is_largest(share for name, share in found.shares.items() if name != found.worst)
    if not is_least and not is_most:
        return (
            f"Of {count(names)} forecasters{others} none is shown to contradict itself strongly least or most often: "
            f"{name_of(found.best)} does so in {least} of tuples {laws}, and {name_of(found.worst)} in {most}."
        )
    return (
        f"Of {count(names)} forecasters{others} {name_of(found.best)} contradicts itself strongly"
        f"{' least often,' if is_least else ''} in {least} of tuples {laws}, and {name_of(found.worst)}"
        f"{' most often,' if is_most else ''} in {most}."
    )


def _by_share(rows: Sequence[Summary]) -> list[Summary]:
    """The law that fails most often first."""
    return sorted(rows, key=lambda row: (row.strong.value or 0.0, row.mean.value or 0.0), reverse=True)


def _where(law: str) -> str:
    return OCCASION.get(law, f"on the law {law_name(law)}")


def _share(row: Summary) -> str:
    if row.n == 1:
        return "the only tuple"
    return f"{percent(row.strong.value or 0.0)} {percent_interval(row.strong.interval)} of {count(row.n)} tuples"


LONGEST_SOURCE = 200
_LEAD = (
    "Questions that a law relates were answered separately. Whatever the right answers are, the forecasts are coherent or not. "
    "A contradiction is strong if the metric of its law is above 0.2, on a law of your own 0.2 or more."
)


def _whose(forecasters: Sequence[str]) -> str:
    return name_of(forecasters[0]) if len(forecasters) == 1 else f"{count(len(forecasters))} forecasters"


def _drawn(forecasters: Sequence[str]) -> str:
    """Whose histograms and tuples are shown, where there are too many for all."""
    if len(forecasters) == 1:
        return f"Shown is {name_of(forecasters[0])}."
    least, most = forecasters
    return f"Shown are those who contradict themselves strongly least and most often: {name_of(least)} and {name_of(most)}."


FEW = 30
"""Tuples below which a share is told to be rough."""
DULL = 0.02
"""Share of distinct forecasts below which a forecaster hardly says anything."""
IN_PAPER = frozenset({"neg", "paraphrase", "bayes", "increasing", "decreasing", CONTROL})
"""Laws with a metric of the paper's own."""


def _caveats(finding: LawConsistency) -> tuple[str, ...]:
    """What to keep in mind about these numbers."""
    rows = finding.summaries
    return tuple(
        filter(
            None,
            (
                "Consistent does not mean right: a forecaster that says the same to everything breaks few laws. Each figure "
                "comes with what constant and random forecasts get.",
                _dull(rows),
                *map(_favourite, finding.favourites),
                _unreadable(rows),
                *unread_caveats_of(finding.replies),
                _control(finding),
                _few(rows),
                _own_threshold(rows),
                "Forecasts of exactly 0 and 1 count as .001 and .999 in the distance in nats, unless coherent as they stand."
                if any(row.extreme for row in rows)
                else "",
                "Tuples without ids were paired by their place in the file: the comparison holds only if both forecasters were "
                "asked the same in the same order."
                if finding.by_place
                else "",
                "Whether the questions of a tuple are really related by their law was not checked here."
                if any(row.law != CONTROL for row in rows)
                else "",
            ),
        )
    )


def _dull(rows: tuple[Summary, ...]) -> str:
    dull = [row for row in rows if row.n >= FEW and row.distinct <= max(1, DULL * row.forecasts) and row.distinct <= 5]
    names = dict.fromkeys(name_of(row.forecaster) for row in dull)
    if not names:
        return ""
    few = max(row.distinct for row in dull)
    values = f"{few} different forecast{'s' * (few > 1)}"
    return f"On some laws {_listed(list(names))} gave no more than {values}: dull rather than consistent."


def _favourite(favourite: Favourite) -> str:
    return (
        f"{name_of(favourite.forecaster)} gave {favourite.value:g} to {count(favourite.count)} of "
        f"{count(favourite.questions)} different questions: hardly a forecast of each."
    )


def _unreadable(rows: tuple[Summary, ...]) -> str:
    unread, total = sum(row.unreadable for row in rows), sum(row.n + row.unreadable for row in rows)
    if not unread:
        return ""
    return f"{count(unread)} of {count(total)} tuples have a forecast that could not be read; they are left out of all shares."


def _control(finding: LawConsistency) -> str:
    again = [row for row in finding.summaries if row.law == CONTROL and row.n]
    if again:
        shares = ", ".join(f"{percent(row.strong.value or 0.0)} ({name_of(row.forecaster)})" for row in again[:5])
        return f"Chance alone: asked the identical question again, strong contradictions in {shares} of cases."
    if CONTROL in finding.laws:
        return "The identical question was asked again, but no replies could be read: how much is chance is not known."
    if "paraphrase" in finding.laws:
        return "The identical question was not asked again, so that part of the contradictions may be chance in the replies."
    return ""


def _few(rows: tuple[Summary, ...]) -> str:
    few = sorted({law_name(row.law) for row in rows if 0 < row.n < FEW})
    return f"Fewer than {FEW} tuples on {_listed(few)}: read the intervals, not the shares." if few else ""


def _own_threshold(rows: tuple[Summary, ...]) -> str:
    others = sorted({law_name(row.law) for row in rows} - {law_name(law) for law in IN_PAPER})
    if not others:
        return ""
    own = any(row.law not in FORMULA for row in rows)
    more = "; for laws of your own it is a total change of .2 or more to coherent forecasts" if own else ""
    return (
        "What counts as strong, a difference above .2, is the paper's for negation, paraphrase, monotonicity and Bayes' rule, "
        f"and was adopted for {_listed(others)}{more}."
    )


def _listed(names: list[str]) -> str:
    shown = names[:6] + ([f"{len(names) - 6} more"] if len(names) > 6 else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
