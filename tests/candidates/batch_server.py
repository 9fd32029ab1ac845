"""A server that speaks the batch protocol, keeps all on disk, and bills what it answers; it behaves as the model's name says.

Run it as a program: `python -m tests.candidates.batch_server FOLDER [--port 0] [--delay 0.1]`; its first line is the address.
It ends when its standard input is closed, and goes on from the folder. `GET /billed` counts how often each line was answered.

Models are `calculator:SHARE_WRONG` and, before a `+`, what goes wrong:

- `mumbles`: every fifth reply cannot be read.
- `busy`, `broken`: every fourth line is turned away once (status 429), or fails (500).
- `expires`, `cancelled`: the first batch is at its end after half of its lines.
- `invalid`, `full`: a batch is refused, for its file or since the queue is full.
- `mangled`: bad lines, lines twice, strangers' lines, and every seventh missing once.
- `endless`: the first answer of a file comes twenty times.
- `slips`: every other call for a batch or a file fails once there is one.
- `lost`: a batch is made, but the reply to that is cut.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.serving import completion, serve_until_input_ends
from vivavoce.candidates import open_candidate
from vivavoce.interview.candidate import Prompt

KEY = "sk-batch-0123456789"
"""Whoever brings another key is refused."""


class BatchVendor:
    """Files, batches and bills in a folder."""

    def __init__(self, folder: Path, delay: float = 0.0, looks: int = 0, pause: float = 0.0) -> None:
        self.folder, self.delay, self.looks, self.pause = folder, delay, looks, pause
        folder.mkdir(exist_ok=True)
        self.state: dict[str, Any] = {"batches": [], "billed": {}, "seen": {}, "files": 0}
        if (folder / "state.json").exists():
            self.state = json.loads((folder / "state.json").read_text())
        self.calls: Counter[str] = Counter()
        self.minds: dict[str, Any] = {}

    def keep(self) -> None:
        draft = self.folder / "draft.json"
        draft.write_text(json.dumps(self.state))
        os.replace(draft, self.folder / "state.json")

    def file(self, content: bytes) -> str:
        self.state["files"] += 1
        name = f"file-{self.state['files']}"
        (self.folder / name).write_bytes(content)
        self.keep()
        return name

    def times(self, what: str, line: str) -> int:
        """How often this was asked for, this time included."""
        self.state["seen"][f"{what} {line}"] = result = self.state["seen"].get(f"{what} {line}", 0) + 1
        return int(result)

    async def said(self, model: str, body: dict[str, Any]) -> str:
        mode, _, mind = model.rpartition("+")
        messages = body["messages"]
        first = next(message["content"] for message in messages if message["role"] == "user")
        if "mumbles" in mode and len(messages) == 1 and sum(first.encode()) % 5 == 0:
            return "Well, that depends on how one looks at it."
        if mind not in self.minds:
            self.minds[mind] = open_candidate(f"bot:calculator?wrong={mind.partition(':')[2] or 0}")
        text = (await self.minds[mind].answer(Prompt(first))).text
        return str(text)


VENDOR = web.AppKey("vendor", BatchVendor)


def denied(status: int, message: str, code: str = "") -> web.Response:
    return web.json_response({"error": {"message": message, "code": code or None}}, status=status)


@web.middleware
async def checked(request: web.Request, handler: Any) -> web.StreamResponse:
    if request.path == "/billed":
        return await handler(request)  # type: ignore[no-any-return]
    if request.headers.get("Authorization") != f"Bearer {KEY}":
        return denied(401, "no such key")
    vendor = request.app[VENDOR]
    vendor.calls[request.method + request.path] += 1
    slips = any("slips" in entry["model"] for entry in vendor.state["batches"])
    if slips and request.method == "GET" and vendor.calls[request.method + request.path] % 2:
        return denied(500, "a slip")
    return await handler(request)  # type: ignore[no-any-return]


async def chat(request: web.Request) -> web.Response:
    body = await request.json()
    text = "ready" if "ready" in body["messages"][-1]["content"] else await request.app[VENDOR].said(body["model"], body)
    request.app[VENDOR].state["seen"]["at once"] = request.app[VENDOR].state["seen"].get("at once", 0) + 1
    return web.json_response(completion(text))


async def upload(request: web.Request) -> web.Response:
    form = await request.post()
    content = form["file"]
    if form["purpose"] != "batch" or not isinstance(content, web.FileField):
        return denied(400, "no file for a batch")
    values = {"id": request.app[VENDOR].file(content.file.read()), "object": "file", "purpose": "batch"}
    await asyncio.sleep(request.app[VENDOR].pause)
    return web.json_response(values)


async def create(request: web.Request) -> web.Response:
    vendor, wanted = request.app[VENDOR], await request.json()
    if wanted["endpoint"] != "/v1/chat/completions" or wanted["completion_window"] != "24h":
        return denied(400, "no such batch")
    raw = (vendor.folder / wanted["input_file_id"]).read_text().splitlines()
    lines = [json.loads(line) for line in raw]
    assert len({line["custom_id"] for line in lines}) == len(lines) <= 50_000
    assert all(len(line["custom_id"]) <= 64 and line["url"] == wanted["endpoint"] for line in lines)
    model = lines[0]["body"]["model"]
    made = {
        "id": f"batch_{len(vendor.state['batches'])}",
        "object": "batch",
        "model": model,
        "created": time.time(),
        "looks": 0,
        **wanted,
    }
    made |= await answered(vendor, model, lines)
    vendor.state["batches"].append(made)
    vendor.keep()
    await asyncio.sleep(vendor.pause)
    if "lost" in model:
        assert request.transport is not None
        request.transport.close()
    return web.json_response(shown(vendor, made))


async def answered(vendor: BatchVendor, model: str, lines: list[dict[str, Any]]) -> dict[str, Any]:
    """How the batch will end, and its files; what is answered is billed."""
    mode = model.rpartition("+")[0]
    if "invalid" in mode or "full" in mode:
        code = "token_limit_exceeded" if "full" in mode else "invalid_json_line"
        return {"end": "failed", "errors": {"data": [{"code": code, "message": f"refused ({KEY})", "line": 1}]}}
    ends, done, good, bad = "completed", lines, [], []
    if {"expires", "cancelled"} & set(mode.split("+")) and vendor.times(mode, "ended") == 1:
        ends, done = "expired" if "expires" in mode else "cancelled", lines[: len(lines) // 2]
        if ends == "expired":
            over = {"response": None, "error": {"code": "batch_expired"}}
            bad = [{"custom_id": entry["custom_id"]} | over for entry in lines[len(done) :]]
    for index, line in enumerate(done):
        body, key = line["body"], json.dumps(line["body"], sort_keys=True)
        first = vendor.times("line", key) == 1
        status = 429 if "busy" in mode else 500 if "broken" in mode else 0
        if status and first and index % 4 == 0:
            error = {"status_code": status, "body": {"error": {"message": "not now"}}}
            bad.append({"custom_id": line["custom_id"], "response": error, "error": None})
            continue
        if "mangled" in mode and first and index % 7 == 0:
            continue
        vendor.state["billed"][key] = vendor.state["billed"].get(key, 0) + 1
        response = {"status_code": 200, "request_id": "r", "body": completion(await vendor.said(model, body))}
        good.append({"id": "b", "custom_id": line["custom_id"], "response": response, "error": None})
    text = [json.dumps(entry) for entry in reversed(good)]  # in any order
    if "endless" in mode:
        text = [text[0]] * 20 + text[1:]
    if "mangled" in mode and text:
        odd = {"custom_id": good[0]["custom_id"], "response": None, "error": {"code": [], "message": {}}}
        text = ['{"custom_id": ', "[]", '{"custom_id": 7}', json.dumps({"custom_id": "stranger"}), *text, "\x00", text[0]]
        text.append(json.dumps(odd))
        text.append(json.dumps(good[-1] | {"response": {"status_code": 200, "body": completion("Answer: another")}}))
    files = {"output_file_id": vendor.file("\n".join(text).encode()) if text else None}
    files["error_file_id"] = vendor.file("".join(json.dumps(entry) + "\n" for entry in bad).encode()) if bad else None
    return {"end": ends, "files": files, "counts": [len(lines), len(good), len(bad)]}


def shown(vendor: BatchVendor, batch: dict[str, Any]) -> dict[str, Any]:
    """A batch by its age."""
    age = batch["looks"] / vendor.looks if vendor.looks else 1.0
    if vendor.delay:
        age = (time.time() - batch["created"]) / vendor.delay
    ages = (("validating", 0.2), ("in_progress", 0.8), ("finalizing", 1))
    status = next((name for name, till in ages if age < till), batch["end"])
    total, completed, failed = batch.get("counts", [0, 0, 0])
    part = min(1.0, age)
    values = {name: batch[name] for name in ("id", "object", "endpoint", "input_file_id", "completion_window", "metadata")}
    values["request_counts"] = {"total": total, "completed": int(completed * part), "failed": int(failed * part)}
    ended = status == batch["end"]
    files = batch.get("files", {"output_file_id": None, "error_file_id": None}) if ended else {}
    return values | {"status": status, "errors": batch.get("errors") if ended else None} | files


async def one(request: web.Request) -> web.Response:
    vendor = request.app[VENDOR]
    result = next((batch for batch in vendor.state["batches"] if batch["id"] == request.match_info["id"]), None)
    if result is not None:
        result["looks"] += 1
    return denied(404, "no such batch") if result is None else web.json_response(shown(vendor, result))


async def listed(request: web.Request) -> web.Response:
    """Newest first, three at a time."""
    vendor, after = request.app[VENDOR], request.query.get("after")
    batches = vendor.state["batches"][::-1]
    start = next((index + 1 for index, batch in enumerate(batches) if batch["id"] == after), 0)
    page = [shown(vendor, batch) for batch in batches[start : start + 3]]
    return web.json_response({"object": "list", "data": page, "has_more": start + 3 < len(batches)})


async def content(request: web.Request) -> web.Response:
    return web.Response(body=(request.app[VENDOR].folder / Path(request.match_info["id"]).name).read_bytes())


async def billed(request: web.Request) -> web.Response:
    vendor = request.app[VENDOR]
    times = list(vendor.state["billed"].values())
    values = {
        "lines": sum(times),
        "distinct": len(times),
        "batches": len(vendor.state["batches"]),
        "files": vendor.state["files"],
    }
    return web.json_response(values | {"at once": vendor.state["seen"].get("at once", 0)})


def application(folder: Path, delay: float = 0.0, looks: int = 0, pause: float = 0.0) -> web.Application:
    """The server; a batch is at its end after `delay` seconds, or after that many looks at it.

    pause: seconds for which it does not tell that it has taken a file or made a batch.
    """
    app = web.Application(client_max_size=300_000_000, middlewares=[checked])
    app[VENDOR] = BatchVendor(folder, delay, looks, pause)
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_post("/v1/files", upload)
    app.router.add_get("/v1/files/{id}/content", content)
    app.router.add_post("/v1/batches", create)
    app.router.add_get("/v1/batches", listed)
    app.router.add_get("/v1/batches/{id}", one)
    app.router.add_get("/billed", billed)
    return app


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds until a batch is at its end")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds before it tells that it has done something")
    options = parser.parse_args()
    served = application(options.folder, options.delay, pause=options.pause)
    asyncio.run(serve_until_input_ends(served, options.port))
