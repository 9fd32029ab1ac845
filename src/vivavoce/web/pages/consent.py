"""What players agree to before they play, by version; a player's row says which one it was.

A version that somebody has agreed to is never changed: a new text is a new version.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from vivavoce.errors import BadInput


@dataclass(frozen=True, slots=True)
class Consent:
    """A text that players agree to."""

    paragraphs: tuple[tuple[str, str], ...]
    """Heading and words of each."""
    adult: str
    """What the first box says."""
    release: str
    """What the second says."""


_FIRST: Final = Consent(
    paragraphs=(
        (
            "What you will do",
            "You write questions for a stranger, answer the stranger's questions, and guess how smart other people have "
            "found them. Some strangers are machines. You are told which only when a game is over.",
        ),
        (
            "What is published",
            "Luna is a study of how people judge each other and machines. Your questions, answers, marks and guesses, with "
            "their times and the ratings that came of them, may be published for research, without your name and without "
            "your address. So please write nothing by which you or anybody else could be recognised.",
        ),
        (
            "What is not",
            "A name and an e-mail address, if you give them, stay here. Your password is kept only in a form from which it "
            "cannot be read.",
        ),
        (
            "It is up to you",
            "You may stop at any time without saying why. If you delete your account, what you wrote goes with it at once. "
            "What was published before that cannot be called back, and the ratings that your guesses gave to others stay.",
        ),
    ),
    adult="I am 18 years old or older.",
    release="I have read this, I take part of my own free will, and what I write may be published as described.",
)
_WITH_JUDGEMENTS: Final = (
    (
        "What you will do",
        "You write questions for a stranger, answer the stranger's questions, guess how smart other people have found them, "
        "and say whether you take them for a person or a machine. Some strangers are machines. You are told which only when a "
        "game is over.",
    ),
    (
        "What is published",
        "Luna is a study of how people judge each other and machines. Your questions, answers, marks, guesses and what you "
        "took strangers for, with their times and the ratings that came of them, may be published for research, without your "
        "name and without your address. So please write nothing by which you or anybody else could be recognised.",
    ),
)
TEXTS: Final[Mapping[str, Consent]] = {
    "1": _FIRST,
    "2": replace(_FIRST, paragraphs=(*_WITH_JUDGEMENTS, *_FIRST.paragraphs[2:])),
}


def check_version(version: str) -> None:
    """Raises `BadInput` for a text that there is not."""
    if version not in TEXTS:
        raise BadInput(f"there is no consent text {version!r}: there are {', '.join(TEXTS)}")
