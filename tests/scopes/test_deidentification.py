"""Identifiers of people are replaced; numbers and words that only look alike stay."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.each_case import each_case
from vivavoce.errors import BadFile, BadInput

pytest.importorskip("phonenumbers")

from vivavoce.scopes.importers.deidentification import LONGEST, LONGEST_NAME, Deidentifier, read_names

# Numbers that their issuers publish as examples: ISO 13616 and the ECBS (IBANs), payment networks (cards), RFC 5737 and 3849
# (addresses), Ofcom's and the NANP's numbers for drama.
FOUND = [
    ("GB82 WEST 1234 5698 7654 32", "IBAN"),
    ("DE89370400440532013000", "IBAN"),
    ("NL91 ABNA 0417 1643 00", "IBAN"),
    ("no93 8601 1117 947", "IBAN"),
    ("DE89\u00a03704\u202f0044 0532 0130 00", "IBAN"),
    ("4111 1111 1111 1111", "CARD"),
    ("4111\u20111111\u20111111\u20111111", "CARD"),
    ("5555-5555-5555-4444", "CARD"),
    ("378282246310005", "CARD"),
    ("192.0.2.17", "IP"),
    ("2001:db8::8a2e:370:7334", "IP"),
    ("fe80::1", "IP"),
    ("+44 20 7946 0958", "PHONE"),
    ("+49 (0)30 901820", "PHONE"),
    ("ann@example.org", "EMAIL"),
    ("ann＠example.org", "EMAIL"),
    ("ann%40example.org", "EMAIL"),
    ("jörg.müller+x@mail.example.co.uk", "EMAIL"),
    ("o'neil@example.org", "EMAIL"),
]


@each_case(("text", "kind"), FOUND)
@each_case("around", ["{}", "Is {} mine?", "({}).", "a\n{}\nb", "<{}>", "{}, {}"])
def test_identifiers_are_replaced(text: str, kind: str, around: str) -> None:
    hide = Deidentifier()
    assert hide(around.replace("{}", text)) == around.replace("{}", f"[{kind}]")
    assert dict(hide.found) == {kind: around.count("{}")}


@each_case(
    "text",
    [
        "What is 123456 * 654321? 3.14159 26535 89793 238",
        "born 1990-01-02 at 12:30:59, version 1.2.3",
        "GB82 WEST 1234 5698 7654 33 has a wrong digit, as has 4111 1111 1111 1112",
        "0000 0000 0000 0000",
        "SO37SOMETHINGTOSAYHERE",  # whose check digits would be right
        "a::b and std::vector; 999.1.1.1",
        "https://example.org/a?b=c and @user",
        "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13",
        "[EMAIL] and [PHONE]",
    ],
)
def test_others_stay(text: str) -> None:
    hide = Deidentifier(["Ann Lee"], ["DE"])
    assert hide(text) == text
    assert hide.summary == "Replaced: nothing"


def test_the_user_of_a_url() -> None:
    assert (
        Deidentifier()("ftp://ann:pw@example.org/x https://b@example.org")
        == "ftp://[USER]@example.org/x https://[USER]@example.org"
    )


def test_telephone_numbers_without_a_country_code() -> None:
    text = "Call (650) 253-0000 or 030 901820."
    assert Deidentifier()(text) == text
    assert Deidentifier(countries=["us"])(text) == "Call [PHONE] or 030 901820."
    assert Deidentifier(countries=["DE", "US"])(text) == "Call [PHONE] or [PHONE]."
    with pytest.raises(BadInput, match="'XX' is not a country"):
        Deidentifier(countries=["XX"])


def test_one_number_among_many_that_are_none_is_found() -> None:
    # the library gives up after 65,535 of them, if it is let
    assert Deidentifier()("1-1 " * 20_000 + "+44 20 7946 0958").endswith("[PHONE]")


def test_listed_names() -> None:
    hide = Deidentifier(["Ann Lee", "ann", "O'Brien", "Żółć"])
    text = "ANN  LEE, Ann-Lee and ann's dog; O'Brien, annual, Lee, żółć. Ann\nLee"
    assert hide(text) == "[NAME], [NAME] and [NAME]'s dog; [NAME], annual, Lee, [NAME]. [NAME]\nLee"
    assert hide.found["NAME"] == 6


@pytest.mark.parametrize(
    ("name", "text", "hidden"),
    [
        ("山田太郎", "私は山田太郎です。", "私は[NAME]です。"),
        ("김철수", "김철수는 왔다", "[NAME]는 왔다"),
        ("Jürgen Müller", "Ju\u0308rgen Mu\u0308ller rang", "[NAME] rang"),
        ("Ju\u0308rgen", "Jürgen rang", "[NAME] rang"),
    ],
)
def test_listed_names_in_other_scripts_and_with_composed_letters(name: str, text: str, hidden: str) -> None:
    assert Deidentifier([name])(text) == hidden


def test_a_file_of_names(tmp_path: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_text("Ann Lee\n\n--\nBob\n")
    assert read_names(file) == ("Ann Lee", "Bob")
    file.write_text("x" * (LONGEST_NAME + 1))
    with pytest.raises(BadFile, match="write one name a line"):
        read_names(file)


@pytest.mark.parametrize(
    "part",
    [
        "a",
        "1",
        "1 ",
        "@",
        "a@",
        "a.",
        "://a",
        "+1 ",
        "DE12 ",
        "::",
        "1.1.",
        "+49 30 ",
        "(650) ",
        "Ann ",
        "a@b.",
        "a%40",
        "山",
        "'",
        "-",
    ],
)
def test_hostile_texts_take_seconds(part: str) -> None:
    hide = Deidentifier(["Ann " * 20, "Ann", "山" * 100 + "川"])
    text = (part * LONGEST)[:LONGEST]
    before = time.process_time()
    hide(text)
    assert time.process_time() - before < 20  # the slowest of them takes two here
    with pytest.raises(BadInput, match="at most 100,000 are read"):
        hide(text + "x")
