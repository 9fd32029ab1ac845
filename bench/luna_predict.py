"""How well ratings are predicted for 548 people who answered ten questions: the thesis' features and the modern regressor.

    python bench/luna_predict.py [--splits 100] [--data FOLDER] [--check]

The answers are those of Powergrading, in the folder of research data ($VIVA_DATA). CPU is this process's own. With `--check` it
exits with 1 if the modern regressor misses its limits or is not ahead of COM, or if a feature of the thesis is far from what
it prints. `modern?from=ratings` learns from ratings alone, `modern` from the grade of each answer.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from vivavoce.errors import VivavoceError
from vivavoce.luna.identification import in_words
from vivavoce.luna.predict.answers import PeopleTable, published_errors, read_powergrading
from vivavoce.luna.predict.comparison_finding import LIKELY, RatingComparison, compare
from vivavoce.luna.predict.wordnet_features import open_wordnet
from vivavoce.luna.settings import SplitsConfig

FEATURES = ("cbg", "ran", "bwo", "fwo", "ced", "wed", "wcs", "bow", "big", "nno", "nnc", "nnw", "com")
OTHERS = ("bow?by=question", "com?fit=lasso")
MODERN = ("modern?from=ratings", "modern")
MOST = {"modern?from=ratings": 0.055, "modern": 0.046}
"""Of the mean error."""
NEAR = 0.01
"""Distance from a printed error that counts as near."""
BETTER = ("com",)
"""May lie below the printed error as far as it likes: the thesis does not say what key its features compare with."""


def missed(comparison: RatingComparison) -> Iterator[str]:
    """What is not as it should be, each in a sentence."""
    for score in comparison.scores:
        error, printed = score.rmse.value or 0.0, published_errors().get(score.name)
        if score.name in MOST and error > MOST[score.name]:
            yield f"{score.name} errs by {error:.4f}, the limit is {MOST[score.name]}"
        if score.name in MOST and not (score.difference and score.difference.p < LIKELY and score.difference.value < 0):
            yield f"{score.name} is not shown to be ahead of {comparison.against}"
        if printed is not None and error > printed + NEAR:
            yield f"{score.name} errs by {error:.4f}, the thesis has {printed}"
        if printed is not None and error < printed - NEAR and score.name not in BETTER:
            yield f"{score.name} errs by {error:.4f} only, the thesis has {printed}"


def table(people: PeopleTable, splits: int) -> RatingComparison:
    """Prints one row a predictor; features that need WordNet only where it is."""
    names = [*FEATURES, *OTHERS, *MODERN]
    try:
        open_wordnet()
        names += ["snl", "syn", "com?wordnet="]
    except VivavoceError as error:
        print(f"snl, syn: {error}\n")
    began = time.process_time()
    result = compare(people, names, config=SplitsConfig(splits))
    spent = time.process_time() - began
    print("| predictor | RMSE | the thesis | less than COM by | p |")
    print("| --- | --- | --- | --- | --- |")
    for score in result.scores:
        printed, difference = published_errors().get(score.name), score.difference
        less = "" if difference is None else f"{-difference.value:.3f} | {difference.p:.1g}"
        print(f"| {score.name} | {in_words(score.rmse, 3)} | {'' if printed is None else f'{printed:.3f}'} | {less or ' | '} |")
    print(f"\n{result.statement}\n{splits} splits of {result.people} people: {spent:.0f} s of CPU")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=100)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("VIVA_DATA", "")), help="default: $VIVA_DATA")
    parser.add_argument("--check", action="store_true", help="exit with 1 if an error is not as it should be")
    given = parser.parse_args()
    try:
        people = read_powergrading(given.data / "powergrading" / "answers.tsv")
        result = table(people, given.splits)
    except VivavoceError as error:
        sys.exit(str(error))
    if given.check and (problems := list(missed(result))):
        sys.exit("; ".join(problems))


if __name__ == "__main__":
    main()
