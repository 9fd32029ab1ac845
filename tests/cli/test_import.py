"""`viva import`: rows on standard output or in a file, and on standard error what they are and which are left out."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import VIVA, Refuses, Viva

pytest.importorskip("yaml")
pytest.importorskip("re2")

TESTS = """\
description: sums
prompts: ["{{q}}"]
tests:
  - {vars: {q: "6 * 7?"}, assert: [{type: contains, value: "42"}]}
  - {vars: {q: "6 * 8?"}, assert: [{type: javascript, value: "output == 48"}]}
  - {vars: {q: "6 * 9?"}, assert: [{type: similar, value: "54"}, {type: contains, value: "54"}]}
"""


def knows(text: str) -> str:
    return "It is 42."


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "promptfooconfig.yaml"
    file.write_text(TESTS)
    return file


def test_rows_are_written_and_others_named_with_line_and_reason(viva: Viva, config: Path) -> None:
    ended = viva("import", "promptfoo", str(config))
    assert ended.code == 0
    assert [json.loads(line) for line in ended.out.splitlines()] == [
        {
            "id": "1",
            "question": "6 * 7?",
            "rule": {"kind": "assertions", "parts": [{"parts": [], "type": "contains", "value": "42", "weight": 1.0}]},
        }
    ]
    javascript, similar, *summary = ended.err.splitlines()
    assert javascript.startswith(f"refused: {config}, line 5: test 2: the assertion 'javascript' runs code")
    assert similar.startswith(f"refused: {config}, line 6: test 3: the assertion 'similar' is not used here")
    assert summary == [
        "Fields that change no question and no score: description",
        "Rows: 1 question, 2 refused",
        "As a scope: file:FILE.jsonl",
    ]


def test_the_certificate_is_over_the_converted_file(viva: Viva, config: Path, tmp_path: Path) -> None:
    out = tmp_path / "q.jsonl"
    assert viva("import", "promptfoo", str(config), "--out", str(out)).out == ""
    ended = viva("certify", f"function:{__name__}:knows", "--scope", f"file:{out}", "--seed", "0", "--json")
    document = ended.values
    assert (document["figures"]["score"]["mean"], document["figures"]["scope_size"]) == (1.0, 1)


def test_rows_are_utf_8_whatever_the_terminal_is(config: Path) -> None:
    config.write_text(TESTS.replace("6 * 7?", "6 × 7?"))
    ran = subprocess.run(
        [VIVA, "import", "promptfoo", config], env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=True
    )
    assert json.loads(ran.stdout.decode())["question"] == "6 × 7?"


def test_many_refused_rows_are_counted(viva: Viva, config: Path) -> None:
    row = TESTS.splitlines()[4]
    config.write_text(TESTS + f"{row}\n" * 30)
    err = viva("import", "promptfoo", str(config)).err.splitlines()
    assert sum(line.startswith("refused: ") for line in err) == 21
    assert "refused: 12 more" in err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("promptfoo", "none.yaml"), "viva: none.yaml: cannot be read"),
        (("promptfoo", "{config}", "--out", "q.csv"), "rows are JSON Lines, so name a file that ends in .jsonl"),
        (("promptfoo", "{config}", "--prompt", "x"), "has no prompt 'x': name one by --prompt, 1 ("),
        (("lm-eval", "{config}", "--shots", "-1"), "'-1' is out of range"),
        (("hf-eval", "me/sums@main"), "write OWNER/NAME@COMMIT, the commit in 40 digits"),
        (("traces", "{config}"), "Missing option '--rubric'"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, config: Path, arguments: tuple[str, ...], problem: str) -> None:
    refuses("import", *(argument.format(config=config) for argument in arguments), says=problem)


def test_a_file_without_a_row_is_refused(viva: Viva, config: Path) -> None:
    config.write_text("\n".join(TESTS.splitlines()[:3] + TESTS.splitlines()[4:]))
    ended = viva("import", "promptfoo", str(config))
    assert ended.code == 2
    assert ended.err.splitlines()[-1] == f"viva: {config}: none of its 2 rows can be a row of a question file"


@pytest.mark.parametrize("tool", ["promptfoo", "lm-eval", "hf-eval", "traces"])
def test_help_has_an_example_of_each(viva: Viva, tool: str) -> None:
    assert f"viva import {tool} " in viva("import", "--help").out
    assert f"{tool}: " in viva("import", "--help").out


def test_an_option_of_another_tool_is_refused(viva: Viva, config: Path) -> None:
    ended = viva("import", "promptfoo", str(config), "--shots", "3")
    assert (ended.code, ended.out) == (2, "")
    assert "'--shots' is not for promptfoo, which takes --prompt." in ended.err
