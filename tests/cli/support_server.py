"""A chat server on a loopback port that speaks the OpenAI protocol: support bots, and judges of their answers.

Run it as a program: `python -m tests.cli.support_server [--latency 0.1]`; its first line is the address to ask. It ends when
its standard input is closed. Model `support` knows the shop's rules, and `careless` gives two of three reasons wrong. Model
`judge` gives points by the words of an answer, and `mumbling` cannot be read about every fifth order. `GET /asked`
lists what each model was asked.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections import defaultdict

from aiohttp import web

from tests.serving import completion, serve_until_input_ends

DAYS = 14
REASONS = {"cold": "It must stay below 8 degrees.", "fragile": "Glass breaks in the post.", "late": "The parcel was delayed."}


def support(text: str) -> str:
    """What the bot says: it counts days, knows options and cities, explains, and admits what it does not know."""
    if match := re.search(r"came on day (\d+)", text):
        return f"That is {DAYS} days later.\nAnswer: {int(match[1]) + DAYS}"
    if match := re.search(r"\((\w)\) Refund", text):
        return f"Answer: {match[1]}"
    if match := re.search(r"Which city is the branch of (\w+)straat in\?", text):
        return f"Answer: {match[1]}"
    if match := re.search(r"Why is order \d+ (\w+)\?", text):
        return REASONS[match[1]]
    return "I don't know"


def careless(text: str) -> str:
    """The same, but of three reasons two are made up."""
    match = re.search(r"Why is order (\d+) ", text)
    return f"Ask again on day {int(match[1]) % 9}." if match and int(match[1]) % 3 else support(text)


def judge(text: str) -> str:
    """Full points for a reason from the rules, none for anything else."""
    answer = re.findall(r"<answer \w+>\n(.*)\n</answer \w+>", text, re.DOTALL)[-1]
    right = any(reason in answer for reason in REASONS.values())
    return f"Let me see.\nScore: {10 if right else 0}\nUnacceptable: no"


def mumbling(text: str) -> str:
    """The same points, but none for every fifth order, whether or not it is asked again."""
    match = re.search(r"Why is order (\d+) ", text)
    return judge(text) if match and int(match[1]) % 5 else "I would rather not say."


MODELS = {"support": support, "careless": careless, "judge": judge, "mumbling": mumbling}
LATENCY = web.AppKey("latency", float)
bodies: dict[str, list[str]] = defaultdict(list)


async def chat(request: web.Request) -> web.Response:
    """Answer as the model does."""
    asked = await request.json()
    bodies[asked["model"]].append(str(asked["messages"]))
    await asyncio.sleep(request.app[LATENCY])
    return web.json_response(completion(MODELS[asked["model"]](asked["messages"][-1]["content"])))


async def asked(_: web.Request) -> web.Response:
    """What each model was asked, in the order in which it came."""
    return web.json_response(bodies)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0)
    app = web.Application()
    app[LATENCY] = parser.parse_args().latency
    app.router.add_post("/v1/chat/completions", chat)
    app.router.add_get("/asked", asked)
    asyncio.run(serve_until_input_ends(app))


if __name__ == "__main__":
    main()
