"""Text from outside, made fit to be kept: valid Unicode, without the key, and short where it is quoted."""

from __future__ import annotations

SHORTEST_SECRET = 8
"""Keys below this length are place-holders (`EMPTY`, `none`), not secrets; cutting them out would mutilate answers."""


def as_unicode(text: str) -> str:
    r"""The text with each half of a surrogate pair that stands alone replaced by U+FFFD.

    JSON can carry such halves (`"\ud83d"`), UTF-8 and every database cannot.

    >>> as_unicode("cut emoji: \ud83d")
    'cut emoji: \ufffd'
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def shortened(text: str, limit: int = 200) -> str:
    r"""The text on one line, without control characters, of at most `limit` characters.

    >>> shortened("a\n\n  b\x1b[31m", 40)
    'a b[31m'
    """
    line = " ".join("".join(c for c in as_unicode(text[: 10 * limit]) if c.isprintable() or c.isspace()).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def without_key(text: str, *keys: str) -> str:
    """The text with the keys cut out, wherever the other side echoes them; the longest first, as one can hold another.

    >>> without_key("wrong key: sk-0123456789", "sk-0123456789")
    'wrong key: [key]'
    """
    for key in sorted(keys, key=len, reverse=True):
        if len(key) >= SHORTEST_SECRET:
            text = text.replace(key, "[key]")
    return text


def quoted(text: str, *keys: str) -> str:
    """Words of the other side for a message: short and without the keys.

    The keys are cut out twice: before a cut could leave a beginning, and after control characters in their midst are gone.
    """
    return without_key(shortened(without_key(text, *keys)), *keys)
