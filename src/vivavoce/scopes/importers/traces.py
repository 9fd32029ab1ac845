"""Converts a model's calls in OpenTelemetry traces into rows of a question file: an application's requests, asked again.

A file has OTLP in JSON, one export a line or one in all, as the collector's file exporter writes it. A span is a question where
its attributes hold the messages of a call, by the conventions for generative AI (`gen_ai.input.messages`). What the model
replied then is not read, since nothing says whether it was right: a rubric does that for all questions.

Calls of one conversation, or of one trace where none is named, are a cluster: they say much the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import JSON_LINES, ending, json_lines, whole_json
from vivavoce.formats.yaml_file import YamlSource
from vivavoce.scopes.importers.conversion import Conversion, SourceRow, converted
from vivavoce.scopes.question_rows import conversation_of
from vivavoce.scopes.questions import LONGEST_RUBRIC, Question

MESSAGES: Final = "gen_ai.input.messages"
SYSTEM: Final = "gen_ai.system_instructions"
CONVERSATION: Final = "gen_ai.conversation.id"
OPERATION: Final = "gen_ai.operation.name"
CALLS: Final = ("chat", "generate_content", "text_completion")
"""Operations that ask a model; others call tools, embed texts, or contain such calls."""
CONTENT: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"
_VALUES: Final = ("stringValue", "boolValue", "intValue", "doubleValue")


def from_traces(file: Path, rubric: str) -> Conversion:
    """The calls of a model in a file of traces.

    rubric: what earns points, for a judge or for people.

    Raises `BadFile` for a file without traces, and `BadInput` for a rubric that is empty or too long.
    """
    if not 0 < len(rubric.strip()) <= LONGEST_RUBRIC:
        raise BadInput(f"a rubric of {len(rubric.strip()):,} characters: give 1 to {LONGEST_RUBRIC:,}")
    rows = list(_rows(file, rubric))
    sizes = Counter(row.question.cluster for row in rows if isinstance(row, SourceRow))
    alone = {cluster for cluster, size in sizes.items() if size == 1}
    results = (
        row._replace(question=replace(row.question, cluster=""))
        if isinstance(row, SourceRow) and row.question.cluster in alone
        else row
        for row in rows
    )
    if not rows:
        raise BadFile(file, f"has no span of a model call ({OPERATION} {', '.join(CALLS)})")
    return converted(results)


def _rows(file: Path, rubric: str) -> Iterator[SourceRow | BadFile]:
    for source, span in _spans(file):
        attributes = _attributes(span)
        if attributes.get(OPERATION, CALLS[0] if MESSAGES in attributes else "") not in CALLS:
            continue
        name = f"span {str(span.get('spanId', ''))[:40]}"
        try:
            yield SourceRow(source, (), name, _question(span, attributes, rubric))
        except BadInput as error:
            yield source.wrong(f"{name}: {error}")


def _spans(file: Path) -> Iterator[tuple[YamlSource, Mapping[str, Any]]]:
    """All spans, each with the line of its export."""
    form = ending(file, (*JSON_LINES, ".json"))
    exports = json_lines(file) if form in JSON_LINES else [(None, whole_json(file))]
    for line, export in exports:
        source = YamlSource(file, None, first=line)
        if not isinstance(export, Mapping) or "resourceSpans" not in export:
            raise source.wrong("is not an export of traces: it needs 'resourceSpans', as in OTLP's JSON")
        for resource in _objects(source, export, "resourceSpans"):
            for scope in _objects(source, resource, "scopeSpans"):
                yield from ((source, span) for span in _objects(source, scope, "spans"))


def _objects(source: YamlSource, holder: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    result = holder.get(name) or []
    if not isinstance(result, list) or not all(isinstance(entry, Mapping) for entry in result):
        raise source.wrong(f"'{name}' is a list of objects in OTLP")
    return result


def _attributes(span: Mapping[str, Any]) -> dict[str, Any]:
    results = span.get("attributes")
    pairs = results if isinstance(results, list) else []
    return {str(pair.get("key")): _value(pair.get("value")) for pair in pairs if isinstance(pair, Mapping)}


def _value(value: Any) -> Any:
    """A value of OTLP as JSON has it; a text that is JSON itself is read where messages are wanted."""
    if not isinstance(value, Mapping):
        return None
    if isinstance(inside := value.get("arrayValue"), Mapping):
        return [_value(entry) for entry in inside.get("values") or ()]
    if isinstance(inside := value.get("kvlistValue"), Mapping):
        return {str(pair.get("key")): _value(pair.get("value")) for pair in inside.get("values") or ()}
    return next((value[name] for name in _VALUES if name in value), None)


def _question(span: Mapping[str, Any], attributes: Mapping[str, Any], rubric: str) -> Question:
    if MESSAGES not in attributes:
        raise BadInput(f"has no {MESSAGES}: set {CONTENT} where it is recorded")
    messages = [_message(entry) for entry in _list(attributes, MESSAGES)]
    if SYSTEM in attributes:
        messages.insert(0, {"role": "system", "content": _texts(_list(attributes, SYSTEM))})
    conversation = conversation_of(messages)
    cluster = attributes.get(CONVERSATION) or span.get("traceId") or ""
    return Question(
        str(span.get("spanId", "")),
        conversation.asked,
        cluster=str(cluster),
        rubric=rubric,
        system=conversation.system,
        earlier=conversation.earlier,
    )


def _list(attributes: Mapping[str, Any], name: str) -> list[Any]:
    value = attributes[name]
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise BadInput(f"{name} is {value[:80]!r}, which is not JSON") from None
    if not isinstance(value, list):
        raise BadInput(f"{name} is {str(value)[:80]!r}: a list is needed")
    return value


def _message(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise BadInput(f"a message is {str(given)[:80]!r}: an object with a 'role' and 'parts' is needed")
    return {"role": given.get("role"), "content": _texts(given.get("parts"))}


def _texts(parts: Any) -> list[Any]:
    """Parts of a message as chat messages have them."""
    listed = parts if isinstance(parts, list) else [parts]
    return [{**part, "text": part.get("content")} if isinstance(part, Mapping) else part for part in listed]
