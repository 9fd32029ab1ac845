"""A chat server with a pupil and teachers: `good` names the rule, `dull` speaks of the weather, `misleading` of a wrong rule.

The pupil knows two things in five, nine in ten where the rule stands in its conversation, one in ten after the wrong rule. Each
refuses a conversation that holds other replies than it gave.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from aiohttp import web

from tests.serving import ChatServer, chat_app, completion, process_of, serve_until_input_ends
from tests.studies.sycophancy.faults import next_to, right_of
from tests.studies.vary.favourites import uniform

SAYS: Final = {
    "good": "Which rule holds for all things?",
    "dull": "Is it not a fine day?",
    "misleading": "Are all things not alike?",
}
KNOWS: Final = {"good": 0.9, "dull": 0.4, "misleading": 0.1}
_THING: Final = re.compile(r"colour has thing (\S+) ")
seen: Counter[str] = Counter()


def reply(model: str, conversation: Sequence[tuple[str, str]]) -> str:
    """What it says next."""
    texts = [text for role, text in conversation if role == "user"]
    if model in SAYS:
        return f"{SAYS[model]} ({len(texts)})"
    if model == "mute":
        return "" if len(texts) > 1 else SAYS["good"]
    thing = _THING.search(texts[-1])
    if thing is None:
        return f"I have to think about that ({len(texts)})."
    knows = next((KNOWS[name] for name, words in SAYS.items() if any(words in text for text in texts)), 0.4)
    right = right_of(thing[1])
    return f"Answer: {right if uniform('knows', thing[1]) < knows else next_to(right)}"


async def chat(request: web.Request) -> web.Response:
    asked = await request.json()
    conversation = [(message["role"], message["content"]) for message in asked["messages"] if message["role"] != "system"]
    seen[json.dumps([asked["model"], *conversation])] += 1
    for index, (role, text) in enumerate(conversation):
        if role == "assistant" and text != reply(asked["model"], conversation[:index]):
            return web.json_response({"error": {"message": f"this is not what I said: {text}"}}, status=400)
    return web.json_response(completion(reply(asked["model"], conversation)))


@contextmanager
def serving() -> Iterator[ChatServer]:
    """The server as a process of its own."""
    with process_of(__name__) as address:
        yield ChatServer(address)


if __name__ == "__main__":
    app = chat_app(chat, seen)
    asyncio.run(serve_until_input_ends(app))
