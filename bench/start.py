"""What a command costs that asks almost nothing: a certificate over a recording of 40 answers, and the help.

`python bench/start.py [--repeat 3] [--json] [--check]` runs `viva --help`, and `viva certify` over a recording with and without
`--transcript`, and again from that transcript. Each run is a process of its own. CPU is user and system, the least of several
runs; memory is the peak. For comparison it lists what importing the packages costs that every certificate needs. With `--check`
it exits with 1 where a certificate takes more than 0.7 s of CPU, or 100 MB.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_SECONDS = 0.7
MOST_MB = 100
QUESTIONS = 40
PACKAGES = ("numpy", "scipy.special", "sqlalchemy", "pydantic")


def write(folder: Path) -> None:
    """Sums, and a recording of right answers to them."""
    with (folder / "sums.csv").open("w", newline="") as questions, (folder / "said.csv").open("w", newline="") as answers:
        csv.writer(questions).writerows(
            [("id", "question", "answer"), *((f"q{n}", f"What is {n} + 7?", n + 7) for n in range(QUESTIONS))]
        )
        csv.writer(answers).writerows([("id", "said"), *((f"q{n}", f"Answer: {n + 7}") for n in range(QUESTIONS))])


def cost(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds of CPU, and megabytes at the peak, of one run."""
    done = subprocess.Popen([sys.executable, *command], cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main() -> int:
    """Measure, print, check."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a certificate costs too much")
    given = parser.parse_args()
    certify = ["-m", "vivavoce", "certify", "replay:said.csv#said", "--scope", "file:sums.csv", "--seed", "1", "--quiet"]
    commands = {
        "viva --help": ["-m", "vivavoce", "--help"],
        "viva certify": certify,
        "viva certify --transcript, new": [*certify, "--transcript", "new.sqlite"],
        "viva certify --transcript, again": [*certify, "--transcript", "kept.sqlite"],
    } | {f"import {package}": ["-c", f"import {package}"] for package in PACKAGES}
    costs: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        cost([*certify, "--transcript", "kept.sqlite"], folder)
        for label, command in commands.items():
            runs = []
            for _ in range(given.repeat):
                for file in folder.glob("new.sqlite*"):
                    file.unlink()
                runs.append(cost(command, folder))
            costs[label] = min(seconds for seconds, _ in runs), max(megabytes for _, megabytes in runs)
    if given.json:
        print(json.dumps({label: {"cpu_s": seconds, "mb": megabytes} for label, (seconds, megabytes) in costs.items()}))
    else:
        print(f"{'':34}{'CPU':>8}{'peak':>10}")
        print("\n".join(f"{label:34}{seconds:>6.2f} s{megabytes:>7.0f} MB" for label, (seconds, megabytes) in costs.items()))
    dear = [
        label for label, (s, mb) in costs.items() if label.startswith("viva certify") and (s > MOST_SECONDS or mb > MOST_MB)
    ]
    return int(given.check and bool(dear))


if __name__ == "__main__":
    sys.exit(main())
