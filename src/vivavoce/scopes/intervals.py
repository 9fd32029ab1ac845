"""Questions on events that take time: ``intervals?events=3``. Which of two began first, or ended first? Did they overlap?

The questions are those of Appendix C of `leytonbrown2024`. Each event has a beginning and a later end. Premises say which of
two such points came first, or that they coincide; they are taken from a concrete course of events, so they never contradict
each other. What follows from them is exact: points related by "before" and "at the same moment" alone are ordered by the
transitive closure of the premises, and two points that it leaves unordered can come in any order (Vilain and Kautz 1986).
"It cannot be known" is right for two questions in five, and differs from "I don't know", which scores 0.

An option is unacceptable if it names an event that the question does not ask about, or if one premise alone excludes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations, product
from string import ascii_uppercase

import numpy as np

from vivavoce.errors import BadInput
from vivavoce.scopes.listed_and_endless import EndlessScope
from vivavoce.scopes.questions import Question

EVENTS = (
    "the concert",
    "the storm",
    "the parade",
    "the strike",
    "the festival",
    "the siege",
    "the trial",
    "the harvest",
    "the regatta",
    "the drought",
    "the exhibition",
    "the heat wave",
    "the chess match",
    "the film shoot",
    "the power cut",
    "the election campaign",
)
MIN_EVENTS, MAX_EVENTS = 3, 5
UNKNOWN = "It cannot be known"
TOGETHER = "Both at the same moment"
UNKNOWN_SHARE = 0.4
"""Share of questions whose right answer is that it cannot be known."""

BEFORE, SAME = 2, 1
"""Strength of the known relation of two points: the first is before the second, or at the same moment."""

PREMISES: dict[str, tuple[tuple[str, int, str], ...]] = {
    "{x} happened during {y}": (("y begins", BEFORE, "x begins"), ("x ends", BEFORE, "y ends")),
    "{x} began before {y} did": (("x begins", BEFORE, "y begins"),),
    "{x} ended before {y} did": (("x ends", BEFORE, "y ends"),),
    "{x} was over before {y} began": (("x ends", BEFORE, "y begins"),),
    "{x} was already going on when {y} began": (("x begins", BEFORE, "y begins"), ("y begins", BEFORE, "x ends")),
    "{x} and {y} began at the same moment": (("x begins", SAME, "y begins"),),
    "{x} and {y} ended at the same moment": (("x ends", SAME, "y ends"),),
    "{x} ended at the very moment {y} began": (("x ends", SAME, "y begins"),),
}
"""The meaning of a premise about its two events, in words and in points."""

QUERIES = (
    "Which began first, {x} or {y}?",
    "Which ended first, {x} or {y}?",
    "Was there a stretch of time during which both {x} and {y} were going on?",
    "Was {x} over before {y} began?",
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A premise or a query about two events, given by their numbers."""

    words: str
    x: int
    y: int

    def point(self, name: str) -> int:
        """The number of a point: event i begins at point 2i and ends at point 2i + 1."""
        event, which = name.split()
        return 2 * (self.x if event == "x" else self.y) + (which == "ends")

    def say(self, names: tuple[str, ...]) -> str:
        """The statement in words."""
        sentence = self.words.format(x=names[self.x], y=names[self.y])
        return sentence[0].upper() + sentence[1:]


def intervals(name: str, *, events: str = "3", zero_is_unacceptable: bool = False) -> EndlessScope:
    """The scope of temporal relations between this many events (3 to 5); raises `BadInput` for other numbers."""
    if events not in {str(n) for n in range(MIN_EVENTS, MAX_EVENTS + 1)}:
        raise BadInput(f"events={events[:40]}: must be a whole number from {MIN_EVENTS} to {MAX_EVENTS}")
    count = int(events)
    return EndlessScope(name, f"intervals 1 events={count}", lambda rng: generate(rng, count), zero_is_unacceptable)


def generate(rng: np.random.Generator, events: int) -> Question:
    """A question about a random course of events; as many premises as events, each event in one of them at least."""
    names = tuple(EVENTS[i] for i in rng.permutation(len(EVENTS))[:events])
    unknown = rng.random() < UNKNOWN_SHARE
    while True:
        times = _course(rng, events)
        pairs = permutations(range(events), 2)
        true = [p for p in (Statement(w, *pair) for w, pair in product(PREMISES, pairs)) if _holds(p, times)]
        premises = tuple(true[i] for i in rng.permutation(len(true))[:events])
        if len({event for p in premises for event in (p.x, p.y)}) < events:
            continue
        x, y = (int(i) for i in rng.permutation(events)[:2])
        query = Statement(QUERIES[int(rng.integers(len(QUERIES)))], x, y)
        if (answer(premises, query, events) == UNKNOWN) == unknown:
            return interval_question(premises, query, names)


def interval_question(premises: tuple[Statement, ...], query: Statement, names: tuple[str, ...]) -> Question:
    """Premises and query put into words, with the right option and the unacceptable ones."""
    pair = (names[query.x], names[query.y])
    others = tuple(name for name in names if name not in pair)
    options = (*pair, *others, TOGETHER, UNKNOWN) if query.words in QUERIES[:2] else ("Yes", "No", UNKNOWN)
    meanings = {"x": pair[0], "y": pair[1]}
    right = answer(premises, query, len(names))
    single = {answer((premise,), query, len(names)) for premise in premises} - {UNKNOWN}
    known = {meanings.get(word, word) for word in single}
    unacceptable = [o for o in options if o in others or (known and o != UNKNOWN and o not in known)]
    letter = dict(zip(options, ascii_uppercase, strict=False))
    text = (
        f"Consider {len(names)} events, each of which took some time: {', '.join(names[:-1])} and {names[-1]}. "
        '("During" means that it began later and ended earlier; "before" means strictly earlier.) '
        f"{'. '.join(premise.say(names) for premise in premises)}. {query.say(names)}"
    )
    return Question(
        id=hashlib.sha256(text.encode()).hexdigest()[:16],
        text=text,
        options=options,
        accepted=(letter[meanings.get(right, right)],),
        category=query.words.format(x="X", y="Y"),
        unacceptable=tuple(letter[o] for o in unacceptable),
    )


def answer(premises: Iterable[Statement], query: Statement, events: int) -> str:
    """The exact answer that follows from the premises.

    `x`, `y`, `TOGETHER` or `UNKNOWN` for the first two queries; `Yes`, `No` or `UNKNOWN` for the others.

    >>> during = "{x} happened during {y}"
    >>> answer([Statement(during, 1, 0), Statement(during, 2, 1)], Statement(QUERIES[0], 0, 2), 3)
    'x'
    """
    known = closure(premises, events)

    def before(first: str, second: str) -> int:
        return known[query.point(first)][query.point(second)]

    if query.words in QUERIES[:2]:
        which = "begins" if query.words == QUERIES[0] else "ends"
        forth, back = before(f"x {which}", f"y {which}"), before(f"y {which}", f"x {which}")
        return "x" if forth == BEFORE else "y" if back == BEFORE else TOGETHER if forth == SAME else UNKNOWN
    if query.words == QUERIES[2]:
        yes = before("x begins", "y ends") == BEFORE and before("y begins", "x ends") == BEFORE
        no = before("y ends", "x begins") > 0 or before("x ends", "y begins") > 0
    else:
        yes = before("x ends", "y begins") == BEFORE
        no = before("y begins", "x ends") > 0
    return "Yes" if yes else "No" if no else UNKNOWN


def closure(premises: Iterable[Statement], events: int) -> list[list[int]]:
    """The order of points that follows: entry [p][q] is `BEFORE`, `SAME`, or 0 if p is not known to precede q."""
    n = 2 * events
    known = [[0] * n for _ in range(n)]
    for event in range(events):
        known[2 * event][2 * event + 1] = BEFORE
    for premise in premises:
        for first, relation, second in PREMISES[premise.words]:
            p, q = premise.point(first), premise.point(second)
            known[p][q] = max(known[p][q], relation)
            if relation == SAME:
                known[q][p] = SAME
    for via in range(n):
        for p in range(n):
            if first_leg := known[p][via]:
                for q in range(n):
                    if second_leg := known[via][q]:
                        known[p][q] = max(known[p][q], first_leg, second_leg)
    return known


def _course(rng: np.random.Generator, events: int) -> list[int]:
    """A time for each point, on a grid so coarse that some coincide; every event begins before it ends."""
    draws = [sorted(int(t) for t in rng.permutation(2 * events)[:2]) for _ in range(events)]
    return [time for pair in draws for time in pair]


def _holds(premise: Statement, times: list[int]) -> bool:
    """Whether a premise is true of a sequence of events."""
    for first, relation, second in PREMISES[premise.words]:
        earlier, later = times[premise.point(first)], times[premise.point(second)]
        if not (earlier < later if relation == BEFORE else earlier == later):
            return False
    return True
