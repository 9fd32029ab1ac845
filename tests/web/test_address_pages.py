"""An account's address is confirmed by a link in a mail, and changed the same way, on a real server with a real mail server."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import select, text

from tests.web.mailing import SiteWithMail, press
from tests.web.mailing import kept_mailing as kept_mailing
from tests.web.mailing import mailing as mailing
from tests.web.site import PASSWORD, SCRIPT, SQL, ScriptlessBrowser, running
from vivavoce.web.database import reading
from vivavoce.web.pages.request_context import NOTICES
from vivavoce.web.settings import MailSettings
from vivavoce.web.tables import KEYS, OUTBOX, PLAYERS

OVER = "This link no longer works"


def change(browser: ScriptlessBrowser, email: str, password: str = PASSWORD) -> None:
    browser.submit("/account/address", {"email": email, "password": password})


def confirmed(mailing: SiteWithMail, email: str) -> bool:
    with reading(mailing.site.engine) as c:
        scalar_one_or_none = c.execute(select(PLAYERS.c.email_confirmed).where(PLAYERS.c.email == email)).scalar_one_or_none()
    return scalar_one_or_none is not None


def test_an_account_is_told_of_games_once_its_address_is_confirmed(mailing: SiteWithMail) -> None:
    ann, email = mailing.account(confirmed=False)
    assert "We have sent you a mail" in ann.words
    for page in ("/profile", "/home"):
        ann.get(page)
        assert f"{email} is not confirmed yet" in ann.words
    link = mailing.link(email)
    (mail,) = mailing.mails(email)
    assert (mail["Subject"], mail["From"]) == ("Confirm your address", "luna@example.org")
    assert mail["List-Unsubscribe"] is None  # it is the only one, until it is confirmed
    for _ in range(3):
        ann.get(link)  # as programs do that look at links in mails: nothing happens
        assert "Confirm the address" in ann.words
    assert not confirmed(mailing, email)
    assert ann.client.head(link).status_code == 200  # which confirms nothing either
    assert not confirmed(mailing, email)
    press(ann, link)
    assert ann.path == "/profile"
    assert confirmed(mailing, email)
    for page in ("/profile", "/home"):
        ann.get(page)
        assert "is not confirmed yet" not in ann.words
    ann.get("/profile")
    assert f"{email}, confirmed" in ann.words


@pytest.mark.long
def test_no_mail_of_games_goes_where_nobody_confirmed(mailing: SiteWithMail) -> None:
    ann, email = mailing.account(confirmed=False)
    bob, his = mailing.account()
    ann.start()
    game = bob.begin_game()
    assert game.startswith("/games/")
    ann.ready(game)
    bob.ask(game)
    mailing.site.clock.ahead = timedelta(hours=1)
    ann.ask(game)  # bob, who is not here any more, is to answer; and so is ann
    bob.answer(game)
    mailing.site.clock.ahead = timedelta(hours=2)
    assert [mail["Subject"] for mail in mailing.mails(his)] == ["Confirm your address", "It is your turn"]
    assert [mail["Subject"] for mail in mailing.mails(email)] == ["Confirm your address"]


def test_a_link_is_good_once(mailing: SiteWithMail) -> None:
    ann, email = mailing.account(confirmed=False)
    link = mailing.link(email)
    ann.get(link)
    form = {"key": link.partition("key=")[2]}
    ann.send("/account/address/confirm", form)
    assert NOTICES["confirmed"] in ann.words
    token = ann.token
    ann.send("/account/address/confirm", form | {"csrf": token})
    assert OVER in ann.words
    ann.get(link)
    assert (ann.path, OVER in ann.words) == ("/profile", True)
    stranger = mailing.browser()
    stranger.get(link)
    assert (stranger.path, OVER in stranger.words) == ("/sign-in", True)


def test_a_link_expires_after_a_day_and_another_can_be_had(mailing: SiteWithMail) -> None:
    ann, email = mailing.account(confirmed=False)
    old = mailing.link(email)
    mailing.site.clock.ahead = timedelta(hours=24)
    press(ann, old)
    assert OVER in ann.words
    ann.send("/account/address/again")
    assert NOTICES["mailed"] in ann.words
    press(ann, mailing.link(email))
    assert confirmed(mailing, email)
    assert len(mailing.mails(email)) == 2


def test_a_link_confirms_the_account_it_was_made_for_whoever_opens_it(mailing: SiteWithMail) -> None:
    ann, email = mailing.account(confirmed=False)
    bob, his = mailing.account(confirmed=False)
    bob.get(mailing.link(email))
    assert email in bob.words
    ann.get("/profile")
    name = re.search(r"<h1>(.*)</h1>", ann.page)
    assert name
    assert f"The account {name[1]} has given" in bob.words  # so that nobody confirms for another unknowingly
    press(bob, mailing.link(email))
    assert confirmed(mailing, email)
    assert not confirmed(mailing, his)
    bob.get("/profile")
    assert his in bob.words
    assert email not in bob.words  # he is who he was


@pytest.mark.long
def test_links_that_are_none(mailing: SiteWithMail) -> None:
    ann, email = mailing.account(confirmed=False)
    link = mailing.link(email)
    for wrong in (link[:-1], link[:-1] + ("0" if link[-1] != "0" else "1"), link + "0", link[:-64] + "é" * 64, "?key=", ""):
        ann.get(wrong if wrong.startswith("/") else f"/account/address/confirm{wrong}")
        assert OVER in ann.words
    for nasty in (SCRIPT, SQL, "\0", "%00", "0" * 10_000):
        ann.client.get("/account/address/confirm", params={"key": nasty})
        ann.send("/account/address/confirm", {"key": nasty, "csrf": ann.token})
        assert "<script>alert" not in ann.page
    assert not confirmed(mailing, email)
    press(ann, link)
    assert confirmed(mailing, email)


def test_the_link_of_a_deleted_account_is_worth_nothing(mailing: SiteWithMail) -> None:
    ann, email = mailing.account()
    change(ann, f"new.{email}")
    link = mailing.link(f"new.{email}")
    ann.submit("/account/delete", {"sure": "on", "password": "not the password"})
    assert "Wrong password" in ann.words
    ann.send("/account/delete", {"sure": "on", "password": PASSWORD})
    assert "Your account and everything that you wrote are deleted" in ann.words
    press(ann, link)
    assert OVER in ann.words
    with reading(mailing.site.engine) as c:
        rows = [repr(row) for table in (KEYS, OUTBOX, PLAYERS) for row in c.execute(select(table))]
    assert not [row for row in rows if email in row]


def test_an_address_is_changed_by_who_knows_the_password_and_reads_the_new_mail(mailing: SiteWithMail) -> None:
    ann, email = mailing.account()
    new = f"new.{email}"
    change(ann, new, "not the password")
    assert (ann.status, "Wrong password" in ann.words) == (422, True)
    change(ann, "no address")
    assert (ann.status, "NAME@HOST" in ann.words) == (422, True)
    change(ann, new.upper())
    assert NOTICES["mailed"] in ann.words
    assert f"{new} is not confirmed yet" in ann.words
    assert f"Until then your address is {email}" in ann.words
    assert confirmed(mailing, email)
    press(mailing.browser(), mailing.link(new))  # on another device, where nobody is signed in
    assert confirmed(mailing, new)
    assert not confirmed(mailing, email)
    for address, path in ((email, "/sign-in"), (new, "/home")):
        elsewhere = mailing.browser()
        elsewhere.submit("/sign-in", {"email": address, "password": PASSWORD})
        assert elsewhere.path == path
    ann.get("/home")
    assert ann.path == "/home"  # who changed it goes on as before


def test_a_change_can_be_taken_back(mailing: SiteWithMail) -> None:
    ann, email = mailing.account()
    change(ann, f"typo.{email}")
    link = mailing.link(f"typo.{email}")
    change(ann, email)
    assert NOTICES["address"] in ann.words
    assert "is not confirmed yet" not in ann.words
    press(ann, link)
    assert OVER in ann.words
    assert len(mailing.mails(email)) == 1


def test_who_has_an_address_is_not_told_to_who_wants_it(mailing: SiteWithMail) -> None:
    ann, email = mailing.account()
    bob, his = mailing.account()
    answers = []
    for wanted in (email, f"free.{email}"):
        change(bob, wanted)
        answers.append(bob.words.replace(wanted, "it"))
    assert answers[0] == answers[1]
    change(bob, email)
    press(bob, mailing.link(email))  # only who reads mail there learns it
    assert NOTICES["address-taken"] in bob.words
    assert confirmed(mailing, email)
    assert confirmed(mailing, his)
    ann.get("/home")
    assert ann.path == "/home"


def test_guests_and_strangers_have_no_address_to_change(mailing: SiteWithMail) -> None:
    guest = mailing.browser().join()
    for path in ("/account/address", "/account/password"):
        guest.get(path)
        assert guest.path == "/account/new"
        stranger = mailing.browser()
        stranger.get(path)
        assert stranger.path == "/"
    guest.get("/profile")
    assert "not confirmed" not in guest.words
    guest.send("/account/address/again")
    assert "on its way" not in guest.words
    guest.submit("/account/new", {"name": "Upgraded", "email": "upgraded@example.org", "password": PASSWORD})
    assert "upgraded@example.org is not confirmed yet" in guest.words
    press(guest, mailing.link("upgraded@example.org"))
    assert confirmed(mailing, "upgraded@example.org")


@pytest.mark.parametrize(
    "nasty", [SCRIPT, SQL, "\x00\x01\ufffe\u202e", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")]
)
def test_what_is_typed_does_nothing(mailing: SiteWithMail, nasty: str) -> None:
    ann, email = mailing.account()
    for given in (nasty, f"{nasty}@example.org"):
        change(ann, given)
        assert ann.status == 422
        assert "<script>alert" not in ann.page
        assert "<img" not in ann.page
        assert "49 " not in ann.words
    change(ann, email, nasty)
    assert ann.status == 422
    with reading(mailing.site.engine) as c:
        assert c.execute(text("SELECT count(*) FROM players")).scalar_one() > 0


def test_nobody_is_flooded_with_mail(mailing: SiteWithMail) -> None:
    """Three in an hour go to one address, whoever asks, by each server process."""
    ann, email = mailing.account(confirmed=False)
    answers = []
    for _ in range(9):
        ann.get("/profile")
        answers.append(ann.send("/account/address/again").status_code)
        if ann.status == 429 and mailing.site.processes == 1:
            break
    assert answers[-1] == 429
    assert len(mailing.mails(email)) <= 3 * mailing.site.processes
    assert ann.client.get("/home").status_code == 200


def test_a_site_that_sends_no_mail_does_not_speak_of_any(tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(tmp_path_factory.mktemp("site"), mail=MailSettings(how="none")) as site:
        ann = ScriptlessBrowser(site.url).sign_up("Ann", "ann@example.org", PASSWORD)
        assert (ann.path, "mail" in ann.words) == ("/how-it-works", False)
        for path in ("/home", "/profile"):
            ann.get(path)
            assert "not confirmed" not in ann.words
        ann.get("/account/address")
        assert "This site sends no mail" in ann.words
        stranger = ScriptlessBrowser(site.url)
        stranger.get("/password/forgotten")
        assert "This site sends no mail" in stranger.words
        stranger.get("/sign-in")
        token = stranger.token
        stranger.send("/password/forgotten", {"email": "ann@example.org", "csrf": token})
        assert "This site sends no mail" in stranger.words
        with reading(site.engine) as c:
            assert c.execute(select(OUTBOX)).all() == []
