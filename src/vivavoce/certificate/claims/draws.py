"""Claims about several answers to each question, and the value of one question's answers for each claim.

A reply votes for its parsed answer: a letter, a number (in any notation), a text ignoring case and punctuation, or "I don't
know". A missing reply does not vote; if all are missing, the grade is 0, as for a missing answer.

An unparsed or unknown reply may be a vote for anything, also for an answer that no other reply gave. With u such replies the
grade is known only if one answer leads by more than u votes; else it may be anything from 0 to 1, and it may be unacceptable.

>>> def said(answer, score): return Grade(score, False, read_as=answer)
>>> voted([said("4", 1), said("4.0", 1), said("5", 0)]), voted([said("4", 1), said("5", 0)])
(Vote(score=1.0, unacceptable=0.0, upper=1.0, maybe=0.0), Vote(score=0.5, unacceptable=0.0, upper=0.5, maybe=0.0))

The candidate is a random function: it answers a question rightly with probability p, which differs between questions.

- `mean`: the mean of p over the scope. A question's value is the mean score of its N answers, whose expectation is p.
- `all-right` (pass^N): the probability that all N answers to a question are right. The value is 1 if they are, else 0.
- `share`: at least a share S of the questions has p >= r. Let g be 1 if all N answers are right, else -r^N / (1 - r^N). Then
  E g = (p^N - r^N) / (1 - r^N), which is at most 0 where p < r, and never above 1. So E g over the scope is at most the share,
  and "the share is at most S" implies E g <= S. In [0, 1] the same bet is on the value 1{all N right} = r^N + (1 - r^N) g, and
  the null is that its mean is at most r^N + S (1 - r^N). For the evidence against the share see `ShareTest`.
- `vote`: the mean score of the system that asks the candidate N times and gives the answer that most of the N replies agree on
  (self-consistency). A question's value is the grade of that answer; in a tie, the mean grade of the tied answers, which is the
  expected grade of a random choice among them. Its expectation is the voting system's mean score s_N, so the null of passing is
  s_N <= PG, and the null of failing s_N >= PG: a bet on values in [0, 1] whose mean is s_N. The null is about the vote and not
  about p: if p is .4 and wrong answers differ, s_N may be near 1; if one wrong answer is likelier than the right one, near 0
  (`vote`). An unacceptable answer is an unacceptable vote.

Questions are drawn with replacement, so values are i.i.d. with the claimed mean. Running a list to its end proves nothing about
p: without replacement at the null, the verdict at the end was wrong in 47 to 48 of 100 runs
(`docs/appendix/measured-draws.md`). So there is no exact verdict.

Unparsed replies: each value lies between the value with all of them wrong and the value with all of them right, since every
value rises with each answer's score (for votes see `vote`). `evidence.sequential` needs only these two ends.

A cluster of k questions is drawn as one, each of its questions N times; its value is the mean of theirs, by weight, whose
expectation is the mean of theirs. All claims are about such means, so the same holds of clusters.

With a judge: a repeated reply is not judged again. For each question and reply, take the judgement that is on record, or would
be: a table that does not depend on the candidate's future replies. Given the table, values are i.i.d. again, and the claim is
about the grades in it, as "by the judgement of" says.

Tests the share of questions that are answered rightly with probability r or more, from N answers to each.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, inf, log
from typing import Any, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import NDArray

from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.config import DrawsClaim, Feature
from vivavoce.certificate.evidence.inference import Inference
from vivavoce.certificate.evidence.sequential import LogEvidence, SequentialTest, UnitValues, taken_as
from vivavoce.errors import BadInput
from vivavoce.formats.numbers import as_number
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.candidate import Candidate, Prompt, Recording, RepeatedRecording, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question, Unit
from vivavoce.scopes.score import UnitMean, unit_mean
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import Bounds
from vivavoce.statistics.confidence_sequences import LeaningTest, mean_above, mean_below, mean_bounds


class Vote(NamedTuple):
    """The range of the majority answer's grade, and how unacceptable it is."""

    score: float
    unacceptable: float
    upper: float
    maybe: float


def voted(grades: Sequence[Grade]) -> Vote:
    """The grade of the most frequent answer."""
    votes: dict[object, list[Grade]] = {}
    unknown = 0
    for grade in grades:
        if grade.outcome.unread or grade.outcome.unknowable:
            unknown += 1
        elif grade.outcome is not Outcome.NO_ANSWER:
            number = as_number(grade.read_as)
            votes.setdefault(fold(grade.read_as) if number is None else number, []).append(grade)
    counts = sorted((len(given) for given in votes.values()), reverse=True)
    if unknown:
        lead = (counts[0] if counts else 0) - (counts[1] if len(counts) > 1 else 0)
        if lead <= unknown:
            return Vote(0.0, 0.0, 1.0, 1.0)
    if not counts:
        absent = sum(grade.unacceptable for grade in grades) / len(grades)
        return Vote(0.0, absent, 0.0, absent)
    tied = [given[0] for given in votes.values() if len(given) == counts[0]]
    score = fsum(grade.score for grade in tied) / len(tied)
    unacceptable = sum(grade.unacceptable for grade in tied) / len(tied)
    return Vote(score, unacceptable, score, unacceptable)


def voted_mean(questions: Unit, grades: Sequence[Grade]) -> UnitMean:
    """The weighted mean grade of the votes on a unit's questions; the grades are those of the repeated unit, one after
    another.
    """
    votes = [voted(grades[index :: len(questions)]) for index in range(len(questions))]
    total = fsum(question.weight for question in questions)
    score, unacceptable, upper, maybe = (
        fsum(question.weight * vote[end] for question, vote in zip(questions, votes, strict=True)) / total for end in range(4)
    )
    return UnitMean(score, unacceptable, upper, maybe)


RIGHT = 1 - 1e-9
"""A score of at least this is full marks."""


class Ends(NamedTuple):
    """A range: the least and the most that a value may be."""

    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Draws:
    """How often each question is answered, and the claim about it.

    >>> Draws(3).settings, Draws(3, "share", 0.9).settings
    ({'draws': 3, 'draws_claim': 'mean'}, {'draws': 3, 'draws_claim': 'share', 'reliability': 0.9})
    """

    number: int
    claim: DrawsClaim = "mean"
    reliability: float | None = None
    """r: the probability of a right answer that a question must have to count, if a share of questions is claimed."""

    def __post_init__(self) -> None:
        if self.number < 1:
            raise BadInput(f"draws is {self.number}: give at least 1")
        if self.claim == "share" and self.reliability is None:
            raise BadInput("'--set draws-claim=share' needs '--set reliability=R': the required probability of a right answer")
        if self.claim != "share" and self.reliability is not None:
            raise BadInput("'--set reliability' is for '--set draws-claim=share': leave it out")
        if self.reliability is not None and not 0 < self.reliability < 1:
            raise BadInput(f"the reliability is {self.reliability}; it must lie strictly between 0 and 1")

    @classmethod
    def given(cls, number: int | None, claim: DrawsClaim | None = None, reliability: float | None = None) -> Draws | None:
        """Make it from settings that may be missing; None without a number. Raises `BadInput` for a claim without a number."""
        if number is not None:
            return cls(number, claim or "mean", reliability)
        odd = next((f"'--set {name}'" for name, value in (("draws-claim", claim), ("reliability", reliability)) if value), None)
        if odd is not None:
            raise BadInput(f"{odd} is for questions that are answered several times: give '--draws N'")
        return None

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Draws | None:
        """Read them from terms; None if each question was answered once. Raises `BadInput` for impossible values."""
        number, claim, reliability = (settings.get(name) for name in ("draws", "draws_claim", "reliability"))
        if number is None:
            return None
        if type(number) is not int or claim not in get_args(DrawsClaim):
            raise BadInput(f"{str(number)[:40]} draws with the claim '{str(claim)[:40]}' are not a valid setting")
        return cls(number, cast(DrawsClaim, claim), None if reliability is None else float(reliability))

    @property
    def features(self) -> frozenset[Feature]:
        """Features that exclude other parts of a composition."""
        special: dict[DrawsClaim, Feature] = {"share": "share of questions", "vote": "vote"}
        results: set[Feature] = {"draws"}
        if self.number > 1:
            results.add("several answers")
        if self.claim in special:
            results.add(special[self.claim])
        return frozenset(results)

    @property
    def settings(self) -> dict[str, Any]:
        """For terms and signatures."""
        more = {} if self.reliability is None else {"reliability": self.reliability}
        return {"draws": self.number, "draws_claim": self.claim, **more}

    def repeated(self, unit: Unit) -> Unit:
        """A unit in which each question is repeated as often as it will be answered."""
        return unit * self.number

    def questions_of(self, unit: Unit) -> Unit:
        """The questions of a repeated unit, each once."""
        return unit[: len(unit) // self.number]

    def value(self, unit: Unit, grades: Sequence[Grade]) -> UnitMean:
        """The range of a repeated unit's value for the claim.

        >>> from vivavoce.scopes.questions import Question
        >>> twice = (Question("1", "1?"),) * 2
        >>> Draws(2).value(twice, [Grade(1, False), Grade(0, True)]), Draws(2, "all-right").value(twice, [Grade(1, False)] * 2)
        (UnitMean(score=0.5, unacceptable=0.5, upper=0.5, maybe=0.5), UnitMean(score=1.0, unacceptable=0.0, upper=1.0, ...))
        """
        mean = unit_mean(grades, [question.weight for question in unit])
        if self.claim == "mean":
            return mean
        if self.claim == "vote":
            return voted_mean(self.questions_of(unit), grades)
        right = self._mean_of(unit, grades, _all_right)
        return mean._replace(score=right.least, upper=right.most)

    def none_right(self, unit: Unit, grades: Sequence[Grade]) -> Ends:
        """Whether no answer is right; for a cluster, the share of its questions by weight."""
        return self._mean_of(unit, grades, _none_right)

    def _mean_of(self, unit: Unit, grades: Sequence[Grade], ends_of: Any) -> Ends:
        questions = self.questions_of(unit)
        results = [ends_of(grades[index :: len(questions)]) for index in range(len(questions))]
        total = fsum(question.weight for question in questions)
        least, most = (
            fsum(question.weight * ends[end] for question, ends in zip(questions, results, strict=True)) / total
            for end in (0, 1)
        )
        return Ends(least, most)


def questions_in(unit: Unit, draws: Draws | None) -> Unit:
    """The questions of a unit, each once; draws: None if each is answered once."""
    return unit if draws is None else draws.questions_of(unit)


def value_of(unit: Unit, grades: Sequence[Grade], draws: Draws | None) -> UnitMean:
    """The range of a unit's score; draws: None if each question is answered once."""
    if draws is not None:
        return draws.value(unit, grades)
    return unit_mean(grades, [question.weight for question in unit])


def _all_right(grades: Sequence[Grade]) -> Ends:
    return Ends(float(all(g.score >= RIGHT for g in grades)), float(all(g.upper_score >= RIGHT for g in grades)))


def _none_right(grades: Sequence[Grade]) -> Ends:
    return Ends(float(all(g.upper_score < RIGHT for g in grades)), float(all(g.score < RIGHT for g in grades)))


def check_answers_afresh(candidates: Iterable[Candidate[Prompt, Reply]], number: int, questions: Sequence[Question]) -> None:
    """Raise `BadInput` for a recording with too few answers to one of these questions.

    A recording holds a number of draws of each question; repeating one of them is not a new draw.
    """
    for candidate in candidates:
        name = clipped(candidate.name, 200)
        if isinstance(candidate, RepeatedRecording):
            times = candidate.times
            few = [] if times is None else [question.id for question in questions if times.get(question.id, 0) < number]
            if times is not None and few:
                raise BadInput(
                    f"{name} has fewer than {count(number)} answers to {count(len(few))} of {count(len(questions))} questions, "
                    f"such as '{clipped(few[0], 80)}', which has {count(times.get(few[0], 0))}: give fewer '--draws'"
                )
        elif isinstance(candidate, Recording):
            raise BadInput(
                f"{name} is a recording with one answer to each question: but '--draws' needs new answers. "
                "If a transcript has several answers, name the candidate itself with that '--transcript'"
            )


def check_answers_once(candidates: Iterable[Candidate[Prompt, Reply]]) -> None:
    """Raise `BadInput` for a recording with several answers to a question if each is asked once."""
    for candidate in candidates:
        if isinstance(candidate, RepeatedRecording) and candidate.times is not None and max(candidate.times.values()) > 1:
            raise BadInput(
                f"{clipped(candidate.name, 200)} has several answers to a question: give '--draws N', for a claim on "
                "probabilities, or a file with one answer to each"
            )


_AT_LEAST_A_NULL = 1e-12


class Nulls(NamedTuple):
    """The extreme means under a claim on a share S, with a probability r and N answers to each question.

    >>> [round(null, 4) for null in nulls_of(0.8, Draws(2, "share", 0.9))]
    [0.962, 0.648, 0.208]
    """

    passes: float
    """All N right, where the share is at most S: at most S + (1 - S) r^N."""
    fails: float
    """All N right, where the share is at least S: at least S r^N."""
    none: float
    """None right, where the share is at least S: at most 1 - S + S (1 - r)^N."""


def nulls_of(share: float, draws: Draws) -> Nulls:
    """The extreme means for the required share."""
    all_right, none_right = _chances(draws)
    fails = max(share * all_right, _AT_LEAST_A_NULL)
    return Nulls(share + (1 - share) * all_right, fails, 1 - share + share * none_right)


def _chances(draws: Draws) -> tuple[float, float]:
    """The probability that all answers are right, and that none is, at the required probability."""
    assert draws.reliability is not None
    return draws.reliability**draws.number, (1 - draws.reliability) ** draws.number


class ShareTest(SequentialTest):
    """Evidence on the share of questions with p >= r, question by question.

    For "the share is at least S" it bets that all N answers are right more often than `Nulls.passes` (proof: `claims.claim`).
    Against it, half of the capital bets that they are all right more rarely than `Nulls.fails`, and half that none is right
    more often than `Nulls.none`. Let the share be at least S. Where p >= r all N are right with probability r^N or more, and
    elsewhere 0 or more, so the mean of "all right" is at least S r^N; none is right with probability (1 - r)^N at most where p
    >= r, and 1 at most elsewhere. So both halves are e-processes, and so is their mean. The second half detects a candidate
    that always errs on the same questions.

    Between these means, N answers cannot decide. Once it is shown that no verdict will come, the examination ends without one,
    so this causes no error.

    Example
    -------
    >>> test, ones, zeros = ShareTest(Criterion(0.5, None), Draws(5, "share", 0.8)), np.ones(20), np.zeros(20)
    >>> test.take(UnitValues(ones, zeros, ones, zeros), zeros), test.n
    (<Verdict.PASS: 'pass'>, 11)
    """

    def __init__(self, criterion: Criterion, draws: Draws) -> None:
        super().__init__(criterion, whole=False)
        self.nulls = passes, fails, none = nulls_of(criterion.passing_grade, draws)
        self._score_pass = LeaningTest(passes, goal=-log(criterion.delta))
        self._score_fail = mean_below(fails)
        self._none_fail = mean_above(none)
        self._no_verdict = (mean_below(passes), mean_above(fails), mean_below(none))
        """Bets that neither verdict will come."""
        self._shown = [-inf, -inf, -inf]
        self._none, self._none_before = np.empty(0), 0.0

    @property
    def stuck(self) -> bool:
        """Whether it is shown that N answers cannot decide."""
        return self.over and self.verdict is Verdict.UNDECIDED

    def take(self, right: UnitValues, none: Floats) -> Verdict:
        """Add units up to the end: whether all answers are right, and whether certainly none is."""
        if self.over or not none.size:
            return self.verdict
        self._none = none
        score_pass = self._score_pass.update(right.score, right.upper > right.score)
        fails = np.logaddexp(self._score_fail.update(right.upper), self._none_fail.update(none)) - log(2)
        taken = self._settle(right, self._with_rate(score_pass, fails, right), None)
        self._none_before += float(none[:taken].sum())
        return self.verdict

    def _stays_open(self, units: UnitValues, left_open: tuple[Floats, Floats] | None) -> NDArray[np.bool_]:
        """The units after which it is shown that N answers cannot decide."""
        n = self.n + 1 + np.arange(units.score.size)
        lower, upper = self._sums[0] + np.cumsum(units.score), self._sums[2] + np.cumsum(units.upper)
        none = self._none_before + np.cumsum(self._none)
        # an earlier crossing may have been chance: the means so far must agree
        shown: NDArray[np.bool_] = (
            (lower < self.nulls.passes * n) & (upper > self.nulls.fails * n) & (none < self.nulls.none * n)
        )
        for side, (bet, values) in enumerate(zip(self._no_verdict, (units.score, units.upper, self._none), strict=True)):
            path = bet.update(values)
            shown &= np.maximum.accumulate(np.maximum(path, self._shown[side])) >= self.threshold
            self._shown[side] = max(self._shown[side], float(path.max()))
        return shown


class ShareInference(Inference):
    """Inference on questions answered N times, checked after each, for a claim on the share with p >= r; see `ShareTest`.

    Estimates and intervals are of the share. It lies between what "all right" shows at least, (a - r^N) / (1 - r^N), and at
    most, a / r^N, and at most what "none right" leaves, (1 - z) / (1 - (1 - r)^N), for the means a and z. The interval has the
    lower end of the first at level 1 - delta/2, and the lesser of the upper ends of the others, each at level 1 - delta/4.
    """

    def __init__(self, criterion: Criterion, draws: Draws) -> None:
        super().__init__(criterion, None)
        self._draws = draws
        self._share_test = ShareTest(criterion, draws)
        self._test = self._share_test
        self._none = array("d")

    @property
    def range_of_read(self) -> bool:
        """Whether every reply was parsed; then the range reflects only too few draws."""
        return not self.units.unread

    def add(self, unit: Unit, grades: Sequence[Grade], mean: UnitMean, *, early: bool) -> LogEvidence | None:
        """Take a unit; the evidence after it."""
        value, none = self._keep(unit, mean), self._draws.none_right(unit, grades).least
        self._none.append(none)
        self._share_test.early = early
        self.verdict = self._share_test.take(
            taken_as(value.score, value.unacceptable, value.upper, value.maybe), np.array([none])
        )
        return self._share_test.log_evidence

    def estimates(self) -> UnitMean | None:
        """The range of the share, and the unacceptable rate; None if nothing was asked."""
        estimates = super().estimates()
        if estimates is None:
            return None
        least, most = self._share(estimates.score, estimates.upper, float(np.mean(self._none)))
        return estimates._replace(score=least, upper=most)

    def intervals(self) -> tuple[Bounds, Bounds]:
        """For the share and the unacceptable rate, each at level 1 - delta."""
        _, rate = super().intervals()
        if not self._none:
            return Bounds(0.0, 1.0), rate
        units, delta = self.units, self.criterion.delta
        lower = mean_bounds(units.score, delta).lower
        upper, none = mean_bounds(units.upper, delta / 2).upper, mean_bounds(np.asarray(self._none), delta / 2).lower
        return Bounds(*self._share(lower, upper, none)), rate

    def still_needed(self) -> int | None:
        """Further answers until a verdict by "all right" alone; None if that is unknown."""
        passes, fails, _ = self._share_test.nulls
        units = self.units
        grade = passes if units.score.size and units.score.mean() > passes else fails
        self.required = replace(self.criterion, passing_grade=grade)
        if units.score.size and fails < units.score.mean() <= passes:
            return None
        return super().still_needed()

    def why_not(self, limit: int | None) -> str:
        """A clause that says that N answers can't decide, if that is shown."""
        if not self._share_test.stuck:
            return ""
        answers = f"{self._draws.number} answers" if self._draws.number > 1 else "one answer"
        return (
            f"{answers} to a question cannot tell whether enough questions have a probability of "
            f"{self._draws.reliability:g}; another number of draws may"
        )

    def _share(self, right: float, at_most: float, none: float) -> tuple[float, float]:
        all_right, none_right = _chances(self._draws)
        least = max(0.0, (right - all_right) / (1 - all_right))
        most = min(1.0, at_most / all_right if all_right else inf, (1 - none) / (1 - none_right))
        return least, max(least, most)
