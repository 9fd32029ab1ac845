"""Why a game has ended without a result, in words for one of its players."""

from __future__ import annotations

from typing import Final

from vivavoce.luna.rules import Ended, Game, Place, Reason

Words = tuple[str, str, str]
"""For who did it, for the other player, and for both where both did."""

_SAID: Final[dict[Reason | None, Words]] = {
    "resigned": ("You resigned", "The other player has resigned", "This game was given up"),
    "left": ("You have left the site", "The other player has left the site", "Both players have left the site"),
    "banned": ("The operator has closed this game",) * 3,
    "not ready": ("You were not there", "The other player was not there", "You were not there"),
    "time": (
        "The time ran out: you had not {moved}",
        "The time ran out: the other player had not {moved}",
        "The time ran out: neither of you had {moved}",
    ),
    None: ("This game has ended without a result",) * 3,
}
TAKEN_OVER: Final = "The other player has left. A machine plays on in their place"
PLAYED_ON: Final = "A machine plays on in your place"


def in_words(game: Game, ended: Ended, place: Place) -> str:
    """What the player at this place is told, without a full stop.

    >>> from datetime import UTC, datetime
    >>> from vivavoce.luna.rules import Seat
    >>> game = Game("1", (Seat("ann", True), Seat("bob", True)), datetime(2026, 1, 1, tzinfo=UTC))
    >>> in_words(game, Ended("resigned", 0), 0), in_words(game, Ended("resigned", 0), 1)
    ('You resigned', 'The other player has resigned')
    >>> in_words(game, Ended("time", 1), 0)
    'The time ran out: the other player had not asked'
    """
    own, other, both = _SAID[ended.reason]
    said = both if ended.by is None else own if ended.by == place else other
    return said.format(moved=_what_was_due(game))


def _what_was_due(game: Game) -> str:
    if any(seat.questions is None for seat in game.seats):
        return "asked"
    return "answered" if any(seat.answers is None for seat in game.seats) else "guessed"


def is_by(ended: Ended, place: Place) -> bool:
    """Whether it was this player, alone or with the other.

    >>> is_by(Ended("time", None), 0), is_by(Ended("time", 1), 0), is_by(Ended(None, None), 0)
    (True, False, False)
    """
    return ended.reason is not None and ended.by in (None, place)
