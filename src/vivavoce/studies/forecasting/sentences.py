"""Sentences about forecasts: the headline for one forecaster or several, who is not ranked, and the method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vivavoce.formats.wording import count, name_of, numbered, percent
from vivavoce.report.blocks import Column, ReportRow, ReportTable
from vivavoce.report.cells import TableCell
from vivavoce.studies.effects import Effect
from vivavoce.studies.forecasting.counting import STRONG, ForecastFinding, Ranking, ranking
from vivavoce.studies.forecasting.scoring import CONTROL, law_name

SHOWN_LAWS: Final = 40


def nothing(finding: ForecastFinding) -> str:
    """The headline if no tuple has all its forecasts."""
    unknown = sum(sum(effect.left_out.values()) for effect in finding.effects)
    return f"Undecided: no tuple has all its forecasts ({count(unknown)} can't be parsed)."


def sentence(finding: ForecastFinding, effect: Effect) -> str:
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
    name, rate = name_of(worst.treatment.subject), worst.rates[STRONG]
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


def _of_several(finding: ForecastFinding) -> str:
    names, ranked = len(finding.candidates), ranking(finding.effects)
    if ranked is None:
        return f"{count(names)} forecasters, none of which can be compared."
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


def not_ranked(finding: ForecastFinding) -> tuple[str, ...]:
    """Say who is not ranked, and why."""
    ranked: Ranking | None = ranking(finding.effects)
    if ranked is None:
        return ()
    reasons = ((ranked.dull, "always gave the same forecast"), (ranked.few_laws, "had answers on too few laws"))
    listed = ", ".join(f"{count(number)} {why}" for number, why in reasons if number)
    return (f"Not ranked: {listed}.",) if listed else ()


def method(finding: ForecastFinding) -> tuple[str, ...]:
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


def metrics(finding: ForecastFinding) -> tuple[ReportTable, ...]:
    """The metric of each law."""
    formulas = {law.law: law.metric for law in finding.details.laws}
    rows = tuple(
        ReportRow(TableCell(law_name(law)), (TableCell(formula),)) for law, formula in list(formulas.items())[:SHOWN_LAWS]
    )
    return (ReportTable((Column("Law"), Column("Metric")), rows),)
