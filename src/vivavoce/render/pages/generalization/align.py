"""What the alignment of models with people's beliefs says on its page: everything the template needs, already in words."""

from __future__ import annotations

from typing import Any, Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, name_of, percent, percent_interval
from vivavoce.generalization.align import alpha_of
from vivavoce.generalization.align_finding import Alignment, ModelAlignment, ends, rest_of
from vivavoce.generalization.answers import plain
from vivavoce.generalization.calibration import THIRDS
from vivavoce.generalization.dominance import Instance, Reversal
from vivavoce.render.plots.drawing import figure
from vivavoce.render.plots.generalization.align import fits, headed, rule_in_words, thirds, used
from vivavoce.render.wording import breakable, p_in_words

MOST_MODELS: Final = 24
"""In a table."""
MOST_REVERSALS: Final = 6
SHOWN_EVIDENCE: Final = 3
SHOWN_TEXT: Final = 600

Cell = tuple[str, ...]
"""A number, its interval, and what else there is to say about it."""
Row = tuple[str, tuple[Cell, ...]]


def alignment_title(finding: Alignment) -> str:
    """What the page is."""
    models = f"{count(len(finding.models))} models" if len(finding.models) > 1 else name_of(finding.models[0].model)
    return f"What people expect of {models}, and what they do"


def alignment_body(finding: Alignment, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    plots = (fits(finding, f"{name}f"), used(finding, f"{name}u"), thirds(finding, f"{name}t"))
    first, second, third = (figure(plot) if plot else None for plot in plots)
    return {
        "finding": finding,
        "headline": breakable(finding.headline),
        "rest": rest_of(finding),
        "thresholds": [(percent(t), f"{alpha_of(t):.3g}") for t in finding.thresholds],
        "accuracy": table(finding, "accuracy"),
        "cross_entropy": table(finding, "cross_entropy"),
        "loss": table(finding, "loss"),
        "differences": differences(finding),
        "best": breakable(name_of(finding.best.model)),
        "rules": [headed(rule) for rule in rules_in_use(finding)],
        "unused": unused(finding),
        "deployment": deployment(finding),
        "calibration": calibration(finding),
        "one_third": one_third(finding),
        "thirds": [f"{one.name}, {percent(one.lower)} to {percent(one.upper)}" for one in THIRDS],
        "reversals": [reversal(one) for one in shown_reversals(finding)],
        "dominance": dominance_in_words(finding),
        "plots": {"fits": first, "used": second, "thirds": third},
        "left_out": _left_out(finding),
        "method": method(finding),
    }


def ranked(finding: Alignment) -> list[ModelAlignment]:
    """The models that are shown: who answers most right first, unknown ones last."""
    return sorted(finding.models, key=lambda one: -(-1.0 if one.right.value is None else one.right.value))[:MOST_MODELS]


def table(finding: Alignment, measure: str) -> list[Row]:
    """A measure at every threshold, one line a model, after the share of right answers."""
    return [
        (breakable(name_of(one.model)), (share(one.right), *(number(found) for found in getattr(one, measure))))
        for one in ranked(finding)
    ]


def differences(finding: Alignment) -> list[Row]:
    """Accuracy of the best model less that of each other, at every threshold."""
    best = finding.best.model
    rows: list[Row] = []
    for other in ranked(finding):
        cells: list[Cell] = []
        for one in finding.comparisons:
            if one.measure == "accuracy" and {one.first, one.second} == {best, other.model}:
                sign, found = (1 if one.first == best else -1), one.difference
                if found.value is None:
                    cells.append(("unknown", ""))
                    continue
                p = "p not known" if found.p is None else p_in_words(found.p)
                low, high = sorted((sign * found.interval.lower, sign * found.interval.upper))
                cells.append((three(sign * found.value), f"[{three(low)}, {three(high)}]", p))
        if cells:
            rows.append((breakable(name_of(other.model)), tuple(cells)))
    return rows


def deployment(finding: Alignment) -> list[Row]:
    """Right answers where people use each model, by rule, after the share of all."""
    places = [finding.rules.index(rule) for rule in rules_in_use(finding)]
    rows: list[Row] = []
    for one in ranked(finding):
        cells: list[Cell] = [share(one.right)]
        for found in (one.deployment[place] for place in places):
            part = "" if found.used is None else f"used for {percent(found.used)}"
            cells.append((*share(found.performance), part))
        rows.append((breakable(name_of(one.model)), tuple(cells)))
    return rows


def rules_in_use(finding: Alignment) -> list[str]:
    """Rules by which people would use at least one model for something."""
    return [
        rule
        for place, rule in enumerate(finding.rules)
        if any(one.deployment[place].performance.value is not None for one in finding.models)
    ]


def unused(finding: Alignment) -> str:
    """By which rules nobody would use any model; empty where there is none."""
    idle = [rule_in_words(rule) for rule in finding.rules if rule not in rules_in_use(finding)]
    return f"By these rules nobody would use any model for anything: {'; '.join(idle)}." if idle else ""


def calibration(finding: Alignment) -> list[Row]:
    """Right answers by thirds of belief, people and machines together first; none where all beliefs are in one third."""
    every = [*finding.pooled, *(one.calibration for one in ranked(finding))]
    filled = {place for one in every for place, third in enumerate(one.thirds) if third.value is not None}
    if len(filled) < 2:
        return []
    return [
        (
            breakable(name_of(one.who)),
            tuple((*share(found), f"n {count(found.n)}") if found.n else share(found) for found in one.thirds),
        )
        for one in every
    ]


def one_third(finding: Alignment) -> str:
    """That all beliefs are in one third."""
    filled = {
        third.name for model in finding.models for third, found in zip(THIRDS, model.calibration.thirds, strict=True) if found.n
    }
    where = f" (“{next(iter(filled))}”)" if filled else ""
    return f"All beliefs are in one third{where}: nothing can be said about the others. Raw beliefs from a survey spread out."


def shown_reversals(finding: Alignment) -> list[Reversal]:
    """Those beyond chance, one for each two models, the clearest first."""
    found: dict[tuple[str, str], Reversal] = {}
    for one in finding.dominance.reversals:
        if one.beyond_chance:
            found.setdefault((one.better, one.worse), one)
    return list(found.values())[:MOST_REVERSALS]


def reversal(one: Reversal) -> dict[str, Any]:
    """A reversal in words, with its evidence."""
    gap, chosen = one.overall, one.chosen
    better, worse = name_of(one.better), name_of(one.worse)
    how = f"answers everything right that {worse} does, and more" if one.dominates else (
        f"answers {points(gap.value or 0.0)} points more of the same questions right than {worse} "
        f"[{points(gap.interval.lower)}, {points(gap.interval.upper)}]"
    )  # fmt: skip
    kind, _, value = one.by.partition(":")
    by = f"weighted accuracy at a threshold of {percent(float(value))}" if kind == "accuracy" else rule_in_words(one.by)
    return {
        "title": f"{better} and {worse}",
        "told": f"{better} {how}. Once people choose it does worse: {by}, {three(chosen.value or 0.0)} "
        f"[{three(chosen.interval.lower)}, {three(chosen.interval.upper)}].",
        "evidence": [evidence(found, better, worse) for found in one.evidence[:SHOWN_EVIDENCE]],
    }


def evidence(one: Instance, better: str, worse: str) -> dict[str, str]:
    """A pair of questions in words: what was shown, what was asked about, what people believed."""
    return {
        "first": clipped(plain(one.first), SHOWN_TEXT),
        "second": clipped(plain(one.second), SHOWN_TEXT),
        "beliefs": f"{percent(one.beliefs[0])} that {better} gets it right, {percent(one.beliefs[1])} that {worse} does",
        "came": f"{better} {'right' if one.right[0] else 'wrong'}, {worse} {'right' if one.right[1] else 'wrong'}",
    }


def dominance_in_words(finding: Alignment) -> str:
    """How many pairs of models there are in which one is better, and in how many this turns."""
    found = finding.dominance
    if not found.compared:
        return "There are no two models to compare."
    turned = len({(one.better, one.worse) for one in found.reversals if one.beyond_chance})
    strict = "none of them by answering everything right that the other does" if not found.dominating else (
        f"in {count(len(found.dominating))} because it answers everything right that the other does"
    )  # fmt: skip
    return (
        f"Of {count(found.compared)} pairs of models one is better in {count(found.ordered)}, {strict}. In {count(turned)} the "
        "better one does worse by some measure once people choose, beyond chance."
    )


def share(estimate: Estimate) -> Cell:
    """A share in percent with its interval."""
    return ("none", "") if estimate.value is None else (percent(estimate.value), percent_interval(estimate.interval))


def number(estimate: Estimate) -> Cell:
    """A score to three digits with its interval."""
    return ("unknown", "") if estimate.value is None else (f"{estimate.value:.3f}", ends(estimate.interval))


def three(value: float) -> str:
    """A difference with its sign, to three digits.

    >>> three(-0.01331), three(0.0), three(float("inf"))
    ('−0.013', '0.000', 'unbounded')
    """
    if abs(value) == float("inf"):
        return "unbounded"
    text = f"{abs(value):.3f}"
    return text if text == "0.000" else f"{'+' if value > 0 else '−'}{text}"


def points(value: float) -> str:
    """A share in points of a hundred.

    >>> points(0.42)
    '42'
    """
    return f"{100 * value:.0f}".replace("-", "−")


def method(finding: Alignment) -> list[str]:
    """How the numbers were found, in sentences."""
    told = ", ".join(f"{count(number)} {source}" for source, number in finding.sources.items())
    return [
        f"{count(finding.pairs)} pairs of questions. Somebody saw the answer to the first, right or wrong, and believes with "
        "some chance that the second will be answered right. A model counts with what it really did: with the beliefs after a "
        f"right answer where it was right, after a wrong one where it was wrong. Beliefs: {told}.",
        "A threshold is the chance of being right above which somebody trusts a model. At a threshold of 90% a trusted "
        "mistake weighs nine times as much as a right answer that was not used, and weighted accuracy and cross-entropy weigh "
        "likewise (vafa2024).",
        "Cost per question, which the paper does not have: a right answer counts with one less the threshold times the "
        "disbelief, a mistake with the threshold times the belief. It is not divided by how much a model is wrong.",
        "A model dominates another if it answers every question right that the other does, and more. It is also held to be "
        "better if it answers more of the same questions right, with an interval above 0.",
        "Differences are paired: they are taken on the pairs that both models answered. Their p-values are of a "
        "randomisation test that exchanges the two models on sets of pairs that share nothing; they are not adjusted for "
        "their number.",
    ]


def _left_out(finding: Alignment) -> str:
    if len(finding.models) <= MOST_MODELS:
        return ""
    return f"There is room for {count(MOST_MODELS)} of {count(len(finding.models))} models; the JSON has all of them."
