"""Mail leaves once, by a real server on a loopback port that may be down, slow or picky; its link alone can stop it."""

from __future__ import annotations

import logging
import re
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from socket import create_server
from typing import Any

import httpx
import pytest
from sqlalchemy import Engine, select, update

from tests.web.mailing import Post, certificate, post_office
from tests.web.site import PATIENT, PLAIN, SECRET, ScriptlessBrowser, eventually, guest_of, running
from tests.web.store.players import MINUTE, START, account
from vivavoce.web import mail
from vivavoce.web.database import migrate, open_database, reading, transaction
from vivavoce.web.mail import message_of, player_of, send_due, stop_path
from vivavoce.web.settings import MailSettings, SiteSettings
from vivavoce.web.store import mails, people
from vivavoce.web.store.mails import Mail
from vivavoce.web.tables import OUTBOX, PLAYERS

SITE = "https://luna.example.org"


@pytest.fixture
def post() -> Iterator[Post]:
    with post_office() as running:
        yield running


def settings_of(post: Post, **more: Any) -> SiteSettings:
    given: dict[str, Any] = {
        "how": "smtp",
        "host": "127.0.0.1",
        "port": post.port,
        "sender": "luna@example.org",
        "starttls": False,
    } | more
    return SiteSettings(database="x", secret=SECRET, base_url=SITE, mail=MailSettings(**given))


def written(engine: Engine, *recipients: str, player: str | None = None) -> None:
    with transaction(engine) as c:
        for to in recipients:
            mails.add(c, to, "It is your turn", "Go to {site}/games/1\n\n.\nend", START, player=player)


def state(engine: Engine) -> list[tuple[str, bool, str | None]]:
    with reading(engine) as c:
        rows = c.execute(select(OUTBOX.c.recipient, OUTBOX.c.sent.is_not(None), OUTBOX.c.error).order_by(OUTBOX.c.id))
        return [(row[0], bool(row[1]), row[2]) for row in rows]


def test_mail_arrives_as_it_was_written(engine: Engine, post: Post) -> None:
    with transaction(engine) as c:
        ann = account(c)
    written(engine, ann.email or "", player=ann.id)
    written(engine, "bob@example.org")
    assert send_due(engine, settings_of(post), lambda: START) == mail.SentMailCounts(2, 0, 0, reachable=True)
    assert post.connections == 1
    assert [to for to, _ in post.got] == [ann.email, "bob@example.org"]
    message = post.got[0][1]
    link = SITE + stop_path(SECRET, ann.id)
    assert (message["From"], message["To"], message["Subject"]) == ("luna@example.org", ann.email, "It is your turn")
    assert message.get_content_type() == "text/plain"
    assert (
        message.get_content().replace("\r\n", "\n") == f"Go to {SITE}/games/1\n\n.\nend\n\n-- \nNo more mail from us: {link}\n"
    )
    assert (message["List-Unsubscribe"], message["List-Unsubscribe-Post"]) == (f"<{link}>", "List-Unsubscribe=One-Click")
    assert str(message["Date"]) == "Sun, 14 Jun 2026 12:00:00 +0000"
    assert message["Auto-Submitted"] == "auto-generated"
    assert [row[1:] for row in state(engine)] == [(True, None), (True, None)]
    assert send_due(engine, settings_of(post), lambda: START + timedelta(days=1)).sent == 0


def test_a_refused_recipient_keeps_nobody_else_waiting(engine: Engine, post: Post) -> None:
    post.refused = {"bob@example.org"}
    written(engine, "ann@example.org", "bob@example.org", "cy@example.org")
    assert send_due(engine, settings_of(post), lambda: START) == mail.SentMailCounts(2, 1, 0, reachable=True)
    assert post.connections == 1
    rows = state(engine)
    assert [row[1] for row in rows] == [True, False, True]
    assert "450" in (rows[1][2] or "")
    post.refused = set()
    assert send_due(engine, settings_of(post), lambda: START + 4 * MINUTE).sent == 0
    assert send_due(engine, settings_of(post), lambda: START + 5 * MINUTE).sent == 1


def test_a_recipient_refused_for_good_is_not_tried_again(engine: Engine, post: Post) -> None:
    post.refused, post.refusal = {"bob@example.org"}, "550 no such user here"
    written(engine, "bob@example.org", "cy@example.org")
    assert send_due(engine, settings_of(post), lambda: START) == mail.SentMailCounts(1, 1, 0, reachable=True)
    post.refused = set()
    assert send_due(engine, settings_of(post), lambda: START + 10_000 * MINUTE) == mail.SentMailCounts(0, 0, 0, reachable=True)
    assert "550" in (state(engine)[0][2] or "")


def test_a_server_that_is_down(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    written(engine, "ann@example.org", "bob@example.org")
    with caplog.at_level(logging.INFO):
        counts = send_due(engine, settings_of(Post(port=port), password="hunter2"), lambda: START)
    # one is tried, the other waits unharmed
    assert counts == mail.SentMailCounts(0, 1, 0, reachable=False)
    assert "ConnectionRefusedError" in caplog.text
    assert "example.org" not in caplog.text + str(state(engine)[0][2])
    assert state(engine)[1][2] is None


def test_a_server_that_says_nothing(engine: Engine, post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    assert mail.PATIENCE == 15
    monkeypatch.setattr(mail, "PATIENCE", 0.5)
    post.silent = True
    written(engine, "ann@example.org")
    began = time.monotonic()
    assert not send_due(engine, settings_of(post), lambda: START).reachable
    assert time.monotonic() - began < 14
    assert "timed out" in str(state(engine)[0][2])


@pytest.mark.parametrize("command", ["EHLO", "MAIL", "RCPT", "DATA"])
def test_a_server_that_hangs_up(engine: Engine, post: Post, command: str) -> None:
    post.hang_up_at = command
    written(engine, "ann@example.org")
    assert not send_due(engine, settings_of(post), lambda: START).reachable
    post.hang_up_at = ""
    assert send_due(engine, settings_of(post), lambda: START + 5 * MINUTE).sent == 1
    assert len(post.got) == 1


def test_without_starttls_nothing_is_said(engine: Engine, post: Post) -> None:
    written(engine, "ann@example.org")
    counts = send_due(engine, settings_of(post, starttls=True, user="luna", password="hunter2"), lambda: START)
    assert not counts.reachable
    assert [command.partition(" ")[0].upper() for command in post.commands] == ["EHLO"]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs Debian's openssl")
def test_starttls_with_a_certificate_that_is_trusted_or_not(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, context = certificate(tmp_path)
    written(engine, "ann@example.org")
    with post_office(Post(tls=context)) as post:
        settings = settings_of(post, host="localhost", starttls=True)
        assert not send_due(engine, settings, lambda: START).reachable
        assert "CERTIFICATE_VERIFY_FAILED" in str(state(engine)[0][2])
        monkeypatch.setenv("SSL_CERT_FILE", str(own))
        assert send_due(engine, settings, lambda: START + 5 * MINUTE).sent == 1
        assert post.encrypted == [True]


def test_several_senders_send_each_mail_once(engine: Engine, post: Post) -> None:
    written(engine, *(f"p{number}@example.org" for number in range(30)))
    with ThreadPoolExecutor(4) as pool:
        rounds = list(pool.map(lambda _: send_due(engine, settings_of(post), lambda: START), range(4)))
    assert sum(counts.sent for counts in rounds) == 30
    assert sorted(to for to, _ in post.got) == sorted(f"p{number}@example.org" for number in range(30))


def test_mail_that_nobody_wants_any_more_is_dropped(engine: Engine, post: Post) -> None:
    with transaction(engine) as c:
        ann, bob, cy = account(c), account(c), account(c)
        for player in (ann, bob, cy):
            mails.add(c, player.email or "", "s", "b", START, player=player.id)
        people.change_settings(c, ann, machines_may_step_in=True, mail_on_turn=False)
        c.execute(update(PLAYERS).where(PLAYERS.c.id == bob.id).values(banned=True))
    assert send_due(engine, settings_of(post), lambda: START) == mail.SentMailCounts(1, 0, 2, reachable=True)
    assert [to for to, _ in post.got] == [cy.email]


def test_headers_cannot_be_smuggled_in(engine: Engine, post: Post) -> None:
    with transaction(engine) as c:
        mails.add(c, "ann@example.org", "Hello\r\nBcc: eve@example.org", "b", START)
        mails.add(c, "ann@example.org\r\nRCPT TO:<eve@example.org>", "s", "b", START)
        mails.add(c, "bob@example.org", "s", "From here\n.\r\nMAIL FROM:<x>\n{site}{0}{secret}\n", START)
    assert send_due(engine, settings_of(post), lambda: START) == mail.SentMailCounts(1, 2, 0, reachable=True)
    assert [to for to, _ in post.got] == ["bob@example.org"]
    assert "eve" not in " ".join(post.commands)
    assert "{0}{secret}" in post.got[0][1].get_content()


def test_a_mail_that_is_sent_again_can_be_told(engine: Engine) -> None:
    settings = settings_of(Post())
    message, again = (message_of(Mail(7, None, "a@b.org", "s", "b"), settings, START + n * MINUTE) for n in range(2))
    assert message["Message-ID"] == again["Message-ID"]
    assert message["Message-ID"] != message_of(Mail(8, None, "a@b.org", "s", "b"), settings, START)["Message-ID"]
    assert (
        message_of(Mail(7, "x", "a@b.org", "s", "b"), replace(settings, base_url="http://x.org"), START)[
            "List-Unsubscribe-Post"
        ]
        is None
    )


def test_where_no_mail_is_wanted_none_piles_up(engine: Engine) -> None:
    written(engine, "ann@example.org")
    send_due(engine, settings_of(Post(), how="none"), lambda: START)
    assert send_due(engine, settings_of(Post(), how="none"), lambda: START + timedelta(days=1)).sent == 0


def test_console(engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    written(engine, "ann@example.org")
    assert send_due(engine, settings_of(Post(), how="console"), lambda: START).sent == 1
    assert f"Go to {SITE}/games/1" in capsys.readouterr().err
    with transaction(engine) as c:
        mails.add(c, account(c).email or "", "", "", START, purpose="reset")
    assert send_due(engine, settings_of(Post(), how="console"), lambda: START).sent == 1
    assert re.search(rf"^{SITE}/password/new\?key=[0-9a-f]{{80}}$", capsys.readouterr().err, re.M)  # in one piece


def test_links_hold_for_one_player_of_one_site() -> None:
    token = stop_path(SECRET, "ab12").partition("=")[2]
    assert player_of(SECRET, token) == "ab12"
    for other in ("", token[:-1], "x" + token, token * 9, "ImFiMTIi", "\x00", "é"):
        assert player_of(SECRET, other) is None
    assert player_of(SECRET + "x", token) is None


@pytest.mark.long
def test_a_whole_site_sends_and_stops(tmp_path: Path, post: Post) -> None:
    how = settings_of(post).mail
    with running(tmp_path, mail=how) as site:
        ann = ScriptlessBrowser(site.url).sign_up("Ann", "ann@example.org", "a few words in a row")
        assert eventually(lambda: bool(post.got))
        with transaction(site.engine) as c:
            c.execute(update(PLAYERS).values(email_confirmed=START))
        post.got.clear()
        bob = guest_of(site)
        ann.start()
        game = bob.begin_game()
        ann.ask(game)
        site.clock.ahead = timedelta(hours=1)  # ann is not here any more, and is told by mail
        bob.ask(game)
        assert eventually(lambda: bool(post.got))
        to, message = post.got[0]
        assert to == "ann@example.org"
        assert f"{site.url}/games/" in message.get_content()
        link = str(message["List-Unsubscribe"]).strip("<>")
        with httpx.Client(timeout=PATIENT, verify=PLAIN) as client:  # neither cookie nor form of ours
            assert "Send me no more mail" in client.get(link).text
            with reading(site.engine) as c:
                assert c.execute(select(PLAYERS.c.mail_on_turn).where(PLAYERS.c.name == "Ann")).scalar_one()
            done = client.post(link, data={"List-Unsubscribe": "One-Click"})
            assert (done.status_code, "We will not write to you again" in done.text) == (200, True)
            assert client.post(link, files={"List-Unsubscribe": (None, "One-Click")}).status_code == 200
            assert client.post(link[:-2], data={}).status_code == 404
            assert client.get(f"{site.url}/mail/stop").status_code == 404
        with reading(site.engine) as c:
            assert not c.execute(select(PLAYERS.c.mail_on_turn).where(PLAYERS.c.name == "Ann")).scalar_one()


def test_a_site_ends_though_the_mail_server_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail, "PATIENCE", 60.0)
    engine = open_database(tmp_path / "site.sqlite")
    migrate(engine)
    with transaction(engine) as c:
        mails.add(c, "ann@example.org", "s", "b", START)
    with post_office(Post(silent=True)) as post:
        with running(tmp_path, mail=settings_of(post).mail) as site:
            assert eventually(lambda: post.connections == 1)
            assert ScriptlessBrowser(site.url).get("/").status_code == 200
            began = time.monotonic()
        assert time.monotonic() - began < 30
    assert eventually(lambda: state(engine)[0][2] is not None)  # hung up on, the thread writes that down
    engine.dispose()
