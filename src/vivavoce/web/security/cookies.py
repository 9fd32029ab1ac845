"""The cookies of the site: signed, out of reach of scripts, and no more than two.

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

DAYS: Final = 60
"""How long a browser is remembered (silver2016, section 6.2.1)."""
LONGEST: Final = 512
"""Characters of a cookie that is looked at."""

Purpose = Literal["session", "visitor", "consent"]


class Cookies:
    """Reads and writes the cookies of one site.

    Parameters
    ----------
    secret: what signatures are made with; whoever knows it can forge cookies, though not the sessions behind them.
    https: whether browsers reach the site by https; then cookies are sent by nothing else, and belong to this host alone.
    """

    def __init__(self, secret: str, *, https: bool) -> None:
        self._https = https
        self._signers = {name: Signer(secret, salt=f"vivavoce cookie {name}", key_derivation="hmac", digest_method=sha256)
                         for name in ("session", "visitor", "consent")}  # fmt: skip

    def name(self, purpose: Purpose) -> str:
        """What the browser calls the cookie."""
        return f"{'__Host-' if self._https else ''}viva_{purpose}"

    def read(self, request: Request, purpose: Purpose) -> str | None:
        """What the cookie says; None where there is none, or one that this site did not sign."""
        value = request.cookies.get(self.name(purpose))
        if value is None or len(value) > LONGEST:
            return None
        try:
            return self._signers[purpose].unsign(value).decode()
        except (BadSignature, UnicodeError):
            return None

    def write(self, response: Response, purpose: Purpose, value: str, *, days: float = DAYS) -> None:
        """Have the browser keep this value."""
        response.set_cookie(
            self.name(purpose),
            self._signers[purpose].sign(value).decode(),
            max_age=round(days * 24 * 3600),
            path="/",
            secure=self._https,
            httponly=True,
            samesite="lax",
        )

    def clear(self, response: Response, purpose: Purpose) -> None:
        """Have the browser forget it."""
        response.delete_cookie(self.name(purpose), path="/", secure=self._https, httponly=True, samesite="lax")


def new_visitor() -> str:
    """A value that nobody can guess."""
    return secrets.token_urlsafe(16)
