"""Requests to an untrusted server: its data are bounded, and secrets are removed from its echoes.

Compressed bodies are expanded piece by piece: gateways may compress without being asked, and a few bytes can fill the memory.

Also extracts the JSON document from a body, with a byte order mark or as a stream.
"""

from __future__ import annotations

import asyncio
import errno
import json
import re
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final, NamedTuple

import aiohttp
from yarl import URL

from vivavoce.candidates.text import quoted
from vivavoce.errors import CandidateMisconfigured, ServiceFault

PIECE: Final = 65_536
"""Bytes that are expanded at once."""
_NONE: Final = frozenset({"", "identity", "none"})
_WINDOW: Final = 16 + zlib.MAX_WBITS
"""zlib's code for gzip."""


class Unreadable(ValueError):
    """The body can't be unpacked; the message says why."""


def decoders(encoding: str) -> list[Zlib | Brotli]:
    """The decoders for a `Content-Encoding`, in order. Raises `Unreadable` for an unknown one.

    >>> [type(decoder).__name__ for decoder in decoders("Identity, GZIP")]
    ['Zlib']
    """
    names = [name.strip().lower() for name in encoding.split(",")]
    return [_decoder(name) for name in reversed(names) if name not in _NONE]


def expanded(chunk: bytes, through: list[Zlib | Brotli]) -> Iterator[bytes]:
    """Expand a chunk by these decoders, one after the other."""
    if not through:
        yield chunk
        return
    for piece in through[0].pieces(chunk):
        yield from expanded(piece, through[1:])


def _decoder(name: str) -> Zlib | Brotli:
    match name:
        case "gzip" | "x-gzip":
            return Zlib(_WINDOW)
        case "deflate":
            return Zlib(zlib.MAX_WBITS)
        case "br":
            return Brotli()
    raise Unreadable(f"the reply is compressed by '{name[:40]}', which was not requested")


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
        """Unpack one more chunk. Raises `Unreadable`."""
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
                raise Unreadable(f"the reply can't be unpacked: {error}") from None
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
        """Unpack one more chunk. Raises `Unreadable`."""
        try:
            yield self._stream.process(chunk, output_buffer_limit=PIECE)
            while not self._stream.can_accept_more_data():
                yield self._stream.process(b"", output_buffer_limit=PIECE)
        except Exception as error:  # the package has no error class that typing knows
            raise Unreadable(f"the reply can't be unpacked: {error}") from None


CONNECT_SECONDS: Final = 10.0
_ERROR_BYTES: Final = 16_384
_LOOK_SECONDS: Final = 3.0
"""Seconds to check whether a port uses the other one of http and https."""
_REQUEST: Final = b"HEAD / HTTP/1.0\r\n\r\n"
"""The request for this check, without key and question."""
_AROUND: Final = 4_096
"""Bytes of a line in addition to its body."""


class Response(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


class Http:
    """Connections to one server, kept alive and not limited in number: the interview limits requests in flight.

    Parameters
    ----------
    key: sent with every request, unless it is empty.
    headers: further ones.
    longest: the most bytes of a body, or of a line if it is read by lines.
    """

    def __init__(self, key: str, headers: Mapping[str, str], *, longest: int) -> None:
        self._key = key
        self._headers = headers
        self._longest = longest
        words = (word for value in headers.values() for word in (value, *value.split()))
        self.secrets = (key, *dict.fromkeys(words))
        """Secrets to remove from all texts."""
        self._session: aiohttp.ClientSession | None = None
        self._has_replied = False
        self._other_scheme: asyncio.Task[bool] | None = None
        """A check, made once, whether the server uses the other scheme."""

    async def send(
        self, method: str, where: URL, data: Any = None, *, content: str = "application/json", longest: int | None = None
    ) -> Response:
        """One attempt; errors of transport are a `ServiceFault`.

        content: the type of `data`. longest: the most bytes of the body, if not the default.
        """
        async with self._sent(method, where, data, content) as response:
            return Response(response.status, response.headers, await self._read(response, longest or self._longest))

    async def lines(self, where: URL) -> AsyncIterator[bytes | Response]:
        """Yield the lines of a body; too long lines are cut. A refusal is yielded as a response."""
        async with self._sent("GET", where, None, "") as response:
            if response.status >= 300:
                yield Response(response.status, response.headers, await self._read(response, _ERROR_BYTES))
                return
            rest, longest = bytearray(), self._longest + _AROUND
            async for chunk in self._chunks(response):
                *whole, last = chunk.split(b"\n")
                for part in whole:
                    yield bytes(rest + part)[:longest]
                    rest.clear()
                if len(rest) <= longest:
                    rest += last
            if rest:
                yield bytes(rest)[:longest]

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def quoted(self, text: str) -> str:
        return quoted(text, *self.secrets)

    @asynccontextmanager
    async def _sent(self, method: str, where: URL, data: Any, content: str) -> AsyncIterator[aiohttp.ClientResponse]:
        reached = False
        headers = {"Content-Type": content} if content else {}
        try:
            async with self._open_session().request(
                method, where, data=data, headers=headers, allow_redirects=False
            ) as response:
                reached = self._has_replied = True
                yield response
        except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError) as error:
            await self._check_scheme(where)
            problem = f"no secure connection to {where}: {self.quoted(str(error))}"
            raise CandidateMisconfigured(problem, hearing="unheard") from None
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:  # before a byte was sent
            if isinstance(error, aiohttp.ConnectionTimeoutError):  # perhaps an unanswered handshake
                await self._check_scheme(where)
            elif error.os_error.errno in (errno.EMFILE, errno.ENFILE):  # our limit, not the service's
                raise CandidateMisconfigured(
                    f"no connection to {where}: too many files and connections are open here; ask fewer questions at once "
                    "('--concurrency 8'), or allow more files ('ulimit -n 4096')",
                    hearing="unheard",
                ) from None
            raise ServiceFault(f"no connection: {self.quoted(str(error))}", reached=False, hearing="unheard") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if not reached:
                await self._check_scheme(where)
            happened = "the connection was cut in mid-reply" if reached else "no reply came"
            raise ServiceFault(f"{happened}: {self.quoted(str(error) or type(error).__name__)}", reached=reached) from None

    async def _check_scheme(self, where: URL) -> None:
        """Raise `CandidateMisconfigured` if the address has the wrong scheme; checked once, before any reply has come."""
        if self._has_replied:
            return
        if self._other_scheme is None:
            self._other_scheme = asyncio.create_task(_speaks_other_scheme(where))
        if await asyncio.shield(self._other_scheme):
            raise CandidateMisconfigured(_wrong_scheme(where), hearing="unheard") from None

    async def _read(self, response: aiohttp.ClientResponse, longest: int) -> bytes:
        """The body; memory never holds more than the limit and one chunk."""
        limit = longest if response.status < 300 else _ERROR_BYTES
        body = bytearray()
        async for chunk in self._chunks(response):
            body += chunk
            if len(body) > limit:
                response.close()
                if response.status >= 300:
                    break
                raise ServiceFault(f"reply larger than {limit} bytes", worth_retrying=False)
        return bytes(body[:limit])

    async def _chunks(self, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        """The body without a gateway's unrequested compression."""
        try:
            through = decoders(response.headers.get("Content-Encoding", ""))
            async for chunk in response.content.iter_any():
                for piece in expanded(chunk, through):
                    yield piece
        except Unreadable as error:
            response.close()
            raise ServiceFault(str(error), worth_retrying=False) from None

    def _open_session(self) -> aiohttp.ClientSession:
        """The session, made on first use since it belongs to the running loop."""
        if self._session is None:
            headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
            if self._key:
                headers["authorization"] = f"Bearer {self._key}"
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=headers | dict(self._headers),
                auto_decompress=False,  # a few compressed bytes can fill the memory: see `expanded`
                trust_env=False,
            )
        return self._session


async def _speaks_other_scheme(where: URL) -> bool:
    """Whether something at this host and port speaks https where the address says http, or the other way round."""
    with suppress(OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
        async with asyncio.timeout(_LOOK_SECONDS):
            return await (_speaks_tls(where) if where.scheme == "http" else _speaks_http(where))
    return False


def _wrong_scheme(where: URL) -> str:
    """The message for an address with the wrong scheme, with the remedy.

    >>> _wrong_scheme(URL("https://localhost:8000/v1"))
    'https://localhost:8000/v1 speaks http, not https: write http://localhost:8000 in the address'
    """
    other = "http" if where.scheme == "https" else "https"
    authority = where.authority if where.explicit_port else where.host
    return f"{where} speaks {other}, not {where.scheme}: write {other}://{authority} in the address"


async def _speaks_tls(where: URL) -> bool:
    """Whether a handshake succeeds, whatever the certificate; nothing else is sent."""
    unverified = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
    _, writer = await asyncio.open_connection(where.host, where.port, ssl=unverified)
    writer.transport.abort()
    return True


async def _speaks_http(where: URL) -> bool:
    reader, writer = await asyncio.open_connection(where.host, where.port)
    try:
        writer.write(_REQUEST)
        return await reader.readexactly(5) == b"HTTP/"
    finally:
        writer.transport.abort()


_END: Final = "[DONE]"
_FIELDS: Final = ("event:", "id:", "retry:", ":")
"""Prefixes of lines in an event stream without data."""
_PARTS: Final = ("content", "reasoning_content", "reasoning", "refusal")
"""Fields whose pieces in a stream are joined."""
_CHARSET: Final = re.compile(
    r"\bcharset\s*=\s*[\"']?(iso-8859-\d+|latin-?1|us-ascii|(?:windows-|cp)125\d|koi8-[ru]|gbk|gb2312|gb18030|big5"
    r"|shift_jis|euc-(?:jp|kr))\b",
    re.IGNORECASE,
)
"""Encodings other than Unicode that a server may declare."""
_json_decoder = json.JSONDecoder(strict=False)  # some servers leave line breaks in strings as they are


class NotAReply(ValueError):
    """The body does not follow the protocol; the message says how."""


def in_unicode(body: bytes, content_type: str) -> bytes:
    """The body in Unicode; one in another encoding is read as the server declares it.

    >>> in_unicode("Voilà".encode("latin-1"), "application/json; charset=iso-8859-1").decode()
    'Voilà'
    """
    declared = _CHARSET.search(content_type)
    if declared is None:
        return body
    try:
        body.decode(json.detect_encoding(body))
    except UnicodeDecodeError:
        try:
            return body.decode(declared[1]).encode()
        except UnicodeDecodeError:
            pass
    return body


def document_in(body: bytes, *keys: str) -> Any:
    """The document; the pieces of a stream are joined into one. Raises `NotAReply`, without the keys.

    >>> document_in(b'\\xef\\xbb\\xbf{"choices": []}')
    {'choices': []}
    >>> document_in(b'data: {"choices": [{"delta": {"content": "4"}}]}\\n\\ndata: [DONE]\\n')["choices"]
    [{'message': {'content': '4'}, 'finish_reason': None}]
    """
    try:
        text = body.decode(json.detect_encoding(body))
    except UnicodeDecodeError:
        raise NotAReply("the reply is not valid UTF-8") from None
    try:
        return _json_decoder.decode(text)
    except (ValueError, RecursionError):
        pass
    try:
        results = list(_documents(text))
    except (ValueError, RecursionError):
        results = []
    documents = [document for document in results if document != _END]
    if not documents:
        if not text.strip():
            raise NotAReply("the reply is empty")
        raise NotAReply(f"the reply is not JSON, it begins: {quoted(text, *keys)}")
    if len(documents) == 1 and not _is_piece(documents[0]):
        return documents[0]
    return _joined(documents, ended=_END in results)


def _documents(text: str) -> Iterator[Any]:
    """The documents of an event stream, or of consecutive JSON texts; the end mark is kept. Raises `ValueError`."""
    plain: list[str] = []
    for line in text.splitlines():
        if line.startswith("data:"):
            yield from _one_by_one("\n".join(plain))
            plain = []
            yield from _one_by_one(line.removeprefix("data:"))
        elif not line.startswith(_FIELDS):
            plain.append(line)
    yield from _one_by_one("\n".join(plain))


def _one_by_one(text: str) -> Iterator[Any]:
    while text := text.strip():
        if text.startswith(_END):
            yield _END
            text = text.removeprefix(_END)
        else:
            document, end = _json_decoder.raw_decode(text)
            yield document
            text = text[end:]


def _is_piece(document: Any) -> bool:
    choice = first_choice(document) or {}
    return "delta" in choice and "message" not in choice


def first_choice(document: Any) -> dict[str, Any] | None:
    """The choice with the lowest index, at any position in the list; None without any.

    >>> first_choice({"choices": [{"index": 1, "text": "b"}, {"index": 0, "text": "a"}]})
    {'index': 0, 'text': 'a'}
    """
    choices = document.get("choices") if isinstance(document, dict) else None
    values = [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
    return min(values, key=_index, default=None)


def _index(choice: dict[str, Any]) -> int:
    index = choice.get("index")
    return index if isinstance(index, int) else 0


def error_in(holder: dict[str, Any]) -> Any:
    """The content of a document's or a choice's error fields; None if they are empty.

    >>> error_in({"errors": []}), error_in({"errors": [{"message": "broken"}]}), error_in({"base_resp": {"status_code": 0}})
    (None, {'message': 'broken'}, None)
    """
    error = holder.get("error") or holder.get("errors")
    if isinstance(error, list) and error:
        error = error[0]
    base = holder.get("base_resp")  # MiniMax
    return error or (base if isinstance(base, dict) and base.get("status_code") else None)


def _joined(documents: Sequence[Any], *, ended: bool) -> Any:
    """Join a stream's pieces into one document, or return the error among them. Raises `NotAReply` for a stream that was
    cut off.
    """
    message: dict[str, str] = {}
    whole: dict[str, Any] = {}
    finish = native = None
    lowest = min((_index(choice) for choice in map(first_choice, documents) if choice), default=0)
    for document in documents:
        if not isinstance(document, dict):
            raise NotAReply("the reply is a stream of values that are not objects")
        choice = first_choice(document) or {}
        if error_in(document) or error_in(choice):
            return document
        if "message" in choice:
            raise NotAReply("the reply holds several documents")
        if _index(choice) != lowest:
            choice = {}
        delta = choice.get("delta")
        for name in _PARTS:
            if isinstance(delta, dict) and isinstance(piece := delta.get(name), str):
                message[name] = message.get(name, "") + piece
        finish = choice.get("finish_reason") or finish
        native = choice.get("native_finish_reason") or native
        whole |= {name: document[name] for name in ("model", "usage") if document.get(name)}
    if not ended and finish is None:
        raise NotAReply("the stream of the reply was cut off")
    ending = {"finish_reason": finish} | ({"native_finish_reason": native} if native else {})
    return whole | {"choices": [{"message": message, **ending}]}
