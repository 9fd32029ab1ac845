"""What is handed over: read out of replies and files, bounded, frozen, and put to questions."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.certificate.config import MOST_EXPLANATIONS
from vivavoce.certificate.explanations.procedures import (
    EXAMPLE,
    AnswerTable,
    Misstep,
    ProgramProcedure,
    programs,
    read_table,
    reply,
    request,
    ruled,
)
from vivavoce.certificate.explanations.sandbox.program_reply import ProgramReply
from vivavoce.certificate.explanations.sandbox.sandbox import CODE_CHARACTERS, Program, Sandbox
from vivavoce.errors import BadFile
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.requests import full_prompt
from vivavoce.scopes.generated import sum_question
from vivavoce.scopes.questions import Question

CODE = "def covers(q):\n    return True\n\ndef answer(q):\n    return 1\n"


def asked_for(most: int) -> Prompt:
    return request("arithmetic", [sum_question(2, "+", 2)], most=most)


@each_case(
    "text",
    [
        f"Here you are:\n```python\n{CODE}```\nGood luck.",
        f"~~~~\n{CODE}~~~~",
        f"```py title=x\r\n{CODE}```",
        f"  ```\n{CODE}  ```",
        CODE,
    ],
)
def test_code_is_read_out_of_a_reply(text: str) -> None:
    sources, problem = programs(asked_for(1), Reply(text))
    assert [program.code.strip() for program in sources] == [CODE.strip()]
    assert problem == ""


@each_case(
    "text",
    [
        "",
        "```sh\nls\n```",
        "```python\nprint('covers()')\n```",
        "I cover all:\n" + CODE,
        f"```python\n{CODE}",
        "def covers(question): return True or False",
        f"```python\n{EXAMPLE}\n```",
        EXAMPLE,
        full_prompt(asked_for(3)).text,
        asked_for(3).text,
    ],
)
def test_what_is_no_procedure_is_left_aside(text: str) -> None:
    sources, problem = programs(asked_for(3), Reply(text))
    assert sources == ()
    assert problem


def test_having_none_is_no_failure_to_read() -> None:
    for text in ("none", "None.", "**none**"):
        assert programs(asked_for(3), Reply(text)) == ((), "")
    assert programs(asked_for(3), NoAnswer("time-out after 9 s")) == ((), "time-out")
    assert programs(asked_for(3), Reply("I know no rule.", further=Reply("none"))) == ((), "")


def test_there_are_at_most_so_many_and_none_too_long() -> None:
    block = f"```python\n{CODE}```\n"
    long = f"```python\n{CODE}{'#' * CODE_CHARACTERS}\n```\n"
    assert len(programs(asked_for(2), Reply(block * 5))[0]) == 2
    assert len(programs(asked_for(10_000), Reply(block * (MOST_EXPLANATIONS + 5)))[0]) == MOST_EXPLANATIONS
    assert len(programs(asked_for(2), Reply(long + block))[0]) == 1


@given(st.text(alphabet="`~ \n#defcovrs(", max_size=2_000))
def test_any_reply_can_be_read(text: str) -> None:
    assert all(len(program.code) <= CODE_CHARACTERS for program in programs(asked_for(5), Reply(text))[0])


def test_the_request_says_what_is_wanted_and_shows_questions() -> None:
    sums = [sum_question(a, "+", a) for a in range(3)]
    text = full_prompt(request("arithmetic", sums, most=2)).text
    assert '"What is 2 + 2?"' in text
    assert "at most 2 procedures" in text
    assert "will not come again" in text
    assert EXAMPLE in text
    assert "capital letter" not in text
    choice = Question("q", "Which?", ("yes", "no"), ("A",))
    assert "capital letter" in request("file:/home/me/secret/q.jsonl", [choice], most=1).text
    assert "secret" not in request("file:/home/me/secret/q.jsonl", [choice], most=1).text
    again = request("arithmetic", sums, most=1, after=Misstep(sums[0], "Answer: 10\x1b[2J")).text
    assert "judged unacceptable" in again
    assert "\x1b" not in again


def test_a_program_is_put_to_questions_in_the_sandbox() -> None:
    code = "def covers(q): return q['category'] == '*'\ndef answer(q): return eval(q['text'][8:-1])"
    coded = ProgramProcedure("a test", Program(code), Sandbox())
    # 6 * 7 = 42 by hand
    assert ruled(coded, [sum_question(6, "*", 7), sum_question(6, "+", 7)]) == (
        ProgramReply(True, "42"),
        ProgramReply(False, ""),
    )
    assert coded.digest == Program(code).digest


def test_a_program_that_is_ended_has_given_no_answer_to_the_rest() -> None:
    code = "def covers(q): return True\ndef answer(q):\n    while q['category'] == '*': pass\n    return 3"
    from vivavoce.certificate.explanations.sandbox.sandbox import SandboxLimits

    coded = ProgramProcedure("a test", Program(code), Sandbox(SandboxLimits(cpu_seconds=0.2, wall_seconds=3)))
    first, second, third = ruled(coded, [sum_question(1, "+", 2), sum_question(1, "*", 2), sum_question(0, "+", 3)])
    assert first == ProgramReply(True, "3")
    assert all(ruling.covers and "ended" in ruling.failure for ruling in (second, third))
    assert reply(second).text == ""  # unreadable, so it scores 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.json", '{"What is 1 + 1?": 2, "Capital of France?": "Paris"}'),
        ("t.csv", "answer,question,note\n2,What is 1 + 1?,x\nParis,Capital of France?,y\n"),
        ("t.tsv", "question\tanswer\nWhat is 1 + 1?\t2\nCapital of France?\tParis\n"),
    ],
)
def test_tables_are_read(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    table = read_table(tmp_path / name)
    assert table.rulings([Question("1", "capital of  france?"), Question("2", "Else?")]) == (
        ProgramReply(True, "Paris"),
        ProgramReply(False, ""),
    )
    assert table.digest == AnswerTable("other", {"Capital of France?": "Paris", "What is 1 + 1?": "2"}).digest


@each_case(
    ("name", "text", "problem"),
    [
        ("t.json", "[1]", "must be a JSON object"),
        ("t.json", "{", "not JSON"),
        ("t.json", "{}", "no question"),
        ("t.json", '{"a": null}', "a text or a number"),
        ("t.json", "[" * 100_000, "more than 64 levels deep"),
        ("t.csv", "a,b\n1,2\n", "must name question, answer"),
        ("t.csv", "question,answer\nx\n", "ends after 1 of 2 cells"),
        ("t.csv", "question,answer\nx,1\nX ,2\n", "has two answers"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, name: str, text: str, problem: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BadFile, match=problem):
        read_table(tmp_path / name)
