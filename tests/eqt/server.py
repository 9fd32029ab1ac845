"""The planted models behind a chat server on a loopback port.

Run it as a program: `python -m tests.eqt.server [--latency 0.1] [--spread 0.5] [--mind '{"recall": 0.7}']`; its first line is
the address to ask, where model `planted:7` is the mind with seed 7. It ends when its standard input is closed. `GET /seen`
tells the number of requests, of different ones, and the most that were in flight.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from math import log
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.eqt.models import MindProbabilities, chance
from tests.serving import completion, serve_until_input_ends
from vivavoce.interview.forms.several_options import SeveralOptions
from vivavoce.interview.requests import PROBE

MIND = web.AppKey("mind", MindProbabilities)
LATENCY = web.AppKey("latency", float)
SPREAD = web.AppKey("spread", float)
SCHEMAS = web.AppKey("schemas", bool)
OTHERWISE = {SeveralOptions(()).further: "I still cannot tell.", PROBE: "ready"}
"""What is said to a further turn, and to a probe."""
seen = {"requests": 0, "in flight": 0, "most in flight": 0, "under a schema": 0}
different: set[str] = set()


async def chat(request: web.Request) -> web.Response:
    asked = await request.json()
    text = asked["messages"][-1]["content"]
    seen["requests"] += 1
    seen["in flight"] += 1
    seen["most in flight"] = max(seen["most in flight"], seen["in flight"])
    different.add(hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest())
    # A reply takes the latency on average; the spread is what share of it is exponential.
    latency, spread = request.app[LATENCY], request.app[SPREAD]
    await asyncio.sleep(latency * (1 - spread - spread * log(1 - chance("latency", text))))
    mind = replace(request.app[MIND], seed=int(asked["model"].partition(":")[2] or 0))
    words = OTHERWISE[text] if text in OTHERWISE else mind.reply(text)
    if request.app[SCHEMAS] and "response_format" in asked:
        seen["under a schema"] += 1
        words = in_fields(words, asked["response_format"]["json_schema"]["schema"])
    seen["in flight"] -= 1
    usage = {"prompt_tokens": len(text) // 4, "completion_tokens": len(words) // 4}
    return web.json_response(completion(words) | {"usage": usage})


def in_fields(reply: str, schema: dict[str, Any]) -> str:
    """A planted reply as the object that a schema asks for; nothing where the reply holds nothing of the kind."""
    names = set(schema["properties"])
    if names == {"paraphrase"}:
        return json.dumps({"paraphrase": reply.partition("Paraphrase: ")[2]})
    if names == {"reason", "verdict"}:
        verdict, _, reason = reply.removeprefix("[Verdict] ").partition("\n[Reason] ")
        return json.dumps({"reason": reason, "verdict": verdict.upper()})
    assert names == {"exam_question", "right_answers", "wrong_answers"}, names
    options = dict(re.findall(r"^([A-D])\) (.+)$", reply, flags=re.MULTILINE))
    key = re.findall(r"[A-D]", reply.partition("Correct: ")[2])
    return json.dumps(
        {
            "exam_question": reply.partition("Question: ")[2].partition("\n")[0],
            "right_answers": [text for letter, text in options.items() if letter in key],
            "wrong_answers": [text for letter, text in options.items() if letter not in key],
        }
    )


async def report(_: web.Request) -> web.Response:
    return web.json_response(seen | {"different": len(different)})


async def serve(mind: MindProbabilities, latency: float, spread: float, schemas: bool) -> None:
    app = web.Application(client_max_size=10_000_000)
    app[MIND], app[LATENCY], app[SPREAD], app[SCHEMAS] = mind, latency, spread, schemas
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/seen", report)
    await serve_until_input_ends(app)


@dataclass(frozen=True)
class PlantedServer:
    """Where it is, and what it was asked."""

    address: str

    def candidate(self, seed: int = 0) -> str:
        return f"chat:planted:{seed}@{self.address}/v1"

    def seen(self) -> dict[str, int]:
        with urllib.request.urlopen(f"{self.address}/seen", timeout=10) as response:
            answer: dict[str, int] = json.load(response)
            return answer


@contextmanager
def serving(
    mind: MindProbabilities, *, latency: float = 0.0, spread: float = 0.0, schemas: bool = False
) -> Iterator[PlantedServer]:
    """The server as a process of its own; one with `schemas` keeps to a schema, another takes no notice of it."""
    options = ["--latency", str(latency), "--spread", str(spread), "--mind", json.dumps(asdict(mind))]
    options += ["--schemas"] * schemas
    command = [sys.executable, "-m", "tests.eqt.server", *options]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield PlantedServer(process.stdout.readline().strip())
        process.communicate(timeout=10)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds of a reply on average")
    parser.add_argument("--spread", type=float, default=0.0, help="from 0, all alike, to 1, exponential")
    parser.add_argument("--mind", type=json.loads, default={}, help="probabilities as JSON")
    parser.add_argument("--schemas", action="store_true", help="keep to the schema of a request")
    given = parser.parse_args()
    asyncio.run(serve(MindProbabilities(**given.mind), given.latency, given.spread, given.schemas))
