"""Programs that never end, take too much, end themselves, or write what is no ruling."""

from __future__ import annotations

import pytest

from tests.certificate.explanations.hostile import QUICK, answering, questions, said
from tests.each_case import each_case
from vivavoce.certificate.explanations.sandbox.program_reply import (
    ANSWER_CHARACTERS,
    FAILURE_CHARACTERS,
    LINE_BYTES,
    ProgramReply,
    line_of,
    ruling_in,
)
from vivavoce.certificate.explanations.sandbox.sandbox import Program, Sandbox, SandboxEnded, SandboxLimits


def ended(body: str, *, limits: SandboxLimits = QUICK, texts: tuple[str, ...] = ("?",)) -> SandboxEnded:
    with pytest.raises(SandboxEnded) as caught:
        Sandbox(limits).run(answering(body), questions(*texts))
    return caught.value


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "return 9**9**9",
        "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
        "import itertools; return sum(itertools.repeat(0))",
        "while True: print('x' * 1000)",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "class Odd(Exception):\n    def __str__(self):\n        while True: pass\nraise Odd",
    ],
)
def test_what_never_ends_is_ended_by_its_cpu_time(body: str) -> None:
    end = ended(f"if q['text'] == 'good': return 'well'\n{body}", texts=("good", "good", "bad", "good"))
    assert end.reason == "CPU time"
    assert end.before == (ProgramReply(True, "well"),) * 2
    assert str(end) == "the program was ended after 2 rulings by its CPU time: more than 0.2 seconds"


def test_what_never_ends_at_loading_is_ended_too() -> None:
    with pytest.raises(SandboxEnded, match="after 0 rulings by its CPU time"):
        Sandbox(QUICK).run(Program("while True: pass"), questions("?"))


@pytest.mark.long
def test_what_waits_for_ever_is_ended_by_the_clock() -> None:
    end = ended(
        "import _thread\nlock = _thread.allocate_lock()\nlock.acquire()\nlock.acquire()", limits=SandboxLimits(wall_seconds=5)
    )
    assert (end.reason, end.rulings) == ("wall time", 0)


def test_sleep_is_refused_rather_than_waited_for() -> None:
    assert said("import time; time.sleep(10**6)").failure.startswith("PermissionError")


@each_case(
    "body",
    [
        "return bytes(10**10)",
        "hoard = []\nwhile True: hoard.append(bytes(10**6))",
        "import mmap; mmap.mmap(-1, 2**28)",
        "'x' * 2**60",
    ],
)
def test_too_much_memory_is_refused_and_the_next_question_has_it_again(body: str) -> None:
    program = answering(f"if q['text'] == 'good': return str(len(bytes(2**26)))\n{body}")
    failed, good = Sandbox().run(program, questions("bad", "good"))
    assert failed.failure.startswith(("MemoryError", "OSError: [Errno 12]"))
    assert good == ProgramReply(True, "67108864")


def test_all_memory_kept_ends_the_batch() -> None:
    body = """size = 2**24
while size:
    try:
        hoard.append(bytes(size))
    except MemoryError:
        size //= 2"""
    program = Program(f"hoard = []\n{answering(body).code}")
    with pytest.raises(SandboxEnded) as caught:
        Sandbox(SandboxLimits(memory_bytes=2**26)).run(program, questions("?", "x" * 10**6, "?"))
    assert caught.value.reason == "memory"
    assert caught.value.rulings <= 1


def test_the_machine_s_own_stack_ends_the_program_alone() -> None:
    body = (
        "import sys; sys.setrecursionlimit(10**9)\nnested = []\nfor _ in range(10**5): nested = [nested]\nreturn repr(nested)"
    )
    try:
        failure = said(body).failure
    except SandboxEnded as end:
        failure = str(end)
    assert failure.endswith("by its death: signal 11") or failure.startswith("RecursionError")  # from Python 3.12 on


@pytest.mark.parametrize(("code", "detail"), [(0, "exit code 0"), (3, "exit code 3"), (77, "none left of")])
def test_a_program_that_ends_its_process(code: int, detail: str) -> None:
    end = ended(f"import os\nif q['text'] == 'bad': os._exit({code})", texts=("good", "bad", "good"))
    assert end.reason == ("memory" if code == 77 else "death")
    assert end.rulings == 1
    assert detail in str(end)


def test_more_output_than_allowed() -> None:
    end = ended("return 'x' * 10_000", limits=SandboxLimits(output_bytes=95_000), texts=("?",) * 20)
    # a line is '[0, true, "xxx", ""]' and its end: 10,018 bytes, nine of them 90,162
    assert (end.reason, end.rulings) == ("output", 9)


def test_endless_output_past_the_rulings() -> None:
    assert ended("import os\nwhile True: os.write(1, b'x' * 10**6)").reason == "protocol"
    assert ended("import os\nos.write(1, b'[0, true, \"x\", \"\"' + b' ' * 200_000 + b']\\n')").reason == "protocol"


FORGED = {
    "no JSON": b"rubbish\n",
    "nothing": b"\n",
    "no text": b"\xff\xfe[0]\n",
    "NaN": b'[NaN, true, "x", ""]\n',
    "a deep list": b"[" * 50_000 + b"\n",
    "a deep object": b'{"a":' * 15_000 + b"\n",
    "a huge number": b'[0, true, "x", ' + b"9" * 50_000 + b"]\n",
    "another question": b'[1, true, "x", ""]\n',
    "truth as number": b'[false, true, "x", ""]\n',
    "number as truth": b'[0, 1, "x", ""]\n',
    "number as answer": b'[0, true, 7, ""]\n',
    "too few": b'[0, true, "x"]\n',
    "too many": b'[0, true, "x", "", ""]\n',
    "half a character": b'[0, true, "\\ud800", ""]\n',
    "a long answer": b'[0, true, "' + b"x" * 10_001 + b'", ""]\n',
    "a long failure": b'[0, true, "", "' + b"x" * 201 + b'"]\n',
    "a failure of two lines": b'[0, true, "", "a\\nb"]\n',
    "a failure with colours": b'[0, true, "", "\\u001b[31m"]\n',
    "an answer and a failure": b'[0, true, "x", "y"]\n',
    "an answer that is not covered": b'[0, false, "x", ""]\n',
    "a program's failure of two lines": b'"a\\nb"\n',
}


@each_case("name", FORGED)
def test_a_line_that_is_no_ruling_is_none(name: str) -> None:
    assert ruling_in(FORGED[name], 0) is None


def test_each_of_these_ends_the_batch() -> None:
    for name in ("a deep list", "a huge number", "no text", "a program's failure of two lines"):
        end = ended(f"import os\nos.write(1, {FORGED[name]!r})")
        assert (end.reason, end.rulings) == ("protocol", 0)


def test_a_ruling_of_its_own_collides_with_the_real_one() -> None:
    end = ended('import os\nos.write(1, b\'[0, true, "forged", ""]\\n\')')
    assert (end.reason, end.before) == ("protocol", (ProgramReply(True, "forged"),))


def test_rulings_past_the_last_question_end_the_batch() -> None:
    forged = "".join(f"{line_of(number, ProgramReply(True, 'forged'))}\n" for number in range(3))
    end = ended(f"import os\nos.write(1, {forged.encode()!r})\nos._exit(0)")
    assert (end.reason, end.rulings) == ("protocol", 1)


def test_forged_rulings_say_no_more_than_answers_could() -> None:
    body = 'import os\nos.write(1, b\'[0, true, "forged", ""]\\n\')\nos._exit(0)'
    assert Sandbox().run(answering(body), questions("?")) == (ProgramReply(True, "forged"),)


def test_the_functions_that_write_can_be_found_and_write_no_better() -> None:
    body = """import sys
frame = sys._getframe()
while "_write" not in frame.f_globals: frame = frame.f_back
frame.f_globals["_write"]('[7, true, "x", ""]')"""
    assert ended(body).reason == "protocol"


def test_the_longest_ruling_fits_a_line() -> None:
    longest = ProgramReply(True, "\0" * ANSWER_CHARACTERS)
    assert ruling_in(f"{line_of(10**9, longest)}\n".encode(), 10**9) == longest
    assert len(line_of(10**9, longest).encode()) + 6 * FAILURE_CHARACTERS < LINE_BYTES
