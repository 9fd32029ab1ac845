"""One of lettered options: the letter that a reply chooses, also after it changes its choice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from string import ascii_uppercase
from typing import Any, Final

from vivavoce.interview.forms import asserted_option, ending, option_texts
from vivavoce.interview.forms.ending import read_last_line
from vivavoce.interview.forms.form import (
    ANSWER_IS,
    DONT_KNOW,
    IGNORANCE,
    LINK,
    MISLEADING,
    NEGATION,
    NOTHING_STATED,
    RETRACTION,
    SEVERAL,
    STATED,
    TAKEN_BACK,
    Outcome,
    ParsedReply,
    admits_ignorance,
    last_said,
    unreadable,
)
from vivavoce.interview.forms.named_option import (
    CLASH,
    LEAD_IN,
    MOST,
    SENTENCE,
    SEPARATORS,
    by_letter,
    by_text,
    letter_at,
    only_one_named,
    reading_of,
    verdicts_on_lines,
    without_branches,
    without_numbers,
    without_other_letters,
)
from vivavoce.interview.forms.option_letters import (
    BY_OTHERS,
    CLOSING,
    FOLLOWING,
    WINDOW,
    Mention,
    clause,
    decided,
    denied,
    judgement,
    mentions,
    supposed,
)
from vivavoce.interview.forms.plain import WRONG_MARKS, calls_answer_wrong, fold, lines
from vivavoce.interview.forms.spellings import says_opposite

_CORRECTION_LEAD = re.compile(
    r"(?:[\s,;:.!–—(-]"
    r"|(?:no|wait|hmm|actually|sorry|oops|i|it|it's|that|that's|is|was|were|should|must|would|be|have|been|the|correct"
    r"|right|final|revised"
    r"|better|answer|option|choice|letter|go|going|with|make|rather|instead|meant|mean|now|think|believe|so|then|really"
    r"|of course|my|mistake|to|me"
    r"|wrong|incorrect|say|said|change|changed|mind|let|reconsider|not (?:option )?\(?[A-Z]\)?(?=[,;.]|\s(?:but|it)\b)"
    r"|but)(?![\w'])){0,24}",
    re.IGNORECASE,
)
_WEAK: Final = re.compile(
    r"actually|in fact|edit|update|revised|sorry|apologies|(?:or )?rather|(?:it )?should (?:be|have been)|that(?:'s| is"
    r"| was).*|.{0,4}\bno\b.*|no longer|(?:up)?on .*(?:review|inspection|look)",
    re.IGNORECASE | re.DOTALL,
)
_CLAUSE_START = re.compile(r"(?:[.,;:!?(–—\n\"'-]|…|\b(?:but|and|no|so|oh|hmm+|hm|ah|well|i|or))\s{0,3}$", re.IGNORECASE)
_LABEL_BEFORE = re.compile(r"\n[ \t(*]{0,4}(?P<letter>[A-Z])(?:\)?|[).:][^\n]{0,200})\Z")
_NEW_LABEL = re.compile(r"(?:\A[^\n:.]{1,40}:|\bchang\w{0,3}\b[^\n.]{0,30}\bto)\s{0,3}\(?\Z")
_MARKED_WRONG = re.compile(
    r"\n[ \t*_]{0,4}(?:(?:result|verdict|status|evaluation|feedback|outcome|marked|(?:is )?correct|judge?ment)\??\s?[:=–-]"
    rf"[\s*_{WRONG_MARKS}\ufe0f]{{0,4}}(?:incorrect|wrong|false|no|not correct|rejected)(?: answer)?"
    rf"|[{WRONG_MARKS}\ufe0f ]{{0,3}}(?:incorrect|wrong|not correct)|[{WRONG_MARKS}])\ufe0f?[ \t.!*_]{{0,4}}(?:$|\n)",
    re.IGNORECASE,
)
_CUES: Final = 12
"""Most successive retractions of an answer that are examined."""


def taken_back(rest: str, reading: ParsedReply[str], options: Sequence[str]) -> ParsedReply[str] | None:
    """The choice that corrects an earlier one; unreadable if it is only retracted, None if it stands."""
    own = _length_of_choice(rest, options)
    if reading.value and _MARKED_WRONG.search(rest, own):
        return unreadable(TAKEN_BACK)
    result: ParsedReply[str] | None = None
    for cue in islice(RETRACTION.finditer(rest, 1), _CUES):
        before, after = rest[: cue.start()], rest[cue.end() :]
        word = cue[0].strip(" .,;:!?(–—\n-")
        at_start = not cue[0][0].isalpha() or _CLAUSE_START.search(before)
        other = _LABEL_BEFORE.search(before)
        if cue.start() + 1 < own or not at_start or (other and other["letter"] != reading.value):
            continue
        if corrected := _correction(after, options):
            result = corrected
        elif result is None and reading.value and _takes_back(word, before[own:], after):
            later = only_one_named(list(islice(mentions(after, options), MOST)), options)[0]
            result = later if later.value else unreadable(TAKEN_BACK)
    return result or (unreadable(SEVERAL) if _names_another(rest[own:], reading, options) else None)


def _names_another(rest: str, reading: ParsedReply[str], options: Sequence[str]) -> bool:
    """Whether another letter is chosen after an answer, or follows a stop on the same line with nothing after it."""
    line = rest.split("\n", 1)[0]
    for mention in islice(mentions(rest, options), MOST):
        if reading.value is None or reading.value in mention.letters or not mention.stands or mention.judged:
            continue
        before = rest[: mention.start].rpartition("\n")[2]
        ends = not rest[mention.end :].split("\n", 1)[0].strip(CLOSING + " ")
        starts = _NEW_LABEL.search(before) or (mention.end <= len(line) and _CLAUSE_START.search(before))
        if mention.chosen or (ends and starts):
            return True
    return False


def _length_of_choice(rest: str, options: Sequence[str]) -> int:
    """Number of characters of a stated choice: its letter, and its own text after it."""
    letter = letter_at(LEAD_IN.sub("", rest, count=1), options)
    behind = letter[1] if letter else rest
    named = option_texts.text_behind(behind, options)
    if not named or (letter and named[0] != letter[0]):
        return len(rest) - len(behind)
    text = option_texts.folded(tuple(options))[ascii_uppercase.index(named[0])]
    return len(rest) - len(behind) + max(behind.lower().find(text), 0) + len(text)


def _takes_back(word: str, before: str, after: str) -> bool:
    """Whether words that may retract an answer do so; some do only right after it."""
    if not _WEAK.fullmatch(word):
        return not (re.match(r"wait|correct|(?:just )?kidding", word, re.IGNORECASE) and re.match(r"\s[a-z]", after))
    if re.match(r"actually|in fact|edit|update|revised|sorry|apolog|rather|(?:up)?on", word, re.IGNORECASE):
        return False
    goes_on = after.strip(SEPARATORS + "\n")
    return not goes_on or (not before.strip(SEPARATORS + "!?\n") and not re.match(r"[a-z]", after.strip(" ,")))


def _correction(after: str, options: Sequence[str]) -> ParsedReply[str] | None:
    """The choice right after words that retract an answer; None without one."""
    words = _CORRECTION_LEAD.sub("", after, count=1)
    if denied(after[: len(after) - len(words)]):
        return None
    if _FALSE.search(SENTENCE.split(words)[0]):
        return None
    if text := option_texts.text_at(words, options):
        return by_text(*text, options)
    letter = letter_at(words, options)
    return by_letter(*letter, options) if letter else None


_CONCLUDES = re.compile(r"\b(?:therefore|thus|hence|so|in conclusion|overall|finally|in summary)\b", re.IGNORECASE)
_FALSE = re.compile(option_texts.FALSE, re.IGNORECASE)
_NOT_ONE = re.compile(r"(?:either|both|neither|none|all|any|every|everything|anything|nothing|each|several)\b", re.IGNORECASE)
_UNSTATED = re.compile(
    r"\b(?:if|whether|unless|until|suppose|supposing|assum\w{1,4}|doubt|why)\b"
    rf"|{BY_OTHERS}"
    rf"|(?:\b(?:cannot|never|not)|n't)\s(?:\w{{1,12}}\s){{0,4}}$|\b(?:{MISLEADING})\s$",
    re.IGNORECASE,
)
_ASKED_AGAIN = re.compile(r"\?\s{0,9}(?:the )?(?:final )?answer\s?(?::|is\b)\s{0,3}\Z", re.IGNORECASE)
_ASKS = re.compile(r"^\W{0,4}(?:is|are|was|could|would|might|may|can|should|does|do|did|what if)\b[^.\n]{0,80}$", re.IGNORECASE)
_ALSO = re.compile(r"[^.\n]{0,20}\b(?:also|too|equally|as well)\b", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z_][\w-]{1,30}>")
_SENTENCE_START = re.compile(r"(?:^|[.;!?\n])[ \t]{0,4}(?=[^\s.;!?])")
_DECIMAL_POINT = re.compile(r"\d[.,]\d")
_LABEL_END = re.compile(r"(?:^|[\n\s])\(?[A-Z][).:]?[.)]?\s{0,3}\Z")
_SAYS_MORE = re.compile(
    r"\s{1,2}(?:is|isn't|are|was|can|cannot|can't|could|does|doesn't|seems|looks|fits|matches|makes|has been|would|must)\b"
)
_VERDICT_AT_END = re.compile(r"(?:^|(?<=[.!?\n]))\s{0,3}\[\[(?P<letter>[A-Z])\]\][\s.]{0,4}\Z")
_DECISION_IS = re.compile(
    r"(?:\b(?:my|final|overall)\s{1,2}|^[ \t*_#>-]{0,6})(?:verdict|decision|conclusion|judge?ment|prediction|pick|letter|vote"
    rf"|preference|choice|selection){LINK}",
    re.IGNORECASE | re.MULTILINE,
)
_A_LABEL = re.compile(r"^(?P<before>[ \t]{0,4})A[ \t]?:[ \t]{0,4}(?P<rest>[^\n]*)", re.MULTILINE)
_TEMPLATE = re.compile(r"[(\[]?\bA\s?[/|]\s?B(?:\s?[/|]\s?[C-Z]){1,24}\b[)\]]?")
_OTHER_LABEL = re.compile(r"^[ \t*(]{0,4}(?P<letter>[B-Z])[ \t]?[:).]", re.MULTILINE)
_BARE = re.compile(r"\(?(?P<letter>[A-Z])\)?[.!]?")
_LINKED = re.compile(r"\(?[A-Z]\)?\s{0,3}(?:(?:[,;/&]|\b(?:or|and|maybe)\b)\s{0,3}){1,3}Answer:\s{0,3}")


@dataclass(frozen=True, slots=True)
class _Choice:
    reading: ParsedReply[str]
    end: int
    """The place where the statement begins; after it, it may be retracted."""


def chosen_letter(text: str, options: Sequence[str], question: str = "") -> ParsedReply[str]:
    """The letter of the option that a reply's own words choose, in plain text.

    >>> options = ("Vitamin D", "Vitamin C", "Iron", "Zinc")
    >>> replies = ("Vitamin C is the answer.", "C is the answer.", "C is wrong.", "Answer: A. No, C.")
    >>> [chosen_letter(reply, options).value for reply in replies]
    ['B', 'C', None, 'C']
    """
    text = verdicts_on_lines(_TAG.sub("\n", _TEMPLATE.sub("", text)))
    text = without_branches(without_numbers(text, options), options)
    text = _answers_for_labels(option_texts.stated_in_other_languages(text), options)
    text = without_other_letters(option_texts.letters_for_texts(text, options), options)
    if letter := asserted_option.odd_one(text, options, question):
        return reading_of(letter, options)
    text = _letters_for_subjects(_VERDICT_AT_END.sub(r"\nAnswer: \g<letter>", text), options, question)
    named = list(islice(mentions(text, options), MOST + 1))
    named = [] if len(named) > MOST else named
    choice = _stated(text, named, options, question) or _called_right(text, named, options)
    choice = choice or _standing_alone(text, named, options, question)
    reading = choice.reading
    if reading.value is None and reading.problem != SEVERAL:
        return reading
    back = taken_back(text[choice.end : choice.end + STATED], reading, options)
    if back is not None:
        return back
    if reading.value and _contradicts(text[choice.end :], reading.value, options, question):
        return unreadable(CLASH)
    if reading.value and says_opposite(text, (reading.value, options[ascii_uppercase.index(reading.value)]), question):
        return unreadable(CLASH)
    last = lines(text)[-1:]
    if reading.value and last and _bare_letter(last[0]) not in ("", reading.value):
        return unreadable(SEVERAL)
    return reading


def _answers_for_labels(text: str, options: Sequence[str]) -> str:
    """A reply in which "A:" becomes "Answer:", unless option A's text, a verdict or a reason follows, or other options have
    labels."""
    label = _A_LABEL.search(text)
    used = ascii_uppercase[: len(options)]
    if label is None or any(other["letter"] in used for other in _OTHER_LABEL.finditer(text)):
        return text
    named = option_texts.text_at(label["rest"], options, within_words=True)
    if (
        (named and named[0] == "A")
        or re.match(r"because|since|\d{1,3}[ ]?%[,;]", label["rest"])
        or judgement(f": {label['rest']}", "A", options)[0]
    ):
        return text
    return f"{text[: label.start()]}Answer: {text[label.start('rest') :]}"


def _letters_for_subjects(text: str, options: Sequence[str], question: str) -> str:
    """A reply in which options' texts with a verdict after them ("Paris is wrong") are replaced by their letters."""
    parts, done = list[str](), 0
    for start in _SENTENCE_START.finditer(text):
        if start.end() < done or _LABEL_END.search(text, max(0, start.start() - 8), start.end()):
            continue
        if _DECIMAL_POINT.match(text, start.end() - 2):
            continue
        words = text[start.end() : start.end() + STATED]
        if (named := _subject(words, options)) and not asserted_option.denies_as_asked(
            SENTENCE.split(words)[0], named[0], options, question
        ):
            letter, length = named
            parts += [text[done : start.end()], f"({letter})"]
            done = start.end() + length
    return "".join([*parts, text[done:]])


def _subject(words: str, options: Sequence[str]) -> tuple[str, int] | None:
    """The letter of the option whose text is the subject of a sentence that judges it, and how long the text is."""
    for letter, text in zip(ascii_uppercase, option_texts.folded(tuple(options)), strict=False):
        if text and words[: len(text)].lower() == text and _SAYS_MORE.match(words, len(text)):
            rest = words[len(text) : len(text) + STATED]
            if judgement(rest, letter, ())[0] in ("right", "answer", "wrong"):
                return letter, len(text)
    return None


def _stated(text: str, named: Sequence[Mention], options: Sequence[str], question: str) -> _Choice | None:
    """The last explicit statement; None without any."""
    rows = [(start, statement) for start, statement in _statements(text)]
    rows += [
        (mention.start, text[mention.start : mention.end] + ".")
        for mention in named
        if mention.judged == "answer" and len(mention.letters) == 1
    ]
    if not rows:
        return None
    rows.sort(key=lambda pair: pair[0])
    if len(rows) > 1 and _LINKED.fullmatch(text, rows[-2][0], rows[-1][0]):
        return _Choice(unreadable(SEVERAL), rows[-1][0])
    chosen = cache(partial(_chosen, options=options, question=question))
    reading = last_said([statement for _, statement in rows], chosen)
    if reading is None:
        return None
    last = next(start for start, statement in reversed(rows) if chosen(statement))
    if _ASKED_AGAIN.search(text, max(0, last - WINDOW), last):
        before = last_said([statement for start, statement in rows if start < last], chosen)
        reading = reading if before in (None, reading) else unreadable(SEVERAL)
    return _Choice(reading, last)


def _contradicts(text: str, letter: str, options: Sequence[str], question: str) -> bool:
    """Whether a sentence right after the letter of a choice gives another option in the words of the question."""
    pair = letter_at(LEAD_IN.sub("", text, count=1), options)
    rest = (pair[1] if pair else text).lstrip(CLOSING + " \n")
    return asserted_option.in_words_of_question(rest[:STATED], options, question) not in ("", letter)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Explicit statements and their places: the rest of the line, or the next line if that is empty."""
    markers = [*ANSWER_IS.finditer(text), *_DECISION_IS.finditer(text)]
    for marker in sorted(markers, key=lambda match: match.end()):
        before = SENTENCE.split(text[max(0, marker.start() - WINDOW) : marker.start()])[-1]
        if NEGATION.search(marker["between"]) or _UNSTATED.search(clause(before)) or _FALSE.search(before):
            continue
        rest = text[marker.end() : marker.end() + STATED]
        statement = rest.lstrip(" \t\r\n:*_")
        line = statement.split("\n", 1)[0].strip()
        if (_ASKS.match(before) and line.endswith("?")) or supposed(
            f"{text[max(0, marker.end() - 2 * WINDOW) : marker.end()]} "
        ):
            continue
        yield marker.end() + len(rest) - len(statement), line


def _chosen(statement: str, *, options: Sequence[str], question: str) -> ParsedReply[str] | None:
    """The choice in "the answer is ..."; unreadable for several options or none of them, None if it says nothing."""
    words = LEAD_IN.sub("", statement, count=1)
    text = option_texts.text_at(words, options) or option_texts.text_at(statement, options)
    if text:
        return by_text(*text, options)
    if _NOT_ONE.match(words):
        letters = set[str]().union(*(mention.letters for mention in mentions(words[:FOLLOWING], options) if mention.stands))
        return reading_of(letters.pop(), options) if len(letters) == 1 else unreadable(SEVERAL)
    if pair := letter_at(words, options):
        letter, rest = pair
        asked_for = asserted_option.denies_as_asked(rest, letter, options, question)
        return reading_of(letter, options) if asked_for else by_letter(letter, rest, options)
    return DONT_KNOW if IGNORANCE.match(words) and not _ignorance_is_an_option(options) else None


def _called_right(text: str, named: Sequence[Mention], options: Sequence[str]) -> _Choice | None:
    """The conclusion from verdicts on single options: an explicit conclusion counts first. None if they leave it open."""
    right = decided(named, options)
    if not right:
        return None
    calls = [mention for mention in named if mention.letters & right and mention.judged != "wrong"]
    if calls and len(right) > 1 and _CONCLUDES.search(SENTENCE.split(text[: calls[-1].start][-WINDOW:])[-1]):
        right = set(calls[-1].letters)
    if calls and _ALSO.match(text, calls[-1].end):
        right |= {letter for mention in named if mention.stands and not mention.judged for letter in mention.letters}
    strongly = {letter for mention in named if mention.chosen and mention.judged != "wrong" for letter in mention.letters}
    reading = reading_of(min(right), options) if len(right | strongly) == 1 else unreadable(SEVERAL)
    return _Choice(reading, calls[-1].end if calls else named[-1].end)


def _standing_alone(text: str, named: Sequence[Mention], options: Sequence[str], question: str) -> _Choice:
    """The choice of a reply without an explicit statement."""
    texts = lines(text)
    if not texts:
        return _Choice(unreadable(NOTHING_STATED), 0)
    if (last := letter_at(texts[-1], options)) and not last[1].strip(CLOSING + " ") and len(texts[-1]) < 6 + len(CLOSING):
        others = {letter for line in texts[:-1] if (letter := _bare_letter(line))}
        letter = _text_alone(texts[-1], options) or last[0]
        return _Choice(unreadable(SEVERAL) if others - {letter} else reading_of(letter, options), text.find(texts[0]))
    alone = [(line, letter) for line in texts if (letter := _alone(line[:STATED], options))]
    alone += [(line, letter) for line in (texts[0], texts[-1]) if (letter := _text_alone(line[:STATED], options))]
    if not alone and admits_ignorance(text):
        return _Choice(unreadable(SEVERAL) if _ignorance_is_an_option(options) else DONT_KNOW, 0)
    if not alone and _begins_with_several(texts[0][:STATED], options) and not asserted_option.concluded(text, options):
        return _Choice(unreadable(SEVERAL), 0)
    if not alone and len(texts) == 1 and (letter := asserted_option.described(texts[0][:STATED], options, question)):
        return _Choice(reading_of(letter, options), 0)
    if not alone:
        return _by_sentences(text, named, options, question)
    letters = {letter for _, letter in alone}
    if "?" in letters:
        return _Choice(unreadable(CLASH), 0)
    reading = unreadable(SEVERAL) if len(letters) > 1 else reading_of(letters.pop(), options)
    return _Choice(reading, text.find(alone[0][0]))


def _by_sentences(text: str, named: Sequence[Mention], options: Sequence[str], question: str) -> _Choice:
    """The choice of a reply of sentences: a conclusion, the only letter named for a choice, or the only text asserted."""
    reading, end = only_one_named(named, options)
    if first := asserted_option.before_descriptions(text, named):
        reading, end = reading_of(first, options), named[0].end
    if letter := asserted_option.concluded(text, options):
        is_rival = reading.value not in (None, letter)
        return _Choice(unreadable(SEVERAL) if is_rival else reading_of(letter, options), 0)
    if reading.problem == NOTHING_STATED and (letter := asserted_option.asserted(text, named, options, question)):
        return _Choice(reading_of(letter, options), 0)
    if reading.value and option_texts.names_letters(text, reading.value, options):
        return _Choice(unreadable(SEVERAL), 0)
    return _Choice(reading, end)


def _begins_with_several(line: str, options: Sequence[str]) -> bool:
    """Whether a line begins with a letter, and continues with another that may be meant as well."""
    text = LEAD_IN.sub("", line, count=1)
    if denied(line[: len(line) - len(text)]) or not (pair := letter_at(text, options)):
        return False
    reading = by_letter(*pair, options)
    return reading is not None and reading.problem == SEVERAL


def _bare_letter(line: str) -> str:
    return match["letter"] if (match := _BARE.fullmatch(line)) else ""


def _alone(line: str, options: Sequence[str]) -> str:
    """The letter of a line with nothing else except its option's text or a reason; "?" with another option's text."""
    text = LEAD_IN.sub("", line, count=1)
    if denied(line[: len(line) - len(text)]) or not (pair := letter_at(text, options)):
        return ""
    letter, rest = pair
    if (named := option_texts.text_behind(rest, options)) and option_texts.is_whole(named[1]):
        if named[0] != letter:
            return "?"
        return "" if judgement(named[1], letter, ())[0] in ("wrong", "open") else letter
    reading = by_letter(letter, rest, options)
    if reading is None or reading.outcome is not Outcome.ANSWER:
        return ""
    rest = rest.lstrip(CLOSING + " -–—\t#✓✔✅☑\ufe0f")
    own = dict(zip(ascii_uppercase, option_texts.folded(tuple(options)), strict=False)).get(letter, "")
    return letter if not rest or option_texts.REASON.match(rest) or fold(rest) == own else ""


def _text_alone(line: str, options: Sequence[str]) -> str:
    """The letter of the option whose text is the whole line, or the beginning of the line up to a stop; empty without one."""
    text = LEAD_IN.sub("", line, count=1)
    named = option_texts.text_at(line, options) or (
        None if denied(line[: len(line) - len(text)]) else option_texts.text_at(text, options)
    )
    if not named or _begins_descriptions(*named, options):
        return ""
    reading = by_text(*named, options)
    if reading is None or (reading.problem == SEVERAL and asserted_option.concluded(line, options)):
        return ""
    return named[0] if reading.value else "?"


def _begins_descriptions(letter: str, rest: str, options: Sequence[str]) -> bool:
    """Whether an option's text begins a description before another one, or before a conclusion: "Red: hot. Blue: cold." """
    if not re.match(r"\s?[:=]\s", rest):
        return False
    others = (
        text for other, text in zip(ascii_uppercase, option_texts.folded(tuple(options)), strict=False) if other != letter
    )
    goes_on = any(re.search(rf"(?<!\w){re.escape(text)}\s?[:=]\s", rest.lower()) for text in others if text)
    return goes_on or asserted_option.concluded(rest, options) not in ("", letter)


def _ignorance_is_an_option(options: Sequence[str]) -> bool:
    """Whether an option reads like "I don't know", so that this reply may mean that option."""
    return any(IGNORANCE.search(fold(option)) for option in options)


_WHAT: Final = "the letter of one option"


@dataclass(frozen=True, slots=True)
class OneOption(ending.LastLineForm):
    """The capital letter of one of at most 26 options.

    >>> form = OneOption(("Lyon", "Paris", "Nice"))
    >>> [form.read(r).value for r in ("**(B)**", "The answer is Paris.", "Not A. Final answer: b", "A or B", "D")]
    ['B', 'B', 'B', None, None]
    """

    options: tuple[str, ...]
    dont_know: bool = False
    """Whether the instruction allows an admission of ignorance; it is read in any case."""
    question: str = ""
    """The question, if its words help to read the reply; it is not part of the instruction."""

    @property
    def what(self) -> str:
        return _WHAT

    @property
    def schema(self) -> Mapping[str, Any]:
        """One of the letters, or "I don't know"."""
        letters = ascii_uppercase[: len(self.options)]
        return ending.answer_schema({"type": "string", "enum": [*letters, ending.DONT_KNOW]})

    def read(self, text: str, /) -> ParsedReply[str]:
        """The letter of the option that is stated last, or that is alone on a line."""
        return read_last_line(self, text, lambda own: chosen_letter(own, self.options, self.question))

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[str]:
        """The letter in the field, unless another field calls it wrong."""
        text = fields.get("answer")
        if calls_answer_wrong(fields):
            return unreadable(TAKEN_BACK)
        return self.read(text) if isinstance(text, str) else unreadable(NOTHING_STATED)
