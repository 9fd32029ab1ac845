"""Identifiers of people are replaced; numbers and words that only look alike stay."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.each_case import each_case
from vivavoce.errors import BadFile, BadInput

pytest.importorskip("phonenumbers")
pytest.importorskip("faker")

from vivavoce.scopes.importers.names import LONGEST_NAME, NameFinder, read_names
from vivavoce.scopes.importers.traces import LONGEST, Deidentifier

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
    assert dict(hide.counts) == {kind: around.count("{}")}


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
    hide = Deidentifier(["Ann Zor", "ann", "O'Brien", "Żółć"])
    text = "ANN  ZOR, Ann-Zor and ann's dog; O'Brien, annual, Zor, żółć. Ann\nZor"
    assert hide(text) == "[NAME], [NAME] and [NAME]'s dog; [NAME], annual, Zor, [NAME]. [NAME]\nZor"
    assert hide.counts["NAME"] == 6


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


NAMED = [
    ("My name is {} and my parcel is late", "Olumide Adeyemi"),
    ("my name is {}", "john smith"),
    ("customer name: {}", "Zbigniew Nowak"),
    ("Hi, I'm {} and I can't log in.", "Sarah"),
    ("hi {}, is it open?", "sarah"),
    ("I am {}", "Chukwuemeka Obi"),
    ("I'm {}", "Will Smith"),
    ("This is {} from unit 4.", "Peter Kowalski"),
    ("Please call Mrs. {} back", "Nakamura"),
    ("Frau {} hat gesagt, es geht", "Schulze"),
    ("Mein Name ist {}, ich möchte kündigen", "Fatma Yılmaz"),
    ("Ich heiße {}.", "Jürgen Müller-Lüdenscheidt"),
    ("Je m'appelle {}", "Amélie Dubois"),
    ("Me llamo {}", "José Luis García"),
    ("I spoke with {} yesterday", "Jessica"),
    ("{}'s account is locked", "Maria"),
    ("{} told me that you refund", "Emily"),
    ("Move the booking of {} to Friday", "John F. Kennedy"),
    ("It was signed by {}", "R. Fischer"),
    ("Send it to {}", "Michael O'Brien"),
    ("{} ordered a piano", "Ludwig van Beethoven"),
    ("Dear {}, where is my order?", "Grace"),
    ("Kind regards,\n{}", "Hannah Weber"),
    ("Order 123 for {} please", "JOHN SMITH"),
]


@each_case(("text", "name"), NAMED)
def test_names_that_nobody_listed(text: str, name: str) -> None:
    text = text.replace("{}", name)
    assert [text[start:stop] for start, stop in NameFinder().places(text)] == [name]


@each_case(
    "text",
    [
        *(
            "Do you ship to Paris?",
            "Can I pay in May or June?",
            "I am German and live in Austin",
            "What is the capital of Georgia?",
        ),
        *("Hi Team, how do I reset my password?", "Dear Sir or Madam", "Mark all as read does not work", "Bill me later?"),
        *("Grant access to my Google Drive", "Is the Galaxy S21 in Rose Gold available?", "How does Apple Pay work with Visa?"),
        *("I'm on Windows 11 with Chrome", "This is Urgent", "Kann ich im August kündigen?", "Where is the Eiffel Tower?"),
        *(
            "Thanks, Order 123",
            "Is Python better than Ruby on Rails?",
            "Do you deliver to Jordan or Israel?",
            "my name is not shown",
        ),
    ],
)
def test_words_that_are_also_names_stay(text: str) -> None:
    assert Deidentifier()(text) == text


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
        "Van ",
        "Mr ",
        "my name is ",
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
