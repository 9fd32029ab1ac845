"""`inspect:PROVIDER/MODEL`: about 30 providers of language models, through Inspect's `get_model` (extra `models`).

Inspect would retry without end and bound its connections; here it does neither, since the interview does both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    ResponseSchema,
    get_model,
)
from inspect_ai.util import JSONSchema
from pydantic import Field
from rich.text import Text
from tenacity import RetryError

from vivavoce.candidates.chat.reply import ServerError
from vivavoce.candidates.chat.server_errors import STATUSES, fault_for, refused
from vivavoce.candidates.options import UNNAMED, canonical, read_options
from vivavoce.candidates.providers import base_address, provider_of_inspect
from vivavoce.candidates.text import alternatives, as_unicode, quoted, shortened, without_key
from vivavoce.errors import BadInput, CandidateError, Hearing, ParameterRefused, ServiceFault, TransportFault
from vivavoce.interview.candidate import ModelCall, Prompt, RepeatReason, Reply, Usage
from vivavoce.interview.forms.form import ReplyFormat
from vivavoce.interview.reading import split_thoughts

ATTEMPT_SECONDS = 600
"""Time-out of an attempt outside interviews; an interview's own time-out is shorter."""
CONNECTIONS = 10_000
"""More than any interview has in flight."""

Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class InspectOptions:
    """Options after the `?`; the provider decides omitted ones."""

    temperature: Annotated[float | None, Field(ge=0, le=10)] = None
    max_tokens: Annotated[int | None, Field(gt=0)] = None
    top_p: Annotated[float | None, Field(gt=0, le=1)] = None
    seed: int | None = None
    system: str = ""
    """System text, sent before the prompt's own."""
    base_url: str = ""
    """The provider's address, if not the default."""
    deterministic: Literal["yes", "no"] = "no"
    """Whether it always gives the same answer, as declared by the examiner."""
    price_in: Price = field(default=0.0, metadata=UNNAMED)
    """Money per million tokens of prompt."""
    price_out: Price = field(default=0.0, metadata=UNNAMED)
    """Money per million tokens of reply."""


def open_inspect(target: str, query: str) -> InspectModel:
    """The candidate `inspect:TARGET?QUERY`, where the target is `PROVIDER/MODEL`.

    Raises `BadInput` if Inspect cannot make the model: an unknown provider, a package or a key that is missing.
    """
    name, options = named_model(target, query)
    config = GenerateConfig(
        temperature=options.temperature, max_tokens=options.max_tokens, top_p=options.top_p, seed=options.seed,
        max_retries=0, attempt_timeout=ATTEMPT_SECONDS, max_connections=CONNECTIONS,
    )  # fmt: skip
    return InspectModel(name, model_of(target, options, config), options)


def named_model(target: str, query: str) -> tuple[str, InspectOptions]:
    """The name of the candidate `inspect:TARGET?QUERY`, and its options. Raises `BadInput`."""
    options = read_options(query, InspectOptions, of="inspect")
    if "/" not in target:
        raise BadInput(f"'inspect:{target}' needs a provider: inspect:PROVIDER/MODEL, such as inspect:openai/gpt-4o")
    return f"inspect:{target}{canonical(options)}", options


def model_of(target: str, options: InspectOptions, config: GenerateConfig) -> Model:
    """The model PROVIDER/MODEL at its address. Raises `BadInput` if Inspect cannot make it."""
    base_url = base_address(options.base_url, example="?base_url=http://localhost:8000/v1") if options.base_url else None
    try:
        return get_model(target, config=config, base_url=base_url, memoize=False)
    except Exception as error:
        problem = Text.from_markup(str(getattr(error, "message", error))).plain
        raise BadInput(f"Inspect cannot make the model '{target}': {shortened(problem, 400)}") from None


class InspectModel:
    ways: tuple[ReplyFormat, ...] = ("text", "schema", "turn")
    """Its reply formats; Inspect passes on the parts of a schema that it knows."""
    never_sent: frozenset[str] = frozenset()
    """Inspect itself leaves out parameters that a provider refuses, if it knows them."""

    asked_again: RepeatReason = "elsewhere"
    """As for `chat:`, the model cannot end this program."""

    def __init__(self, name: str, model: Model, options: InspectOptions) -> None:
        self.name = name
        self._model = model
        self._options = options
        self.declared_deterministic = options.deterministic == "yes"
        self._key = model.api.api_key or ""
        client: Any = getattr(model.api, "client", None)
        if hasattr(client, "max_retries"):
            client.max_retries = 0  # the clients of OpenAI and Anthropic retry below Inspect

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: Prompt, /) -> Reply:
        """Ask once. Raises `TransportFault` or `CandidateError`; no text in them holds the key."""
        system = self._system(question)
        messages: list[ChatMessage] = [ChatMessageSystem(content=system)] if system else []
        for role, text in question.conversation:
            messages.append(ChatMessageUser(content=text) if role == "user" else ChatMessageAssistant(content=text))
        schema = None
        if question.schema:
            schema = ResponseSchema(name="reply", json_schema=JSONSchema.model_validate_json(question.schema), strict=True)
        config = GenerateConfig(
            temperature=question.temperature,
            max_tokens=question.max_tokens,
            logprobs=True if question.first_tokens else None,
            top_logprobs=question.first_tokens or None,
            response_schema=schema,
        )
        try:
            # in a separate task: Inspect keeps every call in a transcript that lives as long as the task's context
            output = await asyncio.create_task(self._model.generate(messages, config=config))
        except Exception as error:
            raise self._fault(error, question) from None
        return self._reply(output)

    def call(self, question: Prompt, /) -> ModelCall:
        """The request for this question, for tracing; Inspect chooses the address."""
        provider, _, model = self.name.removeprefix("inspect:").partition("?")[0].partition("/")
        options, own = self._options, {"temperature": question.temperature, "max_tokens": question.max_tokens}
        settings = {name: getattr(options, name) for name in ("temperature", "max_tokens", "top_p", "seed")}
        settings |= {name: value for name, value in own.items() if value is not None}
        return ModelCall(model, provider_of_inspect(provider), settings=settings, system=self._system(question))

    @property
    def prices(self) -> tuple[float, float]:
        return self._options.price_in, self._options.price_out

    async def close(self) -> None:
        await self._model.api.aclose()

    def _system(self, question: Prompt) -> str:
        return "\n\n".join(filter(None, (self._options.system, question.system)))

    def _reply(self, output: ModelOutput) -> Reply:
        if not output.choices:
            raise ServiceFault("the reply has no choices")
        content = output.choices[0].message.content
        reasonings = [part for part in content if isinstance(part, ContentReasoning)] if isinstance(content, list) else []
        apart = [(part.summary or "") if part.redacted else part.reasoning for part in reasonings]
        split = split_thoughts(as_unicode(without_key(output.completion, self._key)))
        return Reply(
            split.words,
            usage=self._usage(output.usage),
            model=quoted(output.model, self._key),
            finish=finish_of(output),
            first_token=self._first_token(output),
            thoughts="\n\n".join(
                filter(None, (*(as_unicode(without_key(name, self._key)).strip() for name in apart), split.thoughts))
            ),
        )

    def _first_token(self, output: ModelOutput) -> tuple[tuple[str, float], ...]:
        """Alternatives of the first token, if requested and sent."""
        logprobs = output.choices[0].logprobs
        listed = logprobs.content[0].top_logprobs if logprobs is not None and logprobs.content else None
        return alternatives(((logprob.token, logprob.logprob) for logprob in listed or ()), self._key)

    def _usage(self, usage: ModelUsage | None) -> Usage:
        if usage is None:
            return Usage()
        tokens_in = usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        money = (tokens_in * self._options.price_in + usage.output_tokens * self._options.price_out) / 1e6
        return Usage(tokens_in, usage.output_tokens, money or usage.total_cost or 0.0)

    def _fault(self, error: BaseException, question: Prompt) -> TransportFault | CandidateError:
        """The error that Inspect raised, classified by its status code and by the provider."""
        if isinstance(error, RetryError):
            error = error.last_attempt.exception() or error
        cause = error.__cause__ or error
        text = quoted(str(getattr(error, "provider_message", None) or cause), self._key)
        status = getattr(error, "status_code", None) or getattr(cause, "status_code", None)
        if isinstance(status, int) and status >= 400:
            codes = [str(getattr(cause, name, "")) for name in ("code", "type")]
            if status in STATUSES:
                param = str(getattr(cause, "param", None) or "")
                name = refused(ServerError(str(cause), tuple(codes), param), _set_by(question))
                if name:
                    return ParameterRefused(name, f"status {status}: {text}")
            headers: Mapping[str, str] = getattr(getattr(cause, "response", None), "headers", None) or {}
            return fault_for(status, headers, text, codes=codes, where=self.name)
        transient = isinstance(error, Exception) and bool(self._model.should_retry(error))
        # whether the provider's client is known to make only one attempt, so that its last error is its only one
        asks_once = getattr(getattr(self._model.api, "client", None), "max_retries", None) == 0
        hearing: Hearing = "unheard" if asks_once and _never_connected(error) else "heard"
        reason = f"{type(cause).__name__}: {text}"
        return ServiceFault(reason, reached=not transient, worth_retrying=transient, hearing=hearing)


def finish_of(output: ModelOutput) -> str:
    """Why the reply ended, in Inspect's word; empty if the provider did not say."""
    reason = output.stop_reason if output.choices else None
    return "" if reason is None or reason == "unknown" else reason


def _never_connected(error: BaseException) -> bool:
    """Whether the connection failed before a byte was sent."""
    cause: BaseException | None = error
    while cause is not None:
        kind = type(cause)
        if kind.__module__.startswith("httpx") and kind.__name__ in ("ConnectError", "ConnectTimeout"):  # of any release
            return True
        cause = cause.__cause__
    return False


def _set_by(question: Prompt) -> set[str]:
    """The parameters that the prompt sets, by the names under which providers refuse them."""
    wanted = {
        "temperature": question.temperature is not None,
        "max_tokens": question.max_tokens is not None,
        "max_completion_tokens": question.max_tokens is not None,
        "response_format": bool(question.schema),
        "logprobs": bool(question.first_tokens),
    }
    return {name for name, is_set in wanted.items() if is_set}
