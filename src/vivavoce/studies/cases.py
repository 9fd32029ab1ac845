"""Cases: does a classifier decide a legal case differently when one fact is paraphrased (section 7, appendix D of `fluri2024`)?

Each case is judged as it is, and again with one fact in other words. That fact is random (black box), or the most important one
to the classifier (white box). In the control the same case is judged again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.consistency.config import CasesConfig
from vivavoce.consistency.legal.examine_cases import Bench, boxes_of, chosen_cases, examine_cases
from vivavoce.consistency.legal.trials import ATTENTION, LEAVE_ONE_OUT, FactChoice, LegalCase, digest_of_cases
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, count, numbered
from vivavoce.interview.scope import Signature
from vivavoce.studies import judged_cases, study
from vivavoce.studies.effects import Effect, listed_reasons, points, points_interval, split_control


@dataclass(frozen=True, slots=True)
class CasesDetails:
    """Data that only this study has."""

    cases: int
    threshold: float
    shortest: int
    paraphraser: str
    counts: judged_cases.CaseCounts
    pairs: judged_cases.BoxComparison | None
    """Comparison of both boxes on the same cases; None if only one box was tried, or no case was tried in both."""
    panels: tuple[judged_cases.Panel, ...]
    """The probabilities before and after each paraphrase, by box."""


CasesFinding = study.StudyFinding[CasesDetails]


async def judge_cases(
    bench: Bench,
    cases: Sequence[LegalCase],
    config: CasesConfig = CasesConfig(),  # noqa: B008 -- frozen
) -> CasesFinding:
    """Does a classifier decide differently when a fact is only paraphrased?

    If the budget runs out, the finding covers the cases finished before. Raises `BadInput` for a configuration that does not
    fit the classifier.
    """
    cases, boxes = chosen_cases(cases, config), boxes_of(config)
    examined = await examine_cases(bench, cases, config)
    trials = [trial for case in examined for trial in case.trials]
    details = CasesDetails(
        len(cases),
        config.threshold,
        config.shortest,
        bench.paraphraser.title,
        judged_cases.counts_of(examined, config.threshold),
        judged_cases.compared(examined, config.threshold) if len(boxes) > 1 else None,
        tuple(judged_cases.panel_of(trials, box, config.threshold) for box in boxes),
    )
    return study.StudyFinding(
        CASES,
        bench.judge.name,
        bench.source,
        **split_control(judged_cases.count_trials(examined, boxes, config.threshold)),
        examples=tuple(
            judged_cases.example(trial, config.threshold) for trial in judged_cases.worst_of(trials, config.threshold)
        ),
        not_reached=len(cases) - len(examined),
        replies=judged_cases.replies_of(examined),
        details=details,
        asked_so=tuple(dict.fromkeys(bench.judge.asked_so + bench.paraphraser.asked_so)),
        signature=_signature(bench, cases, config, boxes),
    )


def _signature(bench: Bench, cases: Sequence[LegalCase], config: CasesConfig, boxes: Sequence[FactChoice]) -> Signature:
    settings = {name: value for name, value in study.settings_in_signature(config).items() if name not in ("box", "limit")}
    settings |= {"boxes": [box.value for box in boxes], "writer": bench.paraphraser.title}
    settings |= {"claim": bench.judge.claim} if bench.judge.claim else {}
    source = study.Source(bench.source, digest_of_cases(cases))
    return study.signature_of(CASES, bench.judge.name, source, config.seed, settings | dict(bench.judge.settings))


def _sentence(finding: CasesFinding, effect: Effect) -> str:
    cases = numbered(int(effect.numbers["cases"] or 0), "case")
    share = finding.share_of_cases(effect.rates[judged_cases.FLIPS])
    return f"{finding.name} changes its decision on {share} with {effect.treatment.about} ({cases})."


def _nothing(finding: CasesFinding) -> str:
    counts = finding.details.counts
    why = clipped(counts.first_absence or next(iter(counts.problems), ""), 200)
    return f"Nothing was compared: no case could be tried on {finding.name}{f' ({why})' if why else ''}."


def _further(finding: CasesFinding) -> tuple[str, ...]:
    pairs = finding.details.pairs
    if pairs is None:
        return ()
    white, black = pairs.both + pairs.white_only, pairs.both + pairs.black_only
    more = "most important" if white > black else "random"
    verdict = "No significant difference" if pairs.p > 0.05 else f"The {more} fact flips more"
    p = f"p = {pairs.p:.2g}" if pairs.p >= 0.001 else "p < 0.001"
    difference = f"{points(pairs.difference.value or 0.0)} {points_interval(pairs.difference.interval)} points"
    return (
        f"In {count(pairs.cases)} cases tried both ways, the most important fact flips {count(white)}, a random one "
        f"{count(black)}. {verdict} (difference {difference}, {p}).",
    )


def _method(finding: CasesFinding) -> Iterator[str]:
    details, counts, pairs = finding.details, finding.details.counts, finding.details.pairs
    yield (
        "Each case is judged as it is, and again with one fact paraphrased. All other facts stay. The decision is a violation "
        f"if the probability is at least {details.threshold:g}."
    )
    ways = ", ".join(f"{method} in {numbered(number, 'case')}" for method, number in counts.importance_by.items())
    yield (
        "Importance is the attention that the classifier reports for a fact, else the change of the probability without it."
        f"{f' Here: {ways}.' if ways else ''}"
    )
    yield (
        f"Cases judged: {count(counts.examined)}, {count(counts.violations)} of them as a violation. "
        f"Usable paraphrases: {count(counts.paraphrases)}, by {clipped(details.paraphraser, study.LONGEST_NAME)}."
    )
    for head, reasons in (("Left out", counts.skipped), ("Unusable", counts.problems)):
        if reasons:
            yield f"{head}: {listed_reasons(reasons)}."
    if pairs is not None:
        yield (
            "The two kinds of fact are compared on the first random fact and equally many paraphrases of either. Both flip in "
            f"{count(pairs.both)} cases, the most important one alone in {count(pairs.white_only)}, the random one alone in "
            f"{count(pairs.black_only)}, neither in {count(pairs.neither)}. McNemar's exact test; Bonett and Price's interval."
        )
    yield (
        "Intervals are at level 95% and allow for trials of the same case: Clopper and Pearson's for shares, Student's for "
        "means, Woodruff's for quantiles."
    )


SAMPLE_COUNTS: Final = judged_cases.CaseCounts(
    38, 15, {"no fact is long enough": 2}, 80, 70, {"the same text": 3}, "", 1, 4, {ATTENTION: 20, LEAVE_ONE_OUT: 18}
)
CASES: Final[study.Study[CasesDetails]] = study.Study(
    kind="cases",
    heading="Decisions on paraphrased cases",
    title="Decisions of {} on paraphrased cases",
    about="One fact of a case is paraphrased; all else stays the same. So should the decision.",
    events=judged_cases.EVENTS,
    case="trial",
    item="case",
    list_head="Decisions changed",
    control_label="same case asked again",
    axis="trials in which the decision changes",
    no_treatment="",
    ability="keeping its decision when a fact is paraphrased",
    nothing=_nothing,
    sentence=_sentence,
    further=_further,
    sections=lambda finding: judged_cases.before_and_after(finding.details.panels, finding.details.threshold),
    method=lambda finding: tuple(_method(finding)),
    sample=study.Sample(
        CasesDetails(
            40,
            0.5,
            5,
            "the writer",
            SAMPLE_COUNTS,
            judged_cases.BoxComparison(3, 9, 1, 27, Estimate(0.2, Interval(0.05, 0.35), 40), 0.02),
            (),
        ),
        rates=(judged_cases.FLIPPED_CASES, judged_cases.CASES_TO_VIOLATION, judged_cases.CASES_FROM_VIOLATION),
        numbers={"cases": 40, "largest": 0.6},
        estimates=dict.fromkeys(
            ("mean_shift", "median_shift", "shift_90", "signed_shift"), Estimate(0.1, Interval(0.05, 0.2), 40)
        ),
    ),
    examples_head="Cases to read first",
    shown_examples=10,
    tables=judged_cases.TABLES,
    caveats=(
        "A changed decision shows that one of the two is wrong, not which; a kept one need not be right.",
        "Read the changed cases: whether a paraphrase means the same depends on its writer.",
        (
            "No one else checked some of the paraphrases.",
            lambda finding: finding.details.counts.checked < finding.details.counts.paraphrases,
        ),
        "A flip may be a small step across the threshold: look at the shift of the probability.",
        (
            "Some decisions change although nothing is paraphrased: that much is chance.",
            lambda finding: any(effect.rates[judged_cases.FLIPS].events for effect in finding.control),
        ),
        ("No case was asked again, so chance and wording can't be separated.", lambda finding: not finding.control),
        (
            "Attention is one measure of importance: another fact may matter more, so there may be more flips.",
            lambda finding: ATTENTION in finding.details.counts.importance_by,
        ),
        (
            "Importance was measured by leaving out one fact: of two facts that say the same, neither counts.",
            lambda finding: LEAVE_ONE_OUT in finding.details.counts.importance_by,
        ),
        (
            "The classifier had no room for all facts of some cases; those at the end can't change its decision.",
            lambda finding: bool(finding.details.counts.truncated),
        ),
        ("Facts below the minimum length were not paraphrased.", lambda finding: finding.details.shortest > 1),
        (
            "Fewer than 30 cases were tried: the intervals are wide.",
            lambda finding: any(0 < (effect.numbers["cases"] or 0) < study.FEW for effect in finding.effects),
        ),
        ("Some cases were not tried.", lambda finding: bool(finding.details.counts.skipped)),
        (
            "The paper's classifier, cases and writer are different, and it gives no intervals.",
            lambda finding: any(effect.treatment.name == FactChoice.WHITE for effect in finding.effects),
        ),
    ),
)
