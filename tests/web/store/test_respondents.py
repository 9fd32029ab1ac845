"""Surveys and their respondents, and the cards that they are dealt."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import Connection, Engine, event, func, select

from tests.web.store.at_once import in_processes, together
from tests.web.store.respondents import PLAN, RIGHT, START, begun, belief, cards, finish, live, made, send
from vivavoce.errors import BadInput, UnknownName
from vivavoce.generalization.survey.plan import RespondentProgress, SurveyStep
from vivavoce.web.database import migrate, open_database, reading, transaction
from vivavoce.web.store import respondents, surveys
from vivavoce.web.store.respondents import GIVEN_UP, KEPT, give_token
from vivavoce.web.store.surveys import answers_by_card, counts, exported_answers
from vivavoce.web.tables import DEALS, RESPONDENT_TOKENS, RESPONDENTS


def test_nobody_new_comes_into_a_draft_or_a_closed_survey_and_who_has_begun_may_finish(c: Connection) -> None:
    survey = surveys.create(c, PLAN, cards(3), START)
    with pytest.raises(respondents.SurveyClosed, match="draft"):
        respondents.enter(c, survey, pid="a", now=START)
    surveys.set_state(c, "trust", "open", START)
    respondent = begun(c, survey, "a")
    surveys.set_state(c, "trust", "closed", START)
    with pytest.raises(respondents.SurveyClosed, match="closed"):
        respondents.enter(c, survey, pid="b", now=START)
    with pytest.raises(respondents.SurveyClosed, match="closed"):
        respondents.enter(c, survey, pid=None, now=START)
    again, token = respondents.enter(c, survey, pid="a", now=START)
    assert again == respondent
    assert respondents.by_token(c, token) == respondent
    assert finish(c, again).progress.step is SurveyStep.DONE


def test_the_same_pseudonym_is_the_same_person_and_others_are_not(engine: Engine) -> None:
    survey = made(engine)
    with transaction(engine) as c:
        first, token = respondents.enter(c, survey, pid="a", now=START)
        again, other = respondents.enter(c, survey, pid="a", now=START + timedelta(days=1))
        assert again.id == first.id
        assert token != other
        assert {respondents.by_token(c, name) for name in (token, other)} == {first}
        strangers = [respondents.enter(c, survey, pid=None, now=START)[0] for _ in range(2)]
        assert strangers[0].id != strangers[1].id
        assert respondents.by_token(c, "nobody's") is None
        for pid in ("", "x" * 129, "ü", "\x00"):
            with pytest.raises(BadInput):
                respondents.enter(c, survey, pid=pid, now=START)


def test_old_tokens_are_forgotten_and_the_newest_never(engine: Engine) -> None:
    survey = made(engine)
    with transaction(engine) as c:
        tokens = [respondents.enter(c, survey, pid="a", now=START + timedelta(hours=hour))[1] for hour in range(20)]
        known = [respondents.by_token(c, token) is not None for token in tokens]
        assert known == [False] * (19 - KEPT) + [True] * (KEPT + 1)
        assert c.execute(select(func.count()).select_from(RESPONDENT_TOKENS)).scalar_one() == KEPT + 1
        held = " ".join(str(row) for row in c.execute(select(RESPONDENT_TOKENS)))
    assert not any(token in held for token in tokens)


@pytest.mark.postgres
@pytest.mark.long
def test_a_token_that_another_process_gives_out_at_this_moment_stays(postgres_address: str) -> None:
    engine = open_database(postgres_address)
    migrate(engine)
    survey, beside = made(engine), []
    with transaction(engine) as c:
        respondent, _ = respondents.enter(c, survey, pid="a", now=START)
    with transaction(engine) as c:

        @event.listens_for(c, "after_cursor_execute", once=True)
        def another_comes(*_: object) -> None:
            with transaction(engine) as other:
                beside.append(give_token(other, respondent.id, START))

        give_token(c, respondent.id, START)
    with reading(engine) as c:
        assert [respondents.by_token(c, token) for token in beside] == [respondent]
    engine.dispose()


def test_a_whole_survey(engine: Engine) -> None:
    survey = made(engine)
    with transaction(engine) as c:
        respondent, _ = respondents.enter(c, survey, pid="a", now=START)
        assert respondent.progress == RespondentProgress()
        assert respondents.card(c, respondent) is None
        respondent = respondents.agree(c, respondent, "1", START)
        assert (respondent.consent, respondent.progress.step) == ("1", SurveyStep.CHECKS)
        assert respondents.agree(c, respondent, "2", START) == respondent
        respondent = respondents.answer_checks(c, respondent, {}, START)
        assert respondent.progress == RespondentProgress(SurveyStep.CHECKS, 0, 1)
        respondent = respondents.answer_checks(c, respondent, RIGHT, START)
        seen = []
        for index in (1, 2, 3):
            card = respondents.card(c, respondent)
            assert card is not None
            seen.append(card.number)
            assert respondents.belief_before(c, respondent) is None
            respondent = respondents.believe_before(c, respondent, index, 0.3, START)
            assert respondent.progress.step is SurveyStep.AFTER
            assert respondents.belief_before(c, respondent) == 0.3
            assert respondents.card(c, respondent) == card
            respondent = respondents.believe_after(c, respondent, index, 0.4, " it was easy ", START)
        assert respondent.progress == RespondentProgress(SurveyStep.DONE, 3, 1)
        assert len(set(seen)) == 3
        assert respondents.card(c, respondent) is None
        assert respondents.by_token(c, respondents.enter(c, survey, pid="a", now=START)[1]) == respondent
        answers = list(exported_answers(c, survey))
    assert [(answer.pair.prior, answer.pair.posterior, answer.why) for answer in answers] == [(0.3, 0.4, "it was easy")] * 3


def test_the_first_answer_stays(engine: Engine) -> None:
    survey = made(engine)
    with transaction(engine) as c:
        respondent = begun(c, survey, "a")
        after = respondents.believe_before(c, respondent, 1, 0.1, START)
        assert respondents.believe_before(c, respondent, 1, 0.9, START) == after
        assert respondents.believe_before(c, after, 2, 0.9, START) == after  # a page that is not there yet
        assert respondents.believe_after(c, after, 2, 0.9, "", START) == after
        on = respondents.believe_after(c, after, 1, 0.2, "first", START)
        assert respondents.believe_after(c, after, 1, 0.8, "second", START) == on
        assert respondents.believe_before(c, after, 1, 0.8, START) == on
        assert on.progress == RespondentProgress(SurveyStep.BEFORE, 2, 0)
        (answer,) = exported_answers(c, survey)
    assert (answer.pair.prior, answer.pair.posterior, answer.why) == (0.1, 0.2, "first")


def test_what_is_no_answer_changes_nothing(engine: Engine) -> None:
    survey = made(engine)
    with transaction(engine) as c:
        respondent = begun(c, survey, "a")
        for wrong in (-0.1, 1.1, float("nan")):
            with pytest.raises(BadInput):
                respondents.believe_before(c, respondent, 1, wrong, START)
        respondent = respondents.believe_before(c, respondent, 1, 0.5, START)
        with pytest.raises(BadInput, match="1001 characters"):
            respondents.believe_after(c, respondent, 1, 0.5, "x" * 1001, START)
        assert respondents.believe_after(c, respondent, 1, 0.5, "\x00\ud800", START).progress.place == 2
        assert [answer.why for answer in exported_answers(c, survey)] == ["\x00\ud800"]


def test_who_fails_gets_no_cards(engine: Engine) -> None:
    survey = made(engine)
    with transaction(engine) as c:
        respondent, _ = respondents.enter(c, survey, pid="a", now=START)
        respondent = respondents.agree(c, respondent, "1", START)
        for _ in range(2):
            respondent = respondents.answer_checks(c, respondent, {"number": "mine"}, START)
        assert respondent.progress.step is SurveyStep.FAILED
        assert respondents.answer_checks(c, respondent, RIGHT, START) == respondent
        assert c.execute(select(func.count()).select_from(DEALS)).scalar_one() == 0


def test_withdrawal_deletes_what_was_said_and_nothing_comes_after_it(engine: Engine) -> None:
    survey = made(engine)
    with transaction(engine) as c:
        respondent = respondents.believe_before(c, begun(c, survey, "a"), 1, 0.5, START)
        gone = respondents.withdraw(c, respondent, START + timedelta(hours=1))
        assert gone.progress == RespondentProgress(SurveyStep.WITHDRAWN)
        assert respondents.withdraw(c, respondent, START) == gone
        assert respondents.believe_after(c, respondent, 1, 0.5, "late", START) == gone
        assert respondents.agree(c, respondent, "1", START) == gone
        assert c.execute(select(func.count()).select_from(DEALS)).scalar_one() == 0
        row = c.execute(select(RESPONDENTS)).one()
        assert (row.consent, row.dealt, row.entered, row.place) == (None, None, START + timedelta(hours=1), 0)
        assert respondents.enter(c, survey, pid="a", now=START)[0] == gone  # they are not asked again
        assert list(exported_answers(c, survey)) == []
        done = finish(c, begun(c, survey, "b"))
        assert respondents.withdraw(c, done, START).progress.step is SurveyStep.WITHDRAWN  # also after the end
        assert list(exported_answers(c, survey)) == []
        assert counts(c, survey).withdrawn == 2


def test_one_person_at_many_doors_at_once_is_one_person(engine: Engine) -> None:
    survey = made(engine)

    def enter() -> str:
        with transaction(engine) as c:
            return respondents.enter(c, survey, pid="a", now=START)[0].id

    assert len(set(together([enter] * 8))) == 1
    with reading(engine) as c:
        assert counts(c, survey).begun == 1


def test_one_answer_sent_many_times_at_once_is_one_answer(engine: Engine) -> None:
    survey = made(engine)
    with transaction(engine) as c:
        respondent, _ = respondents.enter(c, survey, pid="a", now=START)
        respondent = respondents.agree(c, respondent, "1", START)

    def check() -> object:
        with transaction(engine) as c:
            return respondents.answer_checks(c, respondent, RIGHT, START)

    assert len(set(together([check] * 6))) == 1
    with reading(engine) as c:
        assert c.execute(select(func.count()).select_from(DEALS)).scalar_one() == 3

    def say(value: int) -> object:
        with transaction(engine) as c:
            return respondents.believe_before(c, respondent, 1, value / 100, START).progress

    assert set(together([partial(say, value) for value in range(6)])) == {RespondentProgress(SurveyStep.AFTER, 1, 0)}


def test_withdrawing_while_answering_leaves_nothing(engine: Engine) -> None:
    survey = made(engine)
    for number in range(5):
        with transaction(engine) as c:
            respondent = begun(c, survey, str(number))
            card = respondents.card(c, respondent)

        def answer(respondent: respondents.Respondent = respondent, card: object = card) -> None:
            with transaction(engine) as c:
                send(c, respondent, card)  # type: ignore[arg-type]

        def leave(respondent: respondents.Respondent = respondent) -> None:
            with transaction(engine) as c:
                respondents.withdraw(c, respondent, START)

        assert together([answer, leave, answer]) == [None] * 3
    with reading(engine) as c:
        assert c.execute(select(func.count()).select_from(DEALS)).scalar_one() == 0
        assert counts(c, survey).withdrawn == 5


@pytest.mark.long
def test_two_server_processes_lose_nothing_and_double_nothing(engine: Engine, kept_at: str) -> None:
    survey = made(engine, n=30)
    # some come through both processes, at the same time
    pids = [[f"p{number}" for number in range(start, start + 20)] for start in (0, 10)]
    ended = in_processes(live, kept_at, pids)
    assert all(step == "done" for steps in ended for step in steps)
    with reading(engine) as c:
        survey_counts, answers = counts(c, survey), list(exported_answers(c, survey))
        by_card = answers_by_card(c, survey)
    assert (survey_counts.begun, survey_counts.done) == (30, 30)
    assert len(answers) == 90
    assert len({(answer.pair.person, answer.pair.q2) for answer in answers}) == 90
    assert Counter(answer.pair.person for answer in answers).most_common(1)[0][1] == 3
    for answer in answers:
        number = int(answer.shown)
        card = cards(30)[number - 1]
        assert (answer.pair.prior, answer.pair.posterior) == (belief(card, "before"), belief(card, "after"))
    # 90 answers over 30 cards, dealt in turn
    assert set(by_card.values()) == {3}


@pytest.mark.long
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
            set(c.execute(select(DEALS.c.card).where(DEALS.c.respondent == respondent.id)).scalars())
            for respondent in (first, other)
        )
        assert not mine & theirs
        finish(c, other)
        later = begun(c, survey, "c", START + GIVEN_UP)
        again = set(c.execute(select(DEALS.c.card).where(DEALS.c.respondent == later.id)).scalars())
        assert again == mine  # nobody has answered these
        assert finish(c, first).progress.step is SurveyStep.DONE  # who comes back finds them all the same


def test_nobody_gets_a_question_twice_if_it_can_be_helped(c: Connection) -> None:
    # four cards share one question, so that a respondent can get but one of them
    shared = [replace(card, q2="the same?") if card.number <= 4 else card for card in cards(6)]
    surveys.create(c, PLAN, shared, START)
    survey = surveys.set_state(c, "trust", "open", START)
    for number in range(4):
        respondent = begun(c, survey, str(number))
        dealt = c.execute(select(DEALS.c.card).where(DEALS.c.respondent == respondent.id)).scalars()
        assert sum(card <= 4 for card in dealt) == 1


def test_where_all_cards_share_a_question_they_are_dealt_all_the_same(c: Connection) -> None:
    surveys.create(c, PLAN, [replace(card, q2="the same?") for card in cards(3)], START)
    survey = surveys.set_state(c, "trust", "open", START)
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


def test_a_survey_is_kept_as_it_was_made(engine: Engine) -> None:
    strange = [replace(card, q1="\x00 \ud800 'quoted'", shown="<b>") for card in cards(3)]
    with transaction(engine) as c:
        made_ = surveys.create(c, PLAN, strange, START)
    with reading(engine) as c:
        survey = surveys.survey(c, "trust")
        assert survey == made_
        assert (survey.plan, survey.state, survey.since, survey.created) == (PLAN, "draft", START, START)
        assert surveys.cards_of(c, survey) == strange
        assert surveys.cards_of(c, survey, limit=1) == strange[:1]
        assert surveys.listed(c) == [survey]
        assert surveys.survey(c, "other") is None
        assert surveys.survey(c, "\x00") is None


def test_two_surveys_of_one_name_there_are_not(engine: Engine) -> None:
    made(engine)
    with transaction(engine) as c, pytest.raises(BadInput, match="already"):
        surveys.create(c, PLAN, cards(3), START)
    with transaction(engine) as c, pytest.raises(UnknownName, match="did you mean 'trust'"):
        surveys.set_state(c, "trusty", "open", START)


def test_it_is_known_since_when_a_survey_is_open(engine: Engine) -> None:
    made(engine)
    later = START + timedelta(days=1)
    with transaction(engine) as c:
        assert surveys.set_state(c, "trust", "open", later).since == START  # it was already
        closed = surveys.set_state(c, "trust", "closed", later)
        assert (closed.state, closed.since, closed.created) == ("closed", later, START)
        assert surveys.survey(c, "trust") == closed


def test_a_preview_needs_the_key(engine: Engine) -> None:
    survey = made(engine)
    with reading(engine) as c:
        assert surveys.preview(c, "trust", survey.preview_key) == survey
        for key in ("", "x", survey.preview_key + "x", "\x00", "ü", "x" * 10_000):
            assert surveys.preview(c, "trust", key) is None
        assert surveys.preview(c, "none", survey.preview_key) is None
    assert survey.preview_key not in repr(survey)
