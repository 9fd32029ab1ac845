"""`viva luna play` and `viva luna machine`, against a real site."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.cli.conftest import Refuses, Viva
from tests.luna.predict.people import RIGHT_OF_PUPILS, as_csv, pupils
from tests.web.api.running import RunningSite, running_site

_numbers = count(1)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with running_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture
def token_file(site: RunningSite, tmp_path: Path) -> Path:
    file = tmp_path / "token.txt"
    file.write_text(site.machine(f"Of the command line {next(_numbers)}") + "\n")
    return file


@contextmanager
def people_come_by(site: RunningSite, rating: float) -> Iterator[None]:
    """A person plays with any machine that waits, until the block ends."""
    gone = Event()
    attending = site.attend(guess=lambda _: rating, wanted=lambda: not gone.is_set())
    thread = Thread(target=asyncio.run, args=(attending,))
    thread.start()
    try:
        yield
    finally:
        gone.set()
        thread.join()


@pytest.mark.long
def test_playing(site: RunningSite, token_file: Path, viva: Viva, tmp_path: Path) -> None:
    arguments = (
        "bot:eliza",
        "--server",
        site.url,
        "--token-file",
        str(token_file),
        "--games",
        "1",
        "--transcript",
        "run.sqlite",
    )
    with people_come_by(site, 44.0):
        ended = viva("luna", "play", *arguments, "--json")
    assert ended.code == 0, ended.err
    played = ended.values
    assert played["machine"]["rating"] == 44.0
    assert played["read"]["questions"] == {"fixed": len(played["games"])}
    assert played["transcript_head"].startswith(
        f"{5 * len(played['games'])}:"
    )  # five answers a game; questions and guess are fixed
    assert "begins" in ended.err
    assert (tmp_path / "run.sqlite").exists()
    with people_come_by(site, 44.0):
        again = viva("luna", "play", *arguments, "--quiet")
    assert (again.code, again.err) == (0, "")
    assert "Its rating is 44, the mean of" in " ".join(again.out.split())


@pytest.mark.long
def test_a_predictor_guesses(site: RunningSite, token_file: Path, viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "pupils.csv").write_text(as_csv(people := pupils()))
    (tmp_path / "five.txt").write_text("\n".join(RIGHT_OF_PUPILS))
    assert viva("luna", "predict", "fit", "pupils.csv", "--predictor", "constant", "--out", "model.json", "-q").code == 0
    arguments = ("bot:eliza", "--server", site.url, "--token-file", str(token_file), "--guess-by", "model.json", "--json")
    with people_come_by(site, 44.0):
        ended = viva("luna", "play", *arguments, "--questions", "five.txt")
    assert ended.code == 0, ended.err
    played = ended.values
    mean = 100 * sum(people.ratings.values()) / len(people.ratings)
    assert [(game["guess"], game["guessed"]) for game in played["games"]] == [("predicted", pytest.approx(mean))]
    (tmp_path / "other.json").write_text("{}")
    refused = viva("luna", "play", *arguments[:5], "--guess-by", "other.json")
    assert (refused.code, "not a rating predictor" in refused.err) == (2, True)


def test_patience_and_the_environment(site: RunningSite, token_file: Path, viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_LUNA_TOKEN", token_file.read_text())
    ended = viva("luna", "play", "control:gibberish", "--server", site.url, "--idle-timeout", "0.1")
    assert (ended.code, ended.err) == (0, "")
    assert "finished 0 games" in ended.out


@pytest.mark.parametrize(
    ("token", "more", "message"),
    [
        ("wrong", (), "status 401"),
        ("", (), "there is no token"),
        ("a b", (), "copy it again"),
        ("x", ("--guess", "high"), "give a number from 0 to 100, or own"),
        ("x", ("--guess", "101"), "from 0 to 100"),
        ("x", ("--questions", "thesies"), "write own, thesis"),
    ],
)
def test_mistakes_are_refused(
    site: RunningSite, refuses: Refuses, monkeypatch: pytest.MonkeyPatch, token: str, more: tuple[str, ...], message: str
) -> None:
    monkeypatch.setenv("VIVA_LUNA_TOKEN", token)
    refuses("luna", "play", "bot:eliza", "--server", site.url, *more, says=message)


def test_a_site_that_is_not_there(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_LUNA_TOKEN", "x")
    ended = viva("luna", "play", "bot:eliza", "--server", "http://127.0.0.1:9", "--set", "max-tries=1")
    assert ended.code == 5
    assert "cannot be reached" in ended.err
    assert "Traceback" not in ended.err


def test_machines(viva: Viva, tmp_path: Path) -> None:
    here = ("--database", "luna.sqlite")
    added = viva("luna", "machine", "add", "My model", *here)
    assert added.code == 0
    token = added.out.strip()
    assert len(token) >= 40
    assert token not in added.err
    assert token.encode() not in b"".join(file.read_bytes() for file in tmp_path.glob("luna.sqlite*"))  # only its hash is kept
    again = viva("luna", "machine", "add", "my MODEL", *here)
    assert (again.code, again.out) == (2, "")
    assert "taken" in again.err
    assert viva("luna", "machine", "revoke", "My model", *here).code == 0
    (listed,) = viva("luna", "machine", "list", *here, "--json").rows
    assert (listed["name"], listed["revoked"], listed["rating"]) == ("My model", True, None)
    renewed = viva("luna", "machine", "add", "My model", "--renew", *here, "--json").values
    assert renewed["token"] != token
    assert "My model" in viva("luna", "machine", "list", *here).out
    missing = viva("luna", "machine", "revoke", "My modl", *here)
    assert missing.code == 2
    assert "did you mean 'My model'" in missing.err
    assert viva("luna", "machine", "list", "--database", "nowhere/luna.sqlite").code == 2
