"""Grades, a certificate's statements about them, and the agreement of two graders.

Krippendorff's alpha for numbers is 1 - observed / expected disagreement: the mean square of the difference of two scores of one
answer, over the same for two scores drawn from all (`krippendorff2011`). It is 1 if both always agree, and 0 if their scores
are no closer than those of any two answers. For grades of 0 and 1 it is Scott's pi and, where both give
equally many, Cohen's kappa. It is computed here because the maintained library for it is under the GPL, and needs no package
beyond numpy.

Its interval is a Bayesian bootstrap over answers (`rubin1981`). With few answers and few disagreements every resample agrees,
so each end of the interval adds one unseen answer, the least favourable one. For a share that is the interval of Clopper and
Pearson, and for a mean the bound of `gaffke2005`. A 95% interval covers 96% of the time or more where graders agree on 80% to
100% of 10 to 100 answers (`tests/validity/test_agreement.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.record import canonical_json, digest_of
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.bounds import clopper_pearson_lower, clopper_pearson_upper
from vivavoce.statistics.confidence_sequences import mean_bounds

PARTIAL_CREDIT: Final = "partial_credit"
"""Setting, true if grades between 0 and 1 are expected: a judge grades all, or most questions list partial scores."""
CLOSE = 0.1
"""Two scores that differ by at most this agree."""
DELTA = 0.05
RESAMPLES = 4_000
_ROUNDING = 1e-9
_AT_ONCE = 1 << 20
"""Weights that are drawn at one time."""


@dataclass(frozen=True, slots=True)
class GraderAgreement:
    """Two graders on the same answers; every interval at 95%.

    The intervals for the mean difference and the share that agree are valid at any stop, the others for a number of answers
    fixed in advance.
    """

    answers: int
    difference: Estimate
    """Mean of the first one's scores less the second one's."""
    close: Estimate
    """Share of the answers whose scores lie at most .1 apart."""
    krippendorff_alpha: Estimate
    """Krippendorff's; without a value where it is not estimable: for a single answer, or where all scores are equal."""
    unacceptable_sensitivity: Estimate
    """Share of the answers unacceptable to the second that are unacceptable to the first, too; unknown without any."""
    unacceptable_specificity: Estimate
    """Share of the answers acceptable to the second that are acceptable to the first, too."""


def agreement_of(pairs: Sequence[tuple[Grade, Grade]]) -> GraderAgreement:
    """How far the first grader agrees with the second one.

    Raises `NotEnoughEvidence` if there are no pairs.

    >>> agreement = agreement_of([(Grade(0.9, False), Grade(1.0, False)), (Grade(0.2, True), Grade(0.0, True))])
    >>> round(agreement.difference.value, 3), agreement.close.value, round(agreement.krippendorff_alpha.value, 3)
    (0.05, 0.5, 0.95)
    >>> agreement.unacceptable_sensitivity.value
    1.0
    """
    if not pairs:
        raise NotEnoughEvidence("no answer was graded by both: agreement needs at least 1")
    first = np.array([grade.score for grade, _ in pairs])
    second = np.array([other.score for _, other in pairs])
    apart = first - second
    shifted = mean_bounds((apart + 1) / 2, DELTA)
    near = (abs(apart) <= CLOSE + _ROUNDING).astype(float)
    share = mean_bounds(near, DELTA)
    rows = [(grade.unacceptable, other.unacceptable) for grade, other in pairs]
    return GraderAgreement(
        answers=len(pairs),
        difference=Estimate(float(apart.mean()), Interval(2 * shifted.lower - 1, 2 * shifted.upper - 1), len(pairs)),
        close=Estimate(float(near.mean()), Interval(share.lower, share.upper), len(pairs)),
        krippendorff_alpha=krippendorff_alpha(first, second),
        unacceptable_sensitivity=_share([flag for flag, other in rows if other]),
        unacceptable_specificity=_share([not flag for flag, other in rows if not other]),
    )


def krippendorff_alpha(first: Floats, second: Floats) -> Estimate:
    """Agreement beyond chance of two graders on the same answers, with its 95% interval; see the head of this file.

    Parameters
    ----------
    first, second: a finite score for each answer.

    >>> meg, owen = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]  # an example of krippendorff2011
    >>> alpha = krippendorff_alpha(np.array(meg, dtype=float), np.array(owen, dtype=float))
    >>> round(alpha.value, 3), round(alpha.interval.lower, 1), round(alpha.interval.upper, 1)
    (0.095, -0.5, 0.7)
    """
    n, scores = first.size, np.concatenate([first, second])
    lowest, highest = float(scores.min(initial=np.inf)), float(scores.max(initial=-np.inf))
    if n < 2 or highest - lowest <= _ROUNDING:
        return Estimate(None, Interval(-1.0, 1.0), n)
    rare = lowest if scores.mean() > (lowest + highest) / 2 else highest
    value = 1 - (1 - 1 / (2 * n)) * (1 - float(_alphas(np.ones((1, n)), first, second)[0]))
    lower = np.quantile(_resampled(np.append(first, lowest), np.append(second, highest)), DELTA / 2)
    upper = np.quantile(_resampled(np.append(first, rare), np.append(second, rare)), 1 - DELTA / 2)
    return Estimate(value, Interval(min(value, float(lower)), max(value, float(upper))), n)


def _resampled(first: Floats, second: Floats) -> Floats:
    """Alpha with random weights of the answers, from draws that are the same each time."""
    rng, at_once = np.random.default_rng(0), max(1, _AT_ONCE // first.size)
    sizes = [min(at_once, RESAMPLES - begun) for begun in range(0, RESAMPLES, at_once)]
    return np.concatenate([_alphas(rng.standard_exponential((size, first.size)), first, second) for size in sizes])


def _alphas(weights: Floats, first: Floats, second: Floats) -> Floats:
    """Alpha of each row of weights, shape (rows, answers), without the correction for few answers."""
    centre = (first.mean() + second.mean()) / 2
    entry, other = first - centre, second - centre
    total = weights.sum(axis=1)
    mean = weights @ (entry + other) / (2 * total)
    variance = weights @ (entry**2 + other**2) / (2 * total) - mean**2
    return np.asarray(1 - weights @ (entry - other) ** 2 / (2 * total * variance))


def _share(cases: Sequence[bool]) -> Estimate:
    """A share with its Clopper-Pearson interval."""
    n, hits = len(cases), sum(cases)
    if not n:
        return Estimate(None, Interval(0.0, 1.0), 0)
    interval = Interval(clopper_pearson_lower(hits, n, DELTA / 2), clopper_pearson_upper(hits, n, DELTA / 2))
    return Estimate(hits / n, interval, n)


_KEY = 16
"""Hexadecimal digits: two of a million answers share them with probability 3e-8."""


@dataclass(frozen=True, slots=True)
class NoGrade:
    """There is no grade yet."""

    exhausted: str = ""
    """The limit of the budget that left no room for it; empty if it may still be given."""


@dataclass(frozen=True, slots=True)
class JudgedGrade:
    """A judge's grade, with the number of unparsed or missing judgements behind it."""

    grade: Grade
    unreadable: int = 0
    spending: Usage = field(default_factory=Usage, compare=False)
    """Cost of these judgements."""


class Grader(Protocol):
    """Grades answers to questions that no rule scores."""

    async def grade(self, question: Question, asked: Prompt, answer: Reply, /) -> Grade | NoGrade:
        """The grade of one answer; `asked` is the question as it was put."""
        ...


@dataclass(frozen=True, slots=True)
class WaitingAnswer:
    """An answer that waits for people's grade."""

    id: str
    question: str
    """The question as asked."""
    answer: str
    rubric: str = ""

    @property
    def key(self) -> str:
        """A digest that identifies this answer to this question."""
        return answer_key(self.id, self.answer)


@dataclass(frozen=True, slots=True)
class GradingReport:
    """The graders of a certificate's answers, and how they graded."""

    judge: str = ""
    """Name of the candidate that judged; empty if none did."""
    judge_is_candidate: bool = False
    compared: bool = False
    """Whether answers of several candidates were graded; the judge may be one of them."""
    draws: int = 0
    """Judgements of each answer."""
    judgements: int = 0
    unreadable: int = 0
    """Unparsed or missing judgements; each may have been for any points."""
    rubric_digest: str = ""
    by_people: bool = False
    """Whether people's grades decide."""
    graded_by_people: int = 0
    by_judge: int = 0
    """Answers that only a judge graded, as evidence."""
    by_rule: int = 0
    """Answers that the scope's own rule graded, if others have a rubric; they are evidence, too."""
    judged_only: int = 0
    """Answers that the judge alone graded, in addition to those that people graded."""
    ruled_only: int = 0
    """Answers that the rule graded in the same place."""
    waiting: tuple[WaitingAnswer, ...] = ()
    agreement: GraderAgreement | None = None
    """Agreement of the judge with people, on answers that both graded; None if there are none."""
    judge_spending: Usage = field(default_factory=Usage)
    unreadable_is_wrong: bool = False
    """Whether a judgement that could not be read counts 0 points, as the user wished."""
    commitment: str = ""
    """SHA-256 of the secret that settles which answers people grade if a judge grades all; on record before the first."""

    @property
    def json_keys(self) -> str:
        """The values that fit who graded."""
        of_judge = "judge draws judgements unreadable_judgements=unreadable rubric_digest"
        groups = {
            f"{of_judge} judge_tokens=judge_spending.tokens judge_money=judge_spending.money": self.judge,
            "graded_by_rule=by_rule": self.by_rule or self.ruled_only,
            "graded_by_judge=by_judge": self.judge_alone,
            "graded_by_people waiting=waiting_ids": self.by_people,
            "judged_only places_committed=commitment ruled_only? agreement": self.judge and self.by_people,
        }
        return " ".join(("by", *(keys for keys, fits in groups.items() if fits)))

    @property
    def by(self) -> str:
        """The grader whose grades decide."""
        return "people" if self.by_people else "judge"

    @property
    def waiting_ids(self) -> list[str]:
        """The questions whose answers wait for people's grades."""
        return [answer.id for answer in self.waiting]

    @property
    def judge_alone(self) -> bool:
        """Whether no one graded the judge."""
        return bool(self.judge) and not self.by_people

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats that come from the grading."""
        sentences = (
            self._of_judge if self.judge_alone else "",
            self._of_itself if self.judge_is_candidate else "",
            f"{self.unreadable} of {self.judgements} judgements could not be read or did not come: {self._their_worth}."
            if self.unreadable
            else "",
            "People's grades are taken as the truth; 'viva people grade import' says how far the people of two sheets agree."
            if self.by_people
            else "",
            "The judge's grades make only the mean score more precise: the rate of unacceptable answers rests on the "
            "answers that people graded."
            if self.judge and self.by_people
            else "",
        )
        return tuple(sentence for sentence in sentences if sentence)

    @property
    def _of_itself(self) -> str:
        if self.compared:
            return f"The judge, {self.judge}, is one of the candidates, and may favour answers like its own."
        return "The judge is the candidate itself."

    @property
    def _of_judge(self) -> str:
        if self.by_rule:
            return (
                f"A judge graded the {self.by_judge} answers to questions with a rubric, and no one graded the judge. For "
                f"these the verdict is on the judgement of {self.judge}, and a candidate that pleases the judge gains. The "
                f"other {self.by_rule} were graded by rule."
            )
        return (
            f"A judge graded the answers, and no one graded the judge. The verdict is on the judgement of {self.judge}, and "
            "a candidate that pleases the judge gains."
        )

    @property
    def by_whom(self) -> str:
        """The counts of answers by grader, in brackets; empty if one graded all."""
        if not self.by_rule:
            return ""
        others = f"{count(self.graded_by_people)} by people" if self.by_people else f"{count(self.by_judge)} by the judge"
        return f" ({count(self.by_rule)} graded by rule, {others})"

    @property
    def _their_worth(self) -> str:
        if self.unreadable_is_wrong:
            return "they count 0 points"
        return "each may stand for any points, and the verdict rests on none of them"


def answer_key(question: str, answer: str) -> str:
    """A digest of an answer to a question, the same for every candidate; `question` is its id.

    >>> answer_key("q1", "yes") == answer_key("q1", "yes"), answer_key("q1", "yes") == answer_key("q2", "yes")
    (True, False)
    """
    return digest_of(canonical_json([question, answer]))[:_KEY]
