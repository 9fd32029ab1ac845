"""Tables of made-up people and pupils with known ratings."""

from __future__ import annotations

import random
from typing import Final

import numpy as np

from vivavoce.luna.predict.answers import PeopleTable, PersonAnswer, people_of

RIGHT = {
    "Capital of France?": ("Paris", "paris.", "The city of Paris", "it is Paris", "Pariss"),
    "What do bees make?": ("honey", "Honey!", "sweet honey", "they make honey", "hony"),
    "First month?": ("January", "january", "Jan", "it is January", "the month of January"),
    "Who wrote Hamlet?": ("Shakespeare", "William Shakespeare", "shakespear", "W. Shakespeare", "it was Shakespeare"),
}
WRONG = ("no idea", "Rome", "cannot say", "wasps and milk", "I forgot", "Goethe", "a king", "in the summer", "ten", "???")


def made_people(number: int, *, seed: int = 0) -> PeopleTable:
    """So many people with grades; about two of three answers are right."""
    rng = np.random.default_rng(seed)
    answers = []
    for person in range(number):
        skill = rng.beta(4, 2)
        for question, right in RIGHT.items():
            good = rng.random() < skill
            text = right[rng.integers(len(right))] if good else f"{WRONG[rng.integers(len(WRONG))]} {rng.integers(9)}"
            answers.append(PersonAnswer(f"p{person}", question, text, float(good)))
    return people_of(answers)


RIGHT_OF_PUPILS: Final = {
    "Capital of France?": ("Paris", "paris", "It is Paris"),
    "2 + 2?": ("4", "four", "4."),
    "Colour of the sky?": ("blue", "light blue", "Blue"),
    "Largest planet?": ("Jupiter", "jupiter"),
    "Who wrote Hamlet?": ("Shakespeare", "William Shakespeare"),
}
WRONG_OF_PUPILS: Final = ("no idea", "London", "green", "7", "Saturn", "me", "?", "")


def pupils(number: int = 40, *, seed: int = 0) -> PeopleTable:
    """So many, with a grade for each answer."""
    rng = random.Random(seed)
    answers = []
    for pupil in range(number):
        knows = rng.random()
        for question, right in RIGHT_OF_PUPILS.items():
            known = rng.random() < knows
            answers.append(
                PersonAnswer(f"pupil {pupil}", question, rng.choice(right if known else WRONG_OF_PUPILS), float(known))
            )
    return people_of(answers)


def as_csv(people: PeopleTable, *, grades: bool = True) -> str:
    """The table as a file has it; no text of these pupils needs quotation marks."""
    rows = [
        ",".join((answer.person, answer.question, answer.text, *((f"{answer.grade:g}",) if grades else ())))
        for answer in people.answers
    ]
    return "\n".join(["person,question,answer" + (",grade" if grades else ""), *rows, ""])
