"""Signatures of the heads of a transcript: Ed25519, by keys as `openssl` and `ssh-keygen` write them.

What is signed is canonical JSON: a purpose, so that no signature can stand for something else, and the digest of the first line
of a sealed export, which names both heads. Anyone with the public key then knows that its owner signed all of the export.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vivavoce.errors import BadFile, BadInput, MissingExtra
from vivavoce.interview.record import canonical_json, digest_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

FIELD: Final = "signed"
"""Of the last line of a sealed export."""
PURPOSE: Final = "vivavoce: the heads of a sealed export"
EXTRA: Final = "sign"
LARGEST: Final = 20_000
"""Bytes of a key's file."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key, to sign with."""

    _key: Ed25519PrivateKey = field(repr=False)

    def signature_of(self, first: Mapping[str, Any]) -> dict[str, str]:
        """The signature of the first line of an export, and by whom it is."""
        signature = self._key.sign(_message(first))
        return {"by": _public_text(self._key.public_key()), "signature": base64.b64encode(signature).decode()}


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key, to verify signatures by."""

    _key: Ed25519PublicKey = field(repr=False)

    def problem_with(self, first: Mapping[str, Any]) -> str:
        """Why a first line, with its signature as the field `signed`, is not signed by this key; empty where it is."""
        from cryptography.exceptions import InvalidSignature

        signed = first.get(FIELD)
        if signed is None:
            return "it is not signed"
        try:
            if signed.keys() != {"by", "signature"}:
                raise TypeError
            signature = base64.b64decode(signed["signature"], validate=True)
        except (TypeError, KeyError, AttributeError, ValueError, binascii.Error):
            return "what stands in place of its signature is none"
        if signed["by"] != _public_text(self._key):
            return "it is signed by another key"
        try:
            self._key.verify(signature, _message({name: value for name, value in first.items() if name != FIELD}))
        except (InvalidSignature, BadInput):
            return "it was altered after it was signed"
        return ""


def signing_key(file: Path) -> SigningKey:
    """The private key in a file, PEM (PKCS 8) or OpenSSH.

    Raises `MissingExtra`, and `BadFile` for a file that others may read, for a key under a passphrase, and for what is no key
    for Ed25519.
    """
    _need()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_ssh_private_key

    text = _read(file)
    if os.name == "posix" and file.stat().st_mode & 0o077:
        raise BadFile(file, "may be read by others than its owner: chmod 600 it, if nobody has")
    load = load_ssh_private_key if b"OPENSSH PRIVATE KEY" in text else load_pem_private_key
    try:
        key = load(text, password=None)
    except (TypeError, ValueError, UnsupportedAlgorithm) as error:
        if b"ENCRYPTED" in text or "password" in str(error).lower():
            raise BadFile(
                file, "is protected by a passphrase: give a key without one, such as 'ssh-keygen -t ed25519 -N \"\"' makes"
            ) from None
        raise BadFile(file, _NO_PRIVATE_KEY) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise BadFile(file, _NO_PRIVATE_KEY)
    return SigningKey(key)


def public_key(file: Path) -> PublicKey:
    """The public key in a file, PEM or OpenSSH; of a private key its public one. Raises `MissingExtra` and `BadFile`."""
    _need()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key, load_ssh_public_key

    text = _read(file)
    if b"PRIVATE KEY" in text:
        return PublicKey(signing_key(file)._key.public_key())
    try:
        key = load_pem_public_key(text) if text.lstrip().startswith(b"-----") else load_ssh_public_key(text.strip())
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise BadFile(file, _NO_PUBLIC_KEY)
    return PublicKey(key)


_NO_PRIVATE_KEY: Final = (
    "holds no private key for Ed25519: make one with 'openssl genpkey -algorithm ed25519' or 'ssh-keygen -t ed25519'"
)
_NO_PUBLIC_KEY: Final = "holds no public key for Ed25519: give the .pub of 'ssh-keygen', or what 'openssl pkey -pubout' writes"


def _need() -> None:
    if find_spec("cryptography") is None:
        raise MissingExtra("cryptography", extra=EXTRA)


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            text = stream.read(LARGEST + 1)
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from None
    if len(text) > LARGEST:
        raise BadFile(file, "is too large to be a key")
    return text


def _public_text(key: Ed25519PublicKey) -> str:
    """The raw key in base64."""
    return base64.b64encode(key.public_bytes_raw()).decode()


def _message(first: Mapping[str, Any]) -> bytes:
    try:
        digest = digest_of(canonical_json(first))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"what is no JSON cannot be signed: {str(error)[:200]}") from None
    return canonical_json({"purpose": PURPOSE, "first_line": digest}).encode()
