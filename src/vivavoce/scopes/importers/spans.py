"""Reads a model's calls from OpenTelemetry spans in OTLP's JSON, by the conventions for generative AI, newer and older ones.

What was asked is in the first of these that a span has:

- `gen_ai.input.messages`, an attribute of the span or of one of its events, with `gen_ai.system_instructions`;
- `gen_ai.prompt`, an attribute of the span or of its event `gen_ai.content.prompt`;
- events `gen_ai.system.message`, `gen_ai.user.message` and `gen_ai.assistant.message`;
- `gen_ai.prompt.0.role`, `gen_ai.prompt.0.content` and so on.

Error messages name the kind of a value and never quote it: it may be what a user wrote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from vivavoce.errors import BadInput
from vivavoce.formats.yaml_file import YamlSource

EXPORT: Final = "resourceSpans"
MESSAGES: Final = "gen_ai.input.messages"
SYSTEM: Final = "gen_ai.system_instructions"
PROMPT: Final = "gen_ai.prompt"
CONVERSATION: Final = "gen_ai.conversation.id"
OPERATION: Final = "gen_ai.operation.name"
CALLS: Final = ("chat", "generate_content", "text_completion")
"""Operations that ask a model; others call tools, embed texts, or contain such calls."""
CONTENT: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"
_VALUES: Final = ("stringValue", "boolValue", "intValue", "doubleValue")
_NUMBERED: Final = re.compile(r"gen_ai\.prompt\.(\d{1,4})\.(role|content)")
_EVENT: Final = re.compile(r"gen_ai\.(system|user|assistant)\.message")
_KINDS: Final = {str: "a text", bool: "a truth value", int: "a number", float: "a number", list: "a list", dict: "an object"}


class SpanCall(NamedTuple):
    """A call of a model, or a row of a file of chats."""

    source: YamlSource
    name: str
    """Its name in the file, such as `span 00f067aa0ba902b7`."""
    id: str
    conversation: str
    """Empty if it is a conversation of its own."""
    start: int
    """When it began, in nanoseconds; 0 if unknown."""
    messages: Any
    """Chat messages, each with `role` and `content`; None if they could not be read."""
    problem: str = ""
    """Why not."""


def calls_of_export(source: YamlSource, export: Any) -> Iterator[SpanCall]:
    """The calls of a model among the spans of one export. Raises `BadFile`."""
    if not isinstance(export, Mapping) or EXPORT not in export:
        raise source.wrong(f"is not an export of traces: it needs '{EXPORT}', as in OTLP's JSON")
    for resource in _objects(source, export, EXPORT):
        for scope in _objects(source, resource, "scopeSpans"):
            for span in _objects(source, scope, "spans"):
                yield from _calls(source, span)


def _calls(source: YamlSource, span: Mapping[str, Any]) -> Iterator[SpanCall]:
    """The span as a call; nothing if it is not one."""
    attributes = _attributes(span)
    messages, problem = None, ""
    try:
        messages = _messages(span, attributes)
    except BadInput as error:
        problem = str(error)
    if attributes.get(OPERATION, CALLS[0] if messages is not None or problem else "") not in CALLS:
        return
    if messages is None and not problem:
        problem = f"has no {MESSAGES}: set {CONTENT} where it is recorded"
    id_, began = str(span.get("spanId", ""))[:40], str(span.get("startTimeUnixNano", ""))
    start = int(began) if began.isascii() and began.isdecimal() and len(began) < 25 else 0
    conversation = str(attributes.get(CONVERSATION) or span.get("traceId") or "")
    yield SpanCall(source, f"span {id_}", id_, conversation, start, messages, problem)


def _messages(span: Mapping[str, Any], attributes: Mapping[str, Any]) -> list[Any] | None:
    """The messages of a call; None if the span has none. Raises `BadInput`."""
    events = [(str(event.get("name")), _attributes(event)) for event in _listed(span.get("events"))]
    holders = [attributes, *(values for _, values in events)]
    for values in holders:
        if MESSAGES in values:
            messages = [_message(entry) for entry in _list(values, MESSAGES)]
            if SYSTEM in values:
                messages.insert(0, {"role": "system", "content": _texts(_list(values, SYSTEM))})
            return messages
    for values in holders:
        if PROMPT in values:
            return _of_prompt(values[PROMPT])
    spoken = [(match[1], values) for name, values in events if (match := _EVENT.fullmatch(name))]
    if spoken:
        return [{"role": role, "content": _of_event(values)} for role, values in spoken]
    return _numbered(attributes)


def _of_prompt(given: Any) -> list[Any]:
    """A prompt as text, or as JSON with messages."""
    value = given
    if isinstance(given, str) and given.lstrip().startswith(("[", "{")):
        try:
            value = json.loads(given)
        except (ValueError, RecursionError):
            value = given
    if isinstance(value, Mapping):
        value = value.get("messages", given)
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    if not isinstance(value, list):
        raise BadInput(f"{PROMPT} is {_kind(value)}: a text or a list of messages is needed")
    return [_message(entry) for entry in value]


def _of_event(values: Mapping[str, Any]) -> Any:
    """The content of a message in an event of its own."""
    if "content" in values:
        return values["content"]
    body = values.get("gen_ai.event.content")
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except (ValueError, RecursionError):
            raise BadInput("gen_ai.event.content is not JSON") from None
    return body.get("content") if isinstance(body, Mapping) else body


def _numbered(attributes: Mapping[str, Any]) -> list[Any] | None:
    """Messages in numbered attributes; a content that is a JSON list has parts."""
    messages: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        if match := _NUMBERED.fullmatch(name):
            messages.setdefault(int(match[1]), {})[match[2]] = value
    for message in messages.values():
        content = message.get("content")
        if isinstance(content, str) and content.startswith("[{"):
            try:
                message["content"] = json.loads(content)
            except (ValueError, RecursionError):
                continue
    return [message for _, message in sorted(messages.items())] or None


def _objects(source: YamlSource, holder: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    result = holder.get(name) or []
    if not isinstance(result, list) or not all(isinstance(entry, Mapping) for entry in result):
        raise source.wrong(f"'{name}' is a list of objects in OTLP")
    return result


def _listed(value: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _attributes(span: Mapping[str, Any]) -> dict[str, Any]:
    return {str(pair.get("key")): _value(pair.get("value")) for pair in _listed(span.get("attributes"))}


def _value(value: Any) -> Any:
    """A value of OTLP as JSON has it; a text that is JSON itself is read where messages are wanted."""
    if not isinstance(value, Mapping):
        return None
    if isinstance(inside := value.get("arrayValue"), Mapping):
        return [_value(entry) for entry in _listed(inside.get("values"))]
    if isinstance(inside := value.get("kvlistValue"), Mapping):
        return {str(pair.get("key")): _value(pair.get("value")) for pair in _listed(inside.get("values"))}
    return next((value[name] for name in _VALUES if name in value), None)


def _list(attributes: Mapping[str, Any], name: str) -> list[Any]:
    value = attributes[name]
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise BadInput(f"{name} is a text which is not JSON") from None
    if not isinstance(value, list):
        raise BadInput(f"{name} is {_kind(value)}: a list is needed")
    return value


def _message(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise BadInput(f"a message is {_kind(given)}: an object with a 'role' and 'parts' is needed")
    content = given.get("content") if "parts" not in given else _texts(given["parts"])
    return {"role": given.get("role"), "content": content}


def _texts(parts: Any) -> list[Any]:
    """Parts of a message as chat messages have them."""
    listed = parts if isinstance(parts, list) else [parts]
    return [{**part, "text": part.get("content")} if isinstance(part, Mapping) else part for part in listed]


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), "nothing")
