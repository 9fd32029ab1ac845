"""What a call costs: 2,000 questions, 100 in flight, a local server that takes 100 ms, every answer written to disk.

`python bench/calls.py [--questions 2000] [--json] [--check]` asks the same server (a process of its own) through an interview
with the chat candidate, through the `openai` client, and through Inspect's `get_model`, each in a fresh process. The least
possible wall time is questions / in flight × latency. CPU is the asking process's own, user and system, set-up not counted.
With `--check` it exits with 1 if the interview takes more than 1.25 of the least time, or 0.8 ms of CPU a call.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
IN_FLIGHT = 100
LATENCY = 0.1
MOST_WALL_RATIO = 1.25
MOST_CPU_MS = 0.8
WARM_UP = 100


Ask = Callable[[list[str]], Awaitable[int]]
"""Asks all of these questions, and gives the number of right answers."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one way of asking took."""

    way: str
    questions: int
    wall_seconds: float
    wall_ratio: float
    """To the least possible time."""
    cpu_ms: float
    """Milliseconds of CPU a call."""


def prompts(count: int, first: int = 0) -> list[str]:
    """Different questions of the length of a usual one."""
    return [
        f"Question {i}. Which of the following is right?\n" + "(A) this (B) that\n" * 20 for i in range(first, first + count)
    ]


@asynccontextmanager
async def interview(url: str, folder: Path) -> AsyncIterator[Ask]:
    """Our own: the chat candidate in an interview, with its transcript on disk."""
    from vivavoce.candidates import close_candidate, open_candidate
    from vivavoce.interview.candidate import Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.transcript import Transcript

    candidate = open_candidate(f"chat:ok@{url}/v1")

    async def ask(texts: list[str]) -> int:
        with Transcript.open(folder / f"calls-{len(texts)}.sqlite") as transcript:
            asking: Interview[Prompt, Reply] = Interview(candidate, answers=Reply, transcript=transcript, concurrency=IN_FLIGHT)
            questions = [Prompt(text, id=str(i)) for i, text in enumerate(texts)]
            async with aclosing(asking.ask_in_order(questions)) as answers:
                right = [isinstance(answer, Reply) and answer.text == "Answer: C" async for _, answer in answers]
        return sum(right)

    try:
        yield ask
    finally:
        await close_candidate(candidate)


@asynccontextmanager
async def openai(url: str, folder: Path) -> AsyncIterator[Ask]:
    """The `openai` client with a semaphore; nothing is written down."""
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    slots = asyncio.Semaphore(IN_FLIGHT)

    async def one(text: str) -> bool:
        async with slots:
            reply = await client.chat.completions.create(model="ok", messages=[{"role": "user", "content": text}])
        words: str | None = reply.choices[0].message.content
        return words == "Answer: C"

    async def ask(texts: list[str]) -> int:
        return sum(await asyncio.gather(*map(one, texts)))

    async with client:
        yield ask


@asynccontextmanager
async def inspect(url: str, folder: Path) -> AsyncIterator[Ask]:
    """Inspect's `get_model` with its own limit on connections; nothing is written down."""
    from inspect_ai.model import GenerateConfig, get_model

    config = GenerateConfig(max_connections=IN_FLIGHT, max_retries=0)
    model = get_model("openai-api/local/ok", base_url=f"{url}/v1", api_key="none", config=config)

    async def one(text: str) -> bool:
        return (await model.generate(text)).completion == "Answer: C"

    async def ask(texts: list[str]) -> int:
        return sum(await asyncio.gather(*map(one, texts)))

    async with model:
        yield ask


WAYS: dict[str, Callable[[str, Path], AbstractAsyncContextManager[Ask]]] = {
    "interview": interview,
    "openai": openai,
    "inspect": inspect,
}
NAMES = {"interview": "Interview + chat, on disk", "openai": "openai client", "inspect": "Inspect get_model"}


async def measure(way: str, url: str, questions: int) -> Cost:
    """Ask so many questions in this process, after a hundred that are not counted."""
    with tempfile.TemporaryDirectory() as folder:
        async with WAYS[way](url, Path(folder)) as ask:
            await ask(prompts(WARM_UP, first=10**6))
            texts = prompts(questions)
            began, before = time.perf_counter(), os.times()
            right = await ask(texts)
            wall, after = time.perf_counter() - began, os.times()
    if right != questions:
        raise SystemExit(f"{way}: {questions - right} of {questions} answers are missing or wrong")
    cpu = after.user + after.system - before.user - before.system
    return Cost(NAMES[way], questions, wall, wall / (questions / IN_FLIGHT * LATENCY), 1000 * cpu / questions)


@contextmanager
def served() -> Iterator[str]:
    """The address of the server, for as long as it is needed."""
    command = [sys.executable, "-m", "tests.candidates.server", "--latency", str(LATENCY)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate(timeout=10)


def in_a_fresh_process(way: str, url: str, questions: int) -> Cost:
    """So that no way pays for what another has loaded."""
    command = [sys.executable, __file__, "--way", way, "--url", url, "--questions", str(questions)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Cost(**json.loads(done.stdout.splitlines()[-1]))


def table(costs: list[Cost], most_in_flight: int) -> str:
    """The costs as a table in plain text."""
    least = costs[0].questions / IN_FLIGHT * LATENCY
    lines = [
        f"{costs[0].questions:,} questions, {IN_FLIGHT} in flight (the server saw {most_in_flight}), "
        f"{LATENCY * 1000:.0f} ms each: {least:.2f} s at the least",
        f"{'':28}{'wall':>9}{'ratio':>8}{'CPU a call':>13}",
    ]
    lines += [f"{c.way:28}{c.wall_seconds:>7.2f} s{c.wall_ratio:>8.2f}{c.cpu_ms:>10.2f} ms" for c in costs]
    return "\n".join(lines)


def main() -> int:
    """Measure one way (in a fresh process) or all; 1 if `--check` is given and the interview costs too much."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--questions", type=int, default=2000)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a call costs too much")
    parser.add_argument("--way", choices=WAYS, help="measure this one alone, against --url")
    parser.add_argument("--url")
    given = parser.parse_args()
    if given.way and given.url:
        print(json.dumps(asdict(asyncio.run(measure(given.way, given.url, given.questions)))))
        return 0
    with served() as url:
        costs = [in_a_fresh_process(way, url, given.questions) for way in ([given.way] if given.way else WAYS)]
        with urllib.request.urlopen(f"{url}/seen", timeout=10) as response:
            most = json.load(response)["most in flight"]
    print(json.dumps([asdict(cost) for cost in costs], indent=2) if given.json else table(costs, most))
    return int(given.check and (costs[0].wall_ratio > MOST_WALL_RATIO or costs[0].cpu_ms > MOST_CPU_MS))


if __name__ == "__main__":
    sys.exit(main())
