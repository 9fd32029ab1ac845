"""What spans cost an answer: the same questions to a local server, in one run, without traces and with them.

`python bench/tracing.py [--questions 1000] [--rounds 5] [--json]` asks through an interview with the chat candidate, every
answer on disk, in four ways: with nothing of OpenTelemetry loaded; with its API loaded, while nobody asks for spans; with spans
sent in batches to a collector over HTTP; and with what was said in them as well. Each round asks all ways once, each in a fresh
process; the ratio is of the medians over rounds, with the range of the rounds' own ratios. CPU is the asking process's own,
user and system, set-up not counted, the export until its end included.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))  # a script sees its own folder alone

from bench.calls import WARM_UP, interview, prompts, served  # noqa: E402

WAYS = {
    "none": "no OpenTelemetry",
    "api": "its API loaded, nobody asks",
    "spans": "spans to a collector",
    "content": "spans with prompts and replies",
}


@dataclass(frozen=True, slots=True)
class Cost:
    """What one way took."""

    way: str
    cpu_ms: float
    """Milliseconds of CPU an answer, the median over rounds."""
    ratio: float
    """To the first way."""
    lowest: float
    """Of the rounds' ratios."""
    highest: float


async def measure(way: str, url: str, questions: int) -> float:
    """Milliseconds of CPU an answer in this process, after some that are not counted."""
    from vivavoce.cli.tracing import exporting

    with ExitStack() as stack:
        if way == "api":
            import opentelemetry.trace  # noqa: F401 -- loaded, and no more
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        spans = ExitStack()
        spans.enter_context(exporting())
        async with interview(url, folder) as ask:
            await ask(prompts(WARM_UP, first=10**6))
            texts, before = prompts(questions), os.times()
            right = await ask(texts)
        spans.close()
        after = os.times()
    if right != questions:
        raise SystemExit(f"{way}: {questions - right} of {questions} answers are missing or wrong")
    return 1000 * (after.user + after.system - before.user - before.system) / questions


def in_a_fresh_process(way: str, url: str, questions: int, collector: str) -> float:
    """So that no way pays for what another has loaded."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    if way in ("spans", "content"):
        environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector
    if way == "content":
        environment["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "true"
    command = [sys.executable, __file__, "--way", way, "--url", url, "--questions", str(questions)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return float(done.stdout.splitlines()[-1])


def compared(rounds: int, questions: int) -> list[Cost]:
    """All ways, in so many rounds. Raises `SystemExit` where the collector lacks a span."""
    from tests.tracing import collecting

    result: dict[str, list[float]] = {way: [] for way in WAYS}
    with served() as url, collecting() as collector:
        for _ in range(rounds):
            for way in WAYS:
                result[way].append(in_a_fresh_process(way, url, questions, collector.address))
        missing = 2 * rounds * (questions + WARM_UP) - len(collector.spans)
    if missing:
        raise SystemExit(f"{missing} spans did not arrive")
    ratios = {way: [entry / none for entry, none in zip(took, result["none"], strict=True)] for way, took in result.items()}
    median = {way: statistics.median(took) for way, took in result.items()}
    return [Cost(way, median[way], median[way] / median["none"], min(ratios[way]), max(ratios[way])) for way in WAYS]


def table(costs: list[Cost]) -> str:
    """The costs as a table in plain text."""
    lines = [f"{'':32}{'CPU an answer':>15}{'ratio':>8}   rounds"]
    lines += [f"{WAYS[c.way]:32}{c.cpu_ms:>12.2f} ms{c.ratio:>8.2f}   {c.lowest:.2f} to {c.highest:.2f}" for c in costs]
    return "\n".join(lines)


def main() -> int:
    """Measure one way (in a fresh process), or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--way", choices=WAYS, help="measure this one alone, against --url")
    parser.add_argument("--url")
    given = parser.parse_args()
    if given.way and given.url:
        print(asyncio.run(measure(given.way, given.url, given.questions)))
        return 0
    costs = compared(given.rounds, given.questions)
    print(json.dumps([asdict(cost) for cost in costs], indent=2) if given.json else table(costs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
