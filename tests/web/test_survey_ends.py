"""How a survey ends, and when it lets nobody in, without a script."""

from __future__ import annotations

import pytest

from tests.web.site import LiveSite
from tests.web.survey_site import CODES, WRONG, Person, counts, exported, make


def test_failing_twice_means_to_return_the_study(site: LiveSite) -> None:
    survey = make(site, return_url="https://app.example.org/done")
    ann = Person(site, survey, "ann").agree()
    ann.get(f"{ann.base}/checks")
    ann.check({"check-number": "theirs"})
    assert ann.status == 422
    assert "Please answer each question" in ann.words
    assert 'id="number-theirs" name="check-number" value="theirs" required checked' in ann.page
    ann.check(WRONG)
    assert "This is the last try" in ann.words
    ann.check(WRONG, tries=1)
    assert ann.path == f"{ann.base}/end"
    assert "Please return the study" in ann.words
    assert "This is not a rejection" in ann.words
    assert "cc=FAILED-1" in ann.page
    assert CODES.done not in ann.page
    for path in ("checks", "pairs/1/before", "how", "consent", ""):
        ann.get(f"{ann.base}/{path}".rstrip("/"))
        assert ann.path in (f"{ann.base}/end", f"{ann.base}/how")
    assert Person(site, survey, "ann").come().path == f"{ann.base}/end"
    assert exported(site, survey) == []
    assert counts(site, survey).failed == 1


@pytest.mark.parametrize("moment", ["consent", "checks", "pair", "end"])
def test_withdrawing_deletes_at_every_moment(site: LiveSite, moment: str) -> None:
    survey = make(site, return_url="https://app.example.org/done")
    ann = Person(site, survey, "ann").come()
    if moment != "consent":
        ann.agree()
    if moment in ("pair", "end"):
        ann.understand()
        ann.say("10", "20")
    if moment == "end":
        ann.say("30", "40")
        assert "withdraw" in ann.words
    ann.get(f"{ann.base}/withdraw")
    assert "cannot be restored" in ann.words
    ann.send(ann.path)
    for _ in range(2):
        assert ann.path == f"{ann.base}/end"
        assert "You have withdrawn" in ann.words
        assert "cc=WITHDRAWN-1" in ann.page
        ann.get(f"{ann.base}/pairs/1/before")
    ann.get(f"{ann.base}/withdraw")
    assert ann.path == f"{ann.base}/end"
    assert Person(site, survey, "ann").come().path == f"{ann.base}/end"
    assert exported(site, survey) == []
    assert counts(site, survey).withdrawn == 1


def test_who_declines_was_never_here(site: LiveSite) -> None:
    survey = make(site)
    ann = Person(site, survey).come()
    ann.get(f"{ann.base}/withdraw")
    ann.send(ann.path)
    assert ann.path == f"{ann.base}/declined"
    assert CODES.withdrawn in ann.words
    assert counts(site, survey).begun == 0


def test_drafts_and_closed_surveys_let_nobody_in(site: LiveSite) -> None:
    draft, closed = make(site, state="draft"), make(site, state="closed")
    for survey, status, words in ((draft, 404, "has not started yet"), (closed, 410, "This survey is closed")):
        for path in (
            "",
            "?PROLIFIC_PID=ann&STUDY_ID=1&SESSION_ID=2",
            "/consent",
            "/how",
            "/pairs/1/before",
            "/end",
            "/declined",
        ):
            ann = Person(site, survey)
            ann.get(f"{ann.base}{path}")
            assert (ann.status, words in ann.words) == (status, True), path
        assert counts(site, survey).begun == 0
    nobody = Person(site, draft)
    for path in ("/surveys/none", "/surveys/NONE/consent", "/surveys/%00", "/surveys/" + "a" * 5_000, "/surveys/trust%2F..%2F"):
        nobody.get(path)
        assert nobody.status == 404, path


def test_who_has_begun_may_finish_a_survey_that_is_closed(site: LiveSite) -> None:
    from vivavoce.web.database import transaction
    from vivavoce.web.store.surveys import close_survey

    survey = make(site)
    ann = Person(site, survey, "ann").begin()
    with transaction(site.engine) as c:
        close_survey(c, survey.plan.slug, site.clock())
    again = Person(site, survey, "ann").come()
    again.say("1", "2")
    again.say("3", "4")
    assert again.path == f"{ann.base}/end"
    assert len(exported(site, survey)) == 2
