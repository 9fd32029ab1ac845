"""A server on loopback that ends the program that asks it, at requests settled beforehand; and programs to be ended."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from signal import Signals
from threading import Thread
from typing import Any

from aiohttp import web

from tests.candidates.batch_server import KEY, VENDOR, application
from tests.serving import completion
from vivavoce.candidates import open_candidate
from vivavoce.cli import main
from vivavoce.interview.candidate import Prompt

LOADED = (__name__, "vivavoce.examination.sweep.run", "vivavoce.render.console", "vivavoce.web.app")
"""Modules that are loaded once, not by every program."""


@dataclass(frozen=True)
class Shot:
    """When a program is ended, and how."""

    request: int
    """The number of the request of that program, from 1."""
    signal: Signals
    is_answered: bool
    """Whether that request is answered before."""


class KillingServer:
    """Answers chat completions and batches, counts what it answers, and ends the program that asks."""

    def __init__(self, folder: Path) -> None:
        self.requests = 0
        """Of the program that runs."""
        self.answered: Counter[str] = Counter()
        """How often each chat request was answered."""
        self.address = ""
        self._shot: Shot | None = None
        self._victim: ForkServerProcess | None = None
        self._minds: dict[str, Any] = {}
        self._app = application(folder / "vendor")
        self._app.middlewares.insert(0, self._counted)
        self._app.router.add_post("/chat/v1/chat/completions", self._chat)

    def expect(self, victim: ForkServerProcess, shot: Shot | None) -> None:
        """Count the requests of another program, and end it as settled, if at all."""
        self.requests, self._victim, self._shot = 0, victim, shot

    @property
    def billed(self) -> dict[str, int]:
        """How often each line of a batch was answered."""
        result: dict[str, int] = self._app[VENDOR].state["billed"]
        return result

    @web.middleware
    async def _counted(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.requests += 1
        shot = self._shot if self._shot is not None and self.requests == self._shot.request else None
        if shot is not None and not shot.is_answered:
            self._end(shot)
        response: web.StreamResponse = await handler(request)
        if shot is not None and shot.is_answered:
            await response.prepare(request)
            await response.write_eof()
            self._end(shot)
        return response

    def _end(self, shot: Shot) -> None:
        assert self._victim is not None
        assert self._victim.pid is not None
        os.kill(self._victim.pid, shot.signal)

    async def _chat(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.answered[json.dumps([body["model"], body["messages"]])] += 1
        if body["model"] not in self._minds:
            self._minds[body["model"]] = open_candidate(f"bot:calculator?wrong={body['model'].partition(':')[2]}")
        reply = await self._minds[body["model"]].answer(Prompt(body["messages"][-1]["content"]))
        return web.json_response(completion(reply.text))

    @contextmanager
    def running(self) -> Iterator[KillingServer]:
        """Serve in a thread of its own."""
        loop = asyncio.new_event_loop()
        runner = web.AppRunner(self._app, access_log=None, shutdown_timeout=0.1)

        async def start() -> None:
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.address = f"http://127.0.0.1:{runner.addresses[0][1]}"

        loop.run_until_complete(start())
        thread = Thread(target=loop.run_forever)
        thread.start()
        try:
            yield self
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.run_until_complete(runner.cleanup())
            loop.close()


def program(folder: Path, *arguments: str) -> ForkServerProcess:
    """`viva` as a process of its own in this folder; what it prints is in the files `out` and `err` there."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(list(LOADED))
    return processes.Process(target=_call, args=(folder, arguments))


def _call(folder: Path, arguments: tuple[str, ...]) -> None:
    os.chdir(folder)
    os.environ["VIVA_API_KEY"] = KEY
    with Path("out").open("w") as sys.stdout, Path("err").open("w", 1) as sys.stderr:
        code = main(arguments)
    os._exit(code)
