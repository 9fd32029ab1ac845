"""A chat server with planted candidates, a writer who translates and a checker who sees what the writer did wrong.

Models: `steady` gives in never; `first` says A; `german` has another favourite in German; `writer` writes German, a copy of
every fifth question and nonsense for every seventh; it is the checker, too, and the judge. `talker` names a colour in a
sentence. `planted-SEED` has the faults and the noise of the study of rates. Each thing has a number.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web

from tests.serving import ChatServer, chat_app, completion, process_of, serve_until_input_ends
from tests.studies.vary.favourites import GERMAN, GERMAN_FLIPS, NOISE, OPTIONS, PREFERS_A, planted_letter

NONSENSE = "Nonsense, thing number"
seen: Counter[str] = Counter()
asked_before: Counter[tuple[str, str]] = Counter()
LATENCY = web.AppKey("latency", float)
_OPTION = re.compile(r"^\(([A-Z])\) (.*)$", re.MULTILINE)


def number_in(text: str) -> int:
    return int(re.findall(r"\d+", text)[0])


def copies(number: int) -> bool:
    return number % 5 == 0


def spoils(number: int) -> bool:
    return number % 7 == 0


def chosen(model: str, text: str) -> str:
    """The letter of the favourite option."""
    letters: dict[str, str] = {option.removeprefix("de-"): letter for letter, option in _OPTION.findall(text)}
    if model == "first" or not letters:
        return "A"
    favourite = number_in(text) % 4 + (model == "german" and GERMAN in text)
    return letters[OPTIONS[favourite % 4]]


def talked(text: str) -> str:
    """A colour in a sentence: in other words when somebody asks, and another one then of every fourth thing."""
    number, asked = number_in(text), "This is my question." in text
    colour = OPTIONS[(number + (asked and number % 4 == 0)) % 4]
    return f"I should say that it is {colour}." if asked else f"It has the colour {colour}."


def same_colour(text: str) -> bool:
    answers = re.findall(r"<answer-\d (\w+)>\n(.*?)\n</answer-\d \1>", text, re.DOTALL)
    first, second = ({colour for colour in OPTIONS if colour in answer} for _, answer in answers)
    return first == second


def written(text: str, names: list[str]) -> dict[str, str]:
    number = number_in(text)
    question = text.partition("«")[2].partition("\n")[0].partition("»")[0]
    begin = "" if copies(number) else NONSENSE + " " if spoils(number) else GERMAN
    options = {f"option_{letter}": option for letter, option in _OPTION.findall(text)}
    result = {}
    for name in names:
        variant = name.rpartition("_")[2] if name.rpartition("_")[2].isdigit() else ""
        of = name.removesuffix(f"_{variant}") if variant else name
        if of == "text":
            result[name] = begin + question + variant
        else:
            result[name] = ("" if copies(number) else "de-") + options[of].removesuffix("»")
    return result


async def chat(request: web.Request) -> web.Response:
    asked = await request.json()
    model, messages = asked["model"], asked["messages"]
    system = messages[0]["content"] if messages[0]["role"] == "system" else ""
    text = messages[-1]["content"]
    seen[model] += 1
    await asyncio.sleep(request.app[LATENCY])
    if "You check" in system:
        output = f"Reason: I read it.\nAnswer: {'NO' if NONSENSE in text else 'YES'}"
    elif "You put" in system:
        names = re.findall(r"^- (\w+): ", text, flags=re.MULTILINE)
        output = "\n".join(f"[Statement {name}] {words}" for name, words in written(text, names).items())
    elif "You compare answers" in system:
        output = f"Reason: I compared them.\nAnswer: {'YES' if same_colour(text) else 'NO'}"
    elif model == "talker":
        output = talked(text)
    elif model.startswith("planted-"):
        asked_before[model, text] += 1
        output = f"Answer: {planted_letter(text, PREFERS_A, GERMAN_FLIPS, noise=(NOISE, model, asked_before[model, text]))}"
    else:
        output = f"Answer: {chosen(model, text)}"
    return web.json_response(completion(output) | {"usage": {"prompt_tokens": 70, "completion_tokens": 30}})


@contextmanager
def serving(latency: float = 0.0) -> Iterator[ChatServer]:
    """The server as a process of its own."""
    with process_of(__name__, str(latency)) as address:
        yield ChatServer(address)


if __name__ == "__main__":
    app = chat_app(chat, seen)
    app[LATENCY] = float(sys.argv[1])
    asyncio.run(serve_until_input_ends(app))
