"""Batches: the same promises as single questions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from vivavoce.errors import CandidateError, CandidateUnreachable, TranscriptDamaged
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import Evaluation, Position
from vivavoce.interview.interview import Interview
from vivavoce.interview.progress import Progress
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.vendor_batches import BatchInterview


class NumberEngine:
    """Evaluates a position by the number in its name, and notes what it was asked."""

    name, size, concurrency = "test:engine", 4, 2

    def __init__(self, answer: Callable[[str], Evaluation | NoAnswer] | None = None) -> None:
        self.asked: list[list[str]] = []
        self._answer = answer or (lambda fen: Evaluation(q=int(fen) / 100, best_move="e2e4", nodes=1))

    async def answer_all(self, positions: Sequence[Position], /) -> list[Evaluation | NoAnswer]:
        self.asked.append([position.fen for position in positions])
        await asyncio.sleep(0)
        return [self._answer(position.fen) for position in positions]

    async def answer(self, position: Position, /) -> Evaluation:
        (answer,) = await self.answer_all([position])
        assert isinstance(answer, Evaluation)
        return answer


def positions(*names: int) -> list[Position]:
    return [Position(str(name)) for name in names]


def always(q: float) -> Callable[[str], Evaluation]:
    return lambda _: Evaluation(q=q, best_move="", nodes=1)


def values(answers: Sequence[Evaluation | NoAnswer]) -> list[float | str]:
    return [answer.q if isinstance(answer, Evaluation) else answer.reason for answer in answers]


async def test_answers_come_in_order_and_equal_questions_are_asked_once() -> None:
    engine = NumberEngine()
    interview = BatchInterview(engine, answers=Evaluation)
    assert values(await interview.ask_together(positions(3, 1, 3, 2))) == [0.03, 0.01, 0.03, 0.02]
    assert engine.asked == [["3", "1", "2"]]
    assert await interview.ask_together([]) == []
    assert interview.progress.answered == interview.transcript.head.count == 3


@pytest.mark.parametrize("kind", ["file", pytest.param("postgres", marks=pytest.mark.postgres)])
async def test_what_is_on_record_is_not_asked_again(request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> None:
    where = str(tmp_path / "t.sqlite") if kind == "file" else str(request.getfixturevalue("postgres_address"))
    with Transcript.open(where) as transcript:
        await BatchInterview(NumberEngine(), answers=Evaluation, transcript=transcript).ask_together(
            positions(1, 2), topic="chess/mirror"
        )
    engine = NumberEngine()
    with Transcript.open(where) as transcript:
        again = BatchInterview(engine, answers=Evaluation, transcript=transcript)
        assert values(await again.ask_together(positions(2, 5, 1))) == [0.02, 0.05, 0.01]
        assert engine.asked == [["5"]]
        assert again.progress.from_record == 2
        assert transcript.verify().count == 3
        assert [record.topic for record in transcript.records()] == ["chess/mirror", "chess/mirror", ""]


async def test_a_single_question_is_the_same_record() -> None:
    """What was asked one by one is found by batches."""
    with Transcript.open(None) as transcript:
        await Interview(NumberEngine(), answers=Evaluation, transcript=transcript).ask(Position("7"))
        engine = NumberEngine()
        await BatchInterview(engine, answers=Evaluation, transcript=transcript).ask_together(positions(7, 8))
        assert engine.asked == [["8"]]


async def test_absences_are_outcomes() -> None:
    def half(fen: str) -> Evaluation | NoAnswer:
        return NoAnswer("the engine died") if fen == "2" else Evaluation(q=0.5, best_move="a2a3", nodes=1)

    with Transcript.open(None) as transcript:
        interview = BatchInterview(NumberEngine(half), answers=Evaluation, transcript=transcript)
        assert values(await interview.ask_together(positions(1, 2))) == [0.5, "the engine died"]
        assert [record.kind for record in transcript.records()] == ["answer", "no answer"]
        assert interview.progress.no_answers == 1
        again = BatchInterview(NumberEngine(), answers=Evaluation, transcript=transcript)
        assert values(await again.ask_together(positions(2))) == ["the engine died"]


async def test_the_first_answer_stands() -> None:
    """Two runs at the same time over one transcript: the later one takes the earlier one's answer."""
    with Transcript.open(None) as transcript:
        late, early = (BatchInterview(NumberEngine(always(q)), answers=Evaluation, transcript=transcript) for q in (0.9, 0.1))
        await late.ask_together(positions(99))  # so that it has decided not to look things up
        await early.ask_together(positions(1))
        assert values(await late.ask_together(positions(1))) == [0.1]


async def test_a_candidate_that_is_gone_leaves_nothing_of_the_batch() -> None:
    def gone(fen: str) -> Evaluation:
        if fen == "3":
            raise CandidateUnreachable("all workers are gone")
        return Evaluation(q=0, best_move="", nodes=1)

    with Transcript.open(None) as transcript:
        interview = BatchInterview(NumberEngine(gone), answers=Evaluation, transcript=transcript)
        await interview.ask_together(positions(1, 2))
        with pytest.raises(CandidateUnreachable):
            await interview.ask_together(positions(4, 3))
        assert transcript.head.count == 2
        assert interview.progress.in_flight == 0


async def test_a_wrong_number_of_answers_is_an_error_not_a_shift() -> None:
    class ShorteningEngine(NumberEngine):
        async def answer_all(self, positions: Sequence[Position], /) -> list[Evaluation | NoAnswer]:
            return (await super().answer_all(positions))[1:]

    with pytest.raises(CandidateError, match="1 answers to 2 questions"):
        await BatchInterview(ShorteningEngine(), answers=Evaluation).ask_together(positions(1, 2))


async def test_an_answer_of_another_kind_on_record_is_damage() -> None:
    with Transcript.open(None) as transcript:
        await BatchInterview(NumberEngine(), answers=Evaluation, transcript=transcript).ask_together(positions(1))
        with pytest.raises(TranscriptDamaged, match="record 1"):
            await BatchInterview(NumberEngine(), answers=int, transcript=transcript).ask_together(positions(1))


async def test_progress_after_every_batch() -> None:
    seen: list[Progress] = []
    interview = BatchInterview(NumberEngine(), answers=Evaluation, expected=5, on_progress=seen.append)
    await asyncio.gather(interview.ask_together(positions(1, 2)), interview.ask_together(positions(3, 4, 5)))
    assert [progress.answered for progress in seen] == [2, 5]
    assert all(progress.expected == 5 for progress in seen)
