"""The form for a decision between given words, read only if a person would read it without guessing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from vivavoce.interview.forms import ending
from vivavoce.interview.forms.form import READ, ParsedReply, ReplyFormat, answered, closed, unreadable
from vivavoce.interview.forms.plain import plain
from vivavoce.interview.forms.statements import retracted

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
class Words(ending.LastLineForm):
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
        text = ending.own_words(plain(text.replace("№", "#")).strip(), self.instruction, self.further, self.schema_instruction)
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
