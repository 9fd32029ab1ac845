"""`chat:MODEL@URL`: any server that speaks the OpenAI-compatible chat protocol (vLLM, Ollama, llama.cpp, most vendors).

One request a question, no retries of its own: what did not get through is a `TransportFault`, and the interview decides.
The server is not trusted: what it sends is bounded before it is held, and the key is cut out of whatever it echoes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import aiohttp
from pydantic import Field
from yarl import URL

from vivavoce.candidates.address import base_address
from vivavoce.candidates.chat_reply import NotAReply, read_error, read_reply
from vivavoce.candidates.chat_status import fault_for
from vivavoce.candidates.options import UNNAMED, canonical, read_options
from vivavoce.candidates.text import quoted
from vivavoce.errors import BadInput, CandidateMisconfigured, TransportFault
from vivavoce.interview.candidate import Prompt, Reply

EXAMPLE = "chat:llama3.2@http://localhost:11434/v1"
KEY_VARIABLES = ("VIVA_API_KEY", "OPENAI_API_KEY")
"""Where the key is looked for, in this order, unless `?key=` names another variable."""
CONNECT_SECONDS = 10.0
_ERROR_BYTES = 16_384
_SECRET_OPTIONS = {"api_key", "apikey", "api-key", "token", "access_token", "authorization", "password", "secret"}

Positive = Annotated[int, Field(gt=0)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """What can stand behind the `?`; what is not given is left to the server."""

    temperature: Annotated[float | None, Field(ge=0, le=10)] = None
    max_tokens: Positive | None = None
    top_p: Annotated[float | None, Field(gt=0, le=1)] = None
    seed: int | None = None
    system: str = ""
    """Said before the system text of the prompt, if that has one."""
    max_reply: Positive = field(default=4_000_000)
    """Bytes; a longer reply is cut off, and is a fault."""
    key: str = field(default="", metadata=UNNAMED)
    """Name of the environment variable that holds the key."""
    price_in: Price = field(default=0.0, metadata=UNNAMED)
    """Money per million tokens of prompt."""
    price_out: Price = field(default=0.0, metadata=UNNAMED)
    """Money per million tokens of reply."""


def open_chat(target: str, query: str, *, environment: Mapping[str, str] = os.environ) -> Chat:
    """The candidate `chat:TARGET?QUERY`, where the target is `MODEL@URL`.

    Raises `BadInput` if the target is no such thing, holds a password or a key, or the key's variable is not set.
    """
    parts = re.fullmatch(r"(?P<model>\S.*)@(?P<url>https?://\S+)", target, re.IGNORECASE)
    if parts is None:
        raise BadInput(f"'chat:' needs a model and an address that begins with http:// or https://: {EXAMPLE}")
    if {pair.partition("=")[0].lower() for pair in query.split("&")} & _SECRET_OPTIONS:
        raise BadInput("a key has no place in a name, which stands in every record: put it in $VIVA_API_KEY")
    options = read_options(query, ChatOptions, of="chat")
    return Chat(parts["model"], base_address(parts["url"], example=EXAMPLE), options, key=_key(options, environment))


class Chat:
    """A model behind `URL/chat/completions`. Every question is a conversation of its own.

    Connections are kept alive and not limited in number: the interview bounds what is in flight, and how long it may take.
    """

    def __init__(self, model: str, url: str, options: ChatOptions, *, key: str = "") -> None:
        self.name = f"chat:{model}@{url}{canonical(options)}"
        self._options = options
        self._key = key
        self._where = URL(url + "/chat/completions")
        self._settings = {"model": model} | {
            name: value
            for name in ("temperature", "max_tokens", "top_p", "seed")
            if (value := getattr(options, name)) is not None
        }
        self._session: aiohttp.ClientSession | None = None

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: Prompt, /) -> Reply:
        """Ask once. Raises `TransportFault` or `CandidateError`; no text in them or in the reply holds the key."""
        status, headers, body = await self._post(self._request(question))
        if 200 <= status < 300:
            try:
                return read_reply(body, price_in=self._options.price_in, price_out=self._options.price_out, key=self._key)
            except NotAReply as error:
                raise TransportFault(quoted(str(error), self._key)) from None
        if 300 <= status < 400:
            target = quoted(headers.get("Location", "nowhere"), self._key)
            raise CandidateMisconfigured(f"{self._where} redirects (status {status}) to {target}: use the address that answers")
        told = read_error(body)
        raise fault_for(status, headers, quoted(told.message, self._key), codes=told.codes, where=str(self._where))

    @property
    def prices(self) -> tuple[float, float]:
        """Money per million tokens of prompt, and of reply."""
        return self._options.price_in, self._options.price_out

    async def close(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _request(self, question: Prompt) -> bytes:
        system = "\n\n".join(filter(None, (self._options.system, question.system)))
        messages = [{"role": "system", "content": system}] if system else []
        messages += [{"role": role, "content": text} for role, text in question.conversation]
        own = {"temperature": question.temperature, "max_tokens": question.max_tokens}
        request = self._settings | {name: value for name, value in own.items() if value is not None} | {"messages": messages}
        if question.first_tokens:
            request |= {"logprobs": True, "top_logprobs": question.first_tokens}
        return json.dumps(request).encode()

    async def _post(self, request: bytes) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of one attempt; what goes wrong on the way is a `TransportFault`."""
        reached = False
        try:
            async with self._open_session().post(self._where, data=request, allow_redirects=False) as response:
                reached = True
                return response.status, response.headers, await self._read(response)
        except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError) as error:
            raise CandidateMisconfigured(f"no secure connection to {self._where}: {quoted(str(error), self._key)}") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            happened = "the connection was cut in mid-reply" if reached else "no reply came"
            raise TransportFault(
                f"{happened}: {quoted(str(error) or type(error).__name__, self._key)}", reached=reached
            ) from None

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        """The body, never holding more than `max_reply` bytes and one chunk."""
        if response.headers.get("Content-Encoding", "identity") != "identity":
            response.close()
            raise TransportFault("the reply is compressed, which was not asked for", worth_retrying=False)
        limit = self._options.max_reply if response.status < 300 else _ERROR_BYTES
        body = bytearray()
        async for chunk in response.content.iter_any():
            body += chunk
            if len(body) > limit:
                response.close()
                if response.status >= 300:
                    break
                raise TransportFault(f"reply larger than {limit} bytes", worth_retrying=False)
        return bytes(body[:limit])

    def _open_session(self) -> aiohttp.ClientSession:
        """The session, made on first use since it belongs to the running loop."""
        if self._session is None:
            headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
            if self._key:
                headers["Authorization"] = f"Bearer {self._key}"
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=headers,
                auto_decompress=False,  # none was asked for, and a few compressed bytes can fill the memory
                trust_env=False,
            )
        return self._session


def _key(options: ChatOptions, environment: Mapping[str, str]) -> str:
    """The key, or nothing: servers of one's own need none. No message repeats what might itself be a key."""
    if options.key and not re.fullmatch(r"[A-Z_][A-Z0-9_]*", options.key):
        raise BadInput("'?key=' takes the name of an environment variable in capitals, never the key itself")
    if options.key and not environment.get(options.key):
        raise BadInput("the environment variable that '?key=' names is not set: export it first")
    names = (options.key,) if options.key else KEY_VARIABLES
    name = next((name for name in names if environment.get(name)), "")
    key = environment.get(name, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise BadInput(f"the key in ${name} holds characters that no key has: export it again")
    return key
