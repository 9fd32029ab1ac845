"""What strangers type: shown as it is, and doing nothing."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from sqlalchemy import text

from tests.web.site import Browser, LiveSite, pair
from vivavoce.web.database import reading

PASSWORD = "correct horse battery"
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg/onload=alert(3)>{{7*7}}"
SQL = "'; DROP TABLE players; -- \" OR 1=1 /* %s %(id)s ? :of \\"


@pytest.mark.parametrize(
    "nasty", [SCRIPT, SQL, "\x00\x01\ufffe\u202e", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")]
)
def test_what_people_type_is_shown_and_does_nothing(site: LiveSite, nasty: str) -> None:
    ann, bob, game = pair(site.url)
    nasties = tuple(f"{nasty} {number}" for number in range(5))
    ann.get(game)
    ann.send(f"{game}/interview", {f"question{number}": nasty for number in range(1, 6)} | {"draft": "1"})
    pages = [ann.page]
    for browser in (ann, bob):
        browser.ask(game, nasties)
        pages.append(browser.page)
    for browser in (ann, bob):
        browser.answer(game, nasties)
        pages.append(browser.page)
    ann.get(game)
    ann.send(f"{game}/report", {"reason": nasty})
    pages.append(ann.page)
    for browser in (ann, bob):
        browser.guess(game, nasty, slider1=nasty)
        pages.append(browser.page)
        assert browser.status == 422
        browser.guess(game, "50")
        pages.append(browser.page)
    assert ann.status == bob.status == 200
    for page in pages:
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "<svg/onload" not in page
        assert "49 " not in page or "{{7*7}}" not in nasty
    if nasty == SCRIPT:
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in bob.page


@pytest.mark.parametrize("nasty", [SCRIPT, SQL])
def test_names_and_addresses_do_nothing_either(site: LiveSite, nasty: str) -> None:
    browser = Browser(site.url)
    browser.sign_up(nasty[:38], f"{nasty}@example.org", PASSWORD)
    assert browser.status == 422
    assert "<script>alert" not in browser.page
    browser.send("/account/new", {"name": nasty[:38], "email": f"n{abs(hash(nasty))}@example.org", "password": PASSWORD})
    browser.get("/profile")
    assert browser.status == 200
    assert "<script>alert" not in browser.page
    browser.get(f"/?said={nasty}")
    assert nasty not in browser.page
    with reading(site.engine) as c:
        assert c.execute(text("SELECT count(*) FROM players")).scalar_one() > 0


def test_no_address_leads_to_another_site(site: LiveSite) -> None:
    browser = Browser(site.url, follow=False)
    elsewhere = ("//evil.example", "/%2F%2Fevil.example", "/\\evil.example", "/sign-in?next=//evil.example")
    for path in (*elsewhere, "/static/../../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py"):
        answer = browser.get(path)
        assert urlsplit(answer.headers.get("location", "/")).netloc == ""
        assert answer.status_code in (200, 404)
        assert "def create_app" not in answer.text
