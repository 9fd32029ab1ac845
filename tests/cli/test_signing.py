"""`--sign`, `--signed-by` and `--head` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Viva
from vivavoce.interview.transcript import Transcript

pytest.importorskip("cryptography")
from tests.interview.test_signing import private_file

CERTIFY = ("certify", "bot:calculator?wrong=0.1", "--scope", "arithmetic", "--ridiculous-limit", "none", "--quiet", "--json")
ON = ("--transcript", "run.sqlite")


@pytest.fixture
def keys(tmp_path: Path) -> tuple[str, str]:
    """The examiner's key, and somebody else's."""
    return str(private_file(tmp_path, "mine")), str(private_file(tmp_path, "other"))


def test_a_signed_certificate_is_rechecked_by_whose_it_is(viva: Viva, keys: tuple[str, str]) -> None:
    mine, other = keys
    ended = viva(*CERTIFY, *ON, "--sign", mine)
    assert ended.code == 0
    Path("certificate.json").write_text(ended.out)
    plain = viva(*CERTIFY, *ON)
    signed = json.loads(ended.out)
    assert signed.pop("signed")["head"] == signed["transcript_head"]
    assert signed == json.loads(plain.out)  # without a key nothing changes
    viva("transcript", "export", "run.sqlite", "sealed.jsonl.gz", "--sealed", "--sign", mine)
    for record in ("run.sqlite", "sealed.jsonl.gz"):
        found = viva("recheck", "certificate.json", "--transcript", record, "--signed-by", mine)
        assert found.code == 0, found.err
        refused = viva("recheck", "certificate.json", "--transcript", record, "--signed-by", other)
        assert (refused.code, "signed by another key" in refused.err) == (5, True)
    assert viva("transcript", "verify", "sealed.jsonl.gz", "--signed-by", mine).code == 0
    assert viva("transcript", "verify", "sealed.jsonl.gz", "--signed-by", other).code == 5


def test_what_was_altered_after_it_was_signed_is_refused(viva: Viva, keys: tuple[str, str]) -> None:
    ended = viva(*CERTIFY, *ON, "--sign", keys[0])
    Path("certificate.json").write_text(ended.out.replace('"money": 0.0', '"money": 0.5'))
    found = viva("recheck", "certificate.json", "--transcript", "run.sqlite", "--signed-by", keys[0])
    assert (found.code, "it was altered after it was signed" in found.err) == (5, True)
    Path("certificate.json").write_text(viva(*CERTIFY, *ON).out)
    found = viva("recheck", "certificate.json", "--transcript", "run.sqlite", "--signed-by", keys[0])
    assert (found.code, "it is not signed" in found.err) == (5, True)


def test_the_signed_head_must_be_in_the_record(viva: Viva, keys: tuple[str, str]) -> None:
    Path("certificate.json").write_text(viva(*CERTIFY, *ON, "--sign", keys[0]).out)
    assert viva(*CERTIFY, "--transcript", "another.sqlite").code in (0, 3)
    found = viva("recheck", "certificate.json", "--transcript", "another.sqlite", "--signed-by", keys[0])
    assert found.code == 5
    Path("certificate.json").write_text(viva(*CERTIFY, "--sign", keys[0]).out)
    found = viva("recheck", "certificate.json", "--transcript", "run.sqlite", "--signed-by", keys[0])
    assert (found.code, "signed without a head" in found.err) == (5, True)


def test_an_export_that_was_changed_or_stripped_is_not_what_was_signed(viva: Viva, keys: tuple[str, str]) -> None:
    viva(*CERTIFY, *ON)
    viva("transcript", "export", "run.sqlite", "sealed.jsonl", "--sealed", "--sign", keys[0])
    lines = Path("sealed.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    Path("sealed.jsonl").write_text("\n".join([json.dumps(first | {"lines": first["lines"] - 1}), *lines[1:-1]]) + "\n")
    assert viva("transcript", "verify", "sealed.jsonl").code == 0
    found = viva("transcript", "verify", "sealed.jsonl", "--signed-by", keys[0])
    assert (found.code, "it is not signed" in found.err) == (5, True)
    Path("sealed.jsonl").write_text("\n".join([*lines[:-1], json.dumps({"note": 1})]) + "\n")
    assert "its last line is no signature" in viva("transcript", "verify", "sealed.jsonl").err


def test_a_dossier_is_signed(viva: Viva, keys: tuple[str, str]) -> None:
    Path("plan.toml").write_text(
        "rooms = ['certificate']\n[[certificate]]\nscope = 'arithmetic?operations=+'\nridiculous_limit = 'none'\n"
    )
    arguments = ("examine", "bot:calculator", "--plan", "plan.toml", "--out", "out", "--quiet")
    assert viva(*arguments, "--sign", keys[0]).code in (0, 3)
    signed = json.loads(Path("out/dossier.json").read_text())["signed"]
    with Transcript.open("out/transcript.sqlite", must_exist=True) as transcript:
        assert signed["head"] == str(transcript.head)
    recheck = ("recheck", "out", "--transcript", "out/transcript.sqlite", "--signed-by")
    assert viva(*recheck, keys[0]).code == 0
    assert viva(*recheck, keys[1]).code == 5


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("certify", "bot:eliza", "--scope", "intervals", "--sign", "mine"), "give '--json'"),
        (("transcript", "export", "run.sqlite", "--sign", "mine"), "is for '--sealed'"),
        (("transcript", "verify", "run.sqlite", "--signed-by", "mine"), "is for a sealed export"),
        (("certify", "bot:eliza", "--scope", "intervals", "--head", f"1:{'0' * 64}"), "give '--transcript'"),
        (("certify", "bot:eliza", "--scope", "intervals", "--head", "x", *ON), "is no head"),
        (("certify", "bot:eliza", "--scope", "intervals", "--json", "--sign", "nothing"), "nothing: cannot be read"),
    ],
)
def test_what_cannot_be_meant_is_refused(viva: Viva, keys: tuple[str, str], arguments: tuple[str, ...], problem: str) -> None:
    Transcript.open("run.sqlite").close()
    ended = viva(*arguments)
    assert ended.code == 2
    assert problem in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("command", ["certify", "examine"])
def test_a_record_that_was_rolled_back_is_refused_by_a_later_head(viva: Viva, command: str) -> None:
    import shutil

    Path("plan.toml").write_text(
        "rooms = ['certificate']\n[[certificate]]\nscope = 'arithmetic?operations=+'\nridiculous_limit = 'none'\n"
    )
    more = {
        "certify": (*CERTIFY, *ON, "--seed", "1"),
        "examine": ("examine", "bot:calculator?wrong=0.1", "--plan", "plan.toml", "--out", "out", *ON, "--quiet"),
    }[command]
    viva(*more, "--questions", "5")
    with Transcript.open("run.sqlite") as transcript:
        earlier = str(transcript.head)
    shutil.copy("run.sqlite", "earlier.sqlite")
    viva(*more)
    with Transcript.open("run.sqlite") as transcript:
        later = str(transcript.head)
    assert later != earlier
    assert viva(*more, "--head", earlier).code in (0, 3, 4)
    shutil.copy("earlier.sqlite", "run.sqlite")
    refused = viva(*more, "--head", later)
    assert (refused.code, "it is cut off" in refused.err) == (5, True)
    other = f"{earlier.partition(':')[0]}:{'0' * 64}"
    assert "is not the expected one" in viva(*more, "--head", other).err
    Path("run.sqlite").unlink()
    assert viva(*more, "--head", later).code == 2
    assert not Path("run.sqlite").exists()
