"""A chat server on a loopback port with an examiner, a pupil and a judge.

The pupil knows the depots of `tests.document_questions.server`. It gives up every second answer once it is asked whether
another number is possible, as the model `examiner` does. Model `judge` gives 10 points for the right number and 0 for another.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web

from tests.document_questions.server import checked, seen, unanswered, written
from tests.serving import ChatServer, chat_app, completion, process_of, serve_until_input_ends

FOLLOW_UP = "Could the number of pallets be another one?"


def pupil(texts: list[str]) -> str:
    """The reply to a conversation."""
    asked = [int(k) for text in texts for k in re.findall(r"(?i)depot (\d+)", text)]
    if not asked or "manager" in texts[-1]:
        return "I don't know"
    gives_up = FOLLOW_UP in " ".join(texts[1:]) and asked[-1] % 2 == 0
    return f"Answer: {7 * asked[-1] + gives_up} pallets"


def examiner(text: str) -> str:
    """The reply to a request for a question, for a check, or for a follow-up."""
    number = re.search(r"Write question number (\d+)", text)
    if number and "other_answers" in text:
        return written(int(number[1]), text, "")
    if number:
        return unanswered(int(number[1]), text, planted=False)
    if "to the one who is examined" in text:
        return f"[Statement follow_up] {FOLLOW_UP}"
    return checked(text)


def judge(text: str) -> str:
    """Points for an answer."""
    expected, replied = re.findall(r"(\d+) pallets", text), re.findall(r"Answer: (\d+)", text)
    right = replied[-1:] == expected[:1] if expected else "I don't know" in text.rpartition("<answer")[2]
    return f"Score: {10 if right else 0}\nUnacceptable: no"


async def chat(request: web.Request) -> web.Response:
    body = await request.json()
    texts = [turn["content"] for turn in body["messages"] if turn["role"] == "user"]
    if "the word ready" in texts[0]:
        return web.json_response(completion("ready"))
    seen[body["model"]] += 1
    match body["model"]:
        case "examiner":
            return web.json_response(completion(examiner(texts[0])))
        case "judge":
            return web.json_response(completion(judge(texts[0])))
        case _:
            return web.json_response(completion(pupil(texts)))


@contextmanager
def running() -> Iterator[ChatServer]:
    """The server, while this lasts."""
    with process_of(__name__) as address:
        yield ChatServer(address)


if __name__ == "__main__":
    asyncio.run(serve_until_input_ends(chat_app(chat, seen)))
