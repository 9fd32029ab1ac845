"""A small mail server on a loopback port, in a thread, that can be made to misbehave; it speaks enough of RFC 5321 and 3207."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from threading import Event, Thread


@dataclass
class Post:
    """What the server does, and what it has been given."""

    refused: set[str] = field(default_factory=set)
    """Recipients."""
    refusal: str = "450 mailbox busy"
    """What is said of them."""
    silent: bool = False
    """Say nothing, not even hello."""
    hang_up_at: str = ""
    """The command at which the connection is closed."""
    tls: ssl.SSLContext | None = None
    port: int = 0
    got: list[tuple[str, EmailMessage]] = field(default_factory=list)
    """Recipient and mail."""
    raw: list[bytes] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    connections: int = 0
    encrypted: list[bool] = field(default_factory=list)


class _Session:
    def __init__(self, post: Post, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.post, self.reader, self.writer = post, reader, writer
        self.recipient = ""
        self.encrypted = False

    async def say(self, line: str) -> None:
        self.writer.write(line.encode() + b"\r\n")
        await self.writer.drain()

    async def run(self) -> None:
        self.post.connections += 1
        if self.post.silent:
            await self.reader.read()
            return
        await self.say("220 here")
        while line := await self.reader.readline():
            command = line.decode().strip()
            self.post.commands.append(command)
            verb = command.partition(" ")[0].upper()
            if verb == self.post.hang_up_at:
                return
            if verb == "QUIT":
                await self.say("221 bye")
                return
            await self.obey(verb, command)

    async def obey(self, verb: str, command: str) -> None:
        match verb:
            case "EHLO":
                offers_tls = self.post.tls is not None and not self.encrypted
                await self.say("250-here\r\n250 STARTTLS" if offers_tls else "250 here")
            case "STARTTLS" if self.post.tls is not None:
                await self.say("220 go on")
                await self.writer.start_tls(self.post.tls)
                self.encrypted = True
            case "RCPT":
                self.recipient = command.partition("<")[2].partition(">")[0]
                refused = self.recipient in self.post.refused
                await self.say(self.post.refusal if refused else "250 ok")
            case "DATA":
                await self.say("354 go on")
                text = await self.reader.readuntil(b"\r\n.\r\n")
                self.post.raw.append(text)
                message = message_from_bytes(text[:-3].replace(b"\r\n..", b"\r\n."), policy=default)
                self.post.got.append((self.recipient, message))
                self.post.encrypted.append(self.encrypted)
                await self.say("250 ok")
            case "MAIL" | "RSET":
                await self.say("250 ok")
            case _:
                await self.say("502 not here")


@contextmanager
def post_office(post: Post | None = None) -> Iterator[Post]:
    """A mail server that runs."""
    post = post or Post()
    ready, ends, loops = Event(), asyncio.Event(), []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                await _Session(post, reader, writer).run()
        finally:  # also where the server ends in the middle of it
            writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async def main() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        post.port = server.sockets[0].getsockname()[1]
        loops.append(asyncio.get_running_loop())
        ready.set()
        await ends.wait()
        server.close()

    thread = Thread(target=lambda: asyncio.run(main()), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield post
    finally:
        loops[0].call_soon_threadsafe(ends.set)
        thread.join(10)


def certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate for localhost, made by Debian's openssl, and what a server needs to show it."""
    key, own = folder / "key.pem", folder / "own.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run([*command.split(), "-keyout", key, "-out", own], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own, key)
    return own, context
