"""The ways in which mail leaves: nowhere, printed for who develops, or by SMTP."""

from __future__ import annotations

import smtplib
import ssl
import sys
from email.message import EmailMessage
from typing import Final, Protocol
from urllib.parse import urlsplit

from vivavoce.web.settings import MailSettings, Settings

PATIENCE: Final = 15.0
"""Seconds to wait for each word of the mail server; all of them together take less than the outbox lends a mail for."""


class Transport(Protocol):
    """A way for mail to leave."""

    def send(self, message: EmailMessage, recipient: str) -> None:
        """Let it leave. Raises `OSError` (also what SMTP refuses) or `ValueError` for what cannot be a mail."""
        ...

    def close(self) -> None: ...


class Nowhere:
    """Throws mail away, so that none piles up where a site sends none."""

    def send(self, message: EmailMessage, recipient: str) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class Console:
    """Prints mail, for who develops."""

    def send(self, message: EmailMessage, recipient: str) -> None:
        """Print it on standard error."""
        print(f"\n{message.as_string(policy=message.policy.clone(linesep=chr(10)))}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Do nothing."""


class Smtp:
    """One connection to a mail server, opened for the first mail. Without STARTTLS where it is asked for nothing is sent."""

    def __init__(self, settings: MailSettings, *, own_name: str) -> None:
        self._settings = settings
        self._own_name = own_name
        self._server: smtplib.SMTP | None = None

    def send(self, message: EmailMessage, recipient: str) -> None:
        """Hand it to the server."""
        if self._server is None:
            self._server = self._connected()
        self._server.send_message(message, from_addr=self._settings.sender, to_addrs=[recipient])

    def close(self) -> None:
        """Say goodbye, if anybody listens."""
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


def transport_of(settings: Settings) -> Transport:
    """As the operator has decided."""
    match settings.mail.how:
        case "none":
            return Nowhere()
        case "console":
            return Console()
        case "smtp":
            return Smtp(settings.mail, own_name=own_name(settings))


def own_name(settings: Settings) -> str:
    """What the site calls itself to mail servers."""
    host = urlsplit(settings.base_url).hostname or "localhost"
    if ":" in host:
        return f"[IPv6:{host}]"
    return f"[{host}]" if host.replace(".", "").isdigit() else host
