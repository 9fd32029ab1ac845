"""What of a reply can be read, and why nothing can be."""

from __future__ import annotations

import re
from typing import Final

from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.thoughts import split_thoughts

TIME_OUT: Final = "time-out"
NO_ANSWER: Final = "no answer"
EMPTY: Final = "empty"
CUT_OFF: Final = "cut off"
"""The server says that the reply was broken off, or its thought has no end: its last words or digits may be missing."""
FILTERED: Final = "filtered"
"""The server says that it has held something back."""
_COMPLETE: Final = frozenset(
    (
        # nothing is said, in a word or none
        *("", "null", "none", "unspecified"),
        # the end of the turn, as OpenAI, Anthropic, Gemini, Cohere, Bedrock, Ollama, vLLM and others call it
        *("stop", "stopped", "end", "end_turn", "complete", "completed", "finish", "finished", "done", "normal"),
        # a token or a text that ends it: llama.cpp, Text Generation Inference, Together, AI21, Bedrock
        *("eos", "eos_token", "eos_found", "eog_token", "end_of_text", "endoftext", "end_of_sequence", "stop_token"),
        *("stop_sequence", "stop_word", "stop_criteria_met", "stop_pattern_found", "word"),
        # a tool is called, and the turn is over all the same
        *("tool_call", "tool_calls", "tool_use", "function_call"),
    )
)
"""Why a reply ended, in the words that mean: it is complete. All others mean that it was broken off."""
_HELD_BACK: Final = frozenset(("content_filter", "content_filtered", "refusal", "guardrail_intervened"))
"""Words of a filter on the reply: OpenAI and Azure, Bedrock's Titan, Anthropic, Bedrock's guardrails."""


def heard(answer: Reply | NoAnswer, *, whole: bool = False) -> tuple[str, str]:
    """The words of a reply, without thoughts that are marked as such (`<think>`), and why there are none.

    Parameters
    ----------
    whole: take all words, even where the reply was broken off; a thought without an end has none.

    >>> heard(Reply("<think>Well.</think> 12")), heard(Reply("1", finish="length")), heard(NoAnswer("time-out after 9 s"))
    (('12', ''), ('', 'cut off'), ('', 'time-out'))
    """
    if isinstance(answer, NoAnswer):
        return "", absent(answer)
    end = broken_off(answer)
    if end == FILTERED or (end and not whole):
        return "", end
    split = split_thoughts(answer.text)
    words = split.words.strip()
    if words:
        return words, ""
    return "", EMPTY if split.ended and split_thoughts(answer.thoughts).ended else CUT_OFF


def absent(answer: NoAnswer) -> str:
    """Why there is no reply, in two words: `TIME_OUT` or `NO_ANSWER`."""
    return TIME_OUT if answer.reason.startswith(TIME_OUT) else NO_ANSWER


def broken_off(reply: Reply) -> str:
    """Why the end of a reply may be missing, by what the server says: `CUT_OFF`, `FILTERED`, or empty.

    >>> broken_off(Reply("[Answer] 0.1", finish="length")), broken_off(Reply("[Answer] 0.15", finish="STOP"))
    ('cut off', '')
    >>> broken_off(Reply("[Answer] 0.1", finish="insufficient_system_resource"))
    'cut off'
    """
    if finish_word(reply.finish) in _HELD_BACK:
        return FILTERED
    return "" if is_complete(reply.finish) else CUT_OFF


def is_complete(finish: str) -> bool:
    """Whether a server's word for why a reply ended means that it is complete.

    >>> is_complete("endTurn"), is_complete("MAX_TOKENS")
    (True, False)
    """
    return finish_word(finish) in _COMPLETE


def finish_word(finish: str) -> str:
    """A server's word for why a reply ended, without its spelling.

    >>> finish_word("FINISH_REASON_MAX_TOKENS"), finish_word("endTurn"), finish_word("tool-calls")
    ('max_tokens', 'end_turn', 'tool_calls')
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", finish.strip())
    return re.sub(r"[\s-]+", "_", apart).lower().removeprefix("finish_").removeprefix("reason_")
