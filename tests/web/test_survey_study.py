"""Arms, own answers, waves and studies on the pages, without a script: what is shown, kept, and never asked twice."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from tests.web.site import LiveSite, running
from tests.web.survey_site import Person, armed_cards, counts, exported, make
from tests.web.test_operator import TOKEN, signed_in
from vivavoce.generalization.config import SurveyConfig
from vivavoce.generalization.survey.card_file import SurveyCard
from vivavoce.generalization.survey.cards import draw_questions, wording
from vivavoce.generalization.survey.plan import CompletionCodes, QuestionSource
from vivavoce.generalization.survey.responses import read_responses
from vivavoce.scopes import open_scope
from vivavoce.web.database import reading, transaction
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.store import surveys
from vivavoce.web.store.surveys import Survey
from vivavoce.web.survey_release import PAIRS, WHOLE, write_survey
from vivavoce.web.tables import DEALS, RESPONDENTS

FOUR = CompletionCodes("DONE-1", "FAILED-1", "WITHDRAWN-1", "AGAIN-1")
ARMS = ("plain", "explanation", "confidence", "card", "answers:3")
CARD = "Sum-1 was made for sums <b>alone</b>."
SHOWN = {
    "plain": "",
    "explanation": "How the AI system explains this answer",
    "confidence": "Asked how sure it was of this answer, the AI system said 80%",
    "card": "Sum-1 was made for sums <b>alone</b>.",
    "answers:3": "And one more",
}
SCOPE = "arithmetic?operations=+"
SIGNALS = json.dumps({"pastes": 1, "pasted": 60, "keys": 0, "hidden": 2, "away": 9})


def next_wave(site: LiveSite, survey: Survey) -> Survey:
    with transaction(site.engine) as c:
        return surveys.open_survey(c, survey.plan.slug, utc_now(), new_wave=True)


def written(site: LiveSite, survey: Survey, folder: Path, **how: bool) -> dict[str, str]:
    with reading(site.engine) as c:
        current = surveys.survey(c, survey.plan.slug)
        assert current is not None
        write_survey(folder, c, current, now=utc_now(), graded=lambda question, answer: answer == "4", **how)
    return {file.name: file.read_text() for file in folder.iterdir()}


@pytest.mark.long
def test_every_arm_shows_its_own_and_is_kept(site: LiveSite, tmp_path: Path) -> None:
    survey = make(site, of=armed_cards(), arms=ARMS, model_card=CARD)
    seen = []
    for number in range(10):
        ann = Person(site, survey, f"p{number}").begin()
        ann.send(ann.path, {"belief": "50"})
        seen += [arm for arm, words in SHOWN.items() if words and words in ann.words] or ["plain"]
        ann.send(ann.path, {"belief": "60"})
    answers = exported(site, survey)
    assert sorted(seen) == sorted(ARMS * 2)  # two whole blocks
    assert sorted(answer.arm for answer in answers) == sorted(seen)
    texts = written(site, survey, tmp_path / "out")
    assert [response.arm for response in read_responses(tmp_path / "out" / PAIRS)] == [
        row["arm"] for row in json.loads(texts[WHOLE])["rows"]
    ]
    assert {row["arm"]: row["began"] for row in json.loads(texts[WHOLE])["arms"]} == dict.fromkeys(ARMS, 2)
    assert "in random blocks of 5 by the seed 0" in texts["codebook.md"]
    assert "| `second_correct` |" in texts["codebook.md"]


def test_a_survey_without_arms_is_written_as_before(site: LiveSite, tmp_path: Path) -> None:
    survey = make(site)
    ann = Person(site, survey, "ann").begin()
    ann.say("50", "60")
    texts = written(site, survey, tmp_path / "out")
    head = texts[PAIRS].splitlines()[0].replace('"', "").split(",")
    assert not {"arm", "wave", "own_answer", "own_right", "closing", "pastes"} & set(head)
    assert ann.path.endswith("/pairs/2/before")


def test_own_answers_and_closing_texts_are_kept_and_withdrawn(site: LiveSite, tmp_path: Path) -> None:
    survey = make(site, of=armed_cards(), own_answers=True, closing_text=True)
    ann, bob = Person(site, survey, "ann").agree(), Person(site, survey, "bob").agree()
    for person in (ann, bob):
        person.get(f"{person.base}/checks")
        person.check({"check-number": "theirs", "check-again": "either"})
        assert person.path.endswith("/pairs/1/own")
        person.send(person.path, {"own": " "})
        assert (person.status, "Please write an answer" in person.words) == (422, True)
        for own in ("4", "=1+1"):
            person.send(person.path, {"own": own, "signals": SIGNALS})
            person.say("50", "60")
        assert person.path.endswith("/closing")
        person.send(person.path, {"closing": "x" * 60, "signals": SIGNALS})
        assert person.path.endswith("/end")
    bob.get(f"{bob.base}/withdraw")
    bob.send(bob.path)
    texts = written(site, survey, tmp_path / "out")
    rows = list(csv.DictReader(io.StringIO(texts[PAIRS])))
    assert [(row["own_answer"], row["own_right"]) for row in rows] == [("4", "1"), ("'=1+1", "0")]
    assert {(row["pastes"], row["away"], "pasted" in row["flags"], row["closing"]) for row in rows} == {
        ("1", "9", True, "x" * 60)
    }
    assert "away" not in written(site, survey, tmp_path / "bare", times=False)[PAIRS].splitlines()[0]
    with reading(site.engine) as c:
        mine = RESPONDENTS.c.survey == survey.id
        gone = c.execute(select(RESPONDENTS).where(mine, RESPONDENTS.c.step == "withdrawn")).mappings().one()
        assert (gone["closing"], gone["arm"], gone["consent"]) == (None, None, None)
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
                ann = Person(site, entry, f"p{number}").agree()
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
    ann = Person(site, first, "ann").begin()
    ann.say("50", "60")
    again = Person(site, second, "ann").come()
    assert again.path == f"{again.base}/again"
    assert "You have taken part already" in again.words
    assert "This is not a rejection" in again.words
    assert "cc=AGAIN-1" in again.page
    assert "DONE-1" not in again.page
    assert (counts(site, second).begun, counts(site, first).begun) == (0, 1)
    assert Person(site, first, "ann").come().path.endswith("/pairs/2/before")  # where she was
    assert Person(site, other, "ann").come().path.endswith("/consent")  # another study knows nobody
    with reading(site.engine) as c:
        pids = list(
            c.execute(select(RESPONDENTS.c.pid).where(RESPONDENTS.c.survey.in_([first.id, second.id, other.id]))).scalars()
        )
    assert len(set(pids)) == 2
    assert not any("ann" in pid for pid in pids)


def test_who_withdrew_from_a_stage_is_not_asked_again_and_who_never_agreed_is(site: LiveSite) -> None:
    shared: dict[str, Any] = {"codes": FOUR, "study": f"study-{make(site).plan.slug}"}
    first, second = make(site, **shared), make(site, **shared)
    ann = Person(site, first, "ann").begin()
    ann.get(f"{ann.base}/withdraw")
    ann.send(ann.path)
    assert Person(site, second, "ann").come().path.endswith("/again")
    Person(site, first, "bob").come()  # looks at the consent, and leaves
    Person(site, second, "bob").begin()
    assert Person(site, first, "bob").come().path.endswith("/again")
    assert counts(site, first).begun == 1


def test_answers_carry_the_wave_in_which_someone_came(site: LiveSite, tmp_path: Path) -> None:
    survey = make(site, codes=FOUR)
    done, halfway = Person(site, survey, "done").begin(), Person(site, survey, "half").begin()
    done.say("50", "60")
    done.say("50", "60")
    halfway.say("1", "2")
    next_wave(site, survey)
    new = Person(site, survey, "new").begin()
    new.say("50", "50")
    halfway.come()
    assert halfway.path.endswith("/pairs/2/before")
    halfway.say("3", "4")
    again = Person(site, survey, "done").come()
    assert (again.path.rpartition("/")[2], "AGAIN-1" in again.page) == ("again", True)
    done.get(f"{done.base}/end")
    assert "DONE-1" in done.page  # their own browser still shows their own end
    assert sorted((answer.wave, round(100 * (answer.pair.prior or 0))) for answer in exported(site, survey)) == [
        (1, 1), (1, 3), (1, 50), (1, 50), (2, 50),
    ]  # fmt: skip
    written(site, survey, tmp_path / "out")
    assert {response.wave for response in read_responses(tmp_path / "out" / PAIRS)} == {1, 2}


@pytest.mark.parametrize("signals", ["", "[" * 300, '{"pastes": -1}', "x" * 5_000])
def test_a_form_goes_on_whatever_it_says_of_signals(site: LiveSite, signals: str) -> None:
    ann = Person(site, make(site), "ann").begin()
    ann.send(ann.path, {"belief": "50", "signals": signals})
    assert ann.path.endswith("/after")


def test_the_operator_sees_arms_and_waves(tmp_path: Path) -> None:
    with running(tmp_path, operator_token=TOKEN) as site:
        survey = make(site, of=armed_cards(), arms=("plain", "card"), model_card=CARD, title="<i>Trust</i>")
        operator = signed_in(site)
        operator.get(f"/operator/surveys/{survey.plan.slug}")
        assert "Answers of two arms at least are needed" in operator.words
        for number in range(6):
            ann = Person(site, survey, f"p{number}").begin()
            ann.say("50", str(60 + number))
        next_wave(site, survey)
        operator.get("/operator/surveys")
        assert "6 began, 0 finished" in operator.words
        assert "<i>Trust" not in operator.page
        operator.get(f"/operator/surveys/{survey.plan.slug}")
        assert "wave 2" in operator.words
        assert "Compared with one answer alone" in operator.words
        assert "<i>Trust" not in operator.page
