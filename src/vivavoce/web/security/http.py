"""Safe HTTP: limits of request bodies, response headers, signed cookies and CSRF tokens."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Callable
from hashlib import sha256
from typing import Final, Literal
from urllib.parse import urlsplit

from itsdangerous import BadSignature, Signer
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vivavoce.luna.settings import GameTerms
from vivavoce.web.settings import Settings

LEAST: Final = 1_000_000
"""Bytes that are always taken, also for games that began when texts were longer."""
CHARACTER: Final = 12
"""Bytes of one at most, written as %F0%9F%98%80 or \\ud83d\\ude00."""
ROOM: Final = 50_000
"""Bytes for names of fields and what else goes with texts."""
BODY: Final = "vivavoce.body"
"""Where the scope of a request has its body, so that what was typed can be given back whatever goes wrong."""
PATIENCE: Final = 15.0
"""Seconds within which a body must have come."""


def largest(terms: GameTerms) -> int:
    """Bytes of the largest body: a draft, whose texts may be twice as long as in a move.

    >>> largest(GameTerms()), largest(GameTerms(10, 20_000))
    (1000000, 4850000)
    """
    return max(LEAST, 2 * terms.questions * terms.longest_text * CHARACTER + ROOM)


class TooLarge(Exception):
    """The body is larger than any that we would take."""


class ClientGone(Exception):
    """The sender of the body hung up in the middle of it."""


class BodyLimits:
    """Receives the whole body before the application sees it; refuses large and slow bodies.

    Parameters
    ----------
    refuse: the answer for a status: 408 or 413. The connection is then closed, so that the rest of the body is not read as
        the next request.
    largest: bytes of a body, at most.
    """

    def __init__(self, app: ASGIApp, *, refuse: Callable[[Scope, int], Response], patience: float, largest: int) -> None:
        self._app = app
        self._refuse = refuse
        self._patience = patience
        self._largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._patience):
                body = await _whole(scope, receive, self._largest)
        except ClientGone:
            return
        except (TimeoutError, TooLarge) as error:
            response = self._refuse(scope, 413 if isinstance(error, TooLarge) else 408)
            response.headers["Connection"] = "close"
            await response(scope, receive, send)
            return
        scope[BODY] = body
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return messages.pop() if messages else await receive()

        await self._app(scope, replay, send)


async def _whole(scope: Scope, receive: Receive, largest: int) -> bytes:
    """The body. Raises `TooLarge` before it is read to its end."""
    announced = dict(scope["headers"]).get(b"content-length", b"0")
    if len(announced) > len(str(largest)) or int(announced) > largest:
        raise TooLarge
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
        if size > largest:
            raise TooLarge
    return b"".join(parts)


POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""Content security policy: own files only, and no inline script or style."""
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
ONE_YEAR: Final = "max-age=31536000"


class SecurityHeaders:
    """Adds `HEADERS` to each answer, and keeps pages out of shared caches."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        self._https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
                if self._https:
                    headers["Strict-Transport-Security"] = ONE_YEAR
            await send(message)

        await self._app(scope, receive, with_headers)


class HeadRequests:
    """Answers HEAD as GET is answered, without the body; streams, which have no end, are left alone."""

    def __init__(self, app: ASGIApp, *, but: str) -> None:
        self._app = app
        self._but = but

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD" or scope["path"] == self._but:
            await self._app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self._app({**scope, "method": "GET"}, receive, without_body)


DAYS: Final = 60
"""How long a browser is remembered (silver2016, section 6.2.1)."""
LONGEST: Final = 512
"""Characters of a cookie that is looked at."""


class Cookie:
    """One cookie. Where browsers reach the site by https it is sent by nothing else, and belongs to this host alone.

    Parameters
    ----------
    settings: with the secret that signatures are made with; anyone who knows it can forge cookies, though not the
        sessions behind them.
    purpose: what it is for, and for which one, if there are several; its signature holds for no other.
    key: what the signature depends on besides that.
    same_site: when browsers send it along from pages of others: with links (lax), or never (strict).
    """

    def __init__(self, settings: Settings, *purpose: str, key: str = "", same_site: Literal["lax", "strict"] = "lax") -> None:
        self.name: Final = f"{'__Host-' if settings.https else ''}viva_{'_'.join(purpose)}"
        """What the browser calls it."""
        salt = " ".join(("vivavoce cookie", *purpose, *filter(None, [key])))
        self._signer = Signer(settings.secret, salt=salt, key_derivation="hmac", digest_method=sha256)
        self._https = settings.https
        self._same_site = same_site

    def read(self, request: Request) -> str | None:
        """What the cookie says; None where there is none, or one that this site did not sign."""
        value = request.cookies.get(self.name)
        if value is None or len(value) > LONGEST:
            return None
        try:
            return self._signer.unsign(value).decode()
        except (BadSignature, UnicodeError):
            return None

    def write(self, response: Response, value: str, *, days: float = DAYS) -> Response:
        """Have the browser keep this value."""
        seconds, signed = round(days * 24 * 3600), self._signer.sign(value).decode()
        response.set_cookie(self.name, signed, seconds, path="/", secure=self._https, httponly=True, samesite=self._same_site)
        return response

    def clear(self, response: Response) -> None:
        """Have the browser forget it."""
        response.delete_cookie(self.name, path="/", secure=self._https, httponly=True, samesite=self._same_site)


class Cookies:
    """Those of the game."""

    def __init__(self, settings: Settings) -> None:
        self.session: Final = Cookie(settings, "session")
        self.visitor: Final = Cookie(settings, "visitor")
        self.consent: Final = Cookie(settings, "consent")


def new_visitor() -> str:
    """A value that cannot be guessed."""
    return secrets.token_urlsafe(16)


FIELD: Final = "csrf"
"""The form's hidden field."""


def form_token(secret: str, visitor: str, session: str | None) -> str:
    """What a form of this browser must carry; another one after each sign-in and sign-out.

    >>> form_token("secret", "a", None) == form_token("secret", "a", "session")
    False
    """
    message = f"vivavoce form\0{visitor}\0{session or ''}".encode()
    return hmac.new(secret.encode(), message, "sha256").hexdigest()


def is_own_form(given: str, expected: str) -> bool:
    """Whether the form carries the token that it was handed out with."""
    return hmac.compare_digest(given.encode(), expected.encode())


def began_here(request: Request, base_url: str) -> bool:
    """Whether the browser says that the request began on this site; browsers too old to say so are believed.

    Parameters
    ----------
    base_url: how strangers reach the site, where a proxy stands before it and asks by another name.
    """
    origin = request.headers.get("origin")
    if origin is not None:
        own = {request.headers.get("host", ""), urlsplit(base_url).netloc}
        return origin.partition("://")[2] in own - {""}
    return request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
