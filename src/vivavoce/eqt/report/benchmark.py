"""Report parts on a benchmark: correlations, drops and ranks (Figures 2 and 3), and near-duplicate questions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import fsum
from typing import Final

from vivavoce.eqt.benchmark import BenchmarkComparison, CategoryAccuracy, Correlation, DropTrend
from vivavoce.eqt.concept_extraction import Overlap
from vivavoce.eqt.report.parts import (
    MOST_GROUPS,
    ReportPart,
    ShareRow,
    display_name,
    not_shown,
    points_cell,
    share_cell,
    share_in_words,
    shares_figure,
)
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import (
    clipped,
    count,
    name_of,
    numbered,
    percent,
    percent_interval,
    score,
    signed,
    signed_interval,
)
from vivavoce.report.blocks import (
    Block,
    Column,
    Fold,
    InFull,
    InShort,
    Paragraph,
    ReportFigure,
    ReportRow,
    ReportSection,
    ReportTable,
    notes,
)
from vivavoce.report.cells import TableCell, Tint, observations, p_in_words, signed_cell
from vivavoce.report.figures import Axis, Line, LinePoint, Lines

FEW_MODELS: Final = 10
MOST_MODELS: Final = 24
MOST_CATEGORIES: Final = 60
MOST_DRAWN: Final = 6
"""Maximum number of models with a figure of their own."""
MOST_LINES: Final = 5
"""Maximum number of models with a mark of their own in the scatter plot."""
MOST_SHORT: Final = 24
SHOWN_SOURCE: Final = 200
SHOWN_PROBLEM: Final = 100
COMPARED: Final = (
    ("All pairs of model and category", "mixes better models and easier categories"),
    ("Between models", "their means: are models ranked alike?"),
    ("Within categories", "after subtracting each category’s mean"),
)
"""The title and a short description of each correlation."""


def benchmark_part(comparison: BenchmarkComparison) -> ReportPart:
    """The report part on a benchmark."""
    models = list(dict.fromkeys(pairing.model for pairing in comparison.pairings))
    categories = list(dict.fromkeys(pairing.category for pairing in comparison.pairings))
    shown = models[:MOST_MODELS]
    by_model = {model: [pairing for pairing in comparison.pairings if pairing.model == model] for model in shown}
    matches = f"Ranks match in {count(comparison.matches)} of {count(len(comparison.pairings))}"
    chance = f"{comparison.matches_by_chance:.1f}".removesuffix(".0")
    in_short = f"{matches}; chance would match {chance}." if comparison.overall.pearson.value is not None else ""
    in_full = (
        f"{matches} pairs of model and category. If the models of each category were shuffled, {chance} would match on average."
    )
    return ReportPart(
        f"Compared with {display_name(comparison.benchmark)}",
        f"Own explanations compared with {display_name(comparison.benchmark)}",
        _headline(comparison),
        " ".join(filter(None, (in_short, drop_in_words(comparison.drop)))),
        "If models that answer more questions on their own explanations (EQT) also do better in the benchmark, one test says "
        f"something about the other. Benchmark: {clipped(comparison.benchmark, SHOWN_SOURCE)}.",
        (
            *_correlations(comparison),
            _means(by_model),
            *_by_category(comparison, by_model),
            *_drop(comparison.drop),
            InFull((ReportSection("Rank agreement", (Paragraph(in_full), ranks(comparison.pairings, shown), *notes(_RANKS))),)),
            *notes(not_shown(len(shown), len(models), "models"), not_shown(MOST_CATEGORIES, len(categories), "categories")),
        ),
        tuple(_caveats(comparison, len(models))),
        _METHOD,
        (_scatter(comparison, by_model),),
    )


def drop_in_words(trend: DropTrend | None) -> str:
    """Whether the drop is larger for better models, in a sentence; empty if not examined."""
    if trend is None:
        return ""
    if trend.slope.value is None or trend.problem:
        return f"Whether better models drop more is not known: {trend.problem}."
    ends = trend.slope.interval
    if ends.lower > 0:
        verdict = "Better models drop more"
    elif ends.upper < 0:
        verdict = "Better models drop less"
    else:
        verdict = "Better models don't drop significantly more or less"
    slope = f"{signed(trend.slope.value)} {signed_interval(ends)}"
    return f"{verdict}: with regression to the mean removed, a point of ability goes with {slope} points of drop."


def _headline(comparison: BenchmarkComparison) -> str:
    """The correlation of the tests, over all pairs and over models."""
    source, overall, between = name_of(comparison.benchmark), comparison.overall, comparison.between_models
    if overall.pearson.value is None:
        return f"Whether EQT correlates with {source} is not known: {overall.problem}."
    ends = overall.pearson.interval
    verdict = "rises with" if ends.lower > 0 else "falls with" if ends.upper < 0 else "shows no clear relation to"
    pairs = f"{count(overall.pearson.n)} pairs of model and category"
    text = f"EQT {verdict} {source}: r = {_correlation_in_words(overall.pearson)} over {pairs}"
    if between.pearson.value is None:
        return f"{text}. Between models it is not known ({between.problem})."
    return f"{text}. Between {count(between.pearson.n)} models, r = {_correlation_in_words(between.pearson)}."


def _correlation_in_words(estimate: Estimate) -> str:
    return f"{signed(estimate.value or 0.0)} {signed_interval(estimate.interval)}"


def _caveats(comparison: BenchmarkComparison, models: int) -> Iterator[str]:
    yield (
        "Pairs of one model are correlated, and so are pairs of one category. The p-value and the interval over all pairs "
        "treat them as independent, and are too optimistic."
    )
    yield (
        "Over all pairs, the correlation mixes better models with categories that are easier in both tests. Only the one "
        "between models shows whether EQT ranks models."
    )
    if 1 < models < FEW_MODELS:
        yield f"There are only {count(models)} models: the correlation between them is rough."
    yield "EQT's own figures are uncertain, which pulls every correlation towards 0 (attenuation)."
    if comparison.unparsed:
        yield f"{count(comparison.unparsed)} recorded answers of the benchmark can't be parsed; they count as wrong."
    if comparison.unmatched:
        names = [name_of(name) for name in comparison.unmatched[:6]]
        more = [f"{count(len(comparison.unmatched) - 6)} more"] if len(comparison.unmatched) > 6 else []
        yield f"Only one of the two tests has {', '.join((*names, *more))}: left out."


def _scatter(comparison: BenchmarkComparison, by_model: dict[str, list[CategoryAccuracy]]) -> ReportFigure:
    """A scatter plot of each model and category by its accuracy in both tests (Figure 3a of the paper)."""
    r = comparison.overall.pearson
    correlation = "unknown" if r.value is None else _correlation_in_words(r)
    if len(by_model) <= MOST_LINES:
        lines = tuple(
            Line(f"{count(n)} · {display_name(model)}", _dots(own), joined=False)
            for n, (model, own) in enumerate(by_model.items(), 1)
        )
    else:
        lines = (Line("", _dots([pairing for own in by_model.values() for pairing in own]), joined=False),)
    alt = (
        f"{count(sum(len(line.points) for line in lines))} pairs of model and category by their accuracy in "
        f"{display_name(comparison.benchmark)} (across) and in EQT (upwards); correlation {correlation}."
    )
    across = Axis(f"accuracy in {display_name(comparison.benchmark)} (%)", "percent")
    return ReportFigure(
        Lines(across, Axis("accuracy in EQT (%)", "percent"), lines, alt), "Each mark is a model in a category."
    )


def _dots(pairings: Sequence[CategoryAccuracy]) -> tuple[LinePoint, ...]:
    return tuple(LinePoint(pairing.benchmark, pairing.eqt) for pairing in pairings)


def _correlations(comparison: BenchmarkComparison) -> tuple[Block, ...]:
    """A table of Pearson's r and Spearman's rho for each of `COMPARED`."""
    every = (comparison.overall, comparison.between_models, comparison.within_categories)
    heads = (Column("Correlation", short="correlation", percent=44), Column("Pearson’s r"), Column("Spearman’s ρ"))
    full, short = [], []
    for (what, about), correlation in zip(COMPARED, every, strict=True):
        n = observations(correlation.pearson.n)
        both = ((correlation.pearson, correlation.p_pearson), (correlation.spearman, correlation.p_spearman))
        cells = tuple(_correlation(estimate, p, correlation.problem) for estimate, p in both)
        full.append(ReportRow(TableCell(what, below=(f"{about}; {n}",)), cells))
        short.append(ReportRow(TableCell(what, n=n), cells))
    redrawn = "" if comparison.p_models is None else f"{_REDRAWN}{p_in_words(comparison.p_models)}."
    about = f"{_CORRELATIONS} {redrawn}".rstrip()
    return (
        InFull((ReportTable(heads, tuple(full)), *notes(about))),
        InShort((ReportTable(heads, tuple(short)), *notes(*map(_p_values, every, _WHERE), redrawn))),
    )


def _correlation(estimate: Estimate, p: float | None, problem: str) -> TableCell:
    if estimate.value is None:
        return TableCell("unknown", below=(clipped(problem, SHOWN_PROBLEM),), known=False)
    return replace(signed_cell(estimate), below=() if p is None else (p_in_words(p),))


def _p_values(correlation: Correlation, where: str) -> str:
    """The p-values of one correlation in a sentence, or the reason why there are none."""
    if correlation.p_pearson is None or correlation.p_spearman is None:
        return f"{where}: {clipped(correlation.problem, SHOWN_PROBLEM)}." if correlation.problem else ""
    return (
        f"{where}, as if pairs were independent: {p_in_words(correlation.p_pearson)} and {p_in_words(correlation.p_spearman)}."
    )


def _means(by_model: dict[str, list[CategoryAccuracy]]) -> ReportTable:
    """One row per model: its mean in both tests, and the number of categories with matching ranks."""
    columns = (
        Column("Model", short="model", percent=44),
        Column("Mean, EQT", short="EQT"),
        Column("Mean, benchmark", short="benchmark"),
        Column("Ranks match", short="ranks match"),
    )
    rows = []
    for number, (model, pairings) in enumerate(by_model.items(), 1):
        eqt = fsum(pairing.eqt for pairing in pairings) / len(pairings)
        other = fsum(pairing.benchmark for pairing in pairings) / len(pairings)
        alike = sum(map(_match, pairings))
        cells = (
            TableCell(percent(eqt), eqt),
            TableCell(percent(other), other),
            TableCell(f"{count(alike)} of {count(len(pairings))}", alike),
        )
        rows.append(ReportRow(TableCell(f"{count(number)} · {display_name(model)}", display_name(model)), cells))
    return ReportTable(columns, tuple(rows))


def ranks(pairings: Sequence[CategoryAccuracy], models: Sequence[str]) -> ReportTable:
    """One row per category: each model's ranks, and whether they match (Figure 3b of the paper)."""
    values = {(pairing.category, pairing.model): pairing for pairing in pairings}
    columns = (Column(count(number), display_name(model)) for number, model in enumerate(models, 1))
    categories = list(dict.fromkeys(pairing.category for pairing in pairings))[:MOST_CATEGORIES]
    return ReportTable(
        (Column("Category"), *columns),
        tuple(
            ReportRow(TableCell(display_name(name)), tuple(_rank(values.get((name, model))) for model in models))
            for name in categories
        ),
        name="Ranks in both tests, by category and model",
    )


def _match(pairing: CategoryAccuracy) -> bool:
    return pairing.eqt_rank == pairing.benchmark_rank


def _rank(pairing: CategoryAccuracy | None) -> TableCell:
    if pairing is None:
        return TableCell("not known", quiet=True, known=False)
    if _match(pairing):
        return TableCell("✓ match", below=(f"{pairing.eqt_rank:g}",), tint=Tint(1, "match"))
    return TableCell("differ", below=(f"{pairing.eqt_rank:g} : {pairing.benchmark_rank:g}",), tint=Tint(1, "differ"))


def _by_category(comparison: BenchmarkComparison, by_model: dict[str, list[CategoryAccuracy]]) -> tuple[Block, ...]:
    """Each model by category in both tests (Figure 2 of the paper), and a table of all drops."""
    figures = tuple(
        ReportSection(display_name(model), drawn)
        for model, own in list(by_model.items())[:MOST_DRAWN]
        if (drawn := shares_figure(_rows(own[:MOST_GROUPS]), "questions answered exactly, in both tests", _BARS))
    )
    every = [pairing for own in by_model.values() for pairing in own[:MOST_GROUPS]]
    named = [(display_name(pairing.model), display_name(pairing.category), pairing) for pairing in every]
    table, short = (
        _drops([_drop_row(TableCell(category, below=(model,)), pairing) for model, category, pairing in named]),
        _drops([_drop_row(TableCell(f"{model}, {category}"), pairing) for model, category, pairing in named[:MOST_SHORT]]),
    )
    left = not_shown(min(len(every), MOST_SHORT), len(comparison.pairings), "rows", "the page and the JSON have more")
    in_full = ReportSection("By category, in both tests", (*figures, Fold("The same in numbers", (table,), main=True)))
    return InFull((in_full,)), InShort((short, *notes(left)))


def _rows(pairings: Sequence[CategoryAccuracy]) -> Iterator[ShareRow]:
    for pairing in pairings:
        for label, value, interval in (
            ("benchmark", pairing.benchmark, pairing.benchmark_interval),
            ("EQT", pairing.eqt, pairing.eqt_interval),
        ):
            estimate = Estimate(value, interval or Interval(value, value), 1)
            yield ShareRow(display_name(pairing.category), label, estimate, kind="plain" if label == "EQT" else "control")


def _drop(trend: DropTrend | None) -> tuple[Block, ...]:
    """Whether the drop is larger for better models: the plain slope, and the one without regression to the mean."""
    if trend is None:
        return (InFull((ReportSection("Drop and ability", notes(_NO_HALVES)),)),)
    rows = (
        ReportRow(
            TableCell("On the benchmark’s accuracy", below=("as in the paper; includes regression to the mean",)),
            (_slope(trend.plain), TableCell("not given", quiet=True, known=False)),
        ),
        ReportRow(
            TableCell("On the mean of both tests", below=("by split halves; regression to the mean is removed",)),
            (
                _slope(trend.slope),
                TableCell("unknown", known=False) if trend.p is None else TableCell(p_in_words(trend.p), trend.p),
            ),
        ),
    )
    columns = (
        Column("Slope of the drop", short="slope of the drop", percent=50),
        Column("Points per point"),
        Column("No slope"),
    )
    return (
        ReportSection("Drop and ability", (*notes(drop_in_words(trend)), ReportTable(columns, rows), InFull(notes(_HALVES)))),
    )


def _drops(rows: Sequence[ReportRow]) -> ReportTable:
    first = Column("Model and category", short="model and category", percent=34)
    columns = (first, Column("Benchmark"), Column("EQT"), Column("Drop"))
    return ReportTable(columns, tuple(rows), name="Drop from the benchmark to EQT")


def _drop_row(name: TableCell, pairing: CategoryAccuracy) -> ReportRow:
    cells = (_share(pairing.benchmark, pairing.benchmark_interval), _share(pairing.eqt, pairing.eqt_interval))
    drop = replace(points_cell(pairing.drop), n="")
    is_bounded = pairing.eqt_interval is not None and pairing.benchmark_interval is not None
    return ReportRow(name, (*cells, drop if is_bounded else TableCell(drop.text, drop.value)))


def _share(value: float, interval: Interval | None) -> TableCell:
    return TableCell(percent(value), value, interval, "" if interval is None else percent_interval(interval))


def _slope(estimate: Estimate) -> TableCell:
    n = observations(estimate.n)
    if estimate.value is None:
        return TableCell("unknown", n=n, known=False)
    if math.isinf(estimate.interval.lower) or math.isinf(estimate.interval.upper):
        return TableCell("unknown", below=("the interval has no end",), n=n, known=False)
    return replace(signed_cell(estimate), n=n)


_WHERE: Final = ("Over all pairs", "Between models", "Within categories")
_CORRELATIONS: Final = (
    "+1: one rises with the other in a straight line (Pearson) or always (Spearman); 0: no relation. With 95% intervals."
)
_REDRAWN: Final = (
    "Over all pairs, with the models’ names in the benchmark shuffled so that the categories of a model stay together: "
)
_RANKS: Final = (
    "Below the word: the model's rank in the category, either the same in both tests, or the rank in EQT : in the benchmark."
)
_NO_HALVES: Final = (
    "Not known: accuracies over halves of the questions are needed to separate it from regression to the mean. Recorded "
    "answers of the benchmark have them."
)
_BARS: Final = "Blue: EQT, without the explanation, all wordings. Grey: the benchmark. Lines are 95% intervals, if known."
_HALVES: Final = (
    "A model that is lucky in the benchmark is not lucky elsewhere. Sorted by the benchmark, the best models drop most, even "
    "if neither test is harder for them. So ability is the mean of both tests, and each test is split in halves: one orders "
    "the models, the other shows their drop."
)
_METHOD: Final = (
    "EQT is the share of questions on a model’s own explanations that it answers exactly without the explanation. Pearson’s r "
    "correlates the figures, Spearman’s ρ their ranks. Intervals are at level 95%, by Fisher’s z. Student’s t gives p; it "
    "treats pairs as independent, which they are not.",
    "Each test ranks the models of a category; 1 is best, and ties share the mean rank. A match is the same rank in both "
    "tests.",
)


MOST_NEAREST: Final = 10
LONGEST_STEM: Final = 300
"""Maximum number of characters of a question shown."""


def overlap_part(overlap: Overlap) -> ReportPart:
    """The report part on near-duplicates among one candidate's questions."""
    same = round((overlap.share.value or 0.0) * overlap.share.n)
    headline = (
        f"{count(same)} of {numbered(overlap.share.n, 'question')} by {name_of(overlap.candidate)} "
        f"({share_in_words(overlap.share)}) {'is a near-duplicate' if same == 1 else 'are near-duplicates'} of one of the "
        f"{count(overlap.originals)} in {name_of(overlap.benchmark)}."
    )
    others = ""
    if overlap.closed_same.n and overlap.closed_same.value is not None and overlap.closed_other.value is not None:
        others = (
            f"Answers to these are right in {share_in_words(overlap.closed_same)} of all wordings, to the others in "
            f"{share_in_words(overlap.closed_other)}."
        )
    withheld = "One answer is given more often than the keys explain: accuracies on near-duplicates and others are withheld."
    return ReportPart(
        f"Questions of {display_name(overlap.candidate)} that repeat {display_name(overlap.benchmark)}",
        f"Questions of {display_name(overlap.candidate)} that repeat {display_name(overlap.benchmark)}",
        headline,
        others,
        "Questions that a candidate writes on its own explanations should be new. Each is compared with the benchmark's "
        "questions of its category.",
        (_overlap_by_category(overlap), InFull((ReportSection("Most similar questions", (_nearest_questions(overlap),)),))),
        (
            "Words are compared, not meanings: a question that asks the same in other words is not found.",
            "A question that repeats the benchmark may have been memorised; one that doesn't may have been, too.",
            *((withheld,) if overlap.prevails else ()),
        ),
        (
            "Two questions are near-duplicates if they share at least 70% of their word triples, in their stems or with their "
            "options.",
        ),
    )


def _overlap_by_category(overlap: Overlap) -> InFull | ReportTable:
    columns = (Column("Category", short="category"), Column("Near-duplicates", short="near-duplicates"))
    shown = list(overlap.categories.items())[:MOST_CATEGORIES]
    table = ReportTable(columns, tuple(ReportRow(TableCell(display_name(name)), (share_cell(share),)) for name, share in shown))
    left = notes(not_shown(len(shown), len(overlap.categories), "categories"))
    return InFull((table, *left)) if left else table


def _nearest_questions(overlap: Overlap) -> ReportTable:
    columns = (
        Column("Written", short="written", percent=42),
        Column("Most similar", short="original", percent=42),
        Column("Alike"),
    )
    rows = tuple(
        ReportRow(
            TableCell(
                clipped(original.stem, LONGEST_STEM),
                below=(f"{display_name(original.concept.name)}, question {original.number}",),
            ),
            (
                TableCell(clipped(original.original_stem, LONGEST_STEM) or "none", below=(display_name(original.original),)),
                TableCell(score(original.alike), original.alike),
            ),
        )
        for original in overlap.nearest[:MOST_NEAREST]
    )
    return ReportTable(columns, rows)
