"""Which cards respondents get, on a file and on PostgreSQL."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

from sqlalchemy import Engine, select

from tests.web.store.at_once import together
from tests.web.store.respondents import PLAN, START, begun, cards, finish, made
from vivavoce.generalization.survey.plan import SurveyStep
from vivavoce.web.database import reading, transaction
from vivavoce.web.store import surveys
from vivavoce.web.store.respondents import GIVEN_UP
from vivavoce.web.store.survey_export import answers_by_card
from vivavoce.web.tables import DEALS


def test_cards_go_round_evenly(engine: Engine) -> None:
    survey = made(engine, n=10)
    with transaction(engine) as c:
        for number in range(20):
            finish(c, begun(c, survey, str(number)))
            answers = answers_by_card(c, survey).values()
            # 3 cards each: after k people 3 k answers over 10 cards, and none has two more than another
            assert sum(answers) == 3 * (number + 1)
            assert max(answers) - min(answers) <= 1


def test_the_cards_of_who_has_gone_away_go_to_others(engine: Engine) -> None:
    survey = made(engine, n=6)
    with transaction(engine) as c:
        first = begun(c, survey, "a")
        other = begun(c, survey, "b")
        mine, theirs = (
            set(c.execute(select(DEALS.c.card).where(DEALS.c.respondent == one.id)).scalars()) for one in (first, other)
        )
        assert not mine & theirs
        finish(c, other)
        later = begun(c, survey, "c", START + GIVEN_UP)
        again = set(c.execute(select(DEALS.c.card).where(DEALS.c.respondent == later.id)).scalars())
        assert again == mine  # nobody has answered these
        assert finish(c, first).progress.step is SurveyStep.DONE  # who comes back finds them all the same


def test_nobody_gets_a_question_twice_if_it_can_be_helped(engine: Engine) -> None:
    # four cards share one question, so that a respondent can get but one of them
    shared = [replace(card, q2="the same?") if card.number <= 4 else card for card in cards(6)]
    with transaction(engine) as c:
        surveys.create(c, PLAN, shared, START)
        survey = surveys.open_survey(c, "trust", START)
        for number in range(4):
            respondent = begun(c, survey, str(number))
            dealt = c.execute(select(DEALS.c.card).where(DEALS.c.respondent == respondent.id)).scalars()
            assert sum(card <= 4 for card in dealt) == 1


def test_where_all_cards_share_a_question_they_are_dealt_all_the_same(engine: Engine) -> None:
    with transaction(engine) as c:
        surveys.create(c, PLAN, [replace(card, q2="the same?") for card in cards(3)], START)
        survey = surveys.open_survey(c, "trust", START)
        assert finish(c, begun(c, survey, "a")).progress.step is SurveyStep.DONE


def test_cards_come_in_an_order_of_each_respondents_own(engine: Engine) -> None:
    survey = made(engine, n=3)
    orders = set()
    with transaction(engine) as c:
        for number in range(40):
            respondent = begun(c, survey, str(number))
            of = select(DEALS.c.card).where(DEALS.c.respondent == respondent.id).order_by(DEALS.c.place)
            orders.add(tuple(c.execute(of).scalars()))
    # 6 orders; that one is missing after 40 has a chance of 6 * (5/6)^40 = .004, and two of 1e-6
    assert len(orders) >= 5


def test_people_who_come_at_once_share_the_cards_evenly(engine: Engine) -> None:
    survey = made(engine, n=24)

    def come(pid: str) -> str:
        with transaction(engine) as c:
            return begun(c, survey, pid).id

    assert len(set(together([partial(come, str(number)) for number in range(8)]))) == 8
    with reading(engine) as c:
        dealt = Counter(c.execute(select(DEALS.c.card)).scalars())
    # 8 people with 3 of 24 cards: each card once, which no two of them may choose without knowing of each other
    assert dealt == dict.fromkeys(range(1, 25), 1)
