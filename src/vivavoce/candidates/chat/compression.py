"""Compressed bodies, expanded piece by piece: gateways compress whatever was asked for, and a few bytes can fill the memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, Protocol

PIECE: Final = 65_536
"""Bytes that are expanded at once."""
_NONE: Final = frozenset({"", "identity", "none"})
_WINDOW: Final = 16 + zlib.MAX_WBITS
"""What zlib calls gzip."""


class Unreadable(ValueError):
    """The body cannot be expanded; the text says why."""


class Decoder(Protocol):
    """Expands a body as it comes."""

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """What one more chunk of it expands to, in pieces of bounded size. Raises `Unreadable`."""
        ...


def decoders(encoding: str) -> list[Decoder]:
    """What a `Content-Encoding` takes to be undone, in the order in which it is. Raises `Unreadable` for an unknown one.

    >>> [type(decoder).__name__ for decoder in decoders("Identity, GZIP")]
    ['Zlib']
    """
    names = [name.strip().lower() for name in encoding.split(",")]
    return [_decoder(name) for name in reversed(names) if name not in _NONE]


def expanded(chunk: bytes, through: list[Decoder]) -> Iterator[bytes]:
    """What a chunk expands to by these decoders, one after the other."""
    if not through:
        yield chunk
        return
    for piece in through[0].pieces(chunk):
        yield from expanded(piece, through[1:])


def _decoder(name: str) -> Decoder:
    match name:
        case "gzip" | "x-gzip":
            return Zlib(_WINDOW)
        case "deflate":
            return Zlib(zlib.MAX_WBITS)
        case "br":
            return Brotli()
    raise Unreadable(f"the reply is compressed by '{name[:40]}', which was not asked for")


class Zlib:
    """Gzip, of one part or several, and deflate, with its header or without.

    >>> b"".join(Zlib(zlib.MAX_WBITS).pieces(zlib.compress(b"yes", wbits=-15)))
    b'yes'
    """

    def __init__(self, window: int) -> None:
        self._new: Callable[[], Any] = partial(zlib.decompressobj, window)
        self._stream = self._new()
        self._may_lack_header = window == zlib.MAX_WBITS

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """What one more chunk expands to. Raises `Unreadable`."""
        if self._may_lack_header and chunk:
            self._may_lack_header = False
            if not _begins_zlib(chunk):
                self._new = partial(zlib.decompressobj, -zlib.MAX_WBITS)
                self._stream = self._new()
        full = False
        while chunk or full:  # a full piece may leave more of its input inside the stream
            if self._stream.eof:
                self._stream = self._new()
            try:
                piece = self._stream.decompress(chunk, PIECE)
            except zlib.error as error:
                raise Unreadable(f"the reply cannot be expanded: {error}") from None
            chunk = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            full = len(piece) == PIECE and not self._stream.eof
            if piece:
                yield piece


def _begins_zlib(chunk: bytes) -> bool:
    """Whether a chunk begins with zlib's header (RFC 1950): the method, and a check over two bytes."""
    return chunk[0] & 0x0F == 8 and (len(chunk) == 1 or (chunk[0] << 8 | chunk[1]) % 31 == 0)


class Brotli:
    """Brotli, by the package of that name.

    >>> import brotli
    >>> b"".join(Brotli().pieces(brotli.compress(b"yes")))
    b'yes'
    """

    def __init__(self) -> None:
        from brotli import Decompressor

        self._stream = Decompressor()

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """What one more chunk expands to. Raises `Unreadable`."""
        try:
            yield self._stream.process(chunk, output_buffer_limit=PIECE)
            while not self._stream.can_accept_more_data():
                yield self._stream.process(b"", output_buffer_limit=PIECE)
        except Exception as error:  # the package has no error class that typing knows
            raise Unreadable(f"the reply cannot be expanded: {error}") from None
