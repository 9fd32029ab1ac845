"""`chat:MODEL@URL`: any server that speaks the OpenAI-compatible chat protocol (vLLM, Ollama, llama.cpp, most vendors).

One request a question, no retries of its own: what did not get through is a `TransportFault`, and the interview decides.
The server is not trusted: what it sends is bounded before it is held, and the key is cut out of whatever it echoes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import aiohttp
from yarl import URL

from vivavoce.candidates.address import base_address
from vivavoce.candidates.chat.options import SECRET_OPTIONS, SETTINGS, ChatOptions, body_of, headers_of, key_of, preset_of
from vivavoce.candidates.chat.refusal import STATUSES, refused
from vivavoce.candidates.chat.reply import NotAReply, ServerError, read_error, read_reply
from vivavoce.candidates.chat.status import fault_for
from vivavoce.candidates.options import canonical, read_options
from vivavoce.candidates.providers import provider_of
from vivavoce.candidates.text import quoted
from vivavoce.errors import REFUSES, BadInput, CandidateMisconfigured, ParameterRefused, TransportFault, VivavoceError
from vivavoce.interview.candidate import Again, Prompt, Reply
from vivavoce.interview.forms.form import Way
from vivavoce.interview.model_call import ModelCall
from vivavoce.interview.record import canonical_json, digest_of

EXAMPLE = "chat:llama3.2@http://localhost:11434/v1"
CONNECT_SECONDS = 10.0
_ERROR_BYTES = 16_384
_DIGEST = 16
"""Characters of the digest of a body file that stand in a name."""


def open_chat(target: str, query: str, *, environment: Mapping[str, str] = os.environ) -> Chat:
    """The candidate `chat:TARGET?QUERY`, where the target is `MODEL@URL`.

    Raises `BadInput` if the target is no such thing, holds a password or a key, a variable that is named is not set, or the
    file of `?body=` cannot be sent.
    """
    parts = re.fullmatch(r"(?P<model>\S.*)@(?P<url>https?://\S+)", target, re.IGNORECASE)
    if parts is None:
        raise BadInput(f"'chat:' needs a model and an address that begins with http:// or https://: {EXAMPLE}")
    if {pair.partition("=")[0].lower() for pair in query.split("&")} & SECRET_OPTIONS:
        raise BadInput("a key has no place in a name, which stands in every record: put it in $VIVA_API_KEY")
    options = read_options(query, ChatOptions, of="chat")
    return Chat(
        parts["model"],
        base_address(parts["url"], example=EXAMPLE),
        options,
        key=key_of(options, environment),
        headers=headers_of(options, environment),
        body=body_of(options),
    )


class Chat:
    """A model behind `URL/chat/completions`. Every question is a conversation of its own.

    Connections are kept alive and not limited in number: the interview bounds what is in flight, and how long it may take.
    Its name says what is sent: of headers their names, of further fields their digest.
    """

    asked_again: Again = "elsewhere"
    """It is elsewhere: where the program that asks ends, that is not its doing."""

    def __init__(
        self,
        model: str,
        url: str,
        options: ChatOptions,
        *,
        key: str = "",
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        headers, body = headers or {}, body or {}
        preset = preset_of(options)
        digest = digest_of(canonical_json(body))[:_DIGEST] if body else ""
        self.name = f"chat:{model}@{url}{canonical(replace(options, header=tuple(headers), body=digest))}"
        self.never_sent: frozenset[str] = preset.never_sent if preset else frozenset()
        """Parameters that are left out of every request."""
        self.ways: tuple[Way, ...] = ("text", "turn") if "response_format" in self.never_sent else ("text", "schema", "turn")
        """How it can be asked."""
        self._options = options
        self._key = key
        self._headers = headers
        words = (word for value in headers.values() for word in (value, *value.split()))
        self._secrets = (key, *dict.fromkeys(words))
        self._where = URL(url + "/chat/completions")
        self._settings = {"model": model, **body, **options.settings}
        self._session: aiohttp.ClientSession | None = None

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: Prompt, /) -> Reply:
        """Ask once. Raises `TransportFault` or `CandidateError`; no text in them or in the reply holds a secret."""
        status, headers, body = await self._post(self._request(question))
        if 200 <= status < 300:
            prices = {"price_in": self._options.price_in, "price_out": self._options.price_out}
            try:
                return read_reply(body, *self._secrets, **prices)
            except NotAReply as error:
                raise TransportFault(self._quoted(str(error))) from None
        if 300 <= status < 400:
            target = self._quoted(headers.get("Location", "nowhere"))
            raise CandidateMisconfigured(
                f"{self._where} redirects (status {status}) to {target}: use the address that answers", hearing="refused"
            )
        told = read_error(body)
        fault = fault_for(status, headers, self._quoted(told.message), codes=told.codes, where=str(self._where))
        if status in STATUSES and isinstance(fault, TransportFault):
            raise self._refusal(told, question, fault.reason) or fault
        raise fault

    def call(self, question: Prompt, /) -> ModelCall:
        """The request that this question becomes, for whoever traces it."""
        where, settings = self._where, self._settings | self._wanted(question)
        host = where.host or ""
        return ModelCall(str(self._settings["model"]), provider_of(host), host, where.port, settings, self._system(question))

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
        system = self._system(question)
        messages = [{"role": "system", "content": system}] if system else []
        messages += [{"role": role, "content": text} for role, text in question.conversation]
        return json.dumps(self._settings | self._wanted(question) | {"messages": messages}).encode()

    def _system(self, question: Prompt) -> str:
        return "\n\n".join(filter(None, (self._options.system, question.system)))

    def _wanted(self, question: Prompt) -> dict[str, Any]:
        """What the prompt sets, as far as it is sent to this server."""
        wanted: dict[str, Any] = {"temperature": question.temperature, self._options.limit: question.max_tokens}
        if question.schema:
            schema = {"name": "reply", "schema": json.loads(question.schema), "strict": True}
            wanted["response_format"] = {"type": "json_schema", "json_schema": schema}
        if question.first_tokens and "logprobs" not in self.never_sent:
            wanted |= {"logprobs": True, "top_logprobs": question.first_tokens}
        return {name: value for name, value in wanted.items() if value is not None and name not in self.never_sent}

    def _refusal(self, told: ServerError, question: Prompt, reason: str) -> VivavoceError | None:
        """The error for a parameter that the server does not take; None if it says no such thing.

        What the prompt set can be left out by the room that set it; what the user set is for the user to leave out.
        """
        wanted = self._wanted(question).keys() - {"top_logprobs"}
        name = refused(told, wanted | (self._settings.keys() - {"model"}))
        if not name:
            return None
        if name in wanted:
            return ParameterRefused(name, reason)
        if name == self._options.limit:
            other = {"max_tokens": "max_completion_tokens"}.get(name, "max_tokens")
            remedy = "leave out ?preset=" if self._options.preset else f"use ?{other}= instead"
        else:
            remedy = f"leave out ?{name}=" if name in SETTINGS else f"leave out '{name}' in the file of ?body="
        return CandidateMisconfigured(f"{self._where} {REFUSES} '{name}': {remedy} ({reason})", hearing="refused")

    def _quoted(self, text: str) -> str:
        return quoted(text, *self._secrets)

    async def _post(self, request: bytes) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of one attempt; what goes wrong on the way is a `TransportFault`."""
        reached = False
        try:
            async with self._open_session().post(self._where, data=request, allow_redirects=False) as response:
                reached = True
                return response.status, response.headers, await self._read(response)
        except (aiohttp.ClientConnectorCertificateError, aiohttp.ClientConnectorSSLError) as error:
            problem = f"no secure connection to {self._where}: {self._quoted(str(error))}"
            raise CandidateMisconfigured(problem, hearing="unheard") from None
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:  # before a byte was sent
            raise TransportFault(f"no connection: {self._quoted(str(error))}", reached=False, hearing="unheard") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            happened = "the connection was cut in mid-reply" if reached else "no reply came"
            raise TransportFault(f"{happened}: {self._quoted(str(error) or type(error).__name__)}", reached=reached) from None

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
                headers["authorization"] = f"Bearer {self._key}"
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=headers | dict(self._headers),
                auto_decompress=False,  # none was asked for, and a few compressed bytes can fill the memory
                trust_env=False,
            )
        return self._session
