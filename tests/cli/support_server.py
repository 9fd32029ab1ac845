"""A chat server on a loopback port that speaks the OpenAI protocol: a support bot, and a judge of its answers.

Run it as a program: `python -m tests.cli.support_server`; its first line is the address to ask. It ends when its standard input
is closed. Model `support` knows the shop's rules, model `judge` gives points by the words of an answer.
"""

from __future__ import annotations

import asyncio
import re

from aiohttp import web

from tests.serving import completion, serve_until_input_ends

DAYS = 14
REASONS = {"cold": "It must stay below 8 degrees.", "fragile": "Glass breaks in the post.", "late": "The parcel was delayed."}


def support(text: str) -> str:
    """What the bot says: it counts days, knows options and cities, explains, and admits what it does not know."""
    if found := re.search(r"came on day (\d+)", text):
        return f"That is {DAYS} days later.\nAnswer: {int(found[1]) + DAYS}"
    if found := re.search(r"\((\w)\) Refund", text):
        return f"Answer: {found[1]}"
    if found := re.search(r"Which city is the branch of (\w+)straat in\?", text):
        return f"Answer: {found[1]}"
    if found := re.search(r"Why is order \d+ (\w+)\?", text):
        return REASONS[found[1]]
    return "I don't know"


def judge(text: str) -> str:
    """Full points for a reason from the rules, none for anything else."""
    answer = re.findall(r"<answer \w+>\n(.*)\n</answer \w+>", text, re.DOTALL)[-1]
    right = any(reason in answer for reason in REASONS.values())
    return f"Let me see.\nScore: {10 if right else 0}\nRidiculous: no"


async def chat(request: web.Request) -> web.Response:
    """Answer as the model does."""
    asked = await request.json()
    says = {"support": support, "judge": judge}[asked["model"]]
    return web.json_response(completion(says(asked["messages"][-1]["content"])))


def main() -> None:
    app = web.Application()
    app.router.add_post("/v1/chat/completions", chat)
    asyncio.run(serve_until_input_ends(app))


if __name__ == "__main__":
    main()
