"""Parses replies by their forms, removes thoughts, counts unparsed replies, and words the caveats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from vivavoce.formats.identity import Identity
from vivavoce.formats.wording import count, percent
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome, ParsedReply, ReplyForm, copied, json_object
from vivavoce.interview.forms.probability import PROBLEMS
from vivavoce.interview.forms.prose import is_copy

TIME_OUT: Final = "time-out"
NO_ANSWER: Final = "no answer"
EMPTY: Final = "empty"
CUT_OFF: Final = "cut off"
"""The server broke off the reply, or its thought has no end: its last words or digits may be missing."""
FILTERED: Final = "filtered"
"""The server reports that a filter removed something."""
_COMPLETE: Final = frozenset(
    (
        # the server gives no reason
        *("", "null", "none", "unspecified"),
        # the end of the turn, as OpenAI, Anthropic, Gemini, Cohere, Bedrock, Ollama, vLLM and others call it
        *("stop", "stopped", "end", "end_turn", "complete", "completed", "finish", "finished", "done", "normal"),
        # a token or a text that ends it: llama.cpp, Text Generation Inference, Together, AI21, Bedrock
        *("eos", "eos_token", "eos_found", "eog_token", "end_of_text", "endoftext", "end_of_sequence", "stop_token"),
        *("stop_sequence", "stop_word", "stop_criteria_met", "stop_pattern_found", "word"),
        # a tool is called, and the turn is complete
        *("tool_call", "tool_calls", "tool_use", "function_call"),
    )
)
"""Reasons for the end of a complete reply. All other reasons mean that it was broken off."""
_HELD_BACK: Final = frozenset(("content_filter", "content_filtered", "refusal", "guardrail_intervened"))
"""Words of a filter on the reply: OpenAI and Azure, Bedrock's Titan, Anthropic, Bedrock's guardrails."""


def heard(answer: Reply | NoAnswer, *, whole: bool = False) -> tuple[str, str]:
    """The words of a reply without marked thoughts (`<think>`), or why there are none.

    Parameters
    ----------
    whole: take all words, even if the reply was broken off; a thought without an end has no words.

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
    """Why the end of a reply may be missing, by the server's account: `CUT_OFF`, `FILTERED`, or empty.

    >>> broken_off(Reply("[Answer] 0.1", finish="length")), broken_off(Reply("[Answer] 0.15", finish="STOP"))
    ('cut off', '')
    >>> broken_off(Reply("[Answer] 0.1", finish="insufficient_system_resource"))
    'cut off'
    """
    if finish_word(reply.finish) in _HELD_BACK:
        return FILTERED
    return "" if is_complete(reply.finish) else CUT_OFF


def is_complete(finish: str) -> bool:
    """Whether a server's reason for the end of a reply means that it is complete.

    >>> is_complete("endTurn"), is_complete("MAX_TOKENS")
    (True, False)
    """
    return finish_word(finish) in _COMPLETE


@lru_cache(maxsize=64)
def finish_word(finish: str) -> str:
    """A server's reason for the end of a reply, in a uniform spelling.

    >>> finish_word("FINISH_REASON_MAX_TOKENS"), finish_word("endTurn"), finish_word("tool-calls")
    ('max_tokens', 'end_turn', 'tool_calls')
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", finish.strip())
    return re.sub(r"[\s-]+", "_", apart).lower().removeprefix("finish_").removeprefix("reason_")


_MARKS: Final = {
    "think": (r"(?:think|thinking|thoughts?)>", r"/(?:think|thinking|thoughts?)>"),  # DeepSeek R1, Qwen 3, EXAONE, Gemini
    "reasoning": (r"reasoning>", r"/reasoning>"),
    "seed": (r"seed:think>", r"/seed:think>"),  # Seed-OSS
    "mistral": (r"THINK\]", r"/THINK\]"),  # Magistral
    "kimi": (r"think▷", r"/think▷"),  # Kimi-VL
    "cohere": (r"\|START_THINKING\|>", r"\|END_THINKING\|>"),  # Command A Reasoning
    "sky": (r"\|begin_of_thought\|>", r"\|end_of_thought\|>"),  # Sky-T1, OpenThinker
    "apertus": (r"\|inner_prefix\|>", r"\|inner_suffix\|>"),
    "gemma": (r"\|channel>thought\b", r"channel\|>"),  # Gemma 4
    "harmony": (  # gpt-oss
        r"\|channel\|>(?:analysis|commentary)[^<]{0,100}<\|message\|>",
        r"(?:\|end\|><)?(?:\|start\|>assistant<)?\|channel\|>final[^<]{0,100}<\|message\|>",
    ),
}
"""How models open and close a thought, by kind, after the first bracket; only the same kind closes a thought."""
_MARK: Final = re.compile(
    r"[<\[◁](?:"  # the brackets alone skip most of a reply quickly
    + "|".join(f"(?P<{kind}>{opens})|(?P<{kind}_end>{closes})" for kind, (opens, closes) in _MARKS.items())
    + ")",
    re.IGNORECASE,
)
_BARE: Final = re.compile(r"analysis(?=[A-Z])")
_BARE_END: Final = "assistantfinal"
"""The rest of gpt-oss's marks if a server drops its special tokens."""
_FRAME: Final = re.compile(
    r"\A(?:<\|START_RESPONSE\|>|<\|begin_of_solution\|>)\s*"
    r"|\s*(?:<\|END_RESPONSE\|>|<\|end_of_solution\|>|<\|return\|>|<\|end\|>)\Z"
)
"""Marks that such models put around the words after a thought."""
_QUOTES: Final = frozenset("\"'`“”‘’«»")
"""A mark after one of these is mentioned, not used."""


class SplitReply(NamedTuple):
    thoughts: str
    """Without the marks; if a thought has no end, the whole unchanged reply."""
    words: str
    """The rest; empty if a thought has no end."""
    ended: bool
    """Whether every thought has an end. A thought without an end was cut off, and the words after it are unknown."""


@lru_cache(maxsize=32)  # the grader hears again what the interview has read
def split_thoughts(text: str) -> SplitReply:
    """Separate thoughts from words, in time linear in the length of the text.

    A thought begins at the start of the text or of a line. Within a line it also needs an end, otherwise the mark is only
    mentioned; in quotes it always is. An end without a beginning ends a thought, since some servers drop the beginning.
    Splitting the remaining words again changes nothing.

    >>> split_thoughts("<think>12? No.</think> Answer: 13")
    SplitReply(thoughts='12? No.', words='Answer: 13', ended=True)
    >>> split_thoughts("12? No.</think> Answer: 13").words, split_thoughts("<think>Answer: 12").words
    ('Answer: 13', '')
    >>> split_thoughts("I use the <think> tag.").words
    'I use the <think> tag.'
    """
    bare = _BARE.match(text)
    before, name, after = text.rpartition(_BARE_END)
    if name:
        rest = split_thoughts(after.strip())
        return (
            rest._replace(thoughts=before[bare.end() if bare else 0 :].strip())
            if rest.ended
            else SplitReply(text, "", ended=False)
        )
    if bare:
        return SplitReply(text, "", ended=False)
    marks = list(_MARK.finditer(text))
    last_end = {str(mark.lastgroup).removesuffix("_end"): mark.end() for mark in marks if _ends(mark)}
    thoughts: list[str] = []
    words: list[str] = []
    opened = spoken_of = ""
    taken = seen = 0  # everything before `taken` is assigned; everything before `seen` was examined
    for mark in marks:
        kind = str(mark.lastgroup).removesuffix("_end")
        between = text[seen : mark.start()].rstrip(" \t")
        at_start = between.endswith("\n") or (not between and seen == taken)
        seen = mark.end()
        if opened:
            if kind != opened or not _ends(mark):
                continue
            opened = ""
            thoughts.append(text[taken : mark.start()])
        elif _ends(mark):
            if kind == spoken_of or _quoted(text, mark):
                spoken_of = ""
                continue
            thoughts += [*words, text[taken : mark.start()]]
            words = []
        else:
            if _quoted(text, mark) or not (at_start or mark.end() < last_end.get(kind, 0)):
                spoken_of = kind
                continue
            opened, spoken_of = kind, ""
            words.append(text[taken : mark.start()])
        taken = mark.end()
    if opened:
        return SplitReply(text, "", ended=False)
    if not thoughts:
        return SplitReply("", text, ended=True)
    left = " ".join(filter(None, (part.strip(" \t") for part in (*words, text[taken:])))).strip()
    return SplitReply("\n\n".join(filter(None, map(str.strip, thoughts))), _FRAME.sub("", left).strip(), ended=True)


def _ends(mark: re.Match[str]) -> bool:
    return str(mark.lastgroup).endswith("_end")


def _quoted(text: str, mark: re.Match[str]) -> bool:
    return text[max(0, mark.start() - 1) : mark.start()] in _QUOTES


def settings_caveats(name: str, settings: Iterable[str]) -> list[str]:
    """About settings that the candidate refuses."""
    return [f"{name} refuses the setting '{setting}': it was left out of all questions." for setting in settings]


def asked_again_caveat(name: str, questions: int) -> str:
    """About questions to a remote candidate that an earlier run asked, or was about to ask, before it ended."""
    some = "1 question was" if questions == 1 else f"{count(questions)} questions were"
    return (
        f"{some} put to {name} again, since the program had ended before an answer came (they may not all have been sent): "
        "it is assumed that the candidate did not cause this."
    )


def orphans_caveat(name: str, questions: int) -> str:
    """About questions to a candidate on this machine that an earlier run asked before it ended."""
    some, each = ("1 question was", "it") if questions == 1 else (f"{count(questions)} questions were", "each")
    return (
        f"{some} put to {name} by a run that ended before an answer came, and not asked again, since the candidate may have "
        f"ended it: {each} counts as one without an answer."
    )


def early_answers_caveat(answers: int) -> str:
    """About answers from before their due time, in an examination that is spread over hours."""
    some = "1 answer was" if answers == 1 else f"{answers} answers were"
    return f"{some} on record from before the moment that was drawn for the question: these were not spread over time."


REWORDED = "Some of these questions are on record in other words; they were asked again, in their current words."


SHORT: Final = 200
"""Maximal characters of a reply whose reading is cached: replies such as letters repeat."""


def read(prompt: Prompt, answer: Reply | NoAnswer) -> ParsedReply[Any]:
    """Read the answer to a prompt with a form, including its follow-up, if any.

    Thoughts are not an answer; a reply that was cut off, or repeats the instruction or a worked example, has none.
    """
    assert prompt.form is not None, "a prompt without a form cannot be read"
    if isinstance(answer, NoAnswer):
        return ParsedReply(Outcome.NO_ANSWER, problem=absent(answer))
    first = _read_reply(prompt, prompt.form, answer)
    if answer.further is None or not wants_turn(first, answer):
        return first
    second = _read_reply(prompt, prompt.form, answer.further)
    return replace(second, after_turn=True) if second.outcome in (Outcome.ANSWER, Outcome.DONT_KNOW) else first


def read_after_turn(prompt: Prompt, answer: Reply) -> bool:
    """Whether the answer was read from the reply to the follow-up; never for a prompt without a form."""
    return prompt.form is not None and answer.further is not None and read(prompt, answer).after_turn


def wants_turn(reading: ParsedReply[Any], answer: Reply) -> bool:
    """Whether a reply gets a follow-up: if it is complete and cannot be read. The rule is the same for every candidate."""
    return reading.outcome in (Outcome.UNREADABLE, Outcome.COPIED) and not heard(answer)[1]


def _read_reply(prompt: Prompt, form: ReplyForm[Any], reply: Reply) -> ParsedReply[Any]:
    return _read_recent(Identity(prompt), Identity(form), Identity(reply))


@lru_cache(maxsize=64)  # each reply is read by the interview, which may ask further, and by the grader
def _read_recent(asked: Identity[Prompt], by: Identity[ReplyForm[Any]], replied: Identity[Reply]) -> ParsedReply[Any]:
    prompt, form, reply = asked.value, by.value, replied.value
    text, problem = heard(reply)
    if problem:
        return ParsedReply(Outcome.CUT_OFF if problem == CUT_OFF else Outcome.UNREADABLE, problem=problem)
    shown = tuple(_shown(prompt, form))
    if len(text) <= SHORT and isinstance(form, Hashable) and _has_hash(form):
        return _read_again(form, text, shown)
    return _read_text(form, text, shown)


def _read_text(form: ReplyForm[Any], text: str, shown: tuple[str, ...]) -> ParsedReply[Any]:
    fields = json_object(text)
    under_schema = fields and set(form.schema.get("required", ())) <= set(fields)
    words = " ".join(value for value in fields.values() if isinstance(value, str)) if under_schema and fields else text
    if is_copy(words, shown):
        return copied()
    return form.read_fields(fields) if under_schema and fields else form.read(text)


_read_again = lru_cache(maxsize=4096)(_read_text)


def _has_hash(form: Hashable) -> bool:
    """Whether it really has a hash: a frozen form may hold a mapping."""
    try:
        hash(form)
    except TypeError:
        return False
    return True


def _shown(prompt: Prompt, form: ReplyForm[Any]) -> list[str]:
    """Texts that a candidate could copy instead of answering: instructions and worked examples, not the question.

    They include later turns, which may name an answer, but not the candidate's own replies, which it may repeat.
    """
    examples = [part for exchange in prompt.shown for part in (exchange.asked, exchange.replied)]
    turn = [_without_instruction(prompt.text, form)] if prompt.earlier else []
    return [form.instruction, form.schema_instruction, form.further, prompt.system, *examples, *turn]


def _without_instruction(text: str, form: ReplyForm[Any]) -> str:
    """The question, the same before and after its form was put into words."""
    return text.removesuffix(form.schema_instruction).removesuffix(form.instruction).rstrip()


@dataclass(frozen=True, slots=True)
class FormReadings:
    form: str
    asked: int = 0
    at_once: int = 0
    """Read without a follow-up, "I don't know" included."""
    after_turn: int = 0
    copied: int = 0
    cut_off: int = 0
    unreadable: int = 0
    no_answer: int = 0
    calls: int = 0
    """Questions and follow-up."""


class ReadingsTally:
    def __init__(self) -> None:
        self._counts: dict[str, Counter[str]] = {}

    def add(self, form: ReplyForm[Any], reading: ParsedReply[Any], *, calls: int) -> None:
        counts = self._counts.setdefault(type(form).__name__, Counter())
        counts["asked"] += 1
        counts["calls"] += calls
        counts[_column(reading)] += 1

    @property
    def found(self) -> tuple[FormReadings, ...]:
        """One row per form, in the order of their names."""
        return tuple(FormReadings(name, **counts) for name, counts in sorted(self._counts.items()))


def _column(reading: ParsedReply[Any]) -> str:
    if reading.outcome in (Outcome.ANSWER, Outcome.DONT_KNOW):
        return "after_turn" if reading.after_turn else "at_once"
    return reading.outcome.name.lower()


WAS_READ: Final = "read"
AFTER_TURN: Final = "read after a further turn"
COPIED: Final = Outcome.COPIED.value
DID_NOT_COME: Final = (TIME_OUT, NO_ANSWER)
OUTCOMES: Final = (WAS_READ, AFTER_TURN, COPIED, CUT_OFF, EMPTY, FILTERED, Outcome.DONT_KNOW.value, *PROBLEMS, *DID_NOT_COME)
"""Every way in which asking once can end, in their order of report: read, the unreadable, and no reply at all."""


def outcome_of(reading: ParsedReply[Any]) -> str:
    """The name of a reply's outcome: one of `OUTCOMES`."""
    match reading.outcome:
        case Outcome.ANSWER:
            return AFTER_TURN if reading.after_turn else WAS_READ
        case Outcome.COPIED | Outcome.CUT_OFF | Outcome.DONT_KNOW:
            return reading.outcome.value
    return reading.problem


def came(replies: Mapping[str, int]) -> int:
    return sum(number for outcome, number in replies.items() if outcome not in DID_NOT_COME)


MANY: Final = 0.1
"""The headline mentions a larger share of copies, too."""


def copies_of(replies: Mapping[str, int]) -> str:
    """A sentence for the headline if many replies only repeat the prompt, by the number with each outcome; else empty.

    >>> copies_of({WAS_READ: 7, COPIED: 3}), copies_of({WAS_READ: 9, COPIED: 1})
    ('3 of 10 replies (30%) only repeat what the prompt showed.', '')
    """
    copied, total = replies.get(COPIED, 0), came(replies)
    if copied <= MANY * total:
        return ""
    return f"{count(copied)} of {count(total)} replies ({percent(copied / total)}) only repeat what the prompt showed."


def unread_caveats_of(replies: Mapping[str, int]) -> tuple[str, ...]:
    """Caveats about unparsed replies, and about replies that needed a follow-up, by the number with each outcome."""
    texts = []
    if copies := copies_of(replies):
        texts.append(f"{copies} They are not answers: this candidate may not have understood what it was asked.")
    if cut_off := replies.get(CUT_OFF, 0):
        texts.append(
            f"{_replies(cut_off)} cut off at the limit on length, and not read: a larger ?max_tokens= after the candidate's "
            "name lets them finish."
        )
    if after_turn := replies.get(AFTER_TURN, 0):
        texts.append(f"{_replies(after_turn)} read only after a further turn that asked for the final answer alone.")
    return tuple(texts)


def _replies(number: int) -> str:
    return "1 reply was" if number == 1 else f"{count(number)} replies were"
