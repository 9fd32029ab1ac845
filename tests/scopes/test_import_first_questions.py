"""What users asked first, with its frequency as weight and without identifiers: from spans, chats and logs of Inspect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import tracing
from tests.candidates.conftest import seen, server
from tests.each_case import each_case
from tests.interview_settings import interview_settings
from tests.scopes.imported import as_scope
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.errors import BadFile
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.tracing import CAPTURE
from vivavoce.scopes.importers.conversion import Conversion
from vivavoce.scopes.importers.traces import calls_of, from_calls, is_log
from vivavoce.scopes.questions import Question

pytest.importorskip("phonenumbers")

from vivavoce.scopes.importers.traces import LONGEST, Deidentifier

__all__ = ["seen", "server"]
RUBRIC = "10 points: the answer helps."


def first_questions(file: Path, *names: str) -> Conversion:
    return from_calls(file, calls_of(file), RUBRIC, Deidentifier(names))


def questions_of(file: Path, *names: str) -> tuple[Question, ...]:
    conversion = first_questions(file, *names)
    assert not conversion.refused
    return as_scope(conversion, file.parent).questions


def span(
    *, events: dict[str, dict[str, str]] | None = None, trace: str = "", start: int = 0, **attributes: str
) -> dict[str, Any]:
    """A span in OTLP's JSON, written by hand; `__` in a name stands for a full stop."""

    def pairs(values: dict[str, str]) -> list[dict[str, Any]]:
        return [{"key": name.replace("__", "."), "value": {"stringValue": value}} for name, value in values.items()]

    listed = [{"name": name.replace("__", "."), "attributes": pairs(values)} for name, values in (events or {}).items()]
    return {
        "spanId": f"{start:016x}",
        "traceId": trace,
        "startTimeUnixNano": str(start),
        "attributes": pairs(attributes),
        "events": listed,
    }


def exported(*spans: dict[str, Any]) -> str:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]})


def said(*texts: str) -> str:
    """Messages of the user and the assistant in turn."""
    roles = ("user", "assistant")
    return json.dumps([{"role": roles[n % 2], "parts": [{"type": "text", "content": text}]} for n, text in enumerate(texts)])


CHAT = json.dumps([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}])


@each_case(
    ("call", "system"),
    [
        (span(gen_ai__input__messages=said("Why?")), ""),
        (span(gen_ai__input__messages=said("Why?", "So.", "And?")), ""),
        (
            span(
                events={
                    "gen_ai.client.inference.operation.details": {
                        "gen_ai__input__messages": said("Why?"),
                        "gen_ai__system_instructions": '[{"type": "text", "content": "Be brief."}]',
                    }
                }
            ),
            "Be brief.",
        ),
        (span(events={"gen_ai.content.prompt": {"gen_ai__prompt": CHAT}}), "Be brief."),
        (span(events={"gen_ai.content.prompt": {"gen_ai__prompt": json.dumps({"messages": json.loads(CHAT)})}}), "Be brief."),
        (span(gen_ai__prompt="Why?"), ""),
        (span(gen_ai__prompt="[Why?"), ""),
        (
            span(events={"gen_ai.system.message": {"content": "Be brief."}, "gen_ai.user.message": {"content": "Why?"}}),
            "Be brief.",
        ),
        (span(events={"gen_ai.user.message": {"gen_ai__event__content": '{"role": "user", "content": "Why?"}'}}), ""),
        (
            span(
                gen_ai__prompt__1__content='[{"type": "text", "text": "Why?"}]',
                gen_ai__prompt__1__role="user",
                gen_ai__prompt__0__role="system",
                gen_ai__prompt__0__content="Be brief.",
            ),
            "Be brief.",
        ),
    ],
)
def test_newer_and_older_conventions(tmp_path: Path, call: dict[str, Any], system: str) -> None:
    file = tmp_path / "spans.jsonl"
    file.write_text(exported(call))
    [question] = questions_of(file)
    assert (question.text, question.system) == (("[Why?" if "[Why?" in str(call) else "Why?"), system)
    assert (question.earlier, question.rubric, question.open_ended, question.weight) == ((), RUBRIC, True, 1)


def test_equal_first_questions_are_one_row_with_their_frequency(tmp_path: Path) -> None:
    file = tmp_path / "spans.jsonl"
    spans = [
        # by hand: "Where is it?" is asked first in four conversations, "Hello" in one; later questions do not count
        span(gen_ai__input__messages=said("Where is it?"), trace="a", start=5),
        span(gen_ai__input__messages=said("Hello"), trace="b", start=9),
        span(gen_ai__input__messages=said("where is\n  IT?"), trace="b", start=7),
        span(gen_ai__input__messages=said("Where is it?", "There.", "Thanks"), trace="c", start=20),
        span(gen_ai__input__messages=said("Hello"), trace="d"),
        span(gen_ai__input__messages=said("WHERE IS IT?")),
        span(gen_ai__operation__name="embeddings", trace="e"),
    ]
    file.write_text("".join(exported(entry) + "\n" for entry in spans))
    questions = {question.text: question.weight for question in questions_of(file)}
    assert questions == {"Where is it?": 4, "Hello": 1}
    # the ids depend on the texts alone, so a later export can be compared with it
    again = tmp_path / "again.jsonl"
    again.write_text("".join(exported(entry) + "\n" for entry in reversed(spans)))
    assert {question.id for question in questions_of(again)} == {question.id for question in questions_of(file)}


SECRETS = ("ann.lee@example.org", "+44 20 7946 0958", "Ann Lee", "4111 1111 1111 1111", "192.0.2.17", "GB82WEST12345698765432")


def test_nothing_that_was_replaced_is_written(tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    asked = "I am Ann Lee, " + ", ".join(SECRETS)
    rows: list[dict[str, Any]] = [
        {"messages": [{"role": "system", "content": f"User: {SECRETS[0]}"}, {"role": "user", "content": asked}]},
        {"messages": [{"role": SECRETS[0], "content": asked}]},
        {"messages": [SECRETS[0]]},
        {"messages": SECRETS[0].split("@")},
        {"question": 7, "id": SECRETS[0]},
        {"question": {"text": asked}},
        {"prompt": asked, "conversation_id": SECRETS[0]},
        {"prompt": f"And {asked}", "conversation_id": SECRETS[0]},
        {"prompt": asked + "x" * LONGEST},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for every_call in (False, True):
        conversion = from_calls(file, calls_of(file), RUBRIC, Deidentifier(["Ann Lee"]), every_call=every_call)
        text = "\n".join((*conversion.lines, *map(str, conversion.refused)))
        assert not [secret for secret in (*SECRETS, "ann.lee", "example.org") if secret in text]
        assert len(conversion.lines) == (3 if every_call else 2)
        assert len(conversion.refused) == 6
    assert "[NAME], [EMAIL], [PHONE], [NAME], [CARD], [IP], [IBAN]" in text
    spans = tmp_path / "spans.jsonl"
    bad = [
        span(gen_ai__input__messages=SECRETS[0]),
        span(gen_ai__input__messages=json.dumps(SECRETS[0])),
        span(gen_ai__input__messages=json.dumps([SECRETS[0]])),
        span(events={"gen_ai.user.message": {"gen_ai__event__content": SECRETS[0]}}),
        span(gen_ai__input__messages=said("", SECRETS[0])) | {"spanId": SECRETS[0]},
    ]
    spans.write_text("".join(exported(entry) + "\n" for entry in bad))
    refused = first_questions(spans).refused
    assert len(refused) == len(bad)
    assert "ann.lee" not in "\n".join(map(str, refused))
    for damaged in (f'{{"prompt": {SECRETS[0]}', f'["{SECRETS[0]}"]', f'{{"prompt": "\\x{SECRETS[0]}"}}'):
        file.write_text(damaged)
        with pytest.raises(BadFile) as error:
            first_questions(file)
        assert "ann.lee" not in str(error.value)


def test_chats_in_several_forms(tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    messages = [{"role": "user", "content": "Why?"}]
    rows = [{"messages": messages}, {"body": {"model": "m", "messages": messages}}, {"question": "why?"}, {"prompt": " Why? "}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    [question] = questions_of(file)
    assert question.weight == 4
    table = tmp_path / "chats.csv"
    table.write_text("session_id,question\na,Why?\na,How?\nb,why?\n")
    [question] = questions_of(table)
    assert (question.text, question.weight) == ("Why?", 2)
    listed = tmp_path / "chats.json"
    listed.write_text(json.dumps(rows))
    assert questions_of(listed)[0].weight == 4
    file.write_text('{"text": "Why?"}\n')
    with pytest.raises(BadFile, match="a row of chats has one of messages, question, prompt"):
        first_questions(file)
    file.write_text("")
    with pytest.raises(BadFile):
        first_questions(file)


async def test_spans_that_vivavoce_makes(tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    json_format = pytest.importorskip("google.protobuf.json_format")
    encoder = pytest.importorskip("opentelemetry.exporter.otlp.proto.common.trace_encoder")
    monkeypatch.setenv(CAPTURE, "true")
    spans = tracing.in_memory(monkeypatch)
    candidate = open_candidate(f"chat:echo@{server}/v1?system=Be brief")
    try:
        interview = Interview(candidate, answers=Reply, **interview_settings())
        for text in ("Is it open?", "Mail ann@example.org?", "is it  OPEN?"):
            await interview.ask(Prompt(text))
    finally:
        await close_candidate(candidate)
    file = tmp_path / "spans.jsonl"
    ended = spans.get_finished_spans()
    file.write_text("".join(json.dumps(json_format.MessageToDict(encoder.encode_spans([span]))) + "\n" for span in ended))
    questions = {question.text: (question.weight, question.system) for question in questions_of(file)}
    assert questions == {"Is it open?": (2, "Be brief"), "Mail [EMAIL]?": (1, "Be brief")}


@pytest.mark.parametrize("ending", [".eval", ".json"])
def test_logs_of_inspect(tmp_path: Path, ending: str) -> None:
    log = pytest.importorskip("inspect_ai.log")
    model = pytest.importorskip("inspect_ai.model")
    from vivavoce.plugins.inspect_plugin.scored import read_inputs

    chat = [model.ChatMessageSystem(content="Be brief."), model.ChatMessageUser(content=[model.ContentText(text="Why, Ann?")])]
    inputs = [("a", 1, "Why?"), ("a", 2, "Why?"), ("b", 1, "why? "), (3, 1, chat)]
    samples = [log.EvalSample(id=id_, epoch=epoch, input=given, target="") for id_, epoch, given in inputs]
    spec = log.EvalSpec(
        created="2026-01-01T00:00:00+00:00", task="t", dataset=log.EvalDataset(), model="m", config=log.EvalConfig()
    )
    file = tmp_path / f"log{ending}"
    log.write_eval_log(log.EvalLog(eval=spec, samples=samples), str(file))
    assert is_log(file)
    conversion = from_calls(file, read_inputs(file), RUBRIC, Deidentifier(["Ann"]))
    questions = {(question.text, question.system, question.weight) for question in as_scope(conversion, tmp_path).questions}
    assert questions == {("Why?", "", 2), ("Why, [NAME]?", "Be brief.", 1)}
    file.write_text('{"eval": {}}')
    with pytest.raises(BadFile):
        read_inputs(file)


@each_case(
    "text",
    [
        '{"resourceSpans": {}}',
        '{"resourceSpans": [{"scopeSpans": [{"spans": [{"events": 3, "attributes": {}}]}]}]}',
        exported({"attributes": [{"key": "gen_ai.prompt", "value": {"arrayValue": 3}}]}),
        exported({"attributes": [{"key": "gen_ai.prompt", "value": {"kvlistValue": {"values": 3}}}]}),
        exported({"attributes": [{"key": "gen_ai.prompt", "value": {"arrayValue": {"values": 3}}}]}),
        '{"messages": ' + "[" * 60 + "]" * 60 + "}",
        '{"messages": ' + "[" * 2000 + "]" * 2000 + "}",
        '{"messages": {"role": "user"}}',
        '{"messages": "Why?", "conversation_id": [1]}',
        '{"question": "LONG"}',
        '{"prompt": "\\ud800"}',
        '{"body": 3, "prompt": [[]]}',
    ],
)
def test_hostile_files_are_refused_or_read(tmp_path: Path, text: str) -> None:
    file = tmp_path / "spans.jsonl"
    file.write_text(text.replace("LONG", "x" * 5_000_000) + "\n")
    try:
        conversion = first_questions(file)
    except BadFile:
        return
    assert len(conversion.lines) + len(conversion.refused) == 1
