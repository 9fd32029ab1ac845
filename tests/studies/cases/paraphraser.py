"""A chat server on a loopback port that rewords facts, compares them or judges cases, well or badly, as the model's name says.

Run it as a program: its first line is the address to ask. It ends when its standard input is closed. `GET /seen` gives the
number of requests by model.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable

from aiohttp import web

from tests.serving import completion, serve_until_input_ends
from tests.studies.cases.made_cases import VIOLATION, original, reworded

seen: Counter[str] = Counter()
turns: Counter[str] = Counter()


def fact_of(prompt: str) -> str:
    return prompt.rpartition("Fact:\n")[2].partition("\n\n")[0]


def wanted(prompt: str) -> int:
    return int(re.findall(r"number of versions: (\d+)", prompt)[-1])


def versions(prompt: str) -> list[str]:
    return [reworded(fact_of(prompt), version) for version in range(wanted(prompt))]


def numbered(texts: list[str]) -> str:
    return "\n".join(f"[{i}] {text}" for i, text in enumerate(texts, 1))


def mixed(prompt: str) -> str:
    """By the day in the fact: well, or one of the faults."""
    day = int(re.findall(r" (\d+) (?:May|June|July|August)", fact_of(prompt))[0])
    return (WRITERS["substitutes"], *FAULTS)[day % (len(FAULTS) + 1)](prompt)


def careless(prompt: str) -> str:
    """The first version says more than the fact."""
    texts = versions(prompt)
    return numbered([f"{texts[0]} He was then set free.", *texts[1:]])


def compares(prompt: str) -> str:
    first, second = prompt.removeprefix("First:\n").split("\n\nSecond:\n")
    same = original(first) == original(second.split("\n\nDoes the second")[0])
    return f"Let me see.\nAnswer: {'YES' if same else 'NO'}"


def judges(prompt: str) -> str:
    return f"There is this and that.\n[Answer] {0.9 if VIOLATION in prompt else 0.1}"


def wavers(prompt: str) -> str:
    """Knows nothing, and says something else each time."""
    turns[prompt] += 1
    return f"[Answer] {(sum(prompt.encode()) * 31 + turns[prompt] * 57) % 101 / 100}"


def rambles(prompt: str) -> str:
    return judges(prompt) if sum(prompt.encode()) % 2 else "It is hard to say; perhaps 0.5, perhaps not."


FAULTS: tuple[Callable[[str], str], ...] = (
    lambda _: "I'm sorry, but I can't help with that.",
    lambda prompt: numbered([fact_of(prompt)] * wanted(prompt)),
    lambda prompt: "\n".join(versions(prompt)),
    lambda prompt: numbered(["" for _ in versions(prompt)]),
)
WRITERS: dict[str, Callable[[str], str]] = {
    "substitutes": lambda prompt: numbered(versions(prompt)),
    "refuses": FAULTS[0],
    "copies": FAULTS[1],
    "unformed": FAULTS[2],
    "empties": FAULTS[3],
    "floods": lambda prompt: numbered([f"{i} word " * 5_000 for i in range(wanted(prompt))]),
    "moody": lambda prompt: numbered(versions(prompt)),
    "mixed": mixed,
    "careless": careless,
    "compares": compares,
    "judges": judges,
    "wavers": wavers,
    "rambles": rambles,
}


async def chat(request: web.Request) -> web.Response:
    asked = await request.json()
    model, prompt = asked["model"], asked["messages"][-1]["content"]
    if not any(mark in prompt for mark in ("Fact:\n", "First:\n", "Claim: ")):
        return web.json_response(completion("OK"))  # a probe, or a further turn
    seen[model] += 1
    if model == "filtered":
        return web.json_response(completion("[1] half a", "content_filter"))
    if model == "moody" and "the applicant lodged" in prompt:
        return web.json_response({"error": {"message": "no such luck", "code": "content_filter"}}, status=400)
    return web.json_response(completion(WRITERS[model](prompt)))


async def report(_: web.Request) -> web.Response:
    return web.json_response(dict(seen))


if __name__ == "__main__":
    app = web.Application(client_max_size=10_000_000)
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/seen", report)
    asyncio.run(serve_until_input_ends(app))
