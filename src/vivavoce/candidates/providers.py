"""Servers of models: their providers by address, in OpenTelemetry's names (`opentelemetry2026`), and what each kind accepts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlsplit

from vivavoce.errors import BadInput

PROTOCOL: Final = "openai"
"""The default for unknown providers, since they speak this protocol."""

_BY_HOST: Final = {
    "anthropic.com": "anthropic",
    "amazonaws.com": "aws.bedrock",
    "models.ai.azure.com": "azure.ai.inference",
    "openai.azure.com": "azure.ai.openai",
    "cohere.com": "cohere",
    "cohere.ai": "cohere",
    "deepseek.com": "deepseek",
    "generativelanguage.googleapis.com": "gcp.gemini",
    "aiplatform.googleapis.com": "gcp.vertex_ai",
    "groq.com": "groq",
    "ml.cloud.ibm.com": "ibm.watsonx.ai",
    "mistral.ai": "mistral_ai",
    "moonshot.ai": "moonshot_ai",
    "moonshot.cn": "moonshot_ai",
    "perplexity.ai": "perplexity",
    "x.ai": "x_ai",
}


def provider_of(host: str) -> str:
    """The provider behind this host.

    >>> provider_of("api.mistral.ai"), provider_of("localhost"), provider_of("not-x.ai")
    ('mistral_ai', 'openai', 'openai')
    """
    return next((name for end, name in _BY_HOST.items() if host == end or host.endswith(f".{end}")), PROTOCOL)


_OF_INSPECT: Final = {
    "azureai": "azure.ai.inference",
    "bedrock": "aws.bedrock",
    "google": "gcp.gemini",
    "grok": "x_ai",
    "mistral": "mistral_ai",
    "openai-api": PROTOCOL,
    "vertex": "gcp.vertex_ai",
}
"""Providers with another name in Inspect."""


def provider_of_inspect(provider: str) -> str:
    """The same for a provider by Inspect's name.

    >>> provider_of_inspect("google"), provider_of_inspect("anthropic")
    ('gcp.gemini', 'anthropic')
    """
    return _OF_INSPECT.get(provider, provider)


def base_address(url: str, *, example: str) -> str:
    """The address without the path of the chat protocol and without a slash at the end.

    Raises `BadInput` for an address that cannot be read or holds a password; the message never repeats the address.

    >>> base_address("HTTP://LocalHost:8000/v1/chat/completions/", example="chat:m@http://localhost:8000/v1")
    'http://localhost:8000/v1'
    """
    try:
        parts = urlsplit(url)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        raise BadInput(f"the address of the candidate can't be parsed; write {example}") from None
    if "@" in parts.netloc:
        raise BadInput("a password must not be in a name, since every record shows it: put the key in the environment")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.fragment:
        raise BadInput(f"the address of the candidate needs http:// or https:// and a host, and no '#'; write {example}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    return f"{parts.scheme}://{host}{port}{path}"


Limit = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True, slots=True)
class Preset:
    """What one kind of server accepts, as documented: `?preset=NAME`.

    Most servers report a parameter that they refuse, but some ignore it silently. A preset avoids the first refusal, and is the
    only remedy for silent servers.
    """

    name: str
    limit: Limit
    """Its name for a limit of tokens."""
    never_sent: frozenset[str] = frozenset()
    """Parameters that it refuses or ignores, by the names of the protocol."""
    thoughts: str = ""
    """The field with thoughts, if there is one."""
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
