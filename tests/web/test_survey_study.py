"""Own answers and studies on the pages, without a script: what is shown, kept, and never asked twice."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from tests.web.site import LiveSite, running
from tests.web.survey_site import SurveyBrowser, counts, make
from tests.web.test_operator import TOKEN, signed_in
from vivavoce.generalization.config import SurveyConfig
from vivavoce.generalization.survey.cards import draw_questions, wording
from vivavoce.generalization.survey.plan import CompletionCodes, QuestionSource, SurveyCard
from vivavoce.scopes import open_scope
from vivavoce.web.database import reading
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.store import surveys
from vivavoce.web.store.surveys import Survey
from vivavoce.web.survey_release import PAIRS, write_survey
from vivavoce.web.tables import DEALS, RESPONDENTS

FOUR = CompletionCodes("DONE-1", "FAILED-1", "WITHDRAWN-1", "AGAIN-1")
SCOPE = "arithmetic?operations=+"


def written(site: LiveSite, survey: Survey, folder: Path, **how: bool) -> dict[str, str]:
    with reading(site.engine) as c:
        current = surveys.survey(c, survey.plan.slug)
        assert current is not None
        write_survey(folder, c, current, now=utc_now(), graded=lambda question, answer: answer == "4", **how)
    return {file.name: file.read_text() for file in folder.iterdir()}


def test_a_plain_survey_has_no_further_columns(site: LiveSite, tmp_path: Path) -> None:
    survey = make(site)
    ann = SurveyBrowser(site, survey, "ann").begin()
    ann.say("50", "60")
    texts = written(site, survey, tmp_path / "out")
    head = texts[PAIRS].splitlines()[0].replace('"', "").split(",")
    assert not {"own_answer", "own_right"} & set(head)
    assert ann.path.endswith("/pairs/2/before")


def test_own_answers_are_kept_and_withdrawn(site: LiveSite, tmp_path: Path) -> None:
    survey = make(site, own_answers=True)
    ann, bob = SurveyBrowser(site, survey, "ann").agree(), SurveyBrowser(site, survey, "bob").agree()
    for person in (ann, bob):
        person.get(f"{person.base}/checks")
        person.check({"check-number": "theirs", "check-again": "either"})
        assert person.path.endswith("/pairs/1/own")
        person.send(person.path, {"own": " "})
        assert (person.status, "Please write an answer" in person.words) == (422, True)
        for own in ("4", "=1+1"):
            person.send(person.path, {"own": own})
            person.say("50", "60")
        assert person.path.endswith("/end")
    bob.get(f"{bob.base}/withdraw")
    bob.send(bob.path)
    texts = written(site, survey, tmp_path / "out")
    rows = list(csv.DictReader(io.StringIO(texts[PAIRS])))
    assert [(row["own_answer"], row["own_right"]) for row in rows] == [("4", "1"), ("'=1+1", "0")]
    assert "seconds" not in written(site, survey, tmp_path / "bare", times=False)[PAIRS].splitlines()[0]
    with reading(site.engine) as c:
        mine = RESPONDENTS.c.survey == survey.id
        gone = c.execute(select(RESPONDENTS).where(mine, RESPONDENTS.c.step == "withdrawn")).mappings().one()
        assert gone["consent"] is None
        assert c.execute(select(DEALS.c.own).where(DEALS.c.respondent == gone["id"])).all() == []


@pytest.mark.long
def test_the_operator_sees_own_answers_graded(tmp_path: Path) -> None:
    sums = draw_questions(open_scope(SCOPE), SurveyConfig(questions=8, seed=3), np.random.default_rng([3, 0]))
    texts = [wording(question) for question in sums]
    of = [SurveyCard(n + 1, texts[n], texts[(n + 1) % 8], "sums", "sums", "1", previous_correct=False) for n in range(8)]
    with running(tmp_path, operator_token=TOKEN) as site:
        survey = make(site, of=of, own_answers=True, source=QuestionSource(SCOPE, 3, 8, 750))
        lost = make(site, of=of, own_answers=True, source=QuestionSource("file:gone.jsonl", 3, 8, 750))
        for entry in (survey, lost):
            for number in range(3):
                ann = SurveyBrowser(site, entry, f"p{number}").agree()
                ann.get(f"{ann.base}/checks")
                ann.check({"check-number": "theirs", "check-again": "either"})
                for own in ("0", "hm"):
                    ann.send(ann.path, {"own": own})
                    ann.say("50", "60")
        operator = signed_in(site)
        operator.get(f"/operator/surveys/{survey.plan.slug}")
        # no sum of the eight is 0, and what is no number has no grade
        assert "Own answers that are right 0% [0, " in operator.words
        assert "3 own answers could not be graded and are left out" in operator.words
        operator.get(f"/operator/surveys/{lost.plan.slug}")
        assert operator.status == 200
        assert "own answers cannot be graded here" in operator.words
        assert "Own answers that are right" not in operator.words


def test_nobody_takes_part_in_two_stages(site: LiveSite) -> None:
    shared: dict[str, Any] = {
        "codes": FOUR,
        "study": f"study-{make(site).plan.slug}",
        "return_url": "https://app.example.org/done",
    }
    first, second, other = make(site, **shared), make(site, **shared), make(site)
    ann = SurveyBrowser(site, first, "ann").begin()
    ann.say("50", "60")
    again = SurveyBrowser(site, second, "ann").come()
    assert again.path == f"{again.base}/again"
    assert "You have taken part already" in again.words
    assert "This is not a rejection" in again.words
    assert "cc=AGAIN-1" in again.page
    assert "DONE-1" not in again.page
    assert (counts(site, second).begun, counts(site, first).begun) == (0, 1)
    assert SurveyBrowser(site, first, "ann").come().path.endswith("/pairs/2/before")  # where she was
    assert SurveyBrowser(site, other, "ann").come().path.endswith("/consent")  # another study knows nobody
    with reading(site.engine) as c:
        pids = list(
            c.execute(select(RESPONDENTS.c.pid).where(RESPONDENTS.c.survey.in_([first.id, second.id, other.id]))).scalars()
        )
    assert len(set(pids)) == 2
    assert not any("ann" in pid for pid in pids)


def test_who_withdrew_from_a_stage_is_not_asked_again_and_who_never_agreed_is(site: LiveSite) -> None:
    shared: dict[str, Any] = {"codes": FOUR, "study": f"study-{make(site).plan.slug}"}
    first, second = make(site, **shared), make(site, **shared)
    ann = SurveyBrowser(site, first, "ann").begin()
    ann.get(f"{ann.base}/withdraw")
    ann.send(ann.path)
    assert SurveyBrowser(site, second, "ann").come().path.endswith("/again")
    SurveyBrowser(site, first, "bob").come()  # looks at the consent, and leaves
    SurveyBrowser(site, second, "bob").begin()
    assert SurveyBrowser(site, first, "bob").come().path.endswith("/again")
    assert counts(site, first).begun == 1
