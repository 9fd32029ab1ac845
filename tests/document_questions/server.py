"""A chat server on a loopback port that plays a writer with planted faults, and a checker.

The documents are about depots (`depots`). Model `writer` plants a fault in question number N, by `PLANTS`, and later writes
right ones; model `checker` reads the passage that it is shown, and knows without it only how many days a week has. Model `lax`
says something else with the passage (`vague` questions), or nothing that can be read. Without plants: model `honest`.

Run it as a program: its first line is the address. It ends when its standard input is closed. `GET /seen` counts requests.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web

from tests.serving import ChatServer, chat_app, completion, process_of, serve_until_input_ends

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
VISITORS = "Visitors report to the desk beside the gate, where they get a badge and a map."
PLANTS = {
    "refused": "the writer refused",
    "unmarked": "the writer's reply can't be parsed",
    "empty": "the writer's reply can't be parsed",
    "copied": "the writer's reply only repeats the prompt",
    "cut off": "the writer's reply is cut off",
    "declined": "the writer says that it cannot be written",
    "statement": "not a question",
    "long": "too long",
    "long answer": "too long",
    "passage": "points at a text",
    "document": "points at a text",
    "steering": "holds characters that steer a terminal or turn text",
    "decimal comma": "a question file refuses it",
    "made up": "the answer is not in the passage",
    "other depot": "the checker, with the passage, gives another answer",
    "vague": "the checker's answer can't be graded",
    "known": "can be answered without the documents",
    "ambiguous": "other answers are right, too",
    "mumbled": "the checker's verdict can't be parsed",
}
"""The planted faults, in the order of the questions, each with the reason for its rejection."""
ANSWERED = "the checker finds an answer in the documents"

seen: Counter[str] = Counter()


def depots(number: int = 60) -> str:
    """A handbook: ten depots in a paragraph of 121 words."""
    facts = [f"Depot {k} stores {7 * k} pallets and closes on {DAYS[k % 6]} at noon." for k in range(1, number + 1)]
    blocks = [f"{' '.join(facts[start : start + 10])} A week has seven days. {VISITORS}" for start in range(0, number, 10)]
    return "\n\n".join(blocks)


def written(n: int, text: str, plant: str) -> str:
    """The reply to a request for question number n."""
    own = [int(k) for k in re.findall(r"Depot (\d+) stores", text)]
    k = own[n % len(own)]
    question, answer = f"How many pallets does depot {k} store?", f"{7 * k} pallets"
    match plant:
        case "refused":
            return "I'm sorry, but I cannot help with that."
        case "unmarked":
            return f"Here you are: {question}"
        case "empty":
            answer = " "
        case "copied":
            question = "one sentence of at most 40 words that ends with a question mark"
        case "declined":
            return "[Cannot] There is nothing to ask."
        case "statement":
            question = f"Say how many pallets depot {k} stores."
        case "long":
            question = f"How {'very ' * 60}many pallets does depot {k} store?"
        case "long answer":
            answer = "pallets " * 13
        case "passage":
            question = f"According to the passage, how many pallets does depot {k} store?"
        case "document":
            question = f"How many pallets does depot {k} store according to this document?"
        case "steering":
            question = f"How many \x1b[2J pallets does depot {k} store?"
        case "decimal comma":
            answer = f"{7 * k},5"
        case "made up":
            answer = "ninety crates"
        case "other depot":
            answer = f"{7 * own[(n + 1) % len(own)]} pallets"
        case "vague":
            question = f"How does depot {k} close?"
            answer = "at noon"
        case "known":
            question, answer = f"How many days has a week at depot {k}?", "seven days"
        case "ambiguous":
            question = f"Roughly how many pallets may there be in depot {k}?"
        case "mumbled":
            question = f"How many pallets, if any, will depot {k} store?"
    lines = {"question": question, "answer": answer, "other_answers": "none", "difficulty": "easy"}
    return "\n".join(f"[Statement {name}] {words}" for name, words in lines.items())


def unanswered(n: int, text: str, *, planted: bool) -> str:
    """The reply to a request for a question whose answer is missing."""
    own = re.findall(r"Depot (\d+) stores", text)
    k = own[n % len(own)]
    question = f"How many pallets does depot {k} store?" if planted else f"Who is the manager of depot {k}?"
    return f"[Statement question] {question}\n[Statement difficulty] hard"


def checked(text: str) -> str:
    """The reply of the checker."""
    material, _, asked = text.rpartition("</passage>")
    if "Is this the only right answer" in text:
        if "if any" in asked:
            return "Perhaps."
        return "Reason: It is a guess.\nAnswer: NO" if "Roughly" in asked else "Reason: One alone.\nAnswer: YES"
    k = re.findall(r"depot (\d+)", asked)[-1]
    if "week" in asked:
        return "Answer: seven days"
    if not material or "manager" in asked:
        return "I don't know."
    if "How does" in asked:
        return "Answer: It depends on who asks, and on the day."
    stores = re.search(rf"Depot {k} stores (\d+) pallets", material)
    return f"It is in the passage.\nAnswer: {stores[1]} pallets" if stores else "I don't know."


async def chat(request: web.Request) -> web.Response:
    body = await request.json()
    model, text = body["model"], next(turn["content"] for turn in body["messages"] if turn["role"] == "user")
    if "the word ready" in text:  # whether it answers at all
        return web.json_response(completion("ready"))
    seen[model] += 1
    asked = re.search(r"Write question number (\d+)", text)
    if not asked:
        return web.json_response(completion(checked(text)))
    n = int(asked[1])
    plants = list(PLANTS)
    plant = plants[n - 1] if model == "writer" and n <= len(plants) else ""
    if "other_answers" not in text:
        return web.json_response(completion(unanswered(n, text, planted=model == "writer" and n <= len(plants))))
    return web.json_response(completion(written(n, text, plant), "length" if plant == "cut off" else "stop"))


@contextmanager
def running() -> Iterator[ChatServer]:
    """The server, while this lasts."""
    with process_of(__name__) as address:
        yield ChatServer(address)


if __name__ == "__main__":
    asyncio.run(serve_until_input_ends(chat_app(chat, seen)))
