"""Passwords: how they are kept and checked."""

from __future__ import annotations

import pytest
from argon2 import PasswordHasher, extract_parameters
from sqlalchemy import text

from tests.web.site import Browser, LiveSite
from vivavoce.errors import BadInput
from vivavoce.web.database import reading
from vivavoce.web.security import passwords

PASSWORD = "correct horse battery"


def test_passwords_are_kept_as_argon2_hashes(site: LiveSite) -> None:
    Browser(site.url).sign_up("Hashed", "hashed@example.org", PASSWORD)
    with reading(site.engine) as c:
        kept = c.execute(text("SELECT password_hash FROM players WHERE email = 'hashed@example.org'")).scalar_one()
    assert kept.startswith("$argon2id$")
    assert PASSWORD not in kept


def test_who_has_an_account_cannot_be_found_out_by_signing_in(one_server: LiveSite, monkeypatch: pytest.MonkeyPatch) -> None:
    Browser(one_server.url).sign_up("Known", "known@example.org", PASSWORD)
    browser, hasher, compared = Browser(one_server.url), passwords._HASHER, []

    class Watched:
        hash = hasher.hash

        def verify(self, stored: str, password: str) -> bool:
            compared.append(extract_parameters(stored))
            return hasher.verify(stored, password)

    monkeypatch.setattr(passwords, "_HASHER", Watched())
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
