"""Forecasts: do the forecasts of related questions contradict each other?

A tuple is a set of questions that a law relates, such as an event and its negation. Whatever the right answers are, the
forecasts are coherent or not (section 6 of `fluri2024`). A treatment is a law, and the event is a strong contradiction: the
metric of the law is above .2. The control repeats the identical question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Final

import numpy as np

from vivavoce.errors import NotEnoughEvidence, UnknownName
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, name_of, numbered, percent, score_interval
from vivavoce.formats.wording import score as written
from vivavoce.laws.law import QUANTITIES
from vivavoce.laws.violation import FORMULA
from vivavoce.report.blocks import Column, ReportRow, ReportTable
from vivavoce.report.cells import TableCell
from vivavoce.studies.comparisons import adjusted
from vivavoce.studies.effects import Effect, split_control
from vivavoce.studies.forecasting import counting
from vivavoce.studies.forecasting.scoring import (
    CONTROL,
    ScoredTuple,
    failed_negations,
    favourites,
    law_name,
    monotone_series,
    roundings,
)
from vivavoce.studies.forecasting.sections import distance_cell, distinct_cell, examples, reference_distance, sections, shown
from vivavoce.studies.presentation import EffectTable, Get, cases_of, estimate_of, left_out, number_of, rate_of, reference
from vivavoce.studies.study import NO_SOURCE, Sample, Source, Study, StudyFinding, signature_of

SHOWN_LAWS: Final = 40


def nothing(finding: counting.ForecastFinding) -> str:
    """The headline if no tuple has all its forecasts."""
    unknown = sum(sum(effect.left_out.values()) for effect in finding.effects)
    return f"Undecided: no tuple has all its forecasts ({count(unknown)} can't be parsed)."


def sentence(finding: counting.ForecastFinding, effect: Effect) -> str:
    """The headline: the law that one forecaster breaks most often, or the ranking of several forecasters."""
    unknown = sum(sum(entry.left_out.values()) for entry in finding.effects)
    total = unknown + sum(entry.n for entry in finding.effects)
    ranked = [entry for entry in finding.effects if entry.n]
    several = len({entry.treatment.subject for entry in ranked}) > 1
    result = _of_several(finding) if several else _of_one(ranked, effect)
    if unknown <= total / 2:
        return result
    return f"{count(unknown)} of {count(total)} tuples lack a forecast. On the others: {result}"


def _of_one(effects: Sequence[Effect], worst: Effect) -> str:
    name, rate = name_of(worst.treatment.subject), worst.rates[counting.STRONG]
    if rate.events:
        cases = "the only tuple" if rate.n == 1 else f"{rate.with_interval} of {numbered(rate.n, 'tuple')}"
        return f"{name} contradicts itself strongly {worst.treatment.about} in {cases}."
    total = sum(effect.n for effect in effects)
    if total == 1:
        return f"{name} shows no strong contradiction in the only tuple. That says little about others."
    return (
        f"{name} shows no strong contradiction in {numbered(total, 'tuple')}. {worst.treatment.about.capitalize()}, the "
        f"95% interval goes up to {percent(rate.interval.upper)}."
    )


def _of_several(finding: counting.ForecastFinding) -> str:
    names, ranked = len(finding.candidates), counting.ranking(finding.effects)
    if ranked is None:
        return f"No two of {count(names)} forecasters can be compared: they share no law, or always say the same."
    best, worst = (ranked.shares[name] for name in (ranked.best, ranked.worst))
    laws = f"on {law_name(ranked.laws[0])}" if len(ranked.laws) == 1 else f"over {len(ranked.laws)} laws"
    least, most = (percent(estimate.value or 0.0) for estimate in (best, worst))
    if best.value == worst.value:
        return (
            f"No difference between {count(len(ranked.shares))} forecasters: each contradicts itself strongly in {least} of "
            f"tuples {laws}."
        )
    is_least = best.is_smallest(share for name, share in ranked.shares.items() if name != ranked.best)
    is_most = worst.is_largest(share for name, share in ranked.shares.items() if name != ranked.worst)
    first, last = name_of(ranked.best), name_of(ranked.worst)
    if is_least:
        also = ", most often," if is_most else ""
        return (
            f"Of {count(names)} forecasters {first} contradicts itself strongly least often, in {least} of tuples {laws}. "
            f"{last} does so{also} in {most}."
        )
    if is_most:
        return (
            f"Of {count(names)} forecasters {last} contradicts itself strongly most often, in {most} of tuples {laws}. "
            f"{first} does so in {least}."
        )
    return (
        f"{count(names)} forecasters do not differ significantly. They contradict themselves strongly in "
        f"{least} ({first}) to {most} ({last}) of tuples {laws}."
    )


def not_ranked(finding: counting.ForecastFinding) -> tuple[str, ...]:
    """Say who is not ranked, and why."""
    ranked: counting.Ranking | None = counting.ranking(finding.effects)
    if ranked is None:
        return ()
    reasons = ((ranked.dull, "always gave the same forecast"), (ranked.few_laws, "had answers on too few laws"))
    listed = ", ".join(f"{count(number)} {why}" for number, why in reasons if number)
    return (f"Not ranked: {listed}.",) if listed else ()


def method(finding: counting.ForecastFinding) -> tuple[str, ...]:
    """How the numbers were computed."""
    laws = {law.law for law in finding.details.laws}
    return (
        "Forecasts are coherent if some distribution over everything that can happen gives each question its probability. "
        "Quantities that can only grow, or only shrink, must follow the order of the years.",
        "A contradiction is strong if the metric of its law is above 0.2. On your own laws, 0.2 itself is strong.",
        "Distance: the least sum of Kullback-Leibler divergences from coherent forecasts, in nats. It equals the sure profit "
        "of a trader who is paid by the logarithmic score. It is solved as a convex problem, with a bound on its error.",
        "At random: forecasts drawn from 0 to 1, series in random order. Always the same: 40% to every question, the same "
        "quantity every year.",
        "Intervals are at level 95%: Clopper and Pearson's for shares, Student's for means. Both allow for tuples that share "
        "questions.",
        *(("Control: the identical question was asked several times; it shows what chance alone does.",) * (CONTROL in laws)),
        *((_COMPARED,) if finding.comparisons else ()),
    )


_COMPARED: Final = (
    "Comparisons use tuples that both answered. p is from a bootstrap of Student's t that draws related tuples together. With "
    "fewer than 20 independent sets it is from bets on bounded differences. If most tuples depend on each other, it is from "
    "Student's t test. Holm's adjustment allows for the number of comparisons. Events of one alone: McNemar's exact test, or "
    "the same test for related tuples."
)


def metrics(finding: counting.ForecastFinding) -> tuple[ReportTable, ...]:
    """The metric of each law."""
    formulas = {law.law: law.metric for law in finding.details.laws}
    rows = tuple(
        ReportRow(TableCell(law_name(law)), (TableCell(formula),)) for law, formula in list(formulas.items())[:SHOWN_LAWS]
    )
    return (ReportTable((Column("Law"), Column("Metric")), rows),)


FORECASTERS_COMPARED: Final = 5
"""Most forecasters of which all pairs are compared; beyond that, only named pairs are."""
ENOUGH, FEW_VALUES, SHARE_OF_VALUES = 30, 5, 0.02
"""A law says little if it has at least `ENOUGH` tuples, but at most this number or share of different forecasts."""
IN_PAPER: Final = frozenset({"neg", "paraphrase", "bayes", "increasing", "decreasing", CONTROL})
"""Laws for which the paper has its own metric."""
Pair = tuple[str, str]


def finding_of(
    scored: Sequence[ScoredTuple],
    *,
    source: Source = NO_SOURCE,
    compare: Sequence[Pair] | None = None,
    seed: int = 0,
    settings: Mapping[str, object] = MappingProxyType({}),
    asked_so: tuple[str, ...] = (),
    not_reached: int = 0,
) -> counting.ForecastFinding:
    """Make the finding on how often and how far forecasters contradict themselves.

    scored: tuples scored by `score_each`. compare: pairs of forecasters; None: all, if there are at most five forecasters.
    seed: for the test that resamples differences. settings, asked_so, not_reached: how the forecasts were asked for.

    Raises `NotEnoughEvidence` without any tuple, and `UnknownName` for a pair that is not among the forecasters.

    >>> from vivavoce.studies.forecasting.forecast_files import Row
    >>> from vivavoce.studies.forecasting.scoring import score_each
    >>> rows = [Row("model", "neg", {"P": 0.3, "not_P": 0.9}), Row("model", "neg", {"P": 0.5, "not_P": 0.5})]
    >>> finding_of(score_each(rows)).effects[0].estimates["mean"].value
    0.1
    """
    if not scored:
        raise NotEnoughEvidence("there are no forecasts: give at least one tuple")
    groups = counting.by_law(scored)
    names = tuple(dict.fromkeys(forecaster for forecaster, _ in groups))
    pairs = _pairs(names, compare)
    by_place, comparisons = counting.comparisons_of(groups, pairs, rng=np.random.default_rng(seed))
    counted = [counting.effect_of_law(forecaster, law, tuples) for (forecaster, law), tuples in groups.items()]
    effects = split_control(effect for effect, _ in counted)
    laws = tuple(details for _, details in counted)
    title = names[0] if len(names) == 1 else f"{count(len(names))} forecasters"
    own = {"strong": 0.2, "forecasters": len(names), "compared": [list(pair) for pair in pairs]}
    in_full = shown(effects["effects"] or effects["control"])
    replies: Counter[str] = Counter()
    for scored_tuple in scored:
        replies.update(scored_tuple.row.replies)
    return StudyFinding(
        FORECASTS,
        title,
        source.title,
        **effects,
        examples=examples((law for law in laws if law.subject in in_full), alone=len(names) == 1),
        not_reached=not_reached,
        is_clustered=any(law.is_shared for law in laws),
        replies=dict(replies),
        details=counting.ForecastDetails(
            laws, by_place, favourites(scored), roundings(scored), failed_negations(scored), monotone_series(scored)
        ),
        asked_so=asked_so,
        signature=signature_of(FORECASTS, title, source, seed, own | dict(settings)),
        candidates=names,
        comparisons=adjusted(comparisons),
    )


def _pairs(names: Sequence[str], compare: Sequence[Pair] | None) -> Sequence[Pair]:
    """The pairs to compare. Raises `UnknownName`."""
    if compare is None:
        return list(combinations(names, 2)) if len(names) <= FORECASTERS_COMPARED else []
    for name in (name for pair in compare for name in pair if name not in names):
        raise UnknownName("forecaster", name, names)
    return compare


def _is_dull(effect: Effect) -> bool:
    distinct, forecasts = (effect.numbers[name] or 0 for name in ("distinct", "forecasts"))
    return effect.n >= ENOUGH and distinct <= min(FEW_VALUES, max(1, SHARE_OF_VALUES * forecasts))


def _asked(finding: counting.ForecastFinding) -> set[str]:
    return {law.law for law in finding.details.laws}


def _reference_share(name: str) -> Get:
    return number_of(f"{name}_strong", percent)


MEAN: Final = estimate_of("mean", written, score_interval)
REFERENCES: Final = (("At random", "random"), ("Always the same", "constant"))
SAMPLE_LAWS: Final = tuple(
    counting.LawDetails("", law, "|P - Q|", is_shared=False, is_extreme=False, histogram=(), worst=(), in_order=None, pairs=())
    for law in ("first treatment", "second treatment")
)
SAMPLE_NUMBERS: Final[Mapping[str, float | None]] = {"distinct": 9, "forecasts": 80} | {
    f"{name}_{what}": 0.2 for name in ("random", "constant") for what in ("strong", "mean", "distance")
}
FORECASTS: Final[Study[counting.ForecastDetails]] = Study(
    kind="forecasts",
    heading="Contradictions between forecasts",
    title="Contradictions between forecasts of {}",
    about="Related questions were asked separately. Their forecasts are coherent or not, whatever the right answers are.",
    events=(counting.STRONG,),
    case="tuple",
    list_head="Strong contradictions",
    control_label="same question repeated",
    axis="tuples with a strong contradiction",
    no_treatment="no forecast that could be parsed (law: {}); they don't count",
    ability="agreement of its forecasts",
    flaw="taking its forecasts at their word",
    item="tuple",
    nothing=nothing,
    sentence=sentence,
    further=not_ranked,
    method=method,
    sample=Sample(
        counting.ForecastDetails(SAMPLE_LAWS, False, (), (), (), ()),
        numbers=SAMPLE_NUMBERS,
        estimates=dict.fromkeys(("mean", "distance"), Estimate(0.15, Interval(0.1, 0.2), 40)),
    ),
    sections=sections,
    metrics=metrics,
    subject="Forecaster",
    measure="the mean metric",
    examples_head="Largest contradictions",
    tables=(
        EffectTable(
            "Strong contradictions by law",
            "Law",
            (
                (Column("Tuples", number=True), cases_of(counting.STRONG)),
                (Column("Strong", about="Share of tuples with a metric above 0.2"), rate_of(counting.STRONG)),
                (Column("At random", about="The same for random forecasts", control=True), _reference_share("random")),
                (Column("Always the same", short="Constant", about="For 40% each time"), _reference_share("constant")),
                (Column("Mean metric"), MEAN),
            ),
            stacked=(rate_of(counting.STRONG), MEAN),
            beneath=tuple(
                (head, reference(_reference_share(name), number_of(f"{name}_mean", written))) for head, name in REFERENCES
            ),
            cells="Each cell: share of strong contradictions, then the mean metric. Last rows: forecasters that know nothing.",
        ),
        EffectTable(
            "Distance from coherent forecasts by law",
            "Law",
            (
                (Column("Distance in nats", about="To the nearest coherent forecasts, on average"), distance_cell),
                (Column("At random", about="Distance of random forecasts", control=True), reference_distance("random")),
                (Column("Metric at random"), number_of("random_mean", written)),
                (Column("Different forecasts", detail=True), distinct_cell),
                (Column("Left out", about="Tuples without all forecasts", number=True, detail=True), left_out),
            ),
            stacked=(distance_cell, distinct_cell),
            beneath=tuple((head, reference_distance(name)) for head, name in REFERENCES),
            cells="Each cell: mean distance to the nearest coherent forecasts in nats, then how many forecasts are different.",
        ),
    ),
    caveats=(
        "Coherent forecasts need not be right: a forecaster that always says the same breaks few laws.",
        ("On some laws there are hardly any different forecasts.", lambda finding: any(map(_is_dull, finding.effects))),
        ("A forecaster gave one number to most questions.", lambda finding: bool(finding.details.favourites)),
        (
            "No question was repeated word for word: some contradictions may be chance.",
            lambda finding: CONTROL not in _asked(finding) and "paraphrase" in _asked(finding),
        ),
        (
            "The limit of 0.2 is the paper's for negation, paraphrase, series and Bayes' rule; other laws use it, too.",
            lambda finding: bool(_asked(finding) - IN_PAPER),
        ),
        (
            "On your own laws a contradiction is strong from a total change of 0.2 to coherent forecasts.",
            lambda finding: bool(_asked(finding) - {*FORMULA, *QUANTITIES}),
        ),
        (
            "Distances count forecasts of exactly 0% and 100% as 0.1% and 99.9%, unless they are coherent.",
            lambda finding: any(law.is_extreme for law in finding.details.laws),
        ),
        (
            "Tuples without ids were paired by position: both must have been asked the same tuples in the same order.",
            lambda finding: finding.details.paired_by_place,
        ),
        (
            "Whether the questions of a tuple are related by their law was not checked here.",
            lambda finding: bool(_asked(finding) - {CONTROL}),
        ),
    ),
)
