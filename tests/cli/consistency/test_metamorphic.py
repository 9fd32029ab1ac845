"""`viva consistency rules` as a user calls it."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web

from tests.cli.conftest import Viva
from tests.serving import completion

MODEL = """\
import sys
from vivavoce.relations import Rule

print("loaded")

def price(home):
    print("called")
    return 1000 * home["rooms"] - 1500 * (home["rooms"] == 8)

def prices(homes):
    return [price(home) for home in homes]

def broken(home):
    raise RuntimeError("no prices today")

grows = Rule("more rooms, no lower price", gap=lambda prices: prices[0] - prices[1])
not_a_rule = 7
"""
PAIRS = [
    {"inputs": [{"rooms": n}, {"rooms": n + 1}], "relation": "at most", "base": f"home {n % 5}", "id": f"p{n}"}
    for n in range(20)
]


@pytest.fixture
def module(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A module of its own for each test: once imported, a name stays."""
    name = "relations_" + re.sub(r"\W", "_", request.node.name)
    (tmp_path / f"{name}.py").write_text(MODEL)
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS))
    plain = [{"inputs": pair["inputs"]} for pair in PAIRS]
    (tmp_path / "plain.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in plain))
    return name


def test_a_function_is_called_and_json_stands_alone(viva: Viva, module: str) -> None:
    ended = viva("consistency", "rules", f"function:{module}:price", "--table", "pairs.jsonl", "--json", "--details")
    assert ended.code == 0
    finding = ended.values
    (row,) = finding["figures"]["treatments"]
    assert (row["rates"]["broken"]["events"], row["n"], row["numbers"]["largest"]) == (1, 20, 500)
    assert finding["details"]["is_shared"]
    assert [case["id"] for case in finding["details"]["each"] if case["outcome"] == "broken"] == ["p7"]
    assert finding["candidates"] == [f"function:{module}:price"]
    assert re.search(r"pairs\.jsonl · scope [0-9a-f]{12}", finding["signature"])
    assert "called" in ended.err  # what the function prints is not in the way


def test_batch_and_a_rule_in_python(viva: Viva, module: str) -> None:
    arguments = ("--batch", "--table", "plain.jsonl", "--rule", f"{module}:grows", "--html", "page.html")
    ended = viva("consistency", "rules", f"function:{module}:prices", *arguments)
    assert ended.code == 0
    assert "breaks the rule “more rooms, no lower price” in 5% [" in ended.out
    assert "“rooms 7 → 8” 7 000 → 6 500, off by 500" in ended.out
    assert ended.out.rstrip().endswith("Page: page.html")
    assert "more rooms, no lower price" in Path("page.html").read_text()


def test_where_nothing_could_be_compared_the_exit_code_says_so(viva: Viva, module: str) -> None:
    ended = viva("consistency", "rules", f"function:{module}:broken", "--table", "pairs.jsonl")
    assert ended.code == 4
    assert "raised RuntimeError: no prices today (20)" in " ".join(ended.out.split())
    assert "Nothing was compared" in ended.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["function:{module}:prize", "--table", "pairs.jsonl"], "did you mean 'price'"),
        (["function:{module}:not_a_rule", "--table", "pairs.jsonl"], "can't be called"),
        (["function:nowhere_at_all:price", "--table", "pairs.jsonl"], "cannot be imported"),
        (["function:{module}", "--table", "pairs.jsonl"], "a module and a callable"),
        (["function:{module}:price", "--table", "nowhere.jsonl"], "nowhere.jsonl"),
        (["function:{module}:price", "--table", "{module}.py"], "the name must end in .csv"),
        (["function:{module}:price", "--table", "plain.jsonl"], "'relation' is missing"),
        (["function:{module}:price", "--table", "pairs.jsonl", "--rule", "{module}:grows"], "has a relation of its own"),
        (["function:{module}:price", "--table", "plain.jsonl", "--rule", "{module}:not_a_rule"], "is a int, not a"),
        (["function:{module}:price", "--table", "plain.jsonl", "--rule", "grows"], "write MODULE:NAME"),
        (["function:{module}:price", "--table", "pairs.jsonl", "--details"], "give --json"),
        (["function:{module}:price", "--table", "pairs.jsonl", "--task", "Say."], "asked in words"),
        (["function:{module}:price", "--table", "pairs.jsonl", "--transcript", "a.sqlite"], "asked in words"),
        (["bot:eliza", "--table", "pairs.jsonl", "--batch"], "batch is for functions"),
        (["bot:elisa", "--table", "pairs.jsonl"], "did you mean 'eliza'"),
    ],
)
def test_a_mistake_is_one_line_with_the_remedy(viva: Viva, module: str, arguments: list[str], message: str) -> None:
    ended = viva("consistency", "rules", *(argument.format(module=module) for argument in arguments))
    assert ended.code == 2
    lines = [line for line in ended.err.splitlines() if line not in ("loaded", "called")]
    assert len(lines) == 1
    assert lines[0].startswith("viva: ")
    assert message in lines[0]
    assert ended.out == ""


async def value(request: web.Request) -> web.Response:
    """Values a home at 10 a room, the one of 4 rooms at 5; does not want to speak of 9 rooms."""
    words = (await request.json())["messages"][-1]["content"]
    assert words.startswith(("What is this home worth?", "What is your final answer?"))
    home = re.search(r"\{.*\}", words)
    rooms = 9 if home is None else json.loads(home[0])["rooms"]
    if rooms == 9:
        return web.json_response(completion("I'd rather not say."))
    return web.json_response(completion(f"It is in a good street.\n[Answer] {5 if rooms == 4 else 10 * rooms}"))


@pytest.fixture
def valuer() -> Iterator[str]:
    """The address of a loopback server that values homes."""
    loop, ready, address = asyncio.new_event_loop(), threading.Event(), []

    async def serve() -> web.AppRunner:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", value)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        address.append(f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
        ready.set()
        return runner

    runner = loop.run_until_complete(serve())
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    assert ready.wait(10)
    yield address[0]
    asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


def test_a_language_model_is_asked_in_words_and_goes_on_where_it_stopped(viva: Viva, module: str, valuer: str) -> None:
    candidate = f"chat:valuer@{valuer}"
    arguments = ("--table", "pairs.jsonl", "--task", "What is this home worth?", "--transcript", "run.sqlite", "--json")
    ended = viva("consistency", "rules", candidate, *arguments)
    assert ended.code == 0
    assert "20 tuples, 21 questions" in ended.err
    finding = ended.values
    (row,) = finding["figures"]["treatments"]
    assert (row["n"], row["rates"]["broken"]["events"], row["numbers"]["largest"]) == (18, 1, 25)  # from 30 to 5
    assert row["left_out"] == {"no stated answer": 2}
    again = viva("consistency", "rules", candidate, *arguments)
    assert again.values == finding
    # 21 questions, and a further turn about the home of 9 rooms, which is in two tuples
    assert viva("transcript", "show", "run.sqlite").out.endswith("20 of 22 records shown.\n")
