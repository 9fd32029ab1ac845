"""Count contradictions by defendant and by pair of records, and compute what judges that ignore the record would get."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Final

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.studies.defendants.counterfactuals import Direction, Feature
from vivavoce.studies.defendants.decisions import (
    Decision,
    DefendantQuestion,
    Hearing,
    JudgedPair,
    Judgement,
    as_in_paper,
    without_undecided,
)
from vivavoce.studies.effects import Case, Effect, Event, Rate, Treatment, effects_of

CONTRADICTED: Final = "contradicted"
"""Event: at least one pair of a defendant's records has decisions against their order."""
BLATANT: Final = "blatant"
"""Event: the same, but only between NO and YES."""
PAIRS: Final = "pairs_contradicted"
"""Event: a pair of records has decisions against their order."""
BLATANT_PAIRS: Final = "pairs_blatant"
EVENTS: Final = (CONTRADICTED, BLATANT)

ANY: Final = "any change"
DENIED: Final = "more severe, harshest before"
AGAIN: Final = "same record"
BY_CHANCE: Final = "pairs_by_chance"
CRIME: Final = "another crime"
"""Prefix of treatment names for the question about another crime."""
NO_PAIR: Final = "no decision on the record as it is, or on any changed one"

Shows = Callable[[JudgedPair], bool]
KINDS: Final[Mapping[str, tuple[str, Shows]]] = {
    ANY: ("any changed record", lambda _: True),
    Direction.MILDER.value: ("a milder record", lambda pair: pair.other.direction is Direction.MILDER),
    Direction.MORE_SEVERE.value: ("a worse record", lambda pair: pair.other.direction is Direction.MORE_SEVERE),
    DENIED: (
        "a worse record, if the decision on the record as it is was the harshest",
        lambda pair: pair.other.direction is Direction.MORE_SEVERE and pair.first.decision is pair.question.order[0],
    ),
}
"""For each kind: its words after "with", and a condition that selects its pairs."""
RULES: Final[Mapping[str, Callable[[Judgement], Judgement]]] = {
    "": lambda judged: judged,
    "YES and NO only": without_undecided,
    "UNDECIDED as in the paper": as_in_paper,
}
"""Rules for UNDECIDED: how each changes a judgement."""
COIN: Final[Mapping[Decision, float]] = {Decision.NO: 0.5, Decision.UNDECIDED: 0.0, Decision.YES: 0.5}

Sizes = tuple[int, int]
"""Numbers of milder and of more severe records of a defendant."""


@dataclass(frozen=True, slots=True)
class HearingCounts:
    """Counts other than contradictions, for one question."""

    decisions: Mapping[Decision, int]
    """Decisions on different records, without the control."""
    missing_pairs: int
    """Pairs without a decision on the changed record, for defendants that count."""
    ties: int
    """Records without a majority."""
    unmoved: int
    """Defendants with the same decision on all their records."""
    no_milder: int
    """Defendants whose record can't be made milder."""
    fewer_milder: int
    """Defendants with fewer milder records than more severe ones, including those without any."""


def counts_of(hearings: Sequence[Hearing]) -> HearingCounts:
    """Counts other than contradictions."""
    decisions = Counter(judged.decision for hearing in hearings if hearing.compared for judged in hearing.judgements)
    heard = [judged for hearing in hearings for judged in (*hearing.judgements, *filter(None, (hearing.again,)))]
    numbers = [(hearing.case.number(Direction.MILDER), hearing.case.number(Direction.MORE_SEVERE)) for hearing in hearings]
    return HearingCounts(
        decisions={decision: decisions[decision] for decision in Decision},
        missing_pairs=sum(len(hearing.others) - len(hearing.compared) for hearing in hearings if hearing.compared),
        ties=sum(judged.tied for judged in heard),
        unmoved=sum(
            len({decision for pair in hearing.compared for decision in pair.decisions or ()}) == 1 for hearing in hearings
        ),
        no_milder=sum(milder == 0 for milder, _ in numbers),
        fewer_milder=sum(milder < severe for milder, severe in numbers),
    )


def count_hearings(hearings: Sequence[Hearing], question: DefendantQuestion = DefendantQuestion.BAIL) -> tuple[Effect, ...]:
    """The effect of each kind of change, then of the control. The order of the hearings does not matter.

    A defendant counts if there is a decision on the record as it is and on at least one changed record. A pair counts if both
    records have a decision. In the control the same record is judged twice; it is a contradiction if the decisions differ.
    """
    treatments = _treatments(hearings, question)
    *effects, control = effects_of([_case(hearing) for hearing in hearings], treatments, EVENTS)
    pairs = [pair for hearing in hearings for pair in hearing.compared]
    shown = _kinds(question)
    return (
        *(_with_pairs(effect, list(filter(shown[effect.treatment.name], pairs)), hearings, question)
          if effect.treatment.name in shown else effect
          for effect in effects),
        _with_chance(control),
    )  # fmt: skip


def name_of(kind: str, question: DefendantQuestion = DefendantQuestion.BAIL, rule: str = "") -> str:
    """Compose the name of a treatment.

    >>> name_of("milder", DefendantQuestion.RECIDIVISM, "YES and NO only")
    'another crime: milder (YES and NO only)'
    """
    return f"{'' if question is DefendantQuestion.BAIL else f'{CRIME}: '}{kind}{f' ({rule})' if rule else ''}"


def by_chance(
    shares: Mapping[Decision, float], sizes: Sequence[Sizes], question: DefendantQuestion = DefendantQuestion.BAIL
) -> tuple[float, float]:
    """Expected share of defendants and of pairs with a contradiction, for a judge that decides at random with these shares.

    All decisions are independent. A defendant whose original record got o has no contradiction if every more severe record gets
    at most o and every milder one at least o: P(at most o)^severe * P(at least o)^milder, averaged over o. A pair is
    contradicted with probability P(first < second), the same in both directions.

    >>> by_chance(COIN, [(0, 1), (1, 1)])  # pair: 1/4; defendants: 1/4 and 1/2
    (0.375, 0.25)
    """
    order = question.order
    at_most = {decision: fsum(shares[other] for other in order[: index + 1]) for index, decision in enumerate(order)}
    at_least = {decision: fsum(shares[other] for other in order[index:]) for index, decision in enumerate(order)}
    escapes = [
        fsum(shares[decision] * at_most[decision] ** severe * at_least[decision] ** milder for decision in order)
        for milder, severe in sizes
    ]
    pair = fsum(shares[decision] * (1 - at_most[decision]) for decision in order)
    return 1 - fsum(escapes) / len(sizes), pair


def _kinds(question: DefendantQuestion) -> dict[str, Shows]:
    """Conditions that select pairs, by treatment name: kinds and features, under the default rule for UNDECIDED."""
    named = {name_of(kind, question): shows for kind, (_, shows) in KINDS.items()}
    return named | {name_of(feature.value, question): _changing(feature) for feature in Feature}


def _changing(feature: Feature) -> Shows:
    return lambda pair: feature in pair.other.changed


def _treatments(hearings: Sequence[Hearing], question: DefendantQuestion) -> list[Treatment]:
    asks_bail = question is DefendantQuestion.BAIL
    changed = {pair.other.changed for hearing in hearings for pair in hearing.compared}
    kinds = [
        Treatment(
            name_of(kind, question, rule),
            about if asks_bail else f"{about}, asked about another crime",
            label=name_of(rule or kind, question),
            group=question.value,
            is_detail=not asks_bail or bool(rule) or kind == DENIED,
        )
        for rule in RULES
        for kind, (about, _) in KINDS.items()
    ]
    features = [
        Treatment(name_of(feature.value, question), f"{feature.value} changed", group=question.value, is_detail=True)
        for feature in Feature
        if any(feature in features for features in changed)
    ]
    return [*kinds, *features, Treatment(name_of(AGAIN, question), is_control=True)]


def _case(hearing: Hearing) -> Case:
    events: dict[str, dict[str, Event]] = {}
    for rule, judged_by in RULES.items():
        if pairs := hearing.by_rule(judged_by).compared:
            for kind, (_, shows) in KINDS.items():
                events[name_of(kind, hearing.question, rule)] = _happened(filter(shows, pairs))
    if hearing.compared:
        for feature in Feature:
            events[name_of(feature.value, hearing.question)] = _happened(filter(_changing(feature), hearing.compared))
    decisions = [judged and judged.decision for judged in (hearing.original, hearing.again)]
    if None not in decisions:
        differ = decisions[0] is not decisions[1]
        blatant = differ and Decision.UNDECIDED not in decisions
        events[name_of(AGAIN, hearing.question)] = {CONTRADICTED: differ, BLATANT: blatant}
    left_out = {} if hearing.compared else {hearing.question.value: NO_PAIR}
    return Case((hearing.case.defendant.id,), events, left_out)


def _happened(pairs: Iterable[JudgedPair]) -> dict[str, Event]:
    contradicted = [pair for pair in pairs if pair.violation]
    return {CONTRADICTED: bool(contradicted), BLATANT: any(pair.blatant for pair in contradicted)}


def _with_pairs(
    effect: Effect, pairs: Sequence[JudgedPair], hearings: Sequence[Hearing], question: DefendantQuestion
) -> Effect:
    """Add the rates of pairs, the decisions before and after a change, and what random judges would get."""
    groups = [(pair.defendant.id,) for pair in pairs]
    rates = {
        **effect.rates,
        PAIRS: Rate.of([pair.violation for pair in pairs], groups),
        BLATANT_PAIRS: Rate.of([pair.blatant for pair in pairs], groups),
    }
    numbers: Mapping[str, float | None] = {}
    if effect.treatment.name == name_of(ANY, question):
        numbers = _chance_of(hearings, question)
    elif effect.treatment.name in {name_of(direction.value, question) for direction in Direction}:
        counter = Counter(pair.decisions for pair in pairs)
        numbers = {f"{first} to {second}": counter[first, second] for first in Decision for second in Decision}
    return replace(effect, rates=rates, numbers=numbers)


def _chance_of(hearings: Sequence[Hearing], question: DefendantQuestion) -> dict[str, float | None]:
    """Shares of defendants and of pairs for a coin, and for a judge that decides at random with the model's own shares."""
    decisions = counts_of(hearings).decisions
    if not (total := sum(decisions.values())):
        return {}
    own = {decision: number / total for decision, number in decisions.items()}
    sizes = [_sizes(hearing.compared) for hearing in hearings if hearing.compared]
    numbers: dict[str, float | None] = {}
    for judge, shares in (("coin", COIN), ("own_shares", own)):
        numbers[judge], numbers[f"{judge}_pairs"] = by_chance(shares, sizes, question)
    return numbers


def _sizes(pairs: Sequence[JudgedPair]) -> Sizes:
    milder = sum(pair.other.direction is Direction.MILDER for pair in pairs)
    return milder, len(pairs) - milder


def _with_chance(control: Effect) -> Effect:
    """Add the share of pairs that chance alone would contradict: half of the changes, since neither judgement comes first."""
    changed = control.rates[CONTRADICTED]
    if changed.least is None:
        return control
    interval = Interval(changed.interval.lower / 2, changed.interval.upper / 2)
    return replace(control, estimates={BY_CHANCE: Estimate(changed.least / 2, interval, changed.n)})
