"""Only what the operator named can be named, nothing that a client says is opened, and connections are limited."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.plugins.mcp_server.clients import CallCounter, client_of, error_of, examiner, text_of, values_of
from vivavoce.errors import BadInput, UnknownName
from vivavoce.plugins.mcp_server.messages import CertifyArguments, CompareArguments, OfferedChoices, parted

NAMES = ("calc", "bot:calculator?wrong=0.1")
OFFERED = OfferedChoices.opened(["calc=bot:calculator", "bot:calculator?wrong=0.1"], ["sums=arithmetic", "intervals"])
HOSTILE = (
    "bot:calculator",
    "bot:calculator?wrong=0.1&wrong=0",
    "bot:calculator?wrong=0.10",
    "calc ",
    " calc",
    "calc?wrong=0",
    "CALC",
    "calc\n",
    "calc\u200b",
    "cal\u0441",
    "",
    ".",
    "../calc",
    "/etc/passwd",
    "file:/etc/passwd",
    "replay:/etc/passwd#a",
    "function:os:getcwd",
    "chat:gpt@http://169.254.169.254/latest",
    "http://169.254.169.254/latest",
    "inspect:openai/gpt-4o",
    "hf:owner/name@main#test",
    "uci:/bin/sh",
    "human:p07",
    "pool:/tmp",
    "mmlu:/",
    "inspect-task:evil.py@task",
    "__class__",
    "calc,bot:calculator",
    "x" * 400,
)


@each_case("name", HOSTILE)
def test_any_other_name_is_refused_by_name(name: str) -> None:
    with pytest.raises(UnknownName, match="no candidate on this server"):
        OFFERED.candidate(name)
    with pytest.raises(UnknownName, match="no scope on this server"):
        OFFERED.scope(name)


@given(st.text(max_size=60) | st.sampled_from(NAMES).flatmap(lambda name: st.text(min_size=1, max_size=5).map(name.__add__)))
def test_no_text_but_the_names_names_anything(name: str) -> None:
    if name in NAMES:
        assert OFFERED.candidate(name).name in ("bot:calculator", "bot:calculator?wrong=0.1")
    else:
        with pytest.raises(UnknownName):
            OFFERED.candidate(name)
    if name not in ("sums", "intervals"):
        with pytest.raises(UnknownName):
            OFFERED.scope(name)


async def test_a_refused_call_asks_nobody_and_costs_nothing() -> None:
    candidate = CallCounter()
    examined = examiner({"one": candidate})
    async with client_of(examined) as client:
        for name in HOSTILE:
            for arguments in ({"candidate": name, "scope": "sums"}, {"candidate": "one", "scope": name}):
                assert "There are: " in error_of(await client.call_tool("certify", arguments))
            both = {"candidates": ["one", name], "scope": "sums"}
            assert "There are: " in error_of(await client.call_tool("compare", both))
    assert candidate.asked == 0
    assert examined.allowance.left.questions == examined.allowance.config.questions


async def test_what_there_is_is_listed_by_the_names_to_give() -> None:
    async with client_of(examiner(["calc=bot:calculator", "bot:eliza"], ["sums=arithmetic?digits=2"])) as client:
        answer = await client.call_tool("list_candidates", {})
        listed = values_of(answer)
        assert text_of(answer).endswith(f"Left of the server's budget: {listed['budget_left']['questions']:,} questions.")
        assert listed["listed"] == [
            {"name": "calc", "description": "bot:calculator"},
            {"name": "bot:eliza", "description": "bot:eliza"},
        ]
        [scope] = values_of(await client.call_tool("list_scopes", {}))["listed"]
        assert scope["name"] == "sums"
        assert scope["description"].startswith("endless, digest ")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert tools["certify"].input_schema["properties"]["candidate"]["enum"] == ["calc", "bot:eliza"]
    assert tools["certify"].input_schema["properties"]["scope"]["enum"] == ["sums"]
    assert tools["compare"].input_schema["properties"]["candidates"]["items"]["enum"] == ["calc", "bot:eliza"]
    assert tools["certify"].input_schema["additionalProperties"] is False


@each_case(
    ("candidates", "scopes", "problem"),
    [
        (["human:p07"], ["arithmetic"], "is a person"),
        (["uci:stockfish"], ["arithmetic"], "is an engine"),
        (["bot:calculatr"], ["arithmetic"], "did you mean 'calculator'"),
        (["a=bot:calculator", "a=bot:eliza"], ["arithmetic"], "two of the candidates are called 'a'"),
        (["bot:calculator"], ["inspect-task:evil.py@task"], "runs code"),
        (["bot:calculator"], ["file:missing.jsonl"], "missing.jsonl"),
        (["chat:m@http://me:secret@localhost/v1"], ["arithmetic"], "a password must not be in a name"),
    ],
)
def test_what_cannot_be_offered_is_told_at_the_start(candidates: list[str], scopes: list[str], problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        OfferedChoices.opened(candidates, scopes)


@each_case(
    ("given", "alias", "name"),
    [
        ("bot:calculator", "bot:calculator", "bot:calculator"),
        ("calc=bot:calculator?wrong=0.1", "calc", "bot:calculator?wrong=0.1"),
        ("my-model=chat:m@http://h/v1", "my-model", "chat:m@http://h/v1"),
        ("arithmetic?operations=+", "arithmetic?operations=+", "arithmetic?operations=+"),
    ],
)
def test_an_alias_is_what_stands_before_the_first_equals_sign(given: str, alias: str, name: str) -> None:
    assert parted(given) == (alias, name)


@each_case(
    ("arguments", "problem"),
    [
        ({"candidate": "one"}, "scope: field required"),
        ({"candidate": "one", "scope": "sums", "transcript": "/tmp/x"}, "there is no argument 'transcript'"),
        ({"candidate": ["one"], "scope": "sums"}, "candidate: input should be a valid string"),
        ({"candidate": "one", "scope": "sums", "questions": "5"}, "questions: input should be a valid integer"),
        ({"candidate": "one", "scope": "sums", "questions": 0}, "questions: input should be greater than or equal to 1"),
        ({"candidate": "one", "scope": "sums", "money": -1}, "money: input should be greater than 0"),
        ({"candidate": "one", "scope": "sums", "delta": 1}, "delta: input should be less than 1"),
        ({"candidate": "one", "scope": "sums", "passing_grade": 2}, "passing_grade: input should be less than 1"),
        ({"candidate": "one", "scope": "sums", "seed": 2**63}, "seed: input should be less than"),
        ({"candidate": "x" * 1_000_000, "scope": "sums"}, "candidate: string should have at most 500 characters"),
    ],
)
async def test_arguments_that_cannot_be_meant_are_refused_with_what_the_tool_takes(
    arguments: dict[str, object], problem: str
) -> None:
    async with client_of(examiner({"one": CallCounter()})) as client:
        text = error_of(await client.call_tool("certify", arguments))
    assert text.lower().startswith(problem)
    assert "this tool takes " in text
    assert len(text) < 1000


async def test_an_unknown_tool_is_told_with_those_that_there_are() -> None:
    async with client_of(examiner({"one": CallCounter()})) as client:
        assert "There are: list_candidates" in error_of(await client.call_tool("certfy\x1b[2J" * 50, {}))


def test_every_argument_has_a_description() -> None:
    for kind in (CertifyArguments, CompareArguments):
        for name, field in kind.model_fields.items():
            assert field.description, name


def test_all_candidates_are_let_go() -> None:
    closed = []

    class ClosingModel(CallCounter):
        async def close(self) -> None:
            closed.append(self.name)

    asyncio.run(OfferedChoices({"a": ClosingModel(name="x"), "b": ClosingModel(name="y")}, {}).close())
    assert closed == ["x", "y"]
