"""Makes the finding from the candidates' answers: verdicts, intervals, categories, and questions still needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import fsum

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.attempts.attempt import PROCEDURE_VERSION, AttemptHistory
from vivavoce.certificate.claims.claim import brief, range_of
from vivavoce.certificate.comparison import compared
from vivavoce.certificate.comparison.asking import BlindJudging
from vivavoce.certificate.comparison.config import ROUNDING, ComparisonConfig, as_settled
from vivavoce.certificate.comparison.drawing import UnitPosition
from vivavoce.certificate.comparison.evidence import PairedEvidence, PairStatement, differences, share_testing
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.paired_answers import PairedAnswers
from vivavoce.certificate.report.caveats import followed_up
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.json_values import given
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Scope, Signature
from vivavoce.scopes.questions import Question
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.differences import FRACTIONS, DifferenceTests
from vivavoce.version import __version__

MOST_CATEGORIES = 100
BLOCK = 4_096
"""Differences whose bets are computed at a time."""


def concluded(
    interviews: Sequence[Interview[Prompt, Reply]],
    scope: Scope[Question],
    config: ComparisonConfig,
    attempt: AttemptHistory,
    evidence: PairedEvidence,
    protocol: PairedAnswers,
    left_out: int,
    judging: BlindJudging | None = None,
) -> Comparison:
    """The finding on all answers taken; `judging`: the judge's work, if one grades."""
    pairs = pair_differences(config, attempt.delta, evidence, protocol)
    caveats = dict.fromkeys(caveat for interview in interviews for caveat in interview.caveats)
    caveats |= dict.fromkeys(getattr(scope, "notes", ()))
    judge_ended = "" if judging is None else judging.exhausted
    exhausted = [f"{interview.candidate.name}, {interview.exhausted}" for interview in interviews if interview.exhausted]
    if judging is not None:
        caveats |= dict.fromkeys(judging.judge.caveats)
        exhausted += [f"{judging.judge.name}, {judge_ended}"] if judge_ended else []
    scores, places = protocol.scores(), protocol.places
    names = compared.short_names([interview.candidate.name for interview in interviews])
    titles = [name + followed_up(interview.settings) for name, interview in zip(names, interviews, strict=True)]
    return Comparison(
        candidates=tuple(
            replace(
                _candidate(index, interview, attempt.delta, protocol, scores, places, judged=judging is not None), title=title
            )
            for index, (interview, title) in enumerate(zip(interviews, titles, strict=True))
        ),
        pairs=pairs,
        scope=brief(scope.name),
        scope_size=getattr(scope, "size", None),
        left_out=left_out,
        config=config,
        questions=protocol.asked,
        exhausted=tuple(exhausted),
        asked_so=tuple(caveats),
        drawn=None if protocol.drawn is None else tuple(tally.found for tally in protocol.drawn),
        signature=_signature(interviews, scope, config, attempt, protocol, judging),
        ended=tuple((interview.candidate.name, ended) for interview in interviews if (ended := interview.ended) is not None),
        strict_faults=any("strict_faults" in interview.settings for interview in interviews),
        drawing=protocol.drawing.kind,
        largest_weight=protocol.drawing.means.largest if protocol.drawing.kind == "weights" else None,
        grading=None if judging is None else judging.grading,
        judge_ended=judge_ended,
    )


def pair_differences(
    config: ComparisonConfig, delta: float, evidence: PairedEvidence, protocol: PairedAnswers
) -> tuple[compared.PairDifference, ...]:
    (least, most), means, every_place = protocol.differences(), evidence.means, protocol.places
    prompts = np.concatenate([[0], np.cumsum(protocol.prompts, dtype=np.intp)])
    per_pair = delta if evidence.rule == "share" else delta / len(evidence.pairs)

    def intervals(error: float, margin: float = 0.0) -> Floats:
        """Mean scores of each pair on the questions that count for it: shape (P, 2)."""
        over = np.arange(least.shape[1]) >= evidence.n[:, None]
        low, high = (np.where(over, np.nan, ends) if over.any() else ends for ends in (least, most))
        return np.stack(means.bounds(low, high, every_place, error, margin=margin), axis=1)

    ends = intervals(per_pair)
    sides = intervals(min(2 * per_pair, 1 - ROUNDING), config.margin) if evidence.made.any() else ends
    alone = len(evidence.pairs) == 1
    as_read = verdicts_as_read(evidence, protocol, config.margin) if any(protocol.assumed) else None
    differences = []
    for index, pair in enumerate(evidence.pairs.tolist()):
        n = int(evidence.n[index])
        low, high = least[index, :n], most[index, :n]
        places = every_place if n == len(every_place) else every_place[:n]
        mean = (means.mean(low, places), means.mean(high, places)) if n else None
        complete = n == means.population and bool((low == high).all())
        sure = exact_verdict(*mean, config.margin) if mean and n == means.population else None
        verdict = sure or _stated(evidence.made[index])
        shown = shown_bounds(_stated(evidence.made[index]), ends[index], sides[index], config.margin)
        if mean and n == means.population:
            shown = None if complete or verdict == "undecided" else Interval(*mean)
        differences.append(
            compared.PairDifference(
                pair=(pair[0], pair[1]),
                verdict=verdict,
                questions=int(prompts[n]),
                difference=Estimate(fsum(mean) / 2 if mean else None, Interval(*ends[index].tolist()), n),
                better=int((low > 0).sum()),
                worse=int((high < 0).sum()),
                log_e=tuple(evidence.log_e[index].tolist()),
                complete=complete,
                still_needed=None
                if verdict != "undecided" or n == 0 or evidence.hidden[index]
                else _still_needed(
                    means.counted((low + high) / 2, places),
                    evidence.log_e[index],
                    config.margin / means.largest,
                    delta / len(evidence.pairs),
                    means.population,
                ),
                hidden=bool(evidence.hidden[index]),
                range=Interval(*mean) if mean and mean[1] - mean[0] > ROUNDING else None,
                unknown=int(((low <= 0) & (high >= 0) & (low < high)).sum()),
                shown=shown,
                as_read="undecided" if as_read is None or verdict != "undecided" else as_read[index],
                assumed=sum(protocol.assumed[candidate] for candidate in pair),
                discordant=tuple(protocol.discordant[index]),
                categories=_categories(protocol, low, high, delta) if alone else (),
                shares=_shares(low, high, places) if means.largest > 1 and n else None,
            )
        )
    return tuple(differences)


def verdicts_as_read(evidence: PairedEvidence, protocol: PairedAnswers, margin: float) -> list[compared.PairVerdict]:
    """The verdict on each pair if short replies that are assumed wrong are wrong."""
    least, most = protocol.scores_as_read()
    again = PairedEvidence(
        [(first, second) for first, second in evidence.pairs.tolist()],
        margin=margin,
        delta=evidence.delta,
        rule=evidence.rule,
        means=evidence.means,
    )
    for position, low, high in zip(protocol.places, least.T, most.T, strict=True):
        again.take(low, high, position)
    result, means, places = [], protocol.drawing.means, protocol.places
    for number, ends in enumerate(zip(*differences(again.pairs, least, most), strict=True)):
        n = int(again.n[number])
        mean = [means.mean(end[:n], places[:n]) for end in ends] if n and n == means.population else None
        result.append((exact_verdict(mean[0], mean[1], margin) if mean else None) or _stated(again.made[number]))
    return result


def shown_bounds(verdict: compared.PairVerdict, ends: Floats, sides: Floats, margin: float) -> Interval | None:
    """The bounds that decided this verdict, on the same side of the limit as in the test.

    ends, sides: of the interval, and of one whose ends are each at the level that a margin is tested at.

    >>> shown_bounds("not worse", np.array([-0.03, 0.2]), np.array([-0.0201, 0.1]), 0.02)
    Interval(lower=-0.02, upper=1.0)
    """
    match verdict:
        case "better":
            return Interval(max(float(ends[0]), 0.0), 1.0)
        case "worse":
            return Interval(-1.0, min(float(ends[1]), 0.0))
        case "equivalent":
            return Interval(max(float(sides[0]), -margin), min(float(sides[1]), margin))
        case "not worse":
            return Interval(max(float(sides[0]), -margin), 1.0)
    return None


def _shares(low: Floats, high: Floats, places: Sequence[UnitPosition]) -> tuple[float, float]:
    """Shares by weight of the questions on which the first was better, and the second."""
    weights = np.array([position.share for position in places])
    first, second = (float(weights[better].sum() / weights.sum()) for better in (low > 0, high < 0))
    return first, second


def _stated(made: NDArray[np.bool_]) -> compared.PairVerdict:
    """The verdict of the first statement that was made."""
    if made[PairStatement.BETTER]:
        return "better"
    if made[PairStatement.WORSE]:
        return "worse"
    if made[PairStatement.NO_WORSE] and made[PairStatement.NO_BETTER]:
        return "equivalent"
    return "not worse" if made[PairStatement.NO_WORSE] else "undecided"


def exact_verdict(low: float, high: float, margin: float) -> compared.PairVerdict | None:
    """The verdict once all of a finite scope was asked: only unparsed replies leave it open.

    >>> exact_verdict(0.0, 0.0, 0.0), exact_verdict(-0.01, 0.1, 0.02), exact_verdict(-0.1, 0.1, 0.02)
    ('equivalent', 'not worse', 'undecided')
    """
    if low > ROUNDING:
        return "better"
    if high < -ROUNDING:
        return "worse"
    if max(abs(low), abs(high)) <= margin + ROUNDING:
        return "equivalent"
    return "not worse" if margin and low >= -margin - ROUNDING else "undecided"


def _still_needed(d: Floats, log_e: Floats, margin: float, delta: float, population: int | None) -> int | None:
    """Further units until one is shown to be better, or both equivalent, if the trend continues: the smaller number."""
    goal = np.log(2 / delta)
    sides = [(d, 0.0, log_e[0]), (-d, 0.0, log_e[1])]
    needed = [(goal - reached) / growth for values, null, reached in sides if (growth := _growth(values, null)) > 0]
    if margin:
        both = [(_growth(side, -margin), reached) for side, reached in ((d, log_e[2]), (-d, log_e[3]))]
        if all(growth > 0 for growth, _ in both):
            needed.append(max((np.log(1 / delta) - reached) / growth for growth, reached in both))
    return _whole(needed, d.size, population)


def needed_for(sides: Sequence[tuple[Floats, float, float]], delta: float, population: int | None) -> int | None:
    """Further units until one of these statements is made, if the trend continues: the smallest number.

    sides: of each statement the differences so far, its null "at most this", and the logarithm of its e-value.
    """
    needed = [(np.log(1 / delta) - reached) / growth for d, null, reached in sides if (growth := _growth(d, null)) > 0]
    return _whole(needed, sides[0][0].size, population)


def _whole(needed: Sequence[float], asked: int, population: int | None) -> int | None:
    left = None if population is None else population - asked
    if not needed or not np.isfinite(min(needed)):
        return left
    whole = max(1, int(np.ceil(min(needed))))
    return whole if left is None else min(whole, left)


def _growth(d: Floats, null: float) -> float:
    """The growth of the best bet per unit; 0 if no bet grows."""
    gains = np.zeros(FRACTIONS.size)
    for start in range(0, d.size, BLOCK):  # a table of all questions would take most of the memory of an examination
        ratio = (1 + d[start : start + BLOCK]) / (1 + null) - 1
        gains += np.log1p(ratio[:, None] * FRACTIONS).sum(axis=0)
    return max(0.0, float(gains.max()) / d.size)


def _categories(protocol: PairedAnswers, low: Floats, high: Floats, delta: float) -> tuple[compared.CategoryDifference, ...]:
    """The difference in each category, with verdicts by e-BH over all: of these an expected share of at most delta is wrong.

    Each is a population of its own, see `drawing`.
    """
    categories, every_place = protocol.categories[: low.size], protocol.places
    listed = sorted(set(categories))
    if not 2 <= len(listed) <= MOST_CATEGORIES:
        return ()
    numbers = np.fromiter(map({name: number for number, name in enumerate(listed)}.__getitem__, categories), dtype=np.uint8)
    rows, evidence = [], np.zeros((len(listed), 4))
    for index, name in enumerate(listed):
        of, means = np.flatnonzero(numbers == index), protocol.drawing.category(name)
        places = [every_place[unit] for unit in of]
        least, most = low[None, of], high[None, of]
        tests = DifferenceTests([0.0, 0.0], population=means.population)
        evidence[index, :2] = tests.take(means.counted(np.concatenate([least, -most]), places))
        lower, upper = means.bounds(least, most, places, delta)
        value, ends = _between(means.mean(least[0], places), means.mean(most[0], places))
        rows.append((name, Estimate(value, Interval(float(lower[0]), float(upper[0])), of.size), ends))
    rejected = share_testing(evidence, delta, nulls=2)
    verdicts: list[compared.PairVerdict] = [
        "better" if signs[0] else "worse" if signs[1] else "undecided" for signs in rejected[:, :2]
    ]
    return tuple(
        compared.CategoryDifference(name, estimate, verdict, ends)
        for (name, estimate, ends), verdict in zip(rows, verdicts, strict=True)
    )


def _between(least: float, most: float) -> tuple[float, Interval | None]:
    """The middle of the range of a mean, and the range; None if it is one number."""
    return (least + most) / 2, range_of(least, most)


def _candidate(
    index: int,
    interview: Interview[Prompt, Reply],
    delta: float,
    protocol: PairedAnswers,
    scores: tuple[Floats, Floats],
    places: Sequence[UnitPosition],
    *,
    judged: bool,
) -> compared.ComparedCandidate:
    """scores: of all candidates. judged: whether some answers were graded ahead and do not count."""
    spending = interview.spending_after(protocol.answers[index]) if judged else interview.spending
    n, means = _answered(index, protocol), protocol.drawing.means
    low, high, places = scores[0][index, :n], scores[1][index, :n], places[:n]
    if not n:
        return compared.ComparedCandidate(interview.candidate.name, Estimate(None, Interval(0.0, 1.0), 0), 0, 0, spending)
    value, ends = _between(means.mean(low, places), means.mean(high, places))
    return compared.ComparedCandidate(
        interview.candidate.name,
        Estimate(value, Interval(*means.score_bounds(low, high, places, delta)), n),
        protocol.questions[index],
        protocol.unread(index),
        spending,
        answers=protocol.answers[index],
        unread=protocol.ungraded[index].replies,
        unread_judgements=protocol.unread_judgements[index],
        score_range=ends,
    )


def _answered(index: int, protocol: PairedAnswers) -> int:
    """Units that a candidate answered: the first ones."""
    asked, n = 0, 0
    for prompts in protocol.prompts:
        if asked == protocol.answers[index]:
            break
        asked, n = asked + prompts, n + 1
    return n


def _signature(
    interviews: Sequence[Interview[Prompt, Reply]],
    scope: Scope[Question],
    config: ComparisonConfig,
    attempt: AttemptHistory,
    protocol: PairedAnswers,
    judging: BlindJudging | None,
) -> Signature:
    settings = as_settled(config, without=("seed",)) | protocol.drawing.settings
    settings |= {} if judging is None else judging.settings
    settings |= {"bets": PROCEDURE_VERSION} | given(bet_margin=attempt.held.margin)
    drawn = {"seed_commitment": attempt.seed.commitment[:12]} if attempt.seed.committed else {}
    document = {"attempt": attempt.number, "attempt_delta": attempt.delta, "numpy": np.__version__} | drawn
    candidates = " vs. ".join(interview.candidate.name for interview in interviews)
    return Signature(
        __version__, "comparison", candidates, brief(scope.name), scope.digest, attempt.told_seed, settings | document
    )
