"""A small simulated world: questions, a candidate that answers some of them, and people whose behaviour is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

from vivavoce.generalization.pairs import Floats, Pair
from vivavoce.generalization.survey.plan import PAIRS_EACH

Places = NDArray[np.int64]

SUBJECTS: Final = 5
TASKS_EACH: Final = 4
WORDS_SUBJECT: Final = 20
WORDS_TASK: Final = 12
LENGTH: Final = 12
"""Words per question."""
ACCURACY: Final = 0.6
"""Share of questions that the candidate answers right."""
_SYLLABLES: Final = ("ba", "do", "fi", "gu", "ka", "lo", "mi", "nu", "pe", "ra", "so", "tu", "ve", "zi")


@dataclass(frozen=True, slots=True)
class SimulatedPeople:
    """Parameters of people's belief changes, in log-odds; our choice, so that most pairs change few beliefs."""

    start: float = -2.6
    same_task: float = 2.0
    same_subject: float = 1.0
    """Another task of the same subject."""
    per_shared_word: float = 0.25
    after_wrong: float = 0.7
    """Mistakes change beliefs more often than right answers (section 4 of `vafa2024`)."""
    spread: float = 0.5
    """Standard deviation between persons."""


@dataclass(frozen=True, slots=True)
class SimulatedWorld:
    """Questions, the candidate's grades, and people."""

    texts: tuple[str, ...]
    task: Places
    """Index of each question's task."""
    words: NDArray[np.bool_]
    """The words of each question, shape (questions, words)."""
    right: NDArray[np.bool_]
    """Whether the candidate answers each question right."""
    people: SimulatedPeople

    def pool(self, size: int, rng: np.random.Generator) -> Places:
        """Random pairs of different questions, shape (size, 2): the shown one, and the other."""
        first = rng.integers(0, len(self.texts), size)
        other = rng.integers(0, len(self.texts) - 1, size)
        return np.column_stack([first, other + (other >= first)])

    def chance(self, places: Places, persons: Floats | float = 0.0) -> Floats:
        """The true chance of a change, one per pair; `persons` are the people's effects in log-odds."""
        first, second = places.T
        same_task = self.task[first] == self.task[second]
        same_subject = self.task[first] // TASKS_EACH == self.task[second] // TASKS_EACH
        shared = (self.words[first] & self.words[second]).sum(axis=1)
        rule = self.people
        logit = rule.start + rule.same_task * same_task + rule.same_subject * (same_subject & ~same_task)
        logit = logit + rule.per_shared_word * shared + rule.after_wrong * ~self.right[first] + persons
        return np.asarray(1 / (1 + np.exp(-logit)), dtype=float)

    def true_shares(self, places: Places) -> Floats:
        """The share of people who change their belief, one per pair: the chance averaged over people."""
        nodes, weights = hermegauss(21)
        each = [self.chance(places, self.people.spread * node) for node in nodes]
        return np.asarray(np.average(each, axis=0, weights=weights), dtype=float)

    def pairs(self, places: Places) -> list[Pair]:
        """The pairs of a survey, before people are asked."""
        return [
            Pair(
                self.texts[first],
                self.texts[second],
                self._source(first),
                self._source(second),
                previous_correct=bool(self.right[first]),
            )
            for first, second in places
        ]

    def answers(self, places: Places, rng: np.random.Generator, *, first_person: int = 0) -> list[dict[str, object]]:
        """People's answers to these pairs, 15 per person, as fields of `Pair`."""
        persons = np.arange(len(places)) // PAIRS_EACH
        moods = rng.normal(0, self.people.spread, int(persons[-1]) + 1)[persons]
        changed = rng.random(len(places)) < self.chance(places, moods)
        prior = np.clip(np.round(rng.normal(63, 15, len(places))), 10, 90)
        step = np.maximum(np.round(np.abs(rng.normal(12, 8, len(places)))), 1) * np.where(self.right[places[:, 0]], 1, -1)
        posterior = np.clip(prior + np.where(changed, step, 0), 0, 100)
        return [
            {
                "belief_change": bool(moved),
                "person": f"p{first_person + int(person)}",
                "prior": before / 100,
                "posterior": after / 100,
            }
            for moved, person, before, after in zip(changed, persons, prior, posterior, strict=True)
        ]

    def _source(self, question: int) -> str:
        task = int(self.task[question])
        return f"subject{task // TASKS_EACH + 1}_task{task % TASKS_EACH + 1}"


def make_world(rng: np.random.Generator, *, questions: int, people: SimulatedPeople | None = None) -> SimulatedWorld:
    """Questions from 20 tasks of 5 subjects, in invented words; each subject and each task has its own words.

    >>> world = make_world(np.random.default_rng(0), questions=40)
    >>> len(world.texts), world.texts[0].endswith("?"), world.pool(100, np.random.default_rng(1)).shape
    (40, True, (100, 2))
    """
    tasks = np.arange(questions) % (SUBJECTS * TASKS_EACH)
    vocabulary = _vocabulary(SUBJECTS * WORDS_SUBJECT + SUBJECTS * TASKS_EACH * WORDS_TASK, rng)
    present = np.zeros((questions, len(vocabulary)), dtype=bool)
    texts = []
    for index, task in enumerate(tasks):
        subject = task // TASKS_EACH
        of_task = SUBJECTS * WORDS_SUBJECT + task * WORDS_TASK + np.arange(WORDS_TASK)
        choices = np.concatenate([subject * WORDS_SUBJECT + np.arange(WORDS_SUBJECT), of_task])
        chosen = rng.choice(choices, LENGTH, replace=False)
        present[index, chosen] = True
        texts.append(" ".join(vocabulary[word] for word in chosen).capitalize() + "?")
    return SimulatedWorld(tuple(texts), tasks, present, rng.random(questions) < ACCURACY, people or SimulatedPeople())


def _vocabulary(size: int, rng: np.random.Generator) -> Sequence[str]:
    words: dict[str, None] = {}
    while len(words) < size:
        words["".join(rng.choice(_SYLLABLES, 3))] = None
    return list(words)
