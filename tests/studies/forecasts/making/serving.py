"""A chat server on a loopback port that plays a writer and a checker with planted faults.

Base questions are `Will event N happen before 2030?`. What model `writer` makes of one depends on N modulo 13 (`KINDS`);
asked to check, it is perfect. Model `lax` writes rightly and checks with planted errors (`LAX`). Model `fluent` writes
something for each statement that is wanted, and agrees with everything; so does model `plain`, which takes no schema. Model
`hostile` writes formulas, and checks by megabytes.

Run it as a program: its first line is the address. It ends when its standard input is closed. `GET /seen` counts requests.
"""

from __future__ import annotations

import asyncio
import re
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

from aiohttp import web

from tests.serving import ChatServer, chat_app, completion, process_of, serve_until_input_ends

KINDS = (
    "copy",
    "refuse",
    "unmarked",
    "wrong",
    "empty",
    "long",
    "statement",
    "decline",
    "steer",
    "twice",
    "fault",
    "right",
    "right",
)
LAX = {0: "false reject", 1: "unreadable", 2: "both"}
"""What model `lax` says of right negations, by N modulo 10; of all others it says yes."""

seen: Counter[str] = Counter()


def base(number: int) -> str:
    return f"Will event {number} happen before 2030?"


def negation(number: int) -> str:
    return f"Will event {number} not happen before 2030?"


def written(number: int) -> str:
    """The reply of model `writer` to be asked for a negation."""
    line = "Let me think.\n[Statement not_P]"
    match KINDS[number % len(KINDS)]:
        case "copy":
            return f"{line} {base(number)}"
        case "refuse":
            return "I'm sorry, but I cannot help with that."
        case "unmarked":
            return f"Here you are: {negation(number)}"
        case "wrong":
            return f"{line} Will event {number} happen before 2031?"
        case "empty":
            return f"{line}   "
        case "long":
            return f"{line} Will event {number} {'really ' * 500}not happen?"
        case "statement":
            return f"{line} Event {number} will not happen before 2030."
        case "decline":
            return "[Cannot] This has no opposite."
        case "steer":
            return f"{line} \x1b[2JWill event {number} not happen before 2030?"
        case "twice":
            return f"{line} {negation(number)}\n[Statement not_P] Will event {number} fail?"
        case _:
            return f"{line} {negation(number)}"


def checked(prompt: str, *, lax: bool) -> str:
    """A verdict on a negation: what is shown is compared, letter by letter."""
    number = int(re.findall(r"\[P\] «Will event (\d+) ", prompt)[0])
    right = f"[not_P] «{negation(number)}»" in prompt
    if lax:
        match LAX.get(number % 10):
            case "false reject":
                right = False
            case "unreadable":
                return "Looks fine to me."
            case "both":
                return "Answer: YES\nAnswer: NO"
            case _:
                right = True
    return f"Reason: {'It is.' if right else 'The dates differ.'}\nAnswer: {'YES' if right else 'NO'}"


def fluent(prompt: str) -> str:
    wanted = re.findall(r"^- (\w+): ", prompt, flags=re.MULTILINE)
    about = re.findall(r"^\[[PQR]\] «(.*)»$", prompt, flags=re.MULTILINE)
    return "\n".join(f'**[Statement {name}]** "Is it {name} of {" / ".join(about)}?"' for name in wanted)


def reply(model: str, system: str, prompt: str) -> str:
    checking = "You check" in system
    number = int((re.findall(r"event (\d+)", prompt) or ["0"])[0])
    match model:
        case "lax":
            return checked(prompt, lax=True) if checking else f"[Statement not_P] {negation(number)}"
        case "fluent" | "plain":
            return "Reason: Of course.\nAnswer: YES" if checking else fluent(prompt)
        case "hostile":
            return "Answer: YES\n" * 100_000 if checking else '[Statement not_P] =HYPERLINK("http://x","Will it?")'
    return checked(prompt, lax=False) if checking else written(number)


async def chat(request: web.Request) -> web.Response:
    asked = await request.json()
    model, messages = asked["model"], asked["messages"]
    system = messages[0]["content"] if messages[0]["role"] == "system" else ""
    prompt = messages[-1]["content"]
    seen[model] += 1
    if model == "plain" and "response_format" in asked:
        return web.json_response({"error": {"message": "Unsupported parameter: 'response_format'"}}, status=400)
    await asyncio.sleep(request.app[LATENCY])
    if "You check" in system:
        await request.app[GATE].passed()
    number = int((re.findall(r"event (\d+)", prompt) or ["0"])[0])
    if model == "writer" and "You write" in system and KINDS[number % len(KINDS)] == "fault":
        return web.json_response({"error": {"message": "not this one"}}, status=400)
    return web.json_response(
        completion(reply(model, system, prompt)) | {"usage": {"prompt_tokens": 70, "completion_tokens": 30}}
    )


class CheckGate:
    """Lets checks pass, all or as many as it is told; the others wait until it is opened."""

    def __init__(self) -> None:
        self._left = inf
        self._opened = asyncio.Event()

    async def passed(self) -> None:
        self._left -= 1
        if self._left < 0:
            await self._opened.wait()

    async def turn(self, request: web.Request) -> web.Response:
        self._left = float(request.match_info["number"])
        self._opened.set() if self._left == inf else self._opened.clear()
        return web.Response()


LATENCY = web.AppKey("latency", float)
GATE = web.AppKey("gate", CheckGate)


class GatedChatServer(ChatServer):
    """One whose checks can be held back."""

    def let_checks_pass(self, number: float) -> None:
        """So many from now on; the others wait until all may pass (`inf`)."""
        urllib.request.urlopen(f"{self.address}/gate/{number}", timeout=10).close()


@contextmanager
def serving(latency: float = 0.0) -> Iterator[GatedChatServer]:
    """The server as a process of its own."""
    with process_of(__name__, str(latency)) as address:
        yield GatedChatServer(address)


if __name__ == "__main__":
    app = chat_app(chat, seen)
    app[LATENCY], app[GATE] = float(sys.argv[1]), CheckGate()
    app.router.add_get("/gate/{number}", app[GATE].turn)
    asyncio.run(serve_until_input_ends(app))
