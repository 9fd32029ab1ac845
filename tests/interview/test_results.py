"""Rows of results: what a row says of an answer, and files in three formats that hold the same."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadFile, BadInput, MissingExtra
from vivavoce.formats.tables import guarded_text, pictured, unguarded
from vivavoce.interview.candidate import INTERRUPTED, NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.candidate_kinds import CaseJudgement, FactCase, Position
from vivavoce.interview.forms.form import Outcome, ReplyForm
from vivavoce.interview.forms.number import Number
from vivavoce.interview.forms.one_option import OneOption
from vivavoce.interview.forms.probability import Probability
from vivavoce.interview.forms.several_options import SeveralOptions
from vivavoce.interview.requests import QuestionOutcome
from vivavoce.interview.results import (
    COLUMNS,
    AnswerEvent,
    ResultMark,
    ResultRow,
    ResultRows,
    format_of,
    line_of,
    row_of,
    write_results,
)

FORMULA = '=HYPERLINK("http://evil","x")'
HOSTILE = [
    FORMULA, "+1+1", "-2+3", "@SUM(A1)", "\t=1", "'=1", 'a "quoted", one', "line\nline\r\nline\rline", "nul\0nul",
    "x" * 1_000_000, "\u202eleft", "é", "-0.25", "1e5", "None", "",
]  # fmt: skip


def heard(answer: object, question: object = None, **more: Any) -> AnswerEvent:
    put = Prompt("2 + 2?", id="q", form=Number()) if question is None else question
    return AnswerEvent("bot:x", QuestionOutcome(answer, Usage(3, 4), seconds=0.5, put=put), topic="sums", **more)


def prompt(form: ReplyForm[Any] | None) -> Prompt:
    return Prompt("Which?", id="q", form=form)


@each_case(
    ("question", "answer", "read_as", "outcome"),
    [
        (prompt(Number()), Reply("Answer: 4"), "4", "answer"),
        (prompt(Number(dont_know=True)), Reply("Answer: I don't know"), "I don't know", "I don't know"),
        (prompt(Number()), Reply("Well."), "", "unreadable"),
        (prompt(Number()), Reply("Answer: 4", finish="length"), "", "cut off"),
        (prompt(Number()), Reply(Number().instruction), "", "copied"),
        (prompt(Number()), NoAnswer("time-out after 9 s"), "", "no answer: time-out after 9 s"),
        (prompt(Number()), NoAnswer("answer"), "", "no answer: answer"),  # no candidate's words pass for an outcome
        (prompt(Number()), NoAnswer(INTERRUPTED), "", "asked, never answered"),
        (prompt(OneOption(("yes", "no"))), Reply("Answer: B"), "B", "answer"),
        (prompt(SeveralOptions(("a", "b", "c"))), Reply("Answer: A, C"), "A, C", "answer"),
        (prompt(Probability()), Reply("Answer: 25%"), "0.25", "answer"),
        (prompt(None), Reply("Dear all"), "", "answer"),
        (prompt(None), Reply(""), "", "unreadable"),
        (FactCase(("One.", "Two.")), CaseJudgement(0.5), "", "answer"),
    ],
)
def test_a_row_says_how_the_reply_was_read(question: object, answer: object, read_as: str, outcome: str) -> None:
    row = row_of(heard(answer, question))
    assert (row.read_as, row.outcome, row.seconds, row.tokens) == (read_as, outcome, 0.5, 7)


def test_what_was_asked_stands_as_one_would_read_it() -> None:
    assert row_of(heard(NoAnswer("x"), Position("8/8/8/8/8/8/8/8 w - - 0 1"))).question == "8/8/8/8/8/8/8/8 w - - 0 1"
    assert row_of(heard(CaseJudgement(0.5), FactCase(("One.", "Two.")))).question == "One.\nTwo."
    assert json.loads(row_of(heard(CaseJudgement(0.5), FactCase(("One.",)))).reply)["probability"] == 0.5
    assert row_of(heard(Reply("x"), Prompt("Which?"))).id == "sums"  # of a question without a name the topic


def test_a_further_turn_stands_behind_the_reply() -> None:
    row = row_of(heard(Reply("Well.", further=Reply("Answer: 4"))))
    assert (row.reply, row.read_as, row.outcome) == ("Well.\n[after a further turn]\nAnswer: 4", "4", "answer")


def test_marks_go_before_what_the_form_reads_and_order_rows() -> None:
    results = ResultRows(("examination", "scope", "candidate"))
    results.enter("a room")
    results.hear(heard(Reply("Answer: 1")))
    results.mark_by(
        lambda all_heard: [ResultMark(id="late", order=(2,)), None, ResultMark(scope="s", score=0.0, outcome=Outcome.FAULT)]
    )
    for text in ("2", "3", "4"):
        results.hear(heard(Reply(f"Answer: {text}")))
    assert [(row.id, row.read_as, row.front) for row in results.rows] == [
        ("q", "1", ("a room", "", "bot:x")),
        ("q", "4", ("a room", "s", "bot:x")),
        ("late", "2", ("a room", "", "bot:x")),
    ]
    assert [row.outcome for row in results.rows] == ["answer", "asked, met a fault", "answer"]


def made(*texts: str) -> list[ResultRow]:
    return [ResultRow(f"q{n}", "ask?", text, text, "4", (None, 0.5)[n % 2], "answer", n / 7, n) for n, text in enumerate(texts)]


def read_csv(file: Path) -> list[dict[str, object]]:
    csv.field_size_limit(2_000_000)
    with file.open(encoding="utf-8-sig", newline="") as stream:
        result: list[dict[str, object]] = []
        for row in csv.DictReader(stream):
            numbers = {"score": float(row["score"]) if row["score"] else None, "seconds": float(row["seconds"])}
            texts: dict[str, object] = {name: unguarded(cell) for name, cell in row.items()}
            result.append(texts | numbers | {"tokens": int(row["tokens"])})
    return result


def read_lines(file: Path) -> list[dict[str, object]]:
    with file.open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def read_parquet(file: Path) -> list[dict[str, object]]:
    result: list[dict[str, object]] = pytest.importorskip("pyarrow.parquet").read_table(file).to_pylist()
    return result


READERS: dict[str, Callable[[Path], list[dict[str, object]]]] = {
    "csv": read_csv, "jsonl": read_lines, "parquet": read_parquet,
}  # fmt: skip


@pytest.mark.parametrize("form", READERS)
def test_every_format_holds_what_was_said_whatever_that_was(tmp_path: Path, form: str) -> None:
    file, rows = tmp_path / f"r.{form}", made(*HOSTILE)
    if form == "parquet":
        pytest.importorskip("pyarrow")
    assert write_results(file, rows) == len(HOSTILE)
    assert READERS[form](file) == [dict(zip(COLUMNS, row.cells, strict=True)) for row in rows]
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("form", READERS)
def test_a_data_frame_reads_the_same(tmp_path: Path, form: str) -> None:
    pandas = pytest.importorskip("pandas")
    if form == "parquet":
        pytest.importorskip("pyarrow")
    file, rows = tmp_path / f"r.{form}", made(*HOSTILE[6:-1])  # those that no apostrophe stands before
    write_results(file, rows)
    frame = {
        "csv": lambda: pandas.read_csv(file, keep_default_na=False, na_values={"score": [""]}, dtype={"read as": str}),
        "jsonl": lambda: pandas.read_json(file, lines=True, dtype=False),
        "parquet": lambda: pandas.read_parquet(file),
    }[form]()
    assert list(frame.columns) == list(COLUMNS)
    assert [str(frame[name].dtype) for name in ("score", "seconds", "tokens")] == ["float64", "float64", "int64"]
    assert frame["reply"].tolist() == [pictured(row.reply) if form == "csv" else row.reply for row in rows]
    assert frame["seconds"].tolist() == pytest.approx([row.seconds for row in rows], abs=1e-12)
    assert frame["score"].mean() == 0.5  # of those that have one


def test_numbers_are_written_as_numbers_and_no_text_as_a_formula(tmp_path: Path) -> None:
    write_results(tmp_path / "r.csv", made("-0.25", FORMULA))
    text = (tmp_path / "r.csv").read_bytes()
    assert text.startswith(b"\xef\xbb\xbf" + b'"id","question","reply"')
    assert text.splitlines()[1].decode() == '"q0","ask?","-0.25","-0.25","4","","answer",0.0,0'
    second = next(csv.reader([text.splitlines()[2].decode()]))
    assert second[2] == "'" + FORMULA
    assert second[5] == "0.5"


@given(st.text())
def test_no_cell_is_run_and_every_text_is_had_again(text: str) -> None:
    cell = guarded_text(text)
    assert unguarded(cell) == text
    if cell.lstrip()[:1] in tuple("=+-@"):
        float(cell)  # what is left of these begins a number


CONTROLS = "".join(map(chr, {*range(0x20), *range(0x7F, 0xA0)} - set(b"\t\n\r")))


@given(st.text(st.characters() | st.sampled_from(CONTROLS + "\u241b\u2421\u2426[@_")))
def test_no_control_character_is_written_and_every_text_is_had_again(text: str) -> None:
    for cell in (guarded_text(text), line_of({"reply": text})):
        assert not set(cell) & set(CONTROLS)
    assert unguarded(guarded_text(text)) == text
    assert json.loads(line_of({"reply": text})) == {"reply": text}


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_file_of_results_does_not_steer_a_terminal(tmp_path: Path, form: str) -> None:
    file = tmp_path / f"r.{form}"
    write_results(file, made("\x1b]0;title\x07\x1b[2J", "\x9b31m\x00\x7f"))
    assert not set(file.read_text(encoding="utf-8-sig")) & set(CONTROLS)


def test_an_empty_run_is_a_table_without_rows(tmp_path: Path) -> None:
    assert write_results(tmp_path / "r.csv", [], front=("examination",)) == 0
    assert read_csv(tmp_path / "r.csv") == []
    assert (tmp_path / "r.csv").read_text(encoding="utf-8-sig").startswith('"examination","id"')


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text("what was there")

    def broken() -> Any:
        yield made("fine")[0]
        raise RuntimeError("broken off")

    with pytest.raises(RuntimeError):
        write_results(file, broken())
    assert file.read_text() == "what was there"
    assert [path.name for path in tmp_path.iterdir()] == ["r.jsonl"]
    with pytest.raises(BadFile, match="cannot be written"):
        write_results(tmp_path / "no" / "r.csv", [])


def test_endings_name_the_format(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [format_of(Path(f"a.b.{form}")) for form in ("csv", "JSONL")] == ["csv", "jsonl"]
    for name in ("r.xlsx", "csv", ".csv", "r.csv.gz", "r"):
        with pytest.raises(BadInput, match="give it one of these endings"):
            format_of(Path(name))
    monkeypatch.setattr("vivavoce.formats.records.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="pip install 'vivavoce\\[parquet\\]'"):
        format_of(Path("r.parquet"))
