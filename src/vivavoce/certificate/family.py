"""One verdict of a larger family, whose other members are examined elsewhere: with other candidates, or on other machines.

The rules are those of `multiple_testing`: each kind of verdict is a list of its own, which e-BH or the family-wise rule draws
up at level delta among all J members. A member by itself cannot know how many others get a verdict of its kind. So it is
examined in rounds: told that k of the family are about to get one, it goes on until its evidence is J / (k delta), and stops
there, or where it has no more questions. Whoever holds the family together counts who has come that far. Where it is k or more,
e-BH gives these their verdicts; else those who have go on, with the lesser number as k (`levels`). k falls from round to round,
so this ends, and a member that has its verdict is asked no more: the list at the end is e-BH on the evidence at the end.

Each member's evidence is an e-process with regard to all answers of the family, as long as members draw independently of each
other; it is looked at when its own questions have been answered and k depends on rounds that are over. So each value is that
of an e-process at a stopping time, which is all that e-BH needs, whatever the dependence (`wang2022`). The family-wise rule
needs J / delta of each, whatever becomes of the others, and one round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, log
from typing import NamedTuple

from vivavoce.certificate.config import Correction
from vivavoce.certificate.verdict import Verdict
from vivavoce.errors import BadInput
from vivavoce.statistics.multiple import e_bh, false_discovery_threshold, family_wise

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Family:
    """How many members there are, and how many are about to get a verdict of either kind.

    >>> Family(100).at(0.05)
    (2.995732273553991, 2.995732273553991)
    >>> round(Family(100, understands=25).at(0.05)[0], 3), round(log(100 / (25 * 0.05)), 3)
    (4.382, 4.382)
    """

    members: int
    understands: int | None = None
    """None: all of them, which is the most that there can be."""
    fails: int | None = None
    """The same for "fail"."""
    rule: Correction = "fdr"

    def __post_init__(self) -> None:
        counts = (self.understands, self.fails)
        if self.members < 1 or not all(one is None or 1 <= one <= self.members for one in counts):
            raise BadInput(f"a family of {self.members} members cannot get {self.understands} and {self.fails} verdicts")

    def at(self, delta: float) -> tuple[float, float]:
        """How large the log e-values for either verdict must be, to stop there."""
        together = (self.understands, self.fails) if self.rule == "fdr" else (1, 1)
        understands, fails = (
            false_discovery_threshold(self.members, self.members if one is None else one, delta) for one in together
        )
        return understands, fails


class FamilyTest:
    """Of one member: stops it where its evidence is enough for this round.

    It is asked as a `MultipleTest` of one scope is.

    >>> test = FamilyTest(Family(100), 0.05)
    >>> test.take(0, log(19.0), -5.0)
    >>> test.turn(), test.over
    (0, False)
    >>> test.take(0, log(21.0), -5.0)
    >>> test.turn(), test.verdicts[0].value
    (None, 'pass')
    """

    def __init__(self, family: Family, delta: float) -> None:
        self._thresholds = family.at(delta)
        self.verdicts = [Verdict.UNDECIDED]
        """What the evidence says at the level of this round; whether it stands, the family decides."""
        self.evidence = [(0.0, 0.0)]
        self._open = True

    def turn(self) -> int | None:
        """The member, 0, as long as a further question can matter."""
        return 0 if self._open else None

    def has_no_more(self, scope: int) -> None:
        """All questions have been drawn, or no further one can give a verdict."""
        self._open = False

    def stands(self, scope: int) -> bool:
        """Whether its evidence is enough for this round."""
        return self.over

    @property
    def over(self) -> bool:
        """The same."""
        return self.verdicts[0] is not Verdict.UNDECIDED

    def take(self, scope: int, understands: float, fails: float) -> None:
        """The evidence is now this: natural logarithms of e-values for either verdict."""
        if self.over:
            return
        self.evidence[0] = (understands, fails)
        for_it, against = self._thresholds
        if understands > fails and understands >= for_it - ROUNDING:
            self.verdicts[0], self._open = Verdict.PASS, False
        elif fails > understands and fails >= against - ROUNDING:
            self.verdicts[0], self._open = Verdict.FAIL, False

    def threshold(self, verdict: Verdict) -> float:
        """How large the log e-value of that kind of verdict had to be in this round."""
        return self._thresholds[0 if verdict is Verdict.PASS else 1]


class Evidence(NamedTuple):
    """What a member has for and against understanding, as natural logarithms of e-values; and what it may err."""

    understands: float = 0.0
    fails: float = 0.0
    delta: float | None = None
    """Of its attempt; None: as much as any other. Evidence counts in proportion to it."""


def verdicts(evidence: Sequence[Evidence], rule: Correction, delta: float) -> list[Verdict]:
    """Which verdicts stand, by e-BH or the family-wise rule over the whole family at level delta.

    A member whose attempt may err less than others has its e-value weighted by that: its expectation is then below 1.

    >>> [one.value for one in verdicts([Evidence(log(41.0)), Evidence(0.0, log(30.0))], "fdr", 0.05)]
    ['pass', 'undecided']
    >>> [one.value for one in verdicts([Evidence(log(21.0)), Evidence(log(30.0))], "fdr", 0.05)]
    ['pass', 'pass']
    """
    found = [Verdict.UNDECIDED] * len(evidence)
    for kind, place in ((Verdict.PASS, 0), (Verdict.FAIL, 1)):
        log_e = [_of_kind(one, place, delta) for one in evidence]
        for member in (e_bh if rule == "fdr" else family_wise)(log_e, delta):
            found[member] = kind
    return found


def levels(evidence: Sequence[Evidence], family: Family, delta: float) -> Family | None:
    """What the next round is to be held at, after one at `family`; None where nothing is left to be gained.

    >>> after = [Evidence(log(20.5)), Evidence(log(22.0)), Evidence(0.3)]
    >>> levels(after, Family(3), 0.05)
    Family(members=3, understands=2, fails=None, rule='fdr')
    >>> levels([Evidence(log(31.0)), Evidence(log(32.0)), Evidence(0.3)], Family(3, understands=2), 0.05) is None
    True
    """
    if family.rule == "fwer":
        return None
    given, next_round = verdicts(evidence, family.rule, delta), family
    for place, kind in enumerate((Verdict.PASS, Verdict.FAIL)):
        enough = family.at(delta)[place] - ROUNDING
        reached = sum(_of_kind(one, place, delta) >= enough for one in evidence)
        if reached > given.count(kind) and place == 0:
            next_round = replace(next_round, understands=reached)
        elif reached > given.count(kind):
            next_round = replace(next_round, fails=reached)
    return None if next_round == family else next_round


def _of_kind(one: Evidence, place: int, delta: float) -> float:
    """The evidence of that kind; none where there is more for the other, so that no member is on both lists."""
    of_kind, of_other = (one.understands, one.fails) if place == 0 else (one.fails, one.understands)
    if of_kind <= of_other:
        return -inf
    return of_kind + log((delta if one.delta is None else one.delta) / delta)
