"""Addresses are confirmed and passwords set by who reads the account's mail; each key is good once."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from functools import partial

import pytest
from sqlalchemy import Connection, Engine, select, update

from tests.web.store.at_once import together
from tests.web.store.players import MINUTE, START, account, guest, moves, unconfirmed
from vivavoce.errors import BadInput
from vivavoce.luna.rules import IllegalMove, Phase
from vivavoce.web.database import reading, transaction
from vivavoce.web.store import accounts, mails
from vivavoce.web.store.games import NotYourGame, games_of
from vivavoce.web.store.mails import Mail, prepared
from vivavoce.web.store.moderation import ban
from vivavoce.web.store.moves import make_move
from vivavoce.web.store.people import (
    KEY_LIFE,
    KEY_TRIES,
    MailedKey,
    NameTaken,
    Player,
    Purpose,
    by_email,
    change_settings,
    forget_expired_keys,
    forget_keys,
    new_key,
    open_key,
    open_session,
    player,
    session_player,
)
from vivavoce.web.store.queue import join_queue, sweep
from vivavoce.web.store.site import alone
from vivavoce.web.tables import KEYS, OUTBOX, PLAYERS, SESSIONS


def now_of(c: Connection, registered: Player) -> Player:
    stored = player(c, registered.id)
    assert stored is not None
    return stored


def left(c: Connection, mail: Mail) -> Mail | None:
    return prepared(c, mail, START)


def test_an_address_is_confirmed_once_by_the_key_that_was_mailed_there(c: Connection) -> None:
    ann = unconfirmed(c)
    assert (ann.to_confirm, ann.told_by_mail) == (ann.email, False)
    key = new_key(c, "confirm", ann.id, ann.email or "", START)
    assert accounts.address_of(c, key, START) == (ann, ann.email)
    assert now_of(c, ann) == ann  # to look is not to confirm
    confirmed = accounts.confirm(c, key, START + MINUTE)
    assert confirmed is not None
    assert (confirmed.email, confirmed.email_confirmed) == (ann.email, START + MINUTE)
    assert (confirmed.to_confirm, confirmed.told_by_mail) == (None, True)
    assert accounts.confirm(c, key, START + MINUTE) is None
    assert accounts.address_of(c, key, START + MINUTE) is None


def test_a_new_address_takes_the_place_of_the_old_one_once_it_is_confirmed(c: Connection) -> None:
    ann = account(c)
    wants = accounts.want_address(c, ann, "New@Example.org ")
    assert (wants.email, wants.new_email, wants.to_confirm, wants.told_by_mail) == (
        ann.email, "new@example.org", "new@example.org", True,
    )  # fmt: skip
    old_reset = new_key(c, "reset", ann.id, ann.email or "", START)
    assert accounts.confirm(c, new_key(c, "confirm", ann.id, "new@example.org", START), START + MINUTE)
    changed = now_of(c, ann)
    assert (changed.email, changed.new_email, changed.email_confirmed) == ("new@example.org", None, START + MINUTE)
    assert by_email(c, ann.email or "") is None
    assert accounts.resets(c, old_reset, START + MINUTE) is None  # whoever reads the old mail is not let in


def test_a_key_for_an_address_that_is_not_wanted_any_more_confirms_nothing(c: Connection) -> None:
    ann = unconfirmed(c)
    accounts.want_address(c, ann, "typo@example.org")
    key = new_key(c, "confirm", ann.id, "typo@example.org", START)
    accounts.want_address(c, ann, "right@example.org")
    assert accounts.confirm(c, key, START) is None
    kept = accounts.want_address(c, ann, ann.email or "")
    assert (kept.new_email, kept.to_confirm) == (None, ann.email)


def test_an_address_of_another_account_is_not_given_away(c: Connection) -> None:
    bob = account(c)
    ann = accounts.want_address(c, account(c), bob.email or "")  # nothing is said of bob yet
    with pytest.raises(NameTaken):
        accounts.confirm(c, new_key(c, "confirm", ann.id, bob.email or "", START), START)
    assert now_of(c, ann) == ann
    assert now_of(c, bob) == bob


@pytest.mark.parametrize(
    "email", ["", "ann", "a@b", "a\n@b.c", "' OR 1=1 --", "<script>@b.c", "\ud800@b.c", "x" * 300 + "@b.c"]
)
def test_what_is_no_address_cannot_be_wanted(c: Connection, email: str) -> None:
    ann = account(c)
    with pytest.raises(BadInput, match="NAME@HOST"):
        accounts.want_address(c, ann, email)
    with pytest.raises(BadInput, match="NAME@HOST"):
        accounts.ask_for_reset(c, email, START)
    assert c.execute(select(OUTBOX)).all() == []


def test_a_guest_has_neither_address_nor_password(c: Connection) -> None:
    entry = guest(c)
    with pytest.raises(BadInput):
        accounts.want_address(c, entry, "guest@example.org")
    assert not accounts.ask_to_confirm(c, entry, START)
    assert accounts.password_of(c, entry) is None
    assert not accounts.change_password(c, entry, "$", "$new")
    assert accounts.password_of(c, entry) is None


def test_a_new_password_ends_all_sessions_and_all_else_that_was_begun(c: Connection) -> None:
    for action in ("change", "reset"):
        ann, bob = account(c), account(c)
        tokens = [open_session(c, ann, START) for _ in range(3)]
        his = open_session(c, bob, START)
        key, other = (new_key(c, "reset", ann.id, ann.email or "", START) for _ in range(2))
        accounts.want_address(c, ann, "thief@example.org")  # as someone may have done who knew the old password
        if action == "change":
            assert not accounts.change_password(c, ann, "not the old one", "$new")
            assert accounts.change_password(c, ann, "$", "$new")
        else:
            assert accounts.reset_password(c, key, "$new", START)
        assert accounts.password_of(c, ann) == "$new"
        assert accounts.is_still(c, ann, "$new")
        assert not accounts.is_still(c, ann, "$")
        assert [session_player(c, token, START) for token in (*tokens, his)] == [None, None, None, bob]
        assert [accounts.reset_password(c, name, "$again", START) for name in (key, other)] == [None, None]
        assert now_of(c, ann).new_email is None
        assert accounts.password_of(c, ann) == "$new"


def test_nobody_sets_a_password_by_an_address_that_is_not_confirmed(c: Connection) -> None:
    ann = unconfirmed(c)
    assert accounts.reset_password(c, new_key(c, "reset", ann.id, ann.email or "", START), "$new", START) is None
    assert accounts.password_of(c, ann) == "$"


def test_who_has_left_or_is_banned_gets_nothing_by_a_key(c: Connection) -> None:
    gone, banned = account(c), account(c)
    made = [new_key(c, "reset", entry.id, entry.email or "", START) for entry in (gone, banned)]
    accounts.delete_player(c, gone, START)
    ban(c, banned.id, START)
    assert [accounts.reset_password(c, key, "$new", START) for key in made] == [None, None]
    assert c.execute(select(KEYS.c.player)).scalars().all() == [banned.id]


def test_mail_with_a_key_is_written_when_it_leaves(c: Connection) -> None:
    ann, bob = unconfirmed(c, "Ann <b>Buy at evil.example</b>"), account(c)
    assert accounts.ask_to_confirm(c, ann, START)
    assert not accounts.ask_to_confirm(c, bob, START)
    accounts.ask_for_reset(c, bob.email or "", START)
    accounts.ask_for_reset(c, "nobody@example.org", START)
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
    assert accounts.confirm(c, key, START) is not None
    key = sets.body.partition("{site}/password/new?key=")[2].split()[0]
    assert accounts.reset_password(c, key, "$new", START) is not None


def test_who_forgot_the_password_before_confirming_is_asked_to_confirm_first(c: Connection) -> None:
    ann = unconfirmed(c)
    accounts.ask_for_reset(c, ann.email or "", START)
    (mail,) = mails.due(c, START, 9)
    written = left(c, mail)
    assert written is not None
    assert written.subject == "Confirm your address first"
    assert c.execute(select(KEYS.c.purpose)).scalars().all() == ["confirm"]


def test_mail_that_became_pointless_does_not_leave(c: Connection) -> None:
    ann, bob, cy, dan, eve = (unconfirmed(c) for _ in range(5))
    for entry in (ann, bob, cy, dan, eve):
        accounts.ask_to_confirm(c, entry, START)
    accounts.want_address(c, ann, "ann.new@example.org")  # her old one may still be confirmed
    assert accounts.confirm(c, new_key(c, "confirm", bob.id, bob.email or "", START), START)
    ban(c, cy.id, START)
    c.execute(update(PLAYERS).where(PLAYERS.c.id == dan.id).values(email="elsewhere@example.org"))
    accounts.delete_player(c, eve, START)
    due = {mail.player: mail for mail in mails.due(c, START, 9)}
    assert [entry.id in due for entry in (ann, bob, cy, dan, eve)] == [True, True, True, True, False]
    assert [left(c, due[entry.id]) is not None for entry in (ann, bob, cy, dan)] == [True, False, False, False]


def test_mail_of_games_goes_to_confirmed_addresses_alone(c: Connection) -> None:
    ann, bob, cy, dan = unconfirmed(c), account(c), account(c), account(c)
    for entry in (ann, bob, cy, dan):
        mails.add(c, entry.email or "", "It is your turn", "b", START, player=entry.id)
    change_settings(c, cy, machines_may_step_in=True, mail_on_turn=False)
    accounts.want_address(c, dan, "dan.new@example.org")
    assert accounts.confirm(c, new_key(c, "confirm", dan.id, "dan.new@example.org", START), START)
    assert [left(c, mail) is not None for mail in mails.due(c, START, 9)] == [False, True, False, False]


PURPOSES: tuple[Purpose, ...] = ("confirm", "reset")
ADDRESS = "ann@example.org"


@pytest.mark.parametrize("purpose", PURPOSES)
def test_a_key_opens_what_it_is_for_until_it_expires(engine: Engine, purpose: Purpose) -> None:
    other = PURPOSES[1 - PURPOSES.index(purpose)]
    with transaction(engine) as c:
        ann = account(c)
        key = new_key(c, purpose, ann.id, ADDRESS, START)
        assert open_key(c, purpose, key, START) == MailedKey(ann.id, ADDRESS)
        assert open_key(c, other, key, START) is None
        last = START + KEY_LIFE[purpose] - timedelta(seconds=1)
        assert open_key(c, purpose, key, last) == MailedKey(ann.id, ADDRESS)
        assert open_key(c, purpose, key, last + timedelta(seconds=1)) is None
    assert {"confirm": timedelta(hours=24), "reset": timedelta(hours=1)} == KEY_LIFE
    assert "example" not in repr(MailedKey(ann.id, ADDRESS))


def test_of_its_secret_only_a_hash_is_kept(engine: Engine) -> None:
    with transaction(engine) as c:
        ann = account(c)
        made = {new_key(c, "reset", ann.id, ADDRESS, START) for _ in range(50)}
        kept = repr(c.execute(select(KEYS)).all())
    assert len(made) == 50
    assert {len(key) for key in made} == {80}  # 64 bits to find it by, 256 that are secret, 4 in each digit
    assert not [key for key in made if key[16:] in kept]


def test_a_wrong_secret_is_counted_and_then_even_the_right_one_is_refused(c: Connection) -> None:
    ann = account(c)
    key, other = (new_key(c, "confirm", ann.id, ADDRESS, START) for _ in range(2))
    wrong = key[:16] + other[16:]
    for _ in range(KEY_TRIES - 1):
        assert open_key(c, "confirm", wrong, START) is None
    assert open_key(c, "confirm", key, START) is not None
    assert open_key(c, "confirm", wrong, START) is None
    assert open_key(c, "confirm", key, START) is None
    assert open_key(c, "confirm", other, START) is not None  # each key for itself


STRANGE = ["", "\0", "\ud800", "' OR 1=1 --", "x" * 80, "0" * 79, "0" * 81, "0" * 100_000, "%" * 80, "_" * 80, "\u0661" * 80]


@pytest.mark.parametrize("strange", STRANGE)
def test_what_is_no_key_opens_nothing(c: Connection, strange: str) -> None:
    new_key(c, "reset", account(c).id, ADDRESS, START)
    assert open_key(c, "reset", strange, START) is None
    assert c.execute(select(KEYS.c.tries)).scalars().all() == [0]


def test_keys_are_forgotten(engine: Engine) -> None:
    with transaction(engine) as c:
        ann, bob = account(c), account(c)
        old, hers = new_key(c, "reset", ann.id, ADDRESS, START), new_key(c, "reset", ann.id, ADDRESS, START + 30 * MINUTE)
        his = new_key(c, "confirm", bob.id, "bob@example.org", START)
        assert forget_expired_keys(c, START + 60 * MINUTE) == 1
        assert open_key(c, "reset", old, START) is None
        forget_keys(c, ann.id)
        assert open_key(c, "reset", hers, START) is None
        assert open_key(c, "confirm", his, START) is not None
        sweep(c, START + KEY_LIFE["confirm"])  # as the site does every few seconds
    with reading(engine) as c:
        assert c.execute(select(KEYS)).all() == []


def test_a_key_is_good_once_however_many_use_it_at_once(engine: Engine) -> None:
    with transaction(engine) as c:
        ann = account(c)
        key = new_key(c, "reset", ann.id, ann.email or "", START)

    def use(number: int) -> bool:
        with transaction(engine) as c:
            return accounts.reset_password(c, key, f"${number}", START) is not None

    done = together([partial(use, number) for number in range(8)])
    assert sorted(map(str, done)) == ["False"] * 7 + ["True"]
    with reading(engine) as c:
        assert accounts.password_of(c, ann) == f"${done.index(True)}"


def test_wrong_secrets_are_counted_however_many_are_tried_at_once(engine: Engine) -> None:
    with transaction(engine) as c:
        ann = account(c)
        key = new_key(c, "reset", ann.id, ann.email or "", START)

    def guess(number: int) -> object:
        with transaction(engine) as c:
            return open_key(c, "reset", f"{key[:16]}{number:064x}", START)

    assert together([partial(guess, number) for number in range(8)]) == [None] * 8
    with reading(engine) as c:
        assert c.execute(select(KEYS.c.tries)).scalar_one() == KEY_TRIES


def test_two_accounts_confirm_one_address_at_once(engine: Engine) -> None:
    with transaction(engine) as c:
        both = [accounts.want_address(c, account(c), "wanted@example.org") for _ in range(2)]
        made = [new_key(c, "confirm", entry.id, "wanted@example.org", START) for entry in both]

    def use(key: str) -> bool:
        with transaction(engine) as c:
            return accounts.confirm(c, key, START) is not None

    done = together([partial(use, key) for key in made])
    assert [type(value) for value in done if value is not True] == [NameTaken]
    with reading(engine) as c:
        results = c.execute(select(PLAYERS.c.id).where(PLAYERS.c.email == "wanted@example.org")).scalars().all()
    assert results == [both[done.index(True)].id]


def test_no_session_of_the_old_password_outlives_it(engine: Engine) -> None:
    """Whoever signs in while the password is changed is either signed out by that, or not let in."""
    for _ in range(10):
        with transaction(engine) as c:
            ann = account(c)

        def enter(who: Player = ann) -> None:
            with transaction(engine) as c:
                if accounts.is_still(c, who, "$"):
                    open_session(c, who, START)

        def change(who: Player = ann) -> bool:
            with transaction(engine) as c:
                return accounts.change_password(c, who, "$", "$new")

        assert together([enter, change, enter, enter])[1] is True
        with reading(engine) as c:
            assert c.execute(select(SESSIONS).where(SESSIONS.c.player == ann.id)).all() == []


def one_deed(c: Connection, rng: random.Random, who: Player, now: datetime) -> None:
    match rng.choices(
        ("send", "want", "forget", "use", "password", "delete", "find", "move", "sweep"), (6, 3, 3, 6, 2, 1, 4, 8, 1)
    )[0]:
        case "send":
            for mail in mails.due(c, now, 1):
                prepared(c, mail, now)
                mails.sent(c, mail.id, now)
        case "want":
            accounts.ask_to_confirm(c, accounts.want_address(c, who, f"{rng.randrange(6)}@example.org"), now)
        case "forget":
            accounts.ask_for_reset(c, who.email or "", now)
        case "use":
            alone(c)  # a key is made in the transaction of a mail, and used in another: only here it is the same
            if player(c, who.id) is None:
                return
            if rng.random() < 0.5:
                accounts.confirm(c, new_key(c, "confirm", who.id, who.to_confirm or "", now), now)
            else:
                accounts.reset_password(c, new_key(c, "reset", who.id, who.email or "", now), "$", now)
        case "password":
            accounts.change_password(c, who, "$", "$")
        case "delete":
            accounts.delete_player(c, who, now)
        case "find":
            join_queue(c, who, now)
        case "sweep":
            sweep(c, now)
        case _:
            for game, position in games_of(c, who, now, open_only=True)[:1]:
                if game.awaits(position, now):
                    phase = (Phase.INTERVIEW, Phase.RESPONSE, Phase.GUESS).index(game.phase(now))
                    make_move(c, game.id, who, moves(rng.random() * 100)[phase], now)


@pytest.mark.parametrize("most", [24, pytest.param(60, marks=pytest.mark.slow)])
def test_whatever_happens_at_once_nobody_waits_in_a_circle(engine: Engine, most: int) -> None:
    with transaction(engine) as c:
        people = [unconfirmed(c) if n % 2 else account(c) for n in range(24)]

    def live(seed: int) -> int:
        rng, done = random.Random(seed), 0
        for step in range(most):
            chosen, now = rng.choice(people), START + timedelta(minutes=step)
            with reading(engine) as c:
                who = player(c, chosen.id)
            if who is None:
                continue
            try:
                with transaction(engine) as c:
                    one_deed(c, rng, who, now)
                done += 1
            except (IllegalMove, NotYourGame, BadInput):
                pass  # another one was quicker, or whom it is about has left
        return done

    done = together([partial(live, seed) for seed in range(6)])
    assert all(isinstance(steps, int) and steps > most / 3 for steps in done), done
    with reading(engine) as c:
        gone = select(PLAYERS.c.id).where(PLAYERS.c.left_at.is_not(None))
        assert c.execute(select(KEYS).where(KEYS.c.player.in_(gone))).all() == []
