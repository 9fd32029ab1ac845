"""Questions until a verdict of a gate: by the mixture of bets alone, with plug-in bets, and by the best constant bet.

The oracle bets one constant fraction, the log-optimal one for the true distribution of differences, at the same delta and with
the same most questions. Independent draws, right or wrong answers. For a difference of 0 the goal is at most 1.1 times the
oracle at 4% to 30% discordance. Other differences end with whichever verdict of a gate comes first: it passes by "not worse" at
delta, and fails by "worse" at half of it.

    python bench/paired_bets.py [--runs 400] [--margin 0.02]
"""

from __future__ import annotations

import argparse

import numpy as np

from vivavoce.certificate.comparison.evidence import PairStatement
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.plug_in import PairedDifferenceTests

DELTA, MOST, BLOCK = 0.045, 20_000, 500
DISCORDANCES = (0.01, 0.04, 0.1, 0.3, 0.6)
DIFFERENCES = (0.0, 0.1, -0.1, 0.2, -0.2)


def questions(d: float, discordance: float, margin: float, runs: int) -> tuple[Floats, Floats, Floats]:
    """Those of each run: by the mixture, with plug-in bets, and of the oracle."""
    rng, chances = np.random.default_rng(6), [(discordance - d) / 2, 1 - discordance, (discordance + d) / 2]
    needed = np.full((3, runs), MOST)
    tests = [PairedDifferenceTests(runs, margin, aim=aim) for aim in (0.0, margin)]
    passes, fails = best_bet(chances, margin, 1), best_bet(chances, 0.0, -1)
    capital, asked = np.zeros((2, runs)), 0
    while asked < MOST and (needed == MOST).any():
        drawn = rng.choice([-1.0, 0.0, 1.0], size=(runs, BLOCK), p=chances)
        steps = np.log1p(passes * (drawn + margin)), np.log1p(-fails * drawn)
        oracle = [before[:, None] + np.cumsum(step, axis=1) for before, step in zip(capital, steps, strict=True)]
        capital = np.stack([path[:, -1] for path in oracle])
        paths = [test.update(drawn, drawn)[[PairStatement.NO_WORSE, PairStatement.WORSE]] for test in tests]
        for row, (no_worse, worse) in zip(needed, [*paths, np.stack(oracle)], strict=True):
            shown = (no_worse >= -np.log(DELTA)) | (worse >= -np.log(DELTA / 2))
            new = shown.any(axis=1) & (row == MOST)
            row[new] = asked + 1 + shown.argmax(axis=1)[new]
        asked += BLOCK
    return needed[0], needed[1], needed[2]


def best_bet(chances: list[float], margin: float, sign: int) -> float:
    """The bet against "the mean of sign times d is at most -margin" whose capital grows fastest; 0 where none grows."""
    bets = np.linspace(0, 1 / (1 - margin), 4_001)[:-1]
    growth = sum(chance * np.log1p(bets * (sign * d + margin)) for d, chance in zip((-1, 0, 1), chances, strict=True))
    return float(bets[np.argmax(growth)])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--margin", type=float, default=0.02)
    given = parser.parse_args()
    print("| difference | discordant | mixture | with plug-in bets | oracle | to the oracle | saved |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for d in DIFFERENCES:
        for discordance in DISCORDANCES:
            if abs(d) <= discordance:
                before, after, oracle = (row.mean() for row in questions(d, discordance, given.margin, given.runs))
                cells = f"{before:.0f} | {after:.0f} | {oracle:.0f} | {after / oracle:.2f} | {1 - after / before:.0%}"
                print(f"| {d:+g} | {discordance:.0%} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
