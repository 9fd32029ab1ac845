"""Claims about several answers to each question, and the value of one question's answers for each claim.

A reply votes for its parsed answer: a letter, a number (in any notation), a text ignoring case and punctuation, or "I don't
know". A missing reply does not vote; if all are missing, the grade is 0, as for a missing answer.

An unparsed or unknown reply may be a vote for anything, also for an answer that no other reply gave.
 With u such replies the grade is known only if one answer leads by more than u votes; else it may be
anything from 0 to 1, and it may be unacceptable.

>>> def said(answer, score): return Grade(score, False, read_as=answer)
>>> voted([said("4", 1), said("4.0", 1), said("5", 0)]), voted([said("4", 1), said("5", 0)])
(Vote(score=1.0, unacceptable=0.0, upper=1.0, maybe=0.0), Vote(score=0.5, unacceptable=0.0, upper=0.5, maybe=0.0))

The candidate is a random function: it answers a question rightly with probability p, which differs between questions.

- `mean`: the mean of p over the scope. A question's value is the mean score of its N answers, whose expectation is p.
- `all-right` (pass^N): the probability that all N answers to a question are right. The value is 1 if they are, else 0.
- `share`: at least a share S of the questions has p >= r. Let g be 1 if all N answers are right, else -r^N / (1 - r^N). Then
  E g = (p^N - r^N) / (1 - r^N), which is at most 0 where p < r, and never above 1. So E g over the scope is at most the share,
  and "the share is at most S" implies E g <= S. In [0, 1] the same bet is on the value 1{all N right} = r^N + (1 - r^N) g, and
  the null is that its mean is at most r^N + S (1 - r^N). For the evidence against the share see `claims.share_test.ShareTest`.
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
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, NamedTuple, cast, get_args

from vivavoce.certificate.config import DrawsClaim, Feature
from vivavoce.errors import BadInput
from vivavoce.formats.numbers import as_number
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.candidate import Candidate, Prompt, Recording, RepeatedRecording, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question, Unit
from vivavoce.scopes.score import UnitMean, unit_mean


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
