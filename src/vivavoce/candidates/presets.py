"""The parameters that servers accept, as documented: one table, applied by `?preset=NAME`.

A room may set a temperature, a limit of tokens, a schema, and ask for log-probabilities. Most servers say so when they refuse
one; some drop it in silence. A preset spares the first refusal, and is the only help against the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Limit = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True, slots=True)
class Preset:
    """What one kind of server takes."""

    name: str
    limit: Limit
    """What a limit of tokens is called there."""
    never_sent: frozenset[str] = frozenset()
    """Parameters that are refused there, or dropped in silence, by the names of the protocol."""
    thoughts: str = ""
    """Where thoughts come, if they come."""
    source: str = ""


PRESETS: Final = {
    preset.name: preset
    for preset in (
        Preset(
            "openai-reasoning",
            "max_completion_tokens",
            frozenset({"temperature", "top_p", "logprobs"}),
            "nowhere: they are counted, not shown",
            "https://platform.openai.com/docs/guides/reasoning",
        ),
        Preset(
            "anthropic",
            "max_completion_tokens",
            frozenset({"response_format", "logprobs", "seed", "reasoning_effort"}),
            "nowhere",
            "https://platform.claude.com/docs/en/api/openai-sdk",
        ),
        Preset(
            "gemini",
            "max_completion_tokens",
            frozenset({"seed"}),
            "<thought> in the content, if the body asks for them",
            "https://ai.google.dev/gemini-api/docs/openai",
        ),
        Preset(
            "vllm",
            "max_completion_tokens",
            frozenset(),
            "reasoning (before 0.11.1: reasoning_content) with --reasoning-parser, else in the content",
            "https://docs.vllm.ai/en/stable/features/reasoning_outputs/",
        ),
        Preset(
            "ollama",
            "max_tokens",
            frozenset(),
            "reasoning",
            "https://docs.ollama.com/api/openai-compatibility",
        ),
        Preset(
            "llama.cpp",
            "max_tokens",
            frozenset(),
            "reasoning_content",
            "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
        ),
    )
}
