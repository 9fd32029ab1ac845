"""Chat over HTTP: bodies as gateways send them, and addresses with the wrong one of http and https."""

from __future__ import annotations

import gzip
import json
import os
import resource
import ssl
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import brotli
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.late_import import LateImport
from tests.serving import completion
from vivavoce.candidates.chat.candidate import open_chat
from vivavoce.candidates.chat.http import PIECE, NotAReply, Unreadable, decoders, document_in, expanded
from vivavoce.candidates.chat.reply import read_reply
from vivavoce.errors import CandidateMisconfigured, ServiceFault
from vivavoce.interview.candidate import Prompt

x509, ec = LateImport("cryptography.x509"), LateImport("cryptography.hazmat.primitives.asymmetric.ec")
hashes = LateImport("cryptography.hazmat.primitives.hashes")
serialization = LateImport("cryptography.hazmat.primitives.serialization")

BODY = json.dumps({"model": "m", "choices": [{"message": {"content": "Answer: 42"}, "finish_reason": "stop"}]})


def text_of(body: bytes) -> str:
    return read_reply(document_in(body), price_in=0.0, price_out=0.0).text


def event(content: str | None = None, finish: str | None = None, **more: Any) -> str:
    delta = {} if content is None else {"content": content}
    return "data: " + json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}) + "\n\n"


@each_case(
    "body",
    [
        BODY,
        f"\ufeff{BODY}",
        f"\n\n  {BODY}\n",
        f"{BODY}\n\ndata: [DONE]\n\n",
        f"{BODY}\n[DONE]",
        f"data: {BODY}\n\n",
        f"data:{BODY}\n\ndata:[DONE]\n\n",
        f": keep alive\n\n{BODY}",
        f"event: message\nid: 1\ndata: {BODY}\n\n",
        json.dumps(json.loads(BODY), indent=2) + "\n\ndata: [DONE]\n",
        event("Answer: ") + event("42", "stop") + "data: [DONE]\n\n",
        event("Answer: ") + event("42", "stop"),
        event("Answer: 42") + "data: [DONE]\n\n",
        (event("Answer: ") + event("42") + event(None, "stop") + "data: [DONE]\n\n").replace("\n", "\r\n"),
        ": OPENROUTER PROCESSING\n\n" + event("Answer: 42", "stop"),
        event("Answer: ").removeprefix("data: ") + event("42", "stop").removeprefix("data: "),
    ],
)
def test_a_document_is_found_however_it_is_framed(body: str) -> None:
    assert text_of(body.encode()) == "Answer: 42"


def test_a_document_in_another_unicode_is_read() -> None:
    assert text_of(BODY.encode("utf-16")) == "Answer: 42"


def test_a_line_break_within_a_string_is_read() -> None:
    assert text_of(b'{"choices":[{"message":{"content":"Well,\nAnswer: 42"}}]}') == "Well,\nAnswer: 42"


def test_usage_model_and_thoughts_of_a_stream_are_kept() -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    body = event("4", model="served") + 'data: {"choices": [], "usage": ' + json.dumps(usage) + "}\n\ndata: [DONE]\n"
    reply = read_reply(document_in(body.encode()), price_in=0.0, price_out=0.0)
    assert (reply.text, reply.model, reply.usage.tokens) == ("4", "served", 10)
    thinking = 'data: {"choices": [{"delta": {"reasoning_content": "6 by 7"}}]}\n' + event("42", "stop")
    assert read_reply(document_in(thinking.encode()), price_in=0.0, price_out=0.0).thoughts == "6 by 7"


@each_case(
    ("body", "problem"),
    [
        (event("Answer: 4"), "cut off"),
        (event("Answer: 4") + 'data: {"choices": [{"delta": {"con', "not JSON"),
        (BODY[:-20], "not JSON"),
        (BODY + BODY, "several documents"),
        ("data: [DONE]\n", "not JSON"),
        (" \n", "is empty"),
        ("data: 7\n\ndata: 8\n", "values that are not objects"),
        ("<html>data: []</html>", "not JSON"),
        (BODY + "</body>", "not JSON"),
    ],
)
def test_what_is_not_whole_is_no_reply(body: str, problem: str) -> None:
    with pytest.raises(NotAReply, match=problem):
        document_in(body.encode())


def test_an_error_within_a_stream_is_the_servers() -> None:
    body = event("Answer: 4") + 'event: error\ndata: {"error": {"message": "upstream failed", "code": 502}}\n\n'
    assert document_in(body.encode())["error"]["code"] == 502


@pytest.mark.long
@given(st.lists(st.text(max_size=20), min_size=1, max_size=8))
def test_the_pieces_of_a_stream_are_joined_in_order(pieces: list[str]) -> None:
    body = "".join(map(event, pieces)) + "data: [DONE]\n"
    assert document_in(body.encode())["choices"][0]["message"]["content"] == "".join(pieces)


def squeezed(body: bytes, encoding: str) -> bytes:
    by: dict[str, Callable[[bytes], bytes]] = {
        "gzip": gzip.compress,
        "br": brotli.compress,
        "deflate": zlib.compress,
        "raw": lambda data: zlib.compress(data, wbits=-15),
        "none": bytes,
    }
    return by[encoding](body)


def as_sent(body: bytes, encoding: str, sizes: list[int]) -> bytes:
    """The body after it came in chunks of these sizes."""
    through, datas = decoders(encoding), []
    for size in [*sizes, len(body)]:
        datas += list(expanded(body[:size], through))
        body = body[size:]
    assert all(len(piece) <= max(PIECE, *sizes, 1) for piece in datas) or not through
    return b"".join(datas)


@pytest.mark.parametrize(
    ("encoding", "header"),
    [
        *(("gzip", header) for header in ("gzip", "GZIP", "x-gzip", "identity, gzip", " gzip ")),
        ("br", "br"),
        *(("deflate", "deflate"), ("raw", "deflate"), ("none", "Identity"), ("none", ""), ("none", "identity, identity")),
    ],
)
@given(body=st.binary(max_size=300), times=st.sampled_from([1, 1, 1000]), sizes=st.lists(st.integers(0, 40), max_size=6))
def test_what_was_compressed_is_expanded_in_bounded_pieces(
    encoding: str, header: str, body: bytes, times: int, sizes: list[int]
) -> None:
    assert as_sent(squeezed(body * times, encoding), header, sizes) == body * times


def test_several_parts_and_several_encodings_are_expanded() -> None:
    assert as_sent(gzip.compress(b"Answer: ") + gzip.compress(b"42"), "gzip", [5]) == b"Answer: 42"
    assert as_sent(gzip.compress(zlib.compress(b"42")), "deflate, gzip", [3]) == b"42"


@each_case(
    ("header", "body"),
    [("gzip", b"plain"), ("deflate", b"\xff\xff\xff"), ("br", b"\xff\xff\xff\xff"), ("zstd", b""), ("compress", b"")],
)
def test_what_cannot_be_expanded_is_told(header: str, body: bytes) -> None:
    with pytest.raises(Unreadable):
        as_sent(body, header, [])


def certificate(folder: Path) -> ssl.SSLContext:
    """A server's context with a certificate that it signed itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")]), datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(1), now + timedelta(1))
    (folder / "cert.pem").write_bytes(made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    (folder / "key.pem").write_bytes(pem)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context


async def answer(_: web.Request) -> web.Response:
    return web.json_response(completion("Answer: 42"))


@pytest.fixture(params=["http", "https"])
async def server(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[TestServer]:
    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    served = TestServer(app, host="127.0.0.1")
    await served.start_server(ssl=certificate(tmp_path) if request.param == "https" else None)
    yield served
    await served.close()


async def test_the_wrong_scheme_is_named_with_the_right_one(server: TestServer) -> None:
    right = "https" if server.scheme == "https" else "http"
    wrong = "http" if right == "https" else "https"
    candidate = open_chat(f"m@{wrong}://127.0.0.1:{server.port}/v1", "", environment={})
    began = time.monotonic()
    with pytest.raises(CandidateMisconfigured) as caught:
        await candidate.answer(Prompt("?"))
    await candidate.close()
    assert f"speaks {right}, not {wrong}: write {right}://127.0.0.1:{server.port}" in str(caught.value)
    assert caught.value.hearing == "unheard"
    assert time.monotonic() - began < 5


@contextmanager
def no_more_files() -> Iterator[None]:
    """None can be opened in this block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with open(os.devnull) as last:
        resource.setrlimit(resource.RLIMIT_NOFILE, (last.fileno(), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_too_many_open_files_are_no_fault_of_the_service(server: TestServer) -> None:
    candidate = open_chat(f"m@{server.scheme}://127.0.0.1:{server.port}/v1", "", environment={})
    with no_more_files(), pytest.raises(CandidateMisconfigured, match=r"allow more files \('ulimit -n 4096'\)") as caught:
        await candidate.answer(Prompt("?"))
    await candidate.close()
    assert caught.value.hearing == "unheard"


async def test_a_server_that_speaks_neither_is_a_fault(server_of_nothing: int) -> None:
    candidate = open_chat(f"m@http://127.0.0.1:{server_of_nothing}/v1", "", environment={})
    with pytest.raises(ServiceFault, match="no reply came"):
        await candidate.answer(Prompt("?"))
    await candidate.close()


@pytest.fixture
async def server_of_nothing() -> AsyncIterator[int]:
    import asyncio

    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    served = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    yield served.sockets[0].getsockname()[1]
    served.close()
