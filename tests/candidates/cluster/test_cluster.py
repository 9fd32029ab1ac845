"""Questions dealt to workers: the same answers, absences and faults as where the candidate is asked here."""

from __future__ import annotations

import asyncio
import gc
import importlib
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.candidates.cluster.conftest import dask_cluster
from tests.each_case import each_case
from tests.interview_settings import interview_settings
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.candidates.classifiers import open_classifier
from vivavoce.candidates.cluster import dealer as clustering
from vivavoce.candidates.cluster import scheduler
from vivavoce.candidates.cluster.dealer import CandidateCluster, ClusterCandidate, Pace
from vivavoce.candidates.cluster.workplace import ClusterRun, ErrorOutcome, RefusalOutcome, Version
from vivavoce.errors import (
    BadFile,
    BadInput,
    CandidateMisconfigured,
    CandidateUnreachable,
    ParameterRefused,
    TransportFault,
    VivavoceError,
)
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.candidate_kinds import FactCase
from vivavoce.interview.interview import Interview
from vivavoce.interview.retries import AskSettings

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")

CODE = """
import asyncio
from vivavoce.errors import TransportFault

tries = {}

async def answer(text):
    if "hang" in text:
        await asyncio.sleep(30)
    if "raise" in text:
        raise ValueError("what is that?")
    if "again" in text and tries.setdefault(text, 1):
        tries[text] = 0
        raise TransportFault("busy", hearing="turned away")
    return text.upper()

def plain(text):
    return text[::-1]

def probability(facts):
    return len(facts) / 10
"""
QUESTIONS = [Prompt(text) for text in ("one", "hang", "two", "raise", "three", "again", "four", "five")]


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of a module with functions, which is forgotten afterwards."""
    name = f"code_{abs(hash(request.node.nodeid))}"
    (tmp_path / f"{name}.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield name
    sys.modules.pop(name, None)


async def asked(name: str, questions: list[Prompt], **settings: Any) -> list[Reply | NoAnswer]:
    candidate = open_candidate(name)
    try:
        interview = Interview(candidate, answers=Reply, **interview_settings(**settings))
        return [answer async for _, answer in interview.ask_in_order(questions)]
    finally:
        await close_candidate(candidate)


def test_the_same_outcomes_as_here(address: str, code: str) -> None:
    name = f"function:{code}:answer"
    with CandidateCluster(address) as cluster:
        there = asyncio.run(asked(name, QUESTIONS, time_out=0.5))
    sys.modules.pop(code)
    assert there == asyncio.run(asked(name, QUESTIONS, time_out=0.5))
    assert [str(answer.reason) for answer in there if isinstance(answer, NoAnswer)] == [
        "time-out after 0.5 s",
        f"{name} raised ValueError: what is that? ({code}.py, line 11)",
    ]
    assert cluster.run.figures["questions"] == {
        "dealt": 9,
        "answered": 6,
        "timed_out": 1,
        "failed_attempts": 2,
        "heard_twice": 0,
    }


def test_what_a_candidate_is_asked_about_is_as_here(address: str, code: str) -> None:
    with CandidateCluster(address):
        dealt = open_candidate(f"function:{code}:plain?deterministic=yes")
    here: Any = open_candidate(f"function:{code}:plain?deterministic=yes")
    assert isinstance(dealt, ClusterCandidate)
    candidate: Any = dealt
    assert (candidate.name, candidate.source_digest, candidate.asked_again) == (here.name, here.source_digest, "same")
    assert candidate.concurrency == 2  # one in each process: it need not mind others that call it
    assert not hasattr(candidate, "ways")
    assert not hasattr(open_candidate(f"function:{code}:plain"), "asked_again")


async def test_a_classifier_is_asked_there(address: str, code: str) -> None:
    with CandidateCluster(address):
        classifier = open_classifier(f"function:{code}:probability")
    assert isinstance(classifier, ClusterCandidate)
    assert (await classifier.answer(FactCase(("one", "two")))).probability == 0.2
    await close_candidate(classifier)


def test_who_computes_nothing_is_asked_from_here(address: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,x\n1,yes\n")
    texts: list[str] = []
    with CandidateCluster(address, say=texts.append):
        for name in (f"replay:{tmp_path / 'a.csv'}#x", "chat:m@https://example.org/v1"):
            assert not isinstance(open_candidate(name), ClusterCandidate)
        assert isinstance(open_candidate("chat:m@http://127.0.0.1:1/v1"), ClusterCandidate)
    assert [sentence.rpartition(" is asked")[2] for sentence in texts] == [
        " from here: workers have nothing to compute for it"
    ] * 2


def test_a_function_that_was_changed_is_refused_by_name(address: str, code: str, tmp_path: Path) -> None:
    name = f"function:{code}:plain"
    with CandidateCluster(address):
        assert asyncio.run(asked(name, [Prompt("abc")])) == [Reply("cba")]
        (tmp_path / f"{code}.py").write_text(CODE.replace("[::-1]", ""))
        sys.modules.pop(code)
        with pytest.raises(
            CandidateMisconfigured, match=f"no worker can be asked: all 2 are refused.*{name}.*start the worker again"
        ):
            open_candidate(name)


def held_otherwise(monkeypatch: pytest.MonkeyPatch, is_other: Callable[[str], bool]) -> None:
    """Workers at addresses like that find that they have another version."""
    from vivavoce.candidates.cluster import workplace

    holding = workplace._holding

    async def other(worker: Any, wanted: Any) -> Any:
        if is_other(worker.address):
            raise BadInput("'m' is 'Engine 16' here")
        return await holding(worker, wanted)

    monkeypatch.setattr(workplace, "_holding", other)


def test_a_worker_with_another_version_is_refused_and_others_go_on(
    address: str, local: Any, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, texts = local.workers[0].address, list[str]()
    questions = [Prompt(str(number)) for number in range(6)]
    held_otherwise(monkeypatch, lambda worker: worker == bad)
    with CandidateCluster(address, say=texts.append) as cluster:
        results = asyncio.run(asked(f"function:{code}:answer", questions))
    assert results == [Reply(str(number)) for number in range(6)]
    assert texts == [f"worker {bad} is refused: 'm' is 'Engine 16' here"]
    assert cluster.run.figures["workers"] == {"seen": 2, "lost": 0, "refused": {bad: "'m' is 'Engine 16' here"}}


def test_a_worker_that_turns_out_to_be_another_is_refused_on_the_way(
    address: str, local: Any, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, changed, texts = local.workers[1].address, list[int](), list[str]()
    held_otherwise(monkeypatch, lambda worker: bool(changed) and worker == bad)
    with CandidateCluster(address, say=texts.append):
        candidate = open_candidate(f"function:{code}:answer")
        changed.append(1)

        async def all_of_them() -> list[Any]:
            try:
                return await asyncio.gather(*(candidate.answer(Prompt(str(number))) for number in range(8)))
            finally:
                await close_candidate(candidate)

        assert asyncio.run(all_of_them()) == [Reply(str(number)) for number in range(8)]
    assert texts == [f"worker {bad} is refused: 'm' is 'Engine 16' here"]


@pytest.mark.parametrize("comes", [True, False], ids=["another comes", "none comes"])
def test_where_all_turn_out_to_be_others_it_is_waited_for_another_one(
    code: str, monkeypatch: pytest.MonkeyPatch, comes: bool
) -> None:
    monkeypatch.setattr("vivavoce.candidates.cluster.dealer.WITHOUT_WORKERS", 20 if comes else 0.1)
    monkeypatch.setattr("vivavoce.candidates.cluster.dealer.LOOKING", 0.05)
    texts, bad = list[str](), list[str]()
    held_otherwise(monkeypatch, lambda worker: worker in bad)
    with dask_cluster(1, 1) as small:

        def say(text: str) -> None:
            texts.append(text)
            if comes and text.startswith("no worker"):
                small.scale(2)

        with CandidateCluster(small.scheduler_address, say=say):
            candidate = open_candidate(f"function:{code}:answer")
            bad += [worker.address for worker in small.workers.values()]
            if comes:
                assert asyncio.run(asked_once(candidate)) == Reply("ONE")
            else:
                with pytest.raises(CandidateMisconfigured, match="all 1 are refused"):
                    asyncio.run(asked_once(candidate))
    assert [text.partition(" ")[0] for text in texts] == ["worker", "no"]


def test_where_all_are_others_nothing_is_asked(address: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    held_otherwise(monkeypatch, lambda _: True)
    with (
        CandidateCluster(address),
        pytest.raises(CandidateMisconfigured, match=r"no worker can be asked: all 2 are refused, such as tcp:.*Engine 16"),
    ):
        open_candidate(f"function:{code}:answer")


def test_workers_that_hold_several_versions(address: str, monkeypatch: pytest.MonkeyPatch, local: Any) -> None:
    """Of what is not opened here."""
    from vivavoce.candidates.cluster import workplace

    first = local.workers[0].address
    opened = {"now": first}

    async def other(worker: Any, wanted: Any) -> Any:
        version = Version("vivavoce", f"hf:m?weights={'a' if worker.address == opened['now'] else 'b'}", "")
        return workplace._OpenCandidate(open_candidate("bot:gibberish"), version, None)

    monkeypatch.setattr(workplace, "_holding", other)
    with (
        CandidateCluster(address),
        pytest.raises(CandidateMisconfigured, match=r"several versions.*weights=[ab].*weights=[ab]"),
    ):
        open_classifier("hf:models/m")


def test_nobody_at_that_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "CONNECT_SECONDS", 0.2)
    import distributed

    with pytest.raises(CandidateUnreachable, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:1'"):
        CandidateCluster("tcp://127.0.0.1:1")
    with pytest.raises(BadInput, match="not an address of a Dask scheduler"):
        CandidateCluster("nonsense://x")
    opened = [entry for entry in gc.get_objects() if type(entry) is distributed.Client]
    assert "connecting" not in {client.status for client in opened}, "it closes when it is collected, and blocks others"


def test_a_scheduler_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "CONNECT_SECONDS", 1)
    with (
        dask_cluster(0, 1) as empty,
        pytest.raises(CandidateUnreachable, match="has no workers: start some with 'dask worker tcp://"),
    ):
        CandidateCluster(empty.scheduler_address)


def test_when_the_last_worker_goes_it_is_said_and_waited_for_no_longer_than_is_fit(
    code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vivavoce.candidates.cluster.dealer.WITHOUT_WORKERS", 0.1)
    monkeypatch.setattr("vivavoce.candidates.cluster.dealer.LOOKING", 0.05)
    texts: list[str] = []
    with (
        dask_cluster(1, 1) as small,
        CandidateCluster(small.scheduler_address, say=texts.append) as cluster,
    ):
        candidate = open_candidate(f"function:{code}:answer?deterministic=yes")
        small.scale(0)
        small.sync(small._correct_state)
        with pytest.raises(CandidateUnreachable, match=r"does not answer: no worker is left at tcp://"):
            asyncio.run(asked_once(candidate))
    assert len(texts) == 1
    assert cluster.run.lost == 1


def test_a_worker_that_goes_just_before_the_end_is_counted(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.candidates.cluster.dealer.LOOKING", 30)

    async def ask() -> None:
        candidate = open_candidate(f"function:{code}:answer?deterministic=yes")
        await candidate.answer(Prompt("What is 2 + 3?"))
        small.scale(1)
        await asyncio.to_thread(small.sync, small._correct_state)
        await close_candidate(candidate)

    with (
        dask_cluster(2, 1) as small,
        CandidateCluster(small.scheduler_address) as cluster,
    ):
        asyncio.run(ask())
    assert (len(cluster.run.workers), cluster.run.lost) == (2, 1)


async def asked_once(candidate: Any) -> Any:
    try:
        return await Interview(candidate, answers=Reply, settings=AskSettings(attempts=1)).ask(Prompt("one"))
    finally:
        await close_candidate(candidate)


TOGETHER = """
import asyncio

asked, here, enough = [], set(), asyncio.Condition()

async def answer(text):
    asked.append(text)
    if len(asked) == 1:
        await others()
    else:
        async with enough:
            here.add(text)
            enough.notify_all()
            await enough.wait_for(lambda: len(here) >= 6)
    return text
"""
"""From the second question on nobody answers before 5 others are asked. All workers share a loop, and so this module."""


def test_workers_that_join_late_are_used(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads at first: if it stayed with two questions in flight, all from the second on would run out of time."""
    (tmp_path / f"{code}.py").write_text(TOGETHER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("vivavoce.candidates.cluster.dealer.LOOKING", 0.05)
    sees, all_seen = ClusterRun.sees, threading.Event()

    def noticed(run: ClusterRun, threads: Mapping[str, int]) -> None:
        sees(run, threads)
        if len(threads) == 3:
            all_seen.set()

    monkeypatch.setattr(ClusterRun, "sees", noticed)
    questions = [Prompt(str(number)) for number in range(30)]
    with (
        dask_cluster(1, 2) as small,
        CandidateCluster(small.scheduler_address) as cluster,
    ):

        async def others() -> None:
            small.scale(3)
            await asyncio.to_thread(all_seen.wait, 60)

        module: Any = importlib.import_module(code)
        module.others = others
        assert cluster.run.room(None) == 1  # nobody has looked yet
        results = asyncio.run(asked(f"function:{code}:answer", questions, time_out=60))
        assert results == [Reply(prompt.text) for prompt in questions]
        assert (len(cluster.run.workers), cluster.run.room(None), cluster.run.room(1)) == (3, 6, 3)
        small.scale(1)
        small.sync(small._correct_state)
        cluster.run.sees(cluster._client.nthreads())
        assert cluster.run.room(None) == 2
        cluster.run.refuse(next(iter(cluster.run.threads)), "another version")
        assert cluster.run.room(None) == 1


async def test_a_pace_is_kept_over_all(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("vivavoce.candidates.cluster.dealer.asyncio.sleep", sleep)
    pace = Pace(10)
    for _ in range(4):
        await pace.turn()
    assert waited == pytest.approx([0.1, 0.2, 0.3], abs=0.05)
    await Pace(None).turn()
    assert len(waited) == 3


def test_what_is_refused_says_why() -> None:
    assert RefusalOutcome.by("tcp://w:1", KeyError("x")) == RefusalOutcome("tcp://w:1", "KeyError: 'x'")
    assert clustering._is_on_this_machine("chat:a@b@http://[::1]:8/v1") is False  # the address is what stands last
    assert clustering._is_on_this_machine("chat:m@http://[::1]:8/v1?temperature=0")


@each_case(
    "error",
    [
        TransportFault("busy", retry_after=3.0, reached=False, hearing="turned away"),
        ParameterRefused("temperature", "only the default"),
        CandidateMisconfigured("wrong key", hearing="refused"),
        BadFile("a.csv", "is empty", line=3),
    ],
)
def test_errors_travel_whole(error: VivavoceError) -> None:
    again = pickle.loads(pickle.dumps(ErrorOutcome.by(error))).error
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_errors_of_a_stranger_travel_by_name() -> None:
    again = pickle.loads(pickle.dumps(ErrorOutcome.by(TimeoutError("mine")))).error
    assert f"{type(again).__name__}: {again}" == "TimeoutError: mine"
    assert not isinstance(again, TimeoutError)  # or it would be taken for the time that an answer may take


@pytest.mark.parametrize("model", ["calculator", "busy", "html"])
def test_each_worker_asks_the_server_of_its_own_machine(address: str, server: str, model: str) -> None:
    name = f"chat:{model}@{server}/v1?price_in=1000&price_out=1000"
    questions = [Prompt(f"What is {number} + 1?", temperature=0.5) for number in range(4)]

    def outcome() -> Any:
        try:
            return asyncio.run(asked(name, questions, attempts=1))
        except CandidateUnreachable as error:
            return str(error)

    with CandidateCluster(address) as cluster:
        there = outcome()
    assert there == outcome()
    if model == "calculator":
        assert cluster.run.usage.tokens > 0 < cluster.run.usage.money
