"""Pupils who know more or less, and answer five questions accordingly: tables for tests, made from a seed."""

from __future__ import annotations

import random
from typing import Final

from vivavoce.luna.predict.answers import Answer, People, people_of

RIGHT: Final = {
    "Capital of France?": ("Paris", "paris", "It is Paris"),
    "2 + 2?": ("4", "four", "4."),
    "Colour of the sky?": ("blue", "light blue", "Blue"),
    "Largest planet?": ("Jupiter", "jupiter"),
    "Who wrote Hamlet?": ("Shakespeare", "William Shakespeare"),
}
WRONG: Final = ("no idea", "London", "green", "7", "Saturn", "me", "?", "")


def pupils(number: int = 40, *, seed: int = 0) -> People:
    """So many, with a grade for each answer."""
    rng = random.Random(seed)
    answers = []
    for pupil in range(number):
        knows = rng.random()
        for question, right in RIGHT.items():
            known = rng.random() < knows
            answers.append(Answer(f"pupil {pupil}", question, rng.choice(right if known else WRONG), float(known)))
    return people_of(answers)


def as_csv(people: People, *, grades: bool = True) -> str:
    """The table as a file has it; no text of these pupils needs quotation marks."""
    rows = [",".join((one.person, one.question, one.text, *((f"{one.grade:g}",) if grades else ()))) for one in people.answers]
    return "\n".join(["person,question,answer" + (",grade" if grades else ""), *rows, ""])
