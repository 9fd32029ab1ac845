"""What EQT compared with a benchmark shows, as values."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from vivavoce.eqt.drop import DropTrend
from vivavoce.eqt.pairing import Correlation, Pairing, correlation_as_json
from vivavoce.eqt.report.benchmark import (
    MOST_MODELS,
    correlations,
    lead,
    left_out,
    means,
    method,
    models_of,
    ranked_alike,
    scatter,
)
from vivavoce.eqt.report.cells import called
from vivavoce.eqt.report.drop import bars, dropped_in_words, dropping
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, name_of, signed, signed_interval
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import notes, paragraphs
from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True, repr=False)
class EqtBenchmark(Reported):
    """EQT compared with a benchmark, as Figure 3 of the paper."""

    benchmark: str
    """Where the benchmark's figures come from."""
    pairings: tuple[Pairing, ...]
    overall: Correlation
    """Over all pairs of model and category; they are not independent (`caveats`)."""
    between_models: Correlation
    """Over the models' means."""
    within_categories: Correlation
    """Of what is left when each category's mean is taken off."""
    p_models: float | None
    """The chance of an overall Pearson correlation at least as far from 0, were the models' names in the benchmark drawn again.

    It takes a model's categories together, as they are not independent. None where fewer than four models have all categories.
    """
    matches: int
    """Pairings with equal ranks."""
    matches_by_chance: float
    """How many pairings would have equal ranks on average, were the models of each category shuffled."""
    unmatched: tuple[str, ...]
    """Models or categories that only one of the two has."""
    signature: Signature
    drop: DropTrend | None = None
    """Whether better models drop more, with regression to the mean removed; None where it was not looked at."""

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        return _headline(self)

    @property
    def others(self) -> str:
        """What comes next, in a sentence or two; may be empty."""
        return _others(self)

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return " ".join(filter(None, (self.headline, self.others, dropped_in_words(self.drop))))

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the correlation does not show."""
        return _caveats(self)

    def report(self) -> Report:
        """All of it as blocks."""
        models = models_of(self.pairings)[:MOST_MODELS]
        found = (self.overall, self.between_models, self.within_categories)
        return self.reported(
            "Explain, query, test compared with a benchmark",
            f"Explain-query-test compared with {called(self.benchmark)}",
            InFull(paragraphs(self.others, lead(self.benchmark))),
            scatter(self.benchmark, self.pairings, models, self.overall.pearson),
            *correlations(found, self.p_models),
            means(self.pairings, models),
            *bars(self.benchmark, self.pairings, models),
            dropping(self.drop),
            ranked_alike(self.pairings, models, self.matches, self.matches_by_chance),
            *notes(left_out(self.pairings)),
            Caveats(self.caveats),
            method(),
        )

    def as_json(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        return {
            "statement": self.statement,
            "benchmark": self.benchmark,
            "pairings": [asdict(pairing) | {"drop": pairing.drop.as_json()} for pairing in self.pairings],
            "overall": correlation_as_json(self.overall),
            "between_models": correlation_as_json(self.between_models),
            "within_categories": correlation_as_json(self.within_categories),
            "p_models": self.p_models,
            "matches": self.matches,
            "matches_by_chance": self.matches_by_chance,
            "unmatched": list(self.unmatched),
            "drop": self.drop and self.drop.as_json(),
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }


def _headline(beside: EqtBenchmark) -> str:
    """How the two tests go together, over all pairs and over models."""
    source = name_of(beside.benchmark)
    overall, between = beside.overall, beside.between_models
    if overall.pearson.value is None:
        return f"Whether EQT correlates with {source} is not known: {overall.problem}."
    ends = overall.pearson.interval
    verdict = "rises with" if ends.lower > 0 else "falls with" if ends.upper < 0 else "shows no clear relation to"
    pairs = f"{count(overall.pearson.n)} pairs of model and category"
    text = f"EQT {verdict} {source}: r = {_correlation(overall.pearson)} over {pairs}"
    if between.pearson.value is None:
        return f"{text}; between models alone it is not known ({between.problem})."
    return f"{text}, and {_correlation(between.pearson)} between {count(between.pearson.n)} models."


def _others(beside: EqtBenchmark) -> str:
    """How many ranks match; empty where nothing can be said about the two tests."""
    if beside.overall.pearson.value is None:
        return ""
    chance = f"{beside.matches_by_chance:.1f}".removesuffix(".0")
    return f"Ranks match in {count(beside.matches)} of {count(len(beside.pairings))}, where chance would match {chance}."


def _correlation(estimate: Estimate) -> str:
    return f"{signed(estimate.value or 0.0)} {signed_interval(estimate.interval)}"


FEW_MODELS: Final = 10


def _caveats(beside: EqtBenchmark) -> tuple[str, ...]:
    """What a correlation of EQT with a benchmark does not show."""
    models = len({pairing.model for pairing in beside.pairings})
    return tuple(
        filter(
            None,
            (
                "Pairs of one model, and pairs of one category, go up and down together: p and the interval over all pairs "
                "treat them as independent, and are too optimistic.",
                "Over all pairs the correlation mixes two things: which models are better, and which categories are easier in "
                "both tests. Only the one between models says whether EQT ranks models.",
                f"There are {count(models)} models: the correlation between them is rough." if 1 < models < FEW_MODELS else "",
                "EQT's own figures are uncertain, which pulls every correlation towards 0 (attenuation).",
                f"Only one of the two has {_listed(beside.unmatched)}: left out." if beside.unmatched else "",
            ),
        )
    )


def _listed(names: tuple[str, ...]) -> str:
    shown = [name_of(name) for name in names[:6]] + ([f"{len(names) - 6} more"] if len(names) > 6 else [])
    return ", ".join(shown)
