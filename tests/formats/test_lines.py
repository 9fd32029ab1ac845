"""Text files: encodings and lines."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import (
    ending,
    expanded,
    json_lines,
    table_rows,
    text_encoding,
    text_lines,
    whole,
    write_whole,
    writing,
)


@pytest.mark.parametrize(
    "text",
    [
        "Größe in Köln: 5 € – “quoted”, it’s ½",
        "São Paulo, ação, ñandú, Ångström, œuvre",
        "¿Qué? ¡Sí! l’été, m², 20 °C, À É",
    ],
)
def test_western_texts_of_windows_are_read(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(f"question\n{text}\n".encode("cp1252"))
    encoding = text_encoding(file)
    assert encoding.name == "cp1252"
    assert encoding.sample in text
    assert "".join(text_lines(file, encoding=encoding.name)) == f"question\n{text}\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_is_known_by_itself(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes("Größe 東京\n".encode(encoding))
    assert text_encoding(file) == ("utf-8", "")
    assert list(text_lines(file)) == ["Größe 東京\n"]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Столица", "cp1251"),
        ("Ελλάδα", "cp1253"),
        ("café", "mac_roman"),
        ("München", "mac_roman"),
        ("Köln", "cp850"),
        ("Łódź", "cp1250"),
        ("Příliš", "cp1250"),
        ("İstanbul", "cp1254"),
        ("東京は", "shift_jis"),
        ("北京", "gbk"),
        ("한국어", "euc-kr"),
        ("Capital", "utf-16-le"),
    ],
)
def test_what_would_be_garbled_is_refused_with_its_line(tmp_path: Path, text: str, encoding: str) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(f"question\n{text}\n".encode(encoding))
    with pytest.raises(BadFile, match="save it as UTF-8") as caught:
        text_encoding(file)
    assert caught.value.line == (1 if encoding.startswith("utf") else 2)


def test_what_was_there_stays_until_the_new_is_complete(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    write_whole(file, "old")
    file.chmod(0o640)

    def half() -> None:
        with whole(file) as stream:
            stream.write(b"the n")
            stream.flush()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("record.json", "old")]
    write_whole(file, "half a pair: \ud83d\n")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("record.json", "half a pair: ?\n")]
    assert file.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("start", [b"PK\x03\x04\x14\x00", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"])
@pytest.mark.parametrize("read", [json_lines, table_rows])
def test_a_workbook_is_called_one(tmp_path: Path, start: bytes, read: Callable[[Path], Iterator[object]]) -> None:
    file = tmp_path / "tuples.xlsx"
    file.write_bytes(start + b"\x00\xff" * 40)
    with pytest.raises(BadFile, match=r"tuples\.xlsx: a workbook or packed file.*save the sheet as CSV in UTF-8"):
        list(read(file))


def test_links_and_pipes_are_written_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    write_whole(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "text"
    os.mkfifo(tmp_path / "pipe")
    writing = threading.Thread(target=write_whole, args=(tmp_path / "pipe", "text"))
    writing.start()
    assert (tmp_path / "pipe").read_text() == "text"
    writing.join()


def test_where_nothing_can_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"nowhere/record\.json: cannot be written: No such file or directory"):
        write_whole(tmp_path / "nowhere" / "record.json", "text")
    with pytest.raises(BadFile, match="cannot be written: Is a directory"):
        write_whole(tmp_path, "text")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_told_with_the_remedy(tmp_path: Path) -> None:
    problem = "here: cannot be written: No space left on device; make room, or choose another place"
    with pytest.raises(BadFile, match=problem), writing(tmp_path / "here"):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_the_home_folder_of_nobody_is_no_traceback() -> None:
    assert expanded("~/a.csv") == Path.home() / "a.csv"
    with pytest.raises(BadInput, match="in the home folder of an unknown user: write the full path"):
        expanded("~nobody-of-this-name/a.csv")


@pytest.mark.parametrize(
    ("name", "end"), [("a.csv", ".csv"), ("A.CSV.gz", ".csv"), ("a.tar.GZ", ".tar"), (".gz", ""), ("a", "")]
)
def test_endings(name: str, end: str) -> None:
    assert ending(Path("x") / name) == end


def test_an_ending_that_is_not_known_is_refused_with_those_that_are() -> None:
    assert ending(Path("a.TSV"), (".csv", ".tsv")) == ".tsv"
    with pytest.raises(BadFile, match=r"a\.txt: the name must end in \.csv, \.tsv, or one of these and \.gz"):
        ending(Path("a.txt"), (".csv", ".tsv"))
