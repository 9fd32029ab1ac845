"""A password is changed by who knows it, and neither it nor what is mailed for it ends up where it could be read."""

from __future__ import annotations

import logging
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from tests.web.mailing import PASSWORD, SiteWithMail, forgotten, lets_in, mail_settings, press
from tests.web.mailing import kept_mailing as kept_mailing
from tests.web.mailing import mailing as mailing
from tests.web.site import PATIENT, PLAIN, UNKEPT, Browser, running, session_of, with_session
from tests.web.smtp import post_office
from vivavoce.web.database import reading, transaction
from vivavoce.web.pages import accounts as accounts_pages
from vivavoce.web.pages.request_context import NOTICES
from vivavoce.web.security import passwords
from vivavoce.web.store import accounts
from vivavoce.web.store.people import by_email
from vivavoce.web.tables import KEYS, OUTBOX, PLAYERS

NEW = "another row of words"


def test_a_password_is_changed_by_who_knows_it_and_other_sessions_end(mailing: SiteWithMail) -> None:
    ann, email = mailing.account()
    other = mailing.browser()
    other.get("/sign-in")
    other.send("/sign-in", {"email": email, "password": PASSWORD})
    before = session_of(ann)
    for old, new, words in (("not it at all", NEW, "This is not your password"), (PASSWORD, "short", "at least 10 characters")):
        ann.get("/account/password")
        ann.send("/account/password", {"old": old, "new": new})
        assert (ann.status, words in ann.words) == (422, True)
    ann.send("/account/password", {"old": PASSWORD, "new": NEW})
    assert (ann.path, NOTICES["password"] in ann.words) == ("/profile", True)
    assert session_of(ann) != before
    for browser in (other, with_session(mailing.site, before)):
        browser.get("/profile")
        assert browser.path == "/"
    assert not lets_in(mailing, email, PASSWORD)
    assert lets_in(mailing, email, NEW)


def test_who_signs_in_with_a_password_that_is_changed_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(tmp_path) as site:
        Browser(site.url).sign_up("Ann", "ann@example.org", PASSWORD)
        is_right = passwords.is_right

        def changed_meanwhile(given: str, stored: str | None) -> bool:
            with transaction(site.engine) as c:
                pair = by_email(c, "ann@example.org")
                assert pair is not None
                assert accounts.change_password(c, *pair, passwords.hashed(NEW))
            return is_right(given, stored)

        monkeypatch.setattr(passwords, "is_right", changed_meanwhile)
        thief = Browser(site.url)
        thief.get("/sign-in")
        thief.send("/sign-in", {"email": "ann@example.org", "password": PASSWORD})
        assert (thief.status, accounts_pages.WRONG in thief.words) == (422, True)
        thief.get("/home")
        assert thief.path == "/"


def test_keys_are_in_no_log_no_referrer_and_no_export(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with post_office() as post, running(tmp_path, mail=mail_settings(post)) as site:
        mailing = SiteWithMail(site, post)
        browser = mailing.browser()
        _, email = mailing.account()
        forgotten(browser, email)
        link = mailing.link(email)
        with httpx.Client(base_url=site.url, limits=UNKEPT, timeout=PATIENT, verify=PLAIN) as plain:
            answer = plain.get(link)
            assert '<meta name="referrer" content="strict-origin">' in answer.text  # no address goes to files or links
            assert answer.headers["referrer-policy"] == "same-origin"
            assert answer.headers["cache-control"] == "no-store"
        key = link.partition("key=")[2]
        with reading(site.engine) as c:
            assert c.execute(select(KEYS.c.purpose)).scalars().all() == ["reset"]
            assert key[16:] not in repr([c.execute(select(table)).all() for table in (KEYS, OUTBOX, PLAYERS)])
        press(browser, link, new=NEW)
        assert key not in browser.page
        assert key not in str(browser.client.get("/home").url)
    text = "\n".join(record.getMessage() for record in caplog.records if not record.name.startswith(("httpx", "httpcore")))
    for secret in (key[16:], email, NEW):
        assert secret not in text
