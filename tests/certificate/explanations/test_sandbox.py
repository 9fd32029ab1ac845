"""Ordinary programs in the sandbox: what they may use, and what comes of their mistakes."""

from __future__ import annotations

import hashlib
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.certificate.explanations.hostile import answering, questions, said
from tests.each_case import each_case
from vivavoce.certificate.explanations.sandbox.program_reply import ProgramReply
from vivavoce.certificate.explanations.sandbox.sandbox import Program, Sandbox, SandboxEnded, SandboxLimits, SandboxUnavailable
from vivavoce.errors import BadInput

MULTIPLICATION = Program(
    """
import re
from fractions import Fraction
from functools import lru_cache
PATTERN = re.compile(r"What is (\\d+)/(\\d+) \\* (\\d+)\\?")

@lru_cache
def times(number, count):
    return Fraction(0) if count == 0 else number + times(number, count - 1)

def covers(question):
    return PATTERN.fullmatch(question["text"]) is not None

def answer(question):
    above, below, count = map(int, PATTERN.fullmatch(question["text"]).groups())
    return times(Fraction(above, below), count)
"""
)


def test_a_program_with_fractions_expressions_and_recursion() -> None:
    asked = questions("What is 3/8 * 12?", "What is 1/7 * 210?", "Who wrote Emma?")
    # 36/8 = 9/2, 210/7 = 30
    assert Sandbox().run(MULTIPLICATION, asked) == (
        ProgramReply(True, "9/2"),
        ProgramReply(True, "30"),
        ProgramReply(False, ""),
    )


def test_everyday_python_works() -> None:
    body = r"""
import bisect, calendar, collections, datetime, decimal, heapq, itertools, json, math, operator, statistics, string, typing
from dataclasses import dataclass
@dataclass
class Point:
    x: int
print("to nowhere", "\d")
day = datetime.datetime.strptime("29 February 2024", "%d %B %Y").strftime("%A")
return f"{day} {Point(3)} {math.comb(5, 2)} {decimal.Decimal('0.1') * 3} {statistics.median([1, 5, 2])} {'é'.encode('latin-1')}"
"""
    assert said(body) == ProgramReply(True, "Thursday answer.<locals>.Point(x=3) 10 0.3 2 b'\\xe9'")


def test_a_question_comes_as_it_was_given_and_both_functions_see_it() -> None:
    program = Program("def covers(q): return q['category'] == 'π'\ndef answer(q): return q['options'][len(q['text'])]")
    asked = [{"text": "\ud800", "options": ["a", "β\n"], "category": "π"}]
    assert Sandbox().run(program, asked) == (ProgramReply(True, "β\n"),)


@settings(max_examples=6, deadline=None)
@given(st.lists(st.text(max_size=60), max_size=40))
def test_answers_come_back_as_given(texts: list[str]) -> None:
    echo = Program("def covers(q): return True\ndef answer(q): return q['text']")
    assert Sandbox().run(echo, questions(*texts)) == tuple(ProgramReply(True, text) for text in texts)


@settings(max_examples=4, deadline=None)
@given(st.lists(st.integers() | st.floats(allow_nan=False, allow_infinity=False), max_size=40))
def test_numbers_come_back_as_python_writes_them(numbers: list[float]) -> None:
    program = Program("def covers(q): return True\ndef answer(q): return eval(q['text'])")
    rulings = Sandbox().run(program, questions(*map(repr, numbers)))
    assert [float(ruling.answer) for ruling in rulings] == [float(number) for number in numbers]
    assert all(not ruling.answer.endswith(".0") for ruling, n in zip(rulings, numbers, strict=True) if abs(n) < 2**53)


@each_case(("given", "answer"), [("7.0", "7"), ("-0.5", "-0.5"), ("1e300", "1e+300"), ("10**20", "1" + "0" * 20), ("''", "")])
def test_numbers_and_text_as_answers(given: str, answer: str) -> None:
    assert said(f"return {given}") == ProgramReply(True, answer)


@each_case(
    ("body", "failure"),
    [
        ("return None", "TypeError: answer() gives text or a number, not a value of type 'NoneType'"),
        ("return True", "TypeError: answer() gives text or a number, not a value of type 'bool'"),
        ("return float('nan')", "ValueError: answer() gives a number, not nan"),
        ("return 1 / 0", "ZeroDivisionError: division by zero"),
        ("raise ValueError('one\\ntwo\\x1b[31m' + 'x' * 10**6)", "ValueError: one two [31m" + "x" * 176),
        ("return '\\ud800'", "UnicodeEncodeError: "),
        ("return 'x' * 10**8", "ValueError: an answer of 100000000 characters; at most 10000"),
        ("return 10**5000", "ValueError: Exceeds the limit"),
        ("import requests", "ImportError: there is no module 'requests' here"),
        ("input()", "EOFError"),
        ("raise SystemExit('bye')", "SystemExit: bye"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("def again(): return again()\nreturn again()", "RecursionError: maximum recursion depth"),
        ("class Odd(Exception):\n    def __str__(self): raise self\nraise Odd", "Error: it has no readable message"),
    ],
)
def test_a_failure_is_one_line_and_of_that_question_alone(body: str, failure: str) -> None:
    program = answering("if q['text'] == 'good': return 'well'\n" + body)
    before, failed, after = Sandbox().run(program, questions("good", "bad", "good"))
    assert before == after == ProgramReply(True, "well")
    assert (failed.covers, failed.answer) == (True, "")
    assert failed.failure.startswith(failure)
    assert failed.failure.isprintable()
    assert len(failed.failure) <= 200


def test_covers_that_fails_covers_nothing() -> None:
    program = Program("def covers(q): return 1 if q['text'] else q['nothing']\ndef answer(q): return ''")
    assert Sandbox().run(program, questions("x", "")) == (
        ProgramReply(False, "", "TypeError: covers() gives True or False, not a value of type 'int'"),
        ProgramReply(False, "", "KeyError: 'nothing'"),
    )


@each_case(
    ("code", "why"),
    [
        ("def covers(q) return True", "SyntaxError: expected ':' (explanation, line 1)"),
        ("x = 1 / 0", "ZeroDivisionError: division by zero"),
        ("def covers(q): return True", "TypeError: it defines no function 'answer'"),
        ("raise SystemExit", "SystemExit"),
        ("\0", "null bytes"),
        ("\ud800 = 1", "surrogates not allowed"),
    ],
)
def test_code_that_cannot_be_loaded(code: str, why: str) -> None:
    with pytest.raises(SandboxEnded) as ended:
        Sandbox().run(Program(code), questions("?"))
    assert (ended.value.reason, ended.value.rulings) == ("code", 0)
    assert why in str(ended.value)


def test_a_batch_of_many_questions_in_order() -> None:
    rulings = Sandbox().run(answering("return len(q['text'])"), questions(*("x" * (n % 50) for n in range(10_000))))
    assert [ruling.answer for ruling in rulings] == [str(n % 50) for n in range(10_000)]


def test_no_questions() -> None:
    assert Sandbox().run(MULTIPLICATION, []) == ()


def test_the_same_in_each_process_and_nothing_kept_between_batches() -> None:
    program = answering("import random; seen.add(str(random.random())); return f'{len(seen)} {list(seen | set(string))}'")
    program = Program(f"seen = set(); string = 'abcdefgh'\n{program.code}")
    first, second = Sandbox().run(program, questions("?", "?"))
    assert (first.answer[0], second.answer[0]) == ("1", "2")  # within a batch it is one process, as documented
    assert Sandbox().run(program, questions("?", "?")) == (first, second)


def test_threads_may_run_batches_at_once() -> None:
    given: dict[int, str] = {}

    def run(number: int) -> None:
        given[number] = said(f"return {number}").answer

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert given == {number: str(number) for number in range(4)}


def test_the_digest_is_the_code_s() -> None:
    assert MULTIPLICATION.digest == hashlib.sha256(MULTIPLICATION.code.encode()).hexdigest()


def test_what_cannot_be_given_is_said() -> None:
    with pytest.raises(BadInput, match="100001 characters"):
        Program("x" * 100_001)
    with pytest.raises(BadInput, match="the program is empty"):
        Program(" \n")
    with pytest.raises(BadInput, match="not JSON serializable"):
        Sandbox().run(MULTIPLICATION, [{"text": object()}])
    with pytest.raises(BadInput, match="too many for a program"):
        Sandbox(SandboxLimits(memory_bytes=2**26)).run(MULTIPLICATION, questions("x" * 2**24))
    with pytest.raises(BadInput, match="at least 67108864"):
        SandboxLimits(memory_bytes=1000)
    with pytest.raises(BadInput, match="'wall_seconds' is nan"):
        SandboxLimits(wall_seconds=float("nan"))


@pytest.mark.parametrize(
    ("system", "machine", "words"),
    [
        ("darwin", "arm64", "not Linux"),
        ("linux", "riscv64", "this is riscv64, not one of x86_64"),
        ("linux", "x86_64", "the interpreter '/nowhere/python' cannot be started"),
    ],
)
def test_other_machines_are_refused(system: str, machine: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    with pytest.raises(SandboxUnavailable, match=words):
        Sandbox().run(MULTIPLICATION, questions("?"))
