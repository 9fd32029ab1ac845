"""Dossiers put on a site, and taken back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.conftest import Viva
from tests.examination.made import PASSED, card, dossier
from vivavoce.examination.dossier_file import write_dossier
from vivavoce.web.database import migrate, open_database, reading
from vivavoce.web.store.dossiers import published

DATABASE = ("--database", "site.sqlite")


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A dossier, beside the database of a site."""
    engine = open_database(str(tmp_path / "site.sqlite"))
    migrate(engine)
    engine.dispose()
    write_dossier(tmp_path / "d.json", dossier(card(PASSED)), made=datetime(2026, 3, 1, tzinfo=UTC), version="0.1.0")
    return "d.json"


def titles(tmp_path: Path) -> list[str]:
    engine = open_database(str(tmp_path / "site.sqlite"))
    with reading(engine) as c:
        found = [one.title for one in published(c)]
    engine.dispose()
    return found


def test_published_and_taken_back(viva: Viva, file: str, tmp_path: Path) -> None:
    ended = viva(
        "dossier", "publish", file, *DATABASE, "--title", "Of a bot", "--base-url", "https://luna.example.org/", "--json"
    )
    told = json.loads(ended.out)
    assert told["address"] == f"https://luna.example.org/dossiers/{told['dossier']}"
    assert titles(tmp_path) == ["Of a bot"]
    assert viva("dossier", "publish", file, *DATABASE).out.strip().endswith(told["dossier"])  # the same again
    assert "'Of a bot' is unpublished" in viva("dossier", "unpublish", told["address"], *DATABASE).out
    assert titles(tmp_path) == []
    ended = viva("dossier", "unpublish", told["dossier"], *DATABASE)
    assert (ended.code, "there is no dossier" in ended.err) == (2, True)


def test_what_is_no_dossier(viva: Viva, file: str, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(b"{\xff")
    for name, problem in (("bad.json", "is no dossier"), ("gone.json", "cannot be read"), ("site.sqlite", "is no dossier")):
        ended = viva("dossier", "publish", name, *DATABASE)
        assert (ended.code, ended.err.startswith(f"viva: {name}"), problem in ended.err) == (2, True, True), ended.err


def test_files_alone_are_put_side_by_side(viva: Viva, file: str) -> None:
    assert viva("dossier", file, file).code == viva("dossier", "compare", file, file).code == 0
    assert "publish" in viva("dossier", "--help").out
    assert json.loads(viva("dossier", "--json", file).out)
