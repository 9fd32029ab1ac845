"""Explain-query-test beside a benchmark: correlations, the models' means, and their ranks by category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import ClassVar, Final

from vivavoce.eqt.pairing import Correlation, Pairing
from vivavoce.eqt.report.cells import called
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, percent
from vivavoce.report.blocks import Block, Column, Figure, Fold, InFull, InShort, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell, Tint, observations, signed_cell
from vivavoce.report.parts import method_of, notes
from vivavoce.report.wording import p_in_words

MOST_MODELS: Final = 24
MOST_CATEGORIES: Final = 60
SHOWN_SOURCE: Final = 200
SHOWN_PROBLEM: Final = 100
COMPARED: Final = (
    ("All pairs of model and category", "mixes better models and easier categories"),
    ("Between models", "their means: are models ranked alike?"),
    ("Within categories", "what is left when each category’s mean is subtracted"),
)
"""What is correlated, and what that is in a few words."""


@dataclass(frozen=True, slots=True)
class BenchmarkScatter:
    """Models and categories by their figures in both tests (Figure 3a of the paper)."""

    plot: ClassVar[str] = "vivavoce.eqt.report.benchmark_plots:benchmark_scatter_drawing"
    benchmark: str
    pairings: tuple[tuple[str, tuple[Pairing, ...]], ...]
    """By model, in the order of their numbers."""
    pearson: Estimate
    """Over all pairs."""


def models_of(pairings: Sequence[Pairing]) -> list[str]:
    """The models, in the order of the pairings."""
    return list(dict.fromkeys(pairing.model for pairing in pairings))


def categories_of(pairings: Sequence[Pairing]) -> list[str]:
    """The categories, in the order of the pairings."""
    return list(dict.fromkeys(pairing.category for pairing in pairings))


def lead(benchmark: str) -> str:
    """What is compared and why, for somebody who has never heard of it."""
    return (
        "If models that answer more questions on their own explanations (EQT) also do better in the benchmark, one test says "
        f"something about the other. Benchmark: {clipped(benchmark, SHOWN_SOURCE)}."
    )


def scatter(benchmark: str, pairings: Sequence[Pairing], models: Sequence[str], pearson: Estimate) -> Figure:
    """Each model and category by its figure in both tests."""
    by_model = tuple((model, tuple(_of(model, pairings))) for model in models)
    return Figure(
        BenchmarkScatter(benchmark, by_model, pearson),
        "Each small point is a model in a category, each large one with a number the mean of a model.",
    )


def correlations(found: Sequence[Correlation], p_models: float | None) -> tuple[Block, ...]:
    """Pearson's r and Spearman's rho of `COMPARED`."""
    in_full = Table(
        (Column("Correlation", short="correlation", percent=44), Column("Pearson’s r"), Column("Spearman’s ρ")),
        tuple(
            Row(Cell(what, below=(f"{about}; {observations(correlation.pearson.n)}",)), _both(correlation))
            for (what, about), correlation in zip(COMPARED, found, strict=True)
        ),
    )
    in_short = Table(
        (Column("correlation"), Column("Pearson’s r"), Column("Spearman’s ρ")),
        tuple(
            Row(Cell(what, n=observations(correlation.pearson.n)), _both(correlation))
            for (what, _), correlation in zip(COMPARED, found, strict=True)
        ),
    )
    redrawn = _redrawn(p_models)
    about = (
        "+1: the one rises with the other in a straight line (Pearson) or always (Spearman); 0: no relation. With 95% "
        f"intervals. {redrawn}"
    )
    return InFull((in_full, *notes(about.rstrip()))), InShort((in_short, *notes(*map(_p_values, found, _WHERE), redrawn)))


def means(pairings: Sequence[Pairing], models: Sequence[str]) -> Table:
    """One line a model: its number, name, mean in both tests, and in how many categories its ranks match."""
    columns = (
        Column("Model", short="model", percent=44),
        Column("Mean, EQT", short="explain-query-test"),
        Column("Mean, benchmark", short="benchmark"),
        Column("Ranks match", short="ranks match"),
    )
    return Table(columns, tuple(_mean_row(number, model, _of(model, pairings)) for number, model in enumerate(models, 1)))


def ranks(pairings: Sequence[Pairing], models: Sequence[str]) -> Table:
    """One line a category: for each model whether its ranks match, and both of them."""
    found = {(pairing.category, pairing.model): pairing for pairing in pairings}
    columns = (Column(count(number), called(model)) for number, model in enumerate(models, 1))
    return Table(
        (Column("Category"), *columns),
        tuple(
            Row(Cell(called(category)), tuple(_rank(found.get((category, model))) for model in models))
            for category in categories_of(pairings)[:MOST_CATEGORIES]
        ),
        name="Ranks in both tests, by category and model",
    )


def ranked_alike(pairings: Sequence[Pairing], models: Sequence[str], matches: int, by_chance: float) -> InFull:
    """Whether both tests rank the models alike; `by_chance`: how many pairings would match on average."""
    chance = f"{by_chance:.1f}".removesuffix(".0")
    told = (
        f"Ranks match in {count(matches)} of {count(len(pairings))} pairs of model and category; were the models of each "
        f"category shuffled, {chance} would on average."
    )
    about = (
        "Below the word the rank of the model in the category: the same in both, or that in the explain-query-test : that in "
        "the benchmark."
    )
    title = "Do both tests rank the models alike?"
    return InFull((Section(title, (Paragraph(told), ranks(pairings, models), *notes(about))),))


def left_out(pairings: Sequence[Pairing]) -> str:
    """What there is no room for, in words."""
    models, categories = len(models_of(pairings)), len(categories_of(pairings))
    if models <= MOST_MODELS and categories <= MOST_CATEGORIES:
        return ""
    return (
        f"There is room for {count(min(models, MOST_MODELS))} of {count(models)} models and "
        f"{count(min(categories, MOST_CATEGORIES))} of {count(categories)} categories; the JSON has all of them."
    )


def method() -> Fold:
    """How the figures were found."""
    return method_of(
        [
            "EQT is the share of questions on a model’s own explanations that it answers exactly without the explanation. "
            "Pearson’s r is about the figures, Spearman’s ρ about their ranks. Intervals are at level 95%, by Fisher’s z; p is "
            "that of Student’s t, as if pairs were independent, which they are not.",
            "In each category the models are ranked by either test, 1 the best; ties share the mean rank. A match is the same "
            "rank in both.",
        ]
    )


_WHERE: Final = ("Over all pairs", "Between models", "Within categories")


def _of(model: str, pairings: Sequence[Pairing]) -> list[Pairing]:
    return [pairing for pairing in pairings if pairing.model == model]


def _both(correlation: Correlation) -> tuple[Cell, Cell]:
    return (
        _correlation(correlation.pearson, correlation.p_pearson, correlation.problem),
        _correlation(correlation.spearman, correlation.p_spearman, correlation.problem),
    )


def _correlation(estimate: Estimate, p: float | None, problem: str) -> Cell:
    if estimate.value is None:
        return Cell("unknown", below=(clipped(problem, SHOWN_PROBLEM),), known=False)
    cell = signed_cell(estimate)
    return Cell(cell.text, cell.value, cell.bounds, cell.interval, below=() if p is None else (p_in_words(p),))


def _p_values(correlation: Correlation, where: str) -> str:
    """The p-values of one correlation in a sentence, or why there are none."""
    if correlation.p_pearson is None or correlation.p_spearman is None:
        return f"{where}: {clipped(correlation.problem, SHOWN_PROBLEM)}." if correlation.problem else ""
    return (
        f"{where}, as if pairs were independent: {p_in_words(correlation.p_pearson)} and {p_in_words(correlation.p_spearman)}."
    )


def _redrawn(p_models: float | None) -> str:
    """The p-value that takes the categories of a model together."""
    if p_models is None:
        return ""
    return (
        "Over all pairs, with the models’ names in the benchmark drawn again so that the categories of a model stay together: "
        f"{p_in_words(p_models)}."
    )


def _mean_row(number: int, model: str, own: Sequence[Pairing]) -> Row:
    eqt, other = (
        fsum(values) / len(own) for values in ([pairing.eqt for pairing in own], [pairing.benchmark for pairing in own])
    )
    alike = sum(map(_match, own))
    return Row(
        Cell(f"{count(number)} · {called(model)}", called(model)),
        (Cell(percent(eqt), eqt), Cell(percent(other), other), Cell(f"{count(alike)} of {count(len(own))}", alike)),
    )


def _match(pairing: Pairing) -> bool:
    return pairing.eqt_rank == pairing.benchmark_rank


def _rank(pairing: Pairing | None) -> Cell:
    if pairing is None:
        return Cell("not known", quiet=True, known=False)
    if _match(pairing):
        return Cell("✓ match", below=(f"{pairing.eqt_rank:g}",), tint=Tint(1, "match"))
    return Cell("differ", below=(f"{pairing.eqt_rank:g} : {pairing.benchmark_rank:g}",), tint=Tint(1, "differ"))
