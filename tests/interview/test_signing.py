"""Signatures: by keys as other programs write them, over exactly what is said."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.each_case import each_case
from tests.late_import import LateImport
from vivavoce.errors import BadFile, MissingExtra
from vivavoce.interview.sealed_transcript import SigningKey, public_key, signing_key

ed25519 = LateImport("cryptography.hazmat.primitives.asymmetric.ed25519")
serialization = LateImport("cryptography.hazmat.primitives.serialization")

FIRST: dict[str, Any] = {"sealed": 1, "records": f"3:{'a' * 64}", "é": [1, None, True, 0.1 + 0.2]}


def signed_by(key: SigningKey, first: dict[str, Any]) -> dict[str, Any]:
    """The first line of an export with its signature, as it is read."""
    return {**first, "signed": key.signature_of(first)}


def in_pem(key: Any) -> bytes:
    """A private key as a file has it."""
    text: bytes = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return text


def private_file(folder: Path, name: str = "key", text: bytes | None = None) -> Path:
    file = folder / name
    if text is None:
        text = in_pem(ed25519.Ed25519PrivateKey.generate())
    file.write_bytes(text)
    file.chmod(0o600)
    return file


def run(*command: str) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"there is no {command[0]}")
    subprocess.run(command, check=True, capture_output=True)


@pytest.mark.parametrize("program", ["openssl", "ssh-keygen"])
def test_keys_as_other_programs_write_them(tmp_path: Path, program: str) -> None:
    key, public = tmp_path / "key", tmp_path / "key.pub"
    if program == "openssl":
        run("openssl", "genpkey", "-algorithm", "ed25519", "-out", str(key))
        run("openssl", "pkey", "-in", str(key), "-pubout", "-out", str(public))
        key.chmod(0o600)
    else:
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "somebody here", "-f", str(key))
    signed = signed_by(signing_key(key), FIRST)
    assert public_key(public).problem_with(signed) == ""
    assert public_key(key).problem_with(signed) == ""  # whoever has the private key need not find the public one


def test_another_program_verifies_the_same_message(tmp_path: Path) -> None:
    key, public = private_file(tmp_path), tmp_path / "key.pub"
    run("openssl", "pkey", "-in", str(key), "-pubout", "-out", str(public))
    signed = signing_key(key).signature_of({"n": 1})
    # by hand: sorted, without blanks
    digest = hashlib.sha256(b'{"n":1}').hexdigest()
    message = f'{{"first_line":"{digest}","purpose":"vivavoce: the heads of a sealed export"}}'
    (tmp_path / "message").write_text(message)
    (tmp_path / "signature").write_bytes(base64.b64decode(signed["signature"]))
    files = ("-rawin", "-in", str(tmp_path / "message"), "-sigfile", str(tmp_path / "signature"))
    run("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", str(public), *files)


def test_what_is_signed_survives_being_written_and_read(tmp_path: Path) -> None:
    key = private_file(tmp_path)
    signed = json.loads(json.dumps(signed_by(signing_key(key), FIRST), indent=1))
    assert public_key(key).problem_with(signed) == ""
    assert public_key(key).problem_with(dict(reversed(signed.items()))) == ""  # in whatever order its fields stand


ALTERED: dict[str, tuple[dict[str, Any], str]] = {
    "a field": ({"records": f"4:{'a' * 64}"}, "it was altered after it was signed"),
    "a field more": ({"more": 1}, "it was altered after it was signed"),
    "no signature": ({"signed": None}, "it is not signed"),
    "no object": ({"signed": "x"}, "its signature is malformed"),
    "a number": ({"signed": 5}, "its signature is malformed"),
    "nothing": ({"signed": {}}, "its signature is malformed"),
    "half a surrogate pair": ({"records": "\ud800"}, "altered"),
}


@each_case("name", ALTERED)
def test_what_was_altered_is_not_signed(tmp_path: Path, name: str) -> None:
    changes, problem = ALTERED[name]
    key = private_file(tmp_path)
    assert problem in public_key(key).problem_with(signed_by(signing_key(key), FIRST) | changes)


@each_case(
    ("field", "value", "problem"),
    [
        ("signature", 3, "is malformed"),
        ("signature", "", "altered"),
        ("signature", "no base64!", "is malformed"),
        ("signature", "é", "is malformed"),
        ("signature", base64.b64encode(bytes(64)).decode(), "altered"),
        ("by", "x", "another key"),
        ("more", "x", "is malformed"),
    ],
)
def test_an_altered_signature_is_none(tmp_path: Path, field: str, value: object, problem: str) -> None:
    key = private_file(tmp_path)
    signed = signed_by(signing_key(key), FIRST)
    assert problem in public_key(key).problem_with(signed | {"signed": signed["signed"] | {field: value}})


def test_another_key_is_another_signer(tmp_path: Path) -> None:
    signed = signed_by(signing_key(private_file(tmp_path)), FIRST)
    other = public_key(private_file(tmp_path, "other"))
    assert other.problem_with(signed) == "it is signed by another key"
    claimed = signing_key(private_file(tmp_path, "other")).signature_of({})["by"]
    assert public_key(tmp_path / "other").problem_with(signed | {"signed": signed["signed"] | {"by": claimed}}) != ""


def test_a_private_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    key = private_file(tmp_path)
    for mode in (0o640, 0o604, 0o660):
        key.chmod(mode)
        with pytest.raises(BadFile, match="can be read by other users: run chmod 600 on it"):
            signing_key(key)


def test_a_key_under_a_passphrase_is_refused_with_the_remedy(tmp_path: Path) -> None:
    generated = ed25519.Ed25519PrivateKey.generate()
    form = serialization.PrivateFormat.PKCS8
    text = generated.private_bytes(serialization.Encoding.PEM, form, serialization.BestAvailableEncryption(b"secret"))
    private_file(tmp_path, "pem", text)
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", str(tmp_path / "openssh"))
    for name in ("pem", "openssh"):
        with pytest.raises(BadFile, match="is protected by a passphrase"):
            signing_key(tmp_path / name)


def test_a_key_for_rsa_is_refused(tmp_path: Path) -> None:
    rsa = LateImport("cryptography.hazmat.primitives.asymmetric.rsa")
    assert_is_no_key(tmp_path, in_pem(rsa.generate_private_key(65537, 2048)))


@each_case("text", [b"", b"hello", b"-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n", b"\xff" * 9])
def test_what_is_no_key_for_ed25519_is_refused(tmp_path: Path, text: bytes) -> None:
    assert_is_no_key(tmp_path, text)


def assert_is_no_key(tmp_path: Path, text: bytes) -> None:
    file = private_file(tmp_path, "x", text)
    with pytest.raises(BadFile, match="holds no private key for Ed25519"):
        signing_key(file)
    with pytest.raises(BadFile, match="holds no p"):
        public_key(file)


def test_what_cannot_be_a_key_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="too large to be a key"):
        signing_key(private_file(tmp_path, "big", b"x" * 100_000))
    with pytest.raises(BadFile, match="cannot be read"):
        signing_key(tmp_path / "none")
    with pytest.raises(BadFile, match="cannot be read"):
        public_key(tmp_path)


def test_no_key_shows_itself(tmp_path: Path) -> None:
    key = signing_key(private_file(tmp_path))
    assert repr(key) == "SigningKey()"


def test_without_the_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.interview.sealed_transcript.find_spec", lambda name: None)
    for read in (signing_key, public_key):
        with pytest.raises(MissingExtra, match=r"pip install 'vivavoce\[sign\]'"):
            read(private_file(tmp_path))
