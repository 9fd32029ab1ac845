"""What simulated Luna games cost: all figures of the thesis' chapter 3, and a plain Python loop of the same rules.

    python bench/luna_simulation.py [--trials 100] [--check]

The loop plays a twentieth of the trials of one mixture of all strategies; its numbers must be the same. CPU is this process's
own. With `--check` it exits with 1 if all figures, as the text reads, take more than 10 s of CPU.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.luna.test_simulation import play_plainly
from vivavoce.luna.settings import SimulationConfig
from vivavoce.luna.simulation import StrategyMixture, draw, errors, reported
from vivavoce.luna.simulation_tables import COMBINED, FIGURES, STEPS, curve

MOST_SECONDS = 10.0
PART = 20


def cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def compare(words: str, mixture: StrategyMixture, trials: int) -> None:
    """One mixture by the plain loop and at once."""
    few = range(max(1, trials // PART))
    worlds, whole = (draw(SimulationConfig(trials=trials), which) for which in (few, range(trials)))
    plain: list[float] = []
    slow = cpu(lambda: plain.extend(play_plainly(worlds, mixture, trial)[0][0] for trial in few))
    assert plain == errors(worlds, reported(worlds, [mixture])[0], mixture).mean[0].tolist()
    quick = cpu(lambda: errors(whole, reported(whole, [mixture])[0], mixture))
    print(f"| {words}, {trials} trials, plain loop (from {len(few)}) | {slow * trials / len(few):.1f} s |")
    print(f"| {words}, {trials} trials | {quick:.3f} s |")


def chapter(trials: int, *, as_published: bool) -> float:
    """Seconds of CPU of all figures."""
    return cpu(lambda: [curve(entry, SimulationConfig(trials=trials), as_published=as_published) for entry in FIGURES.values()])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--check", action="store_true", help="exit with 1 above 10 s of CPU for all figures")
    given = parser.parse_args()
    print("| what | CPU |")
    print("| --- | --- |")
    compare("all honest", StrategyMixture(times=(STEPS,)), given.trials)
    everything = StrategyMixture(tuple((kind, 0.125) for kind in COMBINED), times=(STEPS,))
    compare("half honest, half of all sorts", everything, given.trials)
    reads = chapter(given.trials, as_published=False)
    print(f"| all figures of chapter 3, as the text reads | {reads:.1f} s |")
    print(f"| all figures of chapter 3, as published | {chapter(given.trials, as_published=True):.1f} s |")
    if given.check and reads > MOST_SECONDS:
        sys.exit(f"all figures took {reads:.1f} s of CPU, the limit is {MOST_SECONDS:g} s")


if __name__ == "__main__":
    main()
