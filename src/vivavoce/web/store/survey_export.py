"""What may be given away of a survey: answers under pseudonyms that are new each time, and how many came to which end."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select

from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.survey.bandit import majority
from vivavoce.generalization.survey.rules import By, Step
from vivavoce.web.store.surveys import Survey
from vivavoce.web.tables import CARDS, DEALS, RESPONDENTS

FEW: Final = 2
"""Answers to a pair that no majority is said about below."""


@dataclass(frozen=True, slots=True)
class ExportedAnswer:
    """What one respondent said about one pair."""

    pair: Pair
    """With both beliefs, where both were given; `person` is a pseudonym of this export alone."""
    place: int
    """Of the pair among this respondent's, from 1."""
    shown: str
    by: By
    why: str
    """Empty where nothing was said."""
    seconds_before: float
    """From the moment that the pair could be seen to the first belief, pauses included."""
    seconds_after: float | None
    """From the first belief to the second; None where there is none."""
    finished: bool
    """Whether the respondent came to the end of the survey."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many respondents came to which end, those included of whom nothing is exported."""

    begun: int
    """All who came in."""
    agreed: int
    """Those who agreed and have not withdrawn."""
    done: int
    failed: int
    """At the questions on the task."""
    withdrawn: int

    @property
    def unfinished(self) -> int:
        """Those who stopped on the way, or are still at it."""
        return self.begun - self.done - self.failed - self.withdrawn


@dataclass(frozen=True, slots=True)
class Label:
    """What most respondents said about a pair."""

    pair: Pair
    """`belief_change` is None where they are divided, or are too few."""
    answers: int
    changed: int


def exported_answers(c: Connection, survey: Survey) -> Iterator[ExportedAnswer]:
    """Every answer of those who agreed and have not withdrawn, person by person; nothing tells in which order they came.

    A pair of which only the first belief was given is among them, without a belief change. Pseudonyms are random and kept
    nowhere: the next export has others, and nobody can tell later whose they are, the operator included.
    """
    agreed = (RESPONDENTS.c.survey == survey.id, RESPONDENTS.c.consent.is_not(None), RESPONDENTS.c.step != str(Step.WITHDRAWN))
    people = list(c.execute(select(RESPONDENTS.c.id, RESPONDENTS.c.dealt, RESPONDENTS.c.step).where(*agreed)))
    secrets.SystemRandom().shuffle(people)
    names: set[str] = set()
    while len(names) < len(people):
        names.add(secrets.token_hex(6))
    of_card = [
        CARDS.c[name] for name in ("q1", "q2", "source1", "source2", "previous_correct", "stage", "weight", "shown", "by")
    ]
    said = [DEALS.c[name] for name in ("place", "before", "before_at", "after", "after_at", "why")]
    joined = select(*of_card, *said).join(CARDS, (CARDS.c.survey == DEALS.c.survey) & (CARDS.c.number == DEALS.c.card))
    # the set's own order may not be random enough to be relied on
    for (respondent, dealt, step), name in zip(people, secrets.SystemRandom().sample(sorted(names), len(people)), strict=True):
        given = joined.where(DEALS.c.respondent == respondent, DEALS.c.before.is_not(None)).order_by(DEALS.c.place)
        began = dealt
        for row in c.execute(given):
            changed = None if row.after is None else row.after != row.before
            pair = replace(_pair(row), belief_change=changed, person=name, prior=row.before, posterior=row.after)
            yield ExportedAnswer(
                pair=pair,
                place=row.place,
                shown=row.shown,
                by=row.by,
                why=row.why or "",
                seconds_before=_seconds(began, row.before_at),
                seconds_after=None if row.after is None else _seconds(row.before_at, row.after_at),
                finished=step == str(Step.DONE),
            )
            began = row.after_at


def counts(c: Connection, survey: Survey) -> Counts:
    """How many came to which end."""
    mine = RESPONDENTS.c.survey == survey.id
    by_step = select(RESPONDENTS.c.step, func.count()).where(mine).group_by(RESPONDENTS.c.step)
    steps = {str(step): int(number) for step, number in c.execute(by_step)}
    agreed = select(func.count()).where(mine, RESPONDENTS.c.consent.is_not(None), RESPONDENTS.c.step != str(Step.WITHDRAWN))
    done, failed, withdrawn = (steps.get(str(step), 0) for step in (Step.DONE, Step.FAILED, Step.WITHDRAWN))
    return Counts(sum(steps.values()), c.execute(agreed).scalar_one(), done, failed, withdrawn)


def consents(c: Connection, survey: Survey) -> Mapping[str, int]:
    """How many of those who have not withdrawn agreed to which version of the text."""
    mine = (RESPONDENTS.c.survey == survey.id, RESPONDENTS.c.consent.is_not(None), RESPONDENTS.c.step != str(Step.WITHDRAWN))
    rows = select(RESPONDENTS.c.consent, func.count()).where(*mine).group_by(RESPONDENTS.c.consent)
    return dict(sorted((str(version), number) for version, number in c.execute(rows)))


def answers_by_card(c: Connection, survey: Survey) -> Mapping[int, int]:
    """How many answers each card has, those with none included."""
    answered = select(DEALS.c.card, func.count()).where(DEALS.c.survey == survey.id, DEALS.c.after.is_not(None))
    found = {int(card): int(number) for card, number in c.execute(answered.group_by(DEALS.c.card))}
    numbers = c.execute(select(CARDS.c.number).where(CARDS.c.survey == survey.id)).scalars()
    return {number: found.get(number, 0) for number in numbers}


def majority_labels(answers: Iterable[ExportedAnswer]) -> list[Label]:
    """One label for each pair that anybody answered, in the order in which they come."""
    by_pair: dict[tuple[str, str, str, bool, str], tuple[Pair, list[bool]]] = {}
    for one in answers:
        pair = one.pair
        if pair.belief_change is None:
            continue
        key = (pair.q1, pair.q2, one.shown, pair.previous_correct, one.by)
        by_pair.setdefault(key, (pair, []))[1].append(pair.belief_change)
    return [
        Label(
            replace(pair, belief_change=majority(said) if len(said) >= FEW else None, person="", prior=None, posterior=None),
            len(said),
            sum(said),
        )
        for pair, said in by_pair.values()
    ]


def _pair(row: Row[*tuple[Any, ...]]) -> Pair:
    return Pair(row.q1, row.q2, row.source1, row.source2, row.previous_correct, stage=row.stage, weight=row.weight)


def _seconds(begin: datetime, end: datetime) -> float:
    """Clocks of two server processes may differ a little."""
    return max(0.0, round((end - begin).total_seconds(), 1))
