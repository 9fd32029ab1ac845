"""What it costs that an examination reads nothing unchecked: opening a long transcript, and an interview that goes on from one.

`python bench/transcript.py [--records 100000] [--json] [--check]` writes a transcript with so many records, in answers of a
usual length, and opens it with and without verifying. Then an interview asks a candidate that answers at once, over a
transcript that is verified as it is read and over one that is not; and reads all of that again from the record. With
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

from vivavoce.interview import Interview, Prompt, Reply, Transcript
from vivavoce.interview.candidate import Again
from vivavoce.interview.record import Entry, canonical_json, digest_of

MOST_SECONDS = 3.0
MOST_LOSS = 0.03
QUESTIONS, ROUNDS = 5_000, 7
PAGE = 5_000


class AtOnce:
    """Answers right away: all that is measured is the interview's own."""

    name = "bot:at once"
    asked_again: Again = "same"

    async def answer(self, question: Prompt, /) -> Reply:
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


async def asked(where: Path, *, verified: bool) -> float:
    """Seconds for an interview, eight questions in flight."""
    with Transcript.open(where, verified=verified) as transcript:
        interview: Interview[Prompt, Reply] = Interview(AtOnce(), answers=Reply, transcript=transcript)
        began = time.perf_counter()
        async with aclosing(interview.ask_in_order(Prompt(f"Question {number}") for number in range(QUESTIONS))) as answers:
            async for _ in answers:
                pass
        return time.perf_counter() - began


def interviews(folder: Path) -> dict[bool, tuple[float, float]]:
    """Questions a second while asking, and while reading them from the record, with verifying and without; medians."""
    seconds: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for number in range(ROUNDS):
        for verified in (True, False) if number % 2 else (False, True):
            where = folder / f"{number}-{verified}.sqlite"
            took = [asyncio.run(asked(where, verified=verified)) for _ in range(2)]
            seconds[verified].append((took[0], took[1]))
    return {
        verified: (QUESTIONS / median(first for first, _ in all_of), QUESTIONS / median(second for _, second in all_of))
        for verified, all_of in seconds.items()
    }


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
        rates = interviews(folder)
    loss = 1 - rates[True][0] / rates[False][0]
    if given.json:
        found = {"records": given.records, "verifying_s": verifying, "reading_s": reading, "ratio": verifying / reading}
        print(json.dumps(found | {"rate": rates[True][0], "rate_unverified": rates[False][0], "loss": loss}, indent=2))
    else:
        ratio = verifying / reading
        print(f"{given.records:,} records: verified in {verifying:.2f} s, read in {reading:.2f} s, ratio {ratio:.2f}")
        for verified in (True, False):
            asking, again = rates[verified]
            how = "verified" if verified else "as it is"
            print(f"record {how:9}: {asking:8,.0f} questions/s asked, {again:8,.0f} /s from the record")
        print(f"an interview loses {loss:.1%}")
    return int(given.check and (verifying > MOST_SECONDS * given.records / 100_000 or loss > MOST_LOSS))


if __name__ == "__main__":
    sys.exit(main())
