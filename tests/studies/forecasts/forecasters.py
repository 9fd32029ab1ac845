"""Forecasters with planted faults on a real chat server, and tuples of questions that they understand.

Run it as a program: `python -m tests.studies.forecasts.forecasters [--port 0] [--latency 0.01]`; its first line is the
address to ask. It ends when its standard input is closed. The model's name says which fault it has; `+moody` behind it, that
every seventh request does not get through. `GET /seen` gives the number of requests by model.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import product
from typing import Any

from aiohttp import web

from tests.serving import completion, process_of, serve_until_input_ends
from vivavoce.studies.forecasting.forecast_files import QuestionTuple

CLASSES = (0.3, 0.5, 0.2)
"""The hidden state of the world: each event has its own probability in each of three states, independent given the state."""
RAMBLES = 0.3
"""Share of the replies of `rambler` that cannot be read."""
JITTER = 0.15
"""Standard deviation of what `noisy` adds to each reply."""
YEARS = (2025, 2028, 2032, 2036, 2040)

_GIVEN = re.compile(r"Given that (?P<condition>.+?), (?P<question>will .+)\?", re.IGNORECASE)
_EVENT = re.compile(r"event (\d+)")

Formula = Callable[[Mapping[int, bool]], bool]


def in_class(event: int, state: int) -> float:
    """Probability of an event in a state, between .05 and .95, the same in every process."""
    return 0.05 + 0.9 * random.Random(f"{event} in {state}").random()


def probability(true: Formula, events: set[int], given: Formula = lambda _: True) -> float:
    """Of a formula given another, by going through all worlds."""
    both = condition = 0.0
    for truths in product((False, True), repeat=len(events)):
        world = dict(zip(sorted(events), truths, strict=True))
        weight = 0.0
        for state, share in enumerate(CLASSES):
            for event, happens in world.items():
                share *= in_class(event, state) if happens else 1 - in_class(event, state)
            weight += share
        condition += weight * given(world)
        both += weight * (given(world) and true(world))
    return both / condition


def formula(text: str, *, hears_not: bool = True) -> Formula:
    """`event 3 or event 5`, `event 5 ... and event 3 not ...`: what is said of events in one clause."""
    parts = re.split(r"\b(and|or)\b", text)
    literals = [
        (int(m[1]), bool(re.search(r"\bnot\b", part)) and hears_not) for part in parts[::2] if (m := _EVENT.search(part))
    ]
    join = any if "or" in parts[1::2] else all
    return lambda world: join(world[event] is not negated for event, negated in literals)


def coherent(question: str, *, hears_not: bool = True) -> float:
    """What follows from the hidden state of the world."""
    events = {int(number) for number in _EVENT.findall(question)}
    if match := _GIVEN.search(question):
        return probability(
            formula(match["question"], hears_not=hears_not), events, formula(match["condition"], hears_not=hears_not)
        )
    return probability(formula(question, hears_not=hears_not), events)


def climbers(question: str) -> float:
    """A quantity that grows with the year."""
    peak, year = map(int, re.findall(r"\d+", question))
    return round(100 + (year - 2000) * (3 + 50 * in_class(peak, 0)))


def rambling(draw: random.Random, p: float) -> str:
    """A reply that holds a number, and yet none that can be read."""
    ways = (
        f"[Answer] {p / 2:.2f}\n[Answer] {p:.2f}\nI hope that this helps.",
        f"Somewhere around {p:.2f}.",
        f"[Answer] {p / 2:.3f}-{p:.3f}",
        "[Answer] likely",
        f"[Answer] {100 * p + 100:.0f}%",
        "",
    )
    return draw.choice(ways)


def reply(model: str, question: str, number: int) -> str:
    """What a model says to a question when it is asked it for the `number`-th time."""
    draw = random.Random(f"{model} {question} {number}")
    if "climbed" in question:
        number_of_them = 10_000 - climbers(question) if model == "declining" else climbers(question)
        return f"They grow in number.\n[Answer] {number_of_them:,.0f} people"
    if model in SPECIAL:
        return SPECIAL[model](draw, coherent(question))
    values: dict[str, Callable[[], float]] = {
        "steady": lambda: coherent(question),
        "deaf": lambda: coherent(question, hears_not=False),
        "rounder": lambda: round(coherent(question) * 20) / 20,
        "constant": lambda: 0.4,
        "random": draw.random,
        "noisy": lambda: min(1.0, max(0.0, coherent(question) + draw.gauss(0, JITTER))),
        "worded": lambda: random.Random(question).random(),
        "declining": lambda: 0.5,
        "hot": lambda: coherent(question),
    }
    return f"For it, this. Against it, that.\n[Answer] {values[model]():.6f}"


def listening(messages: list[dict[str, str]]) -> str:
    """Alone it does not hear "not"; asked before about the event or its opposite, it says what goes with that.

    Told to write the opposite question first, it hears "not", and gets conditions wrong.
    """
    system, *turns = [message["content"] for message in messages]
    behind_the_example = turns[2:] or ["Is this a probe?"]
    *before, question = [text.partition("\n\n")[0].removeprefix("Question: ") for text in behind_the_example]
    opposite = "opposite question" in system
    pairs = list(zip(before[::2], turns[3::2], strict=False))
    if opposite and _GIVEN.search(question):
        value = 0.05 + 0.9 * random.Random(question).random()
    elif pairs and (" not " in question) != (" not " in pairs[-1][0]) and len(_EVENT.findall(question)) == 1:
        value = 1 - float(re.findall(r"\[Answer\] ([.\d]+)", pairs[-1][1])[0])
    else:
        value = coherent(question, hears_not=opposite) if _EVENT.search(question) else 0.5
    return f"For it, this. Against it, that.\n[Answer] {value:.6f}"


SPECIAL: dict[str, Callable[[random.Random, float], str]] = {
    "refuses": lambda draw, p: "As a language model I cannot see into the future.",
    "rambler": lambda draw, p: rambling(draw, p) if draw.random() < RAMBLES else f"Well.\n[Answer] {p:.6f}",
    "long": lambda draw, p: "x" * 100_000 + f"\n[Answer] {p:.6f}" + "\n" * 5_000,
    "endless": lambda draw, p: "[Answer] " + "9" * 100_000,
    "escapes": lambda draw, p: f"\x1b[2J\x1b[31m\x00\u202e\n[Answer] {p:.6f}",
    "coloured": lambda draw, p: f"\x1b[2J[Answer] \x1b[31m{p:.6f}\x1b[0m",
    "page": lambda draw, p: f"<script>alert(1)</script><b>[Answer] {p:.6f}</b>",
    "brackets": lambda draw, p: "[Answer]" * 20_000,
}
"""Models whose replies are more than a number in a sentence."""


def probability_tuples(each: int, *, seed: int = 0) -> Iterator[QuestionTuple]:
    """So many tuples of each law on probabilities, on events drawn from 1 to 60."""
    draw = random.Random(seed)
    for number in range(each):
        p, q, r = draw.sample(range(1, 61), 3)
        base = (f"event {p}", f"event {q}", f"event {r}")
        will = {event: f"Will event {event} happen?" for event in (p, q, r)}
        both, either = f"Will both event {p} and event {q} happen?", f"Will event {p} or event {q} happen?"
        document: dict[str, dict[str, str]] = {
            "neg": {"P": will[p], "not_P": f"Will event {p} not happen?"},
            "paraphrase": {
                "P": will[p],
                "para_P": f"Is event {p} going to happen?",
                "para_P_2": f"Are we going to see event {p}?",
                "para_P_3": f"Does event {p} come to pass?",
            },
            "and": {"P": will[p], "Q": will[q], "P_and_Q": both},
            "or": {"P": will[p], "Q": will[q], "P_or_Q": either},
            "and-or": {"P": will[p], "Q": will[q], "P_and_Q": both, "P_or_Q": either},
            "but": {"P": will[p], "Q_and_not_P": f"Will event {q} happen and event {p} not happen?", "P_or_Q": either},
            "cond": {"P": will[p], "Q_given_P": f"Given that event {p} happens, will event {q} happen?", "P_and_Q": both},
            "cond-cond": {
                "P": will[p],
                "Q_given_P": f"Given that event {p} happens, will event {q} happen?",
                "R_given_P_and_Q": f"Given that event {p} happens and event {q} happens, will event {r} happen?",
                "P_and_Q_and_R": f"Will event {p} and event {q} and event {r} happen?",
            },
            "consequence": {"P": will[p], "cons_P": either},
            "expected-evidence": {
                "P": will[p],
                "Q": will[q],
                "P_given_Q": f"Given that event {q} happens, will event {p} happen?",
                "P_given_not_Q": f"Given that event {q} does not happen, will event {p} happen?",
            },
            "bayes": {
                "P": will[p],
                "Q": will[q],
                "P_given_Q": f"Given that event {q} happens, will event {p} happen?",
                "Q_given_P": f"Given that event {p} happens, will event {q} happen?",
            },
        }
        for law, questions in document.items():
            used = tuple(name for name in base if any(re.search(rf"{name}\b", text) for text in questions.values()))
            yield QuestionTuple(law, questions, id=f"{law} {number}", base=used)


def quantity_tuples(number: int) -> Iterator[QuestionTuple]:
    """So many series of questions whose answers can only grow."""
    for peak in range(1, number + 1):
        questions = {str(year): f"How many people will have climbed peak {peak} by the year {year}?" for year in YEARS}
        yield QuestionTuple("increasing", questions, id=f"peak {peak}", base=(f"peak {peak}",))


def running(latency: float = 0.0) -> AbstractContextManager[str]:
    """The server as a process of its own; its address."""
    return process_of(__name__, "--latency", str(latency))


def report(address: str) -> dict[str, Any]:
    """What a server was asked: `requests` by model, and the `last` of each model in full."""
    with urllib.request.urlopen(f"{address}/seen", timeout=10) as response:
        result: dict[str, Any] = json.load(response)
        return result


LATENCY = web.AppKey("latency", float)

seen: Counter[str] = Counter()
asked: Counter[tuple[str, str]] = Counter()
last: dict[str, object] = {}


async def chat(http: web.Request) -> web.StreamResponse:
    """Answer as the model's name says."""
    request = await http.json()
    model, _, moody = request["model"].partition("+")
    words = [message["content"] for message in request["messages"] if message["role"] == "user"][-1]
    if words.startswith("What is your final answer?"):
        return web.json_response(completion("I have said it."))
    question = words.partition("\n\n")[0]
    seen[request["model"]] += 1
    last[request["model"]] = request
    if model == "hot" and "temperature" in request:
        return web.json_response({"error": {"message": "this model takes no \x1b[31mtemperature"}}, status=400)
    turn = seen[request["model"]]
    if http.app[LATENCY]:
        await asyncio.sleep(http.app[LATENCY] * random.Random(turn).uniform(0.5, 1.5))
    if moody and turn % 7 == 0:
        return await fault(http, turn // 7 % 3)
    if model == "listener":
        return web.json_response(completion(listening(request["messages"])))
    number = asked[request["model"], question]
    asked[request["model"], question] += 1
    return web.json_response(completion(reply(model, question, number)))


async def fault(http: web.Request, kind: int) -> web.StreamResponse:
    """Busy, broken, or cut in mid-reply."""
    if kind == 0:
        return web.json_response({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "0.01"})
    if kind == 1:
        return web.Response(status=500, text="<h1>Internal Server Error</h1>", content_type="text/html")
    response = web.StreamResponse(headers={"Content-Length": "1000", "Content-Type": "application/json"})
    await response.prepare(http)
    await response.write(b'{"choices": [{"message"')
    assert http.transport is not None
    http.transport.close()
    return response


async def tell(_: web.Request) -> web.Response:
    return web.json_response({"requests": seen, "last": last})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before a reply, about")
    options = parser.parse_args()
    app = web.Application(client_max_size=10_000_000)
    app[LATENCY] = options.latency
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/seen", tell)
    asyncio.run(serve_until_input_ends(app, options.port))
