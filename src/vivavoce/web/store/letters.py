"""What mail says; `{site}` stands for the site's address, which the sender puts in.

Nothing of a game is told, and nothing that somebody wrote: nobody can have us mail their words to strangers.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final, Literal

from sqlalchemy import Connection, select

from vivavoce.luna.rules import TAKEN_OVER
from vivavoce.luna.settings import GameTerms
from vivavoce.web.store import keys, people
from vivavoce.web.store.outbox import Mail
from vivavoce.web.store.people import FIELDS, Player
from vivavoce.web.tables import PLAYERS

Occasion = Literal["begun", "turn", "over", "ended", "taken over"]

CONFIRM: Final = "/account/address/confirm"
"""The page on which an address is confirmed."""
RESET: Final = "/password/new"
"""The page on which a new password is set."""
_SAID: Final[dict[Occasion, tuple[str, str]]] = {
    "begun": ("A game has begun", "Somebody plays with you now. Put your {questions} here:"),
    "turn": ("It is your turn", "The other player has made a move, and now it is your turn:"),
    "over": ("Your game is over", "Both of you have guessed. See how it ended:"),
    "ended": ("Your game has ended", ""),
    "taken over": ("The other player has left", f"{TAKEN_OVER}:"),
}
_CONFIRM: Final = (
    "Confirm your address",
    "Somebody, we hope you, has given this address for an account at {site}. If it was you, open this page within 24 hours and "
    "press its button:",
    "If it was not you, do nothing: then no mail about games comes here.",
)
_CONFIRM_FIRST: Final = (
    "Confirm your address first",
    "Somebody, we hope you, has forgotten the password of the account with this address at {site}. It was never confirmed that "
    "the address is theirs. If it is yours, open this page within 24 hours and press its button, and then ask for a new "
    "password again:",
    "If it was not you, do nothing.",
)
_RESET: Final = (
    "A new password",
    "Somebody, we hope you, has forgotten the password of the account with this address at {site}. If it was you, open this "
    "page within an hour and choose a new one:",
    "If it was not you, do nothing: the password stays as it is.",
)


def letter(occasion: Occasion, game: str, terms: GameTerms, words: str = "") -> tuple[str, str]:
    """Subject and body.

    Parameters
    ----------
    words: why a game has ended without a result.

    >>> letter("turn", "7", GameTerms())[0]
    'It is your turn'
    """
    subject, sentence = _SAID[occasion]
    if occasion == "ended":
        return subject, f"{words}, so the game has no result, and no rating has changed.\n\n{{site}}/games/{game}\n"
    said = sentence.format(questions="question" if terms.questions == 1 else terms.questions_in_words)
    ends = f"This game ends if one of its parts takes longer than {terms.time_in_words}."
    return subject, f"{said}\n\n{{site}}/games/{game}\n\n{ends}\n"


def prepared(c: Connection, mail: Mail, now: datetime) -> Mail | None:
    """The mail as it is to leave, with a new key in it if it brings one; None where it is not wanted any more.

    Whom it is for may have left, stopped mail, or changed the address since it was written. An address that was never confirmed
    gets a key to confirm it in place of one for a new password.
    """
    if mail.purpose is None:
        return mail if mail.player is None or _is_told(people.player(c, mail.player), mail.recipient) else None
    holder = _holder(c, mail)
    if holder is None or holder.banned:
        return None
    if holder.may_confirm(mail.recipient):
        key = keys.make(c, "confirm", holder.id, mail.recipient, now)
        return _with_key(mail, _CONFIRM if mail.purpose == "confirm" else _CONFIRM_FIRST, f"{{site}}{CONFIRM}?key={key}")
    if mail.purpose == "reset" and mail.recipient == holder.email:
        return _with_key(mail, _RESET, f"{{site}}{RESET}?key={keys.make(c, 'reset', holder.id, mail.recipient, now)}")
    return None


def _is_told(player: Player | None, recipient: str) -> bool:
    return player is not None and player.told_by_mail and not player.banned and player.email == recipient


def _holder(c: Connection, mail: Mail) -> Player | None:
    """The account that the mail is about; it cannot leave before the transaction ends."""
    whose = PLAYERS.c.email == mail.recipient if mail.player is None else PLAYERS.c.id == mail.player
    row = c.execute(select(*FIELDS).where(whose, PLAYERS.c.left_at.is_(None)).with_for_update(read=True, key_share=True))
    found = row.one_or_none()
    return None if found is None else people.read(found)


def _with_key(mail: Mail, said: tuple[str, str, str], link: str) -> Mail:
    subject, before, after = said
    return replace(mail, player=None, subject=subject, body=f"{before}\n\n{link}\n\n{after}\n")
