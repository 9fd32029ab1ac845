"""What the trained classifier of cases learns where the truth is known: `python -m bench.legal_cases --seeds 5`.

Cases are made by a rule: one planted fact decides, all others are neutral, and a share of the labels is turned over. Nobody who
knows the rule is right more often than that share allows, and attention ought to fall on the planted fact.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from typing import Any

from vivavoce.consistency.config import TrainingConfig
from vivavoce.consistency.legal.case_files import LabelledCase
from vivavoce.consistency.legal.training import Measures, divided, measured, train
from vivavoce.consistency.legal.trials import LegalCase

DECISIVE = {
    True: ("was beaten by two officers in the cell", "was held for nine days without seeing a judge", "was refused a lawyer"),
    False: ("was examined by a doctor in the cell", "was brought before a judge the next day", "was visited by a lawyer"),
}
"""What a planted fact says, by whether it makes the case a violation."""
NEUTRAL = ("lives in the district with two children", "worked at the depot until the summer", "sent a letter to the registry",
           "asked for a copy of the file", "received a reply from the regional office", "moved to another flat")  # fmt: skip
FORMS = (
    "According to the case file, on {day} {month} the applicant {what}, as was noted by the registry of the regional office.",
    "It is not in dispute between the parties that on {day} {month}, in the town of {town}, the applicant {what}.",
    "The Government submitted that on {day} {month} the applicant {what}, and referred to the records of {town}.",
)
MONTHS, TOWNS = ("March", "April", "May", "June"), ("Norwick", "Estering", "Sull", "Varne")


def made_cases(count: int, *, facts: int = 8, wrong: float = 0.1, seed: int = 0) -> Iterator[LabelledCase]:
    """Cases of so many facts, of which one decides; `wrong`: the share of labels that are turned over."""
    rng = random.Random(seed)
    for number in range(count):
        violation, spot = rng.random() < 0.5, rng.randrange(1, facts)
        values = [rng.choice(DECISIVE[violation] if i == spot else NEUTRAL) for i in range(facts)]
        words = (
            f"{i + 1}. "
            + rng.choice(FORMS).format(day=rng.randint(1, 28), month=rng.choice(MONTHS), town=rng.choice(TOWNS), what=what)
            for i, what in enumerate(values)
        )
        yield LabelledCase(LegalCase(f"made-{seed}-{number}", tuple(words)), violation ^ (rng.random() < wrong), (spot,))


def found(count: int, *, wrong: float, seed: int) -> Measures:
    """What is found on held-out cases after training on the others."""
    config = TrainingConfig(seed=seed)
    division = divided(list(made_cases(count, wrong=wrong, seed=seed)), None, None, config)
    return measured(train(division, config).decided, config.threshold)


def _as_line(entry: LabelledCase) -> dict[str, Any]:
    return {"id": entry.case.id, "facts": entry.case.facts, "violation": entry.violation, "decisive": entry.decisive}


def main() -> None:
    """Print a table, or the cases themselves as JSON Lines."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=600)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--wrong", type=float, default=0.1, help="share of labels that are turned over")
    parser.add_argument("--write", action="store_true", help="print the cases of seed 0 as JSON Lines, and train nothing")
    given = parser.parse_args()
    if given.write:
        sys.stdout.writelines(
            json.dumps(_as_line(made_case)) + "\n" for made_case in made_cases(given.cases, wrong=given.wrong)
        )
        return
    print(f"best possible accuracy {1 - given.wrong:.3f}")
    print("seed  accuracy  F1     attention on the planted fact  by chance")
    for seed in range(given.seeds):
        of = found(given.cases, wrong=given.wrong, seed=seed)
        assert of.attention is not None
        print(
            f"{seed:<5} {of.accuracy.value or 0:<9.3f} {of.violation.f1.value or 0:<6.3f} "
            f"{of.attention.top.value or 0:<30.3f} {of.attention.chance:.3f}"
        )


if __name__ == "__main__":
    main()
