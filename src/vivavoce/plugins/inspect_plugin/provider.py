"""Candidates as models of Inspect (`--model viva/bot:calculator`), and the checks of a task's options (`-T NAME=VALUE`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, get_args

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, StopReason, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo
from pydantic import TypeAdapter, ValidationError

from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.errors import BadInput, TransportFault, VivavoceError
from vivavoce.formats.wording import first_problem
from vivavoce.interview.candidate import Exchange, Prompt
from vivavoce.plugins.inspect_plugin.private import PrerequisiteError

T = TypeVar("T")


@contextmanager
def plainly() -> Iterator[None]:
    """Turn our errors into Inspect errors, which it prints without a traceback."""
    try:
        yield
    except VivavoceError as error:
        raise PrerequisiteError(str(error)) from None


def checked(kind: type[T], given: Mapping[str, Any]) -> T:
    """The options of a task (`-T NAME=VALUE`) as a value of this type; `none` means None, as on our own command line.

    Raises `BadInput` for a value of another type, or out of bounds.
    """
    values = {name: None if value == "none" else value for name, value in given.items()}
    try:
        return TypeAdapter(kind).validate_python(values)
    except ValidationError as error:
        raise BadInput(f"-T {first_problem(error)}") from None


@modelapi(name="viva")
class CandidateModel(ModelAPI):
    """A candidate that answers prompts, under its name on our command line."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 -- as Inspect's own models
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        with plainly():
            self._candidate = open_candidate(model_name)

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 -- Inspect names it
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Ask the last message, after the earlier ones. Raises `TransportFault`, and `BadInput` for tools."""
        if tools:
            raise BadInput(f"'{self.model_name}' can't use tools: choose a solver without tools")
        reply = await self._candidate.answer(_prompt(input, config))
        finish: StopReason = reply.finish if reply.finish in get_args(StopReason) else "unknown"  # type: ignore[assignment]
        output = ModelOutput.from_content(reply.model or self.model_name, reply.text, finish)
        used = reply.usage
        output.usage = ModelUsage(
            input_tokens=used.tokens_in, output_tokens=used.tokens_out, total_tokens=used.tokens, total_cost=used.money or None
        )
        return output

    def should_retry(self, ex: BaseException) -> bool:
        """Whether a retry might succeed."""
        return isinstance(ex, TransportFault) and ex.worth_retrying

    async def aclose(self) -> None:
        """Close the candidate."""
        await close_candidate(self._candidate)


def _prompt(messages: Sequence[ChatMessage], config: GenerateConfig) -> Prompt:
    """The last message as the question, and the earlier messages as examples."""
    system = "\n\n".join(message.text for message in messages if message.role == "system")
    texts = [message.text for message in messages if message.role != "system"]
    if len(texts) % 2 == 0:
        raise BadInput(
            f"a conversation of {len(texts)} messages can't be sent to a candidate: question and reply must alternate"
        )
    shown = tuple(Exchange(asked, replied) for asked, replied in zip(texts[:-1:2], texts[1::2], strict=True))
    return Prompt(texts[-1], system=system, temperature=config.temperature, max_tokens=config.max_tokens, shown=shown)
