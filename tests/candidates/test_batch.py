"""A chat model by batches, against a server that speaks the protocol and does everything wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
from aiohttp.test_utils import TestServer

from tests.candidates.batch_server import KEY, VENDOR, BatchVendor, application
from vivavoce.candidates.chat import batch
from vivavoce.candidates.chat.batch import BatchApi, BatchedChat, ServerBatch, by_batch
from vivavoce.candidates.chat.candidate import open_chat
from vivavoce.errors import CandidateMisconfigured, CandidateUnreachable, ServiceFault, VivavoceError
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.progress import BatchState
from vivavoce.interview.schedule import Clock
from vivavoce.interview.vendor_batches import VendorBatch, VendorBatchCandidate

Results = Mapping[str, Reply | VivavoceError]


class FastClock:
    """A clock whose waits take no time, and are noted."""

    def __init__(self) -> None:
        self.waited: list[float] = []
        self.clock = Clock(seconds=lambda: sum(self.waited), sleep=self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[TestServer]:
    started = TestServer(application(tmp_path / "vendor", looks=5))
    async with started:
        yield started


def vendor_of(server: TestServer) -> BatchVendor:
    return server.app[VENDOR]


def batched(server: TestServer, model: str, query: str = "", *, key: str = KEY) -> BatchedChat:
    address = str(server.make_url("/v1"))
    chat = by_batch(
        open_chat(f"{model}@{address}", f"batch=1&price_in=1000000&price_out=1000000{query}", environment={"VIVA_API_KEY": key})
    )
    assert isinstance(chat, BatchedChat)
    return chat


def sums(number: int) -> dict[str, Prompt]:
    return {f"q{n}": Prompt(f"What is {n} + 2?\n\nAnswer: NUMBER", id=str(n)) for n in range(number)}


async def carried_out(
    server: TestServer,
    model: str,
    questions: Mapping[str, Prompt],
    *,
    id_: str = "a" * 64,
    resumed: bool = False,
    key: str = KEY,
) -> tuple[Results, list[BatchState], FastClock]:
    waits, states = FastClock(), list[BatchState]()
    candidate = batched(server, model, key=key)
    try:
        results = await candidate.carry_out(VendorBatch(id_, questions, resumed), clock=waits.clock, tell=states.append)
    finally:
        await candidate.close()
    assert results is not None
    return results, states, waits


def billed(server: TestServer) -> list[int]:
    return list(vendor_of(server).state["billed"].values())


async def test_answers_come_in_any_order_at_half_the_price(server: TestServer) -> None:
    results, states, waits = await carried_out(server, "calculator:0", sums(10))
    # 7 + 3 tokens at 1 each, and half of it
    assert [(results[f"q{n}"].text, results[f"q{n}"].usage) for n in range(10)] == [  # type: ignore[union-attr]
        (f"Answer: {n + 2}", Usage(7, 3, 5.0)) for n in range(10)
    ]
    assert [state.status for state in states] == ["validating", "in_progress", "in_progress", "in_progress", "finalizing"]
    assert {state.total for state in states} == {10}
    assert waits.waited == [5.0, 7.5, 11.25, 16.875, 25.3125]  # 5 s, each further pause half as long again
    assert billed(server) == [1] * 10


async def test_what_is_known_by_its_id_is_fetched_and_not_made_again(server: TestServer) -> None:
    for number in range(7):  # the list comes in pages of three
        await carried_out(server, "calculator:0", {"x": Prompt(f"{number} + 1?")}, id_=f"{number}" * 64)
    results, _, _ = await carried_out(server, "calculator:0", {"x": Prompt("0 + 1?")}, id_="0" * 64, resumed=True)
    assert isinstance(results["x"], Reply)
    assert billed(server) == [1] * 7
    assert len(vendor_of(server).state["batches"]) == 7


async def test_what_nobody_has_made_is_not_made_by_looking_for_it(server: TestServer) -> None:
    candidate = batched(server, "calculator:0")
    assert await candidate.carry_out(VendorBatch("a" * 64, sums(2), True), clock=FastClock().clock, tell=lambda _: None) is None
    await candidate.close()
    assert billed(server) == []


async def test_a_batch_whose_making_was_not_heard_of_is_looked_for_first(server: TestServer) -> None:
    results, _, _ = await carried_out(server, "lost+calculator:0", sums(3))
    assert isinstance(results["q2"], Reply)
    assert billed(server) == [1] * 3


async def test_faults_of_looking_and_fetching_are_outlasted(server: TestServer) -> None:
    results, _, _ = await carried_out(server, "slips+calculator:0", sums(3))
    assert all(isinstance(result, Reply) for result in results.values())
    assert billed(server) == [1] * 3


@pytest.mark.parametrize(("mode", "hearing"), [("busy", "turned away"), ("broken", "heard")])
async def test_a_line_that_failed_is_a_fault_of_its_question_alone(server: TestServer, mode: str, hearing: str) -> None:
    results, _, _ = await carried_out(server, f"{mode}+calculator:0", sums(8))
    faults = {name: result for name, result in results.items() if isinstance(result, ServiceFault)}
    assert faults.keys() == {"q0", "q4"}
    assert {(fault.hearing, fault.worth_retrying) for fault in faults.values()} == {(hearing, True)}


async def test_of_an_expired_batch_what_was_answered_stands(server: TestServer) -> None:
    results, _, _ = await carried_out(server, "expires+calculator:0", sums(6))
    assert [isinstance(results[f"q{n}"], Reply) for n in range(6)] == [True] * 3 + [False] * 3
    assert {fault.hearing for fault in results.values() if isinstance(fault, ServiceFault)} == {"unheard"}


async def test_of_a_cancelled_batch_too_and_nothing_is_asked_again_at_once(server: TestServer) -> None:
    results, _, _ = await carried_out(server, "cancelled+calculator:0", sums(6))
    assert [type(results[f"q{n}"]) for n in range(6)] == [Reply] * 3 + [CandidateUnreachable] * 3


async def test_lines_that_make_no_sense_are_nobodys_answers(server: TestServer) -> None:
    results, _, _ = await carried_out(server, "mangled+calculator:0", sums(15))
    assert results.keys() == sums(15).keys()
    faults = {name for name, result in results.items() if isinstance(result, ServiceFault)}
    assert faults == {"q0", "q7", "q14"}
    document = {name: result.text for name, result in results.items() if isinstance(result, Reply)}
    assert document == {f"q{n}": f"Answer: {n + 2}" for n in range(15) if n % 7}  # of two lines the first one


async def test_of_a_file_with_too_many_lines_the_first_are_read(server: TestServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MOST_LINES", 4)
    results, _, _ = await carried_out(server, "endless+calculator:0", sums(3))
    assert [type(results[f"q{n}"]) for n in range(3)] == [ServiceFault, ServiceFault, Reply]


async def test_of_a_batch_that_is_found_again_a_part_may_be_wanted(server: TestServer) -> None:
    await carried_out(server, "calculator:0", sums(40))
    results, _, _ = await carried_out(server, "calculator:0", {"q31": sums(40)["q31"]}, resumed=True)
    assert [result.text for result in results.values() if isinstance(result, Reply)] == ["Answer: 33"]
    assert billed(server) == [1] * 40


@pytest.mark.parametrize(
    ("mode", "kind", "message"),
    [("invalid", CandidateMisconfigured, "invalid_json_line"), ("full", CandidateUnreachable, "fewer questions a batch")],
)
async def test_a_batch_that_is_refused_tells_why_and_was_not_heard(
    server: TestServer, mode: str, kind: type[Exception], message: str
) -> None:
    results, _, _ = await carried_out(server, f"{mode}+calculator:0", sums(2))
    for result in results.values():
        assert isinstance(result, kind)
        assert message in str(result)
        assert KEY not in str(result)
        assert getattr(result, "hearing") == "unheard"  # noqa: B009


async def test_a_wrong_key_makes_no_batch(server: TestServer) -> None:
    results, _, _ = await carried_out(server, "calculator:0", sums(2), key="sk-another-key-42")
    assert {type(result) for result in results.values()} == {CandidateMisconfigured}
    assert "401" in str(results["q0"])
    with pytest.raises(CandidateMisconfigured, match="401"):  # whether there is one cannot be known
        await carried_out(server, "calculator:0", sums(2), resumed=True, key="sk-another-key-42")


async def test_a_server_without_batches_is_told_as_such(server: TestServer) -> None:
    candidate = by_batch(open_chat(f"m@{server.make_url('/v2')}", "batch=1", environment={"VIVA_API_KEY": KEY}))
    assert isinstance(candidate, BatchedChat)
    results = await candidate.carry_out(VendorBatch("a" * 64, sums(1), False), clock=FastClock().clock, tell=lambda _: None)
    await candidate.close()
    assert results is not None
    assert "leave out ?batch=" in str(results["q0"])


async def test_a_batch_that_does_not_end_is_left_as_it_is(tmp_path: Path) -> None:
    server = TestServer(application(tmp_path / "vendor", looks=10**9))
    async with server:
        candidate = batched(server, "calculator:0", "&batch_wait=0.5")
        with pytest.raises(CandidateUnreachable, match="continues at the server"):
            await candidate.carry_out(VendorBatch("a" * 64, sums(1), False), clock=FastClock().clock, tell=lambda _: None)
        await candidate.close()


async def test_without_a_server_one_gives_up_after_a_while() -> None:
    candidate = by_batch(open_chat("m@http://127.0.0.1:9/v1", "batch=1", environment={}))
    assert isinstance(candidate, BatchedChat)
    waits = FastClock()
    with pytest.raises(CandidateUnreachable, match="does not answer"):
        await candidate.carry_out(VendorBatch("a" * 64, sums(1), True), clock=waits.clock, tell=lambda _: None)
    await candidate.close()
    assert 30 < sum(waits.waited) < 120


async def test_what_could_not_be_uploaded_was_not_handed_in() -> None:
    """So nobody is told that it goes on, and is paid for, at a server that has never answered."""
    candidate = by_batch(open_chat("m@http://127.0.0.1:9/v1", "batch=1", environment={}))
    assert isinstance(candidate, BatchedChat)
    results = await candidate.carry_out(VendorBatch("a" * 64, sums(2), False), clock=FastClock().clock, tell=lambda _: None)
    await candidate.close()
    assert results is not None
    assert [type(results[f"q{n}"]) for n in range(2)] == [CandidateUnreachable] * 2


async def test_of_a_batch_that_may_have_been_made_that_is_said(server: TestServer, monkeypatch: pytest.MonkeyPatch) -> None:
    async def unheard(*_: object) -> ServerBatch:
        raise CandidateUnreachable("the server does not answer", hearing="unheard")

    monkeypatch.setattr(BatchApi, "create", unheard)
    with pytest.raises(CandidateUnreachable):
        await carried_out(server, "calculator:0", sums(2))


async def test_it_is_the_same_candidate_as_without_batches() -> None:
    name = "m@http://127.0.0.1:9/v1"
    entry, many = (
        by_batch(open_chat(name, "", environment={})),
        by_batch(open_chat(name, "batch=200&batch_discount=0.4&price_in=10", environment={})),
    )
    assert entry.name == many.name
    assert isinstance(many, VendorBatchCandidate)
    assert not isinstance(entry, VendorBatchCandidate)
    assert (many.block, many.prices) == (200, (6.0, 0.0))
    await many.close()


async def test_a_file_holds_no_more_than_vendors_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MOST_BYTES", 1_900_000)
    candidate = by_batch(open_chat("m@http://127.0.0.1:9/v1", "batch=1", environment={}))
    assert isinstance(candidate, BatchedChat)
    assert candidate.fits([Prompt("x" * 100_000)] * 30) == 18  # 19 with what is around them are more
    assert candidate.fits([Prompt("x" * 2_000_000)]) == 1
    monkeypatch.undo()
    assert candidate.fits([Prompt("?")] * 50_010) == 50_000


async def test_a_line_is_what_the_protocol_wants(server: TestServer) -> None:
    await carried_out(server, "calculator:0", {"q": Prompt("1 + 1?", system="Be brief.", temperature=0.5)})
    file = vendor_of(server).folder / "file-1"
    body = {"model": "calculator:0", "temperature": 0.5}
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "1 + 1?"}]
    wanted = {"custom_id": "q", "method": "POST", "url": "/v1/chat/completions", "body": body | {"messages": messages}}
    assert json.loads(file.read_text()) == wanted
    assert vendor_of(server).state["batches"][0]["metadata"] == {"vivavoce": "a" * 64}
