"""Several scopes at once: which verdicts stand, and to which scope the next question goes.

Each scope has two nulls, "it is not understood" and "it is understood", and exactly one of them is true. The evidence against
each is an e-process; against the first the lesser of the two for the score and for ridiculous answers. Each kind of verdict is
a list of its own, which e-BH or the family-wise rule draws up at level delta among all J scopes.

What that guarantees. e-BH: the expected share of wrong ones among the verdicts "pass" is at most delta times the share
of scopes that are not understood, that among "fail" at most delta times the share of those that are. So the two
add up to at most delta, and neither needs a share of it. Family-wise: any wrong verdict of either kind has probability at most
delta, since J nulls are true in all and each is wrongly rejected with probability at most delta / J.

When a verdict stands. Under e-BH its evidence must reach J / (k delta) where k verdicts of its kind are given together, from
1/delta to J/delta; which k it will be is not known while others are being asked. But once k scopes have reached it *now*, they
are asked no more: their evidence stays as it is, so these k remain on the list together, whatever becomes of the others, which
can only lower the threshold. Hence what stands is final, and equals e-BH on the evidence at the end.

Whose turn. Evidence that is not asked for stays as it is, and any order of asking that looks at the past alone keeps every
e-process one (scopes draw independently of each other). So the order is a matter of thrift: the scope without a verdict that
was asked least is next. Scopes that are as easy as each other so reach their threshold together, and a hard one does not use
up the budget of the others. To let a scope with 1/delta wait for more company saves next to nothing: the threshold of the last
ones is the same, and the first ones are those that a higher one costs least.
"""

from __future__ import annotations

from math import inf, log
from typing import get_args

from vivavoce.certificate.config import Correction
from vivavoce.certificate.verdict import Verdict
from vivavoce.errors import BadInput
from vivavoce.statistics.bounds import check_delta
from vivavoce.statistics.multiple import e_bh, false_discovery_threshold, family_wise

_ROUNDING = 1e-9
_KINDS = (Verdict.PASS, Verdict.FAIL)


class MultipleTest:
    """Takes the evidence of each scope as it comes and knows which verdicts stand and who is asked next.

    Parameters
    ----------
    scopes: how many, at least 1.
    delta: the error rate of the whole list, in (0, 1).

    Example
    -------
    >>> test = MultipleTest(2, "fdr", delta=0.05)
    >>> test.take(0, log(30.0), -5.0)  # alone it would need 2/.05 = 40
    >>> test.take(1, log(25.0), -5.0)  # two together need 20 each
    >>> test.verdicts
    [<Verdict.PASS: 'pass'>, <Verdict.PASS: 'pass'>]
    """

    def __init__(self, scopes: int, rule: Correction, *, delta: float) -> None:
        check_delta(delta)
        if scopes < 1:
            raise BadInput("no scope: give at least one")
        if rule not in get_args(Correction):
            raise BadInput(f"no rule '{rule}' for many scopes; there are {' and '.join(get_args(Correction))}")
        self.verdicts = [Verdict.UNDECIDED] * scopes
        """Those that stand; they never change again."""
        self.evidence = [(0.0, 0.0)] * scopes
        """Log e-values for "pass" and for "fail"."""
        self._rule = rule
        self._delta = delta
        self._least = log((1 if rule == "fdr" else scopes) / delta) - _ROUNDING
        self._asked = [0] * scopes
        self._open = list(range(scopes))

    def turn(self) -> int | None:
        """The scope that the next question goes to; None if no further question can matter."""
        if not self._open:
            return None
        chosen = min(self._open, key=self._asked.__getitem__)
        self._asked[chosen] += 1
        return chosen

    def has_no_more(self, scope: int) -> None:
        """All questions of this scope have been drawn, or no further one can give it a verdict."""
        if scope in self._open:
            self._open.remove(scope)

    def stands(self, scope: int) -> bool:
        """Whether a scope has its verdict."""
        return self.verdicts[scope] is not Verdict.UNDECIDED

    @property
    def over(self) -> bool:
        """Whether every scope has its verdict."""
        return Verdict.UNDECIDED not in self.verdicts

    def take(self, scope: int, understands: float, fails: float) -> None:
        """The evidence on one scope is now this: natural logarithms of e-values for either verdict.

        Evidence on a scope whose verdict stands is left aside.
        """
        if self.stands(scope):
            return
        self.evidence[scope] = (understands, fails)
        if max(understands, fails) >= self._least:
            self._settle(0 if understands > fails else 1)

    def threshold(self, verdict: Verdict) -> float:
        """How large the log e-value of that kind of verdict had to be in the end: ln(J / (k delta)), or ln(J / delta)."""
        given = self.verdicts.count(verdict) if self._rule == "fdr" else 1
        return false_discovery_threshold(len(self.verdicts), given, self._delta)

    def _settle(self, kind: int) -> None:
        # An e-value that is put to 0 where the opposite one is larger is still one; and no scope is on both lists.
        log_e = [pair[kind] if pair[kind] > pair[1 - kind] else -inf for pair in self.evidence]
        for scope in (e_bh if self._rule == "fdr" else family_wise)(log_e, self._delta):
            self.verdicts[scope] = _KINDS[kind]
        self._open = [scope for scope in self._open if not self.stands(scope)]
