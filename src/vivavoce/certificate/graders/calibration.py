"""Calibrates a judge: measures its agreement with people on a sheet that people graded, before its grades count.

The judge is asked as in an examination: one reply at a time, with the question and its rubric. It does not learn who replied or
how people graded. It never compares two replies, so it has no order of two to favour.

- Its error is its score minus people's. A mean of errors has a Student's t interval, robust to several replies to one question
  (`statistics.clustered`).
- A bias is a difference of two mean errors: of the longer half of the replies from the shorter one, and of replies by the
  judge's own model from others'. Errors are against people's grades of the same replies, so better replies are not a bias. The
  intervals of both means are combined as in `zou2008` (MOVER). Replies to one question are alike, so this is rather too wide.
- A judgement that could not be read has no error. In the lower end of alpha it counts as far from people's score as it may be.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, fields, replace
from math import hypot
from pathlib import Path
from statistics import median
from typing import Any, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.certificate.graders.grades import (
    FLOOR,
    GraderAgreement,
    JudgeCalibration,
    JudgedGrade,
    agreement_by_question,
)
from vivavoce.certificate.graders.judge import CandidateJudge
from vivavoce.certificate.graders.marking import WHOLE_BLOCK, graded_in_order
from vivavoce.certificate.graders.people import SheetReply
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.lines import whole_json
from vivavoce.formats.wording import count, first_problem, name_of, signed, signed_interval
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.record import digest_of
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question
from vivavoce.statistics.agreement import krippendorff_alpha
from vivavoce.statistics.clustered import mean_estimate

TOPIC: Final = "judging/calibration"
_AHEAD: Final = 16
"""Replies that are judged at once at least."""
_UNKNOWN: Final = Estimate(None, Interval(-2.0, 2.0), 0)


@dataclass(frozen=True, slots=True)
class JudgeErrorDifference:
    """The mean error on some replies minus the mean error on the others, in points of the score from -2 to 2."""

    replies: int
    """The former."""
    others: int
    difference: Estimate
    """Without a value if there are none of either."""


@dataclass(frozen=True, slots=True)
class CalibrationResult:
    """A judge's grades of replies that people graded; every interval at 95%, robust to several replies to one question."""

    judge: str
    rubric: str
    """Digest of the general rubric."""
    draws: int
    """Judgements of each reply."""
    source: str
    """Digest of the judge's code, if it is a function."""
    replies: int
    """Replies that people graded and the judge was asked about."""
    questions: int
    """Different questions among them."""
    unreadable: int
    """Replies with a judgement that could not be read or did not come."""
    exhausted: str
    """The limit of the budget that ended it early; empty if it did not."""
    agreement: GraderAgreement | None
    """On the replies whose judgements could be read; None without any."""
    long_replies: JudgeErrorDifference
    """The longer half against the shorter."""
    longer_than: int
    """Characters of the longest reply in the shorter half."""
    own_replies: JudgeErrorDifference
    """Replies of the judge's own model against those of others."""

    @property
    def known(self) -> JudgeCalibration:
        """What a certificate by this judge says."""
        if self.agreement is None:
            return JudgeCalibration(0, None, -1.0, 1.0)
        alpha = self.agreement.krippendorff_alpha
        return JudgeCalibration(self.agreement.answers, alpha.value, alpha.interval.lower, alpha.interval.upper)

    @property
    def verdict(self) -> Literal["pass", "fail", "undecided"]:
        """Whether all of alpha's interval is at least the floor, below it, or neither."""
        if self.known.alpha is None:
            return "undecided"
        return "pass" if self.known.lower >= FLOOR else "fail" if self.known.upper < FLOOR else "undecided"

    @property
    def headline(self) -> str:
        """The verdict in a sentence."""
        known, name = self.known, name_of(self.judge)
        if known.alpha is None:
            unparsed = f"{count(self.unreadable)} of {count(self.replies)} judgements can't be parsed"
            reason = unparsed if self.unreadable else "it needs two graded replies with different scores"
            return f"Unknown whether {name} agrees with people: {reason}."
        verb = {"pass": "agrees with people", "fail": "agrees too little with people"}.get(
            self.verdict, "may agree too little with people"
        )
        alpha = f"α = {signed(known.alpha)} {signed_interval(Interval(known.lower, known.upper))}"
        return f"{name} {verb}: {alpha} on {count(known.answers)} replies, at least {FLOOR} needed."

    def as_json(self) -> dict[str, Any]:
        """All numbers; `read_calibration` reads them back."""
        return {"kind": KIND, "verdict": self.verdict, "floor": FLOOR} | {
            field.name: getattr(self, field.name) for field in fields(self)
        }


KIND: Final = "calibration"


async def calibrate(
    judge: CandidateJudge, replies: Sequence[SheetReply], questions: Mapping[str, Question] | None = None
) -> CalibrationResult:
    """Have a judge grade replies that people graded, and compare.

    Parameters
    ----------
    questions: of the scope, by id; they give rubrics and right answers, as in an examination. None: the sheet's own rubrics.

    Raises `NotEnoughEvidence` without replies, `BadInput` for a reply to a question that is not in the scope, and what the
    interview raises.
    """
    if not replies:
        raise NotEnoughEvidence("no reply of the sheet has a score: fill in 'score' (0 to 1)")
    asked = {reply.place: (_question(reply, questions), reply) for reply in replies}

    async def unique() -> AsyncGenerator[tuple[Question, SheetReply], None]:
        for pair in asked.values():
            yield pair

    async def judged(question: Question, reply: SheetReply) -> tuple[tuple[str, str], Any]:
        prompt = Prompt(reply.question, id=question.id)
        return reply.place, await judge.judged(question, prompt, Reply(reply.answer))

    ahead = WHOLE_BLOCK if judge.interview.drawing.by_batch else max(_AHEAD, judge.interview.ahead)
    grades: dict[tuple[str, str], Grade] = {}
    exhausted = ""
    async with aclosing(graded_in_order(unique(), judged, ahead=ahead)) as judgements:
        async for answer, given in judgements:
            if not isinstance(given, JudgedGrade):
                exhausted = given.exhausted
                break
            grades[answer] = given.grade
    return _compared(judge, [(grades[reply.place], reply) for reply in replies if reply.place in grades], exhausted)


def _question(reply: SheetReply, questions: Mapping[str, Question] | None) -> Question:
    id_ = reply.graded.id
    if questions is None:
        return Question(id_, reply.question, rubric=reply.rubric)
    if id_ not in questions:
        raise BadInput(f"question '{id_[:80]}' of the sheet is not in the scope: name the scope that it came from")
    return questions[id_]


def _compared(judge: CandidateJudge, judged: Sequence[tuple[Grade, SheetReply]], exhausted: str) -> CalibrationResult:
    readable = [(grade, reply) for grade, reply in judged if grade.upper is None]
    limit = int(median(len(reply.answer) for _, reply in readable)) if readable else 0
    known = [(grade, reply) for grade, reply in readable if reply.candidate]
    return CalibrationResult(
        judge=judge.name,
        rubric=digest_of(judge.rubric),
        draws=judge.draws,
        source=str(judge.interview.settings.get("source", "")),
        replies=len(judged),
        questions=len({reply.graded.id for _, reply in judged}),
        unreadable=len(judged) - len(readable),
        exhausted=exhausted,
        agreement=_agreement(judged, readable),
        long_replies=_difference(readable, [len(reply.answer) > limit for _, reply in readable]),
        longer_than=limit,
        own_replies=_difference(known, [_same_model(reply.candidate, judge.name) for _, reply in known]),
    )


def _agreement(
    judged: Sequence[tuple[Grade, SheetReply]], readable: Sequence[tuple[Grade, SheetReply]]
) -> GraderAgreement | None:
    """With the lower end of alpha that also holds if unread judgements were as far from people as they may be."""
    if not readable:
        return None
    questions = [reply.graded.id for _, reply in readable]
    agreement = agreement_by_question([(grade, reply.graded.grade) for grade, reply in readable], questions)
    if len(readable) == len(judged):
        return agreement
    farthest = [max(grade.score, grade.upper_score, key=lambda end: abs(end - reply.graded.score)) for grade, reply in judged]
    people = np.array([reply.graded.score for _, reply in judged])
    worst = krippendorff_alpha(np.array(farthest), people, [reply.graded.id for _, reply in judged]).interval
    alpha = agreement.krippendorff_alpha
    interval = Interval(min(alpha.interval.lower, worst.lower), alpha.interval.upper)
    return replace(agreement, krippendorff_alpha=replace(alpha, interval=interval))


def _difference(judged: Sequence[tuple[Grade, SheetReply]], chosen: Sequence[bool]) -> JudgeErrorDifference:
    """The mean error on the chosen replies minus the mean on the others; see the head of this file."""

    def mean(wanted: bool) -> Estimate:
        of = [(grade, reply) for (grade, reply), is_chosen in zip(judged, chosen, strict=True) if is_chosen == wanted]
        errors = [grade.score - reply.graded.score for grade, reply in of]
        return mean_estimate(errors, [reply.graded.id for _, reply in of], smallest=-1.0)

    some, others = mean(True), mean(False)
    if some.value is None or others.value is None:
        return JudgeErrorDifference(some.n, others.n, replace(_UNKNOWN, n=some.n + others.n))
    value = some.value - others.value
    below = hypot(some.value - some.interval.lower, others.interval.upper - others.value)
    above = hypot(some.interval.upper - some.value, others.value - others.interval.lower)
    interval = Interval(max(-2.0, value - below), min(2.0, value + above))
    return JudgeErrorDifference(some.n, others.n, Estimate(value, interval, some.n + others.n))


def _same_model(candidate: str, judge: str) -> bool:
    """Whether both are one model, whatever its settings.

    >>> _same_model("chat:m@http://h/v1?temperature=0", "chat:m@http://h/v1")
    True
    """
    return candidate.partition("?")[0] == judge.partition("?")[0]


class _Alpha(BaseModel):
    model_config = ConfigDict(strict=True)

    value: float | None = Field(ge=-1, le=1)
    lower: float = Field(ge=-1, le=1)
    upper: float = Field(ge=-1, le=1)


class _Agreement(BaseModel):
    answers: int = Field(ge=1, strict=True)
    krippendorff_alpha: _Alpha


class _CalibrationFile(BaseModel):
    model_config = ConfigDict(strict=True)

    kind: Literal["calibration"]
    judge: str
    rubric: str
    draws: int
    source: str
    agreement: _Agreement | None


def read_calibration(file: Path, judge: CandidateJudge) -> JudgeCalibration:
    """A judge's agreement with people, from a file that `viva people calibrate --out` wrote.

    Raises `BadFile` for another file, and for the calibration of another judge, rubric or number of judgements.
    """
    try:
        read = _CalibrationFile.model_validate(whole_json(file))
    except ValidationError as error:
        problem = first_problem(error)
        raise BadFile(file, f"not a calibration ({problem}): make it with 'viva people calibrate --out FILE'") from None
    source = str(judge.interview.settings.get("source", ""))
    for what, theirs, ours in (
        ("judge", read.judge, judge.name),
        ("code of the judge", read.source, source),
        ("rubric", read.rubric, digest_of(judge.rubric)),
        ("number of judgements", read.draws, judge.draws),
    ):
        if theirs != ours:
            raise BadFile(file, f"the calibration of another {what}: '{theirs!s:.80}', not '{ours!s:.80}'; calibrate this one")
    if read.agreement is None:
        return JudgeCalibration(0, None, -1.0, 1.0)
    alpha = read.agreement.krippendorff_alpha
    return JudgeCalibration(read.agreement.answers, alpha.value, alpha.lower, alpha.upper)
