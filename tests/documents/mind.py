"""A chat server for the commands of the documentation: it does sums, explains rules, writes and checks statements.

Run it from the project's root: `python -m tests.documents.mind`; its first line is the address to ask.
"""

from __future__ import annotations

import asyncio
import re

from aiohttp import web

from tests.cli import pupil
from tests.serving import completion, serve_until_input_ends
from tests.studies.forecasts.making.serving import fluent
from vivavoce.candidates import open_candidate
from vivavoce.interview.candidate import Prompt

CALCULATOR = open_candidate("bot:calculator")
INTERVIEWED = "\n".join(f"{n}. What would you do on day {n} of a holiday on the moon?" for n in range(1, 6))
"""Five questions for another player."""


async def reply(system: str, prompt: str) -> str:
    """What it says to a prompt of any room."""
    if "about the future" in system:
        return "Reason: Of course.\nAnswer: YES" if "You check" in system else fluent(prompt)
    if "questions of a test" in system:
        return "Reason: Of course.\nAnswer: YES" if "You check" in system else reworded(prompt)
    if prompt.startswith("Explain") or "Write question number" in prompt or re.search(r"\brule \d", prompt):
        return pupil.answer(prompt)
    if "a number between 0 and 1" in prompt:
        return "It weighs little.\nAnswer: 0.5"
    if "the probability in per cent" in prompt:
        return "It is as good as a coin.\nAnswer: 50%"
    if "in euros" in prompt:
        return "Answer: 6"
    if "Guess:" in prompt:
        return "Guess: 40"
    if "five questions" in prompt:
        return INTERVIEWED
    return (await CALCULATOR.answer(Prompt(prompt))).text


def reworded(prompt: str) -> str:
    """The question in other words, by all names that are asked for."""
    asked = prompt.partition("«")[2].partition("»")[0]
    names = re.findall(r"^- (\w+): ", prompt, flags=re.MULTILINE)
    return "\n".join(f"[Statement {name}] Please tell me. {asked}" for name in names)


async def chat(request: web.Request) -> web.Response:
    messages = (await request.json())["messages"]
    system = messages[0]["content"] if messages[0]["role"] == "system" else ""
    return web.json_response(completion(await reply(system, messages[-1]["content"])))


if __name__ == "__main__":
    app = web.Application(client_max_size=10_000_000)
    app.router.add_post("/v1/chat/completions", chat)
    asyncio.run(serve_until_input_ends(app))
