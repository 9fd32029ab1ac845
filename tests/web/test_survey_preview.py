"""A survey as its operator sees it before it is opened."""

from __future__ import annotations

from sqlalchemy import func, select

from tests.web.site import LiveSite
from tests.web.survey_site import RIGHT, WRONG, Person, address, make
from vivavoce.web.database import reading
from vivavoce.web.tables import RESPONDENTS


def test_a_preview_shows_all_and_keeps_nothing(site: LiveSite) -> None:
    survey = make(site, state="draft", ask_why=True, return_url="https://app.example.org/done")
    me = Person(site, survey)
    me.base = f"{address(survey)}/preview"
    me.get(f"{me.base}?key={survey.preview_key}")
    assert me.path == f"{me.base}/consent"
    assert "key" not in str(me.client.get(me.path).url)
    marked = [me.words]
    me.send(me.path, {"adult": "on", "agree": "on"})
    marked.append(me.words)
    me.get(f"{me.base}/checks")
    me.check(WRONG)
    marked.append(me.words)
    assert "This is the last try" in me.words
    me.check(WRONG, tries=1)
    assert "cc=FAILED-1" in me.page
    me.get(f"{me.base}/checks")
    me.check(RIGHT)
    for index in (1, 2):
        assert me.path == f"{me.base}/pairs/{index}/before"
        marked.append(me.words)
        me.send(me.path, {"belief": "x"})
        assert me.status == 422
        me.send(me.path, {"belief": "62"})
        assert "You said 62% before" in me.words
        me.send(me.path, {"belief": "x", "earlier": "62"})
        assert "You said 62% before" in me.words
        marked.append(me.words)
        me.send(me.path, {"belief": "70", "why": "so"})
    assert "cc=DONE-1" in me.page
    me.get(f"{me.base}/withdraw")
    me.send(me.path)
    assert "cc=WITHDRAWN-1" in me.page
    assert all("Nothing that you enter here is saved" in words for words in marked)
    with reading(site.engine) as c:
        assert c.execute(select(func.count()).where(RESPONDENTS.c.survey == survey.id)).scalar_one() == 0
    for path in ("pairs/3/before", "pairs/0/before", "pairs/99999999999999999999/after", "ends/checks", "ends/nothing"):
        me.get(f"{me.base}/{path}")
        assert me.status == 404, path


def test_a_preview_opens_for_its_own_key_alone(site: LiveSite) -> None:
    survey, other = make(site), make(site)
    me = Person(site, survey)
    for path in (
        "",
        "/consent",
        "/pairs/1/before",
        "/ends/done",
        "?key=",
        "?key=wrong",
        "?key=%00",
        f"?key={other.preview_key}",
    ):
        me.get(f"{me.base}/preview{path}")
        assert me.status == 404, path
    me.get(f"{me.base}/preview?key={survey.preview_key}")
    stolen = me.client.cookies[f"viva_preview_{survey.plan.slug}"]
    me.client.cookies.set(f"viva_preview_{other.plan.slug}", stolen)
    me.get(f"{address(other)}/preview/consent")
    assert me.status == 404
