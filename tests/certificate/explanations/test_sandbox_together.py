"""The CPU time that all batches of one examination have together."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.certificate.candidates import Expert, certified, scope
from tests.certificate.explanations.hostile import answering, questions
from tests.certificate.explanations.test_audit import PRODUCTS, SMALL
from tests.certificate.explanations.test_examine import letters
from tests.each_case import each_case
from vivavoce.candidates.bots import Calculator, Errors
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.explanations.examine import Procedures
from vivavoce.certificate.explanations.procedures import AnswerTable, ProgramProcedure, ruled
from vivavoce.certificate.explanations.sandbox.program_reply import ProgramReply
from vivavoce.certificate.explanations.sandbox.sandbox import CpuTime, Program, Sandbox, SandboxEnded, SandboxLimits
from vivavoce.errors import BadInput
from vivavoce.scopes.questions import Question

BUSY = "import time\nend = time.process_time() + 0.5\nwhile time.process_time() < end: pass"
"""Half a second of CPU, which is within the limit of a batch."""
GREEDY = Program(
    f"{BUSY}\ndef covers(q): return '*' in q['text']\n"
    "def answer(q):\n    left, right = q['text'][8:-1].split(' * ')\n    return int(left) * int(right)"
)


@pytest.mark.long
def test_batches_below_their_own_limit_end_with_what_all_have_together(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox, busy = Sandbox(SandboxLimits(cpu_seconds=1)), answering(BUSY)
    for _ in range(3):  # without a limit on the total they go on for ever
        assert sandbox.run(busy, questions("?")) == (ProgramReply(True, "through"),)
    together = CpuTime(1.4)
    shared = sandbox.within(together)
    assert shared.run(busy, questions("?")) == (ProgramReply(True, "through"),)
    assert 0 < together.left < 1
    with pytest.raises(SandboxEnded) as caught:
        shared.run(answering("while True: pass"), questions("?"))
    assert caught.value.reason == "total CPU time"
    assert str(caught.value).endswith("by its total CPU time: all programs have 1.4 seconds together")
    assert together.left == 0
    monkeypatch.delattr(subprocess, "Popen")  # no process is started
    with pytest.raises(SandboxEnded, match="total CPU time"):
        shared.run(busy, questions("?"))


def test_one_that_its_timer_ended_has_used_all_that_it_had_whatever_the_kernel_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    wait4 = os.wait4
    monkeypatch.setattr(os, "wait4", lambda *given: (*wait4(*given)[:2], resource.struct_rusage((0.0,) * 16)))
    together = CpuTime(0.5)
    with pytest.raises(SandboxEnded, match="total CPU time"):
        Sandbox(SandboxLimits(), together).run(answering("while True: pass"), questions("?"))
    assert together.left == 0


def test_what_is_counted_is_what_the_kernel_counted() -> None:
    """Together with its start, which the children's usage of this process has too."""
    together = CpuTime(60)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    Sandbox(SandboxLimits(), together).run(answering(BUSY), questions("?"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert 0.5 <= used == pytest.approx(60 - together.left, abs=0.02)


def test_one_that_was_killed_counts_as_having_used_all_that_it_might() -> None:
    together = CpuTime(60)
    waits = "import _thread\nlock = _thread.allocate_lock()\nlock.acquire()\nlock.acquire()"
    with pytest.raises(SandboxEnded, match="wall time"):
        Sandbox(SandboxLimits(cpu_seconds=7, wall_seconds=2), together).run(answering(waits), questions("?"))
    assert together.left == pytest.approx(53)


def test_several_at_once_get_no_more_than_there_is() -> None:
    shared = Sandbox(SandboxLimits(cpu_seconds=5), CpuTime(0.6))

    def outcome(_: int) -> str:
        try:
            shared.run(answering("while True: pass"), questions("?"))
        except SandboxEnded as ended:
            return ended.reason
        return "through"

    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(outcome, range(8))) == {"total CPU time"}
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 10  # of 40 that they may use each by itself


@given(st.lists(st.tuples(st.floats(0.1, 20), st.floats(0, 1)), max_size=40), st.floats(0.5, 100))
def test_no_more_is_set_aside_than_there_is(batches: list[tuple[float, float]], seconds: float) -> None:
    together, used = CpuTime(seconds), 0.0
    for most, share in batches:
        given_out = together.set_aside(most)
        assert given_out <= most
        together.settle(given_out, used=given_out * share)
        used += given_out * share
    assert used <= seconds + 1e-9
    assert together.left == pytest.approx(seconds - used, abs=1e-9)


@each_case("seconds", [0, -1, float("nan"), float("inf")])
def test_there_must_be_some(seconds: float) -> None:
    with pytest.raises(BadInput, match="above 0"):
        CpuTime(seconds)


def test_what_ran_out_is_nobody_s_wrong_answer() -> None:
    together = CpuTime(0.3)
    together.set_aside(0.3)
    with pytest.raises(SandboxEnded, match="total CPU time"):
        ruled(ProgramProcedure("a test", GREEDY, Sandbox().within(together)), [Question("1", "What is 2 * 2?")])


async def test_checks_that_use_it_up_drop_the_procedures_and_the_candidate_goes_on_alone() -> None:
    plan = Procedures(
        given=(ProgramProcedure("one", GREEDY, Sandbox()), ProgramProcedure("two", GREEDY, Sandbox())), checks=10, cpu_seconds=1
    )
    certificate = await certified(Calculator(Errors()), SMALL, Criterion(0.7, 0.02), plan, seed=0)
    assert certificate.explained is not None
    assert [explanation.why_dropped for explanation in certificate.explained.explanations] == [
        "the CPU time that all programs have together is used up"
    ] * 2
    assert certificate.verdict is Verdict.PASS
    assert certificate.signature.settings["cpu_seconds"] == 1


@dataclass
class ExhaustibleTable:
    """A table that gives out after so many batches, as a program does when no CPU time is left."""

    table: AnswerTable
    batches: int
    source: str = "a test"
    kind: Literal["program", "table"] = "program"
    digest: str = "ab" * 32
    text: str = ""

    def rulings(self, asked: Sequence[Question]) -> tuple[ProgramReply, ...]:
        self.batches -= 1
        if self.batches < 0:
            raise SandboxEnded("total CPU time", "all programs have 1 second together", before=())
        return self.table.rulings(asked)


CHECKS = 5
"""Batches of a check on one batch of questions: once more in other company, and three by themselves."""


# sequential, one batch more runs the program on all of the scope that it answers, and nothing is left to run
@pytest.mark.parametrize(("rule", "batches"), [("sequential", CHECKS), ("fixed", CHECKS), ("fixed", CHECKS + 1)])
async def test_what_is_used_up_after_the_checks_is_a_budget_and_gives_no_verdict(
    rule: Literal["sequential", "fixed"], batches: int
) -> None:
    certificate = await certified(
        Calculator(Errors()),
        SMALL,
        Criterion(0.7, 0.0001),
        Procedures(given=(ExhaustibleTable(PRODUCTS, batches),), checks=10),
        procedure=rule,
        questions=5_000 if rule == "fixed" else None,
        seed=0,
    )
    assert certificate.explained is not None
    assert certificate.explained.explanations[0].accepted
    assert (certificate.verdict, certificate.why_not) == (
        Verdict.UNDECIDED,
        "the budget for the CPU time of programs is used up",
    )
    assert (certificate.questions > 0) == (batches > CHECKS)


async def test_a_listed_scope_whose_rulings_are_not_all_there_is_not_begun() -> None:
    certificate = await certified(
        Expert(1.0), scope(20), Criterion(), Procedures(given=(ExhaustibleTable(letters(10), CHECKS),), checks=10), seed=0
    )
    assert (certificate.verdict, certificate.questions) == (Verdict.UNDECIDED, 0)
    assert certificate.why_not == "the budget for the CPU time of programs is used up"
