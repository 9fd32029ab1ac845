"""How much is drawn in vain where a candidate is asked by batches, in how many rounds, and at which part of the list price.

Right and wrong answers at a true score, against the passing grade .7 at delta .05, no limit on ridiculous ones: each run is
examined answer by answer, which says where the verdict falls, and block by block as `block_plan` chooses. What is drawn after
the verdict is wasted. Required, fixed beforehand: on average over the scores .75 and .8 less than 9% of all that is asked is
wasted, both as the share of sums and as the mean of each run's share, and a batch at half the price costs at most .55 of the
list price of what counts. With `--server` examinations by batches are held against a server that speaks the protocol and bills.
`batches_of_several` has the rest: comparisons, two scopes, judged ones, a fifth as many runs of each.

    python -m tests.validity.batches [--runs 300] [--server 40]
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from aiohttp.test_utils import TestServer

from tests.candidates.batch_server import KEY, VENDOR, application
from tests.validity import batches_of_several as several
from vivavoce.candidates.chat.batch import by_batch
from vivavoce.candidates.chat.candidate import open_chat
from vivavoce.certificate.batch_rounds import rounds_of
from vivavoce.certificate.examine import certify
from vivavoce.certificate.scopes import open_scope
from vivavoce.certificate.verdict import Criterion
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript

GRADE: Final = 0.7
DISCOUNT: Final = 0.5
SCORES: Final = (0.75, 0.8)
"""What is required is required of these."""
OTHERS: Final = (0.5, 0.9, 1.0)
MOST_WASTED: Final = 0.09
MOST_OF_PRICE: Final = 0.55
LONGEST: Final = 20_000
"""Questions; a run that needs more is not met at these scores."""


@dataclass(frozen=True, slots=True)
class Batches:
    """What runs at one score came to; arrays of one number a run."""

    score: float
    needed: np.ndarray
    asked: np.ndarray
    rounds: np.ndarray

    @property
    def wasted(self) -> float:
        """Of all that was asked in all runs."""
        return float(1 - self.needed.sum() / self.asked.sum())

    @property
    def mean_wasted(self) -> float:
        """The mean of each run's share."""
        return float((1 - self.needed / self.asked).mean())

    @property
    def of_price(self) -> float:
        """What batches cost, as a part of what only the questions that count cost one by one."""
        return float((1 - DISCOUNT) * self.asked.sum() / self.needed.sum())

    @property
    def spread(self) -> float:
        """Two standard errors of the mean share."""
        return float(2 * (1 - self.needed / self.asked).std() / np.sqrt(self.asked.size))


def examined(score: float, seed: int, *, population: int | None = None) -> tuple[int, int, int]:
    """One run: questions until the verdict, questions that were asked, and batches."""
    rng = np.random.default_rng([seed, round(1_000 * score)])
    if population is None:
        values = (rng.random(LONGEST) < score).astype(float)
    else:
        values = rng.permutation((np.arange(population) < score * population).astype(float))
    found = rounds_of(Criterion(GRADE, None), values, np.zeros(values.size), population=population)
    return found.needed, found.asked, found.batches


def batches(score: float, runs: int, *, population: int | None = None) -> Batches:
    """So many runs at one score, seeds from 0."""
    found = np.array([examined(score, seed, population=population) for seed in range(runs)], dtype=float)
    return Batches(score, *found.T)


async def against_server(score: float, runs: int, folder: Path) -> tuple[Batches, float]:
    """Whole examinations by batches over the protocol; and the share of the list price by the server's own bill."""
    found, billed, list_price = [], 0, 0.0
    server = TestServer(application(folder / "vendor"))
    async with server:
        for seed in range(runs):
            name = f"calculator:{1 - score:g}@{server.make_url('/v1')}"
            candidate = by_batch(
                open_chat(name, "batch=1&batch_poll=0.001&price_in=1000000", environment={"VIVA_API_KEY": KEY})
            )
            with Transcript.open(folder / f"{seed}.sqlite") as transcript:
                interview = Interview(candidate, answers=Reply, transcript=transcript)
                finding = await certify(interview, open_scope("arithmetic"), Criterion(GRADE, None), seed=seed)
                account = transcript.by_batch
            await candidate.close()
            assert account is not None
            found.append((finding.questions, account.asked, account.batches))
            lines = list(server.app[VENDOR].state["billed"].values())
            assert account.asked == sum(lines) - billed  # the server's count is ours
            billed, list_price = sum(lines), list_price + finding.spending.money / (1 - DISCOUNT)
            assert account.paid.money * 2 == 7 * account.asked  # 7 tokens of prompt at 1 each, and half of it
        paid = 7 * billed * (1 - DISCOUNT)
    return Batches(score, *np.array(found, dtype=float).T), paid / list_price


def _line(found: Batches, price: float | None = None) -> str:
    cells = (
        f"{found.score:g}",
        f"{found.needed.mean():.0f}",
        f"{found.asked.mean():.0f}",
        f"{found.wasted:.1%}",
        f"{found.mean_wasted:.1%} ± {found.spread:.1%}",
        f"{found.rounds.mean():.1f} ({np.quantile(found.rounds, 0.9):.0f}, {found.rounds.max():.0f})",
        f"{found.of_price if price is None else price:.3f}",
    )
    return f"| {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--server", type=int, default=0, metavar="RUNS")
    options = parser.parse_args(arguments)
    head = "| score | needed | asked | wasted | mean of shares | batches (90%, most) | of list price |"
    print(head, "| --- | --- | --- | --- | --- | --- | --- |", sep="\n")
    for score in (*SCORES, *OTHERS):
        print(_line(batches(score, options.runs)), flush=True)
    print("\nEach once, of 500:", head, sep="\n")
    for score in SCORES:
        print(_line(batches(score, options.runs, population=500)), flush=True)
    print("\nOf several:", "| | needed | asked | wasted | mean of shares | batches (90%, most) |", sep="\n")
    for two in several.COMPARISONS:
        print(several.line(str(two), several.comparisons(two, max(1, options.runs // 5))), flush=True)
    for name, found in several.examinations(max(1, options.runs // 5)).items():
        print(several.line(name, found), flush=True)
    if options.server:
        print("\nAgainst the server:", head, sep="\n")
        for score in (0.8, 0.9):
            with tempfile.TemporaryDirectory() as folder:
                print(_line(*asyncio.run(against_server(score, options.server, Path(folder)))), flush=True)


if __name__ == "__main__":
    main()
