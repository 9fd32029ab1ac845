"""Transcripts as logs of records that no interview wrote, and what is taken from inside Inspect."""

from __future__ import annotations

import inspect
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import inspect_ai
import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.model import ContentReasoning

from vivavoce.errors import TranscriptDamaged
from vivavoce.interview.record import Head, Record
from vivavoce.plugins.inspect_plugin import private
from vivavoce.plugins.inspect_plugin.logs import write_log

pytestmark = pytest.mark.long  # importing Inspect takes seconds


@pytest.mark.parametrize(
    ("question", "answer"),
    [("{", '{"text":"a"}'), ('{"text":"q"}', "["), ('{"text":"q","shown":5}', '{"text":"a"}'), ("[" * 100_000, '"a"')],
)
def test_what_no_interview_wrote_is_named(tmp_path: Path, question: str, answer: str) -> None:
    record = _record(question, answer)
    with pytest.raises(TranscriptDamaged, match="record 1 has content that no interview writes: restore an unchanged copy"):
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


ROOT = Path(__file__).parents[3]
FROM_INSIDE = re.compile(r"^\s*(?:from|import) (inspect_ai(?:\.\w+)*\._\w[\w.]*)", flags=re.MULTILINE)
NEEDED = "inspect-ai>=0.3.285"


def test_one_file_reaches_inside_inspect() -> None:
    texts = {file.relative_to(ROOT).as_posix() for file in (ROOT / "src").rglob("*.py") if FROM_INSIDE.search(file.read_text())}
    assert texts == {"src/vivavoce/plugins/inspect_plugin/private.py"}


def test_the_version_that_is_needed_is_the_oldest_that_was_seen_to_work() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert NEEDED in project["optional-dependencies"]["models"]
    assert NEEDED.partition(">=")[2] in str(private.__doc__)
    assert inspect_ai.__version__ == version("inspect-ai")


def test_what_is_taken_is_called_as_it_is_defined() -> None:
    text = f"Inspect {inspect_ai.__version__} moved what private.py takes; it worked with {NEEDED}"
    parameters = {
        name: list(inspect.signature(getattr(private, name)).parameters) for name in private.__all__ if name[0].islower()
    }
    assert parameters["load_tasks"][:2] == ["task_specs", "task_args"], text
    assert parameters["parse_cli_args"][:1] == ["args"], text
    assert parameters["registry_lookup"] == ["type", "name"], text
    assert parameters["registry_params"] == ["o"], text
    assert parameters["init_display_type"] == ["display"], text
    assert issubclass(private.PrerequisiteError, Exception), text
    assert {f"`{name}`" for name in private.__all__} <= set(re.findall(r"`\w+`", str(private.__doc__)))
