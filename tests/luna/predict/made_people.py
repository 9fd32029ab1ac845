"""Made people: they know more or less, write as they like, and sometimes write nonsense."""

from __future__ import annotations

import numpy as np

from vivavoce.luna.predict.answers import Answer, People, people_of

RIGHT = {
    "Capital of France?": ("Paris", "paris.", "The city of Paris", "it is Paris", "Pariss"),
    "What do bees make?": ("honey", "Honey!", "sweet honey", "they make honey", "hony"),
    "First month?": ("January", "january", "Jan", "it is January", "the month of January"),
    "Who wrote Hamlet?": ("Shakespeare", "William Shakespeare", "shakespear", "W. Shakespeare", "it was Shakespeare"),
}
WRONG = ("no idea", "Rome", "cannot say", "wasps and milk", "I forgot", "Goethe", "a king", "in the summer", "ten", "???")


def made_people(number: int, *, seed: int = 0) -> People:
    """So many people with grades; about two of three answers are right."""
    rng = np.random.default_rng(seed)
    answers = []
    for person in range(number):
        skill = rng.beta(4, 2)
        for question, right in RIGHT.items():
            good = rng.random() < skill
            text = right[rng.integers(len(right))] if good else f"{WRONG[rng.integers(len(WRONG))]} {rng.integers(9)}"
            answers.append(Answer(f"p{person}", question, text, float(good)))
    return people_of(answers)
