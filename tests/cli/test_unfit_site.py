"""Commands about a site whose database is damaged, or not to be written, say so in a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Viva
from tests.disks import unwritable
from tests.web.databases import put_tables
from tests.web.test_unfit_database import damage

COMMANDS = {
    "serve": ("luna", "serve", "--port", "0", "--secret-file", "secret"),
    "machine": ("luna", "machine", "add", "Bot"),
    "list": ("luna", "machine", "list"),
}


@pytest.mark.parametrize("what", ["file", "folder"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_or_folder_that_the_site_may_not_write(viva: Viva, tmp_path: Path, command: str, what: str) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    (tmp_path / "secret").write_text("s" * 40)
    file = put_tables(folder / "site.sqlite")
    with unwritable(file if what == "file" else folder):
        ended = viva(*COMMANDS[command], "--database", "kept/site.sqlite")
    if command == "list":  # it only reads
        assert (ended.code, ended.err) == (0, "")
        return
    assert ended.code == 2, ended
    assert "site.sqlite" in ended.err
    assert "give the site write access to the file and its folder" in ended.err
    assert (ended.err.count("\n"), ended.out) == (1, "")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("how", ["header", "pages"])
def test_a_damaged_file(viva: Viva, tmp_path: Path, command: str, how: str) -> None:
    (tmp_path / "secret").write_text("s" * 40)
    file = put_tables(tmp_path / "site.sqlite")
    if how == "header":
        with file.open("r+b") as opened:
            opened.write(b"\0" * 64)
    else:
        damage(file)
    ended = viva(*COMMANDS[command], "--database", "site.sqlite")
    assert ended.code == 2, ended
    assert "site.sqlite" in ended.err
    assert (
        "is not a SQLite database" if how == "header" else "replace it by a copy made with 'viva luna admin backup'"
    ) in ended.err
    assert (ended.err.count("\n"), ended.out) == (1, "")
