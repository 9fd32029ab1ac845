"""By what a browser is known as a respondent of a survey: random tokens, of which only hashes are kept."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from sqlalchemy import Connection, delete, insert, select

from vivavoce.web.store.sessions import hashed, new_token
from vivavoce.web.tables import RESPONDENT_TOKENS

KEPT: Final = 8
"""Of one respondent, beside the newest. Two pages that open at once get one each, and the browser keeps either."""


def give_token(c: Connection, respondent: str, now: datetime) -> str:
    """A new token of a respondent, which is known to nobody else; of many the oldest is worth nothing any more."""
    mine = RESPONDENT_TOKENS.c.respondent == respondent
    # named one by one: what another process gives out at this moment is not among them
    oldest = select(RESPONDENT_TOKENS.c.token_hash).where(mine).order_by(RESPONDENT_TOKENS.c.made.desc()).offset(KEPT)
    c.execute(delete(RESPONDENT_TOKENS).where(RESPONDENT_TOKENS.c.token_hash.in_(list(c.execute(oldest).scalars()))))
    token = new_token()
    c.execute(insert(RESPONDENT_TOKENS).values(token_hash=hashed(token), respondent=respondent, made=now))
    return token
