"""What the search for players who guess by a rule costs, and how it grows.

    python bench/luna_flags.py [--check] [--guesses 20000 40000 80000] [--json]

Each size has ten guesses for a player, halves rounded to whole points, and one player in ten who always guesses the same.
Seconds are CPU of this process. `--check` fails where the cost grows faster than the number of guesses to the power 1.3.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import numpy as np

from vivavoce.luna.games_file import LunaGames
from vivavoce.luna.guessers import flags
from vivavoce.luna.ratings import Guesses

MOST_EXPONENT = 1.3
A_PLAYER = 10
"""Guesses for each player, on average."""


def games_of(guesses: int, players: int, seed: int = 0) -> LunaGames:
    """Games of two between random players."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, players, guesses // 2)
    second = (first + rng.integers(1, players, first.size)) % players
    guesser, target = (np.stack(pair, 1).ravel() for pair in ((first, second), (second, first)))
    value = np.clip(np.round(rng.normal(50, 25, guesser.size) * 2) / 2, 0, 100)
    same = guesser % 10 == 0
    value[same] = guesser[same] * 7 % 101
    game = np.repeat(np.arange(first.size), 2)
    made = Guesses(guesser, target, value, game, players=players)
    return LunaGames(tuple(map(str, range(players))), made, np.ones(guesser.size, dtype=bool), frozenset())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--guesses", type=int, nargs="+", default=[20_000, 40_000, 80_000])
    parser.add_argument("--players", type=int, help="of each size [a tenth of the guesses]")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    flags(games_of(1000, 100))  # what it needs is imported
    seconds = []
    for guesses in options.guesses:
        games = games_of(guesses, options.players or guesses // A_PLAYER)
        began = time.process_time()
        flags(games)
        seconds.append(time.process_time() - began)
    exponent = float(np.polyfit(np.log(options.guesses), np.log(seconds), 1)[0]) if len(seconds) > 1 else None
    if options.json:
        print(json.dumps({"guesses": options.guesses, "seconds": seconds, "exponent": exponent}))
    else:
        for guesses, cost in zip(options.guesses, seconds, strict=True):
            print(f"{guesses:>10,} guesses {cost:8.2f} s")
        print("" if exponent is None else f"exponent {exponent:.2f}")
    return int(options.check and exponent is not None and exponent > MOST_EXPONENT)


if __name__ == "__main__":
    sys.exit(main())
