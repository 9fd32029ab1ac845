"""`import vivavoce as viva`: functions as candidates, rows as scopes, and procedures run from scripts and notebooks alike."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

import vivavoce as viva
from tests.each_case import each_case
from vivavoce import public

ROWS: list[dict[str, Any]] = [{"question": f"What is {n} + 1?", "answer": n + 1, "source": "a book"} for n in range(60)]


def bot(question: str) -> str:
    return f"Answer: {int(question.split()[2]) + 1}"


async def slow_bot(question: str) -> str:
    await asyncio.sleep(0)
    return bot(question)


class Polars:
    """What a data frame of polars has of its rows."""

    def to_dicts(self) -> list[dict[str, Any]]:
        return ROWS


def certified(candidate: Any, scope: Any) -> viva.Certificate:
    interview = viva.Interview(viva.open_candidate(candidate), answers=viva.Reply)
    return viva.run(viva.certify(interview, viva.open_scope(scope), viva.Criterion(0.8, None), seed=0))


def test_all_that_is_offered_is_there_and_nothing_is_loaded_before_it_is_used() -> None:
    assert set(public.__all__) <= set(dir(viva))
    assert 20 <= len(public.__all__) <= 40
    loaded = "print('numpy' in sys.modules, 'sqlalchemy' in sys.modules, vivavoce.__version__)"
    code = f"import sys, vivavoce; {loaded}; import vivavoce.candidates, vivavoce.interview.candidate; {loaded}"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output == f"False False {viva.__version__}\n" * 2
    with pytest.raises(AttributeError, match="has no attribute 'certifi'"):
        viva.certifi  # noqa: B018


def test_a_module_that_names_the_errors_can_be_imported_first() -> None:
    subprocess.run([sys.executable, "-c", "from vivavoce.interview.retries import AskSettings"], check=True)


@pytest.mark.parametrize("candidate", [bot, slow_bot, lambda question: bot(question)])
def test_a_function_is_a_candidate(candidate: Any) -> None:
    certificate = certified(candidate, ROWS)
    assert (certificate.verdict, certificate.score.value) == (viva.Verdict.PASS, 1.0)
    assert certificate.candidate.startswith("function:tests.test_public:")


@pytest.mark.long
@pytest.mark.parametrize(("candidate", "scope"), [("bot:calculator", "arithmetic"), (bot, ROWS)])
def test_names_functions_and_rows_get_a_verdict_at_once(candidate: Any, scope: Any) -> None:
    assert viva.certify(candidate, scope, seed=0).verdict is viva.Verdict.PASS


async def test_a_verdict_at_once_needs_no_loop_of_its_own() -> None:
    certificate = viva.certify("bot:calculator?wrong=0.9", "arithmetic", viva.Criterion(0.8, None), seed=0)
    assert certificate.verdict is viva.Verdict.FAIL


def test_a_notebook_shows_at_once_on_what_a_verdict_depends() -> None:
    html = viva.certify("bot:calculator", "arithmetic", seed=0)._repr_html_()
    at_once = html.partition("Limits")[2].partition("<details")[0]
    assert "The seed was given" in at_once


def test_changed_code_is_another_source() -> None:
    candidate, other = (viva.open_candidate(function) for function in (bot, slow_bot))
    assert candidate.source_digest != other.source_digest  # type: ignore[attr-defined]
    assert candidate.source_digest == viva.open_candidate(bot).source_digest  # type: ignore[attr-defined]


def test_rows_a_file_and_data_frames_are_the_same_scope(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS).assign(category=[None if n % 2 else float("nan") for n in range(60)])
    frame.drop(columns="category").to_csv(tmp_path / "rows.csv", index=False)
    scopes = [viva.open_scope(source) for source in (ROWS, frame, Polars(), tmp_path / "rows.csv")]
    assert len({scope.digest for scope in scopes}) == 1
    assert all(scope.ignored[:1] == ("source",) for scope in scopes if hasattr(scope, "ignored"))
    assert viva.open_scope(ROWS, name="sums").name == "sums"


@each_case(
    ("rows", "says"),
    [
        ([{"question": "2 + 2?", "answer": "nan"}], "row 1: "),
        ([*ROWS[:2], {"question": "2 + 2?", "anwser": 4}], "row 3: unknown column 'anwser': did you mean 'answer'?"),
        ([{"question": "2 + 2?"}], "row 1: no 'answer'"),
        (
            [{"question": "2?", "answer": "2", "id": "a"}, {"question": "3?", "answer": "3", "id": "a"}],
            "row 2: id 'a' is already",
        ),
        ([{"question": "2 of line 7?", "answer": a} for a in "23"], "row 2: asks the same with another right answer"),
        ([], "the questions: holds no questions"),
        (["What is 2 + 2?"], "rows of a scope are dicts"),
    ],
)
def test_rows_are_checked_as_those_of_a_file(rows: list[Any], says: str) -> None:
    with pytest.raises(viva.BadInput, match=r"row|questions") as refused:
        viva.open_scope(rows)
    assert str(refused.value).startswith(says)


def test_it_runs_where_a_loop_is_running_and_raises_what_is_raised() -> None:
    async def notebook() -> viva.Certificate:
        return certified(bot, ROWS)

    assert asyncio.run(notebook()).verdict is viva.Verdict.PASS

    async def fails() -> None:
        raise viva.BadInput("no")

    async def cell() -> None:
        viva.run(fails())

    with pytest.raises(viva.BadInput, match="no"):
        asyncio.run(cell())


def test_an_interview_is_used_in_one_run_after_the_other() -> None:
    """More questions are in flight than may be at once, so that some wait for others, in a notebook as well."""

    async def slow(question: str) -> str:
        await asyncio.sleep(0)
        return bot(question)

    interview = viva.Interview(viva.open_candidate(slow), answers=viva.Reply, concurrency=2)
    scopes = [viva.open_scope(ROWS[index::3], name=f"sums {index}") for index in range(3)]

    def certified_on(scope: Any) -> viva.Certificate:
        certificate: viva.Certificate = viva.run(viva.certify(interview, scope, viva.Criterion(0.7, None), seed=0))
        return certificate

    async def cell() -> viva.Certificate:
        return certified_on(scopes[2])

    certificates = [certified_on(scopes[0]), certified_on(scopes[1]), asyncio.run(cell())]
    assert [entry.verdict for entry in certificates] == [viva.Verdict.PASS] * 3


def test_a_run_within_a_run_is_refused() -> None:
    async def inner() -> None: ...

    async def outer() -> None:
        viva.run(inner())

    with pytest.raises(viva.BadInput, match="await the inner procedure"):
        viva.run(outer())


def test_an_interrupted_run_cancels_its_procedure(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []
    begun = threading.Event()

    async def procedure() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    def interrupted(self: Future[Any], timeout: float | None = None) -> Any:
        begun.wait()
        raise KeyboardInterrupt

    monkeypatch.setattr(Future, "result", interrupted)
    with pytest.raises(KeyboardInterrupt):
        viva.run(procedure())
    assert ended == ["cancelled"]


def test_a_run_that_is_interrupted_before_it_begins_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []

    async def procedure() -> None:
        begun.append("begun")

    def interrupted(self: Future[Any], timeout: float | None = None) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(Future, "result", interrupted)
    loop = public._shared.running()
    held, going_on = threading.Event(), threading.Event()

    def hold() -> None:
        held.set()
        going_on.wait(5)

    loop.call_soon_threadsafe(hold)
    held.wait(5)
    threading.Timer(
        0.05, going_on.set
    ).start()  # both what begins the procedure and what cancels it wait in the loop until then
    with pytest.raises(KeyboardInterrupt):
        viva.run(procedure())
    assert begun == []


def test_a_gate_takes_public_names_alone() -> None:
    def forgetful(question: str) -> str:
        return bot(question) if int(question.split()[2]) % 3 else "Answer: 0"

    new, baseline = (viva.Interview(viva.open_candidate(function), answers=viva.Reply) for function in (forgetful, bot))
    gate = viva.run(viva.gate([new, baseline], viva.open_scope(ROWS, name="sums"), viva.GateConfig(seed=0)))
    assert isinstance(gate, viva.Gate)
    assert isinstance(gate, viva.Finding)
    assert isinstance(gate.comparison, viva.Comparison)
    assert gate.verdict == "fail"


def test_a_finding_is_a_line_in_a_notebook() -> None:
    certificate = certified(bot, ROWS)
    assert repr(certificate) == f"<Certificate: {certificate.statement}>"  # 5 505 characters before
    assert len(repr(certificate)) < 350
