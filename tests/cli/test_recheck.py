"""`viva recheck`: the same document is reproduced from the record, and whatever was altered is named."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Refuses, Viva, in_full
from tests.cli.test_tampering import CERTIFY as TAMPERED_RUN
from tests.cli.test_tampering import rechain, records_of, roll_back
from vivavoce.cli import main

CERTIFY = ("certify", "bot:calculator?wrong=0.1", "--scope", "arithmetic", "--unacceptable-limit", "none", "--quiet", "--json")
PRODUCTS = """\
def covers(question):
    return "*" in question["text"]


def answer(question):
    first, second = (int(word.strip("?")) for word in question["text"].split() if word.strip("?").isdecimal())
    return first * second
"""


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of an examination with a seed that was drawn; its certificate is in the same folder."""
    where = tmp_path_factory.mktemp("record") / "run.sqlite"
    with pytest.MonkeyPatch.context() as patch:  # drawn once and for all: some answers must be wrong
        patch.setattr("vivavoce.interview.transcript_opening.token_bytes", lambda size: bytes(size))
        patch.setattr("vivavoce.interview.commitment.token_hex", lambda: "0" * 64)
        assert main((*CERTIFY, "--transcript", str(where))) == 0
    return where


@pytest.fixture(scope="module")
def printed(record: Path) -> dict[str, Any]:
    """The certificate, as the same command prints it once more from the record."""
    result: dict[str, Any] = json.loads(certificate_of(CERTIFY, record))
    return result


def certificate_of(command: tuple[str, ...], record: Path) -> str:
    """What the command prints over that record."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main((*command, "--transcript", str(record))) in (0, 3, 4)
    return out.getvalue()


def write_sums(file: Path, number: int, *, weights: int = 1) -> None:
    """Sums of two categories, by turns of so many weights."""
    questions = (
        {
            "id": f"q{n}",
            "question": f"What is {n} + {n + 1}?",
            "answer": 2 * n + 1,
            "category": f"c{n % 2}",
            "weight": 1 + n % weights,
        }
        for n in range(number)
    )
    file.write_text("\n".join(map(json.dumps, questions)))


def rechecked(viva: Viva, document: dict[str, Any], record: Path, folder: Path, *more: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the finding."""
    file = folder / "certificate.json"
    file.write_text(json.dumps(document))
    ended = viva("recheck", str(file), "--transcript", str(record), "--json", *more)
    return ended.code, ended.values if ended.out else {"error": ended.err}


def test_a_certificate_comes_out_of_its_record_again(viva: Viva, printed: dict[str, Any], record: Path, tmp_path: Path) -> None:
    before = record.read_bytes()
    key = record.with_name("run.sqlite.key")
    kept = key.read_bytes()
    key.unlink()
    try:
        code, values = rechecked(viva, printed, record, tmp_path)
        assert not key.exists()
    finally:
        key.write_bytes(kept)
        key.chmod(0o600)
    assert (code, values["same"], values["differences"]) == (0, True, [])
    assert record.read_bytes() == before


def at(*steps: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    """Set one value of a document."""

    def alter(document: dict[str, Any]) -> None:
        position: Any = document if steps[0] in document else document["figures"]
        for step in steps[:-1]:
            position = position[step]
        assert position[steps[-1]] != value
        position[steps[-1]] = value

    return alter


ALTERED: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "verdict": (at("verdict", value="fail"), "verdict"),
    "a grade": (at("worst", 0, "score", value=1.0), "figures.worst[0].score"),
    "a figure": (at("score", "mean", value=0.9999), "figures.score.mean"),
    "the end of an interval": (at("score", "lower", value=0.9), "figures.score.lower"),
    "the seed": (at("seed", value=7), "seed"),
    "its commitment": (at("seed_commitment", value="ab" * 32), "seed_commitment"),
    "that it was committed to": (at("seed_committed", value=False), "seed_committed"),
    "the ledger's line": (at("attempt", "number", value=2), "attempt.number"),
    "the ledger's terms": (
        at("attempt", "terms", "settings", "passing_grade", value=0.9),
        "attempt.terms.settings.passing_grade",
    ),
    "the ledger's digest": (at("attempt", "terms_digest", value="cd" * 32), "attempt.terms_digest"),
    "what the attempt may err": (at("attempt", "delta", value=0.001), "attempt.delta"),
    "the threshold": (at("log_e_values", "pass_threshold", value=1.0), "figures.log_e_values.pass_threshold"),
    "the passing grade": (at("passing_grade", value=0.5), "figures.passing_grade"),
    "delta": (at("delta", value=0.01), "figures.delta"),
    "the number of questions": (at("questions", value=5000), "figures.questions"),
    "a point of the path": (at("path", 0, 1, value=9.0), "figures.path[0][1]"),
    "the candidate": (at("candidates", 0, value="bot:other"), "candidates[0]"),
    "the scope": (at("scope", value="arithmetic?digits=9"), "figures.scope"),
    "the scope's digest": (at("scope_digest", value="ef" * 32), "figures.scope_digest"),
    "the statement": (at("statement", value="It understands everything."), "statement"),
    "a caveat": (at("caveats", 0, value="None."), "caveats[0]"),
    "the head": (at("transcript_head", value=f"3:{'0' * 64}"), "transcript_head"),
}


@pytest.mark.parametrize("what", ALTERED)
def test_one_altered_value_is_named_and_nothing_else(
    viva: Viva, printed: dict[str, Any], record: Path, tmp_path: Path, what: str
) -> None:
    alter, path = ALTERED[what]
    document = json.loads(json.dumps(printed))
    alter(document)
    code, values = rechecked(viva, document, record, tmp_path)
    assert (code, [entry["path"] for entry in values["differences"]]) == (3, [path])


def test_terminal_and_page_say_how(viva: Viva, record: Path, tmp_path: Path) -> None:
    """The page without the folders of the examiner's machine."""
    ended = viva(*in_full(CERTIFY[:-1]), "--transcript", str(record), "--html", "page.html")
    assert f"\nRecheck: viva recheck certificate.json --transcript {record}, with what --json prints" in ended.out
    page = (tmp_path / "page.html").read_text()
    assert "<pre>viva recheck certificate.json --transcript run.sqlite</pre>" in page
    assert str(record.parent) not in page
    assert "viva recheck" not in viva(*in_full(CERTIFY[:-1])).out


OWN = "file:in/sums.jsonl"
PLAN = f"candidates = ['bot:calculator']\nscopes = ['{OWN}']\n[certificate]\nunacceptable_limit = 'none'\n"


@pytest.mark.parametrize(
    "command",
    [
        f"certify bot:calculator --scope {OWN} --unacceptable-limit none --transcript run.sqlite",
        f"compare bot:calculator bot:timekeeper --scope {OWN} --transcript run.sqlite",
        f"report bot:calculator --scope {OWN} --only certificate --out found",
        "compare --plan plan.toml --out found",
    ],
)
def test_what_is_printed_to_recheck_it_with_can_be_run(viva: Viva, tmp_path: Path, command: str) -> None:
    (tmp_path / "in").mkdir()
    write_sums(tmp_path / "in" / "sums.jsonl", 40)
    (tmp_path / "plan.toml").write_text(PLAN)
    ended = viva(*command.split())
    [line] = [line for line in ended.out.splitlines() if line.startswith("Recheck: ")]
    words = line.removeprefix("Recheck: viva ").partition(", with what")[0].split()
    assert words[-2:] == ["--scope", OWN]
    if "found" not in words[1]:
        (tmp_path / words[1]).write_text(viva(*command.split(), "--json").out)
    again = viva(*words)
    assert (again.code, again.out[:11]) == (0, "● The same:"), again.out + again.err


def test_in_words_it_is_short(viva: Viva, printed: dict[str, Any], record: Path, tmp_path: Path) -> None:
    altered = printed | {"verdict": "fail", "figures": printed["figures"] | {"delta": 0.01}}
    (tmp_path / "c.json").write_text(json.dumps(altered))
    ended = viva("recheck", "c.json", "--transcript", str(record))
    assert ended.code == 3
    first, *rest = ended.out.splitlines()
    assert first == "✕ The certificate of bot:calculator?wrong=0.1 differs from the record in 2 places."
    assert rest[0] == '  verdict: the document says "fail", the record "pass"'
    assert rest[1] == "  figures.delta: the document says 0.01, the record 0.05"


def test_what_no_field_of_ours_says_is_named_too(viva: Viva, printed: dict[str, Any], record: Path, tmp_path: Path) -> None:
    missing = printed | {"figures": {name: value for name, value in printed["figures"].items() if name != "orphans"}}
    for document, path in ((printed | {"endorsed": True}, "endorsed"), (missing, "figures.orphans")):
        code, values = rechecked(viva, document, record, tmp_path)
        assert (code, [entry["path"] for entry in values["differences"]]) == (3, [path])


def test_without_a_head_it_is_said_what_is_not_seen(viva: Viva, printed: dict[str, Any], record: Path, tmp_path: Path) -> None:
    document = {name: value for name, value in printed.items() if name != "transcript_head"}
    code, values = rechecked(viva, document, record, tmp_path)
    assert code == 0
    assert "names no head" in values["caveats"][0]


def test_the_limit_of_questions_is_taken_as_it_is_written_and_said(
    viva: Viva, printed: dict[str, Any], record: Path, tmp_path: Path
) -> None:
    """No figure depends on a limit that was not reached, and no record holds it."""
    limited = printed | {"signature": printed["signature"].replace('"questions": null', '"questions": 5000')}
    code, values = rechecked(viva, limited, record, tmp_path)
    assert (code, values["caveats"][0]) == (0, "Not rechecked: that at most 5\u202f000 questions were to be asked.")
    too_low = printed | {"signature": printed["signature"].replace('"questions": null', '"questions": 2')}
    code, values = rechecked(viva, too_low, record, tmp_path)
    assert (code, [entry["path"] for entry in values["differences"]]) == (3, ["signature"])


def test_other_versions_are_said_and_make_no_difference(
    viva: Viva, printed: dict[str, Any], record: Path, tmp_path: Path
) -> None:
    older = printed | {"signature": re.sub(r'"numpy": "[^"]+"', '"numpy": "1.0"', printed["signature"])}
    code, values = rechecked(viva, older, record, tmp_path)
    assert code == 0
    assert any("made with numpy 1.0" in caveat for caveat in values["caveats"])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The record that is tampered with, and its certificate."""
    where = tmp_path_factory.mktemp("whole") / "run.sqlite"
    return where, certificate_of((*TAMPERED_RUN, "--json"), where)


def test_a_record_rewritten_or_rolled_back_is_told_by_the_head_in_the_certificate(
    viva: Viva, whole: tuple[Path, str], tmp_path: Path
) -> None:
    document = json.loads(whole[1])
    rewritten = Path(shutil.copy(whole[0], tmp_path / "rewritten.sqlite"))
    rechain(rewritten, first=5, head=True)
    code, values = rechecked(viva, document, rewritten, tmp_path)
    assert code == 3
    differs = {entry["path"] for entry in values["differences"]}
    # other answers give another score, or leave the verdict open until more are asked
    assert "transcript_head" in differs
    assert differs & {"score.mean", "questions"}
    rolled_back = Path(shutil.copy(whole[0], tmp_path / "rolled.sqlite"))
    roll_back(rolled_back)
    code, values = rechecked(viva, document, rolled_back, tmp_path)
    assert code == 3
    assert "transcript_head" in {entry["path"] for entry in values["differences"]}


def test_record_and_certificate_rewritten_together_are_told_by_a_head_kept_elsewhere_alone(
    viva: Viva, whole: tuple[Path, str], tmp_path: Path
) -> None:
    record = Path(shutil.copy(whole[0], tmp_path / "run.sqlite"))
    head = json.loads(whole[1])["transcript_head"]
    rechain(record, first=5, head=True)
    forged = json.loads(certificate_of((*TAMPERED_RUN, "--json"), record))
    assert rechecked(viva, forged, record, tmp_path)[0] == 0
    code, values = rechecked(viva, forged, record, tmp_path, "--set", f"head={head}")
    assert code == 5
    assert "is not the expected one" in values["error"]
    genuine = json.loads(whole[1])
    assert rechecked(viva, genuine, whole[0], tmp_path, "--set", f"head={head}")[0] == 0


def test_a_line_of_the_ledger_that_was_rewritten_is_named(
    viva: Viva, printed: dict[str, Any], record: Path, tmp_path: Path
) -> None:
    """With all digests, the head and no trace left in the record: by the certificate."""
    document = {name: value for name, value in printed.items() if name != "transcript_head"}
    line = next(entry for entry in records_of(record) if entry.topic == "attempts" and '"terms"' in entry.answer)
    eased = Path(shutil.copy(record, tmp_path / "eased.sqlite"))
    rechain(eased, first=line.seq, head=True, answer=line.answer.replace('"passing_grade":0.7', '"passing_grade":0.6'))
    code, values = rechecked(viva, document, eased, tmp_path)
    paths = {entry["path"] for entry in values["differences"]}
    assert code == 3
    assert {"figures.passing_grade", "attempt.terms_digest", "attempt.terms.settings.passing_grade"} <= paths
    renumbered = Path(shutil.copy(record, tmp_path / "renumbered.sqlite"))
    rechain(renumbered, first=line.seq, head=True, answer=line.answer.replace('"number":1', '"number":2'))
    code, values = rechecked(viva, document, renumbered, tmp_path)
    assert code == 5
    assert f"record {line.seq} says that it is attempt 2" in values["error"]
    ruined = Path(shutil.copy(record, tmp_path / "ruined.sqlite"))
    rechain(ruined, first=line.seq, head=True, answer="[]")
    assert rechecked(viva, document, ruined, tmp_path)[0] == 5


def test_a_seed_that_was_rewritten_is_named(viva: Viva, printed: dict[str, Any], record: Path, tmp_path: Path) -> None:
    document = {name: value for name, value in printed.items() if name != "transcript_head"}
    line = next(entry for entry in records_of(record) if entry.topic == "attempts" and '"secret"' in entry.answer)
    seed = json.loads(line.answer)["seed"]
    chosen, other = seed["number"] ^ 1, "ab" * 32
    forged = [
        (line.seq, {"seed": seed | {"number": chosen}}, "number does not follow from the secret"),
        (line.seq, {"seed": seed | {"secret": other}}, "does not match the commitment on record"),
        (line.seq, {"seed": seed | {"secret": "no hex"}}, "not a hexadecimal number"),
    ]
    for index, (seq, answer, problem) in enumerate(forged):
        altered = Path(shutil.copy(record, tmp_path / f"{index}.sqlite"))
        rechain(altered, first=seq, head=True, answer=json.dumps(answer, separators=(",", ":"), sort_keys=True))
        code, values = rechecked(viva, document, altered, tmp_path)
        assert code == 3
        assert problem in next(entry["found"] for entry in values["differences"] if entry["path"] == "seed")


def test_a_seed_is_not_revealed_before_the_end(viva: Viva, tmp_path: Path) -> None:
    few = viva(*CERTIFY, "--questions", "3", "--transcript", "few.sqlite")
    assert few.code == 4
    code, document = rechecked(viva, few.values, tmp_path / "few.sqlite", tmp_path)
    assert (code, document["same"], document["differences"]) == (4, False, [])
    assert "its seed is not revealed yet" in document["not_rechecked"][0]


def test_later_attempts_are_said(viva: Viva, tmp_path: Path) -> None:
    first = viva(*CERTIFY, "--seed", "0", "--transcript", "run.sqlite")
    again = viva(*CERTIFY, "--seed", "1", "--new-attempt", "--transcript", "run.sqlite")
    code, document = rechecked(viva, first.values, tmp_path / "run.sqlite", tmp_path)
    assert (code, document["caveats"][0][:25]) == (0, "1 later attempt is now on")
    code, document = rechecked(viva, again.values, tmp_path / "run.sqlite", tmp_path)
    assert code == 0
    assert not any("later" in caveat[:30] for caveat in document["caveats"])
    hidden = again.values
    hidden["attempt"]["others"] = []
    code, document = rechecked(viva, hidden, tmp_path / "run.sqlite", tmp_path)
    assert (code, [entry["path"] for entry in document["differences"]]) == (3, ["attempt.others[0]"])


def test_a_file_must_have_the_digest_that_is_on_record(viva: Viva, tmp_path: Path) -> None:
    write_sums(tmp_path / "q.jsonl", 80)
    write_sums(tmp_path / "other.jsonl", 81)
    (tmp_path / "elsewhere").mkdir()
    shutil.copy(tmp_path / "q.jsonl", tmp_path / "elsewhere" / "renamed.jsonl")
    run = viva(
        "certify", "bot:calculator", "--scope", f"file:{tmp_path}/q.jsonl", "--transcript", "q.sqlite", "--quiet", "--json"
    )
    document = run.values
    digest = document["figures"]["scope_digest"]
    for given in ((), ("--scope", "file:other.jsonl")):
        code, values = rechecked(viva, document, tmp_path / "q.sqlite", tmp_path, *given)
        assert (code, values["same"], values["differences"]) == (4, False, [])
        assert "Grades taken as recorded" in values["statement"]
        assert f"the scope 'file:q.jsonl' with the digest {digest} is needed" in values["statement"]
    code, _ = rechecked(viva, document, tmp_path / "q.sqlite", tmp_path, "--scope", "file:elsewhere/renamed.jsonl")
    assert code == 0


MODES = {
    "fixed": ("--scope", "arithmetic", "--set", "procedure=fixed", "--questions", "30"),
    "strata": ("--scope", "arithmetic", "--strata", "category"),
    "evenly": ("--scope", "file:weighed.jsonl", "--set", "importance-weighting"),
    "deployed": ("--scope", "file:weighed.jsonl", "--deployed"),
    "many": ("--scope", "arithmetic?operations=+", "--scope", "arithmetic?operations=/", "--set", "correction=fdr"),
    "each category": ("--scope", "file:q.jsonl", "--split-by", "category"),
    "all of it": ("--scope", "file:q.jsonl", "--set", "zero-is-unacceptable", "--unacceptable-limit", "0.3"),
    "a chosen seed, and a limit": ("--scope", "arithmetic", "--seed", "4", "--questions", "5"),
    "at least": ("--scope", "arithmetic", "--set", "min-questions=30"),
    "with an explanation": ("--scope", "arithmetic", "--set", "explanation-file=products.py", "--set", "checks=200"),
}


@pytest.mark.parametrize("mode", MODES)
def test_every_kind_of_certificate_comes_out_again(viva: Viva, tmp_path: Path, mode: str) -> None:
    write_sums(tmp_path / "q.jsonl", 60)
    write_sums(tmp_path / "weighed.jsonl", 90, weights=3)
    (tmp_path / "products.py").write_text(PRODUCTS)
    asked = ("certify", "bot:calculator?wrong=0.1", "--unacceptable-limit", "none", *MODES[mode])
    run = viva(*asked, "--transcript", "run.sqlite", "--quiet", "--json")
    files = ("--scope", "file:q.jsonl", "--scope", "file:weighed.jsonl", "--file", "products.py")
    code, document = rechecked(viva, run.values, tmp_path / "run.sqlite", tmp_path, *files)
    assert (code, document["differences"]) == (0, []), document


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "it can't be rechecked"),
        ("{}", "it can't be rechecked"),
        ('{"kind": "eqt", "verdict": null}', "it can't be rechecked"),
        ('{"verdict": 1, "verdict": 2}', "'verdict' occurs twice"),
        ('{"verdict": NaN}', "NaN is not a JSON number"),
        ("{" * 100_000, "is not a JSON document of viva"),
        ('{"kind": "certificate", "candidates": ["bot:nobody"]}', "has no certificate of bot:nobody"),
        ('{"kind": "certificate", "candidates": 3}', "has no certificate"),
        ('{"kind": "report"}', "is not a report"),
    ],
)
def test_a_file_that_cannot_be_rechecked_is_refused(
    refuses: Refuses, record: Path, tmp_path: Path, text: str, problem: str
) -> None:
    (tmp_path / "certificate.json").write_text(text)
    refuses("recheck", "certificate.json", "--transcript", str(record), says=problem)
