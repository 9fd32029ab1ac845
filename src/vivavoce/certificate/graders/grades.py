"""Grades, a certificate's statements about them, and the agreement of two graders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import floor
from typing import Any, Final, Protocol

import numpy as np

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, name_of, signed, signed_interval
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.record import canonical_json, digest_of
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question
from vivavoce.statistics.agreement import krippendorff_alpha
from vivavoce.statistics.bounds import clopper_pearson_lower, clopper_pearson_upper
from vivavoce.statistics.clustered import mean_estimate, share_estimate
from vivavoce.statistics.confidence_sequences import mean_bounds

PARTIAL_CREDIT: Final = "partial_credit"
"""Setting, true if grades between 0 and 1 are expected: a judge grades all, or most questions list partial scores."""
CLOSE = 0.1
"""Two scores that differ by at most this agree."""
DELTA = 0.05
FLOOR: Final = 0.667
"""The least lower end of alpha with which a judge stands for people: below it, Krippendorff's customary limits
(`krippendorff2004`) leave not even tentative conclusions."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class GraderAgreement:
    """Two graders on the same answers; every interval at 95%.

    The intervals for the mean difference and the share that agree are valid at any stop, the others for a number of answers
    fixed in advance. With several answers to a question (`agreement_by_question`), all are for a fixed number.
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


def agreement_by_question(pairs: Sequence[tuple[Grade, Grade]], questions: Sequence[str]) -> GraderAgreement:
    """How far the first grader agrees with the second on a fixed number of answers, some of them to the same question.

    questions: the question of each pair.

    Raises `NotEnoughEvidence` if there are no pairs.

    >>> pairs = [(Grade(0.9, False), Grade(1.0, False)), (Grade(0.2, True), Grade(0.0, True))]
    >>> agreement_by_question(pairs, ["one", "one"]).difference.interval  # a single question says nothing of others
    Interval(lower=-1.0, upper=1.0)
    """
    if not pairs:
        raise NotEnoughEvidence("no answer was graded by both: agreement needs at least 1")
    first, second = (np.array([pair[grader].score for pair in pairs]) for grader in (0, 1))
    apart = first - second

    def flagged(unacceptable: bool) -> Estimate:
        indices = [index for index, (_, other) in enumerate(pairs) if other.unacceptable == unacceptable]
        agrees = [pairs[index][0].unacceptable == unacceptable for index in indices]
        return share_estimate(agrees, [questions[index] for index in indices])

    return GraderAgreement(
        answers=len(pairs),
        difference=mean_estimate(apart, questions, smallest=-1.0),
        close=share_estimate(abs(apart) <= CLOSE + _ROUNDING, questions),
        krippendorff_alpha=krippendorff_alpha(first, second, questions),
        unacceptable_sensitivity=flagged(True),
        unacceptable_specificity=flagged(False),
    )


def _share(cases: Sequence[bool]) -> Estimate:
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
class JudgeCalibration:
    """A judge's agreement with people, measured before on a sheet that people graded.

    >>> JudgeCalibration(120, 0.8, 0.7, 0.9).doubt, JudgeCalibration(20, 0.5, 0.1, 0.8).doubt
    ('', 'too little agreement with people: α may be 0.10, at least 0.667 needed')
    """

    answers: int
    """Answers that people and the judge graded."""
    alpha: float | None
    """Krippendorff's; None if not estimable."""
    lower: float
    """The ends of its 95% interval."""
    upper: float

    @classmethod
    def of_settings(cls, settings: Mapping[str, Any]) -> JudgeCalibration | None:
        """From the settings of an attempt; None if they hold none."""
        values = settings.get("judge_calibration")
        return None if values is None else cls(**values)

    @property
    def doubt(self) -> str:
        """A clause for the headline of what rests on this judge, if its agreement is too low or unknown; else empty."""
        if self.alpha is None:
            return "its agreement with people is unknown"
        if self.lower >= FLOOR:
            return ""
        lower = f"{floor(self.lower * 100) / 100:.2f}".replace("-", "−")
        return f"too little agreement with people: α may be {lower}, at least {FLOOR} needed"


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
    calibration: JudgeCalibration | None = None
    """The judge's agreement with people, measured before; None if it is not known."""

    @property
    def json_keys(self) -> str:
        """The values that fit who graded."""
        of_judge = "judge draws judgements unreadable_judgements=unreadable rubric_digest"
        groups = {
            f"{of_judge} judge_tokens=judge_spending.tokens judge_money=judge_spending.money calibration?": self.judge,
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

    def judge_in_headline(self, form: str = "{} ({})") -> str:
        """The judge's name, with the doubt about it if there is one; `form`: of both.

        >>> GradingReport("m", calibration=JudgeCalibration(20, 0.5, 0.1, 0.8)).judge_in_headline("{}; {}")
        'm; too little agreement with people: α may be 0.10, at least 0.667 needed'
        """
        doubt = "" if self.calibration is None else self.calibration.doubt
        return form.format(name_of(self.judge), doubt) if doubt else name_of(self.judge)

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
        known = self._known_of_judge
        if self.by_rule:
            return (
                f"A judge graded the {self.by_judge} answers to questions with a rubric, {known}. For "
                f"these the verdict is on the judgement of {self.judge}, and a candidate that pleases the judge gains. The "
                f"other {self.by_rule} were graded by rule."
            )
        return (
            f"A judge graded the answers, {known}. The verdict is on the judgement of {self.judge}, and "
            "a candidate that pleases the judge gains."
        )

    @property
    def _known_of_judge(self) -> str:
        if (known := self.calibration) is None:
            return "and no one graded the judge"
        if known.alpha is None:
            return f"whose agreement with people could not be estimated on {count(known.answers)} other answers"
        return (
            f"whose agreement with people on {count(known.answers)} answers of a sheet was α = "
            f"{signed(known.alpha)} {signed_interval(Interval(known.lower, known.upper))}"
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
