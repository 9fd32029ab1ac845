"""Memory over a long chess run: mirrored positions by the hundred thousand, one node each, a transcript on disk.

    python bench/chess_memory.py [--positions 100000] [--check]

Prints the resident memory of the examining process after every tenth of the run. With `--check` it exits with 1 if the second
half adds more than 5%.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from vivavoce.candidates.uci.pool import open_engine
from vivavoce.consistency.chess.compare_positions import Material, compare_positions
from vivavoce.consistency.chess.positions import GamePosition, synthetic_boards
from vivavoce.consistency.config import ChessConfig
from vivavoce.interview.candidate_kinds import Evaluation, Position
from vivavoce.interview.transcript import Transcript
from vivavoce.interview.vendor_batches import BatchInterview

PARTS = 10
GROWTH = 1.05


def resident() -> float:
    """Megabytes of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def watched(number: int, seen: list[float]) -> Iterator[GamePosition]:
    """Synthetic positions, with a look at the memory after every tenth of them."""
    for count, placed in enumerate(synthetic_boards(np.random.default_rng(0)), start=1):
        yield placed
        if count % (number // PARTS) == 0:
            seen.append(resident())
            print(f"{count:>10,} positions {seen[-1]:8.1f} MB", flush=True)
        if count == number:
            return


async def run(number: int) -> list[float]:
    """Memory after every tenth of the run."""
    seen: list[float] = []
    pool = open_engine("uci:stockfish?nodes=1&hash=1", workers=2)
    try:
        with tempfile.TemporaryDirectory() as folder, Transcript.open(Path(folder) / "long.sqlite") as transcript:
            interview: BatchInterview[Position, Evaluation] = BatchInterview(pool, answers=Evaluation, transcript=transcript)
            began = time.monotonic()
            result = await compare_positions(interview, Material(watched(number, seen)), ChessConfig(("mirror",), limit=number))
            seconds = time.monotonic() - began
    finally:
        await pool.close()
    rate = interview.progress.answered / seconds
    print(f"{result.summaries[0].n:,} compared, {interview.progress.answered:,} evaluations, {rate:,.0f} a second")
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    seen = asyncio.run(run(given.positions))
    if given.check and seen[-1] > seen[len(seen) // 2 - 1] * GROWTH:
        sys.exit(f"memory grew from {seen[len(seen) // 2 - 1]:.0f} to {seen[-1]:.0f} MB over the second half")


if __name__ == "__main__":
    main()
