"""What it costs to ask an examination in shards: a process more each, the merge, and answers beyond the verdict.

`python bench/shards.py [--shards 64] [--records 500] [--json] [--check]` begins so many transcripts with so many records each,
as shards do, verifies them, and merges them; it starts a process that asks one shard beside one that holds the whole
examination; and it holds examinations of bots whose error rates are known, to see on how many of the prepared questions their
verdicts rest. With `--check` it exits with 1 where a merge takes more than six times as long as verifying what is merged.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean, median
from typing import Any

from vivavoce.interview import Entry, Transcript
from vivavoce.interview.askings import Asking
from vivavoce.interview.copying import begin_as_copy
from vivavoce.interview.merging import merge
from vivavoce.interview.record import canonical_json, digest_of

MOST = 6.0
VIVA = Path(sys.executable).with_name("viva")
QUESTION = (
    'What is {} + 17?\n\nEnd your reply with a line that begins with "Answer:" and gives the number alone.' + 8 * " Think."
)
PREPARED, WRONG, SEEDS = 640, (0.0, 0.1, 0.2, 0.4, 0.8), range(5)


def entries(first: int, number: int) -> list[Entry]:
    """So many questions with answers of a usual length."""
    found = []
    for n in range(first, first + number):
        question, answer = (
            canonical_json({"text": QUESTION.format(n)}),
            canonical_json({"text": f"Answer: {n + 17}" + 20 * " so"}),
        )
        at = f"2025-06-01T12:{n // 60 % 60:02}:{n % 60:02}+00:00"
        found.append(
            Entry("bot:x", digest_of(question), 0, "certificate/sums", question, answer, "answer", at, 0.5, 90, 30, 0.0)
        )
    return found


def merging(folder: Path, shards: int, records: int) -> dict[str, float]:
    """Seconds to verify the transcripts of shards, and to merge them."""
    with Transcript.open(folder / "prepared.sqlite") as transcript:
        transcript.append(entries(0, 2))
    places = []
    for number in range(shards):
        place = folder / f"{number}.sqlite"
        begin_as_copy(folder / "prepared.sqlite", place)
        with Transcript.open(place) as transcript:
            for start in range(0, records, 50):
                some = entries(2 + number * records + start, min(50, records - start))
                askings = [Asking("asked", one.key, one.question, one.asked_at) for one in some]
                transcript.append(some, askings=askings)
        places.append(str(place))
    began = time.perf_counter()
    for kept in places:
        Transcript.open(kept, must_exist=True).close()
    verified = time.perf_counter() - began
    began, computed = time.perf_counter(), time.process_time()
    found = merge(str(folder / "merged.sqlite"), places)
    merged, computed = time.perf_counter() - began, time.process_time() - computed
    began = time.perf_counter()
    merge(str(folder / "merged.sqlite"), places)
    again = time.perf_counter() - began
    total = shards * records
    assert found.new == total + 2
    return {
        "records": total,
        "records_a_cpu_second": total / computed,
        "verify_seconds": verified,
        "merge_seconds": merged,
        "again_seconds": again,
        "merge_to_verify": merged / verified,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def starting(folder: Path, rounds: int = 5) -> dict[str, float]:
    """Seconds of computing that a process takes which asks a shard, and one that holds an examination of one question."""
    words = [str(VIVA), "certify", "bot:calculator", "--scope", "arithmetic", "--quiet", "--questions"]
    prepared = str(folder / "start.sqlite")
    subprocess.run([*words, "64", "--transcript", prepared, "--prepare"], check=True, capture_output=True)
    took: dict[str, list[float]] = {"shard": [], "whole": []}
    for number in range(rounds):
        own = ["64", "--transcript", str(folder / f"s{number}.sqlite"), "--prepared", prepared, "--shard", f"{number}/64"]
        for name, options in (("shard", own), ("whole", ["1", "--transcript", str(folder / f"w{number}.sqlite")])):
            began = _computed()
            subprocess.run([*words, *options], capture_output=True)
            took[name].append(_computed() - began)
    shard, whole = median(took["shard"]), median(took["whole"])
    return {"shard_cpu_seconds": shard, "whole_cpu_seconds": whole, "shard_to_whole": shard / whole}


def _computed() -> float:
    """Seconds that the processors have worked for all that this one has started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def waste() -> list[dict[str, float]]:
    """On how many of the prepared questions a verdict rests, for bots that are wrong so often, over some seeds."""
    import asyncio

    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.examine import certify
    from vivavoce.certificate.scopes import open_scope
    from vivavoce.certificate.verdict import Criterion
    from vivavoce.interview import Interview, Reply

    found = []
    for wrong in WRONG:
        for limit in (0.01, None):
            needed = [
                asyncio.run(
                    certify(
                        Interview(open_candidate(f"bot:calculator?wrong={wrong}"), answers=Reply),
                        open_scope("arithmetic"),
                        Criterion(0.7, limit),
                        seed=seed,
                        questions=PREPARED,
                    )
                ).questions
                for seed in SEEDS
            ]
            found.append({"wrong": wrong, "limit": limit or 0.0, "needed": mean(needed), "wasted": 1 - mean(needed) / PREPARED})
    return found


def main() -> int:
    """Measure, and print; the exit code."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--shards", type=int, default=64)
    options.add_argument("--records", type=int, default=500)
    options.add_argument("--json", action="store_true")
    options.add_argument("--check", action="store_true")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found: dict[str, Any] = {
            "merge": merging(Path(folder), given.shards, given.records),
            "start": starting(Path(folder)),
            "waste": waste(),
        }
    if given.json:
        print(json.dumps(found))
    else:
        merged, start = found["merge"], found["start"]
        rate, ratio, once_more = merged["records_a_cpu_second"], merged["merge_to_verify"], merged["again_seconds"]
        print(
            f"merge of {merged['records']:,} records of {given.shards} shards: {merged['merge_seconds']:.1f} s, "
            f"{rate:,.0f} records a second of computing; {ratio:.1f} times as long as to verify them; once more "
            f"{once_more:.1f} s; peak {merged['peak_mb']:.0f} MB"
        )
        print(
            f"a process that asks its shard: {start['shard_cpu_seconds']:.2f} s of computing, {start['shard_to_whole']:.2f} "
            "times what one takes that holds an examination of one question"
        )
        for row in found["waste"]:
            limit = f"at most {row['limit']:.0%} ridiculous" if row["limit"] else "no limit on ridiculous answers"
            print(
                f"wrong {row['wrong']:.0%}, {limit}: {row['needed']:.0f} of {PREPARED} needed, {row['wasted']:.0%} for nothing"
            )
    return int(given.check and found["merge"]["merge_to_verify"] > MOST)


if __name__ == "__main__":
    raise SystemExit(main())
