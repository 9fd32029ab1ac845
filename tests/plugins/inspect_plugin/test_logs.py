"""Transcripts as logs, of records that no interview wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import ContentReasoning

from vivavoce.errors import TranscriptDamaged
from vivavoce.interview.record import Head, Record
from vivavoce.plugins.inspect_plugin.logs import write_log


@pytest.mark.parametrize(
    ("question", "answer"),
    [("{", '{"text":"a"}'), ('{"text":"q"}', "["), ('{"text":"q","shown":5}', '{"text":"a"}'), ("[" * 100_000, '"a"')],
)
def test_what_no_interview_wrote_is_named(tmp_path: Path, question: str, answer: str) -> None:
    record = _record(question, answer)
    with pytest.raises(TranscriptDamaged, match="record 1 has content that no interview writes"):
        write_log(tmp_path / "x.eval", [record], source="x", head=Head())
    assert not (tmp_path / "x.eval").exists()


def test_thoughts_stand_apart_from_what_was_said(tmp_path: Path) -> None:
    record = _record('{"text":"2 + 2?"}', '{"text":"4","thoughts":"Two twos."}')
    write_log(tmp_path / "x.eval", [record], source="x", head=Head(1, "0" * 64))
    (sample,) = read_eval_log(str(tmp_path / "x.eval")).samples or []
    assistant = sample.output.choices[0].message
    assert isinstance(assistant.content, list)
    assert isinstance(assistant.content[0], ContentReasoning)
    assert (assistant.content[0].reasoning, assistant.text, sample.output.completion) == ("Two twos.", "4", "4")


def _record(question: str, answer: str) -> Record:
    return Record(
        candidate="bot:x", question_digest="", draw=0, topic="", question=question, answer=answer, kind="answer",
        asked_at="2025-11-20T10:00:00+00:00", seconds=0.1, tokens_in=0, tokens_out=0, money=0.0, seq=1, previous="", digest="",
        askings="",
    )  # fmt: skip
