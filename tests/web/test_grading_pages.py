"""The pages on which people grade, as a browser without a script sees them, and what strangers get from them."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import count

import httpx
import pytest

from tests.web.site import PATIENT, PLAIN, Browser, Running
from vivavoce.certificate.graders.grading import Waiting
from vivavoce.interview.scope import Grade
from vivavoce.web.database import reading, transaction
from vivavoce.web.pages.visit import utc_now
from vivavoce.web.store import grading, grading_people
from vivavoce.web.store.grading import GradingQueue
from vivavoce.web.store.grading_export import counts

_numbers = count(1)
HOSTILE = "<script>alert(1)</script> {{7*7}} <b>1</b><br>\x00\u202e line\nnext"


def queue_of(site: Running, *texts: str, twice: float = 0) -> GradingQueue:
    """A queue of its own with these answers."""
    with transaction(site.engine) as c:
        queue = grading.make_queue(
            c, f"queue-{next(_numbers)}", utc_now(), title="Essays", twice=twice, lease=timedelta(minutes=30)
        )
        for number, text in enumerate(texts, 1):
            grading.want(c, queue, Waiting(f"secret-id-{number}", f"What is {number}?", text, "10: all <of> it"))
    return queue


def link_of(site: Running, queue: GradingQueue, *, days: int = 30) -> str:
    with transaction(site.engine) as c:
        return f"/grading/link?key={grading_people.invite(c, queue, utc_now() + timedelta(days=days))}"


def grader(site: Running, queue: GradingQueue, *, days: int = 30) -> Browser:
    """Somebody who has agreed."""
    browser = Browser(site.url)
    browser.get(link_of(site, queue, days=days))
    browser.send("/grading/consent", {"adult": "on", "agree": "on"})
    return browser


def given(site: Running, queue: GradingQueue) -> list[Grade]:
    with reading(site.engine) as c:
        return list(grading.given(c, queue).values())


def test_from_the_link_to_the_end(site: Running) -> None:
    queue = queue_of(site, "It is one.", "It is two.")
    ann = Browser(site.url)
    ann.get(link_of(site, queue))
    assert ann.path == "/grading"  # without the key
    assert "Before you begin" in ann.words
    ann.send("/grading/consent", {"adult": "on"})
    assert (ann.status, "tick both boxes" in ann.words) == (422, True)
    ann.send("/grading/consent", {"adult": "on", "agree": "on"})
    assert "It is one." in ann.words
    assert "10: all <of> it" in ann.words
    for told in ("secret-id", queue.slug, "checked"):  # nothing of where it comes from, and no grade is suggested
        assert told not in ann.page
    ann.send("/grading/answers/1", {"points": "7"})
    assert (ann.status, "say whether the answer is ridiculous" in ann.words) == (422, True)
    assert re.search(r'value="7" required checked', ann.page)
    ann.send("/grading/answers/1", {"points": "7", "ridiculous": "yes"})
    assert "Your grade is kept." in ann.words
    assert "It is two." in ann.words
    ann.send("/grading/answers/2", {"do": "pass"})
    assert "Nothing to grade just now" in ann.words
    assert "You have graded 1 answer." in ann.words
    assert given(site, queue) == [Grade(0.7, True)]
    with transaction(site.engine) as c:
        grading.set_state(c, queue, "closed")
    ann.get("/grading")
    assert "The grading is over" in ann.words


def test_what_cannot_be_meant_is_not_kept(site: Running) -> None:
    queue = queue_of(site, "It is one.", "It is two.")
    ann = grader(site, queue)
    for points in ("", "-1", "11", "1.5", "٣", "1" * 10_000, "NaN"):
        ann.send("/grading/answers/1", {"points": points, "ridiculous": "no"})
        assert ann.status == 422
        assert "It is one." in ann.words
    for ridiculous in ("", "perhaps", "YES"):
        ann.send("/grading/answers/1", {"points": "3", "ridiculous": ridiculous})
        assert ann.status == 422
    ann.send("/grading/answers/2", {"points": "3", "ridiculous": "no"})  # it is not theirs
    assert "nothing was kept" in ann.words
    for number in ("0", "-1", "x", str(2**40)):
        ann.send(f"/grading/answers/{number}", {"points": "3", "ridiculous": "no"})
        assert ann.status == 404
        ann.get("/grading")
    assert given(site, queue) == []
    # sent twice, or after going back: once
    ann.send("/grading/answers/1", {"points": "3", "ridiculous": "no"})
    ann.send("/grading/answers/1", {"points": "9", "ridiculous": "no"})
    assert given(site, queue) == [Grade(0.3, False)]


def test_a_page_says_how_many_answers_wait_for_its_grader(site: Running) -> None:
    queue = queue_of(site, "It is one.", "It is two.", "It is three.")
    ann = grader(site, queue)
    assert "2 more answers wait for you now; more may come." in ann.words
    bob = grader(site, queue)  # Ann holds the first, Bob the second
    assert "One more answer waits for you now" in bob.words
    ann.send("/grading/answers/1", {"points": "7", "ridiculous": "no"})
    assert "You have graded 1 answer so far. No other answer waits for you now" in ann.words


def test_two_people_do_not_get_the_same_answer_unless_it_is_meant_for_two(site: Running) -> None:
    queue = queue_of(site, "It is one.", "It is two.", "It is three.", twice=0.4)
    shown = [re.search(r"It is \w+\.", grader(site, queue).words) for _ in range(5)]
    assert [found and found[0] for found in shown] == ["It is one.", "It is one.", "It is two.", "It is three.", "It is three."]


def test_who_withdraws_is_told_what_happens(site: Running) -> None:
    queue = queue_of(site, "It is one.", "It is two.")
    ann = grader(site, queue)
    ann.send("/grading/answers/1", {"points": "3", "ridiculous": "no"})
    ann.get("/grading/withdraw")
    assert "not part of a verdict yet are deleted at once" in ann.words
    ann.send("/grading/withdraw")
    assert "You have withdrawn" in ann.words
    ann.get("/grading")
    assert "You have withdrawn" in ann.words
    assert given(site, queue) == []
    assert "It is one." in grader(site, queue).words


def test_answers_are_text_whatever_stands_in_them(site: Running) -> None:
    ann = grader(site, queue_of(site, HOSTILE, ""))
    assert "<script>alert" not in ann.page
    assert "<script>alert(1)</script> {{7*7}} <b>1</b><br>" in ann.words
    assert "\x00" not in ann.page
    ann.send("/grading/answers/1", {"points": "3", "ridiculous": "no"})
    assert "It is empty." in ann.words


def test_links_that_open_nothing(site: Running) -> None:
    queue = queue_of(site, "It is one.")
    link = link_of(site, queue, days=1)
    ann, bob = grader(site, queue), grader(site, queue, days=1)
    for path in ("/grading", "/grading/withdraw", "/grading/link", "/grading/link?key=%00", f"{link}x", link[:-1]):
        stranger = Browser(site.url)
        stranger.get(path)
        assert (stranger.status, "This link opens nothing" in stranger.words) == (410, True), path
    stranger = Browser(site.url)
    stranger.client.cookies.set("viva_grading_link", "forged.signature")
    stranger.get("/grading")
    assert stranger.status == 410
    site.clock.ahead = timedelta(days=2)
    late = Browser(site.url)
    late.get(link)
    assert late.status == 410
    ann.get("/grading")
    assert ann.status == 200
    bob.get("/grading")
    assert "The grading is over" in bob.words
    bob.get("/grading/withdraw")  # that can be done as long as somebody wants
    bob.send("/grading/withdraw")
    assert "You have withdrawn" in bob.words


def test_forms_of_strangers_are_refused(site: Running) -> None:
    queue = queue_of(site, "It is one.")
    ann, mallory = grader(site, queue), grader(site, queue)
    fields = {"points": "1", "ridiculous": "yes"}
    for token in ("", "0" * 64, mallory.token or "x", "ä"):
        answer = ann.client.post("/grading/answers/1", data=fields | {"csrf": token})
        assert (answer.status_code, "This page is out of date" in answer.text) == (403, True)
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}):
        for path in ("answers/1", "withdraw", "consent"):
            assert ann.client.post(f"/grading/{path}", data=fields | {"csrf": ann.token}, headers=headers).status_code == 403
    answer = httpx.post(f"{site.url}/grading/answers/1", data=fields | {"csrf": ann.token}, timeout=PATIENT, verify=PLAIN)
    assert answer.status_code in (403, 410)
    assert given(site, queue) == []
    with reading(site.engine) as c:
        assert counts(c, queue, utc_now()).withdrawn == 0


def test_the_key_stands_in_no_page_and_no_script_can_read_it(site: Running) -> None:
    queue = queue_of(site, "It is one.")
    link = link_of(site, queue)
    ann = Browser(site.url, follow=False)
    response = ann.get(link)
    assert (response.status_code, response.headers["location"]) == (303, "/grading")
    cookie = next(value for value in response.headers.get_list("set-cookie") if value.startswith("viva_grading_link"))
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    ann.get("/grading")
    assert link.partition("=")[2] not in ann.page
    assert response.headers["content-security-policy"].startswith("default-src 'none'")


@pytest.mark.parametrize("path", ["/grading/nothing", "/dossiers/nothing", "/dossiers/0123456789ab"])
def test_there_is_no_such_page(site: Running, path: str) -> None:
    ann = Browser(site.url)
    ann.get(path)
    assert ann.status == 404
