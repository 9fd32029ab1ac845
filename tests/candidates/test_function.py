"""Python functions as candidates, well-behaved and not."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from tests.each_case import each_case
from vivavoce.candidates.function import Function, open_function
from vivavoce.errors import BadInput, CandidateMisconfigured, TransportFault, UnknownName
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.interview import Interview


async def say(function: Callable[[Any], Any]) -> Reply:
    return await Function("function:test", function).answer(Prompt("hello", id="q1"))


class Reverser:
    async def __call__(self, text: str) -> str:
        return text[::-1]


def with_annotation_in_words(prompt: Prompt, extra: int = 0) -> str:
    return prompt.id


@each_case(
    ("function", "text"),
    [
        (str.upper, "HELLO"),
        (len, "5"),
        (lambda text: 2.5, "2.5"),
        (lambda text: True, "True"),
        (lambda text: asyncio.sleep(0, text * 2), "hellohello"),
        (Reverser(), "olleh"),
        (with_annotation_in_words, "q1"),
        (lambda text: "\ud83d", "\ufffd"),
    ],
)
async def test_texts_and_numbers_are_replies(function: Callable[[Any], Any], text: str) -> None:
    assert (await say(function)).text == text


async def test_a_reply_is_taken_as_it_is() -> None:
    reply = Reply("x", Usage(1, 2, 3.0))
    assert await say(lambda text: reply) is reply


@each_case("answer", [None, ["a"], {"a": 1}, b"bytes", object()])
async def test_anything_else_is_a_fault(answer: object) -> None:
    with pytest.raises(TransportFault, match="returned a") as caught:
        await say(lambda text: answer)
    assert not caught.value.worth_retrying


def raising(error: BaseException) -> Callable[[str], str]:
    def function(text: str) -> str:
        raise error

    return function


@each_case(
    ("error", "reached", "worth_retrying"),
    [
        (ValueError("a\nb" * 500), True, False),
        (ConnectionResetError("gone"), False, True),
        (TimeoutError("late"), True, True),
        (StopIteration(), True, False),
        (SystemExit(0), True, False),
        (GeneratorExit(), True, False),
        (asyncio.CancelledError(), True, False),
    ],
)
async def test_what_a_function_raises_is_a_fault(error: BaseException, reached: bool, worth_retrying: bool) -> None:
    with pytest.raises(TransportFault) as caught:
        await say(raising(error))
    assert (caught.value.reached, caught.value.worth_retrying) == (reached, worth_retrying)
    assert len(caught.value.reason) < 300


async def test_an_async_function_cannot_end_the_program() -> None:
    async def leaves(text: str) -> str:
        sys.exit(0)  # which would be the exit code of a verdict

    with pytest.raises(TransportFault, match="raised SystemExit: 0") as caught:
        await say(leaves)
    assert not caught.value.worth_retrying


async def test_errors_of_the_house_pass_through() -> None:
    with pytest.raises(CandidateMisconfigured, match="no engine"):
        await say(raising(CandidateMisconfigured("no engine")))


async def test_slow_functions_run_side_by_side() -> None:
    together = threading.Barrier(40, timeout=30)  # which lets nobody pass before all 40 have come
    function = Function("function:test", lambda text: str(together.wait() < 40))
    replies = await asyncio.gather(*(function.answer(Prompt("x")) for _ in range(40)))
    assert {reply.text for reply in replies} == {"True"}


async def test_a_function_that_hangs_can_be_given_up() -> None:
    ended = threading.Event()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(say(lambda text: ended.wait(5)), 0.1)
    ended.set()
    await asyncio.sleep(0.05)


def test_a_function_that_hangs_does_not_keep_the_program_from_ending(tmp_path: Path) -> None:
    (tmp_path / "sleeper.py").write_text("import time\ndef answer(text):\n    time.sleep(60)\n")
    program = (
        "import asyncio\nfrom vivavoce.candidates import open_candidate\nfrom vivavoce.interview.candidate import Prompt\n"
        "candidate = open_candidate('function:sleeper:answer')\n"
        "async def main():\n    await asyncio.wait_for(candidate.answer(Prompt('x')), 0.1)\n"
        "try:\n    asyncio.run(main())\nexcept TimeoutError:\n    print('given up')\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=50)
    assert (ended.stdout, ended.stderr) == ("given up\n", "")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


@pytest.mark.parametrize(
    ("source", "target", "error", "words"),
    [
        (None, "no_such_module_here:f", BadInput, "searched for in the current folder"),
        ("def f(:\n", "viva_broken_syntax:f", BadInput, "SyntaxError"),
        ("1/0\n", "viva_divides:f", BadInput, "ZeroDivisionError.*fix it"),
        ("def answer(t): return t\n", "viva_misspelt:anwser", UnknownName, "did you mean 'answer'"),
        ("answer = 3\n", "viva_number:answer", BadInput, "is a int"),
        ("class A:\n def __getattr__(self, name): 1/0\na = A()", "viva_odd:a.of", BadInput, "ZeroDivisionError.*fix it"),
        ("answer = 3\n", "viva_number:answer.of", UnknownName, "no callable of 'viva_number' 'of'.* conjugate"),
        ("def answer(): return 'x'\n", "viva_no_argument:answer", BadInput, "prompt alone"),
        ("def answer(a, b): return 'x'\n", "viva_two_arguments:answer", BadInput, "prompt alone"),
    ],
)
def test_what_cannot_be_called_is_told(
    folder: Path, source: str | None, target: str, error: type[Exception], words: str
) -> None:
    if source is not None:
        (folder / f"{target.partition(':')[0]}.py").write_text(source)
    with pytest.raises(error, match=words):
        open_function(target, "")


async def test_the_current_folder_is_searched(folder: Path) -> None:
    (folder / "viva_here.py").write_text("def answer(text):\n    return text + '!'\n")
    assert (await open_function("viva_here:answer", "").answer(Prompt("hi"))).text == "hi!"


def test_a_function_that_is_not_async_is_asked_one_question_at_a_time_unless_told_otherwise() -> None:
    busy, most = 0, 0

    def answer(text: str) -> str:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        time.sleep(0.01)
        busy -= 1
        return text

    async def answer_soon(text: str) -> str:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0.01)
        busy -= 1
        return text

    async def most_at_once(function: Callable[[str], object], concurrency: int | None) -> int:
        nonlocal most
        most = 0
        interview = Interview(Function("function:mine:answer", function), answers=Reply, concurrency=concurrency)
        async with aclosing(interview.ask_in_order(Prompt(str(number)) for number in range(20))) as answers:
            assert [reply.text async for _, reply in answers if isinstance(reply, Reply)] == [str(n) for n in range(20)]
        return most

    assert asyncio.run(most_at_once(answer, None)) == 1
    assert asyncio.run(most_at_once(answer_soon, None)) == 8
    assert asyncio.run(most_at_once(answer_soon, 3)) == 3
