"""The claim of a certificate: verdicts, criteria, and several claims that share one error bound.

`MultipleTest` gives verdicts on several scopes at once. Each scope has two nulls, "it is not understood" and "it is
understood", and exactly one of them is true. The evidence against each is an e-process; against the first the lesser of the
two for the score and for unacceptable answers. Each kind of verdict is a separate list, which e-BH or the family-wise rule
makes at level delta among all J scopes.

What that guarantees. e-BH: the expected share of wrong verdicts among "pass" is at most delta times the share of scopes that
are not understood; among "fail", at most delta times the share of those that are. So the two add up to at most delta, without
splitting it. Family-wise: any wrong verdict of either kind has probability at most delta, since J nulls are true in all and
each is wrongly rejected with probability at most delta / J.

When a verdict is final. Under e-BH its evidence must reach J / (k delta) if k verdicts of its kind are given together, from
1/delta to J/delta; k is unknown while others are being asked. But once k scopes have reached it *now*, they are asked no more.
Their evidence stays the same, so these k remain on the list together, whatever happens to the others, which can only lower the
threshold. So the verdicts are final, and equal e-BH on the evidence at the end.

Whose turn. The evidence on a scope that is not asked stays the same, and any order that depends only on the past keeps every
e-process valid (scopes draw independently of each other). So the order only affects cost: the scope without a verdict that was
asked least is next. Then equally easy scopes reach their threshold together, and a hard one does not use up the budget of the
others. Letting a scope with 1/delta wait for others saves almost nothing: the threshold of the last ones is the same, and a
higher threshold costs the first ones least.

A `ClaimFamily` has the same rules, and its members are examined elsewhere. A member cannot know how many others get a verdict
of its kind. So it is examined in rounds. In a round with k it continues until its evidence is J / (k delta), or until it has no
more questions. The caller counts the members that have reached it. If there are k or more, e-BH gives them their verdicts;
otherwise they continue, with that smaller number as k (`levels`). k falls from round to round, so this ends. A member with a
verdict is asked no more: the list at the end is e-BH on the evidence at the end.

Each member's evidence is an e-process with regard to all answers of the family, as long as members draw independently of each
other; it is checked when its own questions have been answered, and k depends only on finished rounds. So each value is an
e-process at a stopping time, which is all that e-BH needs, under any dependence (`wang2022`). The family-wise rule needs J /
delta from each, regardless of the others, and one round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf, log
from typing import Final, NamedTuple, get_args

from vivavoce.certificate.config import USUAL_LIMIT, ClaimConfig, Correction
from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.candidate import Step
from vivavoce.interview.forms.form import Outcome
from vivavoce.statistics.bounds import check_delta
from vivavoce.statistics.multiple import e_bh, false_discovery_threshold, family_wise

_USUAL: Final = ClaimConfig()


class Verdict(StrEnum):
    """The verdict of an examination on understanding."""

    PASS = "pass"  # noqa: S105 -- no password
    """The paper's "pass", at this pass mark and limit of unacceptable answers; proven."""
    FAIL = "fail"
    """The paper's "fail", proven."""
    UNDECIDED = "undecided"
    """Neither is proven."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """The conditions of understanding (Definition 3.2 of `leytonbrown2024`), and the bound on error."""

    passing_grade: float = _USUAL.passing_grade
    """The mean score that understanding requires, in (0, 1)."""
    unacceptable_limit: float | None = USUAL_LIMIT
    """The largest acceptable probability of an unacceptable answer, in (0, 1); None: not examined."""
    delta: float = _USUAL.delta
    """Bound on the probability that a verdict is given and is wrong."""


class Evidence(NamedTuple):
    """The evidence after this many questions, as natural logarithms of e-values (0 is none, ln(1/delta) is enough).

    The fixed procedure checks only once and has no path.
    """

    questions: int
    score_pass: float
    """Against "the mean score is below the passing grade"."""
    unacceptable_pass: float | None
    """Against "unacceptable answers are too frequent"; None if they are not examined."""
    fail: float
    """Against "the candidate understands"."""


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """One question and its answer, as shown among the worst."""

    id: str
    question: str
    answer: str
    expected: str
    score: float
    unacceptable: bool
    outcome: Outcome
    broken_law: str = ""
    """A sentence on how the answers of a cluster contradict each other; question and answer then hold several."""
    upper: float | None = None
    """The highest possible score if it is unknown; then `score` is the lowest."""
    steps: tuple[Step, ...] = ()
    """The steps of an agent before it answered, as shown."""
    read_as: str = ""
    """The parsed answer; empty if nothing could be parsed, or for several answers."""
    grade: str = ""
    """The grade in a word or two, such as `right`; empty for several grades."""
    why: str = ""
    """A clause on why it got this grade."""
    decided_by: tuple[str, ...] = ()
    """What would give it a grade if it has none, each in a few words."""

    json_keys = (
        "id question answer expected score=known_score unacceptable outcome broken_law? upper? steps? read_as? grade? "
        "why? decided_by?"
    )

    @property
    def known_score(self) -> float | None:
        """The score; None where it is not known."""
        return None if self.upper is not None and self.upper > self.score else self.score


@dataclass(frozen=True, slots=True)
class Stratum:
    """The result in one stratum of the scope."""

    name: str
    mass: float
    """Its share of the scope."""
    questions: int
    unacceptable: int
    score: float | None
    """Mean score; None if nothing was asked."""
    upper: float | None = None
    """The highest possible mean if replies are unparsed; then `score` is the lowest. None: equal to `score`."""

    json_keys = "name mass questions unacceptable score"


def range_of(lower: float, upper: float) -> Interval | None:
    """The range of a mean; None if it is one number."""
    return None if upper - lower <= 1e-12 else Interval(lower, upper)


def estimate_as_json(name: str, estimate: Estimate) -> dict[str, float | None]:
    """An estimate without its number of values, which the document has elsewhere."""
    return {name: estimate.value, "lower": estimate.interval.lower, "upper": estimate.interval.upper}


def range_as_json(name: str, ends: Interval | None) -> dict[str, list[float]]:
    """A range under its name; empty without one."""
    return {} if ends is None else {name: [ends.lower, ends.upper]}


def brief(scope: str) -> str:
    """The name of a scope without the folders of its file.

    >>> brief("mmlu-pro:/some/where/questions.jsonl.gz#health"), brief("arithmetic?operations=*/")
    ('mmlu-pro:questions.jsonl.gz#health', 'arithmetic?operations=*/')
    """
    kind, colon, where = scope.partition(":")
    path, sharp, part = where.partition("#")
    return f"{kind}{colon}{path.rstrip('/').rpartition('/')[2]}{sharp}{part}"


def answers_topic(scope: str) -> str:
    """The topic of the answers to a scope in a transcript."""
    return f"certificate/{brief(scope)}"


ROUNDING = 1e-9
_KINDS = (Verdict.PASS, Verdict.FAIL)


class MultipleTest:
    """Takes the evidence of each scope as it comes, and decides which verdicts are final and which scope is asked next.

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
            raise BadInput(f"unknown correction '{rule}': choose {' or '.join(get_args(Correction))}")
        self.verdicts = [Verdict.UNDECIDED] * scopes
        """Final verdicts, which never change again."""
        self.evidence = [(0.0, 0.0)] * scopes
        """Log e-values for "pass" and for "fail"."""
        self._rule = rule
        self._delta = delta
        self._least = log((1 if rule == "fdr" else scopes) / delta) - ROUNDING
        self._asked = [0] * scopes
        self._open = list(range(scopes))

    def turn(self) -> int | None:
        """The scope of the next question; None if no further question can matter."""
        if not self._open:
            return None
        chosen = min(self._open, key=self._asked.__getitem__)
        self._asked[chosen] += 1
        return chosen

    def has_no_more(self, scope: int) -> None:
        """Close this scope: all its questions have been drawn, or no further one can give it a verdict."""
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
        """Update the evidence on one scope: natural logarithms of e-values for either verdict.

        Evidence on a scope with a final verdict is ignored.
        """
        if self.stands(scope):
            return
        self.evidence[scope] = (understands, fails)
        if max(understands, fails) >= self._least:
            self._settle(0 if understands > fails else 1)

    def threshold(self, verdict: Verdict) -> float:
        """The final threshold of the log e-value for that kind of verdict: ln(J / (k delta)), or ln(J / delta)."""
        given = self.verdicts.count(verdict) if self._rule == "fdr" else 1
        return false_discovery_threshold(len(self.verdicts), given, self._delta)

    def _settle(self, kind: int) -> None:
        # An e-value that is put to 0 if the opposite one is larger is still one; and no scope is on both lists.
        log_e = [pair[kind] if pair[kind] > pair[1 - kind] else -inf for pair in self.evidence]
        for scope in (e_bh if self._rule == "fdr" else family_wise)(log_e, self._delta):
            self.verdicts[scope] = _KINDS[kind]
        self._open = [scope for scope in self._open if not self.stands(scope)]


@dataclass(frozen=True, slots=True)
class ClaimFamily:
    """The number of members, and how many are expected to get a verdict of either kind.

    >>> ClaimFamily(100).at(0.05)
    (2.995732273553991, 2.995732273553991)
    >>> round(ClaimFamily(100, understands=25).at(0.05)[0], 3), round(log(100 / (25 * 0.05)), 3)
    (4.382, 4.382)
    """

    members: int
    understands: int | None = None
    """Number of expected passes; None: all members."""
    fails: int | None = None
    """The same for "fail"."""
    rule: Correction = "fdr"

    def __post_init__(self) -> None:
        counts = (self.understands, self.fails)
        if self.members < 1 or not all(count is None or 1 <= count <= self.members for count in counts):
            raise BadInput(f"a family of {self.members} members cannot get {self.understands} and {self.fails} verdicts")

    def at(self, delta: float) -> tuple[float, float]:
        """The thresholds of the log e-values for either verdict."""
        together = (self.understands, self.fails) if self.rule == "fdr" else (1, 1)
        understands, fails = (
            false_discovery_threshold(self.members, self.members if number is None else number, delta) for number in together
        )
        return understands, fails


class FamilyTest:
    """The test of one member: stops when its evidence is enough for this round.

    It is asked like a `MultipleTest` of one scope.

    >>> test = FamilyTest(ClaimFamily(100), 0.05)
    >>> test.take(0, log(19.0), -5.0)
    >>> test.turn(), test.over
    (0, False)
    >>> test.take(0, log(21.0), -5.0)
    >>> test.turn(), test.verdicts[0].value
    (None, 'pass')
    """

    def __init__(self, family: ClaimFamily, delta: float) -> None:
        self._thresholds = family.at(delta)
        self.verdicts = [Verdict.UNDECIDED]
        """The verdict at the level of this round; the family decides whether it is final."""
        self.evidence = [(0.0, 0.0)]
        self._open = True

    def turn(self) -> int | None:
        """0, the member, while a further question can matter."""
        return 0 if self._open else None

    def has_no_more(self, scope: int) -> None:
        """Close it: all questions have been drawn, or no further one can give a verdict."""
        self._open = False

    def stands(self, scope: int) -> bool:
        """Whether its evidence is enough for this round."""
        return self.over

    @property
    def over(self) -> bool:
        """The same."""
        return self.verdicts[0] is not Verdict.UNDECIDED

    def take(self, scope: int, understands: float, fails: float) -> None:
        """Update the evidence: natural logarithms of e-values for either verdict."""
        if self.over:
            return
        self.evidence[0] = (understands, fails)
        for_it, against = self._thresholds
        if understands > fails and understands >= for_it - ROUNDING:
            self.verdicts[0], self._open = Verdict.PASS, False
        elif fails > understands and fails >= against - ROUNDING:
            self.verdicts[0], self._open = Verdict.FAIL, False

    def threshold(self, verdict: Verdict) -> float:
        """The threshold of the log e-value for that kind of verdict in this round."""
        return self._thresholds[0 if verdict is Verdict.PASS else 1]


class MemberEvidence(NamedTuple):
    """A member's evidence for and against understanding, as natural logarithms of e-values, and its allowed error."""

    understands: float = 0.0
    fails: float = 0.0
    delta: float | None = None
    """The error that its attempt is allowed; None: the same as any other. The evidence counts in proportion to it."""


def verdicts(evidence: Sequence[MemberEvidence], rule: Correction, delta: float) -> list[Verdict]:
    """The verdicts by e-BH or the family-wise rule over the whole family at level delta.

    If a member's attempt is allowed less error, its e-value is weighted by that, so its expectation is below 1.

    >>> [verdict.value for verdict in verdicts([MemberEvidence(log(41.0)), MemberEvidence(0.0, log(30.0))], "fdr", 0.05)]
    ['pass', 'undecided']
    >>> [verdict.value for verdict in verdicts([MemberEvidence(log(21.0)), MemberEvidence(log(30.0))], "fdr", 0.05)]
    ['pass', 'pass']
    """
    result = [Verdict.UNDECIDED] * len(evidence)
    for kind, index in ((Verdict.PASS, 0), (Verdict.FAIL, 1)):
        log_e = [_of_kind(pair, index, delta) for pair in evidence]
        for member in (e_bh if rule == "fdr" else family_wise)(log_e, delta):
            result[member] = kind
    return result


def levels(evidence: Sequence[MemberEvidence], family: ClaimFamily, delta: float) -> ClaimFamily | None:
    """The family for the next round; None if no further round can help.

    >>> after = [MemberEvidence(log(20.5)), MemberEvidence(log(22.0)), MemberEvidence(0.3)]
    >>> levels(after, ClaimFamily(3), 0.05)
    ClaimFamily(members=3, understands=2, fails=None, rule='fdr')
    >>> later = [MemberEvidence(log(31.0)), MemberEvidence(log(32.0)), MemberEvidence(0.3)]
    >>> levels(later, ClaimFamily(3, understands=2), 0.05) is None
    True
    """
    if family.rule == "fwer":
        return None
    given, next_round = verdicts(evidence, family.rule, delta), family
    for index, kind in enumerate((Verdict.PASS, Verdict.FAIL)):
        enough = family.at(delta)[index] - ROUNDING
        reached = sum(_of_kind(pair, index, delta) >= enough for pair in evidence)
        if reached > given.count(kind) and index == 0:
            next_round = replace(next_round, understands=reached)
        elif reached > given.count(kind):
            next_round = replace(next_round, fails=reached)
    return None if next_round == family else next_round


def _of_kind(pair: MemberEvidence, index: int, delta: float) -> float:
    """The evidence of that kind; none if there is more for the other, so that no member is on both lists."""
    of_kind, of_other = (pair.understands, pair.fails) if index == 0 else (pair.fails, pair.understands)
    if of_kind <= of_other:
        return -inf
    return of_kind + log((delta if pair.delta is None else pair.delta) / delta)
