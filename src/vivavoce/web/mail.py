"""Sending mail: transports, and the task that sends due mails."""

from __future__ import annotations

import logging
import smtplib
import ssl
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256
from typing import Final, Protocol
from urllib.parse import quote, urlsplit

from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy import Engine

from vivavoce.web.database import DatabaseProblem, transaction
from vivavoce.web.settings import MailSettings, SiteSettings
from vivavoce.web.store import mails
from vivavoce.web.store.mails import Mail

PATIENCE: Final = 15.0
"""Seconds to wait for each reply of the mail server; all together take less than the outbox reserves a mail for."""


class Transport(Protocol):
    """A transport of mail."""

    def send(self, message: EmailMessage, recipient: str) -> None:
        """Send it. Raises `OSError` (also what SMTP refuses) or `ValueError` for an invalid mail."""
        ...

    def close(self) -> None: ...


class NoTransport:
    """Discards mail, so that none piles up if a site sends none."""

    def send(self, message: EmailMessage, recipient: str) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class ConsoleTransport(NoTransport):
    """Prints mail, for development."""

    def send(self, message: EmailMessage, recipient: str) -> None:
        """Print it on standard error."""
        print(f"\n{message.as_string(policy=message.policy.clone(linesep=chr(10)))}", file=sys.stderr, flush=True)


class SmtpTransport:
    """One connection to a mail server, opened for the first mail. Nothing is sent if STARTTLS is required and missing."""

    def __init__(self, settings: MailSettings, *, own_name: str) -> None:
        self._settings = settings
        self._own_name = own_name
        self._server: smtplib.SMTP | None = None

    def send(self, message: EmailMessage, recipient: str) -> None:
        """Send it to the server."""
        if self._server is None:
            self._server = self._connected()
        self._server.send_message(message, from_addr=self._settings.sender, to_addrs=[recipient])

    def close(self) -> None:
        """Close the session if the server still listens."""
        server, self._server = self._server, None
        if server is not None:
            try:
                server.quit()
            except OSError:
                server.close()

    def _connected(self) -> smtplib.SMTP:
        settings = self._settings
        server = smtplib.SMTP(settings.host, settings.port, local_hostname=self._own_name, timeout=PATIENCE)
        try:
            if settings.starttls:
                server.starttls(context=ssl.create_default_context())
            if settings.user:
                server.login(settings.user, settings.password)
        except BaseException:
            server.close()
            raise
        return server


def transport_of(settings: SiteSettings) -> Transport:
    """The transport that the operator has chosen."""
    match settings.mail.how:
        case "none":
            return NoTransport()
        case "console":
            return ConsoleTransport()
        case "smtp":
            return SmtpTransport(settings.mail, own_name=own_name(settings))


def own_name(settings: SiteSettings) -> str:
    """The site's name for mail servers."""
    host = urlsplit(settings.base_url).hostname or "localhost"
    if ":" in host:
        return f"[IPv6:{host}]"
    return f"[{host}]" if host.replace(".", "").isdigit() else host


LOOK_EVERY: Final = 5.0
"""Seconds between two checks of the outbox."""
AFTER_TROUBLE: Final = 30.0
"""Seconds until the mail server is tried again after a failed connection."""
AT_ONCE: Final = 100
"""Mails sent over one connection."""
STOP: Final = "/mail/stop"
"""The page that stops mail."""
_LONGEST_TOKEN: Final = 300

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SentMailCounts:
    """The outcomes of the mails that were due."""

    sent: int
    failed: int
    dropped: int
    """Mails that their players no longer want."""
    reachable: bool
    """Whether the mail server could be reached."""


class MailSender:
    """Sends due mail in the background until it is stopped."""

    def __init__(
        self, engine: Engine, settings: SiteSettings, clock: Callable[[], datetime], *, every: float = LOOK_EVERY
    ) -> None:
        self._stopped = threading.Event()
        self._arguments = (engine, settings, clock)
        self._every = every
        # a daemon: a mail server that hangs does not keep the site from stopping
        self._thread = threading.Thread(target=self._run, name="mail", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Start no further mail, and wait a little for the current one."""
        self._stopped.set()
        self._thread.join(2.0)

    def _run(self) -> None:
        engine, settings, clock = self._arguments
        while not self._stopped.is_set():
            pause = self._every
            try:
                if not send_due(engine, settings, clock, stopped=self._stopped.is_set).reachable:
                    pause = AFTER_TROUBLE
            except DatabaseProblem as problem:
                _log.warning("the outbox could not be read: %s", problem)
            except Exception as error:  # a thread that ends would end all mail; what it holds may be secret
                _log.error("mail could not be sent: %s", type(error).__name__)
                pause = AFTER_TROUBLE
            self._stopped.wait(pause)


def send_due(
    engine: Engine, settings: SiteSettings, clock: Callable[[], datetime], *, stopped: Callable[[], bool] = lambda: False
) -> SentMailCounts:
    """Send due mails one after the other; stops early if the mail server can't be reached.

    Each mail has its own transactions, so a slow mail server blocks no one. Raises
    `DatabaseProblem`.
    """
    sent = failed = dropped = 0
    transport = transport_of(settings)
    try:
        while sent + failed + dropped < AT_ONCE and not stopped():
            now = clock()
            with transaction(engine) as c:
                mail = next(iter(mails.due(c, now, 1)), None)
                if mail is None:
                    break
                written = mails.prepared(c, mail, now)
                if written is None:
                    mails.sent(c, mail.id, now)
                    dropped += 1
                    continue
            problem = _problem(transport, written, settings, now)
            with transaction(engine) as c:
                if problem is None:
                    mails.sent(c, mail.id, now)
                    sent += 1
                    continue
                mails.failed(c, mail.id, problem.words, now, final=problem.final)
            failed += 1
            _log.warning("mail %d could not be sent: %s", mail.id, problem.kind)
            if not problem.of_this_mail:
                return SentMailCounts(sent, failed, dropped, reachable=False)
    finally:
        transport.close()
    return SentMailCounts(sent, failed, dropped, reachable=True)


def message_of(mail: Mail, settings: SiteSettings, now: datetime) -> EmailMessage:
    """The mail as it is sent: plain text with the site's address and a link to stop mail (RFC 8058). A mail that is sent again
    has the same Message-ID. Raises `ValueError` for a line break in a header.

    >>> settings = SiteSettings(database="x", secret="s" * 32, base_url="https://luna.example.org")
    >>> mail = Mail(7, "ab12", "ann@example.org", "It is your turn", "{site}/games/1")
    >>> message = message_of(mail, settings, datetime.fromisoformat("2026-06-14T12:00:00Z"))
    >>> message["List-Unsubscribe-Post"], message.get_content().splitlines()[0]
    ('List-Unsubscribe=One-Click', 'https://luna.example.org/games/1')
    """
    message = EmailMessage(policy=SMTP)
    digest = sha256(f"{settings.secret} mail {mail.id}".encode()).hexdigest()[:16]
    message["From"], message["To"], message["Subject"] = settings.mail.sender, mail.recipient, mail.subject
    message["Date"] = format_datetime(now)
    message["Message-ID"] = f"<{mail.id}.{digest}@{own_name(settings)}>"
    message["Auto-Submitted"] = "auto-generated"
    body = mail.body.replace("{site}", settings.base_url)
    if mail.player is not None:
        link = settings.base_url + stop_path(settings.secret, mail.player)
        message["List-Unsubscribe"] = f"<{link}>"
        if link.startswith("https://"):
            message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
        body = f"{body.rstrip()}\n\n-- \nNo more mail from us: {link}\n"
    # unencoded if possible: in raw mail and on the console, links stay in one piece
    message.set_content(body, cte="7bit" if body.isascii() else "quoted-printable")
    return message


def stop_path(secret: str, player: str) -> str:
    """A link to stop mail without signing in; it can do nothing else, and never expires."""
    return f"{STOP}?for={quote(_signer(secret).dumps(player))}"


def player_of(secret: str, token: str) -> str | None:
    """The player whose mail a link stops; None for a link that this site did not make.

    >>> player_of("secret", stop_path("secret", "ab12").partition("=")[2]), player_of("other", "ImFiMTIi.x")
    ('ab12', None)
    """
    if len(token) > _LONGEST_TOKEN:
        return None
    try:
        player = _signer(secret).loads(token)
    except (BadSignature, ValueError):
        return None
    return player if isinstance(player, str) else None


@dataclass(frozen=True, slots=True)
class _Problem:
    words: str
    kind: str
    """Without addresses."""
    of_this_mail: bool
    """Whether other mails may still be sent over this connection."""
    final: bool
    """Whether a retry is useless: the recipient is refused for good, or the mail is invalid."""


def _problem(transport: Transport, mail: Mail, settings: SiteSettings, now: datetime) -> _Problem | None:
    """Why it was not sent; None if it was."""
    refusals = (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError)
    try:
        transport.send(message_of(mail, settings, now), mail.recipient)
    except (OSError, ValueError) as error:  # every SMTPException is an OSError; a bad certificate is both
        of_this_mail = isinstance(error, refusals) or not isinstance(error, OSError)
        return _Problem(f"{type(error).__name__}: {error}", type(error).__name__, of_this_mail, _is_final(error))
    return None


def _is_final(error: OSError | ValueError) -> bool:
    """Status 5xx is permanent, 4xx temporary (RFC 5321); a refused sender is this site's error, and can be fixed."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(code >= 500 for code, _ in error.recipients.values())
    if isinstance(error, smtplib.SMTPDataError):
        return error.smtp_code >= 500
    return not isinstance(error, OSError)


def _signer(secret: str) -> URLSafeSerializer:
    made = {"key_derivation": "hmac", "digest_method": sha256}
    return URLSafeSerializer(secret, salt="vivavoce mail stop", signer_kwargs=made)
