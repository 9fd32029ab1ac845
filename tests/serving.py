"""What the chat servers of tests share: a body as the protocol has it, and a server that lives as long as its input is open."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

ROOT = Path(__file__).parents[1]


def completion(text: object = "Answer: C", finish: object = "stop", **more: object) -> dict[str, object]:
    """A body as the protocol has it: 7 tokens in, 3 out."""
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text, **more}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


@dataclass(frozen=True)
class ChatServer:
    """Where a server is, and what it was asked."""

    address: str

    def candidate(self, model: str) -> str:
        return f"chat:{model}@{self.address}/v1"

    def seen(self) -> Counter[str]:
        """What it counted."""
        with urllib.request.urlopen(f"{self.address}/seen", timeout=10) as response:
            return Counter(json.load(response))


def chat_app(chat: Callable[[web.Request], Awaitable[web.StreamResponse]], seen: Counter[str]) -> web.Application:
    """Answers by `chat`, and tells what was counted."""

    async def report(_: web.Request) -> web.Response:
        return web.json_response(dict(seen))

    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/seen", report)
    return app


@contextmanager
def process_of(module: str, *options: str) -> Iterator[str]:
    """A module that serves until its input ends, as a process of its own; its address."""
    command = [sys.executable, "-m", module, *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.communicate(timeout=60)


async def serve_until_input_ends(app: web.Application, port: int = 0) -> None:
    """Serve at a loopback port, any free one if 0, and print the address as the first line."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port, backlog=1024)
    await site.start()
    (socket,) = site._server.sockets  # type: ignore[union-attr]
    print(f"http://127.0.0.1:{socket.getsockname()[1]}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()
