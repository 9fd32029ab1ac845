"""A chat server on a loopback port that knows sums in part, and fails in part: instead of being wrong, or by chance.

Run it as a program: `python -m tests.candidates.failing [--port 0]`. Its models:

- `instead.MODE`: right half of the time, whatever is asked and however often; else it fails as model MODE of `server` does.
- `honest`: knows 90% of all sums, the same whenever it is asked.
- `locked`: the same, but the first eight requests have the wrong key.
- `honest.MODE.PERCENT`: the same, but fails so at the first attempt of so many percent of the questions, right or wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import re
from collections import Counter

from aiohttp import web

from tests.candidates.server import LATENCY, respond
from tests.serving import completion, serve_until_input_ends

KNOWN = 0.9
"""Share of all sums that `honest` knows."""
turns: Counter[tuple[str, int]] = Counter()
seen: Counter[str] = Counter()


def chance(*what: object) -> float:
    """A number in [0, 1) that is the same every time, and as good as random."""
    return int.from_bytes(hashlib.sha256(repr(what).encode()).digest()[:4]) / 2**32


async def chat(request: web.Request) -> web.StreamResponse:
    """Answer a sum, or fail."""
    asked = await request.json()
    model, prompt = asked["model"], asked["messages"][-1]["content"]
    match = re.search(r"What is (\d+) \+ 1\?", prompt)
    assert match is not None
    number = int(match[1])
    turns[model, number] += 1
    kind, *failing = model.split(".")
    if kind == "instead":
        if chance("luck", model, number, turns[model, number]) >= 0.5:
            return await respond(request, failing[0], prompt)
        return web.json_response(completion(f"Answer: {number + 1}"))
    seen[model] += 1
    if kind == "locked" and seen[model] <= 8:
        return web.json_response({"error": {"message": "no such key"}}, status=401)
    if failing and turns[model, number] == 1 and chance("fault", number) < int(failing[1]) / 100:
        return await respond(request, failing[0], prompt)
    return web.json_response(completion(f"Answer: {number + (chance('known', number) < KNOWN)}"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    app = web.Application()
    app[LATENCY] = 0.0
    app.router.add_post("/v1/chat/completions", chat)
    asyncio.run(serve_until_input_ends(app, parser.parse_args().port))
