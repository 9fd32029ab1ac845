"""`viva doctor` and `viva view`: what they find, and what they print."""

from __future__ import annotations

import json
import os
import webbrowser
from pathlib import Path

import pytest

from tests.cli.conftest import Viva
from tests.serving import process_of


def states(text: str) -> dict[str, str]:
    return {check["name"]: check["state"] for check in json.loads(text)["checks"]}


def test_a_server_is_asked_for_its_models_and_for_one_reply(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-secret")
    with process_of("tests.candidates.server") as server:
        ended = viva("doctor", f"chat:calculator@{server}/v1")
        assert ended.code == 0
        assert f"✓ server: {server}/v1" in ended.out
        assert "✓ reply: chat:calculator" in ended.out
        assert "ANTHROPIC_API_KEY" in ended.out
        assert "a-secret" not in ended.out
        assert states(viva("doctor", f"chat:echo@{server}/v1", "--json").out)["reply"] == "fails"


@pytest.mark.long
def test_a_server_that_is_away_fails(viva: Viva) -> None:
    ended = viva("doctor", "chat:x@http://127.0.0.1:9/v1", "--json")
    assert (ended.code, states(ended.out)["server"]) == (2, "fails")


def test_without_a_model_the_installation_is_checked(viva: Viva) -> None:
    ended = viva("doctor", "--json")
    assert ended.code == 0
    assert {states(ended.out)[name] for name in ("Python", "Vivavoce", "free disk")} == {"works"}
    assert states(ended.out)["model"] == "not there"


def test_a_mistake_in_the_settings_fails(viva: Viva) -> None:
    Path("viva.toml").write_text("modle = 3")
    ended = viva("doctor", "--json")
    assert (ended.code, states(ended.out)["settings"]) == (2, "fails")


class RememberingBrowser:
    """A browser that remembers what it opened."""

    name = "firefox"

    def __init__(self) -> None:
        self.opened: list[str] = []

    def open(self, url: str) -> bool:
        self.opened.append(url)
        return True


def test_the_newest_page_is_opened(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out").mkdir()
    for age, name in ((0, "old.html"), (100, "out/new.html")):
        Path(name).write_text("<html>")
        os.utime(name, (1_000_000 + age, 1_000_000 + age))
    browser = RememberingBrowser()
    monkeypatch.setattr(webbrowser, "get", lambda: browser)
    assert viva("view").code == 0
    assert browser.opened == [Path("out/new.html").resolve().as_uri()]
    assert json.loads(viva("view", "old.html", "--json").out) == {"page": str(Path("old.html").resolve()), "opened": True}


def test_without_a_browser_the_path_is_printed(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> RememberingBrowser:
        raise webbrowser.Error("there is none")

    monkeypatch.setattr(webbrowser, "get", none)
    assert viva("view").code == 2
    assert "there is no such page or folder" in viva("view", "nowhere.html").err
    Path("page.html").write_text("<html>")
    assert viva("view").out == f"{Path('page.html').resolve()}\n"
