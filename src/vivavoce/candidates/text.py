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


def without_key(text: str, key: str) -> str:
    """The text with the key cut out, wherever the other side echoes it.

    >>> without_key("wrong key: sk-0123456789", "sk-0123456789")
    'wrong key: [key]'
    """
    return text.replace(key, "[key]") if len(key) >= SHORTEST_SECRET else text


def quoted(text: str, key: str) -> str:
    """Words of the other side for a message: short and without the key.

    The key is cut out twice: before a cut could leave its beginning, and after control characters in its midst are gone.
    """
    return without_key(shortened(without_key(text, key)), key)
