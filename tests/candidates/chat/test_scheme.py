"""An address with the wrong one of http and https is named within seconds."""

from __future__ import annotations

import os
import resource
import ssl
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.serving import completion
from vivavoce.candidates.chat.candidate import open_chat
from vivavoce.errors import CandidateMisconfigured, ServiceFault
from vivavoce.interview.candidate import Prompt


def certificate(folder: Path) -> ssl.SSLContext:
    """A server's context with a certificate that it signed itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")]), datetime.now(UTC)
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
