"""What mail says; `{site}` stands for the site's address, which whoever sends it puts in. Nothing of a game is told."""

from __future__ import annotations

from typing import Final, Literal

Occasion = Literal["begun", "turn", "over"]

_SAID: Final[dict[Occasion, tuple[str, str]]] = {
    "begun": ("A game has begun", "Somebody plays with you now. Put your five questions here:"),
    "turn": ("It is your turn", "The other player has made a move, and now it is your turn:"),
    "over": ("Your game is over", "Both of you have guessed. See how it ended:"),
}


def letter(occasion: Occasion, game: str) -> tuple[str, str]:
    """Subject and body.

    >>> letter("turn", "7")[0]
    'It is your turn'
    """
    subject, sentence = _SAID[occasion]
    return subject, f"{sentence}\n\n{{site}}/games/{game}\n\nA game ends if nobody moves for 3 days.\n"
