"""Forms that ask for the answer on the last line of a reply.

The form for a decision between given words, read only if a person would read it without guessing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from vivavoce.interview.forms.form import (
    ANSWER_IS,
    NOTHING_STATED,
    READ,
    TAKEN_BACK,
    ParsedReply,
    ReplyForm,
    ReplyFormat,
    after_withdrawal,
    answered,
    closed,
    retracted,
    unreadable,
)
from vivavoce.interview.forms.plain import lines, plain
from vivavoce.interview.forms.spellings import alphanumeric

DONT_KNOW: Final = "I don't know"
ADMIT: Final = "If you do not know, say so."
"""Allows an admission of ignorance, without a sentence that could be copied."""
LARGEST: Final = 10**100
"""Numbers in a field that are larger than this are not read: no answer needs them."""
_Run = tuple[str, ...]
RUN: Final = 4
"""This many consecutive words of an instruction show that a line repeats it."""
_WORD = re.compile(r"\S+")
_ANSWER = re.compile(r"(?<![\"\w])answer\s{0,2}:", re.IGNORECASE)


def ending(what: str, *, dont_know: bool) -> str:
    """The instruction to end a reply with the answer.

    >>> ending("the number", dont_know=False)
    'End your reply with a line that begins with "Answer:" and gives the number alone.'
    """
    asked = f'End your reply with a line that begins with "Answer:" and gives {what} alone.'
    return f"{asked}\n{ADMIT}" if dont_know else asked


def further(what: str) -> str:
    """The text of the follow-up."""
    return f"What is your final answer? Reply with {what} alone."


def schema_ending(what: str, *, dont_know: bool) -> str:
    """The instruction if the server enforces the schema."""
    asked = f'Reply with a JSON object whose field "answer" holds {what} alone.'
    return f"{asked}\n{ADMIT}" if dont_know else asked


def answer_schema(*values: Mapping[str, Any]) -> Mapping[str, Any]:
    """JSON Schema of an object whose field `answer` is one of these kinds."""
    value = values[0] if len(values) == 1 else {"anyOf": list(values)}
    return closed({"answer": value})


def written(answer: str) -> str:
    """An answer in the requested form."""
    return f"Answer: {answer}"


def digits(value: object) -> str:
    """A JSON number in digits; empty for anything else, and for a number too large for any answer.

    >>> digits(0.5), digits(True), digits(10**5000)
    ('0.5', '', '')
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        return ""
    return repr(value)


def own_words(text: str, *instructions: str) -> str:
    """A reply without the lines that repeat an instruction; an answer that follows on the same line stays.

    >>> own_words("End your reply with a line\\nAnswer: 12", ending("the number", dont_know=False))
    'Answer: 12'
    """
    asked = frozenset[_Run]().union(*map(_asked, instructions))
    return "\n".join(own for line in text.split("\n") if (own := _own(line, asked)) is not None)


@lru_cache(maxsize=64)
def _asked(instruction: str) -> frozenset[_Run]:
    """The runs of an instruction, which are compared with many replies."""
    return frozenset(_runs([word for word, _ in _words(instruction)]))


def _own(line: str, asked: frozenset[_Run]) -> str | None:
    """A line, or the words after an instruction on it; None if it has no words of its own."""
    if len(line.split()) < RUN:
        return line
    words = _words(line)
    back = [number for number, run in enumerate(_runs([word for word, _ in words])) if run in asked]
    if not back or 2 * len(back) <= len(words) - RUN + 1:
        return line
    rest = line[words[back[-1] + RUN - 1][1] :]
    return rest if _ANSWER.search(rest) else None


def _runs(words: list[str]) -> Iterator[_Run]:
    return zip(*(words[start:] for start in range(RUN)), strict=False)


def _words(text: str) -> list[tuple[str, int]]:
    """The words of a text, without case and marks, each with its end."""
    rows = ((alphanumeric(m[0].casefold()), m.end()) for m in _WORD.finditer(text))
    return [(word, end) for word, end in rows if word]


class LastLineForm:
    """A form that asks for the answer alone on a last line; subclasses add its name (`what`), its schema, and its reading."""

    __slots__ = ()
    dont_know: bool = False
    """Whether the instruction allows an admission of ignorance; it is read in any case."""
    if TYPE_CHECKING:

        @property
        def what(self) -> str:
            """The content of the line, such as `the number`."""
            ...

    @property
    def way(self) -> ReplyFormat:
        return "turn"

    @property
    def instruction(self) -> str:
        return ending(self.what, dont_know=self.dont_know)

    @property
    def further(self) -> str:
        return further(self.what)

    @property
    def schema_instruction(self) -> str:
        return schema_ending(self.what, dont_know=self.dont_know)

    def write(self, value: str, /) -> str:
        return written(value)


_IN_FORM = re.compile(r"(?:final )?answer\s{0,2}:", re.IGNORECASE)
_MOST_TURNS: Final = 4
_LOOKED_AT: Final = 16
_SHORT: Final = 40
"""Most characters of an answer without introductory words."""
_LEADS_UP = re.compile(
    r"\W{0,4}(?:(?:okay|ok|sure|well|hm+|certainly|of course|great|alright)\b\W{0,4}){0,3}"
    r"(?:let(?: me|'s| us)\b[^.!:\n]{0,60})?\W{0,4}",
    re.IGNORECASE,
)
"""Words before a question that is only repeated."""
_ANOTHER: Final = (
    r"(?:another|one more|a (?:new|second|different)|the next)"
    r"(?:[ ](?:one|question|problem|exercise|task|puzzle|item|example))?[ \t]{0,3}(?:[:.]|$)"
)
_TURN = re.compile(
    r"^[ \t]{0,3}#{0,6}[ \t]{0,3}(?:"
    r"(?:(?:next|new|another|second|third)[ ])?(?:question|problem|exercise|task|example|instruction|input|prompt|frage|aufgabe"
    r"|pregunta|domanda|pergunta|вопрос|задача|vraag|fråga|soru|exercice|problème|ejercicio|esercizio|zadanie|pytanie"
    r"|问题|問題|題目|题目|문제)s?[ ]?(?:no\.?[ ]?|#)?\d{0,4}[ \t]{0,3}(?:[:.]|$)"
    r"|item[ ]\d{1,4}[ \t]{0,3}(?:[:.]|$)|(?:下一|另一)[题題道]|第[\d一二三四五六七八九十]{1,3}[题題]|次の問題|다음 문제"
    r"|(?:q|user|human|student|customer|assistant|usuario|nutzer|问)[ ]?\d{0,3}[ \t]{0,3}:"
    r"|(?=[^\n]{3,300}\?[ \t]{0,9}\n\s{0,9}(?:(?:the )?(?:answer|a)[ ]{0,2}(?::|is\b)))"
    r"|(?P<unclear>(?=[^\n]{3,300}\?[ \t]{0,9}\n\s{0,9}(?:(?:options|choices)[ ]?:|\(?a[).:][ ]))"
    r"|(?<=##)[ \t]{0,3}\n(?!\s{0,9}(?:(?:the )?(?:final )?answer)\b))"
    rf"|(?P<another>next[ ]?:|(?:now,? )?(?:let me|let's|let us|i(?:'ll| will))[ ](?:\w{{1,9}}[ ]){{1,3}}{_ANOTHER}"
    rf"|now,?[ ]{_ANOTHER}"
    r"|now,?[ ](?:solve|answer|calculate|compute)[ ](?!for\b|the\b|this\b|that\b|it\b)))",
    re.IGNORECASE | re.MULTILINE,
)
"""The beginning of a question; `unclear` may also be the original question repeated, and `another` a step of the reasoning."""


def read_last_line(form: ReplyForm[str], text: str, find: Callable[[str], ParsedReply[str]]) -> ParsedReply[str]:
    """The result of `find` in the reply's own words; strict if its last line is the requested one.

    A model may continue with a question that it invents. The reply ends before the first such turn after an answer.
    """
    own = own_words(plain(text), form.instruction, form.further, form.schema_instruction)
    reading: ParsedReply[str] = unreadable(NOTHING_STATED)
    for part in up_to_each_turn(own):
        reading = find(part)
        if reading.problem != NOTHING_STATED:
            break
    if reading.value is None:
        return reading
    if (after := after_withdrawal(part)) is not None and find(after).value != reading.value:
        return unreadable(TAKEN_BACK)
    return answered(reading.value, strict=lines(text)[-1:] == [form.write(reading.value)])


def ends_in_form(text: str) -> bool:
    """Whether the last line of a reply is the requested one, or its only field.

    >>> ends_in_form("It is easy.\\n**Answer: Lyon.**"), ends_in_form("Lyon")
    (True, False)
    """
    last = lines(plain(text))[-1:]
    return bool(last) and _IN_FORM.match(last[0]) is not None


def up_to_each_turn(text: str) -> Iterator[str]:
    """The text up to its first turn with something before it, up to its second, and so on; last the whole text."""
    looked_at = islice(_TURN.finditer(text), _LOOKED_AT)
    turns = (turn.start() for turn in looked_at if _follows_an_answer(text[: turn.start()], turn))
    for _, end in zip(range(_MOST_TURNS), turns, strict=False):
        yield text[:end]
    yield text


def _follows_an_answer(before: str, turn: re.Match[str]) -> bool:
    """Whether a turn may follow an answer."""
    before = before.strip()
    if not before or _LEADS_UP.fullmatch(before):
        return False
    plainly = turn["unclear"] is None and turn["another"] is None
    short = turn["another"] is None and len(before) <= _SHORT
    return plainly or short or ANSWER_IS.search(before) is not None


NO_DECISION: Final = "no decision"
SEVERAL: Final = "several decisions"
LONGEST_REASONING: Final = 1_000
"""Most characters of the reasoning under a schema: enough for some sentences, with an end for a model that rambles."""
LONGEST_SENTENCE: Final = 600

_MARKS = r"[\s*_`\"'“”‘’#>(\[{<~]{0,12}"
_CLOSING = r"[*_`\"'“”‘’)\]}>~]{0,8}"
_MARKER = re.compile(
    r"\[(?:final[ ])?(?:answer|decision|verdict)\][*_`]{0,4}[ ]{0,4}[:=-]?"
    r"|\b(?:answer|decision|verdict|ruling|conclusion)\b[*_`]{0,4}"
    r"(?:[ ](?:to|on|for|of|in|about|regarding)\b[^.:\n]{0,60}?)?"
    r"(?:[ ]{0,4}[:=]|[ ](?:is|would[ ]be)\b[*_`\s]{0,4}:?|[*_`]{0,4}[ ]{0,4}\n)",
    re.IGNORECASE | re.ASCII,
)
_AFTER = re.compile(
    r"\s*(?:$|[.,;:!—–\n]|-(?!\w)|(?:for|because|since|as|due|to|given|based|with|against|on|i|it|this|the)\b)",
    re.IGNORECASE,
)
"""Text that may follow the word of a decision; another noun ("no record"), a condition or an alternative may not."""
_LEADS = re.compile(
    r"(?:(?:so|hence|thus|therefore|overall|then)\b[,:]?[ ]"
    r"|i(?:[ ]would|'d)?[ ](?:say|decide|answer|choose|vote)(?:[ ]for)?:?[ ]"
    r"|(?:it|that)[ ](?:is|would[ ]be)[ ]a[ ])",
    re.IGNORECASE,
)
"""How a last sentence may lead to the word."""
_NEGATED = re.compile(r"(?:\b(?:not|never|neither|nor|cannot|without|if|whether|unless)|n't)\b[^.;:\n]{0,60}$", re.IGNORECASE)
_JUST_NEGATED = re.compile(
    r"(?:(?:\b(?:not|never|neither|nor|if|whether|unless|wrong|incorrect|false)|n't)\s(?:\w{1,20}\s){0,3}|\bor\s)\W{0,4}$",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"(?:[\s,;:.!–—(-]|(?:it's|it|i|is|should|be|must|have|been|the|answer|decision|verdict|meant|mean|rather|actually|that)\b){0,12}",
    re.IGNORECASE,
)
"""Text that may come between a retracted decision and the new one."""
_OPEN = re.compile(r"\b(?:if|whether|unless|might|may|could|argue[sd]?|either)\b", re.IGNORECASE)
_CONCLUDES = re.compile(r"\W{0,8}(?:therefore|thus|hence|in conclusion|overall|based on|in summary|so,|final)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])[\"'”’)*_\]]{0,4}\s+|\n+")


@dataclass(frozen=True, slots=True)
class Words(LastLineForm):
    """A decision among some words.

    It is read from the line that is asked for; from a reply, or its last line, that begins with the word; from "the answer is
    no", "[Answer] YES" within a sentence; and from the first and last sentence in other words, where these are given. Decisions
    that differ are none, and so are questions, conditions, negations and a list of the words.

    >>> form = Words(("YES", "NO"), said_as={"YES": ("should be released",)})
    >>> [form.read(text).value for text in ("YES for release on bail.", "**Yes**, because ...", "He should be released.")]
    ['YES', 'YES', 'YES']
    >>> [form.read(text).value for text in ("[Answer] YES or NO", "No record. Answer: YES", "Not YES", "Yes. No.")]
    [None, 'YES', None, None]
    """

    words: tuple[str, ...]
    """In capitals, so that they differ from words in a sentence."""
    offered: tuple[str, ...] = ()
    """Words that the instruction offers; empty: all. Others are read, too."""
    said_as: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Phrases with the same meaning as a word."""
    way: ReplyFormat = "turn"

    @property
    def schema(self) -> Mapping[str, Any]:
        """Reasons before the decision, so that the decision can rest on them."""
        return closed(
            {
                "reasoning": {"type": "string", "maxLength": LONGEST_REASONING},
                "answer": {"type": "string", "enum": list(self._offered)},
            }
        )

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt if the server enforces the schema."""
        return f'Reply in JSON: your "reasoning" first, in a few sentences, then as "answer" {self.what} alone.'

    def read(self, text: str, /) -> ParsedReply[str]:
        last = text[-READ:].strip().rsplit("\n", 1)[-1]
        text = own_words(plain(text.replace("№", "#")).strip(), self.instruction, self.further, self.schema_instruction)
        decisions = set(self._decisions(text))
        if len(decisions) != 1:
            return unreadable(SEVERAL if decisions else NO_DECISION)
        value = decisions.pop()
        return answered(value, strict=last.strip() == self.write(value))

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[str]:
        text = fields.get("answer")
        value = text.strip().upper() if isinstance(text, str) else ""
        return answered(value, strict=True) if value in self.words else unreadable(NO_DECISION)

    @property
    def _offered(self) -> tuple[str, ...]:
        return self.offered or self.words

    @property
    def what(self) -> str:
        *others, last = self._offered
        return f"one word, {', '.join(others)} or {last},"

    def _decisions(self, text: str) -> Iterator[str]:
        """Everything that is stated as the decision, in no order."""
        marked = list(self._marked(text))
        yield from marked
        yield from self._at_start(_CORRECTION.sub("", retracted(text, _MARKER), count=1))
        lines = [line for line in text.split("\n") if line.strip()]
        sentences = [part for part in _SENTENCE.split(text) if part and part.strip()]
        if not lines:
            return
        for where in (lines[0], lines[-1], sentences[-1]):
            yield from self._at_start(where)
        concluding = [part for part in sentences[1:-1] if _CONCLUDES.match(part)]
        for sentence in ([] if marked else sentences[:1]) + concluding + sentences[-1:]:
            yield from self._in_other_words(sentence)

    def _marked(self, text: str) -> Iterator[str]:
        """Decisions after "Answer:", "The decision is" and the like."""
        for marker in _MARKER.finditer(text):
            before = text[max(0, marker.start() - 80) : marker.start()].rpartition("\n")[2]
            if _JUST_NEGATED.search(before):
                continue
            rest = text[marker.end() : marker.end() + LONGEST_SENTENCE].lstrip()
            yield from self._at_start(rest.split("\n", 1)[0])
            yield from self._in_other_words(_SENTENCE.split(rest)[0] or "")

    def _at_start(self, where: str) -> Iterator[str]:
        """The word at the start of a line or sentence, if the words after it allow a decision."""
        where = where[:LONGEST_SENTENCE]
        match = _starts(self.words).match(where)
        if match is None:
            return
        word, rest = match[1].upper(), where[match.end() :]
        others = "|".join(re.escape(other) for other in self.words if other != word)
        if not _AFTER.match(rest) or re.search(rf"\b(?:{others})\b", rest):
            return
        if re.match(rf"[^\w.!;\n]{{0,8}}(?:(?:or|and)\b\W{{0,8}})?(?:{others})\b|\.? of\b|\.?\s?\d", rest, re.IGNORECASE):
            return
        if not where.rstrip("*_`\"' ").endswith("?"):
            yield word

    def _in_other_words(self, sentence: str) -> Iterator[str]:
        """Decisions that a sentence states by a phrase; a question, a condition or a negation states none."""
        sentence = " ".join(sentence[:LONGEST_SENTENCE].split())
        if sentence.rstrip("*_`\"' ").endswith("?"):
            return
        for word, phrases in self.said_as.items():
            for phrase in phrases:
                for match in _phrase(phrase).finditer(sentence):
                    before = sentence[: match.start()]
                    if not _NEGATED.search(before) and not _OPEN.search(before):
                        yield word


@cache
def _starts(words: tuple[str, ...]) -> re.Pattern[str]:
    """One of the words where a line or sentence starts."""
    either = "|".join(map(re.escape, words))
    bullet = r"(?:[-•][ ])?"
    return re.compile(rf"{_MARKS}{bullet}(?:{_LEADS.pattern})?{_MARKS}({either})\b{_CLOSING}", re.IGNORECASE | re.ASCII)


@cache
def _phrase(phrase: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(phrase)}\b", re.IGNORECASE)
