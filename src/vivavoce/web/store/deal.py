"""Which cards a respondent of a survey gets: those with the fewest answers, chosen at random among equals."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, func, insert, or_, select

from vivavoce.web.tables import CARDS, DEALS, RESPONDENTS, SURVEYS

GIVEN_UP: Final = timedelta(hours=3)
"""Respondents who were away for this long are not expected to answer: their cards go to others. They may still come back."""
AT_ONCE: Final = 200
"""Cards whose questions are read at once: most surveys have many more than a respondent gets."""


def deal(c: Connection, survey: str, respondent: str, pairs: int, now: datetime) -> None:
    """Deal this respondent's cards, in a random order.

    A card counts as answered also while somebody is expected to answer it. Nobody gets a question twice, be it asked about or
    shown, as long as there are enough cards without: what was seen of it before would sway the second belief. Deals of a survey
    take turns, also between server processes, so that cards stay balanced.
    """
    # the survey is not changed, but the next deal waits for this row; other rows may refer to it meanwhile
    c.execute(select(SURVEYS.c.id).where(SURVEYS.c.id == survey).with_for_update(key_share=True)).all()
    chosen = _chosen(c, survey, _by_need(c, survey, now), pairs)
    secrets.SystemRandom().shuffle(chosen)
    rows = [{"respondent": respondent, "place": i, "survey": survey, "card": n} for i, n in enumerate(chosen, 1)]
    c.execute(insert(DEALS), rows)


def _by_need(c: Connection, survey: str, now: datetime) -> list[int]:
    """Numbers of all cards: those with the fewest answers first, equals at random."""
    answered = DEALS.c.after.is_not(None)
    expected = or_(answered, RESPONDENTS.c.seen > now - GIVEN_UP)
    joined = DEALS.join(RESPONDENTS, RESPONDENTS.c.id == DEALS.c.respondent)
    counts = select(DEALS.c.card, func.count()).select_from(joined).where(DEALS.c.survey == survey, expected)
    answers = {int(card): int(number) for card, number in c.execute(counts.group_by(DEALS.c.card))}
    numbers = list(c.execute(select(CARDS.c.number).where(CARDS.c.survey == survey)).scalars())
    secrets.SystemRandom().shuffle(numbers)
    return sorted(numbers, key=lambda number: answers.get(number, 0))


def _chosen(c: Connection, survey: str, numbers: list[int], pairs: int) -> list[int]:
    """The first ones that share no question; where these are too few, the first of the others too."""
    chosen: list[int] = []
    others: list[int] = []
    seen: set[str] = set()
    for start in range(0, len(numbers), AT_ONCE):
        some = numbers[start : start + AT_ONCE]
        asked = select(CARDS.c.number, CARDS.c.q1, CARDS.c.q2).where(CARDS.c.survey == survey, CARDS.c.number.in_(some))
        questions = {number: {first, second} for number, first, second in c.execute(asked)}
        for number in some:
            if len(chosen) == pairs:
                return chosen
            if seen & questions[number]:
                others.append(number)
            else:
                chosen.append(number)
                seen |= questions[number]
    return chosen + others[: pairs - len(chosen)]
