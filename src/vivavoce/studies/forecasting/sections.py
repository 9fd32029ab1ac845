"""Figures of Tables 3, 4 and 11 to 13 of `fluri2024`, for comparison.

Table 3 is the temperature-0 part of Table 11, and Table 4 collects the temperature-0 rows of Tables 11, 12 and 13. So the
twelve rows here are everything in the five tables. The shares are printed in per cent without intervals; each matches exactly
one count, and its interval is computed from that. The means have no more digits than are printed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, count, name_of, percent, score
from vivavoce.laws.law import FAMILIES, QUANTITIES, law_named
from vivavoce.laws.monotone import box_of
from vivavoce.laws.violation import FORMULA, STRONG
from vivavoce.report.blocks import (
    Block,
    Column,
    Fold,
    InFull,
    Panels,
    Paragraph,
    ReportFigure,
    ReportRow,
    ReportSection,
    ReportTable,
)
from vivavoce.report.cells import NOT_ASKED, TableCell, observations, score_cell, share_cell
from vivavoce.report.figures import Axis, Histogram, Line, LinePoint, Lines
from vivavoce.statistics.bounds import clopper_pearson_lower, clopper_pearson_upper
from vivavoce.studies.effects import Effect
from vivavoce.studies.forecasting.counting import BINS, ForecastFinding, LawDetails, ranking
from vivavoce.studies.forecasting.scoring import CONTROL, TWO_DECIMALS, Failure, ScoredTuple, has_spread, law_name
from vivavoce.studies.presentation import StudyExample

TUPLES: Final[Mapping[str, int]] = MappingProxyType({"neg": 175, "paraphrase": 104, "monotone": 50, "bayes": 51})
"""Number of tuples of each check (section 6.2)."""
_COLUMN: Final[Mapping[str, str]] = MappingProxyType({"increasing": "monotone", "decreasing": "monotone"})
"""Our laws whose column in the paper has another name."""
_TAIL = 0.025


@dataclass(frozen=True, slots=True)
class PublishedCheck:
    """The paper's figures for one model on one check."""

    strong: Estimate
    """Share of strong violations, with Clopper and Pearson's interval of its count."""
    mean: float


@dataclass(frozen=True, slots=True)
class PublishedForecastRow:
    """The paper's figures for one model, temperature and prompt."""

    model: str
    temperature: float
    variant: str
    """The prompt, as in `ForecastsConfig.variant`."""
    checks: Mapping[str, PublishedCheck]
    """Figures by the keys of `TUPLES`."""

    def of(self, law: str) -> PublishedCheck | None:
        """The figures for a law; None if the paper has none.

        >>> row = published_rows()[0]
        >>> row.model, row.of("decreasing") is row.of("increasing"), row.of("and")
        ('GPT-3.5-turbo', True, None)
        """
        return self.checks.get(_COLUMN.get(law, law))


def published_laws(laws: tuple[str, ...]) -> tuple[str, ...]:
    """The laws among these that the paper has figures for.

    >>> published_laws(("neg", "and", "increasing"))
    ('neg', 'increasing')
    """
    return tuple(law for law in laws if _COLUMN.get(law, law) in TUPLES)


def counted(printed: float, n: int) -> int:
    """The only count whose share of `n` is printed like this. Raises `ValueError` if there are several or none.

    >>> counted(52.6, 175)
    92
    """
    (count,) = (number for number in range(n + 1) if abs(100 * number / n - printed) <= 0.05 + 1e-9)
    return count


def _published(printed: str, mean: str, n: int) -> PublishedCheck:
    count = counted(float(printed), n)
    interval = Interval(clopper_pearson_lower(count, n, _TAIL), clopper_pearson_upper(count, n, _TAIL))
    return PublishedCheck(Estimate(count / n, interval, n), float(mean))


def _row(line: str) -> PublishedForecastRow:
    variant, model, temperature, *figures = line.split()
    checks = {
        law: _published(figures[2 * index], figures[2 * index + 1], n)
        for index, (law, n) in enumerate(TUPLES.items())
        if figures[2 * index] != "-"
    }
    return PublishedForecastRow(model, float(temperature), variant, MappingProxyType(checks))


@cache
def published_rows() -> tuple[PublishedForecastRow, ...]:
    """All rows as printed.

    >>> len(published_rows())
    12
    """
    text = files("vivavoce.studies.forecasting").joinpath("published.txt").read_text(encoding="utf-8")
    return tuple(_row(line) for line in text.splitlines() if not line.startswith("#"))


FEW: Final = 5
"""Most forecasters shown in full; beyond that, only those with the fewest and the most strong contradictions."""
MOST_PANELS: Final = 40
MOST_EXAMPLES: Final = 60
PER_LAW: Final = 3
MOST_STATEMENTS: Final = 12
"""Most statements shown of a tuple."""
OUT_OF_ORDER: Final = 3
"""Series shown that are out of order, as in the paper's figure; one that is in order is added."""
SHOWN_QUESTION: Final = 300
SHOWN_TITLE: Final = 70
SHOWN_KEY: Final = 60
NOT_PRINTED: Final = TableCell("not printed", quiet=True, known=False)
_HOW: Final = {"plain": "", "opposite": ", opposite first", "canonical": ", canonical first"}
_CHECK: Final = {"neg": "negation", "paraphrase": "paraphrase", "monotone": "monotone series", "bayes": "Bayes’ rule"}


def shown(effects: Sequence[Effect]) -> tuple[str, ...]:
    """The forecasters that are shown in full."""
    everyone = tuple(dict.fromkeys(effect.treatment.subject for effect in effects))
    if len(everyone) <= FEW:
        return everyone
    ranked = ranking(effects)
    return everyone[:2] if ranked is None else tuple(dict.fromkeys((ranked.best, ranked.worst)))


def sections(finding: ForecastFinding) -> tuple[Block, ...]:
    """All sections except tables, comparisons and examples."""
    names = shown(finding.effects)
    drawn = "" if len(finding.subjects) <= FEW else "Shown: the forecasters with the fewest and the most contradictions. "
    laws = [law for law in finding.details.laws if law.subject in names]
    return (
        *_patterns(finding),
        *_beside_the_paper(finding, names),
        InFull((*_histograms(finding, laws, drawn), *_pairs(laws, drawn), *_series(laws, drawn))),
    )


def _patterns(finding: ForecastFinding) -> tuple[Block, ...]:
    details = finding.details
    fives, tens = map(percent, TWO_DECIMALS)
    without = sum(series.without_draws for series in details.series)
    left = f" {count(without)} series without two parsed replies to each question are left out." if without else ""
    return (
        *_shares(
            "Failed negations",
            "Strong contradictions of",
            [kind.value.capitalize() for kind in Failure],
            [
                (negations.forecaster, negations.n, [negations.kinds[kind] for kind in Failure])
                for negations in details.negations
            ],
            "Strong contradictions between an event and its negation. Same number: the two differ by at most 0.05. Both high: "
            "neither is below 50%. Both low: neither is above 50%. One high, one low: they do not sum to 1.",
        ),
        *_shares(
            "Monotone series",
            "Series of",
            ["Whole intervals", "Medians", "Some curve"],
            [(series.forecaster, series.n, [series.strong, series.median, series.weak]) for series in details.series],
            "Each question was asked several times. Medians: they never go the wrong way. Whole intervals: neither does either "
            f"end of the replies’ spread. Some curve: a monotone curve runs through all spreads.{left}",
        ),
        *_shares(
            "Round numbers",
            "Probabilities of",
            ["Multiples of 5%", "Multiples of 10%"],
            [
                (rounding.forecaster, rounding.multiples_of_5.n, [rounding.multiples_of_5, rounding.multiples_of_10])
                for rounding in details.rounding
            ],
            f"Of all whole percentages, {fives} and {tens} are such multiples. Rounding to 5% alone can cause inconsistencies "
            "of up to 0.05.",
        ),
    )


def _shares(
    title: str, head: str, columns: Sequence[str], rows: Sequence[tuple[str, int, Sequence[Estimate]]], explained: str
) -> tuple[Block, ...]:
    """A table with a row for each forecaster; empty without any."""
    if not rows:
        return ()
    made = tuple(
        ReportRow(TableCell(name_of(name), n=observations(n)), tuple(map(share_cell, shares))) for name, n, shares in rows
    )
    table = ReportTable((Column(head), *map(Column, columns)), made, name=title)
    return (ReportSection(title, (table, InFull((Paragraph(explained, quiet=True),)))),)


def _beside_the_paper(finding: ForecastFinding, names: Sequence[str]) -> tuple[Block, ...]:
    """Our forecasters first, then every row of the paper's tables; empty if no law has figures there."""
    effects = {(effect.treatment.subject, effect.treatment.name): effect for effect in finding.effects}
    laws = published_laws(tuple(dict.fromkeys(effect.treatment.name for effect in finding.effects)))
    if not laws:
        return ()
    own = tuple(ReportRow(TableCell(name_of(name)), tuple(_own(effects.get((name, law))) for law in laws)) for name in names)
    printed = tuple(
        ReportRow(TableCell(_who(row)), tuple(_cell(row.of(law)) for law in laws), "quiet") for row in published_rows()
    )
    columns = (Column(finding.study.subject), *(Column(law_name(law)) for law in laws))
    numbers = ", ".join(f"{n} of {_CHECK[check]}" for check, n in TUPLES.items())
    explained = (
        "Each cell has the share of strong contradictions, and below it the mean metric. Grey: Tables 3, 4 and 11 to 13 of "
        f"the paper, over {numbers}. The paper prints no intervals; these are Clopper and Pearson’s. It asked other questions, "
        "with four wordings for a paraphrase and five years for a series."
    )
    table = ReportTable(columns, (*own, *printed), name="Own figures and those of Fluri, Paleka and Tramèr")
    return (Fold("Figures of the paper", (table, Paragraph(explained, quiet=True)), main=True),)


def _who(row: PublishedForecastRow) -> str:
    return f"{row.model}, temperature {row.temperature:g}{_HOW[row.variant]}"


def _own(effect: Effect | None) -> TableCell:
    if effect is None:
        return NOT_ASKED
    rate, mean = effect.rates["strong"], score_cell(effect.estimates["mean"])
    share = share_cell(Estimate(rate.least, rate.interval, rate.n)).with_n(rate.n)
    return replace(share, below=(f"{mean.text} {mean.interval}".rstrip(),))


def _cell(printed: PublishedCheck | None) -> TableCell:
    return NOT_PRINTED if printed is None else replace(share_cell(printed.strong), below=(score(printed.mean),))


def _histograms(finding: ForecastFinding, laws: Sequence[LawDetails], drawn: str) -> tuple[Block, ...]:
    """Histograms of the size of contradictions (Figure 12 of `fluri2024`)."""
    effects = {(entry.treatment.subject, entry.treatment.name): entry for entry in (*finding.effects, *finding.control)}
    known = [(law, effects[law.subject, law.law]) for law in laws if sum(law.histogram)][:MOST_PANELS]
    if not known:
        return ()
    top = max(max(law.histogram) / sum(law.histogram) for law, _ in known)
    figures = tuple(ReportFigure(_histogram(law, effect, top), title=_title(law, laws)) for law, effect in known)
    explained = f"Share of tuples by the metric of their law. Beyond the dashed line a contradiction is strong. {drawn}"
    return (ReportSection("Size of the contradictions", (Paragraph(explained.strip(), quiet=True), Panels(figures))),)


def _histogram(law: LawDetails, effect: Effect, top: float) -> Histogram:
    n, rate = sum(law.histogram), effect.rates["strong"]
    alt = (
        f"{law_name(law.law)}, {name_of(law.subject)}: the metric is {'above' if law.law in FORMULA else 'at least'} "
        f"{STRONG:g} in {rate.text} of {count(n)} tuples, {score(effect.estimates['mean'].value or 0.0)} on average."
    )
    return Histogram(
        0.0,
        1 / BINS,
        tuple(number / n for number in law.histogram),
        alt,
        "Metric",
        "Tuples (%)",
        unit="percent",
        limit=STRONG,
        sides=("", "strong"),
        top=top,
    )


def _pairs(laws: Sequence[LawDetails], drawn: str) -> tuple[Block, ...]:
    """Plots of forecasts of an event and its negation, or of two wordings of one question (Figure 3 of `fluri2024`)."""
    details = [law for law in laws if law.pairs][:MOST_PANELS]
    if not details:
        return ()
    figures = tuple(ReportFigure(_scatter(law), title=_title(law, laws)) for law in details)
    explained = f"Each mark is a pair of forecasts. On the dashed line the two agree; it is far off beyond 0.2. {drawn}"
    return (ReportSection("Forecasts that belong together", (Paragraph(explained.strip(), quiet=True), Panels(figures))),)


def _scatter(law: LawDetails) -> Lines:
    is_negation = law.law == "neg"
    far = [pair for pair in law.pairs if _gap(pair.first, pair.second, law.law) > STRONG]
    near = [pair for pair in law.pairs if pair not in far]
    times, times_far = (sum(pair.times for pair in pairs) for pairs in (law.pairs, far))
    both = "an event and its negation" if is_negation else "two wordings of a question"
    alt = (
        f"{law_name(law.law)}, {name_of(law.subject)}: {count(times)} pairs of forecasts of {both}; "
        f"{percent(times_far / times)} are further than {STRONG:g} from agreement."
    )
    ends = (LinePoint(0.0, 1.0), LinePoint(1.0, 0.0)) if is_negation else (LinePoint(0.0, 0.0), LinePoint(1.0, 1.0))
    lines = (
        *(Line("", tuple(LinePoint(pair.first, pair.second) for pair in pairs), joined=False) for pairs in (near, far)),
        Line("", ends, is_reference=True),
    )
    across, upwards = ("Event", "Negation") if is_negation else ("First wording", "Other wordings")
    axes = [Axis(f"{label} (%)", unit="percent", span=(0.0, 1.0)) for label in (across, upwards)]
    return Lines(axes[0], axes[1], lines, alt)


def _gap(first: float, second: float, law: str) -> float:
    """Distance of a pair from the line on which the two agree."""
    return round(abs(second - (1 - first if law == "neg" else first)), 9)


def _series(laws: Sequence[LawDetails], drawn: str) -> tuple[Block, ...]:
    """Plots of quantities for several years (Figure 14 of `fluri2024`)."""
    rows = [
        (law, entry)
        for law in laws
        if law.law in QUANTITIES
        for entry in (*law.worst[:OUT_OF_ORDER], *((law.in_order,) if law.in_order else ()))
    ][:MOST_PANELS]
    if not rows:
        return ()
    figures = tuple(ReportFigure(_years(entry), title=_question(entry) or _title(law, laws)) for law, entry in rows)
    explained = (
        "The series that go the wrong way most, and one that does not. Bars hold the middle half of the replies, if there are "
        f"several. Dashed: the nearest series in the right order. {drawn}"
    )
    return (ReportSection("Series over time", (Paragraph(explained.strip(), quiet=True), Panels(figures))),)


def _years(scored: ScoredTuple) -> Lines:
    by_year = sorted(
        ((year, value) for year, value in scored.row.forecasts.items() if value is not None), key=lambda pair: float(pair[0])
    )
    repair = scored.repair or {}
    boxes = {year: box_of(scored.row.draws[year]) for year, _ in by_year} if has_spread(scored) else {}
    points = tuple(
        LinePoint(float(year), value, Interval(boxes[year].first, boxes[year].third) if boxes else None)
        for year, value in by_year
    )
    nearest = tuple(LinePoint(float(year), repair.get(year, value)) for year, value in by_year)
    listed = ", ".join(f"{year}: {quantity(value)}" for year, value in by_year)
    alt = f"{law_name(scored.row.law)}, {name_of(scored.row.forecaster)}: {listed}; metric {score(scored.metric or 0.0)}."
    return Lines(Axis("", whole=True), Axis(""), (Line("", points), Line("", nearest, is_reference=True)), alt)


def _title(law: LawDetails, laws: Sequence[LawDetails]) -> str:
    alone = len({details.subject for details in laws}) == 1
    return law_name(law.law) if alone else f"{law_name(law.law)}, {name_of(law.subject)}"


def _question(scored: ScoredTuple) -> str:
    return clipped(" ".join(next(iter(scored.row.questions.values()), "").split()), SHOWN_TITLE)


def examples(laws: Iterable[LawDetails], *, alone: bool) -> tuple[StudyExample, ...]:
    """The largest contradictions of each law, without the control; the largest of all comes first."""
    worst = [
        (scored, number) for law in laws if law.law != CONTROL for number, scored in enumerate(law.worst[:PER_LAW], start=1)
    ]
    first = max(worst, key=lambda pair: (pair[0].strong, pair[0].metric or 0.0), default=None)
    ordered = worst if first is None else [first, *(pair for pair in worst if pair is not first)]
    return tuple(_example(scored, number, alone=alone) for scored, number in ordered[:MOST_EXAMPLES])


def _example(scored: ScoredTuple, number: int, *, alone: bool) -> StudyExample:
    row, repair = scored.row, scored.repair or {}
    write = quantity if row.law in QUANTITIES else probability
    logical = _logical(scored)
    texts: list[tuple[str, str]] = []
    for key, value in row.forecasts.items():
        question = clipped(" ".join(row.questions.get(key, "").split()), SHOWN_QUESTION)
        given, nearest = ("none" if entry is None else write(entry) for entry in (value, repair.get(key)))
        texts.append((clipped(logical.get(key, key), SHOWN_KEY), f"{question} {given}, nearest coherent {nearest}".strip()))
    left = ((f"and {len(texts) - MOST_STATEMENTS} more", "…"),) if len(texts) > MOST_STATEMENTS else ()
    cost = "" if scored.violation is None else f", sure profit {in_nats(scored.violation)} nats"
    metric = f"{score(scored.metric or 0.0)}{cost}"
    name = law_name(row.law) if alone else f"{law_name(row.law)}, {name_of(row.forecaster)}"
    keys = ", ".join(clipped(logical.get(key, key), SHOWN_KEY) for key in row.forecasts)
    given, nearest = (", ".join(write(of[key] or 0.0) for key in row.forecasts) for of in (row.forecasts, repair))
    return StudyExample(
        row.id or f"line {row.line}" if row.id or row.line else f"number {number}",
        name,
        "Strong contradiction" if scored.strong else "Contradiction",
        (*texts[:MOST_STATEMENTS], *left, ("Metric", metric)),
        line=(keys, given, nearest),
    )


def _logical(scored: ScoredTuple) -> dict[str, str]:
    law = scored.row.law
    if law in QUANTITIES or law in FAMILIES:
        return {}
    return {statement.key: statement.text for statement in law_named(law, tuple(scored.row.forecasts)).statements}


def probability(value: float) -> str:
    """A forecast in per cent, never rounded to certainty.

    >>> probability(0.125), probability(0.999), probability(1.0), probability(1e-9), probability(1 - 1e-9)
    ('12.5%', '99.9%', '100%', 'almost 0%', 'almost 100%')
    """
    if value in (0.0, 1.0):
        return f"{value:.0%}"
    if not 1e-5 <= value <= 1 - 1e-5:
        return "almost 0%" if value < 0.5 else "almost 100%"
    return f"{100 * value:.3g}%" if value < 0.9985 else f"{100 * value:.5g}%"


def quantity(value: float) -> str:
    """A forecast of a quantity.

    >>> quantity(9.58), quantity(12_500.0).replace("\\u202f", "_"), quantity(3e20)
    ('9.58', '12_500', '3e+20')
    """
    return count(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"


def in_nats(value: float, rounded: Callable[[float], int] = round) -> str:
    """A distance to two significant digits, unless it is too small to matter.

    >>> in_nats(0.00672), in_nats(0.05), in_nats(1.234, math.ceil), in_nats(1e-9), in_nats(1e-9, math.floor), in_nats(12.7)
    ('0.0067', '0.050', '1.3', '0', '0', '13')
    """
    if value < 0.0001:
        return "0.0001" if rounded is math.ceil and value > 0 else "0"
    digits = 1 - math.floor(math.log10(value))
    return f"{rounded(round(value * 10**digits, 9)) / 10**digits:.{max(0, digits)}f}"


def distance_cell(effect: Effect) -> TableCell:
    """A cell with the mean distance to the nearest coherent forecasts."""
    distance: Any = effect.estimates.get("distance")
    return TableCell("none", known=False) if distance is None else TableCell.of(distance, in_nats, _nats_interval)


def reference_distance(name: str) -> Callable[[Effect], TableCell]:
    """A cell with the mean distance of a forecaster that knows nothing: `random` or `constant`."""

    def cell(effect: Effect) -> TableCell:
        distance = effect.numbers[f"{name}_distance"]
        return (
            TableCell("none", quiet=True, known=False)
            if distance is None
            else TableCell(in_nats(distance), distance, quiet=True)
        )

    return cell


def distinct_cell(effect: Effect) -> TableCell:
    """A cell with the number of different values among the forecasts."""
    distinct, forecasts = (int(effect.numbers[name] or 0) for name in ("distinct", "forecasts"))
    return TableCell(f"{count(distinct)} of {count(forecasts)}", distinct)


def _nats_interval(interval: Interval) -> str:
    return f"[{in_nats(interval.lower, math.floor)}, {in_nats(interval.upper, math.ceil)}]"
