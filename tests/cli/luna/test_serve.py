"""`viva luna serve`, as a process of its own, and commands about a site whose database cannot be used."""

from __future__ import annotations

import re
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_server

import httpx
import pytest

from tests.cli.conftest import Viva
from tests.disks import unwritable
from tests.web.databases import put_tables
from tests.web.site import ScriptlessBrowser, eventually, pair_by_pages, play_out
from tests.web.test_unfit_database import damage
from vivavoce.web.database import open_database, transaction
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.store.people import create_guest

Start = Callable[..., subprocess.Popen[str]]


@contextmanager
def served(start: Start, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a site that runs until the block ends."""
    process = start("luna", "serve", "--port", "0", *arguments)
    assert process.stderr is not None
    line = process.stderr.readline()
    match = re.search(r"Luna is at (http://\S+:\d+), kept in", line)
    try:
        assert match, line + process.stderr.read()
        yield match[1], process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def with_its_operator(start: Start, token: Path, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A site whose operator has signed in with the token that it wrote to a file, or found there."""
    with served(start, "--operator-token-file", token.name, *arguments) as (url, process):
        assert process.stderr is not None
        assert process.stderr.readline() == f"The operator's pages are at {url}/operator; the token is in {token.name}.\n"
        assert stat.S_IMODE(token.stat().st_mode) == 0o600
        operator = ScriptlessBrowser(url)
        operator.get("/operator")
        operator.send("/operator/sign-in", {"token": token.read_text()})
        assert operator.path == "/operator"
        assert "Nothing waits for you" in operator.words
        yield url, process


@pytest.mark.long
def test_a_site_is_served_until_it_is_interrupted(viva_process: Start, tmp_path: Path) -> None:
    token = tmp_path / "operator.token"
    with with_its_operator(viva_process, token, "--house", "none") as (url, process):
        kept = token.read_bytes()
        ann, bob, game = pair_by_pages(url)
        play_out(ann, bob, game)
        assert "They guessed 81" in bob.words
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out, err) == (0, "", "")
    assert (tmp_path / "luna.sqlite").is_file()
    assert stat.S_IMODE((tmp_path / "luna.secret").stat().st_mode) == 0o600
    with with_its_operator(viva_process, token, "--contact", "Ann <ann@example.org>", "--workers", "2") as (again, workers):
        assert token.read_bytes() == kept
        returning = ScriptlessBrowser(again)
        for name, value in ann.client.cookies.items():
            returning.client.cookies.set(name, value, domain="127.0.0.1")
        assert returning.get("/home").url.path == "/home"  # a restart signs nobody out
        assert "Ann &lt;ann@example.org&gt;" in returning.get("/contact").text
        workers.send_signal(signal.SIGINT)
        workers.communicate(timeout=20)
        assert workers.returncode == 0


@pytest.mark.slow
def test_two_server_processes_play_one_game(viva_process: Start) -> None:
    with served(viva_process, "--workers", "2", "--house", "none") as (url, process):
        assert httpx.get(f"{url}/operator", timeout=30).status_code == 404  # there is none without a token
        ann, bob, game = pair_by_pages(url)
        play_out(ann, bob, game)
        assert "They guessed 81" in bob.words
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        assert process.returncode == 0


def shows(browser: ScriptlessBrowser, game: str, words: str) -> bool:
    """Whether the game's page says this before long."""

    def says() -> bool:
        browser.get(game)
        return words in browser.words

    return eventually(says)


@pytest.mark.long
def test_a_lone_visitor_plays_the_house_to_the_end(viva_process: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("TICK", "0.2"), ("HOLD_BACK", "no")):
        monkeypatch.setenv(f"VIVA_WEB_{name}", value)
    with served(viva_process) as (url, _):
        ann = ScriptlessBrowser(url).join()
        game = ann.begin_game()
        ann.ask(game)
        assert shows(ann, game, "Send my answers")
        ann.answer(game)
        assert shows(ann, game, "Send my guess")
        ann.guess(game, "7")
        assert shows(ann, game, "They guessed")
        assert "The other player was a machine" in ann.words


def test_what_cannot_be_served_is_said_in_a_line(viva: Viva, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VIVA_WEB_SECRET", "VIVA_WEB_DATABASE", "VIVA_WEB_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "short").write_text("abc")
    (tmp_path / "binary").write_bytes(b"\xff" * 40)
    (tmp_path / "secret").write_text("s" * 40)
    (tmp_path / "text").write_text("no database")
    with create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        calls = {
            ("--port", port): "choose another --host or --port",
            ("--port", "0", "--database", "none/such/folder.sqlite"): "its folder does not exist",
            ("--port", "0", "--secret-file", "short"): "its secret is shorter than",
            ("--port", "0", "--secret-file", "binary"): "binary: the secret in it can't be read: it is not a text",
            ("--port", "0", "--operator-token-file", "short"): "its secret is shorter than",
            ("--port", "0", "--secret-file", "secret", "--operator-token-file", "secret"): "the same as the site's secret",
            ("--port", "0", "--base-url", "luna.example.org"): "must be like https://",
            ("--port", "0", "--database", "text"): "text: this is not a SQLite database (it was not changed)",
            ("--port", "0", "--database", "mysql://a@b/c"): "postgresql",
            ("--port", "0", "--house", "bot:nobody"): "nobody",
        }
        for arguments, words in calls.items():
            ended = viva("luna", "serve", *arguments)
            assert ended.code == 2, arguments
            assert words in ended.err, arguments
            assert ended.err.count("\n") == 1
    assert (tmp_path / "text").read_text() == "no database"
    assert not list(tmp_path.glob("text-*"))


@pytest.mark.parametrize(
    ("arguments", "environment", "message"),
    [
        (("--database", "used.sqlite"), {}, "the demonstration needs its own"),
        (("--database", "text"), {}, "this is not a SQLite database"),
        (("--house", "bot:eliza"), {}, "leave --house and --house-money out"),
        (("--workers", "2"), {}, "leave --workers out"),
        (("--questions", "11"), {}, "'--questions'"),
        (("--days", "nan"), {}, "'nan' is out of range: give a number from 0.04 to 30"),
        ((), {"QUESTIONS": "11"}, "VIVA_WEB_QUESTIONS is '11': give a whole number from 1 to 10"),
        ((), {"CONSENT_VERSION": "99"}, "there is no consent text '99'"),
    ],
)
def test_a_demonstration_refuses_before_it_says_where_it_is(
    viva: Viva,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    environment: dict[str, str],
    message: str,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(f"VIVA_WEB_{name}", value)
    (tmp_path / "text").write_text("no database")
    engine = open_database(put_tables(tmp_path / "used.sqlite"))
    with transaction(engine) as c:
        create_guest(c, consent_version="1", now=utc_now())
    engine.dispose()
    ended = viva("luna", "serve", "--demo", "--port", "0", *arguments)
    assert ended.code == 2, ended
    assert message.lower() in ended.err.lower()
    assert "Luna is at" not in ended.err


@pytest.mark.long
def test_a_demonstration_fills_the_site_by_itself(viva_process: Start) -> None:
    with served(viva_process, "--demo", "--reveal-ratings", "--database", "demo.sqlite") as (url, process):
        deadline = time.monotonic() + 40
        while "(demo)" not in (shown := httpx.get(f"{url}/leaderboard", timeout=30).text):
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline, shown
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=30)[0] == ""
        assert process.returncode == 0


ON_A_SITE = {
    "serve": ("luna", "serve", "--port", "0", "--secret-file", "secret"),
    "machine": ("luna", "machine", "add", "Bot"),
    "list": ("luna", "machine", "list"),
}


@pytest.mark.parametrize("what", ["file", "folder"])
@pytest.mark.parametrize("command", ON_A_SITE)
def test_a_file_or_folder_that_the_site_may_not_write(viva: Viva, tmp_path: Path, command: str, what: str) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    (tmp_path / "secret").write_text("s" * 40)
    file = put_tables(folder / "site.sqlite")
    with unwritable(file if what == "file" else folder):
        ended = viva(*ON_A_SITE[command], "--database", "kept/site.sqlite")
    if command == "list":  # it only reads
        assert (ended.code, ended.err) == (0, "")
        return
    assert ended.code == 2, ended
    assert "site.sqlite" in ended.err
    assert "give the site write access to the file and its folder" in ended.err
    assert (ended.err.count("\n"), ended.out) == (1, "")


@pytest.mark.parametrize("command", ON_A_SITE)
@pytest.mark.parametrize("how", ["header", "pages"])
def test_a_damaged_file(viva: Viva, tmp_path: Path, command: str, how: str) -> None:
    (tmp_path / "secret").write_text("s" * 40)
    file = put_tables(tmp_path / "site.sqlite")
    if how == "header":
        with file.open("r+b") as opened:
            opened.write(b"\0" * 64)
    else:
        damage(file)
    ended = viva(*ON_A_SITE[command], "--database", "site.sqlite")
    assert ended.code == 2, ended
    assert "site.sqlite" in ended.err
    assert (
        "is not a SQLite database" if how == "header" else "replace it by a copy made with 'viva luna admin backup'"
    ) in ended.err
    assert (ended.err.count("\n"), ended.out) == (1, "")
