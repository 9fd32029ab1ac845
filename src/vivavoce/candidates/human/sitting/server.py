"""The page's server: on this machine alone, behind an address that cannot be guessed.

What is in a question or an answer is text and never markup. The address holds a random token, so that no other page can send
answers; a host by another name is refused, so that no other name can be made to lead here. Nothing is loaded from elsewhere.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from vivavoce.candidates.human.desk import Left
from vivavoce.candidates.human.item import Item, cleaned
from vivavoce.candidates.human.sitting.state import ENDED, State
from vivavoce.errors import BadInput, CandidateMisconfigured
from vivavoce.interview.progress import Progress

HOST: Final = "127.0.0.1"
LARGEST: Final = 256 * 1024
"""Bytes of what a page sends."""
SOON: Final = 2.0
"""Seconds for which a page waits for the next question; then it says so and looks again."""
FAREWELL: Final = 3.0
"""Seconds that the last page has to be seen, where somebody looks."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_HERE: Final = Path(__file__).parent
_FILES: Final = {"sitting.css": "text/css", "sitting.js": "text/javascript"}
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'none'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_PAGES: Final = Environment(
    loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)


class Sitting:
    """A page as a desk.

    port: where it is served; 0: any that is free.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._token = secrets.token_urlsafe(16)
        self._state = State()
        self._runner: web.AppRunner | None = None
        self._farewell = asyncio.Event()
        self._looked_at = float("-inf")

    @property
    def address(self) -> str:
        """Where the person goes."""
        return f"http://{HOST}:{self._port}/{self._token}/"

    async def agree(self, alias: str, terms: tuple[str, ...]) -> None:
        """Serve the page, say where it is, and wait until the person agrees."""
        if self._runner is None:
            await self._start()
            print(f"{alias} sits at {self.address}", file=sys.stderr, flush=True)
        if self._state.stage in ENDED:
            raise Left
        await self._state.agree(alias, terms)

    async def ask(self, alias: str, item: Item, progress: Progress | None) -> str:
        """Put one question on the page."""
        return await self._state.ask(item, progress)

    async def close(self) -> None:
        """Show the last page, and serve no more."""
        if self._runner is None:
            return
        self._farewell.clear()
        was_open = self._state.stage not in ENDED
        self._state.over()
        if was_open and self._state.alias and asyncio.get_running_loop().time() - self._looked_at < 5 * SOON:
            try:
                async with asyncio.timeout(FAREWELL):
                    await self._farewell.wait()
            except TimeoutError:
                pass
        runner, self._runner = self._runner, None
        await runner.cleanup()

    async def _start(self) -> None:
        app = web.Application(client_max_size=LARGEST, middlewares=[self._guarded])
        app.router.add_get(f"/{self._token}/", self._show)
        app.router.add_post(f"/{self._token}/", self._take)
        app.router.add_get(f"/{self._token}/{{file:sitting\\.(?:css|js)}}", _file)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=SOON)
        await runner.setup()
        try:
            await web.TCPSite(runner, HOST, self._port).start()
        except OSError as error:
            await runner.cleanup()
            raise CandidateMisconfigured(
                f"port {self._port} cannot be served ({error.strerror or error}): give another one, or '?serve=0'",
                hearing="unheard",
            ) from None
        self._runner, self._port = runner, runner.addresses[0][1]

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.headers.get("Host", "") not in (f"{HOST}:{self._port}", f"localhost:{self._port}"):
            return web.Response(status=403, text="This page has another address.", headers=_HEADERS)
        try:
            response: web.StreamResponse = await handler(request)
        except web.HTTPException as error:
            error.headers.update(_HEADERS)
            raise
        response.headers.update({name: value for name, value in _HEADERS.items() if name not in response.headers})
        return response

    async def _show(self, request: web.Request) -> web.Response:
        """The page as the sitting stands."""
        return await self._page()

    async def _take(self, request: web.Request) -> web.StreamResponse:
        """What the person sent; then the page of what follows."""
        form = {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
        match form.get("step"):
            case "begin":
                self._state.begin()
            case "leave":
                self._state.leave()
            case "answer":
                refused = await self._answer(form)
                if refused is not None:
                    return refused
        if await self._state.settled(SOON) in ENDED:
            return await self._page()
        raise web.HTTPSeeOther(f"/{self._token}/")

    async def _answer(self, form: Mapping[str, str]) -> web.Response | None:
        """Take an answer; the page again where it cannot be one."""
        put, number, typed = self._state.put, form.get("number", ""), form.get("answer", "")
        if put is None or str(put.number) != number:
            return None
        try:
            reply = put.item.reply(typed)
        except BadInput as error:
            return await self._page(problem=str(error), typed=cleaned(typed), status=422)
        self._state.answer(put.number, reply)
        return None

    async def _page(self, *, problem: str = "", typed: str = "", status: int = 200) -> web.Response:
        self._looked_at = asyncio.get_running_loop().time()
        stage, state = await self._state.settled(SOON), self._state
        put = state.put
        text = _PAGES.get_template("sitting.html.j2").render(
            stage=stage, alias=state.alias, terms=state.terms, put=put, problem=problem, typed=typed,
            done=0 if put is None or put.progress is None else put.progress.answered,
            expected=None if put is None or put.progress is None else put.progress.expected,
        )  # fmt: skip
        if stage in ENDED:
            self._farewell.set()
        return web.Response(text=text, content_type="text/html", status=status)


async def _file(request: web.Request) -> web.Response:
    name = request.match_info["file"]
    kept = {"Cache-Control": "private, max-age=86400"}  # the last page is shown when nothing is served any more
    return web.Response(text=(_HERE / name).read_text(encoding="utf-8"), content_type=_FILES[name], headers=kept)
