"""A mail server on a loopback port that can be made to misbehave (RFC 5321 and 3207), and sites that send mail by it."""

from __future__ import annotations

import asyncio
import re
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from itertools import count
from pathlib import Path
from threading import Event, Thread
from urllib.parse import urlsplit

import pytest
from sqlalchemy import select

from tests.postgres import fresh_schema
from tests.web.processes import running_processes
from tests.web.site import PASSWORD, SECRET, WAYS, LiveSite, ScriptlessBrowser, eventually, forget, running
from vivavoce.web.database import reading
from vivavoce.web.mail import send_due
from vivavoce.web.settings import MailSettings, SiteSettings
from vivavoce.web.tables import OUTBOX


@dataclass
class Post:
    """What the server does, and what it has been given."""

    refused: set[str] = field(default_factory=set)
    """Recipients."""
    refusal: str = "450 mailbox busy"
    """What is said of them."""
    silent: bool = False
    """Say nothing, not even hello."""
    hang_up_at: str = ""
    """The command at which the connection is closed."""
    tls: ssl.SSLContext | None = None
    port: int = 0
    got: list[tuple[str, EmailMessage]] = field(default_factory=list)
    """Recipient and mail."""
    raw: list[bytes] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    connections: int = 0
    encrypted: list[bool] = field(default_factory=list)


class _Session:
    def __init__(self, post: Post, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.post, self.reader, self.writer = post, reader, writer
        self.recipient = ""
        self.encrypted = False

    async def say(self, line: str) -> None:
        self.writer.write(line.encode() + b"\r\n")
        await self.writer.drain()

    async def run(self) -> None:
        self.post.connections += 1
        if self.post.silent:
            await self.reader.read()
            return
        await self.say("220 here")
        while line := await self.reader.readline():
            command = line.decode().strip()
            self.post.commands.append(command)
            verb = command.partition(" ")[0].upper()
            if verb == self.post.hang_up_at:
                return
            if verb == "QUIT":
                await self.say("221 bye")
                return
            await self.obey(verb, command)

    async def obey(self, verb: str, command: str) -> None:
        match verb:
            case "EHLO":
                offers_tls = self.post.tls is not None and not self.encrypted
                await self.say("250-here\r\n250 STARTTLS" if offers_tls else "250 here")
            case "STARTTLS" if self.post.tls is not None:
                await self.say("220 go on")
                await self.writer.start_tls(self.post.tls)
                self.encrypted = True
            case "RCPT":
                self.recipient = command.partition("<")[2].partition(">")[0]
                refused = self.recipient in self.post.refused
                await self.say(self.post.refusal if refused else "250 ok")
            case "DATA":
                await self.say("354 go on")
                text = await self.reader.readuntil(b"\r\n.\r\n")
                self.post.raw.append(text)
                message = message_from_bytes(text[:-3].replace(b"\r\n..", b"\r\n."), policy=default)
                self.post.got.append((self.recipient, message))
                self.post.encrypted.append(self.encrypted)
                await self.say("250 ok")
            case "MAIL" | "RSET":
                await self.say("250 ok")
            case _:
                await self.say("502 not here")


@contextmanager
def post_office(post: Post | None = None) -> Iterator[Post]:
    """A mail server that runs."""
    post = post or Post()
    ready, ends, loops = Event(), asyncio.Event(), []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                await _Session(post, reader, writer).run()
        finally:  # also where the server ends in the middle of it
            writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async def main() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        post.port = server.sockets[0].getsockname()[1]
        loops.append(asyncio.get_running_loop())
        ready.set()
        await ends.wait()
        server.close()

    thread = Thread(target=lambda: asyncio.run(main()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield post
    finally:
        loops[0].call_soon_threadsafe(ends.set)
        thread.join(10)


def certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate for localhost, made by Debian's openssl, and what a server needs to show it."""
    key, own = folder / "key.pem", folder / "own.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run([*command.split(), "-keyout", key, "-out", own], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own, key)
    return own, context


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
    browser.submit("/password/forgotten", {"email": email})
    return browser.words


def lets_in(mailing: SiteWithMail, email: str, password: str) -> bool:
    """Whether someone can sign in with these."""
    browser = mailing.browser()
    browser.submit("/sign-in", {"email": email, "password": password})
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
