"""What it costs that an examination reads nothing unchecked: opening a long transcript, and an interview that goes on from one.

`python bench/transcript.py [--records 100000] [--json] [--check]` writes a transcript with so many records, in answers of a
usual length, and opens it with and without verifying. Then an interview asks a candidate that answers at once, and one that
takes 20 ms, over a transcript as it is, over one that is verified as it is read, and over one that holds askings as well. With
`--check` it exits with 1 where opening takes 3 s a 100,000 records, or an interview loses more than 3%.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from contextlib import aclosing
from pathlib import Path
from statistics import median
from typing import NamedTuple
from unittest.mock import patch

from vivavoce.interview import Interview, Prompt, Reply, Transcript
from vivavoce.interview.candidate import Again
from vivavoce.interview.record import Entry, canonical_json, digest_of

MOST_SECONDS = 3.0
MOST_LOSS = 0.03
QUESTIONS, ROUNDS = 4_000, 5
LATENCIES = (0.0, 0.02)
SECONDS = 2.0
"""That an interview takes at least where answers take time."""
PAGE = 5_000


class How(NamedTuple):
    """How an interview keeps its record."""

    name: str
    verified: bool
    askings: bool


HOW = (How("as it is", False, False), How("verified", True, False), How("with askings, too", True, True))


class Answers:
    """Answers after a while: all else that is measured is the interview's own."""

    name = "bot:answers"
    asked_again: Again = "same"

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def answer(self, question: Prompt, /) -> Reply:
        if self._seconds:
            await asyncio.sleep(self._seconds)
        return Reply("Answer: C")


def write(where: Path, records: int) -> None:
    """A transcript with so many records."""
    with Transcript.open(where) as transcript:
        for start in range(0, records, PAGE):
            entries = []
            for number in range(start, min(start + PAGE, records)):
                question = canonical_json(
                    {"id": str(number), "system": "", "text": f"Question {number}. Which? " + "(A) this (B) that\n" * 20}
                )
                answer = canonical_json({"text": "Well, let me see. " * 10 + "Answer: C"})
                digest = digest_of(question)
                entries.append(Entry("bot:x", digest, 0, "bench", question, answer, "answer", "2025-06-01", 0.25, 7, 3, 0.0))
            transcript.append(entries)


def opened(where: Path, *, verified: bool) -> float:
    """Seconds to open it, and to read it where it is not verified."""
    began = time.perf_counter()
    with Transcript.open(where, verified=verified) as transcript:
        if not verified:
            for _ in transcript.records():
                pass
    return time.perf_counter() - began


async def asked(where: Path, how: How, seconds: float) -> float:
    """Questions a second in an interview, eight in flight, of a candidate that takes so long to answer."""
    questions = round(SECONDS * 8 / seconds) if seconds else QUESTIONS
    with patch.object(Transcript, "keeps_askings", how.askings), Transcript.open(where, verified=how.verified) as transcript:
        interview: Interview[Prompt, Reply] = Interview(Answers(seconds), answers=Reply, transcript=transcript)
        began = time.perf_counter()
        async with aclosing(interview.ask_in_order(Prompt(f"Question {number}") for number in range(questions))) as answers:
            async for _ in answers:
                pass
        return questions / (time.perf_counter() - began)


def interviews(folder: Path, seconds: float) -> list[float]:
    """The median rate for each of `HOW`; the order of the rounds changes."""
    rates: list[list[float]] = [[] for _ in HOW]
    for number in range(ROUNDS):
        for place in range(len(HOW)) if number % 2 else reversed(range(len(HOW))):
            rates[place].append(asyncio.run(asked(folder / f"{seconds}-{number}-{place}.sqlite", HOW[place], seconds)))
    return [median(rate) for rate in rates]


def main() -> int:
    """Measure, and say so; 1 if `--check` is given and it costs too much."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="exit with 1 if it costs too much")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "long.sqlite", given.records)
        verifying, reading = (opened(folder / "long.sqlite", verified=verified) for verified in (True, False))
        rates = {seconds: interviews(folder, seconds) for seconds in LATENCIES}
    losses = {seconds: 1 - rate[-1] / rate[0] for seconds, rate in rates.items()}
    if given.json:
        found = {"records": given.records, "verifying_s": verifying, "reading_s": reading, "ratio": verifying / reading}
        print(json.dumps(found | {"rates": rates, "losses": losses}, indent=2))
    else:
        ratio = verifying / reading
        print(f"{given.records:,} records: verified in {verifying:.2f} s, read in {reading:.2f} s, ratio {ratio:.2f}")
        for seconds, rate in rates.items():
            told = ", ".join(f"{how.name} {found:,.0f}" for how, found in zip(HOW, rate, strict=True))
            print(f"questions/s where an answer takes {seconds * 1000:g} ms: {told}; lost {losses[seconds]:.1%}")
    slow = verifying > MOST_SECONDS * given.records / 100_000
    return int(given.check and (slow or max(losses.values()) > MOST_LOSS))


if __name__ == "__main__":
    sys.exit(main())
