"""A survey, its respondents, and what they do, in threads and processes."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, Engine

from vivavoce.generalization.survey.plan import CHECK_QUESTIONS, CompletionCodes, SurveyCard, SurveyPlan, SurveyStep
from vivavoce.web.database import open_database, reading, transaction
from vivavoce.web.store import respondents, surveys

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
RIGHT = {check.id: check.right for check in CHECK_QUESTIONS}
PLAN = SurveyPlan("trust", "What do you expect?", CompletionCodes("D1", "F1", "W1"), pairs_each=3, ask_why=True)


def cards(n: int) -> list[SurveyCard]:
    """As many, which share no question."""
    return [
        SurveyCard(number, f"first {number}?", f"second {number}?", "a", "b", str(number), number % 2 == 0, weight=2.0, stage=1)
        for number in range(1, n + 1)
    ]


def made(engine: Engine, n: int = 12, plan: SurveyPlan = PLAN) -> surveys.Survey:
    """An open survey."""
    with transaction(engine) as c:
        surveys.create(c, plan, cards(n), START)
        return surveys.set_state(c, plan.slug, "open", START)


def begun(c: Connection, survey: surveys.Survey, pid: str | None, now: datetime = START) -> respondents.Respondent:
    """Someone who has passed the questions on the task."""
    respondent, _ = respondents.enter(c, survey, pid=pid, now=now)
    respondent = respondents.agree(c, respondent, "1", now)
    return respondents.answer_checks(c, respondent, RIGHT, now)


def belief(card: SurveyCard, phase: str) -> float:
    """What everybody says of a card: nobody changes their mind about those with an even number."""
    return card.number % 50 / 100 + (0.25 if phase == "after" and card.number % 2 else 0.0)


def own_answer(card: SurveyCard) -> str:
    """What everybody answers themselves: the sum where it is one of two numbers, else 0."""
    words = card.q2.removeprefix("What is ").removesuffix("?").split(" ")
    exact = len(words) == 3 and words[1] == "+"
    return str(int(words[0]) + int(words[2])) if exact else "0"


def finish(c: Connection, respondent: respondents.Respondent, now: datetime = START) -> respondents.Respondent:
    """Answer all that is left."""
    while respondent.progress.step is not SurveyStep.DONE:
        card, index = respondents.card(c, respondent), respondent.progress.place
        assert card is not None
        shown, now = now, now + timedelta(seconds=10)
        if respondent.progress.step is SurveyStep.OWN:
            respondent = respondents.answer_own(c, respondent, index, own_answer(card), shown + timedelta(seconds=1))
        respondent = respondents.believe_before(c, respondent, index, belief(card, "before"), shown + timedelta(seconds=7))
        respondent = respondents.believe_after(c, respondent, index, belief(card, "after"), "", now)
    return respondent


def live(address: str, pids: list[str]) -> list[str]:
    """Take part as each of these, in a process of its own, each form in its own transaction and sent up to three times."""
    engine = open_database(address)
    dice = random.Random(pids[0])
    with reading(engine) as c:
        survey = surveys.survey(c, PLAN.slug)
    assert survey is not None
    ended = []
    for pid in pids:
        tokens = []
        for _ in range(dice.randint(1, 3)):
            with transaction(engine) as c:
                tokens.append(respondents.enter(c, survey, pid=pid, now=START)[1])
        while True:
            with reading(engine) as c:
                respondent = respondents.by_token(c, dice.choice(tokens))
                assert respondent is not None
                card = respondents.card(c, respondent)
            if respondents.over(respondent):
                break
            for _ in range(dice.randint(1, 3)):
                with transaction(engine) as c:
                    send(c, respondent, card)
        ended.append(str(respondent.progress.step))
    engine.dispose()
    return ended


def send(c: Connection, seen: respondents.Respondent, card: SurveyCard | None) -> None:
    """Send the form of the page that someone saw, which may be an old one."""
    index = seen.progress.place
    match seen.progress.step:
        case SurveyStep.CONSENT:
            respondents.agree(c, seen, "1", START)
        case SurveyStep.CHECKS:
            respondents.answer_checks(c, seen, RIGHT, START)
        case SurveyStep.BEFORE if card is not None:
            respondents.believe_before(c, seen, index, belief(card, "before"), START)
        case SurveyStep.AFTER if card is not None:
            respondents.believe_after(c, seen, index, belief(card, "after"), "", START)
