"""A person as a candidate: what is shown, what can be an answer, and how a sitting goes on."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.candidates.human.item import Item, item_of
from vivavoce.candidates.human.person import Person
from vivavoce.candidates.human.sitting.state import State
from vivavoce.certificate.questions import Question, prompt
from vivavoce.certificate.score import grade
from vivavoce.errors import BadInput, CandidateMisconfigured, CandidateUnreachable
from vivavoce.interview.candidate import Exchange, Prompt, Reply, Usage, usual_concurrency, usual_time_out
from vivavoce.interview.interview import Interview
from vivavoce.interview.posing import posed
from vivavoce.interview.progress import Progress
from vivavoce.interview.transcript import Transcript

CAPITAL = Question("fr", "Capital of <b>France</b>?", ("Lyon", "Paris"), ("B",), ridiculous=("A",))
SUM = Question("sum", "What is 2 + 2?", accepted=("4",), plausible=(0, 400))
GAS = Question("gas", "Which gas do we breathe out?", accepted=("carbon dioxide",), dont_know_score=0.2)
ESSAY = Question("why", "Why is the sky blue?", rubric="10: names Rayleigh")


def shown(question: Question) -> Item:
    return item_of(posed(prompt(question)))


@pytest.mark.parametrize(
    ("question", "typed", "score", "ridiculous"),
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
def test_what_is_typed_is_graded_as_it_is_meant(question: Question, typed: str, score: float, ridiculous: bool) -> None:
    found = grade(question, Reply(shown(question).reply(typed)))
    assert (found.score, found.ridiculous, found.outcome.unread) == (score, ridiculous, False)


@pytest.mark.parametrize(("question", "typed"), [(CAPITAL, "C"), (CAPITAL, "AB"), (SUM, "four-ish"), (GAS, "  "), (ESSAY, "")])
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


def test_nothing_that_is_right_or_ridiculous_is_shown() -> None:
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


@pytest.mark.parametrize("alias", ["Anna Smith", "a@b.org", "-x", "x" * 41, "ü"])
def test_an_alias_tells_nothing(alias: str) -> None:
    with pytest.raises(BadInput, match="identify nobody"):
        open_candidate(f"human:{alias}")


def test_a_person_is_asked_one_question_at_a_time_without_a_limit() -> None:
    person = open_candidate("human:p07?serve=0")
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
    assert await person.answer(posed(prompt(CAPITAL))) == Reply("Answer: B", model="a person, terms 1")
    assert (await person.answer(Prompt("Tell me\x1b[31m."))).text == "one\ntwo"
    said = capsys.readouterr()
    assert said.out == ""
    assert "There is no option 'C'." in said.err
    assert "\x1b" not in said.err
    assert said.err.count("Do you agree?") == 2


async def test_who_says_no_is_not_asked(type_in: Callable[[str], None]) -> None:
    type_in("no\n")
    with pytest.raises(CandidateMisconfigured, match="does not agree"):
        await open_candidate("human:p07").answer(posed(prompt(SUM)))


async def test_who_stops_goes_on_at_the_same_question(type_in: Callable[[str], None], tmp_path: Path) -> None:
    async def sit(typed: str) -> list[Any]:
        type_in(typed)
        with Transcript.open(tmp_path / "sitting.sqlite") as transcript:
            interview = Interview(open_candidate("human:p07"), answers=Reply, transcript=transcript, time_out=None)
            return [answer async for _, answer in interview.ask_in_order(map(prompt, (SUM, CAPITAL)))]

    with pytest.raises(CandidateUnreachable, match="stopped"):
        await sit("yes\n4\n/stop\n")
    assert [reply.text for reply in await sit("yes\nB\n")] == ["Answer: 4", "Answer: B"]
    assert [reply.met for reply in await sit("")] == ["", ""]


async def test_a_question_that_is_withdrawn_swallows_no_answer(type_in: Callable[[str], None]) -> None:
    person = open_candidate("human:p07")
    type_in("yes\n")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(person.answer(posed(prompt(SUM))), 0.2)
    type_in("b\n")
    assert (await person.answer(posed(prompt(CAPITAL)))).text == "Answer: B"


async def test_what_is_too_long_leaves_nothing_behind_that_answers(
    type_in: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    person = open_candidate("human:p07")
    typing = asyncio.create_task(asyncio.to_thread(type_in, "yes\n" + 500 * f"{'word ' * 10}\n" + "\nshort\n\n"))
    assert (await person.answer(posed(prompt(ESSAY)))).text == "short"
    await typing
    assert capsys.readouterr().err.count("That is too long") == 1


async def test_of_answers_sent_together_one_counts() -> None:
    state = State()
    begun = asyncio.create_task(state.agree("p07", ("You will be asked.",)))
    await asyncio.sleep(0)
    state.begin()
    state.leave()  # sent by another page that still shows the terms
    await begun
    asked = asyncio.create_task(state.ask(shown(SUM), None))
    pages = [asyncio.create_task(state.settled(5)) for _ in range(3)]
    await asyncio.sleep(0)
    for _ in range(2):
        state.answer(1, "Answer: 4")
    state.leave()
    assert await asked == "Answer: 4"
    assert state.stage == "waiting"
    state.over()
    assert set(await asyncio.gather(*pages)) <= {"question", "over"}


async def test_the_seconds_of_an_answer_are_on_record(type_in: Callable[[str], None]) -> None:
    async def answer_late() -> None:
        type_in("yes\n4\n")
        await asyncio.sleep(0.3)
        type_in("B\n")

    with Transcript.open(None) as transcript:
        interview = Interview(open_candidate("human:p07"), answers=Reply, transcript=transcript, time_out=None)
        typing = asyncio.create_task(answer_late())
        async for _ in interview.ask_in_order(map(prompt, (SUM, CAPITAL))):
            pass
        await typing
        assert [record.seconds >= 0.1 for record in transcript.records(candidate="human:p07")][1]


class Page:
    """Somebody with a browser that knows no scripts."""

    def __init__(self, session: aiohttp.ClientSession, address: str) -> None:
        self.session, self.address = session, address

    async def look(self) -> str:
        async with self.session.get(self.address) as response:
            return await response.text()

    async def send(self, **fields: str) -> tuple[int, str]:
        async with self.session.post(self.address, data=fields) as response:
            return response.status, await response.text()


@pytest.fixture
async def person(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Person]:
    monkeypatch.setattr("vivavoce.candidates.human.sitting.server.FAREWELL", 0.2)
    candidate = open_candidate("human:p07?serve=0")
    assert isinstance(candidate, Person)
    yield candidate
    await close_candidate(candidate)


@pytest.fixture
async def page(person: Person, capsys: pytest.CaptureFixture[str]) -> AsyncIterator[Callable[[], object]]:
    async with aiohttp.ClientSession() as session:

        async def find() -> Page:
            until = time.monotonic() + 10
            while not (found := re.search(r"http://\S+", capsys.readouterr().err)):
                assert time.monotonic() < until
                await asyncio.sleep(0.01)
            return Page(session, found[0])

        yield find


def number_of(text: str) -> str:
    found = re.search(r'name="number" value="(\d+)"', text)
    assert found
    return found[1]


async def test_a_sitting_from_terms_to_the_last_page(person: Person, page: Callable[[], object]) -> None:
    person.notice(Progress(3, 3, 0, 0, 0, 1, Usage(), 1.0, 40))
    first = asyncio.create_task(person.answer(posed(prompt(CAPITAL))))
    sitting = await page()  # type: ignore[misc]
    assert "&#39;p07&#39;" in await sitting.look()
    _, text = await sitting.send(step="begin")
    assert "&lt;b&gt;France" in text
    assert "Question 4 of about 40" in text
    assert (await sitting.look()).count("<form") == 2, "a page loaded anew is the same"
    status, text = await sitting.send(step="answer", number=number_of(text), answer="C")
    assert (status, "no option" in text) == (422, True)
    sent = asyncio.create_task(sitting.send(step="answer", number=number_of(text), answer="B"))
    assert (await first).text == "Answer: B"
    second = asyncio.create_task(person.answer(posed(prompt(SUM))))
    _, text = await sent
    assert "What is 2 + 2?" in text
    again = await sitting.send(step="answer", number="1", answer="B")
    assert "What is 2 + 2?" in again[1], "an answer that is sent twice answers one question"
    assert not second.done()
    sent = asyncio.create_task(sitting.send(step="answer", number=number_of(text), answer="4"))
    assert (await second).text == "Answer: 4"
    await close_candidate(person)
    assert "That was the last question" in (await sent)[1]


async def test_who_stops_on_the_page_is_let_go(person: Person, page: Callable[[], object]) -> None:
    answer = asyncio.create_task(person.answer(posed(prompt(SUM))))
    sitting = await page()  # type: ignore[misc]
    await sitting.send(step="begin")
    assert "You stopped here" in (await sitting.send(step="leave"))[1]
    with pytest.raises(CandidateUnreachable):
        await answer


async def test_who_does_not_agree_on_the_page_is_not_asked(person: Person, page: Callable[[], object]) -> None:
    answer = asyncio.create_task(person.answer(posed(prompt(SUM))))
    sitting = await page()  # type: ignore[misc]
    _, text = await sitting.send(step="leave")
    assert "You do not take part" in text
    assert "no new answer of yours" in text  # there may be some of an earlier sitting
    with pytest.raises(CandidateMisconfigured):
        await answer


async def test_nobody_else_gets_in(person: Person, page: Callable[[], object]) -> None:
    answer = asyncio.create_task(person.answer(posed(prompt(SUM))))
    sitting = await page()  # type: ignore[misc]
    base = sitting.address.rsplit("/", 2)[0]
    async with sitting.session.get(f"{base}/guess/") as response:
        assert response.status == 404
    async with sitting.session.get(sitting.address, headers={"Host": "evil.example"}) as response:
        assert response.status == 403
    async with sitting.session.post(sitting.address, data={"step": "begin", "answer": "x" * 400_000}) as response:
        assert response.status == 413
    async with sitting.session.get(sitting.address) as response:
        assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert response.headers["Cache-Control"] == "no-store"
    answer.cancel()


async def test_a_port_in_use_is_said(person: Person, page: Callable[[], object]) -> None:
    answer = asyncio.create_task(person.answer(posed(prompt(SUM))))
    port = (await page()).address.split(":")[2].split("/")[0]  # type: ignore[misc]
    with pytest.raises(CandidateMisconfigured, match="serve=0"):
        await open_candidate(f"human:p08?serve={port}").answer(posed(prompt(SUM)))
    answer.cancel()
