"""Transcripts as logs that Inspect's own readers open, and sealed for a stranger."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, read_eval_log_sample

from tests.cli.conftest import Refuses, Viva
from vivavoce.interview.record import Entry, Record, canonical_json, digest_of, record_digest
from vivavoce.interview.transcript import Transcript

pytestmark = pytest.mark.long  # importing Inspect takes seconds

HOSTILE = (
    "<script>alert(1)</script>",
    "![](http://127.0.0.1/x) [here](javascript:alert(1))",
    "\x1b[2J\x00\u202eabc",
    "attachment://" + "a" * 32,
    '{"text": "a reply within a reply"}',
    "z" * 50_000,
    "\U0001f600 ünï \\ud83d",
    "",
)


def entry(number: int, answer: str, *, kind: str = "answer", candidate: str = "bot:x") -> Entry:
    shown = [{"asked": "1 + 1?", "replied": "2"}]
    question = canonical_json({"text": f"What is {number} + {number}? {answer}", "system": "Be brief.", "shown": shown})
    reply = canonical_json({"text": answer} if kind == "answer" else {"reason": answer, "attempts": 1})
    asked = f"2025-01-01T00:00:{number:02}+00:00"
    return Entry(candidate, digest_of(question), 0, f"sums/{number}", question, reply, kind, asked, 0.25, 3, 4, 0.5)  # type: ignore[arg-type]


@pytest.fixture
def run(tmp_path: Path) -> str:
    where = tmp_path / "run.sqlite"
    with Transcript.open(where) as transcript:
        transcript.append([entry(number, text) for number, text in enumerate(HOSTILE, 1)])
        transcript.append([entry(30, "time-out", kind="no answer"), entry(31, "62", candidate="bot:y")])
    return str(where)


def exported(viva: Viva, run: str, *arguments: str) -> EvalLog:
    ended = viva("transcript", "export", run, "--eval", "logs/run.eval", *arguments)
    assert ended.code == 0, ended.err
    [info] = list_eval_logs("logs")
    assert read_eval_log(info, header_only=True).status == "success"
    return read_eval_log(info)


def test_a_log_has_a_sample_for_each_record_in_order_and_word_for_word(viva: Viva, run: str) -> None:
    log = exported(viva, run)
    samples = log.samples or []
    assert [sample.id for sample in samples] == list(range(1, 11))
    for sample, text in zip(samples, HOSTILE, strict=False):
        assert sample.output.completion == text
        assert sample.messages[-1].text == text
        assert [message.role for message in sample.input if not isinstance(message, str)] == [
            "system",
            "user",
            "assistant",
            "user",
        ]
        assert sample.messages[-2].text.endswith(f"? {text}")
    assert log.eval.viewer
    assert log.eval.viewer.trust_content is False  # shown as text, and never as what it pretends to be
    assert log.eval.model == "several candidates"
    assert samples[0].model_usage["bot:x"].total_tokens == 7


def test_every_field_is_there_so_that_the_chain_can_be_checked(viva: Viva, run: str) -> None:
    log = exported(viva, run)
    records = [Record(**sample.metadata) for sample in log.samples or []]
    with Transcript.open(run) as transcript:
        assert records == list(transcript.records())
        assert log.eval.metadata
        assert log.eval.metadata["head"] == f"{transcript.head.count}:{transcript.head.digest}"
    assert [record_digest(record) for record in records] == [record.digest for record in records]


def test_an_absence_is_told_by_its_reason(viva: Viva, run: str) -> None:
    log = exported(viva, run)
    sample = read_eval_log_sample(log.location, id=9, epoch=1)
    assert sample.error
    assert sample.error.message == "time-out"
    assert sample.output.empty
    assert log.results
    assert (log.results.total_samples, log.results.completed_samples) == (10, 9)


def test_a_log_can_be_narrowed_to_one_candidate(viva: Viva, run: str) -> None:
    log = exported(viva, run, "--candidate", "bot:y")
    assert (log.eval.model, [sample.output.completion for sample in log.samples or []]) == ("bot:y", ["62"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--eval", "run.json"), "ends in .eval"),
        (("--eval", "there.eval"), "exists already"),
        (("--eval", "x.eval", "--format", "csv"), "leave out FILE, --format and --records"),
        (("answers.csv", "--eval", "x.eval"), "leave out FILE, --format and --records"),
        (("--eval", "x.eval", "--candidate", "nobody"), "there are no records in"),
    ],
)
def test_logs_that_cannot_be_written_are_refused(
    refuses: Refuses, run: str, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "there.eval").write_text("mine")
    refuses("transcript", "export", run, *arguments, says=message)


def test_what_no_interview_wrote_is_named(viva: Viva, tmp_path: Path) -> None:
    with Transcript.open(tmp_path / "odd.sqlite") as transcript:
        good = entry(1, "2")
        values = {name: getattr(good, name) for name in good.__slots__} | {"asked_at": "yesterday"}
        transcript.append([Entry(**values)])
    ended = viva("transcript", "export", "odd.sqlite", "--eval", "x.eval")
    assert ended.code == 5
    assert "record 1 has content that no interview writes: restore an unchanged copy" in ended.err


RUN = ("certify", "bot:calculator?wrong=0.1", "--scope", "arithmetic", "--unacceptable-limit", "none", "--quiet", "--json")


@pytest.fixture
def sealed_head(viva: Viva) -> str:
    """Heads and records of an examination with a seed that was drawn."""
    assert viva(*RUN, "--transcript", "run.sqlite").code in (0, 3)
    return viva("transcript", "verify", "run.sqlite").out.strip()


@pytest.mark.parametrize("name", ["sealed.jsonl", "sealed.jsonl.gz"])
def test_an_export_is_verified_and_shown_like_the_transcript(viva: Viva, sealed_head: str, name: str) -> None:
    ended = viva("transcript", "export", "run.sqlite", name, "--sealed")
    assert (ended.code, ended.out) == (0, "")
    assert f"sealed in {name}, head {sealed_head}" in ended.err
    assert viva("transcript", "verify", name, "--expect", sealed_head).out.strip() == sealed_head
    for arguments in (("--full",), ("--topic", "certificate", "--limit", "3"), ("--candidate", "vivavoce", "--json")):
        shown = viva("transcript", "show", name, *arguments)
        assert shown.code == 0
        assert shown.out == viva("transcript", "show", "run.sqlite", *arguments).out


def test_an_altered_export_is_refused_by_name_of_the_record(viva: Viva, sealed_head: str) -> None:
    viva("transcript", "export", "run.sqlite", "sealed.jsonl", "--sealed")
    file = Path("sealed.jsonl")
    text = file.read_text()
    wrong = text.replace("Answer: ", "Answer: 1", 1)
    assert wrong != text
    file.write_text(wrong)
    for command in ("verify", "show"):
        ended = viva("transcript", command, "sealed.jsonl")
        assert ended.code == 5
        assert "record 3 was altered" in ended.err
        assert ended.err.count("\n") == 1


def test_the_key_is_not_in_it(viva: Viva, sealed_head: str) -> None:
    viva("transcript", "export", "run.sqlite", "sealed.jsonl", "--sealed")
    text = Path("sealed.jsonl").read_text()
    assert Path("run.sqlite.key").read_text().strip() not in text


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--sealed",), "name one"),
        (("x.jsonl", "--sealed", "--topic", "certificate"), "leave out the other options"),
        (("x.csv", "--sealed"), "does not end in .jsonl or .jsonl.gz"),
        (("run.sqlite.jsonl", "--sealed"), "exists already"),
    ],
)
def test_files_that_cannot_hold_an_export_are_refused(
    refuses: Refuses, sealed_head: str, arguments: tuple[str, ...], problem: str
) -> None:
    Path("run.sqlite.jsonl").write_text("mine")
    refuses("transcript", "export", "run.sqlite", *arguments, says=problem)
