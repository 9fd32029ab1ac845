"""What it costs that an examination reads nothing unchecked: opening a long transcript, and an interview that goes on from one.

`python bench/transcript.py [--records 100000] [--answers 10000] [--json] [--check]` writes a transcript with so many records,
in answers of a usual length, and opens it with and without verifying. Then an interview asks over a transcript as it is, over
one that is verified as it is read, and over one that holds askings as well: a candidate elsewhere that answers at once, one
that takes 20 ms, and a function that takes 20 ms, of which no question may be on record before it is about to be sent. At last
a certificate is computed from so many answers on record, in a process of its own: CPU an answer, with the test after every
answer and with one test at the end, for replies of one line and of three. With `--check` it exits with 1 where opening takes
3 s a 100,000 records, an interview whose answers take time loses more than 3%, or an answer of one line on record costs more
than 0.2 ms with one test.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import subprocess
import sys
import tempfile
import time
from contextlib import aclosing
from pathlib import Path
from statistics import median
from typing import NamedTuple
from unittest.mock import patch

from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.config import Procedure
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import Entry, canonical_json, digest_of
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope

MOST_SECONDS = 3.0
MOST_LOSS = 0.03
MOST_MS = 0.2
QUESTIONS, ROUNDS = 4_000, 5


class Case(NamedTuple):
    """Who is asked."""

    name: str
    seconds: float
    """That an answer takes."""
    concurrency: int
    elsewhere: bool
    """Whether it is asked again what was lost."""


CASES = (
    Case("a candidate elsewhere, 8 at once, 0 ms", 0.0, 8, True),
    Case("a candidate elsewhere, 8 at once, 20 ms", 0.02, 8, True),
    Case("a function, 1 at once, 20 ms", 0.02, 1, False),
    Case("a function that is async, 8 at once, 20 ms", 0.02, 8, False),
)
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

    name = "function:answers"

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def answer(self, question: Prompt, /) -> Reply:
        if self._seconds:
            await asyncio.sleep(self._seconds)
        return Reply("Answer: C")


class Elsewhere(Answers):
    """The same, of which an orphan is asked again."""

    name = "chat:answers"
    asked_again: RepeatReason = "elsewhere"


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


async def asked(where: Path, how: How, case: Case) -> float:
    """Questions a second in an interview."""
    questions = round(SECONDS * case.concurrency / case.seconds) if case.seconds else QUESTIONS
    candidate = (Elsewhere if case.elsewhere else Answers)(case.seconds)
    with (
        patch.object(Transcript, "outlasts_the_program", how.askings),
        Transcript.open(where, verified=how.verified) as transcript,
    ):
        interview: Interview[Prompt, Reply] = Interview(
            candidate, answers=Reply, transcript=transcript, concurrency=case.concurrency
        )
        began = time.perf_counter()
        async with aclosing(interview.ask_in_order(Prompt(f"Question {number}") for number in range(questions))) as answers:
            async for _ in answers:
                pass
        return questions / (time.perf_counter() - began)


def interviews(folder: Path, case: Case) -> tuple[list[float], float]:
    """The median rate for each of `HOW`, and the median of what the last one lost to the first of its round.

    The order changes from round to round, as other programs may take the processor.
    """
    rounds = []
    for number in range(ROUNDS):
        rates = [0.0] * len(HOW)
        for position in range(len(HOW)) if number % 2 else reversed(range(len(HOW))):
            where = folder / f"{CASES.index(case)}-{number}-{position}.sqlite"
            rates[position] = asyncio.run(asked(where, HOW[position], case))
        rounds.append(rates)
    return [median(rates) for rates in zip(*rounds, strict=True)], median(1 - rates[-1] / rates[0] for rates in rounds)


class Sums(Elsewhere):
    """Answers nine of ten questions rightly, in one line or in three."""

    def __init__(self, lines: int) -> None:
        super().__init__(0.0)
        self._lines = lines

    async def answer(self, question: Prompt, /) -> Reply:
        number = int(question.text.split()[2])
        working = f"Seven times {number} is what is asked for.\nI work it out step by step.\n" if self._lines > 1 else ""
        return Reply(f"{working}Answer: {7 * number if number % 10 else 1}")


PROCEDURES: tuple[Procedure, ...] = ("sequential", "fixed")
LINES = (1, 3)


def certified(folder: Path, answers: int, procedure: Procedure, lines: int) -> float:
    """Seconds of CPU of a certificate on sums, whose answers are on record from the second call on."""
    file = folder / "sums.csv"
    if not file.exists():
        with file.open("w", newline="") as stream:
            rows = (
                [f"What is {number} times 7? Say it in one line, and nothing else.", 7 * number] for number in range(answers)
            )
            csv.writer(stream).writerows([["question", "answer"], *rows])
    scope = open_scope(file)
    began = time.process_time()
    with Transcript.open(folder / f"{procedure}-{lines}.sqlite") as transcript:
        interview: Interview[Prompt, Reply] = Interview(Sums(lines), answers=Reply, transcript=transcript, concurrency=8)
        composition, criterion = Composition(procedure=procedure), Criterion(0.9, None)
        asyncio.run(certify(interview, scope, criterion, composition, seed=3, questions=answers))
    return time.process_time() - began


def resumed(folder: Path, answers: int) -> dict[str, float]:
    """Milliseconds of CPU an answer on record, the least of three processes."""
    result = {}
    for procedure in PROCEDURES:
        for lines in LINES:
            step = f"{folder},{procedure},{lines}"
            command = [sys.executable, __file__, "--answers", str(answers), "--step", step]
            _, *spent = (float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout) for _ in range(4))
            result[f"{procedure}, {lines} line{'s' * (lines > 1)}"] = 1000 * min(spent) / answers
    return result


def main() -> int:
    """Measure, and say so; 1 if `--check` is given and it costs too much."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="exit with 1 if it costs too much")
    parser.add_argument("--answers", type=int, default=10_000)
    parser.add_argument("--step", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        where, procedure, lines = given.step.split(",")
        print(certified(Path(where), given.answers, procedure, int(lines)))
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "long.sqlite", given.records)
        verifying, reading = (opened(folder / "long.sqlite", verified=verified) for verified in (True, False))
        result = {case: interviews(folder, case) for case in CASES}
        on_record = resumed(folder, given.answers)
    if given.json:
        opening = {"records": given.records, "verifying_s": verifying, "reading_s": reading, "ratio": verifying / reading}
        words = {case.name: {"rates": rates, "lost": lost} for case, (rates, lost) in result.items()}
        print(json.dumps(opening | {"interviews": words, "on_record_ms": on_record}, indent=2))
    else:
        ratio = verifying / reading
        print(f"{given.records:,} records: verified in {verifying:.2f} s, read in {reading:.2f} s, ratio {ratio:.2f}")
        for case, (rates, lost) in result.items():
            each = ", ".join(f"{how.name} {rate:,.0f}" for how, rate in zip(HOW, rates, strict=True))
            print(f"{case.name}: questions/s {each}; lost {lost:.1%}")
        each = "; ".join(f"{how} {ms:.3f} ms" for how, ms in on_record.items())
        print(f"a certificate from {given.answers:,} answers on record, CPU each: {each}")
    slow = verifying > MOST_SECONDS * given.records / 100_000 or on_record["fixed, 1 line"] > MOST_MS
    return int(given.check and (slow or any(lost > MOST_LOSS for case, (_, lost) in result.items() if case.seconds)))


if __name__ == "__main__":
    sys.exit(main())
