"""Evidence on the difference between candidates from paired answers, with or without a history, and when it is enough.

D is the mean difference of two candidates' scores, first minus second, and m the margin. Each of four statements rejects a
null:

    better     D <= 0        worse      D >= 0
    not worse  D <= -m       not better D >= m      (by more than the margin; only where it is above 0)

"Equal" is "not worse" and "no better". Each null has an e-process: of better and worse a mixture M of the bets of
`statistics.differences` and a plug-in bet P, of the margins E = (M + P) / 2 (`statistics.plug_in`). Without a margin at first,
over strata and with a history there are no plug-in bets, and E is M.

Any wrong statement (`any`): P(any statement on any pair is ever wrong) <= delta. The true nulls of a pair are one of five
sets: {D <= 0, D <= -m}, {D <= 0}, {D <= 0, D >= 0}, {D >= 0}, {D >= 0, D >= m}. Each set has an e-process: the one of D <= -m
for the first, the mean of those of D <= 0 and D >= 0 for the third, and so on. The mean over all P pairs of those that
belong to the true sets is one, too, stopped where a pair was settled before: all are supermartingales with regard to all
answers so far, or below one that begins at 1 (`drawing`). So with probability 1 - delta it is below 1/delta for ever. A
statement is made when for *every* choice of sets in which its null is true this mean is 1/delta or more at that moment. A
wrong statement has its null in the true sets, so it needs the true mean to be 1/delta or more. That is closed testing
(`vovk2021`), and statements that were made are kept. For two candidates this means: direction at delta/2 on each side, margins
at delta. It needs nothing but that each process is an e-process.

Share of wrong ones (`share`): e-BH (`wang2022`) over all K nulls of all pairs, after every question. A rejected null stays
rejected, although e-values of unsettled pairs may fall again, and e-BH would then reject fewer. The expected share of wrong
statements among all that were made is still at most delta. A null i that is rejected at time t_i is among k_i nulls that e-BH
rejects then, so its e-value is at least K / (delta k_i) at that time. All k_i stay rejected, so the number R of statements in
the end is at least k_i, and 1/R <= 1/k_i <= e_i(t_i) delta / K. The share of wrong statements is the sum of 1/R over the true
nulls that were rejected, so at most delta / K times the sum of e_i(t_i) over all true nulls, with t_i the end for those that
were not rejected. t_i is a stopping time with regard to all answers, so each e_i(t_i) has an expectation of at most 1.

A gate (`gate`) makes two of these statements of its one pair and stops at the first: "not worse", where the margin is above
0, and "worse". Where both are made by the same question it is "not worse" that counts.

Several claims on the same answers (`any`). A comparison and a gate of the same candidates, in either order and with margins
that are chosen after looking, make at most delta of wrong statements together. The plug-in bets of all claims are those for
the margin of the first claim, which is on record before the first answer (`RecordedAttempt.margin`). So M and E against
"D is at most c" fall as c rises, on every path (`statistics.differences`, `plug_in`, `stratified`). Let d be the true
difference of the only pair. If d < 0, the wrong statements are "better", and "not worse" with margins up to -d. The first
needs M(0) >= 2 / delta, and E(d) >= M(d) / 2 >= M(0) / 2. The others need E(-m) >= 1 / delta for some -m >= d, and E(d) >=
E(-m). So each needs E(d) >= 1 / delta: one event, of probability at most delta (Ville). If d > 0, it is the mirror. If d = 0,
no margin can be wrong, and "better" and "worse" have delta/2 each. With several pairs, take for each pair E(d), its mirror, or
the mean of M(0) and its mirror if d = 0. The least value that the test above allows for a pair is at most M(0) / 2, and so at
most this one; for the pair of a wrong statement, the value in the test is so as well. So a wrong statement needs the mean of
these e-processes to be 1/delta.

With a history the bets may not fall this way. So another margin is another attempt, and the statements at one margin are those
of the closed test.

Where a baseline's answers are on record, half of the variance of a difference is known beforehand: on MMLU-Pro a median of 50%
between two of 17 models, of which the answers of the second are in the history, and 4% where neither's are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final, Literal, Self

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.comparison.config import Rule
from vivavoce.certificate.comparison.drawing import UNWEIGHTED, Means, OneByOne, PairedDrawing, PairTests, UnitPosition
from vivavoce.certificate.config import refuse
from vivavoce.certificate.design.drawing import AsDrawn
from vivavoce.certificate.design.history import NO_LIST, PRECISION, History, HistoryUse, filled, share_of_others
from vivavoce.certificate.evidence.drawn_once import with_history
from vivavoce.errors import BadInput
from vivavoce.interview.scope import Scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.differences import FRACTIONS
from vivavoce.statistics.multiple import e_bh_each
from vivavoce.statistics.predictions import Predictions, ResidualTests, mixed

Pair = tuple[int, int]
Stopping = Rule | Literal["gate"]
"""The rule for making statements: one of a comparison's rules, or a gate's."""
LARGEST: Final = 600.0
"""Logarithm: a larger e-value counts as this, so that sums stay finite."""
_ROUNDING: Final = 1e-9
HIDDEN: Final = 0.02
"""The smallest distance between the ends of a difference."""
_WORTH: Final = 0.75
"""Settled pairs are dropped if the share of unsettled pairs falls below this."""


class PairStatement(IntEnum):
    """A statement about the first of a pair; its number is the number of its null."""

    BETTER = 0
    WORSE = 1
    NO_WORSE = 2
    NO_BETTER = 3


class PairedEvidence:
    """Evidence on all pairs of candidates, question by question.

    Parameters
    ----------
    pairs: places of the first and the second candidate.
    margin: in [0, 1); 0: there is no "not worse" and no "equivalent".
    population: number of questions if each is drawn once; None if they are i.i.d.
    means: how questions are drawn; None: so, and each counts alike.

    Example
    -------
    >>> evidence = PairedEvidence([(0, 1)], margin=0.0, delta=0.05)
    >>> for _ in range(9):
    ...     evidence.take(np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    >>> bool(evidence.made[0, PairStatement.BETTER]), int(evidence.n[0])
    (True, 8)
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        *,
        margin: float,
        delta: float,
        rule: Stopping = "any",
        population: int | None = None,
        means: Means | None = None,
    ) -> None:
        count = len(pairs)
        self.pairs = np.array(pairs, dtype=np.intp).reshape(count, 2)
        self.margin, self.delta, self.rule = margin, delta, rule
        self.means = means or OneByOne(population)
        self.tests = self.means.tests(count, margin)
        """Tests of all unsettled pairs, and of some settled ones."""
        self.log_e = np.zeros((count, 4))
        """Log e-values of each null of each pair, shape (P, 4); settled pairs keep their values."""
        self.made: NDArray[np.bool_] = np.zeros((count, 4), dtype=bool)
        """Which statements are made, same shape."""
        self.n = np.zeros(count, dtype=np.intp)
        """Questions that count for each pair."""
        self._tested = np.arange(count)
        """The tested pairs: some are settled, since dropping them takes time."""
        self._closed: NDArray[np.bool_] = np.zeros(count, dtype=bool)
        self.hidden: NDArray[np.bool_] = np.zeros(count, dtype=bool)
        """Pairs of which no one can tell who is better, for what could not be read."""
        self._ends: tuple[PairTests, ...] = ()
        """Tests of the ends of all pairs' differences, beyond the margin and not beyond it; none while all is known."""

    @property
    def settled(self) -> NDArray[np.bool_]:
        """Which pairs need no more answers: they have a verdict, one candidate has no further answers, or unparsed replies
        prevent a verdict.
        """
        return self.decided | self._closed

    @property
    def decided(self) -> NDArray[np.bool_]:
        """Which pairs no further answer can change; pairs with a candidate that has run out of answers are not among them."""
        return settled_by(self.made, self.rule) | self.hidden

    def close(self, candidate: int) -> None:
        """Note that this candidate has no further answers."""
        self._closed |= (self.pairs == candidate).any(axis=1)

    def take(self, least: Floats, most: Floats, position: UnitPosition = UNWEIGHTED) -> None:
        """Take the answers of all candidates to the next question: the least and the most that each is worth, shape (K,).

        Entries for other candidates are ignored.
        """
        open_ = ~self.settled
        self._drop(open_)
        low, high = differences(self.pairs[self._tested], least, most)
        take = self.tests.take(low, high, position)
        still = open_[self._tested]
        self.log_e[self._tested[still]] = take[still]
        self.n += open_
        self.made |= statements(self.log_e, self.rule, self.delta, self.margin) & open_[:, None]
        if self.means.population is None:
            self._give_up(least, most, position, open_)

    def _give_up(self, least: Floats, most: Floats, position: UnitPosition, open_: NDArray[np.bool_]) -> None:
        """Close pairs for which unparsed replies are shown to hide which is better, on an endless scope.

        Then one end of the difference is beyond the margin, so the pair is not equal, and neither end is beyond it on its own
        side of 0, so neither is better by more than the margin; each is shown at delta. A gate needs the lower end below the
        margin, since it passes otherwise. Stopping makes no statement, so it causes no error.
        """
        low, high = differences(self.pairs, least, most)
        if not self._ends:
            if not (low < high)[open_].any():
                return
            margin = max(self.margin, HIDDEN)
            self._ends = tuple(self.means.aimed(0.0).tests(len(self.pairs), side * margin) for side in (-1, 1))
        # each end is swapped with the one that the bet uses
        shown = [tests.take(high, low, position)[:, PairStatement.NO_WORSE :] >= -np.log(self.delta) for tests in self._ends]
        above, below = shown[0].T
        beyond = below if self.rule == "gate" else above | below
        self.hidden |= open_ & ~self.settled & beyond & shown[1].all(axis=1)

    def _drop(self, open_: NDArray[np.bool_]) -> None:
        """Stop testing settled pairs once a quarter of all are settled."""
        still = open_[self._tested]
        if still.sum() < _WORTH * still.size:
            self.tests.drop(~still)
            self._tested = self._tested[still]


def statements(log_e: Floats, rule: Stopping, delta: float, margin: float) -> NDArray[np.bool_]:
    """Which statements are made under a rule, for logarithms of shape (..., P, 4)."""
    if rule == "gate":
        return gate_statements(log_e, delta, margin)
    new = share_testing(log_e, delta, nulls=4 if margin else 2) if rule == "share" else closed_testing(log_e, delta)
    if margin == 0:
        new[..., PairStatement.NO_WORSE :] = False
    return new


def settled_by(made: NDArray[np.bool_], rule: Stopping) -> NDArray[np.bool_]:
    """Which pairs need no more answers where these statements are made, of shape (..., P, 4): (..., P)."""
    better, worse, no_worse, no_better = np.moveaxis(made, -1, 0)
    result: NDArray[np.bool_] = worse | no_worse if rule == "gate" else better | worse | (no_worse & no_better)
    return result


def closed_testing(log_e: Floats, delta: float) -> NDArray[np.bool_]:
    """Which nulls are rejected with a chance of any wrong rejection of at most delta, for logarithms of shape (..., P, 4).

    With e-values b of D <= 0 and w of D >= 0, the set of both has (b + w) / 2. Here b / 2 and w / 2 replace it, which reject
    less. (b + w) / 2 would be valid for a single claim, but the proof above for several claims needs b >= 2 / delta for
    "better". And it would save next to nothing. With independent draws ln(1 + u d) <= u d, so b > 1 needs differences with a
    sum above 0, and w > 1 one below 0: the lesser of the two is at most 1. So (b + w) / 2 >= 1 / delta needs
    b >= 2 / delta - 1, for delta = .05 39 instead of 40.
    """
    better, worse, no_worse, no_better = np.moveaxis(np.minimum(log_e, LARGEST), -1, 0)
    half = np.log(2)
    # for each null the least e-value of a set that holds it
    least = np.stack([np.minimum(better - half, no_worse), np.minimum(worse - half, no_better), no_worse, no_better], axis=-1)
    smallest = np.exp(least.min(axis=-1))
    others = smallest.sum(axis=-1, keepdims=True) - smallest
    enough: NDArray[np.bool_] = np.exp(least) + others[..., None] >= log_e.shape[-2] / delta * (1 - _ROUNDING)
    return enough


def gate_statements(log_e: Floats, delta: float, margin: float) -> NDArray[np.bool_]:
    """The statements of a gate, for logarithms of shape (..., 4), each by itself: of both at once "not worse" alone."""
    made = np.zeros(log_e.shape, dtype=bool)
    enough = closed_testing(log_e[..., None, :], delta)[..., 0, :]
    made[..., PairStatement.NO_WORSE] = enough[..., PairStatement.NO_WORSE] & (margin > 0)
    made[..., PairStatement.WORSE] = enough[..., PairStatement.WORSE] & ~made[..., PairStatement.NO_WORSE]
    return made


def share_testing(log_e: Floats, delta: float, *, nulls: int = 4) -> NDArray[np.bool_]:
    """Which nulls are rejected with an expected share of wrong ones of at most delta, for logarithms of shape (..., P, 4).

    nulls: how many of each pair are tested, the first ones.
    """
    tested = log_e[..., :nulls]
    rejected = np.zeros(log_e.shape, dtype=bool)
    together = tested.reshape(*tested.shape[:-2], tested.shape[-2] * nulls)
    rejected[..., :nulls] = e_bh_each(together, delta).reshape(tested.shape)
    return rejected


def differences(pairs: NDArray[np.intp], least: Floats, most: Floats) -> tuple[Floats, Floats]:
    """The least and the most that each difference may be, first minus second, for scores of shape (K, ...): (P, ...)."""
    first, second = pairs.T
    return least[first] - most[second], most[first] - least[second]


OWN: Final = 0.5
"""The slope of a difference on an earlier score of the first candidate; negative for the second."""
TRUST, OWN_TRUST = 0.2, 0.9
"""Initial trust in predictions, if the history holds neither candidate, and if it holds one."""


@dataclass(frozen=True, slots=True)
class PredictedOneByOne(OneByOne):
    """Units in random order, each once, with predictions."""

    scores: Floats | None = None
    """Scores of others, shape (units, others); NaN if unknown."""
    pairs: tuple[Pair, ...] = ()
    own: tuple[int | None, ...] = ()
    """For each candidate, its index among the others."""

    def aimed(self, margin: float) -> Self:
        """The tests unchanged: bets on residuals replace plug-in bets."""
        return self

    def tests(self, pairs: int, margin: float) -> PairTests:
        """Bets on the residuals of predicted differences; an eighth of the capital bets without predictions."""
        return PredictedTests(self, margin)

    def predictions(self) -> list[Predictions]:
        """Predictions for each pair."""
        assert self.scores is not None
        return [_predictions(self.scores, self.own[first], self.own[second]) for first, second in self.pairs]


class PredictedTests:
    """One e-process for each null of each pair, as without a history."""

    def __init__(self, means: PredictedOneByOne, margin: float) -> None:
        assert means.population is not None
        count = len(means.pairs)
        self._plain = OneByOne(means.population).tests(count, margin)
        nulls = np.repeat([0.5, 0.5, (1 - margin) / 2, (1 - margin) / 2], count)
        conditioned = np.full((nulls.size, FRACTIONS.size), 0.5 / FRACTIONS.size)
        self._residual = ResidualTests(nulls, conditioned, population=means.population)
        self.predictions = means.predictions()
        """Of all pairs."""
        self._tested = list(self.predictions)

    def take(self, least: Floats, most: Floats, position: UnitPosition) -> Floats:
        """Take differences of each pair, as values (1 + d) / 2."""
        predicted = [predictions.at(position.number) for predictions in self._tested]
        halves = [pair.times(factor) for factor in (0.5, -0.5) for pair in predicted]
        plain = self._plain.take(least, most, position)
        residual = self._residual.take((1 + np.concatenate([least, -most, least, -most])) / 2, halves * 2)
        for predictions, middle in zip(self._tested, (least + most) / 2, strict=True):
            predictions.observe(position.number, float(middle))
        return mixed(plain, residual.reshape(4, -1).T)

    def drop(self, pairs: NDArray[np.bool_]) -> None:
        """Forget these pairs."""
        self._plain.drop(pairs)
        self._residual.drop(np.tile(pairs, 4))
        self._tested = [predictions for predictions, gone in zip(self._tested, pairs, strict=True) if not gone]


def _predictions(scores: Floats, first: int | None, second: int | None) -> Predictions:
    """Features: the share of others and, if known, the earlier scores of both candidates.

    first, second: indices of the two candidates among the others.
    """
    columns, prior = [share_of_others(scores)], [0.0]
    for own, slope in ((first, OWN), (second, -OWN)):
        if own is not None:
            column = filled(scores)[:, own]
            columns.append(column - column.mean())
            prior.append(slope)
    return Predictions(
        np.column_stack(columns),
        prior=prior,
        precision=PRECISION,
        trust=OWN_TRUST if len(prior) > 1 else TRUST,
    )


def with_known(
    drawn: PairedDrawing, history: History | None, candidates: Sequence[str], pairs: Sequence[Pair]
) -> PairedDrawing:
    """How questions are drawn, with predictions if there is a history.

    candidates: names, by which their own earlier answers are found.

    Raises `BadInput` if a history cannot be used.
    """
    if history is None:
        return drawn
    if drawn.kind != "scope":
        refuse({"history", drawn.kind})
    scope = drawn.source.scope if isinstance(drawn.source, AsDrawn) else None
    if not isinstance(scope, ListedScope):
        raise BadInput(NO_LIST)
    units = with_history(scope, history).scope.units
    own = tuple(map(history.place_of, candidates))
    means = PredictedOneByOne(len(units), scores=history.by_units(units), pairs=tuple(pairs), own=own)
    return replace(drawn, means=means, numbers={unit[0].id: number for number, unit in enumerate(units)})


def known(history: History | None, margin: float) -> dict[str, object]:
    """What a history adds to the terms of an attempt, including the margin, since bets on residuals need not fall as the
    null rises.
    """
    return {} if history is None else {"history": history.digest, "margin": margin}


def used(
    evidence: PairedEvidence, scope: Scope[Question], history: History | None, candidates: Sequence[str]
) -> HistoryUse | None:
    """The history and its effect, on average over pairs; None without one."""
    if history is None or not isinstance(evidence.tests, PredictedTests):
        return None
    return history.use(candidates, len(getattr(scope, "questions", ())), evidence.tests.predictions)
