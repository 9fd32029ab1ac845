"""`--sign` and `--signed-by` of exports, and `--set head`, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva
from vivavoce.interview.transcript import Transcript

pytest.importorskip("cryptography")
from tests.interview.test_signing import private_file

CERTIFY = ("certify", "bot:calculator?wrong=0.1", "--scope", "arithmetic", "--unacceptable-limit", "none", "--quiet", "--json")
ON = ("--transcript", "run.sqlite")


@pytest.fixture
def keys(tmp_path: Path) -> tuple[str, str]:
    """The examiner's key, and another one."""
    return str(private_file(tmp_path, "mine")), str(private_file(tmp_path, "other"))


def test_an_export_is_verified_by_whose_it_is(viva: Viva, keys: tuple[str, str]) -> None:
    mine, other = keys
    Path("certificate.json").write_text(viva(*CERTIFY, *ON).out)
    viva("transcript", "export", "run.sqlite", "sealed.jsonl.gz", "--sealed", "--sign", mine)
    assert viva("transcript", "verify", "sealed.jsonl.gz", "--signed-by", mine).code == 0
    refused = viva("transcript", "verify", "sealed.jsonl.gz", "--signed-by", other)
    assert (refused.code, "signed by another key" in refused.err) == (5, True)
    assert viva("recheck", "certificate.json", "--transcript", "sealed.jsonl.gz").code == 0


def test_an_export_that_was_changed_or_stripped_is_not_what_was_signed(viva: Viva, keys: tuple[str, str]) -> None:
    viva(*CERTIFY, *ON)
    viva("transcript", "export", "run.sqlite", "sealed.jsonl", "--sealed", "--sign", keys[0])
    lines = Path("sealed.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    Path("sealed.jsonl").write_text("\n".join([json.dumps(first | {"lines": first["lines"] - 1}), *lines[1:-1]]) + "\n")
    assert viva("transcript", "verify", "sealed.jsonl").code == 0
    output = viva("transcript", "verify", "sealed.jsonl", "--signed-by", keys[0])
    assert (output.code, "it is not signed" in output.err) == (5, True)
    Path("sealed.jsonl").write_text("\n".join([*lines[:-1], json.dumps({"note": 1})]) + "\n")
    assert "its last line is not a signature" in viva("transcript", "verify", "sealed.jsonl").err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("transcript", "export", "run.sqlite", "--sign", "mine"), "is for '--sealed'"),
        (("transcript", "verify", "run.sqlite", "--signed-by", "mine"), "is for a sealed export"),
        (("certify", "bot:eliza", "--scope", "intervals", "--set", f"head=1:{'0' * 64}"), "give '--transcript'"),
        (("certify", "bot:eliza", "--scope", "intervals", "--set", "head=x", *ON), "is not a head"),
        (("transcript", "export", "run.sqlite", "s.jsonl", "--sealed", "--sign", "nothing"), "nothing: cannot be read"),
    ],
)
def test_signatures_and_heads_that_do_not_fit_are_refused(
    refuses: Refuses, keys: tuple[str, str], arguments: tuple[str, ...], problem: str
) -> None:
    Transcript.open("run.sqlite").close()
    refuses(*arguments, says=problem)


@pytest.mark.parametrize("command", ["certify", "examine"])
def test_a_record_that_was_rolled_back_is_refused_by_a_later_head(viva: Viva, command: str) -> None:
    import shutil

    Path("plan.toml").write_text(
        "examinations = ['certificate']\n[[certificate]]\nscope = 'arithmetic?operations=+'\nunacceptable_limit = 'none'\n"
    )
    more = {
        "certify": (*CERTIFY, *ON, "--seed", "1"),
        "examine": ("report", "bot:calculator?wrong=0.1", "--plan", "plan.toml", "--out", "out", *ON, "--quiet"),
    }[command]
    viva(*more, "--questions", "5")
    with Transcript.open("run.sqlite") as transcript:
        earlier = str(transcript.head)
    shutil.copy("run.sqlite", "earlier.sqlite")
    viva(*more)
    with Transcript.open("run.sqlite") as transcript:
        later = str(transcript.head)
    assert later != earlier
    assert viva(*more, "--set", f"head={earlier}").code in (0, 3, 4)
    shutil.copy("earlier.sqlite", "run.sqlite")
    refused = viva(*more, "--set", f"head={later}")
    assert (refused.code, "it is cut off" in refused.err) == (5, True)
    other = f"{earlier.partition(':')[0]}:{'0' * 64}"
    assert "is not the expected one" in viva(*more, "--set", f"head={other}").err
    Path("run.sqlite").unlink()
    assert viva(*more, "--set", f"head={later}").code == 2
    assert not Path("run.sqlite").exists()
