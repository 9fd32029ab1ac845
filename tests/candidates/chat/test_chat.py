"""The chat candidate against a server that does everything wrong."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import traceback
import tracemalloc
from collections.abc import Callable

import pytest

from vivavoce.candidates.chat.candidate import open_chat
from vivavoce.errors import CandidateMisconfigured, CandidateUnreachable, TransportFault
from vivavoce.interview.candidate import Exchange, Prompt, Reply, Usage

KEY = "sk-test-0123456789abcdef"


async def ask(server: str, model: str, query: str = "", *, prompt: Prompt | None = None, key: str = KEY) -> Reply:
    """One question to one model of the server."""
    candidate = open_chat(f"{model}@{server}/v1", query, environment={"VIVA_API_KEY": key} if key else {})
    try:
        return await asyncio.wait_for(candidate.answer(prompt or Prompt("2 + 2?")), 10)
    finally:
        await candidate.close()


async def fault(server: str, model: str, query: str = "") -> TransportFault:
    """The fault that a model of the server causes."""
    with pytest.raises(TransportFault) as caught:
        await ask(server, model, query)
    assert len(caught.value.reason) < 300
    return caught.value


async def test_a_good_reply_has_text_usage_model_and_finish(server: str) -> None:
    reply = await ask(server, "ok", "price_in=2&price_out=10")
    # 7 tokens at 2 and 3 tokens at 10 per million: 14e-6 + 30e-6
    assert reply == Reply("Answer: C", Usage(7, 3, 44e-6), "served-model", "stop")


@pytest.mark.parametrize(
    ("model", "text", "finish"),
    [
        ("parts", "Answer: B", "stop"),
        ("empty", "", "stop"),
        ("null-length", "", "length"),
        ("filtered", "", "content_filter"),
        ("refusal", "I won't say.", "stop"),
        ("surrogate", "half an emoji \ufffd", "stop"),
    ],
)
async def test_whatever_the_model_has_finished_is_a_reply(server: str, model: str, text: str, finish: str) -> None:
    reply = await ask(server, model)
    assert (reply.text, reply.finish) == (text, finish)
    reply.text.encode()


async def test_usage_that_makes_no_sense_counts_as_none(server: str) -> None:
    assert (await ask(server, "odd-usage")).usage == Usage()


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("not-json", "not JSON"),
        ("html", "not JSON"),
        ("deep", "not JSON"),
        ("long-number", "not JSON"),
        ("bad-utf8", "not valid UTF-8"),
        ("no-choices", "no choices"),
        ("array", "not an object"),
        ("no-message", "without content"),
        ("null", "without content"),
        ("odd-shapes", "without content"),
    ],
)
async def test_a_breach_of_the_protocol_is_a_fault_worth_another_attempt(server: str, model: str, reason: str) -> None:
    raised = await fault(server, model)
    assert reason in raised.reason
    assert raised.reached
    assert raised.worth_retrying


@pytest.mark.parametrize(
    ("model", "wait", "reached"),
    [
        ("error-in-200", None, False),  # its code is 502
        ("busy", 0.01, False),  # turned away unheard
        ("busy-ms", 0.25, False),
        ("busy-nonsense", None, False),
        ("status-502", None, False),
        ("broken", None, True),
        ("status-504", None, True),
        ("status-408", None, True),
    ],
)
async def test_the_server_says_how_long_to_wait(server: str, model: str, wait: float | None, reached: bool) -> None:
    raised = await fault(server, model)
    assert raised.retry_after == wait
    assert raised.reached == reached
    assert raised.worth_retrying
    assert raised.hearing == ("turned away" if raised.reason.startswith("status 429") else "heard")
    assert "\n" not in raised.reason


async def test_a_date_to_wait_for_becomes_seconds(server: str) -> None:
    wait = (await fault(server, "busy-date")).retry_after
    assert wait is not None
    assert 10 < wait <= 30  # the server said: 30 seconds from then, in whole seconds


@pytest.mark.parametrize("status", [400, 403, 413, 418, 422])
async def test_a_request_that_is_refused_as_such_is_not_worth_another_attempt(server: str, status: int) -> None:
    raised = await fault(server, f"status-{status}")
    assert not raised.worth_retrying
    assert raised.reason.startswith(f"status {status}: no: because")
    assert raised.reason.endswith("…")


@pytest.mark.parametrize(("status", "remedy"), [(401, "VIVA_API_KEY"), (404, "ends in /v1")])
async def test_a_wrong_key_or_address_is_told_with_a_remedy(server: str, status: int, remedy: str) -> None:
    with pytest.raises(CandidateMisconfigured, match=remedy) as caught:
        await ask(server, f"status-{status}")
    assert caught.value.hearing == "refused"


@pytest.mark.parametrize(
    ("model", "hearing"), [("quota", "turned away"), ("low-balance", "refused"), ("status-402", "refused")]
)
async def test_an_account_without_credit_is_no_fault_of_the_question(server: str, model: str, hearing: str) -> None:
    with pytest.raises(CandidateUnreachable, match="the account has no credit left: ") as caught:
        await ask(server, model)
    assert len(str(caught.value)) < 350
    assert caught.value.hearing == hearing


async def test_a_redirect_is_never_followed(server: str, seen: Callable[[], dict[str, int]]) -> None:
    with pytest.raises(CandidateMisconfigured, match="/v1/elsewhere"):
        await ask(server, "redirect")
    assert "elsewhere" not in seen()


@pytest.mark.parametrize(
    ("model", "reached"), [("cut-before", False), ("cut-within", True), ("not-http", False), ("huge-header", False)]
)
async def test_a_connection_that_is_cut_or_speaks_no_http_is_a_fault(server: str, model: str, reached: bool) -> None:
    raised = await fault(server, model)
    assert raised.worth_retrying
    assert raised.reached is reached
    assert raised.hearing == "heard"


async def test_nobody_listening_is_an_outage() -> None:
    raised = await fault("http://127.0.0.1:9", "ok")  # the discard port
    assert not raised.reached
    assert raised.hearing == "unheard"
    assert (await fault("http://no-such-host.invalid", "ok")).hearing == "unheard"
    assert raised.worth_retrying


async def test_a_server_that_hangs_can_be_given_up(server: str) -> None:
    candidate = open_chat(f"hang@{server}/v1", "", environment={})
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(candidate.answer(Prompt("?")), 0.3)
    await candidate.close()


@pytest.mark.parametrize("model", ["huge", "bomb"])
async def test_fifty_megabytes_are_never_held(server: str, seen: Callable[[], dict[str, int]], model: str) -> None:
    await ask(server, "ok")
    before = seen().get("huge blocks", 0)
    tracemalloc.start()
    raised = await fault(server, model, "max_reply=1000000")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # 1 MB of reply, at most doubled while it grows, and once more as it is read; 50 MB would not fit
    assert peak < 8_000_000
    assert raised.reason == "reply larger than 1000000 bytes"
    assert not raised.worth_retrying
    if model == "huge":
        assert seen()["huge blocks"] - before < 200  # of 763: the server was stopped


@pytest.mark.parametrize("model", ["leak-reply", "leak-error", "leak-text"])
async def test_a_key_that_the_server_echoes_is_cut_out(server: str, model: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    if model == "leak-reply":
        text = repr(await ask(server, model))
    else:
        with pytest.raises(TransportFault) as caught:
            await ask(server, model)
        text = "".join(traceback.format_exception(caught.value))
    assert KEY[:10] not in text + caplog.text
    if model == "leak-reply":
        assert "you sent Bearer [key]" in text  # so the key had been sent


async def test_without_a_key_nothing_is_sent(server: str) -> None:
    assert (await ask(server, "leak-reply", key="")).text == "you sent none"


@pytest.mark.parametrize(
    ("environment", "query", "sent"),
    [
        ({"VIVA_API_KEY": "first", "OPENAI_API_KEY": "second"}, "", "first"),
        ({"OPENAI_API_KEY": "second"}, "", "second"),
        ({"VIVA_API_KEY": "first", "MINE": "third"}, "key=MINE", "third"),
    ],
)
async def test_where_the_key_comes_from(server: str, environment: dict[str, str], query: str, sent: str) -> None:
    candidate = open_chat(f"leak-reply@{server}/v1", query, environment=environment)
    reply = await candidate.answer(Prompt("?"))
    await candidate.close()
    assert reply.text == f"you sent Bearer {sent}"  # too short to be secrets, so they are not cut out


async def test_the_prompts_settings_come_before_the_candidates(server: str) -> None:
    candidate = open_chat(f"echo@{server}/v1", "temperature=0&max_tokens=5&system=Be kind.", environment={})
    asked = candidate.request(Prompt("Hi", system="Be brief.", temperature=1.0))
    assert json.dumps(asked) == (
        '{"model": "echo", "temperature": 1.0, "max_tokens": 5, "messages": '
        '[{"role": "system", "content": "Be kind.\\n\\nBe brief."}, {"role": "user", "content": "Hi"}]}'
    )
    shown = candidate.request(Prompt("Hi", shown=(Exchange("Who?", "I."),)))
    rows = [(message["role"], message["content"]) for message in shown["messages"]]
    assert rows == [("system", "Be kind."), ("user", "Who?"), ("assistant", "I."), ("user", "Hi")]
    assert (await candidate.answer(Prompt("für \ud83d", id="7"))).text == "für \ufffd"
    await candidate.close()


async def test_a_hundred_questions_are_in_flight_and_connections_kept(server: str, seen: Callable[[], dict[str, int]]) -> None:
    candidate = open_chat(f"echo@{server}/v1", "", environment={})
    before = seen().get("connections", 0)
    prompts = [Prompt(f"question {i}") for i in range(100)]
    for _ in range(3):
        replies = await asyncio.gather(*map(candidate.answer, prompts))
        assert [reply.text for reply in replies] == [prompt.text for prompt in prompts]
    await candidate.close()
    assert seen()["connections"] - before <= 100  # of 300 requests


async def test_alternatives_of_the_first_token_are_asked_for_and_read(server: str) -> None:
    prompt = Prompt("The model's answer to it was wrong.", first_tokens=3)
    reply = await ask(server, "predict", prompt=prompt)
    # three of the four that the server knows
    assert [(token, round(math.exp(logarithm), 9)) for token, logarithm in reply.first_token] == [
        ("1", 0.6),
        (" 1", 0.15),
        ("0", 0.2),
    ]
    assert (await ask(server, "predict", prompt=Prompt("wrong?"))).first_token == ()
    assert (await ask(server, "predict-plain", prompt=prompt)).first_token == ()


async def test_a_server_that_refuses_to_tell_them_is_not_asked_again(server: str) -> None:
    with pytest.raises(TransportFault, match="status 400: logprobs are not supported") as caught:
        await ask(server, "predict-refuses", prompt=Prompt("wrong?", first_tokens=5))
    assert not caught.value.worth_retrying
    assert (await ask(server, "predict-refuses", prompt=Prompt("wrong?"))).text in "01"


async def test_alternatives_that_make_no_sense_are_left_out(server: str) -> None:
    reply = await ask(server, "odd-weights", prompt=Prompt("list", first_tokens=20))
    # the first of equal tokens that is a finite number of at most 0; rounding above 0 is cut; 100 are read at most
    assert reply.first_token == (("1", -0.25), ("\ufffd", -3.0), ("0", 0.0), ("late", -1.0))
    for shape in (
        "null",
        "7",
        "[]",
        "{}",
        '{"content": 7}',
        '{"content": []}',
        '{"content": [7]}',
        '{"content": [{"top_logprobs": {}}]}',
    ):
        assert (await ask(server, "odd-weights", prompt=Prompt(shape, first_tokens=20))).first_token == ()


async def test_no_key_comes_back_in_a_token(server: str) -> None:
    reply = await ask(server, "leak-weights", prompt=Prompt("?", first_tokens=1))
    assert reply.first_token == (("Bearer [key]", -1.0),)
