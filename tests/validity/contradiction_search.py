"""What a search for contradictions finds beside random drawing, at equal calls, of candidates with planted contradictions."""

from __future__ import annotations

from collections.abc import Callable

from tests.consistency.search.planted import Flips, coherent, conjunction, nothing_to_learn, one_feature, searched
from vivavoce.consistency.search.config import ContradictionSearchConfig

SEEDS = range(20)
CALLS = 1_000
PLANTS: dict[str, Callable[[str], bool]] = {
    "one feature": one_feature,
    "a conjunction of three": conjunction,
    "nothing to learn": nothing_to_learn,
    "coherent": coherent,
}


def distinct(planted: Callable[[str], bool]) -> dict[str, list[int]]:
    """By method the number of distinct contradictions of each seed."""
    found: dict[str, list[int]] = {"search": [], "random": []}
    for seed in SEEDS:
        finding = searched(Flips(planted), ContradictionSearchConfig(calls=CALLS, seed=seed))
        for run in finding.runs:
            assert run.calls <= CALLS
            found[run.method].append(run.distinct)
    return found


def main() -> None:
    """Print a row a plant and method."""
    for name, planted in PLANTS.items():
        for method, counts in distinct(planted).items():
            print(f"{name:24} {method:8} {sum(counts) / len(counts):6.2f} a run, {min(counts)} to {max(counts)}: {counts}")


if __name__ == "__main__":
    main()
