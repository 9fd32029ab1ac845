"""`viva recheck`: the same document comes out of the record again, and whatever was altered is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Viva
from vivavoce.cli import main

CERTIFY = ("certify", "bot:calculator?wrong=0.1", "--scope", "arithmetic", "--ridiculous-limit", "none", "--quiet", "--json")


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of an examination with a seed that was drawn; its certificate lies beside it."""
    where = tmp_path_factory.mktemp("record") / "run.sqlite"
    with pytest.MonkeyPatch.context() as patch:  # drawn once and for all: some answers must be wrong
        patch.setattr("vivavoce.interview.record_key.token_bytes", lambda size: bytes(size))
        patch.setattr("vivavoce.interview.commitment.token_hex", lambda: "0" * 64)
        assert main((*CERTIFY, "--transcript", str(where))) == 0
    return where


@pytest.fixture(scope="module")
def printed(record: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The certificate, as the same command prints it once more from the record."""
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main((*CERTIFY, "--transcript", str(record))) == 0
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def rechecked(viva: Viva, document: dict[str, Any], record: Path, folder: Path, *more: str) -> tuple[int, dict[str, Any]]:
    """The exit code, and what was found."""
    file = folder / "certificate.json"
    file.write_text(json.dumps(document))
    ended = viva("recheck", str(file), "--transcript", str(record), "--json", *more)
    return ended.code, json.loads(ended.out) if ended.out else {"error": ended.err}


def test_a_certificate_comes_out_of_its_record_again(viva: Viva, printed: dict[str, Any], record: Path, tmp_path: Path) -> None:
    before = record.read_bytes()
    key = record.with_name("run.sqlite.key")
    kept = key.read_bytes()
    key.unlink()
    try:
        code, found = rechecked(viva, printed, record, tmp_path)
        assert not key.exists()
    finally:
        key.write_bytes(kept)
        key.chmod(0o600)
    assert (code, found["same"], found["differences"]) == (0, True, [])
    assert record.read_bytes() == before


def at(*steps: str | int, value: Any) -> Callable[[dict[str, Any]], None]:
    """Set one value of a document."""

    def alter(document: dict[str, Any]) -> None:
        place: Any = document
        for step in steps[:-1]:
            place = place[step]
        assert place[steps[-1]] != value
        place[steps[-1]] = value

    return alter


ALTERED: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "verdict": (at("verdict", value="does not understand"), "verdict"),
    "a grade": (at("worst", 0, "score", value=1.0), "worst[0].score"),
    "a figure": (at("score", "mean", value=0.9999), "score.mean"),
    "the end of an interval": (at("score", "lower", value=0.9), "score.lower"),
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
    "the threshold": (at("log_e_values", "pass_threshold", value=1.0), "log_e_values.pass_threshold"),
    "the passing grade": (at("passing_grade", value=0.5), "passing_grade"),
    "delta": (at("delta", value=0.01), "delta"),
    "the number of questions": (at("questions", value=5000), "questions"),
    "a point of the path": (at("path", 0, 1, value=9.0), "path[0][1]"),
    "the candidate": (at("candidate", value="bot:other"), "candidate"),
    "the scope": (at("scope", value="arithmetic?digits=9"), "scope"),
    "the scope's digest": (at("scope_digest", value="ef" * 32), "scope_digest"),
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
    code, found = rechecked(viva, document, record, tmp_path)
    assert (code, [one["path"] for one in found["differences"]]) == (3, [path])
