"""How long a question file takes to read, side by side with Inspect's `csv_dataset` on the same file.

`python bench/question_files.py [--rows 100000] [--repeat 3] [--json] [--check]` writes a CSV with the columns `question` and
`answer`, half of the answers numbers and half of them texts, and reads it with `open_scope`, which checks each row, and with
`csv_dataset`. Each reading is a process of its own; its seconds of computing count, of several the fewest. A third reading,
`as in viva`, collects garbage as seldom as the command does. With `--check` it exits with 1 where ours take more than twice
theirs, or the command more than 15 µs a question.
"""

from __future__ import annotations

import argparse
import csv
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

MOST_TIMES = 2.0
MOST_MICROSECONDS = 15


def write(file: Path, rows: int) -> None:
    """A table of short questions."""
    with file.open("w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["question", "answer"])
        for number in range(rows):
            asked = f"What is {number} times 7? Say it in one line, and nothing else."
            table.writerow([asked, 7 * number if number % 2 else f"seven times the number {number}"])


def ours(file: Path) -> int:
    """Reads it as a scope."""
    from vivavoce.scopes import open_scope

    size = open_scope(file).size
    return size or 0


def inspects(file: Path) -> int:
    """Reads it as a data set of Inspect."""
    from inspect_ai.dataset import FieldSpec, csv_dataset

    return len(csv_dataset(str(file), FieldSpec(input="question", target="answer")))


def as_in_viva(file: Path) -> int:
    """Reads it as a scope, in a process like that of the command."""
    from vivavoce.cli.viva import OBJECTS_BEFORE_COLLECTION

    gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
    return ours(file)


READERS: Mapping[str, Callable[[Path], int]] = {"vivavoce": ours, "as in viva": as_in_viva, "inspect_ai": inspects}


def step(reader: str, file: Path) -> float:
    """Seconds of computing in this process, without those of its imports."""
    small = file.with_name("small.csv")
    write(small, 2)
    READERS[reader](small)
    began = time.process_time()
    READERS[reader](file)
    return time.process_time() - began


def measured(reader: str, file: Path, repeat: int) -> float:
    """The fewest seconds of several processes."""
    command = [sys.executable, __file__, "--step", reader, "--file", str(file)]
    return min(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(repeat))


def main() -> int:
    """Measure, print, check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--step", choices=READERS, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        print(step(given.step, given.file))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "questions.csv")
        write(file, given.rows)
        seconds = {reader: measured(reader, file, given.repeat) for reader in READERS}
    ratio = seconds["vivavoce"] / seconds["inspect_ai"]
    if given.json:
        print(json.dumps({"rows": given.rows, "seconds": seconds, "ratio": ratio}))
    else:
        each = {reader: 1e6 * spent / given.rows for reader, spent in seconds.items()}
        named = ", ".join(f"{reader} {spent:.2f} s ({each[reader]:.1f} µs each)" for reader, spent in seconds.items())
        print(f"{given.rows:,} rows: {named}, {ratio:.2f} times as long")
    return int(given.check and (ratio > MOST_TIMES or 1e6 * seconds["as in viva"] / given.rows > MOST_MICROSECONDS))


if __name__ == "__main__":
    sys.exit(main())
