"""The procedure of an examination: from an attempt on record to answers, their grades and a finding.

`certify.certify` asks the questions. The procedure chooses them, grades the answers, and says when there are enough.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any, Protocol

from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.deployed import DeployedRuns, DeploymentCertificate
from vivavoce.certificate.claims.results import ClaimFinding
from vivavoce.certificate.graders.trace import in_order
from vivavoce.certificate.run import CertificateRun, StartedExamination, as_asked
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.results import AnswerEvent, ResultMark

Answers = AsyncGenerator[tuple[Prompt, Reply | NoAnswer], None]


Target = CertificateRun | DeployedRuns
"""Takes graded units for one verdict, or for two on the same answers."""


class ExaminationProcedure(Protocol):
    """The interface of procedures that `certify` uses."""

    def prompts(self) -> Iterator[Prompt]:
        """The questions to ask, while they may matter."""

    def rows(self, heard: Sequence[AnswerEvent]) -> list[ResultMark | None]:
        """The marks of answers for a file of results."""

    def graded(self, answers: Answers) -> AsyncGenerator[Any, None]:
        """The answers in drawn order, with their grades."""

    async def take(self, graded: Any) -> bool:
        """Take the next answer; return True once finished."""

    async def finish(self) -> ClaimFinding:
        """Put the end on record; the finding."""


class RuleGradedProcedure:
    """Answers that the scope's own rule grades."""

    def __init__(self, begun: StartedExamination, target: Target) -> None:
        self._begun = begun
        self._target = target

    def prompts(self) -> Iterator[Prompt]:
        """The next questions, up to the limit."""
        return self._target.prompts(self._begun.draw())

    def rows(self, heard: Sequence[AnswerEvent]) -> list[ResultMark | None]:
        """Rows with the grades that counted."""
        return in_order(heard, self._target.marks)

    async def graded(self, answers: Answers) -> AsyncGenerator[Reply | NoAnswer, None]:
        """The answers without grades: they are graded when they are taken."""
        async for _, answer in answers:
            yield answer

    async def take(self, graded: Reply | NoAnswer) -> bool:
        """Take the next answer; return True once finished."""
        self._target.take(graded)
        return self._target.over

    async def finish(self) -> Certificate | DeploymentCertificate:
        """The certificate with what counted on record."""
        begun, interview = self._begun, self._begun.interview
        certificates = self._target.certificates(interview.candidate.name, interview.exhausted, interview.spending, begun.seed)
        asked = [as_asked(certificate, interview) for certificate in certificates]
        return await self._target.finish(begun, asked, interview.exhausted)
