"""Files of every text format with what people and attackers put into them: read, or refused in one sentence, never a crash."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.cli.viva import main

pytest.importorskip("yaml")

ODD = st.sampled_from(
    [
        *("", "0", "-1", "1e999", "nan", "inf", "1" * 400, "9" * 5000, "\0", "\ufeff", "\u202e", '"', "=1+1", "#REF!", "a|b"),
        *("[1,", "\\", "\r", "true", "null", "2026-99-99", "12:30:99", "0x" + "f" * 400, "\ud800", "x" * 70_000, "a=1|b=nan"),
        *("(a+)+$", "{{ 9**9**9 }}", "file://../x.csv", "file://t.yaml", "http://x", "½", "\u2028", "1/0", "[" * 300),
        *("!!bool maybe", "!!int x", "&a [*a]", "1e1000", "!!omap {a: b}", "a**b", "{}"),
    ]
)
RULES = ['{"kind": "scorer"}', '{"kind": "assertions", "parts": []}', '{"kind": "extraction", "targets": [""]}']
TEXTS = st.sampled_from(["What is 1 + 1?", "2", "Rome", "A", "0.5", "Paris|Rome", *RULES]) | ODD | st.text(max_size=8)
COLUMNS = st.sampled_from(
    [
        "question",
        "answer",
        "options",
        "id",
        "weight",
        "cluster",
        "law",
        "match",
        "scores",
        "rubric",
        "rule",
        "idk_score",
        "example",
    ]
)
HUGE = "huge"
NUMBERS = st.integers() | st.floats() | st.sampled_from([10**310, HUGE])
VALUES = st.recursive(TEXTS | NUMBERS | st.none(), lambda inside: st.lists(inside, max_size=3), max_leaves=4)
ROWS = st.lists(st.dictionaries(COLUMNS, VALUES, min_size=1, max_size=5), min_size=1, max_size=4)
FIELDS = {
    "promptfoo": ["prompts", "tests", "defaultTest", "threshold", "vars", "assert", "assertionTemplates"],
    "lm-eval": ["task", "dataset_path", "num_fewshot", "include", "doc_to_text", "filter_list", "fewshot_config"],
    "hf-eval": ["name", "evaluation_framework", "tasks", "id", "field_spec", "solvers", "scorers"],
}


def dumped(value: Any) -> str:
    """As JSON, with a whole number of 5,000 digits for each `HUGE`."""
    return json.dumps(value).replace(f'"{HUGE}"', "9" * 5000)


def content(rows: list[dict[str, Any]], form: str) -> bytes:
    if form == "csv":
        written = io.StringIO()
        names = list(dict.fromkeys(name for row in rows for name in row))
        table = csv.DictWriter(written, names, escapechar="\\")
        table.writeheader()
        table.writerows({n: v if isinstance(v, str) else dumped(v) for n, v in row.items()} for row in rows)
        return written.getvalue().encode("utf-8", "surrogatepass")
    return (dumped(rows) if form == "json" else "\n".join(map(dumped, rows))).encode()


def refused_or_read(arguments: list[str], file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(arguments)
    out, err = capsys.readouterr()
    assert code in (0, 2, 3, 4)
    assert "Traceback" not in out + err
    if code == 2:
        *rows, problem = err.splitlines()
        assert all(row.startswith("refused: ") for row in rows)
        assert problem.startswith("viva: ")
        assert file.name in problem or "template" in problem


@pytest.mark.long
@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=10_000)
@given(ROWS, st.sampled_from(["csv", "json", "jsonl"]), st.booleans(), st.integers(0, 400), st.binary(max_size=2))
def test_question_files(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    rows: list[dict[str, Any]],
    form: str,
    packed: bool,
    index: int,
    damage: bytes,
) -> None:
    written = content(rows, form)
    written = written[:index] + damage + written[index:]
    file = tmp_path / f"q.{form}{'.gz' * packed}"
    file.write_bytes(gzip.compress(written, 1) if packed else written)
    arguments = ["certify", "bot:calculator", "--scope", f"file:{file}", "--questions", "2", "--quiet"]
    refused_or_read(arguments, file, capsys)


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=20_000)
@given(st.sampled_from(sorted(FIELDS)), st.data())
def test_files_of_other_tools(tmp_path: Path, capsys: pytest.CaptureFixture[str], tool: str, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(FIELDS[tool]), min_size=1, max_size=6, unique=True))
    lines = [f"{name}: {data.draw(ODD | st.sampled_from(['[a]', '{a: b}', '- a', 't', '-1', '.nan']))}" for name in names]
    file = tmp_path / "t.yaml"
    file.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    refused_or_read(["import", tool, str(file)], file, capsys)
