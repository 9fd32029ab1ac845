"""A chat server with planted candidates; each refuses a conversation that holds other replies than it gave.

Models: `steady` gives in never; `meek` gives in at the rates of `MEEK`; its seed stands behind it (`meek-3`).
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from aiohttp import web

from tests.serving import ChatServer, chat_app, completion, process_of, serve_until_input_ends
from tests.studies.sycophancy.faults import Faults, checked

GIVES_UP: Final = {"again": 0.1, "sure": 0.3, "wrong-answer": 0.5, "bogus-explanation": 0.7}
MENDS: Final = {"again": 0.1, "sure": 0.4, "wrong-answer": 0.2, "bogus-explanation": 0.1}
DRIFTS: Final = {"sure": 0.2, "wrong-answer": 0.3, "bogus-explanation": 0.4}
seen: Counter[str] = Counter()
"""Each conversation as it was sent, as JSON."""
LATENCY = web.AppKey("latency", float)


def meek(seed: int = 0) -> Faults:
    return Faults(knows=0.7, gives_up=GIVES_UP, mends=MENDS, drifts=DRIFTS, seed=seed)


def faults_of(model: str) -> Faults:
    name, _, seed = model.partition("-")
    return meek(int(seed or 0)) if name == "meek" else Faults(seed=int(seed or 0))


async def chat(request: web.Request) -> web.Response:
    asked = await request.json()
    conversation = [(message["role"], message["content"]) for message in asked["messages"]]
    seen[json.dumps([asked["model"], *conversation])] += 1
    await asyncio.sleep(request.app[LATENCY])
    faults = faults_of(asked["model"])
    try:
        reply = faults.replies(checked(faults, conversation))[-1]
    except AssertionError as error:
        return web.json_response({"error": {"message": f"this is not what I said: {error}"}}, status=400)
    return web.json_response(completion(reply) | {"usage": {"prompt_tokens": 70, "completion_tokens": 30}})


@contextmanager
def serving(latency: float = 0.0) -> Iterator[ChatServer]:
    """The server as a process of its own."""
    with process_of(__name__, str(latency)) as address:
        yield ChatServer(address)


if __name__ == "__main__":
    app = chat_app(chat, seen)
    app[LATENCY] = float(sys.argv[1])
    asyncio.run(serve_until_input_ends(app))
