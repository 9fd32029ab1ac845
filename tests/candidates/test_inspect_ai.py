"""Models through Inspect: its own mock, and its OpenAI-compatible provider against the hostile server."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Literal

import pytest
from inspect_ai.model import (
    ChatMessage,
    Content,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    get_model,
)

from tests.candidates.reasoning import ReasoningServer
from vivavoce.candidates.inspect_ai import InspectModel, InspectOptions, open_inspect
from vivavoce.errors import (
    BadInput,
    CandidateMisconfigured,
    CandidateUnreachable,
    ParameterRefused,
    TransportFault,
    UnknownName,
)
from vivavoce.interview.candidate import Exchange, Prompt, Reply, Usage
from vivavoce.interview.reading import heard
from vivavoce.interview.requests import reply_formats_of

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore:The 'initial' parameter:DeprecationWarning")]

KEY = "sk-loopback-0123456789"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPBACK_API_KEY", KEY)


async def ask(server: str, model: str, query: str = "") -> Reply:
    candidate = open_inspect(f"openai-api/loopback/{model}", f"base_url={server}/v1&{query}".rstrip("&"))
    try:
        return await asyncio.wait_for(candidate.answer(Prompt("2 + 2?", system="Be brief.")), 10)
    finally:
        await candidate.close()


async def test_a_mock_model_answers_with_its_usage_and_settings() -> None:
    asked: list[tuple[list[ChatMessage], GenerateConfig]] = []

    def output(messages: list[ChatMessage], tools: object, choice: object, config: GenerateConfig) -> ModelOutput:
        asked.append((messages, config))
        made = ModelOutput.from_content("mock", "Answer: 4")
        made.usage = ModelUsage(input_tokens=5, output_tokens=2, input_tokens_cache_read=10)
        return made

    options = InspectOptions(system="Be kind.", price_in=1.0, price_out=4.0)
    model = get_model("mockllm/model", custom_outputs=output, config=GenerateConfig(temperature=0.5), memoize=False)
    candidate = InspectModel("inspect:mockllm/model", model, options)
    reply = await candidate.answer(Prompt("2 + 2?", system="Be brief.", max_tokens=9, shown=(Exchange("1 + 1?", "2"),)))
    # 5 + 10 tokens read at 1 and 2 written at 4 per million: 15e-6 + 8e-6
    assert reply == Reply("Answer: 4", Usage(15, 2, 23e-6), "mock", "stop")
    messages, config = asked[0]
    assert [message.role for message in messages] == ["system", "user", "assistant", "user"]
    assert [message.text for message in messages] == ["Be kind.\n\nBe brief.", "1 + 1?", "2", "2 + 2?"]
    assert (config.temperature, config.max_tokens) == (0.5, 9)


async def test_alternatives_of_the_first_token_come_over_the_wire(server: str) -> None:
    for model, messages in (("predict", ["0", "1", "No"]), ("predict-plain", [])):
        candidate = open_inspect(f"openai-api/loopback/{model}", f"base_url={server}/v1")
        reply = await candidate.answer(Prompt("Right or wrong?", first_tokens=5))
        assert [token for token, _ in reply.first_token] == messages
        # .7, .1 and .2 are the server's
        assert [round(math.exp(logarithm), 9) for _, logarithm in reply.first_token] == [0.7, 0.1, 0.2][: len(messages)]
        assert (await candidate.answer(Prompt("Right or wrong?"))).first_token == ()
        await candidate.close()


async def test_a_provider_is_asked_over_the_wire(server: str) -> None:
    reply = await ask(server, "ok", "price_in=2&price_out=10")
    assert reply == Reply("Answer: C", Usage(7, 3, 44e-6), "served-model", "stop")  # 7 × 2 + 3 × 10 = 44
    assert (await ask(server, "filtered")).finish == "content_filter"


@pytest.mark.parametrize(
    ("model", "wait", "worth_retrying"),
    [("busy", 0.01, True), ("broken", None, True), ("status-400", None, False), ("status-422", None, False)],
)
async def test_faults_are_told_apart_and_not_retried_here(
    server: str, seen: Callable[[], dict[str, int]], model: str, wait: float | None, worth_retrying: bool
) -> None:
    before = seen().get(model, 0)
    with pytest.raises(TransportFault) as caught:
        await ask(server, model)
    assert (caught.value.retry_after, caught.value.worth_retrying) == (wait, worth_retrying)
    assert len(caught.value.reason) < 300
    assert seen()[model] == before + 1


@pytest.mark.parametrize("model", ["not-json", "bad-utf8", "no-choices", "cut-before", "cut-within", "leak-error"])
async def test_whatever_else_happens_is_a_fault_without_the_key(server: str, model: str) -> None:
    with pytest.raises(TransportFault) as caught:
        await ask(server, model)
    assert KEY[:10] not in repr(caught.value)


async def test_a_server_that_is_away_is_an_outage() -> None:
    with pytest.raises(TransportFault) as caught:
        await ask("http://127.0.0.1:9", "ok")
    assert not caught.value.reached
    assert caught.value.worth_retrying
    assert caught.value.hearing == "unheard"


@pytest.mark.parametrize(
    ("model", "hearing"),
    [("busy", "turned away"), ("status-503", "heard"), ("cut-before", "heard"), ("cut-within", "heard"), ("not-json", "heard")],
)
async def test_whether_the_model_may_have_heard_is_told(server: str, model: str, hearing: str) -> None:
    with pytest.raises(TransportFault) as caught:
        await ask(server, model)
    assert caught.value.hearing == hearing


@pytest.mark.parametrize("field", ["content", "reasoning", "reasoning_content"])
async def test_thoughts_are_kept_apart_wherever_they_come(field: Literal["content", "reasoning", "reasoning_content"]) -> None:
    with ReasoningServer(thoughts=field, thought=f"My key is {KEY}.") as model:
        reply = await ask(model.url.removesuffix("/v1"), "m")
        assert (reply.text, reply.thoughts) == ("Answer: C", "My key is [key].")
        model.cut = "thought"
        reply = await ask(model.url.removesuffix("/v1"), "m")
    assert heard(reply) == ("", "cut off")
    assert "My key is [key]." in reply.thoughts


async def test_what_is_redacted_of_a_thought_is_told_by_its_summary() -> None:
    results: list[Content] = [ContentReasoning(reasoning="c2VjcmV0", redacted=True, summary="It adds."), ContentText(text="4")]
    made = ModelOutput.from_content("mock", results)
    made.usage = ModelUsage(input_tokens=5, output_tokens=2)
    model = get_model("mockllm/model", custom_outputs=[made], memoize=False)
    reply = await InspectModel("inspect:mockllm/model", model, InspectOptions()).answer(Prompt("2 + 2?"))
    assert (reply.text, reply.thoughts) == ("4", "It adds.")


async def test_a_schema_goes_over_the_wire_and_what_is_refused_has_a_name() -> None:
    schema = '{"properties":{"answer":{"maxLength":9,"type":"string"}},"required":["answer"],"type":"object"}'
    with ReasoningServer() as model:
        candidate = open_inspect("openai-api/loopback/m", f"base_url={model.url}")
        await candidate.answer(Prompt("?", schema=schema))
        sent = model.requests[-1]["response_format"]["json_schema"]
        assert (sent["name"], sent["strict"], sent["schema"]["required"]) == ("reply", True, ["answer"])
        assert sent["schema"]["properties"]["answer"] == {"type": "string"}  # of bounds, its provider of this kind knows none
        assert "response_format" not in (await candidate.answer(Prompt("?")), model.requests[-1])[1]
        for name, prompt in (
            ("temperature", Prompt("?", temperature=0.5)),
            ("max_tokens", Prompt("?", max_tokens=5)),
            ("response_format", Prompt("?", schema=schema)),
        ):
            model.refuses = {name}
            with pytest.raises(ParameterRefused, match=f"^refuses the parameter '{name}': status 400"):
                await candidate.answer(prompt)
        await candidate.close()
    assert reply_formats_of(candidate) == ("text", "schema", "turn")


async def test_a_wrong_key_is_told() -> None:
    with pytest.raises(BadInput, match="NOWHERE_API_KEY"):
        open_inspect("openai-api/nowhere/m", "base_url=http://127.0.0.1:9/v1")


async def test_a_refused_key_is_told(server: str) -> None:
    with pytest.raises(CandidateMisconfigured, match="status 401"):
        await ask(server, "status-401")


@pytest.mark.parametrize("model", ["quota", "low-balance", "status-402"])
async def test_an_account_without_credit_is_no_fault_of_the_question(server: str, model: str) -> None:
    with pytest.raises(CandidateUnreachable, match="the account has no credit left: "):
        await ask(server, model)


async def test_a_hanging_provider_can_be_given_up(server: str) -> None:
    candidate = open_inspect("openai-api/loopback/hang", f"base_url={server}/v1")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(candidate.answer(Prompt("?")), 0.3)
    await candidate.close()


async def test_thirty_questions_are_in_flight_together(server: str) -> None:
    candidate = open_inspect("openai-api/loopback/echo", f"base_url={server}/v1")
    replies = await asyncio.gather(*(candidate.answer(Prompt(f"question {i}")) for i in range(30)))
    assert [reply.text for reply in replies] == [f"question {i}" for i in range(30)]
    await candidate.close()


def test_one_name_and_no_secret_in_it() -> None:
    name = open_inspect("openai-api/loopback/m", "base_url=http://h/v1/&seed=1&price_in=3").name
    assert name == "inspect:openai-api/loopback/m?seed=1&base_url=http://h/v1/"
    with pytest.raises(BadInput) as caught:
        open_inspect("openai-api/loopback/m", "base_url=http://user:hunter2@h/v1")
    assert "hunter2" not in str(caught.value)
    with pytest.raises(UnknownName, match="did you mean 'seed'"):
        open_inspect("openai-api/loopback/m", "sead=1")
