"""Parses a choice of one or several lettered options: strictly first, then in other clear forms, or not at all.

A reply with two different answers has none: the last one is no better than the first, unless the reply calls it final. A
statement such as "A, C", "(A) and (C)" or "A) a graph; C) a tree" names a set, or the reading says why it does not. Nothing is
guessed: the article "A" is not an option, a letter and the option's words after it must agree, and a statement that continues
with further letters is not read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from string import ascii_uppercase
from typing import Any, ClassVar, Final

from vivavoce.interview.forms import ending
from vivavoce.interview.forms.form import READ, Outcome, ParsedReply, ReplyFormat, answered, retracted, unreadable
from vivavoce.interview.forms.option_letters import judgement
from vivavoce.interview.forms.plain import before_tokens, normalized
from vivavoce.interview.forms.prose import REFUSED, refuses
from vivavoce.interview.forms.spellings import folded

Choice = frozenset[int]
"""Indices of the chosen options, from 0; several may be right, in any order."""
MOST_OPTIONS: Final = 10
STATED: Final = 6_000
"""Characters of a statement that are examined."""
NONE_NAMED: Final = "no option named"
NONE_CHOSEN: Final = "says that no option is right"
NO_SUCH: Final = "names an option that there is not"
DOUBTFUL: Final = "leaves open which options it means"

_AROUND: Final = " \t\r\n.,;:!*_$\"'“”✓✔✅"
_EMPHASIS = re.compile(r"\*\*|__|`|\\(?:text|boxed|mathrm)?")
_LEAD = re.compile(
    r"(?:(?:both|only|simply|the|options?|choices?|letters?|answers?|statements?)\b[\s:]{1,3}){1,4}(?=[(\[{\"']{0,2}[A-Za-z]\b)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s,]{1,3}(?:only|(?:are|is) (?:both |all )?(?:the )?(?:correct|right|true)(?: \w{1,10})?)$", re.IGNORECASE
)
_LINK = re.compile(r"\b(?:and|options?)\b|[;&/+\n]|(?<=[)\]])(?=[(\[])", re.IGNORECASE)
_LETTER = re.compile(r"[(\[{\"']{0,2}([A-Za-z])[)\]}\"'.:]{0,2}", re.ASCII)
_GLUED = re.compile(r"[A-Z]{2,10}")
_COMMENT = re.compile(r"[.!;](?=\s)|,? (?:because|since)\b|\s[-–—]\s|\s?\((?=[a-z]{2})|\n", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:^|[\n,;]|\band\b)[ \t]{0,4}(?:[-*•+][ \t]{1,4})?[*_(\[]{0,3}(?P<letter>[A-Z])(?:[)\].:]|[ \t][-–—])[*_]{0,2}(?=\s|$)"
)
_IN_BRACKETS = re.compile(r"(?<!\w)([A-Z]) ?\(([^()\n]{3,500})\)")
_ALONE = re.compile(r"(?<![\w'’])([A-Z])(?![\w'’])(?!(?<=A)\s{1,2}[a-z])")
_LIST_ITEM = re.compile(r"(?:[-*•+][ \t]{1,4})?[*_(\[]{0,3}[A-Za-z][)\].:][*_]{0,2}(?:\s|$)")
_DENIES_WORDS = re.compile(r"\b(?:no|not|never|wrong|incorrect|false)\b|n't\b")
_ALL = re.compile(r"all(?: of)?(?: the| these)? (?:above|them|options|answers|choices)", re.IGNORECASE)
_NONE = re.compile(r"(?:none|neither|no (?:option|answer|choice|correct|right)s?)\b", re.IGNORECASE)

SEVERAL: Final = "several answers"
UNKNOWN: Final = "does not know"
MOST_STATED: Final = 40
"""Most statements of a reply; a reply with more is unparsed."""
ENDS: Final = 20
"""Lines at either end of a reply that may be the answer alone."""

_IGNORANCE = re.compile(
    r"\b(?:i (?:do not|don't) know|i(?:'m| am) not sure|i have no idea|cannot be determined)\b", re.IGNORECASE
)
_ASKED_FOR = re.compile(r"Answer: (?P<said>[A-J](?:, ?[A-J]){0,9})")
_BEST = r"(?:correct|right|best|true|final|chosen|selected|my)\s{1,2}(?:answers?|options?|choices?|ones?|selections?|letters?)"
_STATES = re.compile(
    rf"(?<![\w'\"])(?P<final>final\s{{1,2}})?(?:{_BEST}|answers?|\\boxed(?=\{{))(?:\s?\(s\))?"
    r"(?P<between>[^\n.:=?!\"]{0,60}?)(?:[*_\"]{0,3}(?::|=)|\b(?:is|are)\b|\b(?:would|should|must) be\b|(?=\{))",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|never|no|neither|wrong|incorrect|false|choices|options available|format)\b|n't\b", re.IGNORECASE
)
_DENIED = re.compile(
    r"(?:\b(?:not|wrong|incorrect|false|other)|n't)\W{1,3}(?:(?:think|believe|say|sure|that|certain|clear|true)\W{1,3}){0,4}(?:an?\s|the\s|my\s)?$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.;!?\n]")
_HOLD = re.compile(
    r"(?:^|[.!?:\n]\s{0,4})(?:(?:so|thus|therefore|hence),?\s)?(?P<said>(?:both\s)?(?:options?|choices?|answers?|statements?)\s"
    r"[^\n.!?:]{1,60}?)\s(?:is|are)\s(?:both\s|all\s|the\s|thus\s){0,2}(?:correct|right|true)\b(?!\W{1,3}(?:not|but)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SeveralOptions:
    """A choice of one or several lettered options.

    Strict: the last line is `Answer: A, C`, and no other line of this form says otherwise. Lenient: what is stated as the
    answer (`**Correct answers:** [A, C]`, `the right options are A and C`, `Options A and C are correct`), a final answer
    before others; where nothing is stated, what stands alone on a line. Statements that differ leave none.

    >>> form = SeveralOptions(("a graph", "a tree", "a path"))
    >>> for reply in ("Trees are graphs.\\nAnswer: A, B", "**Answer:** (A), (B)", "A graph is a set.", "Answer: A\\nAnswer: C"):
    ...     parsed = form.read(reply)
    ...     print(parsed.outcome, parsed.problem or sorted(parsed.value), parsed.strict)
    answer [0, 1] True
    answer [0, 1] False
    unreadable no option named False
    unreadable several answers False
    """

    options: tuple[str, ...]
    """The options in the order of the question, at most ten."""

    way: ClassVar[ReplyFormat] = "turn"

    @property
    def instruction(self) -> str:
        """How to end the reply; without letters that could be copied."""
        return (
            'One option is right, or several are. End your reply with a line that begins with "Answer:" and names the letters '
            "of all options that you choose, with commas between them."
        )

    @property
    def further(self) -> str:
        return "Give your final answer alone: the letters of all options that you choose, with commas between them."

    @property
    def schema(self) -> Mapping[str, Any]:
        """A list of letters, or "I don't know"."""
        named = {"type": "string", "enum": list(ascii_uppercase[: len(self.options)])}
        several = {"type": "array", "items": named, "minItems": 1, "maxItems": len(self.options)}
        return ending.answer_schema(several, {"type": "string", "enum": [ending.DONT_KNOW]})

    @property
    def schema_instruction(self) -> str:
        return 'One option is right, or several are. Reply as JSON: "answer" lists the letters of all options that you choose.'

    def write(self, value: Choice, /) -> str:
        return ending.written(letters(value))

    def read(self, text: str, /) -> ParsedReply[Choice]:
        lines = before_tokens(normalized(text[-READ:])).strip().splitlines()
        asked_for = [match["said"] for line in lines if (match := _ASKED_FOR.fullmatch(line.strip()))]
        if asked_for and _ASKED_FOR.fullmatch(lines[-1].strip()):
            return _reading([options_named(text, self.options) for text in dict.fromkeys(asked_for)], strict=True)
        results = _stated(lines, self.options) or _standing_alone(lines, self.options)
        return _reading(results, strict=False) if results else _why_none("\n".join(lines))

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[Choice]:
        """A list of letters; text is read as a statement that names options."""
        text = fields.get("answer")
        if isinstance(text, str):
            return ParsedReply(Outcome.DONT_KNOW, problem=UNKNOWN) if _IGNORANCE.search(text[:2_000]) else self._named(text)
        if not isinstance(text, list) or not text or not all(isinstance(letter, str) for letter in text):
            return unreadable(NONE_NAMED)
        places = [ascii_uppercase.find(letter.strip()) for letter in text if len(letter.strip()) == 1]
        if len(places) == len(text) and all(0 <= index < len(self.options) for index in places):
            return answered(frozenset(places), strict=True)
        return self._named(", ".join(text))

    def _named(self, statement: str) -> ParsedReply[Choice]:
        return _reading([options_named(statement, self.options)], strict=False)


def _reading(results: Sequence[Choice | str], *, strict: bool) -> ParsedReply[Choice]:
    """The joint reading of statements in order; an unclear one may be followed by a clear one."""
    if len(set(results) - {DOUBTFUL}) > 1:
        return unreadable(SEVERAL)
    last = results[-1]
    return unreadable(last) if isinstance(last, str) else answered(last, strict=strict)


def _stated(lines: Sequence[str], options: Sequence[str]) -> list[Choice | str]:
    """The stated answer; the one stated as final, if there is one."""
    text = "\n".join(lines)
    marks = list(islice(_STATES.finditer(text), MOST_STATED + 1))
    if len(marks) > MOST_STATED:
        return [SEVERAL]
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    final, other = list[Choice | str](), list[Choice | str]()
    for mark, following in pairwise([*marks, None]):
        if mark is None or _DENIES.search(mark["between"]) or _DENIED.search(text[max(0, mark.start() - 40) : mark.start()]):
            continue
        number = bisect_right(starts, mark.end()) - 1
        end = min(starts[number + 1] - 1, following.start() if following else len(text))
        statement = (
            text[mark.end() : end] if end < starts[number + 1] - 1 else statement_from(lines, number, text[mark.end() : end])
        )
        if (named := options_named(statement, options)) != NONE_NAMED:
            (final if mark["final"] else other).append(named)
    if not final and not other:
        other = [options_named(match["said"], options) for match in islice(_HOLD.finditer(text), MOST_STATED)]
    corrected = options_named(_SENTENCE_END.split(retracted(text, _STATES).strip(_AROUND + "-–—("))[0], options)
    stated = final or [named for named in other if named != NONE_NAMED]
    if isinstance(corrected, frozenset) and any(isinstance(named, frozenset) for named in stated):
        stated.append(corrected)
    return stated


def _standing_alone(lines: Sequence[str], options: Sequence[str]) -> list[Choice | str]:
    """The options named by a reply of one line, by a list, or alone on lines near the reply's ends."""
    texts = [line for line in lines if line.strip()]
    if (names := options_listed(texts, options)) is not None:
        return [names]
    near = texts if len(texts) <= 2 * ENDS else [*texts[:ENDS], *texts[-ENDS:]]
    alone = options_named if len(texts) == 1 else options_alone
    return [named for line in near if isinstance(named := alone(line, options), frozenset)]


def _why_none(text: str) -> ParsedReply[Choice]:
    if refuses(text):
        return unreadable(REFUSED)
    return ParsedReply(Outcome.DONT_KNOW, problem=UNKNOWN) if _IGNORANCE.search(text[:2_000]) else unreadable(NONE_NAMED)


def options_named(statement: str, options: Sequence[str]) -> Choice | str:
    """The indices of the options that a statement names, or a sentence on why it can't be read.

    Options are named by letters (`A, C`; `(A) and (C)`; `[A, C]`; `AC`), by letters with words (`A) a graph, C) a tree`), by
    all words of one option, or by `all of the above`. A reason after them is left out if it names no further letters.

    >>> options = ("A graph", "A tree", "A path", "A cycle")
    >>> [sorted(options_named(text, options)) for text in ("[A, C]", "B) A tree and D) A cycle", "both (A) and (C).", "a path")]
    [[0, 2], [1, 3], [0, 2], [2]]
    >>> for reply in ("A graph or a tree", "A, F", "None", "A. Or rather B."):
    ...     print(options_named(reply, options))
    no option named
    names an option that there is not
    says that no option is right
    leaves open which options it means
    """
    text = _bare(statement[:STATED])
    by_words = _by_words(text, options)
    by_letters = (
        _all_letters(text, options)
        or _labelled(text, options)
        or _labelled(_IN_BRACKETS.sub(r"\1) \2", text), options)
        or _letters_and_reason(text, options)
    )
    if by_words is not None:
        return DOUBTFUL if isinstance(by_letters, frozenset) and by_letters != by_words else by_words
    if by_letters is not None:
        return by_letters
    if _ALL.fullmatch(text):
        return frozenset(range(len(options)))
    return NONE_CHOSEN if _NONE.match(text) else DOUBTFUL if _ALONE.search(text) else NONE_NAMED


def options_alone(line: str, options: Sequence[str]) -> Choice | None:
    """The options that a line names with nothing else on it: letters, or one option in all its words, or both.

    >>> options_alone("A, C", ("A graph", "A tree", "A path")), options_alone("A) A graph: no", ("A graph", "A tree"))
    (frozenset({0, 2}), None)
    """
    text = _bare(line[:STATED])
    ways = (_by_words(text, options), _all_letters(text, options), options_listed([line[:STATED]], options))
    numbers = {numbers_named for numbers_named in ways if isinstance(numbers_named, frozenset)}
    return numbers.pop() if len(numbers) == 1 else None


def options_listed(lines: Sequence[str], options: Sequence[str]) -> Choice | None:
    """The options in a list of letters with all their words; None if it is not such a list, or has all options.

    >>> options_listed(["- A) A graph", "- C) A path"], ("A graph", "A tree", "A path"))
    frozenset({0, 2})
    """
    labels = [_LABEL.match(_EMPHASIS.sub("", line).strip()) for line in lines[: len(options)]]
    named = [
        label["letter"]
        for line, label in zip(lines, labels, strict=False)
        if label and _agrees(label.string[label.end() :], label["letter"], options) == "to the word" and label.end() < len(line)
    ]
    if not named or len(named) < len(lines) or len(set(named)) == len(options):
        return None
    chosen = _chosen(named, options)
    return chosen if isinstance(chosen, frozenset) else None


def letters(choice: Choice) -> str:
    """Chosen options by their letters.

    >>> letters(frozenset([2, 0]))
    'A, C'
    """
    return ", ".join(ascii_uppercase[index] for index in sorted(choice))


def statement_from(lines: Sequence[str], number: int, rest: str) -> str:
    """The statement after a marker: the rest of its line, or else what follows, including a lettered list below."""
    rest = rest.strip(" \t*_:")
    while not rest and number + 1 < len(lines):
        number += 1
        rest = lines[number].strip()
    return "\n".join([rest, *_listed(lines, number + 1)])[:STATED]


def _bare(statement: str) -> str:
    """A statement without emphasis, brackets around all of it, and introductory or closing words."""
    text = _LEAD.sub("", _EMPHASIS.sub("", statement).strip(_AROUND), count=1)
    for opening, closing in ("[]", "()", "{}"):
        inner = text[1:-1]
        if text[:1] == opening and text[-1:] == closing and opening not in inner and closing not in inner:
            text = inner.strip(_AROUND)
    return _TAIL.sub("", text).strip(_AROUND)


def _by_words(text: str, options: Sequence[str]) -> Choice | None:
    """The option whose words are the whole statement."""
    words = folded(text)
    numbers = [index for index, option in enumerate(options) if words and words == folded(option)]
    return frozenset(numbers) if len(numbers) == 1 else None


def _all_letters(text: str, options: Sequence[str]) -> Choice | str | None:
    """The options of a statement that consists of letters; None for other statements."""
    if _GLUED.fullmatch(text) and list(text) == sorted(set(text)) and text != "I":
        return _chosen(text, options)
    parts = [part for part in re.split(r"[,\s]+", _LINK.sub(",", text)) if part]
    named = [match[1].upper() for part in parts if (match := _LETTER.fullmatch(part))]
    return _chosen(named, options) if parts and len(named) == len(parts) else None


def _labelled(text: str, options: Sequence[str]) -> Choice | str | None:
    """Options whose letters are labels before words; None if the statement does not begin with one."""
    labels = list(_LABEL.finditer(text))
    if not labels or labels[0].start() > 0:
        return None
    first = labels[0]
    if _agrees(text[first.end() :], first["letter"], options) == "to the word":
        return _chosen(first["letter"], options)  # a comma within the option's own words begins no other label
    ends = [label.start() for label in labels[1:]] + [len(text)]
    manners = [_agrees(text[label.end() : end], label["letter"], options) for label, end in zip(labels, ends, strict=True)]
    chosen = _chosen([label["letter"] for label in labels], options)
    if isinstance(chosen, str):
        return chosen
    if "not" in manners or ("free" in manners and len(labels) > 1):
        return DOUBTFUL
    return chosen if _names_no_others(text, chosen) or set(manners) == {"to the word"} else DOUBTFUL


def _letters_and_reason(text: str, options: Sequence[str]) -> Choice | str | None:
    """The options of a statement of letters with a reason after them; None for other statements."""
    comment = _COMMENT.search(text)
    if comment is None:
        return None
    chosen = _all_letters(text[: comment.start()].strip(_AROUND), options)
    if not isinstance(chosen, frozenset):
        return chosen
    return chosen if _names_no_others(text, chosen) else DOUBTFUL


def _agrees(words: str, letter: str, options: Sequence[str]) -> str:
    """How the words after a label match the option of that letter: `to the word`, `begins alike`, `free`, or `not`."""
    text = folded(words.strip(_AROUND).removesuffix(" and"))
    index = ascii_uppercase.index(letter)
    if judgement(words, letter, options)[0] == "wrong":
        return "not"
    if not text or index >= len(options):
        return "to the word"
    own = folded(options[index])
    if text == own:
        return "to the word"
    if f"{text} ".startswith(f"{own} ") and _DENIES_WORDS.search(text[len(own) :]):
        return "not"
    if f"{text} ".startswith(f"{own} ") or (" " in text and f"{own} ".startswith(f"{text} ")):
        return "begins alike"
    others = (folded(option) for option in options)
    return "not" if any(f"{text} ".startswith(f"{other} ") for other in others) else "free"


def _names_no_others(text: str, chosen: Choice) -> bool:
    return all(ascii_uppercase.index(letter) in chosen for letter in _ALONE.findall(text) if letter != "I")


def _chosen(named: Sequence[str], options: Sequence[str]) -> Choice | str:
    places = frozenset(ascii_uppercase.index(letter) for letter in named)
    return places if max(places) < len(options) else NO_SUCH


def _listed(lines: Sequence[str], start: int) -> Iterator[str]:
    """The items of a lettered list from here on, up to the first line that is not one."""
    for line in lines[start:]:
        if not _LIST_ITEM.match(line.strip()):
            return
        yield line.strip()
