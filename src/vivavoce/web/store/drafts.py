"""Drafts: what a player has typed and not sent. Of a game that is open in several tabs each tab's text is kept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from vivavoce.errors import BadInput
from vivavoce.luna.settings import GameTerms
from vivavoce.web.store.games import get_ready, load
from vivavoce.web.store.people import Player, is_id
from vivavoce.web.tables import DRAFTS

FIELDS: Final = 32
MOST: Final = 6
"""Texts of one player for one game that differ."""
_LONGEST_NAME: Final = 40


@dataclass(frozen=True, slots=True)
class Draft:
    """What was typed in one tab."""

    fields: Mapping[str, str]
    page: str = ""
    """The tab that it was typed in: a page has another name each time that it is loaded."""

    @property
    def version(self) -> str:
        """What says whether a text is still the one that a page began with; empty where nothing was typed."""
        said = {name: text for name, text in self.fields.items() if text.strip()}
        return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16] if said else ""

    def is_in(self, fields: Mapping[str, str]) -> bool:
        """Whether all of it stands in these, or is gone on with there.

        >>> draft = Draft({"question1": "Why"})
        >>> draft.is_in({"question1": "Why not?"}), draft.is_in({"question1": "Who"})
        (True, False)
        """
        return all(fields.get(name, "").startswith(text.rstrip()) for name, text in self.fields.items())


@dataclass(frozen=True, slots=True)
class Drafts:
    """What a player has typed for one move: the newest text, and others that differ from it."""

    newest: Draft
    others: tuple[Draft, ...] = ()

    def lost_by(self, sent: Draft, based_on: str) -> tuple[Draft, ...]:
        """What would be lost if these fields were sent, and all drafts forgotten."""
        return _others((self.newest, *self.others), sent, based_on)


def longest(terms: GameTerms) -> int:
    """Characters of one field: more than a move takes, for a text may still have to be cut."""
    return 2 * terms.longest_text


def drafts(c: Connection, game_id: str, player: Player) -> Drafts:
    """What the player has typed and not sent; empty where there is nothing, or for a game that is not theirs."""
    kept = _kept(c, game_id, player) if is_id(game_id) else ()
    return Drafts(kept[0], kept[1:]) if kept else Drafts(Draft({}))


def save_draft(
    c: Connection, game_id: str, player: Player, typed: Draft, now: datetime, *, based_on: str = ""
) -> Drafts | None:
    """Keep what a player has typed and not sent; all that is kept now, or None where it came after the move.

    Parameters
    ----------
    based_on: the version of the draft that the page began with; any other text that is kept stays beside this one, unless all
        of it stands in this one.

    Raises `NotYourGame`, and `BadInput` for more than a move can be.
    """
    game, place = load(c, game_id, player, lock=True)
    fields = typed.fields
    most = longest(game.terms)
    if len(fields) > FIELDS or any(len(name) > _LONGEST_NAME or len(text) > most for name, text in fields.items()):
        raise BadInput(f"a draft has {FIELDS} fields of {most} characters at most")
    if not game.awaits(place, now):
        return None
    get_ready(c, game, place, now)
    others = _others(_kept(c, game_id, player), typed, based_on)
    if len(others) >= MOST:
        raise BadInput("this game is open in too many tabs with different texts: throw some of them away first")
    _write(c, game_id, player, (typed, *others), now)
    return Drafts(typed, others)


def take_draft(c: Connection, game_id: str, player: Player, version: str, now: datetime) -> None:
    """Put another text first; nothing happens where there is none of this version. Raises `NotYourGame`."""
    load(c, game_id, player, lock=True)
    kept = _kept(c, game_id, player)
    _write(c, game_id, player, sorted(kept, key=lambda one: one.version != version), now)


def drop_draft(c: Connection, game_id: str, player: Player, version: str, now: datetime) -> None:
    """Throw a text away. Raises `NotYourGame`."""
    load(c, game_id, player, lock=True)
    _write(c, game_id, player, [one for one in _kept(c, game_id, player) if one.version != version], now)


def _others(kept: Sequence[Draft], typed: Draft, based_on: str) -> tuple[Draft, ...]:
    mine = [one.page == typed.page or one.version == based_on or one.is_in(typed.fields) for one in kept]
    return tuple(one for one, known in zip(kept, mine, strict=True) if not known)


def _kept(c: Connection, game_id: str, player: Player) -> tuple[Draft, ...]:
    mine = (DRAFTS.c.game == game_id, DRAFTS.c.player == player.id)
    row: Any = c.execute(select(DRAFTS.c.fields).where(*mine)).scalar_one_or_none()
    return () if row is None else tuple(Draft(one["fields"], one["page"]) for one in row)


def _write(c: Connection, game_id: str, player: Player, kept: Sequence[Draft], now: datetime) -> None:
    said = [{"page": one.page, "fields": dict(one.fields)} for one in kept if one.version]
    if not said:
        c.execute(delete(DRAFTS).where(DRAFTS.c.game == game_id, DRAFTS.c.player == player.id))
        return
    row = {"game": game_id, "player": player.id, "fields": said, "saved": now}
    inserted = (postgres_insert if c.dialect.name == "postgresql" else sqlite_insert)(DRAFTS).values(row)
    c.execute(inserted.on_conflict_do_update(index_elements=["game", "player"], set_={"fields": said, "saved": now}))
