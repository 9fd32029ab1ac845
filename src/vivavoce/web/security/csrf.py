"""Forms are taken only from our own pages: a token in the form that fits the cookies, and a request that began on our site."""

from __future__ import annotations

import hmac
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request

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
