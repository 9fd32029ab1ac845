"""Courses of examinations whose answers are graded: in drawn order, or block by block."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Coroutine, Iterator, Sequence
from contextlib import aclosing
from typing import Any

from vivavoce.certificate.course import Answers, Begun
from vivavoce.certificate.deployed_finding import DeploymentCertificate
from vivavoce.certificate.finding import Certificate
from vivavoce.certificate.graders.annotation import Annotation
from vivavoce.certificate.graders.in_order import graded_in_order
from vivavoce.certificate.graders.marking import Mark, Strictness
from vivavoce.certificate.graders.pace import Pace
from vivavoce.certificate.graders.places import Places
from vivavoce.certificate.rows import in_order
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.results import AnswerEvent
from vivavoce.interview.results import ResultMark as RowMark


class GradedCourse:
    """Answers that a judge or people grade, each in drawn order."""

    def __init__(self, begun: Begun, graders: Strictness, annotation: Annotation) -> None:
        self._begun = begun
        self._graders = graders
        self._annotation = annotation

    def prompts(self) -> Iterator[Prompt]:
        """What to ask, up to the limit."""
        return self._annotation.prompts(self._begun.draw())

    def rows(self, heard: Sequence[AnswerEvent]) -> list[RowMark | None]:
        """By the grades that were given."""
        return in_order(heard, self._annotation.marks, over=self._annotation.over)

    def graded(self, answers: Answers) -> AsyncGenerator[Any, None]:
        """Marks in drawn order; several answers are graded at once."""
        pace = Pace([self._begun.interview], self._graders.judge, self._graders.ahead)

        def mark(asked: Prompt, answer: Reply | NoAnswer) -> Coroutine[Any, Any, Mark]:
            pace.ask()
            return self._annotation.mark(asked, answer)

        return graded_in_order(answers, mark, ahead=pace.ahead, ready=pace.ready)

    async def take(self, graded: Any) -> bool:
        """Take the next mark; whether the examination is at its end."""
        return self._annotation.take(graded)

    def so_far(self) -> Certificate | None:
        """With who graded."""
        return self._annotation.so_far()

    async def finish(self) -> Certificate | DeploymentCertificate:
        """The finding, with who graded."""
        return await self._annotation.finish()


class BlockCourse(GradedCourse):
    """Answers that a judge grades all, and people one of each block."""

    def __init__(self, begun: Begun, graders: Strictness, annotation: Annotation, places: Places) -> None:
        super().__init__(begun, graders, annotation)
        self._places = places

    async def graded(self, answers: Answers) -> AsyncGenerator[Any, None]:
        """Blocks in drawn order; people grade what is theirs of several at once."""
        blocks_ahead = -(-self._graders.ahead // (self._graders.further + 1))
        async with (
            aclosing(super().graded(answers)) as marks,
            aclosing(self._annotation.blocks(marks, self._places)) as blocks,
            aclosing(graded_in_order(blocks, self._annotation.shown, ahead=blocks_ahead)) as shown,
        ):
            async for block in shown:
                yield block

    async def take(self, graded: Any) -> bool:
        """Take the next block; whether the examination is at its end."""
        return self._annotation.take_block(graded)

    async def finish(self) -> Certificate | DeploymentCertificate:
        """The finding, with who graded, and the places on record."""
        return await self._annotation.finish(places=self._places.secret)
