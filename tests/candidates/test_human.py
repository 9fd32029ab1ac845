"""A person as a candidate: what is shown, what can be an answer, and how a sitting goes on."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.candidates import open_candidate
from vivavoce.candidates.human import Item, item_of
from vivavoce.errors import BadInput, CandidateMisconfigured, CandidateUnreachable
from vivavoce.interview.candidate import Exchange, Prompt, Reply, usual_concurrency, usual_time_out
from vivavoce.interview.interview import Interview
from vivavoce.interview.requests import full_prompt
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes.questions import Question, prompt
from vivavoce.scopes.score import grade

CAPITAL = Question("fr", "Capital of <b>France</b>?", ("Lyon", "Paris"), ("B",), unacceptable=("A",))
SUM = Question("sum", "What is 2 + 2?", accepted=("4",), plausible=(0, 400))
GAS = Question("gas", "Which gas do we breathe out?", accepted=("carbon dioxide",), dont_know_score=0.2)
ESSAY = Question("why", "Why is the sky blue?", rubric="10: names Rayleigh")


def shown(question: Question) -> Item:
    return item_of(full_prompt(prompt(question)))


@each_case(
    ("question", "typed", "score", "unacceptable"),
    [
        (CAPITAL, "b", 1, False),
        (CAPITAL, " (A). ", 0, True),
        (SUM, "4.0", 1, False),
        (SUM, "4,000", 0, True),
        (SUM, "5000", 0, True),
        (GAS, "Carbon dioxide", 1, False),
        (GAS, "oxygen", 0, False),
        (GAS, "i don't know", 0.2, False),
    ],
)
def test_what_is_typed_is_graded_as_it_is_meant(question: Question, typed: str, score: float, unacceptable: bool) -> None:
    earned = grade(question, Reply(shown(question).reply(typed)))
    assert (earned.score, earned.unacceptable, earned.outcome.unread) == (score, unacceptable, False)


@each_case(("question", "typed"), [(CAPITAL, "C"), (CAPITAL, "AB"), (SUM, "four-ish"), (GAS, "  "), (ESSAY, "")])
def test_what_cannot_be_an_answer_is_said_at_once(question: Question, typed: str) -> None:
    with pytest.raises(BadInput):
        shown(question).reply(typed)


@given(st.text(max_size=40))
def test_whatever_is_typed_is_refused_or_read(typed: str) -> None:
    for question in (CAPITAL, SUM):
        try:
            reply = shown(question).reply(typed)
        except BadInput:
            continue
        assert not grade(question, Reply(reply)).outcome.unread


def test_nothing_that_is_right_or_unacceptable_is_shown() -> None:
    seen = repr([(item.text, item.options, item.hint) for item in map(shown, (GAS, SUM))])
    assert "dioxide" not in seen
    assert "400" not in seen
    assert "Rayleigh" not in shown(ESSAY).text


def test_instructions_for_machines_are_not_shown() -> None:
    assert shown(SUM).text == "What is 2 + 2?"
    assert "Answer:" not in shown(CAPITAL).text
    assert shown(GAS).hint.endswith('write "I don\'t know".')


def test_a_prompt_in_another_form_is_shown_as_it_is() -> None:
    item = item_of(Prompt("Tell me.", system="Be brief.", shown=(Exchange("a", "b"),)))
    assert (item.kind, item.text, item.system, item.reply(" so\nit is ")) == ("reply", "Tell me.", "Be brief.", "so\nit is")


@each_case("alias", ["Anna Smith", "a@b.org", "-x", "x" * 41, "ü"])
def test_an_alias_tells_nothing(alias: str) -> None:
    with pytest.raises(BadInput, match="identify no one"):
        open_candidate(f"human:{alias}")


def test_a_person_is_asked_one_question_at_a_time_without_a_limit() -> None:
    person = open_candidate("human:p07")
    assert (person.name, usual_concurrency(person), usual_time_out(person)) == ("human:p07", 1, None)


@pytest.fixture
def type_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Types into a pipe that stands for the terminal, whose other end stays open."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as terminal, os.fdopen(writing, "wb", buffering=0) as keyboard:
        monkeypatch.setattr("sys.stdin", terminal)

        def type_in(text: str) -> None:
            keyboard.write(text.encode())

        yield type_in


async def test_a_terminal_asks_again_until_it_can_be_an_answer(
    type_in: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    person = open_candidate("human:p07")
    type_in("maybe\nyes\nC\nb\none\ntwo\n\n")
    assert await person.answer(full_prompt(prompt(CAPITAL))) == Reply("Answer: B", model="a person, terms 1")
    assert (await person.answer(Prompt("Tell me\x1b[31m."))).text == "one\ntwo"
    outerr = capsys.readouterr()
    assert outerr.out == ""
    assert "There is no option 'C'." in outerr.err
    assert "\x1b" not in outerr.err
    assert outerr.err.count("Do you agree?") == 2


async def test_who_says_no_is_not_asked(type_in: Callable[[str], None]) -> None:
    type_in("no\n")
    with pytest.raises(CandidateMisconfigured, match="does not agree"):
        await open_candidate("human:p07").answer(full_prompt(prompt(SUM)))


async def test_who_stops_goes_on_at_the_same_question(type_in: Callable[[str], None], tmp_path: Path) -> None:
    async def sit(typed: str) -> list[Any]:
        type_in(typed)
        with Transcript.open(tmp_path / "sitting.sqlite") as transcript:
            interview = Interview(
                open_candidate("human:p07"), answers=Reply, transcript=transcript, settings=AskSettings(time_out=None)
            )
            return [answer async for _, answer in interview.ask_in_order(map(prompt, (SUM, CAPITAL)))]

    with pytest.raises(CandidateUnreachable, match="stopped"):
        await sit("yes\n4\n/stop\n")
    assert [reply.text for reply in await sit("yes\nB\n")] == ["Answer: 4", "Answer: B"]
    assert [reply.met for reply in await sit("")] == ["", ""]


async def test_a_question_that_is_withdrawn_swallows_no_answer(type_in: Callable[[str], None]) -> None:
    person = open_candidate("human:p07")
    type_in("yes\n")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(person.answer(full_prompt(prompt(SUM))), 0.2)
    type_in("b\n")
    assert (await person.answer(full_prompt(prompt(CAPITAL)))).text == "Answer: B"


async def test_what_is_too_long_leaves_nothing_behind_that_answers(
    type_in: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    person = open_candidate("human:p07")
    typing = asyncio.create_task(asyncio.to_thread(type_in, "yes\n" + 500 * f"{'word ' * 10}\n" + "\nshort\n\n"))
    assert (await person.answer(full_prompt(prompt(ESSAY)))).text == "short"
    await typing
    assert capsys.readouterr().err.count("That is too long") == 1


async def test_the_seconds_of_an_answer_are_on_record(type_in: Callable[[str], None]) -> None:
    async def answer_late() -> None:
        type_in("yes\n4\n")
        await asyncio.sleep(0.3)
        type_in("B\n")

    with Transcript.open(None) as transcript:
        interview = Interview(
            open_candidate("human:p07"), answers=Reply, transcript=transcript, settings=AskSettings(time_out=None)
        )
        typing = asyncio.create_task(answer_late())
        async for _ in interview.ask_in_order(map(prompt, (SUM, CAPITAL))):
            pass
        await typing
        assert [record.seconds >= 0.1 for record in transcript.records(candidate="human:p07")][1]
