"""What a search for contradictions finds beside random drawing, at equal calls, of candidates with planted contradictions."""

from __future__ import annotations

from collections.abc import Callable

from tests.consistency.search.planted import (
    Flips,
    another_conjunction,
    coherent,
    conjunction,
    conjunction_with_errors,
    disjunction,
    either_of_two_pairs,
    interaction,
    nothing_to_learn,
    one_feature,
    order_with_person,
    searched,
)
from vivavoce.consistency.search.config import ContradictionSearchConfig, Method
from vivavoce.consistency.search.summary import Run

SEEDS = range(20)
CALLS = 1_000
PLANTS: dict[str, Callable[[str], bool]] = {
    "one feature": one_feature,
    "a conjunction of three": conjunction,
    "nothing to learn": nothing_to_learn,
    "coherent": coherent,
}
"""By which the search was tuned."""
UNSEEN: dict[str, Callable[[str], bool]] = {
    "another conjunction of three": another_conjunction,
    "a disjunction": disjunction,
    "an interaction of two kinds": interaction,
}
"""Written down before the search was tried on any of them; by what it found there its reward was changed."""
UNSEEN_AGAIN: dict[str, Callable[[str], bool]] = {
    "a conjunction with errors": conjunction_with_errors,
    "either of two pairs": either_of_two_pairs,
    "an order with a person": order_with_person,
}
"""Written down before that change was tried on any of them."""


def runs(planted: Callable[[str], bool]) -> dict[Method, list[Run]]:
    """By method the run of each seed."""
    found: dict[Method, list[Run]] = {"search": [], "random": []}
    for seed in SEEDS:
        for run in searched(Flips(planted), ContradictionSearchConfig(calls=CALLS, seed=seed)).runs:
            assert run.calls <= CALLS
            found[run.method].append(run)
    return found


def main() -> None:
    """Print a row a plant and method."""
    for name, planted in (PLANTS | UNSEEN | UNSEEN_AGAIN).items():
        for method, of_method in runs(planted).items():
            distinct, patterns = [run.distinct for run in of_method], [run.patterns for run in of_method]
            means = f"{sum(distinct) / len(distinct):5.1f} a run, of {sum(patterns) / len(patterns):4.1f} patterns"
            print(f"{name:24} {method:8} {means}; {min(distinct)} to {max(distinct)}: {distinct}", flush=True)


if __name__ == "__main__":
    main()
