"""The cookies of the site: signed, out of reach of scripts, and no more than are needed.

The session cookie names a row that can be revoked; the visitor cookie names nobody and only binds forms to a browser. The
signature lets a forged cookie be refused without asking the database.
"""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Final, Literal

from itsdangerous import BadSignature, Signer
from starlette.requests import Request
from starlette.responses import Response

from vivavoce.web.settings import Settings

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
    """A value that nobody can guess."""
    return secrets.token_urlsafe(16)
