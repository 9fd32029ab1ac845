"""Which parameters that a room sets for its prompts a server refuses, settled before the first question that carries them.

A model that reasons may refuse any temperature, an older server a schema. Were each question to find that out by itself, a
server could refuse the hard ones and be asked again without the parameter: a second try for these alone. Hence one probe, on
record like every question, decides for all of them; what is refused later is that question's outcome.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, Final, Protocol, runtime_checkable

from vivavoce.errors import refused_parameter
from vivavoce.interview.candidate import NoAnswer, Prompt

FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "temperature": "temperature",
        "max_tokens": "max_tokens",
        "max_completion_tokens": "max_tokens",
        "logprobs": "first_tokens",
        "top_logprobs": "first_tokens",
        "response_format": "schema",
    }
)
"""Parameters as servers call them, with the fields of a prompt that set them."""
TOPIC: Final = "probe"
PROBE: Final = "Reply with the word ready."
_DEFAULTS: Final[dict[str, Any]] = {field.name: field.default for field in fields(Prompt) if field.name in FIELDS.values()}


@runtime_checkable
class Refusing(Protocol):
    """A candidate whose server may refuse parameters; it raises `ParameterRefused`."""

    @property
    def never_sent(self) -> frozenset[str]:
        """Parameters that are known to be refused, and never sent."""
        ...


class Parameters:
    """Which of the parameters that prompts carry a candidate's server accepts.

    ask: puts the probe, on record; what comes of it is the answer or why there is none.
    """

    def __init__(self, candidate: Refusing, ask: Callable[[Prompt], Awaitable[Any]]) -> None:
        self.refused: set[str] = {FIELDS[name] for name in candidate.never_sent if name in FIELDS}
        """Fields of prompts that are left out."""
        self.left_out: set[str] = set()
        """Those that were wished for."""
        self._taken: set[str] = set()
        self._ask = ask
        self._lock = asyncio.Lock()

    async def settle(self, prompt: Prompt) -> None:
        """Find out about the parameters of this prompt, unless that is known."""
        borne = _borne(prompt)
        if not borne <= self._taken | self.refused:
            async with self._lock:
                while unsettled := borne - self._taken - self.refused:
                    probe = Prompt(PROBE, id=TOPIC, **{name: getattr(prompt, name) for name in sorted(unsettled)})
                    answer = await self._ask(probe)
                    name = FIELDS.get(refused_parameter(answer.reason), "") if isinstance(answer, NoAnswer) else ""
                    if name in unsettled:
                        self.refused.add(name)
                    else:
                        self._taken |= unsettled
        self.left_out |= borne & self.refused

    def without_refused(self, prompt: Prompt) -> Prompt:
        """The prompt without what the server refuses."""
        refused = _borne(prompt) & self.refused
        return replace(prompt, **{name: _DEFAULTS[name] for name in refused}) if refused else prompt


def _borne(prompt: Prompt) -> set[str]:
    return {name for name, default in _DEFAULTS.items() if getattr(prompt, name) != default}
