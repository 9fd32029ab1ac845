"""A site that sends mail by a real mail server on a loopback port: one server on SQLite, and two on PostgreSQL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from itertools import count
from urllib.parse import urlsplit

import pytest
from sqlalchemy import select

from tests.postgres import fresh_schema
from tests.web.processes import running_processes
from tests.web.site import SECRET, WAYS, LiveSite, ScriptlessBrowser, eventually, forget, running
from tests.web.smtp import Post, post_office
from vivavoce.web.database import reading
from vivavoce.web.mail import send_due
from vivavoce.web.settings import MailSettings, SiteSettings
from vivavoce.web.tables import OUTBOX

PASSWORD = "four words in a row"
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class SiteWithMail:
    """The site, and all that its mail server was given."""

    site: LiveSite
    post: Post

    def browser(self) -> ScriptlessBrowser:
        """A stranger's."""
        return ScriptlessBrowser(self.site.url)

    def account(self, *, confirmed: bool = True) -> tuple[ScriptlessBrowser, str]:
        """Someone with an account that nobody else has: the browser, and the address."""
        number = next(_numbers)
        email = f"somebody{number}@example.org"
        browser = self.browser().sign_up(f"Somebody {number}", email, PASSWORD)
        assert browser.path == "/how-it-works", browser.words
        if confirmed:
            press(browser, self.link(email))
            assert "Your address is confirmed" in browser.words
        return browser, email

    def mails(self, to: str) -> list[EmailMessage]:
        """What has come to this address, now that all that was due has left, in the order in which it was written.

        The site and this test send side by side: what was written later may come first.
        """
        while send_due(self.site.engine, self._settings, self.site.clock).sent:
            pass
        assert eventually(self._all_left)  # what the site itself was about to send
        return sorted((mail for recipient, mail in self.post.got if recipient == to), key=_number)

    def link(self, to: str) -> str:
        """The path of the one link in the last mail to this address."""
        text = self.mails(to)[-1].get_content()
        (link,) = re.findall(r"http\S+\?key=\S+", text)
        address = urlsplit(str(link))
        assert f"{address.scheme}://{address.netloc}" == self.site.url
        return f"{address.path}?{address.query}"

    def _all_left(self) -> bool:
        with reading(self.site.engine) as c:
            return c.execute(select(OUTBOX.c.id).where(OUTBOX.c.due.is_not(None))).first() is None

    @property
    def _settings(self) -> SiteSettings:
        return SiteSettings(database="x", secret=SECRET, base_url=self.site.url, mail=mail_settings(self.post))


def _number(mail: EmailMessage) -> int:
    return int(mail["Message-ID"].strip("<").partition(".")[0])


@contextmanager
def mailing_site(request: pytest.FixtureRequest, factory: pytest.TempPathFactory) -> Iterator[SiteWithMail]:
    """As `request.param` says: "one on SQLite", or "two on PostgreSQL"."""
    folder = factory.mktemp("site")
    with post_office() as post:
        how = mail_settings(post)
        if request.param == "one on SQLite":
            with running(folder, mail=how) as site:
                yield SiteWithMail(site, post)
            return
        given = {f"mail_{name}": str(getattr(how, name)) for name in ("how", "host", "port", "sender")}
        database = fresh_schema(request.getfixturevalue("postgres_server"))
        with running_processes(folder, database, **given, mail_starttls="no") as site:
            yield SiteWithMail(site, post)


def mail_settings(post: Post) -> MailSettings:
    """Of a site whose mail goes there."""
    return MailSettings(how="smtp", host="127.0.0.1", port=post.port, sender="luna@example.org", starttls=False)


def press(browser: ScriptlessBrowser, link: str, **fields: str) -> None:
    """Open the page that a mail names, and press its button."""
    browser.get(link)
    match = re.search(r'name="key" value="([^"]*)"', browser.page)
    if match:
        browser.send(browser.path, {"key": match[1]} | fields)


def forgotten(browser: ScriptlessBrowser, email: str) -> str:
    """Say that the password of this address is forgotten; what the page says."""
    browser.get("/password/forgotten")
    browser.send("/password/forgotten", {"email": email})
    return browser.words


def lets_in(mailing: SiteWithMail, email: str, password: str) -> bool:
    """Whether someone can sign in with these."""
    browser = mailing.browser()
    browser.get("/sign-in")
    browser.send("/sign-in", {"email": email, "password": password})
    return browser.path == "/home"


@pytest.fixture(scope="module", params=WAYS)
def kept_mailing(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteWithMail]:
    """One that answers as long as the tests of a module run."""
    with mailing_site(request, tmp_path_factory) as it:
        yield it


@pytest.fixture
def mailing(kept_mailing: SiteWithMail) -> Iterator[SiteWithMail]:
    """One where nobody has done anything too often, and the clock is right."""
    forget(kept_mailing.site)
    yield kept_mailing
    kept_mailing.site.clock.ahead *= 0
