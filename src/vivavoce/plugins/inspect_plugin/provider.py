"""Our candidates as models of Inspect: `--model viva/bot:calculator` examines by Inspect whatever `viva certify` examines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, StopReason, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.errors import BadInput, TransportFault
from vivavoce.interview.candidate import Exchange, Prompt
from vivavoce.plugins.inspect_plugin.terms import plainly


@modelapi(name="viva")
class CandidateModel(ModelAPI):
    """A candidate of ours that speaks a language, under the name that it has on our command line."""

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
        """Put the last of the messages, after those before it. Raises `TransportFault`, and `BadInput` for tools."""
        if tools:
            raise BadInput(f"'{self.model_name}' uses no tools: choose a solver that offers none")
        reply = await self._candidate.answer(_prompt(input, config))
        finish: StopReason = reply.finish if reply.finish in get_args(StopReason) else "unknown"  # type: ignore[assignment]
        output = ModelOutput.from_content(reply.model or self.model_name, reply.text, finish)
        used = reply.usage
        output.usage = ModelUsage(
            input_tokens=used.tokens_in, output_tokens=used.tokens_out, total_tokens=used.tokens, total_cost=used.money or None
        )
        return output

    def should_retry(self, ex: BaseException) -> bool:
        """Whether it might get through the next time."""
        return isinstance(ex, TransportFault) and ex.worth_retrying

    async def aclose(self) -> None:
        """Let go of what the candidate holds."""
        await close_candidate(self._candidate)


def _prompt(messages: Sequence[ChatMessage], config: GenerateConfig) -> Prompt:
    """The last message as the question, and the earlier messages as examples."""
    system = "\n\n".join(message.text for message in messages if message.role == "system")
    said = [message.text for message in messages if message.role != "system"]
    if len(said) % 2 == 0:
        raise BadInput(
            f"a conversation of {len(said)} messages cannot be put to a candidate: question and reply must alternate"
        )
    shown = tuple(Exchange(asked, replied) for asked, replied in zip(said[:-1:2], said[1::2], strict=True))
    return Prompt(said[-1], system=system, temperature=config.temperature, max_tokens=config.max_tokens, shown=shown)
