"""A survey's pages from preview to its end, visited without a script."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select

from tests.web.site import PATIENT, LiveSite
from tests.web.survey_site import CODES, RIGHT, WRONG, SurveyBrowser, address, counts, exported, make
from vivavoce.generalization.survey.plan import SurveyCard
from vivavoce.web.database import reading
from vivavoce.web.pages.survey_texts import VERSION
from vivavoce.web.pages.survey_views import plain
from vivavoce.web.tables import RESPONDENTS


def test_a_whole_survey_without_a_script(site: LiveSite) -> None:
    survey = make(site, ask_why=True, return_url="https://app.example.org/done?study=7")
    ann = SurveyBrowser(site, survey, "5f00aa11").come()
    assert ann.path == f"{ann.base}/consent"
    assert f"Version {VERSION} of this text" in ann.words
    ann.send(ann.path, {"adult": "on"})
    assert ann.status == 422
    assert "To take part, tick both boxes." in ann.words
    assert 'name="adult" required checked' in ann.page
    ann.send(ann.path, {"adult": "on", "agree": "on"})
    assert ann.path == f"{ann.base}/how"
    assert "There are 2 such pairs of questions, and after each you may write why" in ann.words
    ann.get(f"{ann.base}/checks")
    ann.check(RIGHT)
    assert "Pair 1 of 2 · first estimate" in ann.words
    assert 'max="4" value="0"' in ann.page
    ann.send(ann.path, {"belief": "62"})
    assert "You said 62% before." in ann.words
    assert 'max="4" value="1"' in ann.page
    assert ann.page.count('value="62"') == 0  # shown in words, and not filled in
    ann.send(ann.path, {"belief": "40%", "why": " It missed\r\nan easy one. "})
    ann.say("0", "0")
    assert ann.path == f"{ann.base}/end"
    assert "Thank you" in ann.words
    assert 'href="https://app.example.org/done?study=7&amp;cc=DONE-1"' in ann.page

    rows = exported(site, survey)
    assert [(row.place, row.pair.prior, row.pair.posterior, row.why, row.finished) for row in rows] == [
        (1, 0.62, 0.40, "It missed\nan easy one.", True),
        (2, 0.0, 0.0, "", True),
    ]
    assert [row.pair.belief_change for row in rows] == [True, False]
    assert counts(site, survey).done == 1


def test_what_is_shown_is_what_is_exported(site: LiveSite) -> None:
    survey = make(site, pairs_each=4)
    ann = SurveyBrowser(site, survey).begin()
    seen = []
    for index in range(1, 5):
        question = lines(ann.page, "question")
        ann.send(ann.path, {"belief": str(index)})
        right = "This answer is right" in ann.words
        assert right is not ("This answer is wrong" in ann.words)
        assert lines(ann.page, "question") == question
        seen.append((lines(ann.page, "other"), question, lines(ann.page, "shown"), right))
        ann.send(ann.path, {"belief": str(10 * index)})
    rows = exported(site, survey)
    assert seen == [(plain(r.pair.q1), plain(r.pair.q2), r.shown, r.pair.previous_correct) for r in rows]
    assert [(row.pair.prior, row.pair.posterior) for row in rows] == [(0.01, 0.1), (0.02, 0.2), (0.03, 0.3), (0.04, 0.4)]


def lines(page: str, where: str) -> str:
    """The text of one element, as the cards of these tests have it: nothing in them is escaped."""
    match = re.search(rf'id="{where}">(.*?)</(?:div|blockquote)>', page, re.DOTALL)
    assert match is not None
    return "\n".join(re.findall(r'<bdi class="line" dir="auto">(.*?)</bdi>', match[1]))


def test_who_is_sent_by_a_platform_leaves_no_trace_in_the_address(site: LiveSite) -> None:
    survey = make(site)
    ann = SurveyBrowser(site, survey, "5f00aa11bb22", follow=False).come()
    assert ann.status == 303
    answer = ann.client.get(f"{ann.base}?PROLIFIC_PID=5f00aa11bb22&STUDY_ID=1&SESSION_ID=2&utm=x")
    assert answer.headers["location"] == f"{ann.base}/consent"
    assert "5f00aa11bb22" not in str(answer.headers) + answer.text
    assert answer.headers["cache-control"] == "no-store"
    cookie = next(line for line in answer.headers.get_list("set-cookie") if line.startswith(f"viva_survey_{survey.plan.slug}="))
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


@pytest.mark.parametrize(
    "query",
    [
        "PROLIFIC_PID={{%25PROLIFIC_PID%25}}&STUDY_ID=1&SESSION_ID=2",  # placeholders that the platform has not filled in
        "PROLIFIC_PID=&STUDY_ID=1&SESSION_ID=2",
        "STUDY_ID=1&SESSION_ID=2",
        "PROLIFIC_PID=one&PROLIFIC_PID=two",
        "PROLIFIC_PID=ok&STUDY_ID=<script>",
        "PROLIFIC_PID=" + "a" * 65,
        "PROLIFIC_PID=%00%ff%F0%9F%98%80",
    ],
)
def test_links_that_no_platform_makes_are_refused_without_repeating_them(site: LiveSite, query: str) -> None:
    survey = make(site)
    ann = SurveyBrowser(site, survey)
    ann.get(f"{ann.base}?{query}")
    assert ann.status == 400
    assert "This link is not complete" in ann.words
    assert "PID" not in ann.page
    assert "<script>" not in ann.page
    assert counts(site, survey).begun == 0


def test_one_survey_per_person_in_any_browser(site: LiveSite) -> None:
    survey = make(site)
    ann = SurveyBrowser(site, survey, "ann").begin()
    ann.send(ann.path, {"belief": "30"})
    again = SurveyBrowser(site, survey, "ann").come()
    assert again.path == f"{ann.base}/pairs/1/after"
    assert "You said 30% before" in again.words
    again.send(again.path, {"belief": "31"})
    ann.get(ann.base)
    assert ann.path == f"{ann.base}/pairs/2/before"
    ann.say("50", "50")
    again.come()
    assert again.path == f"{ann.base}/end"
    assert counts(site, survey).begun == 1
    other = SurveyBrowser(site, survey, "bob").come()
    assert other.path == f"{ann.base}/consent"


def test_who_comes_by_themselves_is_one_person_per_browser(site: LiveSite) -> None:
    survey = make(site)
    ann = SurveyBrowser(site, survey).begin()
    ann.send(ann.path, {"belief": "30"})
    ann.client.cookies.delete(f"viva_survey_{survey.plan.slug}")
    ann.come()
    assert ann.path == f"{ann.base}/consent"
    ann.send(ann.path, {"adult": "on", "agree": "on"})
    assert ann.path == f"{ann.base}/pairs/1/after"
    assert counts(site, survey).begun == 1


def test_two_surveys_in_one_browser_do_not_mix(site: LiveSite) -> None:
    first, second = make(site), make(site)
    ann = SurveyBrowser(site, first, "ann").begin()
    ann.base = address(second)
    ann.begin()
    ann.say("1", "2")
    ann.get(address(first))
    assert ann.path == f"{address(first)}/pairs/1/before"


def test_going_back_shows_where_one_is_and_changes_nothing(site: LiveSite) -> None:
    survey = make(site)
    ann = SurveyBrowser(site, survey).begin()
    ann.say("10", "20")
    here = f"{ann.base}/pairs/2/before"
    for path in ("pairs/1/before", "pairs/1/after", "pairs/2/after", "pairs/3/before", "pairs/99999999999999999999/before",
                 "pairs/-1/before", "checks", "consent", "end"):  # fmt: skip
        ann.get(f"{ann.base}/{path}")
        assert ann.path == here, path
    for path in ("pairs/1/before", "pairs/1/after", "pairs/2/after", "pairs/0/after"):
        ann.send(f"{ann.base}/{path}", {"belief": "99", "why": "I have changed my mind"})
        assert ann.path == here
        assert "your first answer counts" in ann.words
    ann.get(f"{ann.base}/how")
    assert f'href="{here}"' in ann.page
    ann.get(here)
    ann.say("30", "40")
    assert [(row.pair.prior, row.pair.posterior) for row in exported(site, survey)] == [(0.1, 0.2), (0.3, 0.4)]


def at_once(person: SurveyBrowser, path: str, fields: dict[str, str], number: int = 4) -> None:
    """Send one form several times at the same time."""
    token, cookies = person.token, dict(person.client.cookies)

    def send(_: int) -> int:
        with type(person.client)(
            base_url=person.client.base_url, headers=person.client.headers, cookies=cookies, timeout=PATIENT
        ) as client:
            return client.post(path, data={"csrf": token} | fields).status_code

    with ThreadPoolExecutor(number) as pool:
        assert set(pool.map(send, range(number))) == {303}


@pytest.mark.long
def test_forms_that_are_sent_at_once_count_once(site: LiveSite) -> None:
    survey = make(site)
    ann = SurveyBrowser(site, survey).come()
    at_once(ann, f"{ann.base}/consent", {"adult": "on", "agree": "on"})
    ann.send(ann.path, {"adult": "on", "agree": "on"})
    assert counts(site, survey).begun == 1
    ann.get(f"{ann.base}/checks")
    at_once(ann, ann.path, WRONG | {"tries": "0"})
    ann.get(ann.base)
    assert "This is the last try" in ann.words  # and not: you are out
    ann.check(RIGHT, tries=1)
    for index in (1, 2):
        assert ann.path == f"{ann.base}/pairs/{index}/before"
        at_once(ann, ann.path, {"belief": "70"})
        ann.get(ann.base)
        at_once(ann, ann.path, {"belief": "80"})
        ann.get(ann.base)
    assert ann.path == f"{ann.base}/end"
    assert [(row.place, row.pair.prior, row.pair.posterior) for row in exported(site, survey)] == [(1, 0.7, 0.8), (2, 0.7, 0.8)]


@pytest.mark.parametrize("text", ["", "101", "-1", "62.5", "a lot", "<b>1</b>", "9" * 1_000])
def test_a_number_that_is_none_is_asked_for_again(site: LiveSite, text: str) -> None:
    survey = make(site)
    ann = SurveyBrowser(site, survey).begin()
    for half in ("before", "after"):
        ann.send(ann.path, {"belief": text})
        assert ann.status == 422
        assert "write a whole number from 0 to 100" in ann.words
        assert ann.path.endswith(half)
        ann.send(ann.path, {"belief": "50"})


def test_words_beyond_the_bound_are_handed_back(site: LiveSite) -> None:
    survey = make(site, ask_why=True, pairs_each=1)
    ann = SurveyBrowser(site, survey).begin()
    ann.send(ann.path, {"belief": "50"})
    ann.send(ann.path, {"belief": "51", "why": "ä" * 1_001})
    assert ann.status == 422
    assert "Your words have 1,001 characters" in ann.words
    assert "ä" * 1_001 in ann.page
    assert 'value="51"' in ann.page
    ann.send(ann.path, {"belief": "51", "why": "ä" * 1_000})
    assert exported(site, survey)[0].why == "ä" * 1_000


def test_nobody_is_asked_why_where_that_is_not_wanted(site: LiveSite) -> None:
    survey = make(site, pairs_each=1)
    ann = SurveyBrowser(site, survey).begin()
    ann.send(ann.path, {"belief": "50"})
    assert 'name="why"' not in ann.page
    ann.send(ann.path, {"belief": "50", "why": "unasked"})
    assert exported(site, survey)[0].why == ""
    assert "There is one such pair of questions." in ann.get(f"{ann.base}/how").text


@pytest.mark.parametrize(("answerer", "either"), [("machine", False), ("either", True)])
def test_respondents_are_told_who_may_answer(site: LiveSite, answerer: str, either: bool) -> None:
    card = SurveyCard(1, "One?", "Two?", "a", "b", "1", previous_correct=True, by="person" if either else "machine")
    survey = make(site, told=answerer, of=[card], pairs_each=1)
    ann = SurveyBrowser(site, survey).come()
    texts = [ann.words]
    texts.append(ann.agree().words)
    ann.get(f"{ann.base}/checks")
    ann.check(RIGHT)
    texts.append(ann.words)
    ann.send(ann.path, {"belief": "1"})
    texts.append(ann.words)
    assert all(("person" in words) is either for words in texts), texts
    assert all("AI system" in words for words in texts)


def test_the_way_to_reach_who_is_responsible_stands_on_each_page(site: LiveSite) -> None:
    survey = make(site, contact="Ann <ann@lab.example>", pairs_each=1)
    ann = SurveyBrowser(site, survey).begin()
    for _ in range(3):
        assert "Ann &lt;ann@lab.example&gt;" in ann.page
        ann.send(ann.path, {"belief": "1"})


def test_failing_twice_means_to_return_the_study(site: LiveSite) -> None:
    survey = make(site, return_url="https://app.example.org/done")
    ann = SurveyBrowser(site, survey, "ann").agree()
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
    assert SurveyBrowser(site, survey, "ann").come().path == f"{ann.base}/end"
    assert exported(site, survey) == []
    assert counts(site, survey).failed == 1


@pytest.mark.parametrize("moment", ["consent", "checks", "pair", "end"])
def test_withdrawing_deletes_at_every_moment(site: LiveSite, moment: str) -> None:
    survey = make(site, return_url="https://app.example.org/done")
    ann = SurveyBrowser(site, survey, "ann").come()
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
    assert SurveyBrowser(site, survey, "ann").come().path == f"{ann.base}/end"
    assert exported(site, survey) == []
    assert counts(site, survey).withdrawn == 1


def test_who_declines_was_never_here(site: LiveSite) -> None:
    survey = make(site)
    ann = SurveyBrowser(site, survey).come()
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
            ann = SurveyBrowser(site, survey)
            ann.get(f"{ann.base}{path}")
            assert (ann.status, words in ann.words) == (status, True), path
        assert counts(site, survey).begun == 0
    nobody = SurveyBrowser(site, draft)
    for path in ("/surveys/none", "/surveys/NONE/consent", "/surveys/%00", "/surveys/" + "a" * 5_000, "/surveys/trust%2F..%2F"):
        nobody.get(path)
        assert nobody.status == 404, path


def test_who_has_begun_may_finish_a_survey_that_is_closed(site: LiveSite) -> None:
    from vivavoce.web.database import transaction
    from vivavoce.web.store.surveys import set_state

    survey = make(site)
    ann = SurveyBrowser(site, survey, "ann").begin()
    with transaction(site.engine) as c:
        set_state(c, survey.plan.slug, "closed", site.clock())
    again = SurveyBrowser(site, survey, "ann").come()
    again.say("1", "2")
    again.say("3", "4")
    assert again.path == f"{ann.base}/end"
    assert len(exported(site, survey)) == 2


def test_a_preview_shows_all_and_keeps_nothing(site: LiveSite) -> None:
    survey = make(site, state="draft", ask_why=True, return_url="https://app.example.org/done")
    me = SurveyBrowser(site, survey)
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
    me = SurveyBrowser(site, survey)
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
