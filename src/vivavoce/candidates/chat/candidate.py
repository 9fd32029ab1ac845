"""`chat:MODEL@URL`: any server that speaks the OpenAI-compatible chat protocol (vLLM, Ollama, llama.cpp, most vendors).

One request a question, no retries of its own: what did not get through is a `TransportFault`, and the interview decides.
The server is not trusted: its replies are bounded before they are stored, and the key is cut out of its echoes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from yarl import URL

from vivavoce.candidates.chat.framing import NotAReply, document_in, in_unicode
from vivavoce.candidates.chat.http import Http, Response
from vivavoce.candidates.chat.notices import tells_of_an_error
from vivavoce.candidates.chat.options import SECRET_OPTIONS, SETTINGS, ChatOptions, body_of, headers_of, key_of, preset_of
from vivavoce.candidates.chat.reply import Completions, ErrorInReply, ServerError, read_error, read_reply
from vivavoce.candidates.chat.server_errors import NOT_OWN, STATUSES, fault_for, refused, status_of
from vivavoce.candidates.options import canonical, read_options
from vivavoce.candidates.providers import base_address, provider_of
from vivavoce.errors import (
    REFUSES,
    BadInput,
    CandidateMisconfigured,
    ParameterRefused,
    ServiceFault,
    TransportFault,
    VivavoceError,
)
from vivavoce.interview.candidate import ModelCall, Prompt, RepeatReason, Reply
from vivavoce.interview.forms.form import ReplyFormat
from vivavoce.interview.record import canonical_json, digest_of

EXAMPLE = "chat:llama3.2@http://localhost:11434/v1"
_DIGEST = 16
"""Characters of a body file's digest in a name."""


def open_chat(target: str, query: str, *, environment: Mapping[str, str] = os.environ) -> Chat:
    """The candidate `chat:TARGET?QUERY`, where the target is `MODEL@URL`.

    Raises `BadInput` if the target is no such thing, holds a password or a key, a variable that is named is not set, or the
    file of `?body=` cannot be sent.
    """
    parts = re.fullmatch(r"(?P<model>\S.*)@(?P<url>https?://\S+)", target, re.IGNORECASE)
    if parts is None:
        raise BadInput(f"'chat:' needs a model and an address that begins with http:// or https://: {EXAMPLE}")
    if {pair.partition("=")[0].lower() for pair in query.split("&")} & SECRET_OPTIONS:
        raise BadInput("a key must not be in a name, since every record shows it: put it in $VIVA_API_KEY")
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

    asked_again: RepeatReason = "elsewhere"
    """It runs elsewhere, so it cannot end this program."""

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
        self.ways: tuple[ReplyFormat, ...] = (
            ("text", "turn") if "response_format" in self.never_sent else ("text", "schema", "turn")
        )
        """How it can be asked."""
        self.options = options
        self.declared_deterministic = options.deterministic == "yes"
        self.http = Http(key, headers, longest=options.max_reply)
        self.address = url
        self._where = URL(url + "/chat/completions")
        self._settings = {"model": model, **body, **options.settings}
        self._completions = Completions()

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: Prompt, /) -> Reply:
        """Ask once. Raises `TransportFault` or `CandidateError`; no text in them or in the reply holds a secret."""
        response = await self.http.send("POST", self._where, json.dumps(self.request(question)).encode())
        return self.read(response, question)

    def read(self, response: Response, question: Prompt, *, of_price: float = 1.0) -> Reply:
        """The reply in a response. Raises `TransportFault` or `CandidateError`.

        of_price: the share of the price that it costs.
        """
        status, headers, body = response
        body = in_unicode(body, headers.get("Content-Type", ""))
        if 200 <= status < 300:
            return self._reply(body, question, of_price)
        if 300 <= status < 400:
            target = self._quoted(headers.get("Location", "nowhere"))
            raise CandidateMisconfigured(
                f"{self._where} redirects (status {status}) to {target}: use the address that answers",
                hearing="refused",
                by_service=True,
            )
        raise self._fault(status, headers, read_error(body), question)

    def _reply(self, body: bytes, question: Prompt, of_price: float) -> Reply:
        price_in, price_out = (of_price * price for price in self.prices)
        try:
            document = document_in(body, *self.http.secrets)
            reply = read_reply(document, *self.http.secrets, price_in=price_in, price_out=price_out)
        except NotAReply as error:
            raise self._kind_of_fault(self._quoted(str(error))) from None
        except ErrorInReply as error_in_reply:
            pair = error_in_reply.error
            status = status_of(pair.codes, pair.message)
            raise self._fault(status, {}, pair, question, answer=f"an error instead of a reply ({status})") from None
        if tells_of_an_error(reply.text, question):
            raise self._kind_of_fault(f"an error instead of a reply: {self._quoted(reply.text)}")
        if self.options.errors != "own" and self._completions.is_sent_again(document, reply.text, question):
            again = f"completion {self._quoted(str(document['id']))} was sent for two questions, as by a cache"
            raise ServiceFault(f"{again} (?errors=own if it is a part of your bot)", worth_retrying=False)
        return reply

    def _fault(
        self, status: int, headers: Mapping[str, str], pair: ServerError, question: Prompt, *, answer: str = ""
    ) -> VivavoceError:
        """What an error of the server's means; of a bot's own errors all but a wrong key or address are its answers."""
        message = self._quoted(pair.message)
        reason = f"{answer or f'status {status}'}: {message}"
        if status in STATUSES and (refusal := self._refusal(pair, question, reason)):
            return refusal
        if self.options.errors == "own" and status not in NOT_OWN:
            return self._kind_of_fault(reason)
        return fault_for(status, headers, message, codes=pair.codes, where=str(self._where), answer=answer)

    def _kind_of_fault(self, reason: str) -> TransportFault:
        """A fault of the service; of a bot whose errors are its own, an outcome."""
        return TransportFault(reason, worth_retrying=False) if self.options.errors == "own" else ServiceFault(reason)

    def call(self, question: Prompt, /) -> ModelCall:
        """The request for this question, for tracing."""
        where, settings = self._where, self._settings | self._wanted(question)
        host = where.host or ""
        return ModelCall(str(self._settings["model"]), provider_of(host), host, where.port, settings, self._system(question))

    @property
    def prices(self) -> tuple[float, float]:
        """Money per million tokens of prompt, and of reply."""
        return self.options.price_in, self.options.price_out

    async def close(self) -> None:
        """Close the connections."""
        await self.http.close()

    def request(self, question: Prompt) -> dict[str, Any]:
        """What is sent, as the body of a request."""
        system = self._system(question)
        messages = [{"role": "system", "content": system}] if system else []
        messages += [{"role": role, "content": text} for role, text in question.conversation]
        return self._settings | self._wanted(question) | {"messages": messages}

    def _system(self, question: Prompt) -> str:
        return "\n\n".join(filter(None, (self.options.system, question.system)))

    def _wanted(self, question: Prompt) -> dict[str, Any]:
        """What the prompt sets, as far as it is sent to this server."""
        wanted: dict[str, Any] = {"temperature": question.temperature, self.options.limit: question.max_tokens}
        if question.schema:
            schema = {"name": "reply", "schema": json.loads(question.schema), "strict": True}
            wanted["response_format"] = {"type": "json_schema", "json_schema": schema}
        if question.first_tokens and "logprobs" not in self.never_sent:
            wanted |= {"logprobs": True, "top_logprobs": question.first_tokens}
        return {name: value for name, value in wanted.items() if value is not None and name not in self.never_sent}

    def _refusal(self, pair: ServerError, question: Prompt, reason: str) -> VivavoceError | None:
        """The error for a parameter that the server does not take; None if it says no such thing.

        What the prompt set can be left out by the room that set it; what the user set is for the user to leave out.
        """
        wanted = self._wanted(question).keys() - {"top_logprobs"}
        name = refused(pair, wanted | (self._settings.keys() - {"model"}))
        if not name:
            return None
        if name in wanted:
            return ParameterRefused(name, reason)
        if name == self.options.limit:
            other = {"max_tokens": "max_completion_tokens"}.get(name, "max_tokens")
            remedy = "leave out ?preset=" if self.options.preset else f"use ?{other}= instead"
        else:
            remedy = f"leave out ?{name}=" if name in SETTINGS else f"leave out '{name}' in the file of ?body="
        return CandidateMisconfigured(f"{self._where} {REFUSES} '{name}': {remedy} ({reason})", hearing="refused")

    def _quoted(self, text: str) -> str:
        return self.http.quoted(text)
