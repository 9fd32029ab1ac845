"""What recorded results cost as Parquet and as CSV: to write them, to read them again, and how much memory that takes.

`python bench/parquet.py [--questions 100000] [--candidates 20] [--json] [--check]` writes a row for each candidate and
question with `write_results`, as `--results` and `viva transcript export` do, and reads all of them with `recorded_rows`, as
`replay:`, `--baseline` and `--history` do. Each step is a process of its own, whose greatest memory counts; the same with a
tenth of the rows tells whether it is flat. With `--check` it exits with 1 where Parquet takes more than a minute of computing
to write or to read, or more memory than half again as much as for a tenth of the rows.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from vivavoce.candidates.replay import recorded_rows
from vivavoce.interview.results import ResultRow, write_results

MOST_SECONDS = 60.0
MOST_GROWTH = 1.5
FORMS = ("parquet", "csv")
STEPS = ("write", "read")


class Cost(NamedTuple):
    """Of one step."""

    seconds: float
    cpu: float
    """Seconds of computing, which other programs change less."""
    mib: float
    """Greatest memory of its process."""
    rows: int
    size: float
    """MiB of the file."""


def rows(questions: int, candidates: int) -> Iterator[ResultRow]:
    """Results as short questions with numbers as answers have them."""
    for candidate in range(candidates):
        front = (f"chat:model-{candidate}@http://localhost:8000/v1",)
        for number in range(questions):
            right = number * 7
            words = right if (number * 31 + candidate) % 10 else right + 1
            yield ResultRow(
                f"times/{number}",
                f"What is {number} times 7? Give the number alone, on a line of its own.",
                f"{number} times 7 is 7 times {number}, and so it comes to {words}.\nAnswer: {words}",
                str(words),
                str(right),
                float(words == right),
                seconds=0.25 + number % 100 / 1000,
                tokens=60 + number % 10,
                front=front,
            )


def step(what: str, file: Path, questions: int, candidates: int) -> Cost:
    """One step in this process."""
    began, busy = time.perf_counter(), time.process_time()
    if what == "write":
        number = write_results(file, rows(questions, candidates), front=["candidate"])
    else:
        number = sum(1 for _ in recorded_rows(file))
    seconds, cpu = time.perf_counter() - began, time.process_time() - busy
    return Cost(
        seconds, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, number, file.stat().st_size / (1 << 20)
    )


def measured(what: str, file: Path, questions: int, candidates: int) -> Cost:
    """The same in a process of its own."""
    ran = subprocess.run(
        [
            sys.executable, __file__, "--step", what, "--file", str(file),
            "--questions", str(questions), "--candidates", str(candidates),
        ],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return Cost(*json.loads(ran.stdout))


def main() -> int:
    """Measure, print, check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--questions", type=int, default=100_000)
    parser.add_argument("--candidates", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        print(json.dumps(step(given.step, given.file, given.questions, given.candidates)))
        return 0
    result: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for form in FORMS:
            for what in STEPS:
                small, whole = (
                    measured(what, Path(folder, f"{size}.{form}"), size, given.candidates)
                    for size in (max(1, given.questions // 10), given.questions)
                )
                result[f"{what} {form}"] = {**whole._asdict(), "mib_of_a_tenth": small.mib}
    if given.json:
        print(json.dumps(result, indent=2))
    else:
        _print(result)
    slow = [name for name, of in result.items() if "parquet" in name and of["cpu"] > MOST_SECONDS]
    fat = [name for name, of in result.items() if "parquet" in name and of["mib"] > MOST_GROWTH * of["mib_of_a_tenth"]]
    return int(given.check and bool(slow or fat))


def _print(result: dict[str, dict[str, Any]]) -> None:
    rows_of_all = next(iter(result.values()))["rows"]
    print(f"{rows_of_all:,} rows")
    for name, of in result.items():
        tenth = f"{of['mib_of_a_tenth']:.0f} MiB for a tenth of the rows"
        took = f"{of['seconds']:6.1f} s, {of['cpu']:.1f} of computing"
        print(f"{name:14}{took}, at most {of['mib']:4.0f} MiB ({tenth}), a file of {of['size']:,.0f} MiB")
    for what in STEPS:
        ratio = result[f"{what} csv"]["cpu"] / result[f"{what} parquet"]["cpu"]
        print(f"{what}: CSV takes {ratio:.1f} times as long as Parquet")


if __name__ == "__main__":
    sys.exit(main())
