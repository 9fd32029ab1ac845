"""Encodings that are known by what a file holds, and those that are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.errors import BadFile
from vivavoce.formats.lines import text_encoding, text_lines


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
