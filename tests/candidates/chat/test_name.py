"""From a name to a chat candidate: address, options, prices, headers and fields of a file."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.candidates.reasoning import ReasoningServer
from tests.each_case import each_case
from vivavoce.candidates.chat.candidate import open_chat
from vivavoce.errors import BadFile, BadInput, CandidateMisconfigured, ParameterRefused, TransportFault, UnknownName
from vivavoce.interview.candidate import HasPrices, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript


@each_case(
    ("target", "query"),
    [
        ("m@http://user:hunter2hunter2@localhost/v1", ""),
        ("m@http://hunter2hunter2@localhost/v1", ""),
        ("m@http://localhost/v1", "key=hunter2hunter2"),
        ("m@http://localhost/v1", "key=HUNTER2HUNTER2"),
        ("m@http://localhost/v1", "api_key=hunter2hunter2"),
        ("m@http://localhost/v1", "token=hunter2hunter2"),
        ("m@http://hunter2[hunter2/v1", ""),
    ],
)
def test_secrets_in_a_name_are_refused_and_not_repeated(target: str, query: str) -> None:
    with pytest.raises(BadInput) as caught:
        open_chat(target, query, environment={})
    assert "hunter2" not in str(caught.value).lower()


def test_a_key_that_would_break_the_header_is_refused() -> None:
    with pytest.raises(BadInput, match=r"export it again") as caught:
        open_chat("m@http://localhost/v1", "", environment={"VIVA_API_KEY": "abc\r\nX-Evil: 1"})
    assert "abc" not in str(caught.value)


@each_case(
    ("target", "query", "name"),
    [
        ("m@http://localhost:8000/v1/", "", "chat:m@http://localhost:8000/v1"),
        ("m@HTTP://LocalHost:8000/v1/chat/completions", "", "chat:m@http://localhost:8000/v1"),
        ("@cf/meta/x@https://h.example/v1", "", "chat:@cf/meta/x@https://h.example/v1"),
        ("m@http://[::1]:80/v1", "seed=1&temperature=0.50", "chat:m@http://[::1]:80/v1?temperature=0.5&seed=1"),
        ("m@http://h/v1", "price_in=3&price_out=15&max_reply=4000000", "chat:m@http://h/v1"),
        ("m@http://h/v1", "system=be+brief%26true", "chat:m@http://h/v1?system=be%2Bbrief%26true"),
    ],
)
def test_one_candidate_has_one_name(target: str, query: str, name: str) -> None:
    assert open_chat(target, query, environment={}).name == name


@each_case(
    ("query", "error", "words"),
    [
        ("temprature=0", UnknownName, "did you mean 'temperature'"),
        ("temperature=hot", BadInput, "'temperature' of chat is 'hot'"),
        ("temperature=-1", BadInput, "greater than or equal to 0"),
        ("max_tokens=0", BadInput, "greater than 0"),
        ("seed=1&seed=2", BadInput, "given twice"),
        ("price_in=nan", BadInput, "price_in"),
    ],
)
def test_options_that_make_no_sense_are_told(query: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        open_chat("m@http://h/v1", query, environment={})


@each_case("target", ["gpt", "gpt@localhost", "@http://h", "m@ftp://h/v1", "m@http://", "m@http://h/v1#x"])
def test_an_address_that_makes_no_sense_is_told(target: str) -> None:
    with pytest.raises(BadInput, match="chat:llama3"):
        open_chat(target, "", environment={})


def test_prices_are_told_before_anything_is_asked() -> None:
    assert open_chat("m@http://h/v1", "price_in=2&price_out=10", environment={}).prices == (2.0, 10.0)
    assert isinstance(open_chat("m@http://h/v1", "", environment={}), HasPrices)


SECRET = "hunter2hunter2"
ENVIRONMENT = {"VIVA_API_KEY": "sk-test-0123456789", "MINE": SECRET, "LONG": f"Basic {SECRET}"}


@pytest.fixture
def model() -> Iterator[ReasoningServer]:
    with ReasoningServer() as server:
        yield server


async def ask(model: ReasoningServer, query: str, prompt: Prompt | None = None) -> Reply:
    candidate = open_chat(f"m@{model.url}", query, environment=ENVIRONMENT)
    try:
        return await candidate.answer(prompt or Prompt("?"))
    finally:
        await candidate.close()


def body(folder: Path, text: str, name: str = "body.json") -> str:
    """The option for a file with that text."""
    file = folder / name
    file.write_text(text)
    return f"body={file}"


@pytest.mark.parametrize("query", ["header=X-Mine:MINE&header=api-key:LONG", "header=api-key:LONG, X-Mine:MINE"])
async def test_headers_are_sent_and_their_names_stand_in_the_name(model: ReasoningServer, query: str) -> None:
    await ask(model, query)
    sent = model.headers[-1]
    assert (sent["x-mine"], sent["api-key"]) == (SECRET, f"Basic {SECRET}")
    assert sent["authorization"] == "Bearer sk-test-0123456789"
    name = open_chat("m@http://h/v1", query, environment=ENVIRONMENT).name
    assert name == "chat:m@http://h/v1?header=api-key&header=x-mine"


async def test_a_header_may_take_the_place_of_the_key(model: ReasoningServer) -> None:
    await ask(model, "header=Authorization:LONG")
    assert model.headers[-1]["authorization"] == f"Basic {SECRET}"


@each_case(
    ("query", "words"),
    [
        (f"header=X-Mine:{SECRET}", "never the value itself"),
        ("header=X-Mine", "takes NAME:VARIABLE"),
        ("header=", "takes NAME:VARIABLE"),
        ("header=X Mine:MINE", "takes NAME:VARIABLE"),
        ("header=X-Mine:NOWHERE", "is not set"),
        ("header=Host:MINE", "'host' is set for every request"),
        ("header=X-Mine:MINE&header=x-mine:LONG", "twice"),
        ("header=X-Mine:ODD", "has invalid characters for a key"),
    ],
)
def test_headers_that_cannot_be_sent_are_told_without_their_value(query: str, words: str) -> None:
    with pytest.raises(BadInput, match=words) as caught:
        open_chat("m@http://h/v1", query, environment=ENVIRONMENT | {"ODD": f"{SECRET}\r\nX-Evil: 1"})
    assert "hunter2" not in str(caught.value)


async def test_no_secret_is_told_whatever_the_server_echoes(
    model: ReasoningServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """In name, reply, thoughts, record, fault, refusal and log, be it the whole value of a header or the secret within."""
    caplog.set_level(logging.DEBUG)
    query = "header=X-Mine:MINE,api-key:LONG&" + body(tmp_path, '{"top_k": 1}')
    model.answer = lambda _: f"You sent Basic {SECRET}, {SECRET} and {ENVIRONMENT['VIVA_API_KEY']}."
    model.thought = f"Hm, {SECRET}."
    candidate = open_chat(f"m@{model.url}", query, environment=ENVIRONMENT)
    with Transcript.open(tmp_path / "t.sqlite") as transcript:
        interview = Interview(candidate, answers=Reply, transcript=transcript)
        reply = await interview.ask(Prompt("?"))
        messages = [repr(candidate), candidate.name, repr(reply), *map(repr, transcript.records())]
    await candidate.close()
    assert isinstance(reply, Reply)
    assert (reply.text, reply.thoughts) == ("You sent [key], [key] and [key].", "Hm, [key].")
    model._refusal = lambda name, value: {"message": f"{SECRET} has no {name}", "param": name}  # type: ignore[method-assign]
    for prompt, refuses, kind in (
        (Prompt("?", temperature=0.0), "temperature", ParameterRefused),
        (Prompt("?"), "top_k", CandidateMisconfigured),
        (Prompt("?"), "messages", TransportFault),
    ):
        model.refuses = {refuses}
        with pytest.raises(kind) as caught:
            await ask(model, query, prompt)
        messages += traceback.format_exception(caught.value)
        assert "[key] has no" in str(caught.value)
    assert "hunter2" not in "".join(messages) + caplog.text
    assert b"hunter2" not in (tmp_path / "t.sqlite").read_bytes()


async def test_fields_of_a_file_are_sent_and_their_digest_stands_in_the_name(model: ReasoningServer, tmp_path: Path) -> None:
    given = {"top_k": 40, "chat_template_kwargs": {"enable_thinking": False}}
    query = body(tmp_path, json.dumps(given))
    await ask(model, f"{query}&temperature=0")
    assert {name: model.requests[-1][name] for name in given} == given
    name = open_chat("m@http://h/v1", query, environment={}).name
    # printf '{"chat_template_kwargs":{"enable_thinking":false},"top_k":40}' | sha256sum
    assert name == "chat:m@http://h/v1?body=6969f396b1f603c5"
    same = body(tmp_path, ' {"chat_template_kwargs": {"enable_thinking": false},\n "top_k": 40}', "same.json")
    other = body(tmp_path, '{"top_k": 41}', "other.json")
    assert open_chat("m@http://h/v1", same, environment={}).name == name
    assert open_chat("m@http://h/v1", other, environment={}).name != name


async def test_a_field_of_the_file_that_is_refused_is_told(model: ReasoningServer, tmp_path: Path) -> None:
    model.refuses, model.worded = {"top_k"}, True
    with pytest.raises(CandidateMisconfigured, match=r"leave out 'top_k' in the file of \?body="):
        await ask(model, body(tmp_path, '{"top_k": 40}'))


@each_case(
    ("text", "words"),
    [
        ('{"messages": []}', "'messages' is set for every request"),
        ('{"model": "x"}', "'model' is set"),
        ('{"stream": true}', "'stream' is set"),
        ('{"response_format": {}}', "'response_format' is set"),
        ('{"temperature": 0}', r"write \?temperature="),
        ('{"extra": [{"API_KEY": "hunter2hunter2"}]}', "it contains a key"),
        ("[1]", "one JSON object"),
        ('{"top_k": hunter2}', "line 1: not JSON"),
        ('{"top_k": NaN}', "numbers must be finite"),
        ('{"top_k": "\\ud83d"}', "texts must be Unicode"),
        ("[" * 60_000, "nesting shallow"),
        ('{"a": "' + "x" * 65_536 + '"}', "larger than 64 KiB"),
        ("", "not JSON"),
    ],
)
def test_a_file_that_cannot_be_sent_is_told(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadFile, match=words) as caught:
        open_chat("m@http://h/v1", body(tmp_path, text), environment={})
    assert "hunter2" not in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be read: No such file"):
        open_chat("m@http://h/v1", f"body={tmp_path / 'nowhere.json'}", environment={})
    (tmp_path / "latin.json").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(BadFile, match="not UTF-8"):
        open_chat("m@http://h/v1", f"body={tmp_path / 'latin.json'}", environment={})


@each_case(
    ("query", "name"),
    [
        ("stop=END&stop=%0A%0A", "?stop=END&stop=%0A%0A"),
        ("stop=a,b %26 c", "?stop=a,b %26 c"),
        ("reasoning_effort=low&max_completion_tokens=64", "?max_completion_tokens=64&reasoning_effort=low"),
        ("preset=llama.cpp", "?preset=llama.cpp"),
    ],
)
def test_what_changes_answers_stands_in_the_name_which_can_be_opened_again(query: str, name: str) -> None:
    candidate = open_chat("m@http://h/v1", query, environment={})
    assert candidate.name == f"chat:m@http://h/v1{name}"
    assert open_chat("m@http://h/v1", name.removeprefix("?"), environment={}).name == candidate.name


@pytest.mark.parametrize("query", ["stop=", "reasoning_effort=very low", "max_completion_tokens=0"])
def test_settings_that_make_no_sense_are_told(query: str) -> None:
    with pytest.raises(BadInput, match=query.partition("=")[0]):
        open_chat("m@http://h/v1", query, environment={})
