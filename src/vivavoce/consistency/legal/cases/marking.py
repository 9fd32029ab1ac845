"""A fact and its paraphrase side by side: words that stay, words that were removed, words that were added."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final, Literal

from vivavoce.formats.wording import clipped
from vivavoce.report.blocks import Difference

SHOWN_CHARACTERS: Final = 1_500
"""Of a fact and of a paraphrase."""
SHOWN_WORDS: Final = 300
"""That are compared; the time grows with their square."""

Kind = Literal["same", "removed", "added"]
Piece = tuple[Kind, str]


def marked(before: str, after: str) -> tuple[Difference, Difference]:
    """Both texts in pieces.

    >>> marked("He was jailed twice.", "He was imprisoned twice.")[1].pieces
    (('same', 'He was '), ('added', 'imprisoned'), ('same', ' twice.'))
    """
    old, new = (re.findall(r"\S+\s*", clipped(text, SHOWN_CHARACTERS))[:SHOWN_WORDS] for text in (before, after))
    matcher = SequenceMatcher(None, [word.strip() for word in old], [word.strip() for word in new], autojunk=False)
    removed: list[Piece] = []
    added: list[Piece] = []
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        _add(removed, "same" if kind == "equal" else "removed", "".join(old[old_from:old_to]))
        _add(added, "same" if kind == "equal" else "added", "".join(new[new_from:new_to]))
    return Difference(tuple(removed)), Difference(tuple(added))


def _add(pieces: list[Piece], kind: Kind, text: str) -> None:
    """One more piece; the blank behind it is marked as little as that before it."""
    words, blank = text.rstrip(), text[len(text.rstrip()) :]
    parts: tuple[Piece, Piece] = ((kind, words), ("same", blank))
    for part, piece in parts:
        if piece and pieces and pieces[-1][0] == part:
            pieces[-1] = (part, pieces[-1][1] + piece)
        elif piece:
            pieces.append((part, piece))
