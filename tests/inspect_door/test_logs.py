"""Transcripts as logs, of records that no interview wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.errors import TranscriptDamaged
from vivavoce.inspect_door.logs import write_log
from vivavoce.interview.record import Head, Record


@pytest.mark.parametrize(
    ("question", "answer"),
    [("{", '{"text":"a"}'), ('{"text":"q"}', "["), ('{"text":"q","shown":5}', '{"text":"a"}'), ("[" * 100_000, '"a"')],
)
def test_what_no_interview_wrote_is_named(tmp_path: Path, question: str, answer: str) -> None:
    record = Record(
        candidate="bot:x", question_digest="", draw=0, topic="", question=question, answer=answer, kind="answer",
        asked_at="2025-11-20T10:00:00+00:00", seconds=0.1, tokens_in=0, tokens_out=0, money=0.0, seq=1, previous="", digest="",
    )  # fmt: skip
    with pytest.raises(TranscriptDamaged, match="record 1 holds what no interview writes"):
        write_log(tmp_path / "x.eval", [record], source="x", head=Head())
    assert not (tmp_path / "x.eval").exists()
