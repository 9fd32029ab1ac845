"""What a scorer gave to a sample that a task ran, as a score, a reply and a cost."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from inspect_ai.log import EvalSample
from inspect_ai.model import ModelUsage

from vivavoce.candidates.inspect_ai import finish_of
from vivavoce.candidates.text import as_unicode, without_key
from vivavoce.errors import BadInput
from vivavoce.formats.logged import with_score
from vivavoce.formats.wording import clipped
from vivavoce.inspect_door.scored import chosen_scorer, in_a_line, number_of
from vivavoce.inspect_door.task_scope.steps import steps_of
from vivavoce.interview.candidate import Reply, Usage

NO_ANSWER = "N"
"""What Inspect's scorers give where there was no answer; its metrics make it 0."""
LONGEST = 20_000
"""Characters of a reply that are kept."""


def reply_of(sample: EvalSample, scorer: str, prices: Mapping[str, tuple[float, float]], key: str = "") -> Reply:
    """The reply with its score, and what an agent did before it.

    scorer: whose score; of one that gives several values SCORER:VALUE.
    prices: by model, per million tokens of prompt and of reply.
    key: is left out of the reply.

    Raises `BadInput` for a score outside of [0, 1], and where a value must be named; `UnknownName` for one that is not there.
    """
    said = sample.output.completion if sample.output.choices else ""
    if sample.error is not None:
        said = f"({clipped(in_a_line(sample.error.message), 400)})"
    text = with_score(clipped(as_unicode(without_key(said, key)), LONGEST), score(sample, scorer))
    return Reply(text, usage_of(sample, prices), sample.output.model, finish_of(sample.output), steps=steps_of(sample, key))


def score(sample: EvalSample, scorer: str) -> float | None:
    """The score in [0, 1]; None after an error, where the scorer gave none, and where it found no answer."""
    scores = {} if sample.error is not None else sample.scores or {}
    name, value = (scorer, "") if scorer in scores else _parted(scorer, scores)
    if name not in scores:
        return None
    given: Any = scores[name].value
    if isinstance(given, dict):
        name, value = chosen_scorer({name: dict.fromkeys(map(str, given))}, f"{name}:{value}" if value else "", "the task")
        given = given[value]
    if given == NO_ANSWER:
        return None
    try:
        return number_of(given)
    except ValueError as error:
        raise BadInput(
            f"sample '{str(sample.id)[:80]}' of the task: {error}; only scores from 0 to 1 (or C, I, P, N) can be certified"
        ) from None


def _parted(scorer: str, scores: Collection[str]) -> tuple[str, str]:
    """SCORER:VALUE as scorer and value, of the scorers that there are; as it is where there is none of them."""
    name = max((one for one in scores if scorer.startswith(f"{one}:")), key=len, default=scorer)
    return name, scorer[len(name) + 1 :]


def usage_of(sample: EvalSample, prices: Mapping[str, tuple[float, float]]) -> Usage:
    """What all models of a sample used together: at the prices that are given, others at those that Inspect knows."""
    return used_together(sample.model_usage, prices)


def used_together(usage: Mapping[str, ModelUsage], prices: Mapping[str, tuple[float, float]] = MappingProxyType({})) -> Usage:
    """The same, by what each model used."""
    total = Usage()
    for model, used in usage.items():
        total += _usage(used, prices.get(model, (0.0, 0.0)))
    return total


def _usage(used: ModelUsage, prices: tuple[float, float]) -> Usage:
    tokens_in = used.input_tokens + (used.input_tokens_cache_read or 0) + (used.input_tokens_cache_write or 0)
    money = (tokens_in * prices[0] + used.output_tokens * prices[1]) / 1e6
    return Usage(tokens_in, used.output_tokens, money or used.total_cost or 0.0)
