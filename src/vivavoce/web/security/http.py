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
from vivavoce.web.settings import SiteSettings

LEAST: Final = 1_000_000
"""Bytes that are always accepted, also for games that started with longer texts."""
CHARACTER: Final = 12
"""Most bytes of a character, written as %F0%9F%98%80 or \ud83d\ude00."""
ROOM: Final = 50_000
"""Bytes for field names and everything besides texts."""
BODY: Final = "vivavoce.body"
"""Key in a request's scope for its body, so that typed text can be given back after an error."""
PATIENCE: Final = 15.0
"""Seconds within which a body must arrive."""


def largest(terms: GameTerms) -> int:
    """Bytes of the largest body: a draft, whose texts may be twice as long as in a move.

    >>> largest(GameTerms()), largest(GameTerms(10, 20_000))
    (1000000, 4850000)
    """
    return max(LEAST, 2 * terms.questions * terms.longest_text * CHARACTER + ROOM)


class TooLarge(Exception):
    """The body is larger than the limit."""


class ClientGone(Exception):
    """The client disconnected before the end of the body."""


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
    """Answers HEAD like GET, without the body; streams, which have no end, are left alone."""

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
"""Characters of a cookie that are read."""


class Cookie:
    """One cookie. If the site uses https, browsers send it only over https and only to this host.

    Parameters
    ----------
    settings: with the secret that signatures are made with; anyone who knows it can forge cookies, though not the sessions
    behind them.
    purpose: what it is for, and for which one, if there are several; its signature is valid for no other.
    key: what else the signature depends on.
    same_site: when browsers send it from other sites' pages: with links (lax), or never (strict).
    """

    def __init__(
        self, settings: SiteSettings, *purpose: str, key: str = "", same_site: Literal["lax", "strict"] = "lax"
    ) -> None:
        self.name: Final = f"{'__Host-' if settings.https else ''}viva_{'_'.join(purpose)}"
        """Name of the cookie in the browser."""
        salt = " ".join(("vivavoce cookie", *purpose, *filter(None, [key])))
        self._signer = Signer(settings.secret, salt=salt, key_derivation="hmac", digest_method=sha256)
        self._https = settings.https
        self._same_site = same_site

    def read(self, request: Request) -> str | None:
        """The value of the cookie; None without a cookie, or with one that this site did not sign."""
        value = request.cookies.get(self.name)
        if value is None or len(value) > LONGEST:
            return None
        try:
            return self._signer.unsign(value).decode()
        except (BadSignature, UnicodeError):
            return None

    def write(self, response: Response, value: str, *, days: float = DAYS) -> Response:
        """Set the cookie to this value."""
        seconds, signed = round(days * 24 * 3600), self._signer.sign(value).decode()
        response.set_cookie(self.name, signed, seconds, path="/", secure=self._https, httponly=True, samesite=self._same_site)
        return response

    def clear(self, response: Response) -> None:
        """Delete the cookie."""
        response.delete_cookie(self.name, path="/", secure=self._https, httponly=True, samesite=self._same_site)


class Cookies:
    """Cookies of the game."""

    def __init__(self, settings: SiteSettings) -> None:
        self.session: Final = Cookie(settings, "session")
        self.visitor: Final = Cookie(settings, "visitor")
        self.consent: Final = Cookie(settings, "consent")


def new_visitor() -> str:
    """A value that cannot be guessed."""
    return secrets.token_urlsafe(16)


FIELD: Final = "csrf"
"""Name of the hidden field in forms."""


def form_token(secret: str, visitor: str, session: str | None) -> str:
    """The token of this browser's forms; it changes at each sign-in and sign-out.

    >>> form_token("secret", "a", None) == form_token("secret", "a", "session")
    False
    """
    message = f"vivavoce form\0{visitor}\0{session or ''}".encode()
    return hmac.new(secret.encode(), message, "sha256").hexdigest()


def is_own_form(given: str, expected: str) -> bool:
    """Whether the form carries the token that it was issued with."""
    return hmac.compare_digest(given.encode(), expected.encode())


def began_here(request: Request, base_url: str) -> bool:
    """Whether the browser says that the request comes from this site; browsers too old to say so are trusted.

    Parameters
    ----------
    base_url: the public address, in case a proxy in front uses another name.
    """
    origin = request.headers.get("origin")
    if origin is not None:
        own = {request.headers.get("host", ""), urlsplit(base_url).netloc}
        return origin.partition("://")[2] in own - {""}
    return request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
