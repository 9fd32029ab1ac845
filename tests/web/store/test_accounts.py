"""Addresses are confirmed by who reads mail there, passwords set by who knows the old one or reads the account's mail."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import Connection, Engine, select, update

from tests.web.store.players import MINUTE, START, account, guest, unconfirmed
from vivavoce.errors import BadInput
from vivavoce.web.database import transaction
from vivavoce.web.store import mails, tokens
from vivavoce.web.store.accounts import (
    address_of,
    ask_for_reset,
    ask_to_confirm,
    change_password,
    confirm,
    delete_player,
    is_still,
    password_of,
    reset_password,
    resets,
    want_address,
)
from vivavoce.web.store.mails import Mail, prepared
from vivavoce.web.store.moderation import ban
from vivavoce.web.store.people import NameTaken, Player, by_email, change_settings, player
from vivavoce.web.store.tokens import new_key, open_session, session_player
from vivavoce.web.tables import KEYS, OUTBOX, PLAYERS


@pytest.fixture
def c(engine: Engine) -> Iterator[Connection]:
    with transaction(engine) as opened:
        yield opened


def now_of(c: Connection, one: Player) -> Player:
    stored = player(c, one.id)
    assert stored is not None
    return stored


def left(c: Connection, mail: Mail) -> Mail | None:
    return prepared(c, mail, START)


def test_an_address_is_confirmed_once_by_the_key_that_was_mailed_there(c: Connection) -> None:
    ann = unconfirmed(c)
    assert (ann.to_confirm, ann.told_by_mail) == (ann.email, False)
    key = new_key(c, "confirm", ann.id, ann.email or "", START)
    assert address_of(c, key, START) == (ann, ann.email)
    assert now_of(c, ann) == ann  # to look is not to confirm
    confirmed = confirm(c, key, START + MINUTE)
    assert confirmed is not None
    assert (confirmed.email, confirmed.email_confirmed) == (ann.email, START + MINUTE)
    assert (confirmed.to_confirm, confirmed.told_by_mail) == (None, True)
    assert confirm(c, key, START + MINUTE) is None
    assert address_of(c, key, START + MINUTE) is None


def test_a_new_address_takes_the_place_of_the_old_one_once_it_is_confirmed(c: Connection) -> None:
    ann = account(c)
    wants = want_address(c, ann, "New@Example.org ")
    assert (wants.email, wants.new_email, wants.to_confirm, wants.told_by_mail) == (
        ann.email, "new@example.org", "new@example.org", True,
    )  # fmt: skip
    old_reset = new_key(c, "reset", ann.id, ann.email or "", START)
    assert confirm(c, new_key(c, "confirm", ann.id, "new@example.org", START), START + MINUTE)
    changed = now_of(c, ann)
    assert (changed.email, changed.new_email, changed.email_confirmed) == ("new@example.org", None, START + MINUTE)
    assert by_email(c, ann.email or "") is None
    assert resets(c, old_reset, START + MINUTE) is None  # whoever reads the old mail is not let in


def test_a_key_for_an_address_that_is_not_wanted_any_more_confirms_nothing(c: Connection) -> None:
    ann = unconfirmed(c)
    want_address(c, ann, "typo@example.org")
    key = new_key(c, "confirm", ann.id, "typo@example.org", START)
    want_address(c, ann, "right@example.org")
    assert confirm(c, key, START) is None
    kept = want_address(c, ann, ann.email or "")
    assert (kept.new_email, kept.to_confirm) == (None, ann.email)


def test_an_address_of_another_account_is_not_given_away(c: Connection) -> None:
    bob = account(c)
    ann = want_address(c, account(c), bob.email or "")  # nothing is said of bob yet
    with pytest.raises(NameTaken):
        confirm(c, new_key(c, "confirm", ann.id, bob.email or "", START), START)
    assert now_of(c, ann) == ann
    assert now_of(c, bob) == bob


@pytest.mark.parametrize(
    "email", ["", "ann", "a@b", "a\n@b.c", "' OR 1=1 --", "<script>@b.c", "\ud800@b.c", "x" * 300 + "@b.c"]
)
def test_what_is_no_address_cannot_be_wanted(c: Connection, email: str) -> None:
    ann = account(c)
    with pytest.raises(BadInput, match="NAME@HOST"):
        want_address(c, ann, email)
    with pytest.raises(BadInput, match="NAME@HOST"):
        ask_for_reset(c, email, START)
    assert c.execute(select(OUTBOX)).all() == []


def test_a_guest_has_neither_address_nor_password(c: Connection) -> None:
    entry = guest(c)
    with pytest.raises(BadInput):
        want_address(c, entry, "guest@example.org")
    assert not ask_to_confirm(c, entry, START)
    assert password_of(c, entry) is None
    assert not change_password(c, entry, "$", "$new")
    assert password_of(c, entry) is None


def test_a_new_password_ends_all_sessions_and_all_else_that_was_begun(c: Connection) -> None:
    for way in ("change", "reset"):
        ann, bob = account(c), account(c)
        tokens = [open_session(c, ann, START) for _ in range(3)]
        his = open_session(c, bob, START)
        key, other = (new_key(c, "reset", ann.id, ann.email or "", START) for _ in range(2))
        want_address(c, ann, "thief@example.org")  # as somebody may have done who knew the old password
        if way == "change":
            assert not change_password(c, ann, "not the old one", "$new")
            assert change_password(c, ann, "$", "$new")
        else:
            assert reset_password(c, key, "$new", START)
        assert password_of(c, ann) == "$new"
        assert is_still(c, ann, "$new")
        assert not is_still(c, ann, "$")
        assert [session_player(c, token, START) for token in (*tokens, his)] == [None, None, None, bob]
        assert [reset_password(c, name, "$again", START) for name in (key, other)] == [None, None]
        assert now_of(c, ann).new_email is None
        assert password_of(c, ann) == "$new"


def test_a_key_for_a_password_expires(c: Connection) -> None:
    ann = account(c)
    key = new_key(c, "reset", ann.id, ann.email or "", START)
    assert resets(c, key, START + 59 * MINUTE) == ann
    assert reset_password(c, key, "$new", START + 60 * MINUTE) is None
    assert password_of(c, ann) == "$"


def test_one_key_is_not_good_for_the_other_purpose(c: Connection) -> None:
    ann = want_address(c, account(c), "new@example.org")
    assert confirm(c, new_key(c, "reset", ann.id, "new@example.org", START), START) is None
    assert reset_password(c, new_key(c, "confirm", ann.id, ann.email or "", START), "$new", START) is None


def test_nobody_sets_a_password_by_an_address_that_is_not_confirmed(c: Connection) -> None:
    ann = unconfirmed(c)
    assert reset_password(c, new_key(c, "reset", ann.id, ann.email or "", START), "$new", START) is None
    assert password_of(c, ann) == "$"


def test_who_has_left_or_is_banned_gets_nothing_by_a_key(c: Connection) -> None:
    gone, banned = account(c), account(c)
    made = [new_key(c, "reset", entry.id, entry.email or "", START) for entry in (gone, banned)]
    delete_player(c, gone, START)
    ban(c, banned.id, START)
    assert [reset_password(c, key, "$new", START) for key in made] == [None, None]
    assert c.execute(select(KEYS.c.player)).scalars().all() == [banned.id]


def test_mail_with_a_key_is_written_when_it_leaves(c: Connection) -> None:
    ann, bob = unconfirmed(c, "Ann <b>Buy at evil.example</b>"), account(c)
    assert ask_to_confirm(c, ann, START)
    assert not ask_to_confirm(c, bob, START)
    ask_for_reset(c, bob.email or "", START)
    ask_for_reset(c, "nobody@example.org", START)
    assert c.execute(select(OUTBOX.c.subject, OUTBOX.c.body)).all() == [("", "")] * 3
    assert c.execute(select(KEYS)).all() == []
    first, second, third = mails.due(c, START, 9)
    confirms, sets = left(c, first), left(c, second)
    assert confirms is not None
    assert sets is not None
    assert left(c, third) is None  # of this nobody hears
    assert (confirms.subject, confirms.recipient, confirms.player) == ("Confirm your address", ann.email, None)
    assert (sets.subject, sets.recipient, sets.player) == ("A new password", bob.email, None)
    assert "evil.example" not in confirms.body  # nobody has us mail their words to strangers
    key = confirms.body.partition("{site}/account/address/confirm?key=")[2].split()[0]
    assert confirm(c, key, START) is not None
    key = sets.body.partition("{site}/password/new?key=")[2].split()[0]
    assert reset_password(c, key, "$new", START) is not None


def test_who_forgot_the_password_before_confirming_is_asked_to_confirm_first(c: Connection) -> None:
    ann = unconfirmed(c)
    ask_for_reset(c, ann.email or "", START)
    (mail,) = mails.due(c, START, 9)
    written = left(c, mail)
    assert written is not None
    assert written.subject == "Confirm your address first"
    assert c.execute(select(KEYS.c.purpose)).scalars().all() == ["confirm"]


def test_mail_that_became_pointless_does_not_leave(c: Connection) -> None:
    ann, bob, cy, dan, eve = (unconfirmed(c) for _ in range(5))
    for entry in (ann, bob, cy, dan, eve):
        ask_to_confirm(c, entry, START)
    want_address(c, ann, "ann.new@example.org")  # her old one may still be confirmed
    assert confirm(c, new_key(c, "confirm", bob.id, bob.email or "", START), START)
    ban(c, cy.id, START)
    c.execute(update(PLAYERS).where(PLAYERS.c.id == dan.id).values(email="elsewhere@example.org"))
    delete_player(c, eve, START)
    due = {mail.player: mail for mail in mails.due(c, START, 9)}
    assert [entry.id in due for entry in (ann, bob, cy, dan, eve)] == [True, True, True, True, False]
    assert [left(c, due[entry.id]) is not None for entry in (ann, bob, cy, dan)] == [True, False, False, False]


def test_mail_of_games_goes_to_confirmed_addresses_alone(c: Connection) -> None:
    ann, bob, cy, dan = unconfirmed(c), account(c), account(c), account(c)
    for entry in (ann, bob, cy, dan):
        mails.add(c, entry.email or "", "It is your turn", "b", START, player=entry.id)
    change_settings(c, cy, machines_may_step_in=True, mail_on_turn=False)
    want_address(c, dan, "dan.new@example.org")
    assert confirm(c, new_key(c, "confirm", dan.id, "dan.new@example.org", START), START)
    assert [left(c, mail) is not None for mail in mails.due(c, START, 9)] == [False, True, False, False]


def test_keys_that_nobody_used_are_swept_away(c: Connection) -> None:
    ann = unconfirmed(c)
    new_key(c, "confirm", ann.id, ann.email or "", START)
    assert tokens.forget_expired_keys(c, START + timedelta(hours=24)) == 1
    assert now_of(c, ann).to_confirm == ann.email  # and may ask for another
