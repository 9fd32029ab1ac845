"""Holding an examination: order, budget, faults, going on, and ending once no reply can be parsed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.examination.made import FunctionSpeaker, examination, examined
from vivavoce.candidates import open_candidate
from vivavoce.candidates.replay import open_replay
from vivavoce.errors import BadInput, CandidateMisconfigured
from vivavoce.examination.part import FIRST, EarlyEnd
from vivavoce.examination.plan_file import plan_of
from vivavoce.examination.run import LEFT_OUT, STOPPED
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.forms.one_option import OneOption
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript

SHORT = "[luna]\ngames = 3\n[[certificate]]\nscope = 'arithmetic'\n"


def sums(text: str) -> str:
    """Adds, without a mistake."""
    first, second = re.findall(r"(\d+) \+ (\d+)", text)[0]
    return f"Answer: {int(first) + int(second)}"


def test_the_cheapest_room_comes_first() -> None:
    held = examination(FunctionSpeaker(lambda text: "No."), plan_of(""))
    calls = [planned.cost_estimate.tokens for planned in held.outlook.rooms]
    assert calls == sorted(calls)
    assert [planned.part.room for planned in held.outlook.rooms] == ["luna", "eqt", "certificate"]


def test_what_is_absent_says_why() -> None:
    held = examination(open_candidate("bot:eliza"), plan_of('examinations = ["luna"]'), nature="bot")
    reasons = {room.room: (room.reason, room.fits) for room in held.outlook.absent}
    assert reasons["certificate"] == (LEFT_OUT, True)
    assert reasons["chess"] == ("not for a built-in bot", False)
    with pytest.raises(BadInput, match="nothing to examine: forecasts: needs related questions"):
        examination(open_candidate("bot:eliza"), plan_of('examinations = ["forecasts"]'), nature="bot")


def test_files_are_checked_before_anything_is_asked() -> None:
    speaker = FunctionSpeaker(lambda text: "No.")
    with pytest.raises(BadInput, match=r"no-such-file\.csv"):
        examination(speaker, plan_of("[bail]\ndefendants = 'no-such-file.csv'"))
    assert speaker.asked == 0


def test_a_budget_that_is_too_small_is_told_as_not_enough_evidence() -> None:
    dossier = examined(open_candidate("bot:calculator"), plan_of(SHORT + "[budget]\nquestions = 20"), nature="bot")
    # three games of five answers take 15 questions, and five on sums are no verdict
    assert "“How does it play" not in dossier.answer.paragraph
    assert "arithmetic" in " ".join(dossier.answer.unknown)
    assert "not enough evidence: the budget for questions is used up" in dossier.answer.paragraph
    assert dossier.answer.trusted == ()


def test_half_the_cost_gives_no_verdict_where_the_whole_gives_one() -> None:
    plan = "examinations = ['certificate']\n[[certificate]]\nscope = 'arithmetic?operations=+'\n"
    whole = examined(FunctionSpeaker(sums), plan_of(plan))
    assert whole.answer.trusted
    half = examined(FunctionSpeaker(sums), plan_of(f"{plan}[budget]\ntokens = {whole.spending.tokens // 2}"))
    assert half.answer.trusted == half.answer.not_for == ()
    assert "not enough evidence: the budget for tokens is used up" in half.answer.paragraph
    assert half.answer.guarantee == ""
    # what was in flight when it ran out may be beyond it: eight questions at once, sixteen drawn ahead, ten tokens each
    assert half.spending.tokens <= whole.spending.tokens // 2 + 16 * 10


class GamesOnly:
    """Answers games, and is misconfigured for all else."""

    name = "test:broken"

    async def answer(self, question: Prompt, /) -> Reply:
        if "luna" not in question.id:
            raise CandidateMisconfigured("no such model")
        return Reply("Yes.")


def test_what_goes_wrong_in_one_room_is_told_and_the_others_go_on() -> None:
    held = examination(GamesOnly(), plan_of(SHORT))
    dossier = asyncio.run(held.run())
    assert [card.room for card in dossier.cards] == ["luna"]
    reasons = {room.room: room.reason for room in dossier.absent}
    assert reasons["certificate"] == reasons["eqt"] == "could not be examined: no such model"
    assert held.unreachable


def test_who_is_misconfigured_from_the_first_question_is_not_examined() -> None:
    with pytest.raises(CandidateMisconfigured):
        examined(GamesOnly(), plan_of("examinations = ['certificate']"))


def test_stopped_in_the_middle_it_tells_of_what_was_found() -> None:
    async def stopped() -> None:
        task = asyncio.create_task(held.run())

        def stop(room: str, news: str) -> None:
            if room == "luna" and news:
                task.cancel()

        held.on_room = stop
        with pytest.raises(asyncio.CancelledError):
            await task

    held = examination(FunctionSpeaker(lambda text: "Yes."), plan_of(SHORT))
    asyncio.run(stopped())
    dossier = held.dossier()
    assert [card.room for card in dossier.cards] == ["luna"]
    assert {skipped_room.reason for skipped_room in dossier.absent if skipped_room.room in ("certificate", "eqt")} == {STOPPED}


def test_going_on_asks_nothing_twice_and_finds_the_same(tmp_path: Path) -> None:
    first, again = (FunctionSpeaker(lambda text: f"Answer: {len(text)}") for _ in range(2))
    with Transcript.open(str(tmp_path / "t.sqlite")) as transcript:
        before = asyncio.run(examination(first, plan_of(SHORT), transcript=transcript).run())
        after = asyncio.run(examination(again, plan_of(SHORT), transcript=transcript).run())
    assert first.asked > 0
    assert again.asked == 0
    assert after == before


def test_a_recording_is_counted_and_certified_on_what_it_covers(tmp_path: Path) -> None:
    rows = [f'{{"id": "q{n}", "question": "What is {n} + {n}?", "answer": {2 * n}}}' for n in range(30)]
    (tmp_path / "scope.jsonl").write_text("\n".join(rows))
    text = "".join(f"q{n},Answer: {2 * n if n else ''}\n" for n in range(30)) + "q99,\n"
    (tmp_path / "said.csv").write_text("id,model\n" + text)
    recording = open_replay(f"{tmp_path / 'said.csv'}#model", "")
    dossier = examined(recording, plan_of(f"[[certificate]]\nscope = 'file:{tmp_path / 'scope.jsonl'}'"), nature="recording")
    assert [card.room for card in dossier.cards] == ["certificate", "recording"]
    assert "holds 31 answers, 1 of them empty." in dossier.answer.paragraph
    assert dossier.answer.trusted
    bare = examined(recording, plan_of(""), nature="recording")
    assert "needs the recorded scope" in next(room.reason for room in bare.absent if room.room == "certificate")


def test_what_cannot_be_read_could_not_be_examined_and_is_not_held_against_anybody() -> None:
    dossier = examined(FunctionSpeaker(lambda text: "Well, well."), plan_of("[[certificate]]\nscope = 'arithmetic'\n"))
    assert dossier.answer.not_for == ()
    [claim] = [name for name in dossier.answer.unknown if name.startswith("arithmetic")]
    assert "could not be examined: no reply could be graded" in claim
    figures = [figure for card in dossier.cards if card.room == "certificate" for figure in card.figures]
    score = next(figure for figure in figures if figure.name.endswith("mean score"))
    assert (score.value, score.in_words) == (None, "unknown")


FORM = OneOption(("Rome", "Oslo"))
QUESTIONS = [Prompt(f"Question {number}?", form=FORM) for number in range(60)]


@dataclass(frozen=True)
class UnclearCandidate:
    """Its replies can't be parsed, but for those to these questions."""

    clear: frozenset[int] = frozenset()
    name: str = "test:mumbling"

    async def answer(self, question: Prompt, /) -> Reply:
        return Reply("Answer: A" if int(question.text.split()[1].split("?")[0]) in self.clear else "Hm.")


def asked(
    candidate: UnclearCandidate,
    transcript: Transcript | None = None,
    budget: Budget = Budget(),  # noqa: B008 -- frozen
    questions: Sequence[Prompt] = QUESTIONS,
) -> tuple[int, EarlyEnd]:
    async def ask() -> int:
        interview = Interview(candidate, answers=Reply, transcript=transcript, concurrency=1, budget=budget)
        end.watch(interview)
        return len([answer async for _, answer in interview.ask_in_order(questions)])

    end = EarlyEnd()
    return asyncio.run(ask()), end


def test_it_ends_after_the_first_replies_and_again_from_the_record() -> None:
    with Transcript.open(None) as transcript:
        first, end = asked(UnclearCandidate(), transcript)
        assert FIRST <= first < 2 * FIRST
        assert (end.is_reached, end.any_parsed) == (True, False)
        assert asked(UnclearCandidate(), transcript)[0] == first


@pytest.mark.parametrize("number", [0, FIRST - 1])
def test_one_parsed_reply_is_enough_to_go_on(number: int) -> None:
    answered, end = asked(UnclearCandidate(frozenset({number})))
    assert (answered, end.is_reached) == (len(QUESTIONS), False)


def test_a_parsed_reply_that_comes_later_changes_nothing() -> None:
    answered, end = asked(UnclearCandidate(frozenset({FIRST})))
    assert end.is_reached
    assert answered < len(QUESTIONS)


def test_the_budget_still_counts() -> None:
    answered, end = asked(UnclearCandidate(), budget=Budget(questions=5))
    assert (answered, end.is_reached) == (5, False)


def test_missing_answers_are_the_service_s() -> None:
    @dataclass(frozen=True)
    class Silent(UnclearCandidate):
        async def answer(self, question: Prompt, /) -> Reply:
            raise TimeoutError

    answered, end = asked(Silent())
    assert (answered, end.replies, end.is_reached) == (len(QUESTIONS), 0, False)


def test_open_questions_have_nothing_to_parse() -> None:
    answered, end = asked(UnclearCandidate(), questions=[replace(prompt, form=None) for prompt in QUESTIONS])
    assert (answered, end.is_reached) == (len(QUESTIONS), False)
