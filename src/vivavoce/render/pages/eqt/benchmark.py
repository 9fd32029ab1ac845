"""What explain-query-test compared with a benchmark says on its page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from vivavoce.eqt.benchmark_finding import EqtBenchmark, Pairing
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, percent, signed, signed_interval
from vivavoce.render.pages.eqt.tables import called
from vivavoce.render.plots.drawing import figure
from vivavoce.render.plots.eqt_benchmark import scatter
from vivavoce.render.wording import NBSP, breakable, p_in_words

MOST_MODELS: Final = 24
MOST_CATEGORIES: Final = 60
MATCH, MISMATCH = "match", "differ"
SHOWN_SOURCE: Final = 200

Number = tuple[str, str, str]
"""A correlation, its interval, its p-value."""


def benchmark_title(beside: EqtBenchmark) -> str:
    """What the page is."""
    return f"Explain-query-test compared with {called(beside.benchmark)}"


def benchmark_body(beside: EqtBenchmark, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    models = models_of(beside)[:MOST_MODELS]
    plot = scatter(beside, models, f"{name}s")
    return {
        "finding": beside,
        "headline": breakable(beside.headline),
        "rest": beside.others,
        "benchmark": clipped(beside.benchmark, SHOWN_SOURCE),
        "correlations": correlations(beside),
        "redrawn": redrawn(beside),
        "plot": figure(plot) if plot else None,
        "models": means(beside, models),
        "ranks": ranks(beside, models),
        "matches": matches(beside),
        "left_out": _left_out(beside),
        "method": METHOD,
    }


def models_of(beside: EqtBenchmark) -> list[str]:
    """The models, in the order of the pairings."""
    return list(dict.fromkeys(pairing.model for pairing in beside.pairings))


def categories_of(beside: EqtBenchmark) -> list[str]:
    """The categories, in the order of the pairings."""
    return list(dict.fromkeys(pairing.category for pairing in beside.pairings))


def correlations(beside: EqtBenchmark) -> list[tuple[str, str, Number, Number]]:
    """What is compared, in a few words with n, Pearson's r, Spearman's rho."""
    told = (
        ("All pairs of model and category", "mixes better models and easier categories", beside.overall),
        ("Between models", "their means: are models ranked alike?", beside.between_models),
        ("Within categories", "what is left when each category’s mean is subtracted", beside.within_categories),
    )
    return [
        (
            what,
            f"{about}; n{NBSP}={NBSP}{count(found.pearson.n)}",
            _number(found.pearson, found.p_pearson, found.problem),
            _number(found.spearman, found.p_spearman, found.problem),
        )
        for what, about, found in told
    ]


def means(beside: EqtBenchmark, models: Sequence[str]) -> list[tuple[str, str, str, str, str]]:
    """One line a model: its number, name, mean in both tests, and in how many categories its ranks match."""
    told = []
    for number, model in enumerate(models, 1):
        own = [pairing for pairing in beside.pairings if pairing.model == model]
        eqt, other = (sum(values) / len(own) for values in ([p.eqt for p in own], [p.benchmark for p in own]))
        alike = sum(map(_match, own))
        told.append((count(number), called(model), percent(eqt), percent(other), f"{count(alike)} of {count(len(own))}"))
    return told


def ranks(beside: EqtBenchmark, models: Sequence[str]) -> list[tuple[str, list[tuple[str, str] | None]]]:
    """One line a category: for each model whether its ranks match, and both of them; None where one is missing."""
    found = {(pairing.category, pairing.model): pairing for pairing in beside.pairings}
    return [
        (called(category), [_rank(found.get((category, model))) for model in models])
        for category in categories_of(beside)[:MOST_CATEGORIES]
    ]


def matches(beside: EqtBenchmark) -> str:
    """How many ranks match, and how many would by chance."""
    chance = f"{beside.matches_by_chance:.1f}".removesuffix(".0")
    return (
        f"Ranks match in {count(beside.matches)} of {count(len(beside.pairings))} pairs of model and category; were the models "
        f"of each category shuffled, {chance} would on average."
    )


def redrawn(beside: EqtBenchmark) -> str:
    """The p-value that takes the categories of a model together."""
    if beside.p_models is None:
        return ""
    return (
        f"Over all pairs, with the models’ names in the benchmark drawn again so that the categories of a model stay together: "
        f"{p_in_words(beside.p_models)}."
    )


METHOD: Final = (
    "EQT is the share of questions on a model’s own explanations that it answers exactly without the explanation. Pearson’s r "
    "is about the figures, Spearman’s ρ about their ranks. Intervals are at level 95%, by Fisher’s z; p is that of Student’s "
    "t, as if pairs were independent, which they are not.",
    "In each category the models are ranked by either test, 1 the best; ties share the mean rank. A match is the same rank in "
    "both.",
)


def _number(estimate: Estimate, p: float | None, problem: str) -> Number:
    if estimate.value is None:
        return ("unknown", clipped(problem, 100), "")
    return (signed(estimate.value), signed_interval(estimate.interval), "" if p is None else p_in_words(p))


def _match(pairing: Pairing) -> bool:
    return pairing.eqt_rank == pairing.benchmark_rank


def _rank(pairing: Pairing | None) -> tuple[str, str] | None:
    if pairing is None:
        return None
    if _match(pairing):
        return (MATCH, f"{pairing.eqt_rank:g}")
    return (MISMATCH, f"{pairing.eqt_rank:g} : {pairing.benchmark_rank:g}")


def _left_out(beside: EqtBenchmark) -> str:
    models, categories = len(models_of(beside)), len(categories_of(beside))
    if models <= MOST_MODELS and categories <= MOST_CATEGORIES:
        return ""
    return (
        f"There is room for {count(min(models, MOST_MODELS))} of {count(models)} models and "
        f"{count(min(categories, MOST_CATEGORIES))} of {count(categories)} categories; the JSON has all of them."
    )
