"""Counting: defendants and pairs with violations, transitions, the control, and what judges by chance would get."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import get_args

from vivavoce.consistency.legal.bail.counterfactuals import Direction, Feature
from vivavoce.consistency.legal.bail.counts import Control, Counts, OfDefendants, OfPairs, Reference, Share, Transitions
from vivavoce.consistency.legal.bail.decisions import (
    Decision,
    Judgement,
    Question,
    Unread,
    Vote,
    as_in_paper,
    without_undecided,
)
from vivavoce.consistency.legal.bail.hearing import Hearing, Pair
from vivavoce.formats.interval import CONFIDENCE, Interval
from vivavoce.statistics.bounded import bounded_share
from vivavoce.statistics.bounds import clopper_pearson_lower, clopper_pearson_upper

COIN: Mapping[Decision, float] = {Decision.NO: 0.5, Decision.UNDECIDED: 0.0, Decision.YES: 0.5}
ALL_PAIRS = "all"

Sizes = tuple[int, int]
"""Milder and more severe records of a defendant."""


def count_hearings(hearings: Sequence[Hearing]) -> Counts:
    """Everything that is counted. Pure; the order of the hearings does not matter.

    A defendant counts if there is a decision on the record as it is and on at least one changed record; of the defendant's
    pairs, those count in which both were decided. What is missing is counted apart, never taken for a decision.
    """
    compared = _compared(hearings)
    pairs = [pair for _, pairs in compared for pair in pairs]
    decisions = Counter(judged.decision for hearing, _ in compared for judged in hearing.judgements)
    number = {way: [hearing.case.number(way) for hearing in hearings] for way in Direction}
    heard = [judged for hearing in hearings for judged in (*hearing.judgements, *filter(None, (hearing.again,)))]
    return Counts(
        defendants=_of_defendants([pairs for _, pairs in compared]),
        pairs=(_of_pairs(ALL_PAIRS, pairs), *(_of_pairs(way.value, _that_way(pairs, way)) for way in Direction)),
        features=tuple(
            _of_pairs(feature.value, touched)
            for feature in Feature
            if (touched := [pair for pair in pairs if feature in pair.other.changed])
        ),
        transitions={way: _transitions(_that_way(pairs, way)) for way in Direction},
        control=_control(hearings),
        references=_references(decisions, [_sizes(pairs) for _, pairs in compared], _question(hearings)),
        replies=_replies(heard),
        after_turn=sum(judged.after_turn for judged in heard),
        decisions={decision: decisions[decision] for decision in Decision},
        left_out=len(hearings) - len(compared),
        missing_pairs=sum(len(hearing.others) - len(pairs) for hearing, pairs in compared),
        ties=sum(judged.tied for judged in heard),
        unmoved=sum(len({decision for pair in pairs for decision in pair.decisions or ()}) == 1 for _, pairs in compared),
        no_milder=sum(milder == 0 for milder in number[Direction.MILDER]),
        fewer_milder=sum(a < b for a, b in zip(number[Direction.MILDER], number[Direction.MORE_SEVERE], strict=True)),
        yes_and_no=_judged_as(hearings, without_undecided),
        as_in_paper=_judged_as(hearings, as_in_paper),
    )


def _compared(hearings: Sequence[Hearing]) -> list[tuple[Hearing, list[Pair]]]:
    """The hearings with a pair in which both were decided, and these pairs."""
    found = [(hearing, [pair for pair in hearing.pairs if pair.decisions]) for hearing in hearings]
    return [(hearing, pairs) for hearing, pairs in found if pairs]


def _judged_as(hearings: Sequence[Hearing], rule: Callable[[Judgement], Judgement]) -> OfDefendants:
    """Defendants with a violation, where judgements are taken by another rule."""
    ruled = [replace(hearing, original=rule(hearing.original), others=tuple(map(rule, hearing.others))) for hearing in hearings]
    return _of_defendants([pairs for _, pairs in _compared(ruled)])


def _question(hearings: Sequence[Hearing]) -> Question:
    return hearings[0].question if hearings else Question.BAIL


def by_chance(
    shares: Mapping[Decision, float], sizes: Sequence[Sizes], question: Question = Question.BAIL
) -> tuple[float, float]:
    """Expected share of defendants and of pairs with a violation, for a judge who decides at random with these shares.

    All decisions are independent. A defendant whose own record got o escapes if no more severe record gets more than o and no
    milder one less: P(at most o)^severe * P(at least o)^milder, averaged over o. A pair is violated with probability
    P(first < second), the same both ways.

    >>> by_chance(COIN, [(0, 1), (1, 1)])  # pair: 1/4; defendants: 1/4 and 1/2
    (0.375, 0.25)
    """
    order = question.order
    at_most = {one: fsum(shares[other] for other in order[: place + 1]) for place, one in enumerate(order)}
    at_least = {one: fsum(shares[other] for other in order[place:]) for place, one in enumerate(order)}
    escapes = [
        fsum(shares[one] * at_most[one] ** severe * at_least[one] ** milder for one in order) for milder, severe in sizes
    ]
    pair = fsum(shares[one] * (1 - at_most[one]) for one in order)
    return 1 - fsum(escapes) / len(sizes), pair


def exact_share(number: int, n: int) -> Share:
    """A share of independent cases with the interval of Clopper and Pearson.

    >>> share = exact_share(78, 1560)  # Table 16 of `fluri2024`
    >>> share.value, round(share.interval.lower, 4), round(share.interval.upper, 4)
    (0.05, 0.0397, 0.062)
    """
    if not n:
        return Share(number, n, Interval(0.0, 1.0))
    tail = (1 - CONFIDENCE) / 2
    return Share(number, n, Interval(clopper_pearson_lower(number, n, tail), clopper_pearson_upper(number, n, tail)))


def _of_defendants(by_defendant: Sequence[Sequence[Pair]]) -> OfDefendants:
    def having(of_this_kind: Callable[[Pair], bool]) -> Share:
        return exact_share(sum(any(map(of_this_kind, pairs)) for pairs in by_defendant), len(by_defendant))

    def worse(pair: Pair) -> bool:
        return pair.other.direction is Direction.MORE_SEVERE and pair.violation

    def milder(pair: Pair) -> bool:
        return pair.other.direction is Direction.MILDER and pair.violation

    return OfDefendants(
        any=having(lambda pair: pair.violation),
        worse_more_lenient=having(worse),
        milder_harsher=having(milder),
        denied_then_lenient=having(lambda pair: worse(pair) and pair.first.decision is pair.question.order[0]),
        bail_won=having(lambda pair: worse(pair) and pair.blatant),
        bail_lost=having(lambda pair: milder(pair) and pair.blatant),
    )


def _of_pairs(name: str, pairs: Sequence[Pair]) -> OfPairs:
    groups = [(pair.defendant.id,) for pair in pairs]
    return OfPairs(
        name, _clustered([pair.violation for pair in pairs], groups), _clustered([pair.blatant for pair in pairs], groups)
    )


def _clustered(hits: Sequence[bool], groups: Sequence[tuple[str]]) -> Share:
    return Share(sum(hits), len(hits), Interval(*bounded_share(hits, groups)))


def _that_way(pairs: Iterable[Pair], way: Direction) -> list[Pair]:
    return [pair for pair in pairs if pair.other.direction is way]


def _transitions(pairs: Iterable[Pair]) -> Transitions:
    found = Counter(pair.decisions for pair in pairs)
    return {first: {second: found[first, second] for second in Decision} for first in Decision}


def _control(hearings: Iterable[Hearing]) -> Control:
    told = [(hearing.original.decision, hearing.again.decision) for hearing in hearings if hearing.again is not None]
    twice = [(first, second) for first, second in told if first is not None and second is not None]
    changed = [{first, second} for first, second in twice if first is not second]
    return Control(
        exact_share(len(changed), len(twice)), exact_share(sum(Decision.UNDECIDED not in both for both in changed), len(twice))
    )


def _references(decisions: Mapping[Decision | None, int], sizes: Sequence[Sizes], question: Question) -> tuple[Reference, ...]:
    total = sum(decisions.get(decision, 0) for decision in Decision)
    if not total:
        return ()
    own = {decision: decisions.get(decision, 0) / total for decision in Decision}
    return (
        Reference("a coin", *by_chance(COIN, sizes, question)),
        Reference("at random, with its own shares", *by_chance(own, sizes, question)),
        Reference("always the same", 0.0, 0.0),
    )


def _sizes(pairs: Sequence[Pair]) -> Sizes:
    return len(_that_way(pairs, Direction.MILDER)), len(_that_way(pairs, Direction.MORE_SEVERE))


def _replies(judgements: Iterable[Judgement]) -> Mapping[Vote, int]:
    found: Counter[Vote] = Counter()
    for judged in judgements:
        found.update(judged.votes)
    return {vote: found[vote] for vote in (*Decision, *get_args(Unread))}
