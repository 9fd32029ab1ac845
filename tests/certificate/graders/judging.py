"""The hostile chat server with two judges more: `strict`, who gives 8 points, and `mute`, who gives none."""

from __future__ import annotations

import asyncio

from aiohttp import web

from tests.candidates import server
from tests.serving import completion, serve_until_input_ends

if __name__ == "__main__":
    server.BODIES["strict"] = completion("Right in the main.\nScore: 8\nUnacceptable: no")
    server.BODIES["mute"] = completion("I would rather not.")
    app = web.Application()
    app[server.LATENCY] = 0.01
    app.router.add_post("/v1/chat/completions", server.chat)
    asyncio.run(serve_until_input_ends(app))
