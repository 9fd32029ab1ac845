"""Passwords: how they are kept and checked."""

from __future__ import annotations

import time

import pytest
from sqlalchemy import text

from tests.web.site import Browser, Running
from vivavoce.errors import BadInput
from vivavoce.web.database import reading
from vivavoce.web.security import passwords

PASSWORD = "correct horse battery"
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg/onload=alert(3)>{{7*7}}"
SQL = "'; DROP TABLE players; -- \" OR 1=1 /* %s %(id)s ? :of \\"


def test_passwords_are_kept_as_argon2_hashes(site: Running) -> None:
    Browser(site.url).sign_up("Hashed", "hashed@example.org", PASSWORD)
    with reading(site.engine) as c:
        kept = c.execute(text("SELECT password_hash FROM players WHERE email = 'hashed@example.org'")).scalar_one()
    assert kept.startswith("$argon2id$")
    assert PASSWORD not in kept


def test_who_has_an_account_cannot_be_found_out_by_signing_in(site: Running) -> None:
    Browser(site.url).sign_up("Known", "known@example.org", PASSWORD)
    browser = Browser(site.url)
    browser.get("/sign-in")
    browser.send("/sign-in", {"email": "nobody0@example.org", "password": "wrong"})  # makes the hash that nobody has
    pages, seconds = {}, {"known@example.org": 60.0, "nobody@example.org": 60.0}
    for _ in range(4):  # in turn, so that both find the machine equally busy
        for email in seconds:
            began = time.perf_counter()
            pages[email] = browser.send("/sign-in", {"email": email, "password": "wrong"}).text.replace(email, "")
            seconds[email] = min(seconds[email], time.perf_counter() - began)
    assert pages["known@example.org"] == pages["nobody@example.org"]
    assert 0.4 < seconds["known@example.org"] / seconds["nobody@example.org"] < 2.5


@pytest.mark.parametrize("password", ["", "short", "a" * 30, "ab" * 20, "x1" * 101])
def test_poor_passwords_are_refused(password: str) -> None:
    with pytest.raises(BadInput):
        passwords.hashed(password)


def test_a_password_is_right_or_wrong() -> None:
    kept = passwords.hashed("pässwörd mit ümlaut")
    assert passwords.is_right("pässwörd mit ümlaut", kept)
    assert not passwords.is_right("passwort mit umlaut", kept)
    assert not passwords.is_right("nobody has this password", None)
    assert not passwords.is_right("x", "no hash")
    assert not passwords.is_right("x" * 1_000_000, kept)
