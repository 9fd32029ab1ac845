"""A survey, its respondents, and what they do, in threads and processes."""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, Engine

from vivavoce.generalization.survey import CHECK_QUESTIONS, Card, Codes, Step, SurveyPlan
from vivavoce.web.database import open_database, reading, transaction
from vivavoce.web.store import surveys

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
RIGHT = {check.id: check.right for check in CHECK_QUESTIONS}
PLAN = SurveyPlan("trust", "What do you expect?", Codes("D1", "F1", "W1"), pairs_each=3, ask_why=True)


def cards(n: int) -> list[Card]:
    """As many, which share no question."""
    return [
        Card(number, f"first {number}?", f"second {number}?", "a", "b", str(number), number % 2 == 0, weight=2.0, stage=1)
        for number in range(1, n + 1)
    ]


def made(engine: Engine, n: int = 12, plan: SurveyPlan = PLAN) -> surveys.Survey:
    """An open survey."""
    with transaction(engine) as c:
        surveys.create(c, plan, cards(n), START)
        return surveys.open_survey(c, plan.slug, START)


def begun(c: Connection, survey: surveys.Survey, pid: str | None, now: datetime = START) -> surveys.Respondent:
    """Somebody who has passed the questions on the task."""
    respondent, _ = surveys.enter(c, survey, pid=pid, now=now)
    respondent = surveys.agree(c, respondent, "1", now)
    return surveys.answer_checks(c, respondent, RIGHT, now)


def belief(card: Card, phase: str) -> float:
    """What everybody says of a card: nobody changes their mind about those with an even number."""
    return card.number % 50 / 100 + (0.25 if phase == "after" and card.number % 2 else 0.0)


def finish(c: Connection, respondent: surveys.Respondent, now: datetime = START) -> surveys.Respondent:
    """Answer all that is left."""
    while respondent.progress.step is not Step.DONE:
        card, place = surveys.card(c, respondent), respondent.progress.place
        assert card is not None
        respondent = surveys.believe_before(c, respondent, place, belief(card, "before"), now := now + timedelta(seconds=7))
        respondent = surveys.believe_after(c, respondent, place, belief(card, "after"), "", now := now + timedelta(seconds=3))
    return respondent


def live(address: str, pids: list[str], seed: int) -> list[str]:
    """Take part as each of these, in a process of its own, each form in its own transaction and sent up to three times."""
    engine = open_database(address)
    dice = random.Random(seed)
    with reading(engine) as c:
        survey = surveys.survey(c, PLAN.slug)
    assert survey is not None
    ended = []
    for pid in pids:
        tokens = []
        for _ in range(dice.randint(1, 3)):
            with transaction(engine) as c:
                tokens.append(surveys.enter(c, survey, pid=pid, now=START)[1])
        while True:
            with reading(engine) as c:
                respondent = surveys.respondent(c, dice.choice(tokens))
                assert respondent is not None
                card = surveys.card(c, respondent)
            if surveys.over(respondent):
                break
            for _ in range(dice.randint(1, 3)):
                with transaction(engine) as c:
                    send(c, respondent, card)
        ended.append(str(respondent.progress.step))
    engine.dispose()
    return ended


def send(c: Connection, seen: surveys.Respondent, card: Card | None) -> None:
    """Send the form of the page that somebody saw, which may be an old one."""
    place = seen.progress.place
    match seen.progress.step:
        case Step.CONSENT:
            surveys.agree(c, seen, "1", START)
        case Step.CHECKS:
            surveys.answer_checks(c, seen, RIGHT, START)
        case Step.BEFORE if card is not None:
            surveys.believe_before(c, seen, place, belief(card, "before"), START)
        case Step.AFTER if card is not None:
            surveys.believe_after(c, seen, place, belief(card, "after"), "", START)


def in_processes(address: str, pids: Sequence[list[str]]) -> list[list[str]]:
    """Each list in a process of its own, all at once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.web.store.respondents"])
    with ProcessPoolExecutor(len(pids), mp_context=context) as pool:
        return list(pool.map(live, [address] * len(pids), pids, range(len(pids))))
