"""A chat server on a loopback port that behaves as the model's name says: well, or badly in every way a server can.

Run it as a program: `python -m tests.candidates.server [--port 0] [--latency 0.1]`; its first line is the address to ask. It
ends when its standard input is closed. `GET /seen` counts requests by model, connections, and the most that were in flight.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from math import log
from random import Random

from aiohttp import web

from tests.serving import completion, serve_until_input_ends
from vivavoce.candidates import open_candidate
from vivavoce.interview.candidate import Prompt

HUGE = 50_000_000
"""Bytes of a reply that nobody should read to the end."""
BLOCK = b" " * 65_536
FLAKY = ("busy", "broken", "cut-before", "cut-within", "not-json", "bad-utf8", "no-choices", "html")
"""What model `moody` does to a question the first time, by turns."""


BODIES: dict[str, object] = {
    "ok": completion(),
    "parts": completion([{"type": "text", "text": "Answer: "}, {"type": "image"}, {"type": "text", "text": "B"}]),
    "empty": completion(""),
    "null": completion(None, None),
    "null-length": completion(None, "length"),
    "filtered": completion(None, "content_filter"),
    "refusal": completion(None, refusal="I won't say."),
    "no-choices": {"choices": [], "usage": {}},
    "no-message": {"choices": [{}]},
    "odd-shapes": {"choices": [{"message": [], "finish_reason": 5}], "usage": "none", "model": 3},
    "odd-usage": completion() | {"usage": {"prompt_tokens": -5, "completion_tokens": "many"}},
    "error-in-200": {"error": {"message": "upstream is down", "code": 502}},
    "array": [1, 2],
    "surrogate": completion("half an emoji \ud83d"),
}
RAW: dict[str, bytes] = {
    "not-json": b'{"choices": [{"message": {"content": "A',
    "bad-utf8": b'{"choices": [{"message": {"content": "\xff\xfe"}, "finish_reason": "stop"}]}',
    "deep": b"[" * 200_000,
    "long-number": b'{"choices": [{"message": {"content": "A"}}], "usage": {"prompt_tokens": 1' + b"0" * 9999 + b"}}",
    "html": b"<!doctype html><title>Welcome</title><p>Please log in",
}

QUOTA = {"message": "You exceeded your current quota.", "type": "insufficient_quota", "code": "insufficient_quota"}
LOW_BALANCE = {"type": "invalid_request_error", "message": "Your credit balance is too low to be asked. Please buy credits."}
REFUSALS: dict[str, tuple[int, object, dict[str, str]]] = {
    "busy": (429, {"error": {"message": "slow down"}}, {"Retry-After": "0.01"}),
    "busy-ms": (503, {}, {"Retry-After-Ms": "250", "Retry-After": "9"}),
    "busy-nonsense": (429, {}, {"Retry-After": "soon, inf or -1"}),
    "quota": (429, {"error": QUOTA}, {}),
    "low-balance": (400, {"type": "error", "error": LOW_BALANCE}, {}),
}
"""Status, body and headers."""

CALCULATOR = open_candidate("bot:calculator?wrong=0.1")
"""The mind behind model `calculator`: good at arithmetic, but not perfect."""
SURE = 0.8
"""How often model `unsure` says what `calculator` does, whatever it said before."""
LATENCY = web.AppKey("latency", float)

seen: Counter[str] = Counter()
turns: Counter[tuple[str, ...]] = Counter()
in_flight: Counter[str] = Counter()
connections: set[object] = set()


async def chat(request: web.Request) -> web.StreamResponse:
    """Answer as the model's name says; `busy:2` is busy twice for each prompt and then well, and well to "well, ..." anyway."""
    asked = await request.json()
    model, prompt = asked["model"], asked["messages"][-1]["content"]
    seen[model] += 1
    turns[model, prompt] += 1
    connections.add(request.get_extra_info("peername"))
    in_flight["now"] += 1
    in_flight["most"] = max(in_flight["most"], in_flight["now"])
    try:
        return await respond(request, model, prompt)
    finally:
        in_flight["now"] -= 1


async def respond(request: web.Request, model: str, prompt: str) -> web.StreamResponse:
    """The response of a model."""
    mode, _, times = model.partition(":")
    if mode == "moody":
        mode, times = FLAKY[sum(prompt.encode()) % len(FLAKY)], "1"
    if (times and turns[model, prompt] > int(times)) or prompt.startswith("well"):
        mode = "ok"
    if request.app[LATENCY]:
        await asyncio.sleep(request.app[LATENCY])
    if mode in MISBEHAVIOURS:
        return await MISBEHAVIOURS[mode](request)
    if mode in REFUSALS:
        status, body, headers = REFUSALS[mode]
        return web.json_response(body, status=status, headers=headers)
    if mode.startswith("status-"):
        return web.json_response({"error": {"message": f"no: {'because ' * 100}"}}, status=int(mode.removeprefix("status-")))
    if mode in RAW:
        return web.Response(body=RAW[mode], content_type="application/json")
    if mode == "calculator":
        return web.json_response(completion((await CALCULATOR.answer(Prompt(prompt))).text))
    if mode == "unsure":
        right = Random(f"{prompt} {turns[model, prompt]}").random() < SURE
        return web.json_response(completion((await CALCULATOR.answer(Prompt(prompt))).text if right else "Answer: 1"))
    if mode == "echo":
        return web.json_response(completion(prompt))
    return web.json_response(BODIES[mode])


async def busy_date(_: web.Request) -> web.Response:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    return web.json_response({}, status=429, headers={"Retry-After": date})


async def broken(_: web.Request) -> web.Response:
    return web.Response(status=500, text="<html><h1>Internal\nServer Error</h1></html>", content_type="text/html")


async def hang(_: web.Request) -> web.Response:
    await asyncio.sleep(3600)
    return web.Response()


async def cut_before(request: web.Request, beginning: bytes = b"") -> web.Response:
    assert request.transport is not None
    request.transport.write(beginning)
    request.transport.close()
    return web.Response()


async def not_http(request: web.Request) -> web.Response:
    return await cut_before(request, b"SSH-2.0-OpenSSH_9.2\r\n\r\n")


async def huge_header(request: web.Request) -> web.Response:
    return await cut_before(request, b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 1_000_000 + b"\r\n\r\n")


async def cut_within(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "1000", "Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(b'{"choices": [{"message"')
    assert request.transport is not None
    request.transport.close()
    return response


async def huge(request: web.Request) -> web.StreamResponse:
    """A valid beginning, and then 50 MB, in chunks."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(b'{"choices": [{"message": {"content": "')
    for _ in range(HUGE // len(BLOCK)):
        await response.write(BLOCK)
        seen["huge blocks"] += 1
    return response


async def bomb(_: web.Request) -> web.Response:
    """50 MB in 50 kB, compressed although nobody asked for it."""
    body = gzip.compress(b'{"choices": []}' + b" " * HUGE, 1)
    return web.Response(body=body, content_type="application/json", headers={"Content-Encoding": "gzip"})


async def redirect(request: web.Request) -> web.Response:
    return web.Response(status=307, headers={"Location": f"http://127.0.0.1:{request.url.port}/v1/elsewhere"})


async def leak_reply(request: web.Request) -> web.Response:
    authorization = request.headers.get("Authorization", "none")
    return web.json_response(completion(f"you sent {authorization}") | {"model": authorization})


async def leak_error(request: web.Request) -> web.Response:
    message = {"error": {"message": "x" * 180 + request.headers.get("Authorization", "none")}}
    return web.json_response(message, status=400)


async def leak_text(request: web.Request) -> web.Response:
    """The key where the quotation of what is not JSON ends."""
    return web.Response(text="x" * 60 + request.headers.get("Authorization", "none"))


AFTER_WRONG = (("1", 0.6), (" 1", 0.15), ("0", 0.2), ("Maybe", 0.05))
AFTER_RIGHT = (("0", 0.7), ("1", 0.1), ("No", 0.2))
NOTHING_OF_USE = (("Maybe", 0.9), ("No", 0.1))


def weighed(body: dict[str, object], alternatives: object) -> dict[str, object]:
    """The body with alternatives of its first token."""
    body["choices"][0]["logprobs"] = {"content": [{"token": "1", "logprob": -0.1, "top_logprobs": alternatives}]}  # type: ignore[index]
    return body


async def predict(request: web.Request) -> web.Response:
    """Says whether a belief changes: of four replies three say so after a wrong answer, one after a right one.

    `predict` tells log-probabilities, `predict-plain` leaves them out, `predict-refuses` answers 400 to whoever wants them
    (and all do to an unspeakable question), `predict-mute` has neither digit among them, and `predict-rambles` says
    everything else.
    """
    asked = await request.json()
    model, prompt = asked["model"], asked["messages"][-1]["content"]
    wanted = asked.get("logprobs") is True
    if (wanted and model == "predict-refuses") or "unspeakable" in prompt:
        return web.json_response({"error": {"message": "logprobs are not supported"}}, status=400)
    wrong = "answer to it was wrong" in prompt
    turns[model, prompt, "plain"] += not wanted
    turn = turns[model, prompt, "plain"] % 4
    body = completion("no idea, 0 or 1" if model == "predict-rambles" else "1" if (turn != 0 if wrong else turn == 1) else "0")
    if wanted and model in ("predict", "predict-mute"):
        pair = NOTHING_OF_USE if model == "predict-mute" else AFTER_WRONG if wrong else AFTER_RIGHT
        listed = [{"token": token, "logprob": log(chance)} for token, chance in pair[: asked["top_logprobs"]]]
        return web.json_response(weighed(body, listed))
    return web.json_response(body)


async def odd_weights(request: web.Request) -> web.Response:
    """Alternatives of every shape, of which three make sense."""
    shape = (await request.json())["messages"][-1]["content"]
    odd = (
        '[{"token": "1", "logprob": NaN}, {"token": "1", "logprob": 1e999}, {"token": "1", "logprob": 1' + "0" * 400 + "}, "
        '{"token": "1", "logprob": "-1"}, {"token": "1", "logprob": true}, {"token": "1", "logprob": 3.5}, '
        '{"token": 1, "logprob": -1}, {"logprob": -1}, 7, null, [], {"token": "' + "x" * 5000 + '", "logprob": -1}, '
        '{"token": "1", "logprob": -0.25}, '
        '{"token": "1", "logprob": -9}, {"token": "\\ud83d", "logprob": -3}, {"token": "0", "logprob": 0.0001}'
        + ', {"token": "late", "logprob": -1}' * 200
        + "]"
    )
    words = {"list": f'{{"content": [{{"top_logprobs": {odd}}}]}}'}.get(shape, shape)
    text = '{"choices": [{"message": {"content": "1"}, "finish_reason": "stop", "logprobs": ' + words + "}]}"
    return web.Response(text=text, content_type="application/json")


async def leak_weights(request: web.Request) -> web.Response:
    token = {"token": request.headers.get("Authorization", "none"), "logprob": -1}
    return web.json_response(weighed(completion(), [token]))


async def elsewhere(_: web.Request) -> web.Response:
    seen["elsewhere"] += 1
    return web.json_response(completion())


async def report(_: web.Request) -> web.Response:
    return web.json_response(dict(seen) | {"most in flight": in_flight["most"], "connections": len(connections)})


_OWN_NAME = (
    busy_date, broken, hang, cut_before, cut_within, not_http, huge_header, huge, bomb, redirect,
    leak_reply, leak_error, leak_text, leak_weights, odd_weights,
)  # fmt: skip
MISBEHAVIOURS: dict[str, Callable[[web.Request], Awaitable[web.StreamResponse]]] = {
    **{function.__name__.replace("_", "-"): function for function in _OWN_NAME},
    **dict.fromkeys(("predict", "predict-plain", "predict-refuses", "predict-mute", "predict-rambles"), predict),
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before every reply")
    options = parser.parse_args()
    app = web.Application(client_max_size=10_000_000)
    app[LATENCY] = options.latency
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_post("/v1/elsewhere", elsewhere)
    app.router.add_get("/seen", report)
    asyncio.run(serve_until_input_ends(app, options.port))
