"""Compare ways to ask: does a prompt that makes forecasts obey one law break another?

The same tuples are asked in several ways. Each way is a subject of the study of forecasts, and is compared with the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.wording import count, name_of
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.report.cells import listed
from vivavoce.studies.comparisons import adjusted, by_pair, labels
from vivavoce.studies.effects import Effect
from vivavoce.studies.forecasting.asking import ask_forecasts
from vivavoce.studies.forecasting.counting import ForecastDetails, ForecastFinding, Way, by_law, comparisons_of
from vivavoce.studies.forecasting.forecast_files import QuestionTuple
from vivavoce.studies.forecasting.planning import AskedForecasts, AskedWay, forecaster_of
from vivavoce.studies.forecasting.scoring import CONTROL, score_each
from vivavoce.studies.forecasts import FORECASTS, finding_of
from vivavoce.studies.study import NO_SOURCE, Source, Study, signature_of

TOPIC: Final = "consistency/variants"
SHOWN: Final = 3
"""Most ways named in the headline."""


async def ask(
    interviews: Sequence[Interview[Prompt, Reply]], tuples: Sequence[QuestionTuple], ways: Sequence[AskedWay]
) -> list[AskedForecasts]:
    """Ask for forecasts in each way, in order, with one interview for each.

    Prompts that two ways share word for word, such as the first question of a conversation, are asked once if the ways share a
    transcript. Passes on the interviews' errors.
    """
    return [
        await ask_forecasts(interview, tuples, variant.config, variant.instructions, topic=f"{TOPIC}/{variant.label}")
        for interview, variant in zip(interviews, ways, strict=True)
    ]


def compare_ways(
    candidate: str,
    ways: Sequence[AskedWay],
    asked: Sequence[AskedForecasts],
    forecasters: Sequence[str],
    *,
    source: Source = NO_SOURCE,
    seed: int = 0,
) -> ForecastFinding:
    """Make the finding on ways by laws, each way compared with the first; p-values are adjusted for all comparisons
    (`holm1979`).

    candidate: the model's display name. ways, asked: the ways and their forecasts, in the same order. forecasters: names of the
    candidates that were asked. source: the file of tuples. seed: for the paired tests.

    Raises `NotEnoughEvidence` if no tuple was asked in full.
    """
    rows = [
        replace(row, forecaster=variant.label) for variant, forecasts in zip(ways, asked, strict=True) for row in forecasts.rows
    ]
    if not rows:
        raise NotEnoughEvidence("no tuple was asked in full: give a larger budget")
    scored = score_each(rows)
    finding = finding_of(
        scored,
        source=source,
        compare=[],
        seed=seed,
        asked_so=tuple(dict.fromkeys(sentence for forecasts in asked for sentence in forecasts.asked_so)),
        not_reached=sum(forecasts.planned - len(forecasts.rows) for forecasts in asked),
    )
    groups = by_law(scored_tuple for scored_tuple in scored if scored_tuple.row.law != CONTROL)
    pairs = [(variant.label, ways[0].label) for variant in ways[1:]]
    _, comparisons = comparisons_of(groups, pairs, rng=np.random.default_rng(seed))
    return replace(
        finding,
        study=VARIANTS,
        candidate=candidate,
        candidates=tuple(dict.fromkeys(variant.candidate or candidate for variant in ways)),
        comparisons=adjusted(comparisons),
        details=replace(finding.details, ways=tuple(map(_way, ways, asked, forecasters))),
        signature=signature_of(VARIANTS, candidate, source, seed, _settings(ways, asked)),
    )


def _way(variant: AskedWay, asked: AskedForecasts, forecaster: str) -> Way:
    return Way(
        variant.label,
        forecaster_of(forecaster, variant.config, variant.instructions),
        "" if variant.instructions is None else variant.instructions.digest,
        variant.config.together,
        len(asked.rows),
        asked.planned,
    )


def _settings(ways: Sequence[AskedWay], asked: Sequence[AskedForecasts]) -> dict[str, object]:
    return {
        "variants": [variant.label for variant in ways],
        "instructions": {
            variant.label: variant.instructions.digest[:16] for variant in ways if variant.instructions is not None
        },
        **{name: value for forecasts in asked for name, value in forecasts.settings.items() if name != "together"},
    }


def _sentence(finding: ForecastFinding, _: Effect) -> str:
    """The headline: the law on which a variant is better or worse, or that no difference is significant."""
    ways, candidate = finding.details.ways, finding.name
    sentences = []
    for variant, first, comparisons in by_pair(finding.comparisons):
        parts = [
            f"{word} on {listed(texts)}"
            for word, texts in (("less", labels(comparisons, "better")), ("more", labels(comparisons, "worse")))
            if texts
        ]
        if parts:
            sentences.append(
                f"Asked by {name_of(variant)}, {candidate} contradicts itself {' and '.join(parts)} than by {name_of(first)}."
            )
    if sentences:
        return " ".join(sentences[:SHOWN])
    if not any(comparison.n for comparison in finding.comparisons):
        return f"Undecided: no tuple was answered both by {name_of(ways[0].variant)} and in another way."
    laws = list(dict.fromkeys(comparison.label for comparison in finding.comparisons))
    where = laws[0] if len(laws) == 1 else f"{count(len(laws))} laws"
    return f"No significant difference between {count(len(ways))} ways to ask {candidate} on {where}."


def _further(finding: ForecastFinding) -> tuple[str, ...]:
    """Say which ways the budget left unfinished."""
    return tuple(
        f"{name_of(variant.variant)}: {count(variant.rows)} of {count(variant.planned)} tuples were asked."
        for variant in finding.details.ways
        if variant.rows < variant.planned
    )


def _method(finding: ForecastFinding) -> tuple[str, ...]:
    return (
        f"Every variant was asked the same tuples, and is compared with {name_of(finding.details.ways[0].variant)} on the "
        "tuples that both answered.",
        "Asked together, the questions of a tuple are in one conversation, in an order drawn by the seed. Each follows the "
        "real replies to the earlier ones; the first is asked as if it were alone.",
        *FORECASTS.method(finding),
    )


VARIANTS: Final[Study[ForecastDetails]] = replace(
    FORECASTS,
    kind="variants",
    heading="Ways to ask",
    title="Ways to ask {}",
    about="The same tuples of questions were asked in each of these ways.",
    flaw="",
    sample=replace(
        FORECASTS.sample,
        details=replace(
            FORECASTS.sample.details,
            ways=tuple(Way(variant, "the model", "", together=False, rows=30, planned=40) for variant in ("first", "second")),
        ),
    ),
    sentence=_sentence,
    further=_further,
    method=_method,
    subject="Way to ask",
    caveats=(
        "“Better” and “worse”: the procedure gives any wrong one at most 5% of the time (Holm).",
        (
            "In one conversation a model sees its own answers: agreement then shows that it reads them.",
            lambda finding: any(variant.together for variant in finding.details.ways),
        ),
        *FORECASTS.caveats,
    ),
)
