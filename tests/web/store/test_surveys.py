"""Surveys in the database, on a file and on PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Engine

from tests.web.store.respondents import PLAN, START, cards, made
from vivavoce.errors import BadInput, UnknownName
from vivavoce.web.database import reading, transaction
from vivavoce.web.store import surveys


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
        surveys.open_survey(c, "trusty", START)


def test_it_is_known_since_when_a_survey_is_open(engine: Engine) -> None:
    made(engine)
    later = START + timedelta(days=1)
    with transaction(engine) as c:
        assert surveys.open_survey(c, "trust", later).since == START  # it was already
        closed = surveys.close_survey(c, "trust", later)
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
