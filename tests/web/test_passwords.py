"""Passwords: how they are kept, changed by their owner, and set again by who reads the account's mail."""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from argon2 import PasswordHasher, extract_parameters
from sqlalchemy import select, text, update

from tests.each_case import each_case
from tests.web.mailing import SiteWithMail, forgotten, lets_in, mail_settings, post_office, press
from tests.web.mailing import kept_mailing as kept_mailing
from tests.web.mailing import mailing as mailing
from tests.web.site import (
    PASSWORD,
    PATIENT,
    PLAIN,
    SCRIPT,
    SQL,
    UNKEPT,
    LiveSite,
    ScriptlessBrowser,
    forget,
    running,
    session_of,
    with_session,
)
from vivavoce.errors import BadInput
from vivavoce.web.database import reading, transaction
from vivavoce.web.pages import accounts as accounts_pages
from vivavoce.web.pages.request_context import NOTICES
from vivavoce.web.security import passwords
from vivavoce.web.store import accounts, people
from vivavoce.web.store.people import by_email
from vivavoce.web.tables import KEYS, OUTBOX, PLAYERS

GOOD = "correct horse battery"


def test_passwords_are_kept_as_argon2_hashes(site: LiveSite) -> None:
    ScriptlessBrowser(site.url).sign_up("Hashed", "hashed@example.org", GOOD)
    with reading(site.engine) as c:
        kept = c.execute(text("SELECT password_hash FROM players WHERE email = 'hashed@example.org'")).scalar_one()
    assert kept.startswith("$argon2id$")
    assert GOOD not in kept


def test_who_has_an_account_cannot_be_found_out_by_signing_in(one_server: LiveSite, monkeypatch: pytest.MonkeyPatch) -> None:
    ScriptlessBrowser(one_server.url).sign_up("Known", "known@example.org", GOOD)
    browser, hasher, compared = ScriptlessBrowser(one_server.url), passwords._HASHER, []

    class RecordingHasher:
        hash = hasher.hash

        def verify(self, stored: str, password: str) -> bool:
            compared.append(extract_parameters(stored))
            return hasher.verify(stored, password)

    monkeypatch.setattr(passwords, "_HASHER", RecordingHasher())
    browser.get("/sign-in")
    pages = set()
    for email in ("known@example.org", "nobody@example.org", "no address"):
        page = browser.send("/sign-in", {"email": email, "password": "wrong"}).text
        pages.add(page.replace(email, ""))
    assert len(pages) == 1
    # a hash was compared each time, and each of them takes as long
    assert len(compared) == 3
    assert len({(parameters.time_cost, parameters.memory_cost, parameters.parallelism) for parameters in compared}) == 1


def test_a_hash_costs_what_it_should(hasher: PasswordHasher) -> None:
    # RFC 9106, section 4, second recommendation: 64 MiB, 3 passes, 4 lanes
    assert (hasher.memory_cost, hasher.time_cost, hasher.parallelism) == (65_536, 3, 4)


@each_case("password", ["", "short", "a" * 30, "ab" * 20, "x1" * 101])
def test_poor_passwords_are_refused(password: str) -> None:
    with pytest.raises(BadInput):
        passwords.hashed(password)


def test_a_password_is_right_or_wrong() -> None:
    kept = passwords.hashed("pässwörd mit ümlaut")
    assert passwords.is_right("pässwörd mit ümlaut", kept)
    assert not passwords.is_right("passwort mit umlaut", kept)
    assert not passwords.is_right("no one has this password", None)
    assert not passwords.is_right("x", "no hash")
    assert not passwords.is_right("x" * 1_000_000, kept)


NEW = "another row of words"


def test_a_password_is_changed_by_who_knows_it_and_other_sessions_end(mailing: SiteWithMail) -> None:
    ann, email = mailing.account()
    other = mailing.browser()
    other.submit("/sign-in", {"email": email, "password": PASSWORD})
    before = session_of(ann)
    for old, new, words in (("not it at all", NEW, "Wrong password"), (PASSWORD, "short", "at least 10 characters")):
        ann.submit("/account/password", {"old": old, "new": new})
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
        ScriptlessBrowser(site.url).sign_up("Ann", "ann@example.org", PASSWORD)
        is_right = passwords.is_right

        def changed_meanwhile(given: str, stored: str | None) -> bool:
            with transaction(site.engine) as c:
                pair = by_email(c, "ann@example.org")
                assert pair is not None
                assert accounts.change_password(c, *pair, passwords.hashed(NEW))
            return is_right(given, stored)

        monkeypatch.setattr(passwords, "is_right", changed_meanwhile)
        thief = ScriptlessBrowser(site.url)
        thief.submit("/sign-in", {"email": "ann@example.org", "password": PASSWORD})
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


OVER = "This link no longer works"


def test_a_forgotten_password_is_set_anew_by_mail_and_ends_all_sessions(mailing: SiteWithMail) -> None:
    ann, email = mailing.account()
    other = mailing.browser()
    other.submit("/sign-in", {"email": email, "password": PASSWORD})
    browser = mailing.browser()
    assert "If an account has the address" in forgotten(browser, f" {email.upper()} ")
    link = mailing.link(email)
    mail = mailing.mails(email)[-1]
    assert (mail["Subject"], mail["List-Unsubscribe"]) == ("A new password", None)
    for _ in range(3):
        browser.get(link)  # to look does nothing
        assert "Choose a new password" in browser.words
    press(browser, link, new="short")
    assert (browser.status, "at least 10 characters" in browser.words) == (422, True)
    press(browser, link, new=NEW)
    assert (browser.path, NOTICES["reset"] in browser.words) == ("/sign-in", True)
    assert "viva_session" not in browser.client.cookies
    for entry in (ann, other):
        entry.get("/profile")
        assert entry.path == "/"
    assert not lets_in(mailing, email, PASSWORD)
    assert lets_in(mailing, email, NEW)


def test_a_link_is_good_once_and_for_an_hour(mailing: SiteWithMail) -> None:
    _, email = mailing.account()
    browser = mailing.browser()
    forgotten(browser, email)
    first = mailing.link(email)
    forgotten(browser, email)
    second = mailing.link(email)
    press(browser, first, new=NEW)
    for used in (first, second):  # whoever asked for both needs one
        browser.get(used)
        assert (browser.path, OVER in browser.words) == ("/password/forgotten", True)
        browser.send("/password/new", {"key": used.partition("key=")[2], "new": "a third row of words"})
        assert OVER in browser.words
    assert lets_in(mailing, email, NEW)
    forgotten(browser, email)
    late = mailing.link(email)
    mailing.site.clock.ahead = timedelta(hours=1)
    press(browser, late, new="a third row of words")
    assert OVER in browser.words
    assert lets_in(mailing, email, NEW)


def test_links_that_are_none(mailing: SiteWithMail) -> None:
    _, email = mailing.account()
    bob, his = mailing.account(confirmed=False)
    browser = mailing.browser()
    forgotten(browser, email)
    key, to_confirm = (mailing.link(name).partition("key=")[2] for name in (email, his))
    browser.get("/sign-in")
    for wrong in (
        key[:-1],
        key[:-1] + ("0" if key[-1] != "0" else "1"),
        key[:16] + to_confirm[16:],
        to_confirm,
        SQL,
        SCRIPT,
        "",
    ):
        browser.client.get("/password/new", params={"key": wrong})
        browser.send("/password/new", {"key": wrong, "new": NEW})
        assert OVER in browser.words
        assert "<script>alert" not in browser.page
    browser.send("/account/address/confirm", {"key": key})
    assert OVER in browser.words
    assert lets_in(mailing, email, PASSWORD)
    bob.get("/home")
    assert bob.path == "/home"


def test_after_a_few_wrong_tries_the_right_link_is_refused(mailing: SiteWithMail) -> None:
    _, email = mailing.account()
    browser = mailing.browser()
    forgotten(browser, email)
    link = mailing.link(email)
    for number in range(people.KEY_TRIES):
        browser.get(f"{link[:-64]}{number:064x}")
        assert OVER in browser.words
    browser.get(link)
    assert OVER in browser.words


@pytest.mark.long
def test_the_link_of_someone_who_left_or_was_banned_or_moved(mailing: SiteWithMail) -> None:
    ann, email = mailing.account()
    _, his = mailing.account()
    cy, hers = mailing.account()
    browser = mailing.browser()
    for name in (email, his, hers):
        forgotten(browser, name)
    links = [mailing.link(name) for name in (email, his, hers)]
    ann.submit("/account/delete", {"sure": "on", "password": PASSWORD})
    with transaction(mailing.site.engine) as c:
        c.execute(update(PLAYERS).where(PLAYERS.c.email == his).values(banned=True))
    cy.submit("/account/address", {"email": f"new.{hers}", "password": PASSWORD})
    press(cy, mailing.link(f"new.{hers}"))
    for link in links:
        browser.get(link)
        assert OVER in browser.words
    forget(mailing.site)
    before = [len(mailing.mails(name)) for name in (email, his, hers)]
    for name in (email, his, hers):
        assert "If an account has the address" in forgotten(browser, name)
    assert [len(mailing.mails(name)) for name in (email, his, hers)] == before


def asked(mailing: SiteWithMail, address: str) -> tuple[list[tuple[int, str]], float]:
    """What is said to who has forgotten the password of this address, over and over, and the least time that it takes."""
    forget(mailing.site)
    browser, pages, seconds = mailing.browser(), [], []
    for _ in range(8):  # more than are mailed: nor does that tell
        browser.get("/password/forgotten")
        began = time.perf_counter()
        browser.send("/password/forgotten", {"email": address})
        seconds.append(time.perf_counter() - began)
        pages.append((browser.status, browser.words.replace(address, "it")))
    return pages, min(seconds)


@pytest.mark.long
def test_who_has_an_account_cannot_be_found_out(mailing: SiteWithMail) -> None:
    _, email = mailing.account()
    _, unconfirmed = mailing.account(confirmed=False)
    nobody = "nobody.at.all@example.org"
    for rounds in range(1, 4):  # noqa: B007  a busy machine may delay all tries of one address; a leak shows each time
        document = {address: asked(mailing, address) for address in (email, unconfirmed, nobody)}
        assert document[email][0] == document[unconfirmed][0] == document[nobody][0]
        assert {status for status, _ in document[nobody][0]} == {200}
        quickest, slowest = (end(least for _, least in document.values()) for end in (min, max))
        if slowest < max(2.5 * quickest, quickest + 0.02):  # a hash or a mail in between takes more than 20 ms
            break
    else:
        pytest.fail(f"it takes between {quickest} and {slowest} seconds")
    assert 1 <= len(mailing.mails(email)) - 1 <= 3 * mailing.site.processes * rounds
    assert mailing.mails(nobody) == []
    with reading(mailing.site.engine) as c:
        assert c.execute(select(OUTBOX.c.id).where(OUTBOX.c.recipient == nobody)).all() == []  # nor is it kept


def test_an_address_that_nobody_confirmed_sets_no_password(mailing: SiteWithMail) -> None:
    _, email = mailing.account(confirmed=False)
    browser = mailing.browser()
    forgotten(browser, email)
    link = mailing.link(email)
    assert mailing.mails(email)[-1]["Subject"] == "Confirm your address first"
    press(browser, link, new=NEW)
    assert NOTICES["confirmed"] in browser.words
    assert lets_in(mailing, email, PASSWORD)
    forgotten(browser, email)
    press(browser, mailing.link(email), new=NEW)
    assert lets_in(mailing, email, NEW)


def test_a_session_that_was_planted_is_worth_nothing_after_a_new_password(mailing: SiteWithMail) -> None:
    _, email = mailing.account()
    attacker = mailing.browser().join()
    planted = session_of(attacker)
    victim = with_session(mailing.site, planted)
    forgotten(victim, email)
    press(victim, mailing.link(email), new=NEW)
    assert victim.path == "/sign-in"
    assert "viva_session" not in victim.client.cookies
    victim.client.cookies.set("viva_session", planted, domain="127.0.0.1")
    victim.get("/sign-in")
    assert victim.path == "/sign-in"  # not even as the attacker's guest
    victim.send("/sign-in", {"email": email, "password": NEW})
    assert (victim.path, session_of(victim) != planted) == ("/home", True)
    attacker.get("/profile")
    assert attacker.path == "/"


def test_a_new_password_drops_an_address_that_a_thief_has_asked_for(mailing: SiteWithMail) -> None:
    ann, email = mailing.account()
    ann.submit("/account/address", {"email": f"thief.{email}", "password": PASSWORD})
    stolen = mailing.link(f"thief.{email}")
    browser = mailing.browser()
    forgotten(browser, email)
    press(browser, mailing.link(email), new=NEW)
    press(browser, stolen)
    assert OVER in browser.words
    with reading(mailing.site.engine) as c:
        assert c.execute(select(PLAYERS.c.new_email).where(PLAYERS.c.email == email)).scalar_one() is None


@pytest.mark.parametrize("nasty", [SCRIPT, SQL, "\x00\x01\ufffe\u202e", "x" * 100_000])
def test_what_is_typed_does_nothing(mailing: SiteWithMail, nasty: str) -> None:
    ann, email = mailing.account()
    stranger = mailing.browser()
    for given in (nasty, f"{nasty}@example.org"):
        forgotten(stranger, given)
        assert stranger.status == 422
        assert "<script>alert" not in stranger.page
    ann.submit("/account/password", {"old": nasty, "new": NEW})
    assert ann.status == 422
    forgotten(stranger, email)
    press(stranger, mailing.link(email), new=nasty + NEW)
    password_is_nasty = len(nasty + NEW) <= passwords.LONGEST
    assert (stranger.path == "/sign-in") == password_is_nasty
    assert "<script>alert" not in stranger.page
    assert lets_in(mailing, email, nasty + NEW) == password_is_nasty
    with reading(mailing.site.engine) as c:
        assert c.execute(text("SELECT count(*) FROM players")).scalar_one() > 0


@pytest.mark.long
def test_floods(mailing: SiteWithMail) -> None:
    browser, processes = mailing.browser(), mailing.site.processes
    browser.get("/password/forgotten")
    fields = {"csrf": browser.token}
    tries = [browser.send("/password/forgotten", fields | {"email": f"{n}@x.org"}) for n in range(10 * processes + 1)]
    assert [tries[0].status_code, tries[-1].status_code] == [200, 429]
    links = [browser.get("/password/new?key=x").status_code for _ in range(20 * processes + 1)]
    assert (links[0], 429 in links) == (200, True)
