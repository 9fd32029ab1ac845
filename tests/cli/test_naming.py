"""`--set name` and `--set title`: names that readers see, which never become part of the examination."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva
from vivavoce.certificate.claims.results import DisplayNames
from vivavoce.errors import BadInput

SUMS = ("arithmetic?operations=+", "arithmetic?operations=-")
CERTIFY = ("certify", "bot:calculator", "--scope", SUMS[0], "--unacceptable-limit", "none", "--seed", "0")
HOSTILE = "<b>[red]Bot & Co"
HEADING = re.compile(r"<(?:h[1-6]|title)[ >].*")


def test_readers_are_told_names_and_the_record_keeps_its_own(viva: Viva, tmp_path: Path) -> None:
    named = (*CERTIFY, "--set", f"name={HOSTILE}", "--set", "title=Sums: first/part", "--transcript", "t.sqlite")
    ended = viva(*named, "--html", "page.html")
    assert ended.out.startswith(f"Candidate: {HOSTILE} (bot:calculator)\nScope: Sums: first/part ({SUMS[0]})\n")
    assert f"● {HOSTILE} passes Sums: first/part: 100% correct (shown: at least " in ended.out
    page = (tmp_path / "page.html").read_text()
    assert "<b>[red]" not in page
    headings = HEADING.findall(page.replace("<wbr>", ""))
    assert "<h1>&lt;b&gt;[red]Bot &amp; Co passes Sums: first/part: 100% correct, 70% required.</h1>" in " ".join(headings)
    assert not any("bot:calculator" in heading or "arithmetic" in heading for heading in headings)
    assert page.count(" (bot:calculator)") == 1
    values = viva(*named, "--json").values
    assert (values["candidates"][0], values["figures"]["name"]) == ("bot:calculator", HOSTILE)
    assert (values["figures"]["scope"], values["figures"]["title"]) == (SUMS[0], "Sums: first/part")


def test_a_renamed_candidate_is_the_same_candidate(viva: Viva, tmp_path: Path) -> None:
    on_record = (*CERTIFY, "--transcript", "t.sqlite", "--json")
    plain = viva(*on_record).values
    named = viva(*on_record, "--set", "name=Ann", "--set", "title=Sums").values
    # the same attempt, and nothing was asked again; only the words differ
    for text in ("statement", "transcript_head"):
        named.pop(text), plain.pop(text)
    for text in ("name", "title"):
        named["figures"].pop(text), plain["figures"].pop(text, None)
    assert named == plain
    assert named["attempt"]["number"] == 1
    assert "Ann" not in json.dumps(named)


def test_named_certificates_come_out_of_the_record_again(viva: Viva, tmp_path: Path) -> None:
    command = (*CERTIFY, "--transcript", "t.sqlite", "--json")
    several = (*command, "--scope", SUMS[1], "--new-attempt")
    for given in ((*command, "--set", "title=Sums"), (*several, "--set", "title=Sums", "--set", "title=Differences")):
        (tmp_path / "c.json").write_text(viva(*given, "--set", "name=Ann").out)
        again = viva("recheck", "c.json", "--transcript", "t.sqlite")
        assert again.out.startswith("● The same: ")
        assert "Not rechecked: display names" in again.out
    changed = json.loads((tmp_path / "c.json").read_text())
    assert [entry["title"] for entry in changed["figures"]["scopes"]] == ["Sums", "Differences"]
    # an altered statement is detected, and a name that could not have been given
    (tmp_path / "c.json").write_text(json.dumps(changed | {"statement": "Ann understands everything."}))
    assert viva("recheck", "c.json", "--transcript", "t.sqlite").out.startswith("✕ ")
    (tmp_path / "c.json").write_text(json.dumps(changed | {"name": "Ann\nBob"}))
    assert viva("recheck", "c.json", "--transcript", "t.sqlite").out.startswith("✕ ")


@pytest.mark.long
def test_a_dossier_says_names_in_every_room(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(
        'name = "Ann"\n[[certificate]]\nscope = "arithmetic"\ntitle = "Sums"\n[luna]\ngames = 1\n'
    )
    given = ("report", "bot:calculator", "--plan", "plan.toml", "--out", "out", "--seed", "0")
    ended = viva(*given)
    assert "Sums: 100% correct" in ended.out
    assert "Ann answered " in ended.out  # of its games
    dossier = json.loads((tmp_path / "out/report.json").read_text())
    assert (dossier["candidates"][0], dossier["name"]) == ("bot:calculator", "Ann")
    certificate, games = dossier["cards"]
    assert (certificate["details"]["figures"]["scope"], certificate["details"]["figures"]["title"]) == ("arithmetic", "Sums")
    assert certificate["figures"][0]["name"] == "arithmetic: mean score"  # by which dossiers are compared
    assert certificate["figures"][0]["title"] == "Sums: mean score"
    assert certificate["claims"][0]["words"].startswith("Sums: 100% correct (shown: at least ")
    assert games["details"]["candidates"] == ["bot:calculator"]
    page = (tmp_path / "out/report.html").read_text()
    assert not any("bot:" in heading or "arithmetic" in heading for heading in HEADING.findall(page))
    assert "<h1>Ann passes 1 of 1 test.</h1>" in page
    assert viva("recheck", "out", "--transcript", "out/transcript.sqlite").out.startswith("● The same: ")
    # the same examination under another name asks nothing, and is the same plan
    before = dossier["plan_digest"]
    assert viva(*given, "--set", "name=Bob").out.startswith("Bob passes 1 of 1 test.")
    renamed = json.loads((tmp_path / "out/report.json").read_text())
    assert (renamed["plan_digest"], renamed["cards"][0]["details"]["attempt"]["number"]) == (before, 1)


@pytest.mark.long
def test_dossiers_are_compared_by_names_on_record(viva: Viva) -> None:
    examine = ("report", "--only", "certificate", "--seed", "0", "--quiet", "--scope", SUMS[0])
    viva(*examine, "bot:calculator", "--set", "name=Ann", "--set", "title=Sums", "--out", "a")
    viva(*examine, "bot:calculator?wrong=0.5", "--out", "b")
    ended = viva("diff", "a/report.json", "b/report.json", "--html", "both.html")
    assert "Ann" in ended.out
    assert "Sums: mean score" in ended.out
    assert "arithmetic: mean score" not in ended.out  # one row for both, in the words of the first
    values = viva("diff", "a/report.json", "b/report.json", "--json").values
    assert values["candidates"] == ["bot:calculator", "bot:calculator?wrong=0.5"]
    assert values["names"] == ["Ann", "bot:calculator?wrong=0.5"]
    assert values["figures"]["rows"][0]["differences"][0]["beyond_chance"]


REFUSED = {
    "two lines": (("--set", "name=a\nb"), "is not one line of printable characters"),
    "a steering character": (("--set", "name=a\x1b[2J"), "is not one line of printable characters"),
    "turned text": (("--set", "title=a\u202eb"), "is not one line of printable characters"),
    "nothing": (("--set", "name="), "give 1 to 60"),
    "too long": (("--set", "name=" + 61 * "x"), "has 61 characters"),
    "two titles": (("--set", "title=a", "--set", "title=b"), "2 '--set title' for 1 '--scope'"),
    "a title of one of two": (("--scope", SUMS[1], "--set", "title=a"), "1 '--set title' for 2 '--scope'"),
    "one title for two": (("--scope", SUMS[1], "--set", "title=a", "--set", "title=a"), "give each its own"),
}
ACCEPTED = (
    ("--set", "name=Ünï → 漢字 'x'"),
    ("--set", "name=" + 60 * "x"),
    ("--set", "title=a"),
    ("--scope", SUMS[1], "--set", "title=a", "--set", "title=b"),
)


@pytest.mark.parametrize("what", REFUSED)
def test_unprintable_empty_and_repeated_names_are_refused(refuses: Refuses, what: str) -> None:
    given, words = REFUSED[what]
    refuses(*CERTIFY, *given, says=words)


@pytest.mark.parametrize("given", ACCEPTED)
def test_their_neighbours_are_accepted(viva: Viva, given: tuple[str, ...]) -> None:
    assert viva(*CERTIFY, *given, "--questions", "5", "--quiet").code in (0, 4)


def test_files_of_one_name_are_told_apart_by_no_title(viva: Viva, tmp_path: Path) -> None:
    scopes = []
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "q.jsonl").write_text(json.dumps({"question": f"What is 6 times 7, {folder}?", "answer": 42}))
        scopes += ["--scope", f"file:{folder}/q.jsonl"]
    many = ("certify", "bot:gibberish", *scopes, "--quiet")
    assert "files with the same name" in viva(*many, "--set", "title=A", "--set", "title=B").err
    assert viva(*many).code in (3, 4)


def test_a_title_without_its_scope_is_refused(viva: Viva) -> None:
    examine = ("report", "bot:calculator", "--dry-run", "--set", "title=Sums")
    assert "'--set title' is that of a '--scope'" in viva(*examine).err
    assert viva(*examine, "--scope", SUMS[0]).code == 0


def test_a_plan_with_a_name_that_cannot_be_told_is_refused(viva: Viva, tmp_path: Path) -> None:
    for name, code in (("a\\nb", 2), ("a b", 0)):
        (tmp_path / "plan.toml").write_text(f'name = "{name}"\n')
        ended = viva("report", "bot:calculator", "--plan", "plan.toml", "--dry-run")
        assert ended.code == code
        assert ("one line of printable characters" in ended.err) == bool(code)


def test_categories_bear_the_title_of_their_scope() -> None:
    naming = DisplayNames("", {"file:q.jsonl?match=any": "Support"})
    assert naming.title("file:/home/me/q.jsonl#billing?match=any") == "Support: billing"
    assert naming.title("file:q.jsonl#billing") == ""
    assert naming.title("file:other.jsonl?match=any") == ""
    with pytest.raises(BadInput, match="the title"):
        DisplayNames("", {"arithmetic": "a\nb"})
