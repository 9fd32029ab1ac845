"""What strangers, thieves and the curious get from a survey's pages: nothing."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from limits import RateLimitItemPerMinute

from tests.web.site import PATIENT, PLAIN, LiveSite, guest_of, running, session_of
from tests.web.survey_site import RIGHT, SurveyBrowser, address, counts, exported, make
from vivavoce.generalization.survey.plan import SurveyCard
from vivavoce.web.security.limits import LIMITS, RateLimitedAction

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg/onload=alert(3)>{{191*7}}"
SQL = "'; DROP TABLE survey_respondents; -- \" OR 1=1 /* %s %(id)s ? :of \\"
LOOK = re.compile(r"<(script|img|svg)[ />](?!src=\"/static|viewBox)")


def cookie_of(person: SurveyBrowser) -> tuple[str, str]:
    """The survey's cookie: its name, and its value with the signature."""
    name = f"viva_survey_{person.base.rpartition('/')[2]}"
    return name, person.client.cookies[name]


def test_a_form_that_is_refused_leads_back_and_keeps_nothing(site: LiveSite) -> None:
    survey = make(site, pairs_each=1)
    ann = SurveyBrowser(site, survey, "ann").begin()
    answer = ann.client.post(f"{ann.base}/pairs/1/before", data={"belief": "1", "csrf": "0" * 64})
    assert answer.status_code == 403
    assert "This page is out of date" in answer.text
    assert f'href="{ann.base}"' in answer.text
    no_cookies = httpx.post(f"{site.url}{ann.base}/pairs/1/before", data={"csrf": ann.token, "belief": "1"}, timeout=PATIENT)
    assert no_cookies.status_code == 403
    del ann.client.headers["Origin"]
    elsewhere = ann.client.post(f"{ann.base}/withdraw", data={"csrf": ann.token}, headers={"Sec-Fetch-Site": "cross-site"})
    assert elsewhere.status_code == 403
    assert exported(site, survey) == []
    assert counts(site, survey).withdrawn == 0


def test_nobody_sees_or_changes_what_another_says(site: LiveSite) -> None:
    survey, other = make(site), make(site)
    ann = SurveyBrowser(site, survey, "ann").begin()
    ann.send(ann.path, {"belief": "37"})
    name, stolen = cookie_of(ann)
    bob = SurveyBrowser(site, survey, "bob").begin()
    for path in ("pairs/1/after", "pairs/2/before", "end"):
        bob.get(f"{bob.base}/{path}")
        assert bob.path == f"{bob.base}/pairs/1/before"
        assert "37" not in bob.words
    eve = SurveyBrowser(site, other)
    eve.client.cookies.set(f"viva_survey_{other.plan.slug}", stolen)  # signed for another survey
    eve.get(f"{eve.base}/pairs/1/after")
    assert eve.path == f"{eve.base}/consent"
    for forged in ("x", stolen[:-1], stolen.swapcase(), stolen + "x" * 1_000, "a.b", ".", "ÿ".encode().decode("latin-1")):
        eve = SurveyBrowser(site, survey)
        eve.client.cookies.set(name, forged.encode("ascii", "ignore").decode() or "x")
        eve.get(f"{eve.base}/pairs/1/after")
        assert eve.path == f"{eve.base}/consent"
    assert len(exported(site, survey)) == 1


def test_tokens_count_in_the_cookie_alone_and_for_the_survey_alone(site: LiveSite) -> None:
    survey = make(site)
    ann = SurveyBrowser(site, survey, "ann").begin()
    name, value = cookie_of(ann)
    token = value.rpartition(".")[0]
    stranger = SurveyBrowser(site, survey)
    for query in (f"token={token}", f"{name}={value}", f"session={token}"):
        stranger.get(f"{ann.base}/pairs/1/before?{query}")
        assert stranger.path == f"{ann.base}/consent"
    answer = stranger.client.get(f"{ann.base}/pairs/1/before", headers={"Authorization": f"Bearer {token}"})
    assert answer.url.path == f"{ann.base}/consent"
    ann.client.cookies.set("viva_session", value)
    assert ann.get("/home").url.path == "/"  # no player
    player = guest_of(site)
    stranger.client.cookies.set(name, session_of(player))
    stranger.get(f"{ann.base}/pairs/1/before")
    assert stranger.path == f"{ann.base}/consent"


def test_the_cookie_outlives_the_browser_that_is_closed(site: LiveSite) -> None:
    ann = SurveyBrowser(site, make(site)).begin()
    (cookie,) = (entry for entry in ann.client.cookies.jar if entry.name == cookie_of(ann)[0])
    assert cookie.expires is not None
    assert cookie.expires > time.time() + 24 * 3600


@pytest.mark.parametrize("end", ["done", "withdrawn"])
def test_a_cookie_that_is_stolen_after_the_end_changes_and_shows_nothing(site: LiveSite, end: str) -> None:
    survey = make(site, ask_why=True)
    ann = SurveyBrowser(site, survey, "ann").begin()
    ann.say("61", "73", "private words")
    ann.say("62", "74", "private words")
    if end == "withdrawn":
        ann.get(f"{ann.base}/withdraw")
        ann.send(ann.path)
    before = [replace(row.pair, person="") for row in exported(site, survey)]
    thief = SurveyBrowser(site, survey)
    thief.client.cookies.set(*cookie_of(ann))
    for path in ("", "consent", "how", "checks", "pairs/1/before", "pairs/1/after", "pairs/2/after", "end", "withdraw"):
        thief.get(f"{thief.base}/{path}".rstrip("/"))
        assert not re.search(r"61|62|73|74|private", thief.words), path
    for path, fields in (
        ("consent", {"adult": "on", "agree": "on"}), ("checks", RIGHT), ("pairs/1/before", {"belief": "0"}),
        ("pairs/2/after", {"belief": "0"}), ("pairs/3/before", {"belief": "0"}),
    ):  # fmt: skip
        form = thief.client.get(f"{thief.base}/withdraw").text
        token = re.search(r'name="csrf" value="(\w+)"', form)
        answer = thief.client.post(f"{thief.base}/{path}", data=fields | {"csrf": token[1] if token else ""})
        assert answer.status_code in (200, 403)
        assert answer.url.path == f"{thief.base}/{path if answer.status_code == 403 else 'end'}"
    assert [replace(row.pair, person="") for row in exported(site, survey)] == before


@pytest.mark.parametrize("text", [SCRIPT, SQL, "\x00\x1b[2J\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace")])
def test_what_stands_in_fields_is_words_and_nothing_else(site: LiveSite, text: str) -> None:
    survey = make(site, ask_why=True, pairs_each=1)
    ann = SurveyBrowser(site, survey).come()
    ann.send(ann.path, {"adult": text, "agree": text, text: text})
    ann.get(f"{ann.base}/checks")
    ann.check(dict.fromkeys(RIGHT, text))
    assert "This is the last try" in ann.words
    assert not LOOK.search(ann.page)
    ann.check(RIGHT | {"tries": text}, tries=1)
    ann.send(ann.path, {"belief": text})
    assert ann.status == 422
    assert not LOOK.search(ann.page)
    assert "1337" not in ann.words  # what the sum in it would come to; no card holds it
    ann.send(ann.path, {"belief": "50"})
    ann.send(ann.path, {"belief": text, "why": text})
    assert ann.status == 422
    assert not LOOK.search(ann.page)
    ann.send(ann.path, {"belief": "50", "why": text})
    assert exported(site, survey)[0].why == text.strip()
    typed = quote(text, safe="")
    for path in (
        f"/surveys/{typed}",
        f"{ann.base}/pairs/{typed}/before",
        f"{ann.base}?said={typed}",
        f"{ann.base}/end?said={typed}",
    ):
        response = ann.client.get(path)
        assert not LOOK.search(response.text)
        assert response.status_code < 500


def test_questions_are_shown_as_text_whatever_stands_in_them(site: LiveSite) -> None:
    hostile = f"<b>{SCRIPT}<br></b>{SQL} <iframe src=//evil.example></iframe> " + "long" * 4_000
    title = "Trust </title><script>alert(1)</script>"
    card = SurveyCard(1, hostile, hostile, SCRIPT, SQL, hostile, previous_correct=False)
    survey = make(site, of=[card], pairs_each=1, title=title, contact=SCRIPT)
    ann = SurveyBrowser(site, survey).begin()
    for _ in range(2):
        assert not LOOK.search(ann.page)
        assert "<iframe" not in ann.page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in ann.page
        assert "long" * 4_000 in ann.page
        assert "&lt;b&gt;" not in ann.page
        ann.send(ann.path, {"belief": "5"})
    assert ann.path == f"{ann.base}/end"


def test_ten_megabytes_of_words_are_refused_unread(site: LiveSite) -> None:
    survey = make(site, ask_why=True, pairs_each=1)
    ann = SurveyBrowser(site, survey).begin()
    ann.send(ann.path, {"belief": "50"})
    try:
        status = ann.client.post(ann.path, data={"csrf": ann.token, "belief": "1", "why": "x" * 10_000_000}).status_code
    except httpx.TransportError:  # the server hung up while the rest was on its way
        status = 413
    assert status == 413
    ann.send(ann.path, {"belief": "1", "why": "x" * 900_000})
    assert ann.status == 422
    assert exported(site, survey)[0].pair.posterior is None


@pytest.mark.long
def test_answers_are_limited_by_respondent_and_not_by_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIMITS, RateLimitedAction.WRITE, (RateLimitItemPerMinute(20),))
    with running(tmp_path) as site:
        survey = make(site)
        ann, bob = SurveyBrowser(site, survey, "ann").begin(), SurveyBrowser(site, survey, "bob").begin()
        # what leads elsewhere and changes nothing is not counted; her answers to the questions on the task were
        statuses = [ann.client.post(f"{ann.base}/checks", data={"csrf": ann.token}).status_code for _ in range(30)]
        assert statuses == [200] * 30
        answers = [ann.client.post(ann.path, data={"csrf": ann.token, "belief": "x"}) for _ in range(20)]
        assert [answer.status_code for answer in answers] == [422] * 18 + [429] * 2
        assert "That was a little fast" in answers[-1].text
        assert "Nothing that you said is lost" in answers[-1].text
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
        bob.send(bob.path, {"belief": "50"})
        assert bob.path == f"{bob.base}/pairs/1/after"


@pytest.mark.long
def test_a_flood_of_made_up_participants_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert LIMITS[RateLimitedAction.ENTER][0].amount >= 100  # a platform's respondents may come at once, through one address
    monkeypatch.setitem(LIMITS, RateLimitedAction.ENTER, (RateLimitItemPerMinute(20),))
    with running(tmp_path) as site:
        survey = make(site)
        with httpx.Client(base_url=site.url, timeout=PATIENT, verify=PLAIN) as flood:
            statuses = [flood.get(f"{address(survey)}?PROLIFIC_PID=p{number}").status_code for number in range(30)]
            person = SurveyBrowser(site, survey).come()
            person.send(person.path, {"adult": "on", "agree": "on"})
        assert statuses == [303] * 20 + [429] * 10
        assert person.status == 429
        assert counts(site, survey).begun == 20
