"""Transcripts as logs for Inspect's readers and viewer: one sample per record, in the order of the transcript."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalResults,
    EvalSample,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.viewer import ViewerConfig

from vivavoce.errors import BadFile, BadInput, TranscriptDamaged
from vivavoce.formats.lines import writing
from vivavoce.interview.candidate import said, thought
from vivavoce.interview.commitment import COMMITTER
from vivavoce.interview.record import Head, Record
from vivavoce.version import __version__

SEVERAL = "several candidates"
"""Name of the model in a log with records of several models."""


def write_log(file: Path, records: Iterable[Record], *, source: str, head: Head) -> int:
    """Write the records as a log, and return how many there are.

    A sample's metadata has all fields of its record, so that its digest can be recomputed. Texts are kept word for word and
    marked as untrusted: the viewer shows them without links, pictures or colours. All records are in memory while they are
    written.

    Parameters
    ----------
    file: its name ends in `.eval`, and it does not exist yet.
    source: the transcript's name.
    head: the transcript's length and last digest.

    Raises `BadInput` without records, `TranscriptDamaged` for a record that no interview wrote, and `BadFile`.
    """
    if file.suffix != ".eval":
        raise BadFile(file, "Inspect needs the extension .eval: give a name that ends in .eval")
    if file.exists():
        raise BadFile(file, "exists already: give another name, or remove it first")
    samples = [_checked(record) for record in records if record.candidate != COMMITTER]
    if not samples:
        raise BadInput(f"there are no records in {source}")
    candidates = {str(sample.metadata["candidate"]) for sample in samples}
    times = [str(sample.metadata["asked_at"]) for sample in samples]
    answered = sum(sample.error is None for sample in samples)
    log = EvalLog(
        eval=EvalSpec(
            created=min(times),
            task="transcript",
            run_id=head.digest[:22],
            task_id=head.digest[22:44],
            dataset=EvalDataset(name=source, samples=len(samples), sample_ids=[int(sample.id) for sample in samples]),
            model=candidates.pop() if len(candidates) == 1 else SEVERAL,
            config=EvalConfig(epochs=1),
            packages={"vivavoce": __version__},
            metadata={"transcript": source, "head": f"{head.count}:{head.digest}"},
            viewer=ViewerConfig(trust_content=False),
        ),
        status="success",
        results=EvalResults(total_samples=len(samples), completed_samples=answered),
        stats=EvalStats(started_at=min(times), completed_at=max(times)),
        samples=samples,
    )
    with writing(file):
        write_eval_log(log, str(file))
    return len(samples)


def _checked(record: Record) -> EvalSample:
    try:
        return _sample(record)
    except (ValueError, TypeError, RecursionError):  # no JSON, no date, no examples
        raise TranscriptDamaged(f"{record} has content that no interview writes: restore an unchanged copy") from None


def _sample(record: Record) -> EvalSample:
    asked, answered = _conversation(record.question), said(record.answer)
    output = ModelOutput(model=record.candidate)
    thoughts = thought(record.answer)
    reply: str | list[Content] = [ContentReasoning(reasoning=thoughts), ContentText(text=answered)] if thoughts else answered
    if record.kind == "answer":
        output = ModelOutput.from_content(record.candidate, reply)
    usage = ModelUsage(
        input_tokens=record.tokens_in, output_tokens=record.tokens_out, total_tokens=record.tokens_in + record.tokens_out
    )
    missing = None if record.kind == "answer" else EvalError(message=answered, traceback="", traceback_ansi="")
    return EvalSample(
        id=record.seq,
        epoch=1,
        input=asked,
        target="",
        messages=[*asked, ChatMessageAssistant(content=reply)] if missing is None else asked,
        output=output,
        metadata=asdict(record),
        model_usage={record.candidate: usage},
        started_at=record.asked_at,
        total_time=record.seconds,
        error=missing,
    )


def _conversation(question: str) -> list[ChatMessage]:
    """A prompt as it was sent, with its system text and worked examples; any other question as JSON."""
    messages: list[ChatMessage] = []
    asked = json.loads(question)
    if isinstance(asked, dict) and isinstance(asked.get("text"), str):
        if asked.get("system"):
            messages.append(ChatMessageSystem(content=str(asked["system"])))
        for exchange in asked.get("shown") or ():
            messages.append(ChatMessageUser(content=_field(exchange, "asked")))
            messages.append(ChatMessageAssistant(content=_field(exchange, "replied")))
    return [*messages, ChatMessageUser(content=said(question))]


def _field(value: Any, name: str) -> str:
    return str(value.get(name, "")) if isinstance(value, dict) else str(value)
