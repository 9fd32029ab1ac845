"""Which option a reply chooses, by its letter or by its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from string import ascii_uppercase
from typing import Final

from vivavoce.interview.forms.form import Outcome, Reading, answered, unreadable
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
from vivavoce.interview.forms.option_texts import REASON, begins_like, folded, is_whole, letters_for_texts, text_at, text_behind
from vivavoce.interview.forms.other_languages import FALSE, OR, stated_in_other_languages
from vivavoce.interview.forms.plain import fold, lines
from vivavoce.interview.forms.statements import (
    ANSWER_IS,
    DONT_KNOW,
    IGNORANCE,
    MISLEADING,
    NEGATION,
    NOTHING_STATED,
    RETRACTION,
    SEVERAL,
    STATED,
    TAKEN_BACK,
    admits_ignorance,
    last_said,
)

NO_OPTION: Final = "names no option that there is"
CLASH: Final = "names one option by its letter and another one by its text"
MOST: Final = 200
"""Letters that a reply may name; more of them say nothing."""

_LETTER = re.compile(r"(?P<open>[(\[{<\"'|*_~]{0,3}[ ]?)(?P<letter>[A-Za-z])(?P<close>(?:[ ](?!>))?[)\]}>|*_~]{1,3}|[\"']?)")
_AND = re.compile(
    r"(?=[\s,;/|&+(–—=→.?!-])[\s,;/|&+(–—=→>.?!-]{0,5}"
    r"(?:\b(?:or|and|also|maybe|perhaps|possibly|even|else|alternatively|plus|as well as|both"
    r"|to|then)\b[\s,]{0,3}){0,4}(?:option\s)?",
    re.IGNORECASE,
)
_ALSO = re.compile(r"[^.\n]{0,60}\b(?:also|equally|as well|too)\b", re.IGNORECASE)
_BESIDE = re.compile(
    r"[\s,–—→=([-]{1,4}(?:(?:which is|i\.?e\.?|that is|so|thus|hence|namely)[\s,:]{1,3})?"
    r"(?:(?:the )?(?i:option|choice|letter|answer)\s)?(?:is\s)?(?=[(\[]?[A-Z]\b)"
)
_CONCLUDES = re.compile(r"\b(?:therefore|thus|hence|so|in conclusion|overall|finally|in summary)\b", re.IGNORECASE)
_OR = re.compile(r"[\s,.(–—-]{0,4}(?:and/)?or\b", re.IGNORECASE)
_OR_LETTER = re.compile(rf"[\s,.)(–—-]{{0,4}}(?:(?i:{OR})|→|[-=]{{0,2}}>)\s?[(\[\"']?(?P<letter>[A-Z])(?!\w)")
_OR_TEXT = re.compile(
    r"[\s,.;(]{0,4}(?:(?:\b(?:or|and|also|maybe|perhaps|possibly|as well as|plus)\b|[/&])[\s,]{0,3}){1,4}",
    re.IGNORECASE,
)
_FALSE = re.compile(FALSE, re.IGNORECASE)
_OR_NONE = re.compile(
    r"[\s,.(–—-]{0,4}(?:and/)?or (?:none|neither|nothing|not|(?:an|some )?other|something else|both|all|any)\b", re.IGNORECASE
)
_NOT_ONE = re.compile(r"(?:either|both|neither|none|all|any|every|everything|anything|nothing|each|several)\b", re.IGNORECASE)
_LEAD_IN = re.compile(
    r"(?:[\s:=,*_>→•#|👉✅✓✔☑\ufe0f]|[–—-](?=[\s>*_])"
    r"|(?:options?|choice|letter|therefore|thus|hence|so|then|clearly|simply|indeed|definitely|certainly|surely"
    r"|obviously|probably|likely"
    r"|ans|most likely|the|it's|it is|that's|that is|this is|es ist|das ist|c'est|es|è|é|my|final|answer|of course|donc"
    r"|also|alors|quindi|entonces|logo|la|le|el|o|die|der"
    r"|lettre|letra|lettera|buchstabe|opción|opção|opzione|alternativa|variante|вариант|под буквой"
    r"|(?:it|that|this) (?:must|would|should|will|has to) be|(?:must|would|should|has to) be"
    r"|(?:let's |let us |we |i(?:'d|'ll| would| will)? ?)(?:now )?(?:think|say|choose|pick|select|believe|guess|go with"
    r"|go for|vote for|opt for)"
    r"|going (?:with|for)|i'm going with|none other than|that(?= \(?[A-Z]\b)"
    r")(?![\w'])){0,16}",
    re.IGNORECASE,
)
_UNSTATED = re.compile(
    r"\b(?:if|whether|unless|until|suppose|supposing|assum\w{1,4}|doubt|why)\b"
    rf"|{BY_OTHERS}"
    rf"|(?:\b(?:cannot|never|not)|n't)\s(?:\w{{1,12}}\s){{0,4}}$|\b(?:{MISLEADING})\s$",
    re.IGNORECASE,
)
_ASKED_AGAIN = re.compile(r"\?\s{0,9}(?:the )?(?:final )?answer\s?(?::|is\b)\s{0,3}\Z", re.IGNORECASE)
_ASKS = re.compile(r"^\W{0,4}(?:is|are|was|could|would|might|may|can|should|does|do|did|what if)\b[^.\n]{0,80}$", re.IGNORECASE)
_CONDITION = re.compile(r"\s{0,3},?\s{0,3}(?:if|unless|only if|provided|assuming)\b", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z_][\w-]{1,30}>")
_SENTENCE = re.compile(r"[.;!?\n]")
_SENTENCE_START = re.compile(r"(?:^|[.;!?\n])[ \t]{0,4}(?=[^\s.;!?])")
_DESCRIBES = re.compile(r"\s{1,2}(?:is|are|was|were|has|have)\s[^.;:!?\n]{1,300}[.!]?")
_TURNS = re.compile(r"\b(?:but|however|although|though|while|whereas|instead|rather|unlike|too|no|less|hardly)\b")
_LABEL_END = re.compile(r"(?:^|[\n\s])\(?[A-Z][).:]?[.)]?\s{0,3}\Z")
_SAYS_MORE = re.compile(
    r"\s{1,2}(?:is|isn't|are|was|can|cannot|can't|could|does|doesn't|seems|looks|fits|matches|makes|has been|would|must)\b"
)
_A_LABEL = re.compile(r"^(?P<before>[ \t]{0,4})A[ \t]?:[ \t]{0,4}(?P<rest>[^\n]*)", re.MULTILINE)
_TEMPLATE = re.compile(r"[(\[]?\bA\s?[/|]\s?B(?:\s?[/|]\s?[C-Z]){1,24}\b[)\]]?")
_OTHER_LABEL = re.compile(r"^[ \t*(]{0,4}(?P<letter>[B-Z])[ \t]?[:).]", re.MULTILINE)
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
_SEPARATORS: Final = CLOSING + " \t([–—→=/-"
_IN_BRACKETS = re.compile(r"[\s.,:)–—-]{0,4}\((?P<letter>[A-Z])\)\s{0,3}(?:$|[.;!?\n])")
_CLOSED = re.compile(r"\s{0,2}(?:$|[.,;:!?)\n✓✔✅]|(?:or|and)\b)")
_LABEL_BEFORE = re.compile(r"\n[ \t(*]{0,4}(?P<letter>[A-Z])(?:\)?|[).:][^\n]{0,200})\Z")
_BARE = re.compile(r"\(?(?P<letter>[A-Z])\)?[.!]?")
_LINKED = re.compile(r"\(?[A-Z]\)?\s{0,3}(?:(?:[,;/&]|\b(?:or|and|maybe)\b)\s{0,3}){1,3}Answer:\s{0,3}")
_NEW_LABEL = re.compile(r"(?:\A[^\n:.]{1,40}:|\bchang\w{0,3}\b[^\n.]{0,30}\bto)\s{0,3}\(?\Z")
_CUES: Final = 12
"""Words in a row that take back an answer, and are looked at."""


@dataclass(frozen=True, slots=True)
class _Choice:
    reading: Reading[str]
    end: int
    """Where the words that say so begin: behind them it may be taken back."""


def chosen_letter(text: str, options: Sequence[str]) -> Reading[str]:
    """The letter of the option that a reply's own words choose, in plain text.

    >>> options = ("Vitamin D", "Vitamin C", "Iron", "Zinc")
    >>> replies = ("Vitamin C is the answer.", "C is the answer.", "C is wrong.", "Answer: A. No, C.")
    >>> [chosen_letter(reply, options).value for reply in replies]
    ['B', 'C', None, 'C']
    """
    text = _answers_for_labels(stated_in_other_languages(_TAG.sub("\n", _TEMPLATE.sub("", text))), options)
    text = _letters_for_subjects(letters_for_texts(text, options), options)
    named = list(islice(mentions(text, options), MOST + 1))
    named = [] if len(named) > MOST else named
    choice = _stated(text, named, options) or _called_right(text, named, options) or _standing_alone(text, named, options)
    reading = choice.reading
    if reading.value is None and reading.problem != SEVERAL:
        return reading
    back = _taken_back(text[choice.end : choice.end + STATED], reading, options)
    if back is not None:
        return back
    last = lines(text)[-1:]
    if reading.value and last and _bare_letter(last[0]) not in ("", reading.value):
        return unreadable(SEVERAL)
    return reading


def _answers_for_labels(text: str, options: Sequence[str]) -> str:
    """A reply in which "A:" is "Answer:", unless option A's text, a verdict or a reason follows, or others are labelled."""
    label = _A_LABEL.search(text)
    used = ascii_uppercase[: len(options)]
    if label is None or any(other["letter"] in used for other in _OTHER_LABEL.finditer(text)):
        return text
    named = text_at(label["rest"], options, within_words=True)
    if (
        (named and named[0] == "A")
        or re.match(r"because|since", label["rest"])
        or judgement(f": {label['rest']}", "A", options)[0]
    ):
        return text
    return f"{text[: label.start()]}Answer: {text[label.start('rest') :]}"


def _letters_for_subjects(text: str, options: Sequence[str]) -> str:
    """A reply in which options' texts with a verdict behind them ("Paris is wrong") are their letters."""
    parts, done = list[str](), 0
    for start in _SENTENCE_START.finditer(text):
        if start.end() < done or _LABEL_END.search(text, max(0, start.start() - 8), start.end()):
            continue
        if named := _subject(text[start.end() : start.end() + STATED], options):
            letter, length = named
            parts += [text[done : start.end()], f"({letter})"]
            done = start.end() + length
    return "".join([*parts, text[done:]])


def _subject(said: str, options: Sequence[str]) -> tuple[str, int] | None:
    """The letter of the option whose text is the subject of a sentence that judges it, and how long the text is."""
    for letter, text in zip(ascii_uppercase, folded(tuple(options)), strict=False):
        if text and said[: len(text)].lower() == text and _SAYS_MORE.match(said, len(text)):
            rest = said[len(text) : len(text) + STATED]
            if judgement(rest, letter, ())[0] in ("right", "answer", "wrong"):
                return letter, len(text)
    return None


def _stated(text: str, named: Sequence[Mention], options: Sequence[str]) -> _Choice | None:
    """The last explicit statement; None where none says anything."""
    said = [(start, statement) for start, statement in _statements(text)]
    said += [
        (mention.start, text[mention.start : mention.end] + ".")
        for mention in named
        if mention.judged == "answer" and len(mention.letters) == 1
    ]
    if not said:
        return None
    said.sort(key=lambda one: one[0])
    if len(said) > 1 and _LINKED.fullmatch(text, said[-2][0], said[-1][0]):
        return _Choice(unreadable(SEVERAL), said[-1][0])
    chosen = cache(partial(_chosen, options=options))
    reading = last_said([statement for _, statement in said], chosen)
    if reading is None:
        return None
    last = next(start for start, statement in reversed(said) if chosen(statement))
    if _ASKED_AGAIN.search(text, max(0, last - WINDOW), last):
        before = last_said([statement for start, statement in said if start < last], chosen)
        reading = reading if before in (None, reading) else unreadable(SEVERAL)
    return _Choice(reading, last)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """What explicit statements say, and where: the rest of the line, or the next line where that is empty."""
    for marker in ANSWER_IS.finditer(text):
        before = _SENTENCE.split(text[max(0, marker.start() - WINDOW) : marker.start()])[-1]
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


def _chosen(statement: str, *, options: Sequence[str]) -> Reading[str] | None:
    """What "the answer is ..." chooses; unreadable if several options or none of them, None if it says nothing."""
    said = _LEAD_IN.sub("", statement, count=1)
    text = text_at(said, options) or text_at(statement, options)
    if text:
        return _by_text(*text, options)
    if _NOT_ONE.match(said):
        letters = set[str]().union(*(mention.letters for mention in mentions(said[:FOLLOWING], options) if mention.stands))
        return _reading(letters.pop(), options) if len(letters) == 1 else unreadable(SEVERAL)
    if found := _letter(said, options):
        return _by_letter(*found, options)
    return DONT_KNOW if IGNORANCE.match(said) and not _ignorance_is_an_option(options) else None


def _by_text(letter: str, rest: str, options: Sequence[str]) -> Reading[str] | None:
    """An option that is named by its text, unless what follows denies it or names another one."""
    if judgement(rest, letter, ())[0] in ("wrong", "open"):
        return None
    if (
        (link := _OR_TEXT.match(rest))
        and (also := text_at(rest[link.end() :], options, within_words=True))
        and also[0] != letter
    ):
        return unreadable(SEVERAL)
    beside = _BESIDE.match(rest)
    other = beside and _letter(rest[beside.end() :])
    if other and other[0] != letter and judgement(other[1], other[0], options)[0] != "wrong":
        return unreadable(CLASH)
    return _reading(letter, options)


def _by_letter(letter: str, rest: str, options: Sequence[str]) -> Reading[str] | None:
    """An option that is named by its letter, unless what follows denies it or names another one."""
    if judgement(rest, letter, options)[0] in ("wrong", "open"):
        return None
    if _CONDITION.match(rest) and not begins_like(rest.lstrip(_SEPARATORS), letter, options):
        return unreadable(NOTHING_STATED)
    named = text_behind(rest, options)
    if named and named[0] != letter and is_whole(named[1]):
        return unreadable(CLASH)
    if (other := _IN_BRACKETS.match(rest)) and other["letter"] != letter:
        return unreadable(CLASH)
    if not named and _another(rest[:FOLLOWING], letter, options):
        return unreadable(SEVERAL)
    return _reading(letter, options)


def _another(rest: str, letter: str, options: Sequence[str]) -> bool:
    """Whether the words behind a letter name another one that may be meant as well."""
    link = _AND.match(rest)
    linked = rest[link.end() :] if link else ""
    if (another := _letter(linked)) and another[0] != letter and _CLOSED.match(another[1]):
        return next(mentions(linked, options), None) is None or _may_be_meant(linked, letter, options, 1)
    if _OR_NONE.match(rest) or ((other := _OR_LETTER.match(rest)) and other["letter"] != letter):
        return True
    return bool(_ALSO.match(rest) or _OR.match(rest)) and _may_be_meant(_SENTENCE.split(rest)[0], letter, options, MOST)


def _may_be_meant(said: str, letter: str, options: Sequence[str], most: int) -> bool:
    others = (mention for mention in islice(mentions(said, options), most) if letter not in mention.letters)
    return any(mention.judged not in ("wrong", "open") for mention in others)


def _called_right(text: str, named: Sequence[Mention], options: Sequence[str]) -> _Choice | None:
    """What follows from the verdicts on single options: a conclusion before other ones. None where they leave it open."""
    right = decided(named, options)
    if not right:
        return None
    calls = [mention for mention in named if mention.letters & right and mention.judged != "wrong"]
    if calls and len(right) > 1 and _CONCLUDES.search(_SENTENCE.split(text[: calls[-1].start][-WINDOW:])[-1]):
        right = set(calls[-1].letters)
    strongly = {letter for mention in named if mention.chosen and mention.judged != "wrong" for letter in mention.letters}
    reading = _reading(min(right), options) if len(right | strongly) == 1 else unreadable(SEVERAL)
    return _Choice(reading, calls[-1].end if calls else named[-1].end)


def _standing_alone(text: str, named: Sequence[Mention], options: Sequence[str]) -> _Choice:
    """The choice of a reply without an explicit statement."""
    found = lines(text)
    if not found:
        return _Choice(unreadable(NOTHING_STATED), 0)
    if (last := _letter(found[-1], options)) and not last[1].strip(CLOSING + " ") and len(found[-1]) < 6 + len(CLOSING):
        others = {letter for line in found[:-1] if (letter := _bare_letter(line))}
        letter = _text_alone(found[-1], options) or last[0]
        return _Choice(unreadable(SEVERAL) if others - {letter} else _reading(letter, options), text.find(found[0]))
    alone = [(line, letter) for line in found if (letter := _alone(line[:STATED], options))]
    alone += [(line, letter) for line in (found[0], found[-1]) if (letter := _text_alone(line[:STATED], options))]
    if not alone and admits_ignorance(text):
        return _Choice(unreadable(SEVERAL) if _ignorance_is_an_option(options) else DONT_KNOW, 0)
    if not alone and len(found) == 1 and (letter := _described(found[0][:STATED], options)):
        return _Choice(_reading(letter, options), 0)
    if not alone:
        return _named_alone(named, options)
    letters = {letter for _, letter in alone}
    if "?" in letters:
        return _Choice(unreadable(CLASH), 0)
    reading = unreadable(SEVERAL) if len(letters) > 1 else _reading(letters.pop(), options)
    return _Choice(reading, text.find(alone[0][0]))


def _bare_letter(line: str) -> str:
    return found["letter"] if (found := _BARE.fullmatch(line)) else ""


def _named_alone(named: Sequence[Mention], options: Sequence[str]) -> _Choice:
    """The only letter that is named for a choice in sentences."""
    chosen = [mention for mention in named if mention.chosen and mention.judged not in ("wrong", "open")]
    if len(set().union(*(mention.letters for mention in chosen))) != 1:
        chosen = [mention for mention in named if mention.judged != "wrong"]
        if not any(mention.stands for mention in chosen):
            return _Choice(unreadable(NOTHING_STATED), 0)
    letters = set[str]().union(*(mention.letters for mention in chosen))
    reading = unreadable(SEVERAL) if len(letters) > 1 else _reading(letters.pop(), options)
    return _Choice(reading, chosen[0].end)


def _taken_back(rest: str, reading: Reading[str], options: Sequence[str]) -> Reading[str] | None:
    """The choice that corrects an earlier one; unreadable if it is only taken back, None if it stands."""
    own = _length_of_choice(rest, options)
    result: Reading[str] | None = None
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
            later = _named_alone(list(islice(mentions(after, options), MOST)), options).reading
            result = later if later.value else unreadable(TAKEN_BACK)
    return result or (unreadable(SEVERAL) if _names_another(rest[own:], reading, options) else None)


def _names_another(rest: str, reading: Reading[str], options: Sequence[str]) -> bool:
    """Whether another letter is chosen after an answer, or stands behind a stop on the same line with nothing after it."""
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
    """How many characters a choice takes up where it is stated: its letter, and its own text behind it."""
    found = _letter(_LEAD_IN.sub("", rest, count=1), options)
    behind = found[1] if found else rest
    named = text_behind(behind, options)
    if not named or (found and named[0] != found[0]):
        return len(rest) - len(behind)
    text = folded(tuple(options))[ascii_uppercase.index(named[0])]
    return len(rest) - len(behind) + max(behind.lower().find(text), 0) + len(text)


def _takes_back(word: str, before: str, after: str) -> bool:
    """Whether words that may take an answer back do so: some only if they stand right behind it."""
    if not _WEAK.fullmatch(word):
        return not (re.match(r"wait|correct|(?:just )?kidding", word, re.IGNORECASE) and re.match(r"\s[a-z]", after))
    if re.match(r"actually|in fact|edit|update|revised|sorry|apolog|rather|(?:up)?on", word, re.IGNORECASE):
        return False
    goes_on = after.strip(_SEPARATORS + "\n")
    return not goes_on or (not before.strip(_SEPARATORS + "!?\n") and not re.match(r"[a-z]", after.strip(" ,")))


def _correction(after: str, options: Sequence[str]) -> Reading[str] | None:
    """The choice that stands right behind words that take an answer back; None where none does."""
    said = _CORRECTION_LEAD.sub("", after, count=1)
    if denied(after[: len(after) - len(said)]):
        return None
    if _FALSE.search(_SENTENCE.split(said)[0]):
        return None
    if text := text_at(said, options):
        return _by_text(*text, options)
    found = _letter(said, options)
    return _by_letter(*found, options) if found else None


def _reading(letter: str, options: Sequence[str]) -> Reading[str]:
    return answered(letter) if letter in ascii_uppercase[: len(options)] else unreadable(NO_OPTION)


def _letter(text: str, options: Sequence[str] = ()) -> tuple[str, str] | None:
    """The letter that a text begins with, and what follows it; None if it begins with a word."""
    if not (m := _LETTER.match(text)):
        return None
    letter, rest = m["letter"], text[m.end() :]
    if letter.islower() and letter in options and ascii_uppercase.index(letter.upper()) != list(options).index(letter):
        return None
    if rest and not rest[0].isspace() and rest[0] not in CLOSING + "/&,;–—#✓✔✅✗✘❌☑→=":
        return None
    bracketed = bool(m["close"].strip())
    closed = bracketed or not rest.strip() or rest[0] in CLOSING + "#✓✔✅✗✘❌☑" or REASON.match(rest) or _linked(rest)
    if not closed and options and letter.isupper() and letter != "I":
        own = text_at(rest.lstrip(), options)
        closed = bool(own and own[0] == letter) or judgement(rest, letter, options)[0] in ("right", "answer", "wrong")
    return (letter.upper(), rest) if closed or (letter.isupper() and letter not in "AI") else None


def _linked(rest: str) -> bool:
    """Whether "or", "and" or a sign like them follows."""
    return bool(re.match(r"\s{0,3}(?:[,/&=→]|\bor\b|\band\b|then\s\(?[A-Z]\b|rather\b|instead\b|not\b)", rest, re.IGNORECASE))


def _alone(line: str, options: Sequence[str]) -> str:
    """The letter of a line that holds nothing else, but for its option's text or a reason; "?" with another one's text."""
    said = _LEAD_IN.sub("", line, count=1)
    if denied(line[: len(line) - len(said)]) or not (found := _letter(said, options)):
        return ""
    letter, rest = found
    if (named := text_behind(rest, options)) and is_whole(named[1]):
        if named[0] != letter:
            return "?"
        return "" if judgement(named[1], letter, ())[0] in ("wrong", "open") else letter
    reading = _by_letter(letter, rest, options)
    if reading is None or reading.outcome is not Outcome.ANSWER:
        return ""
    rest = rest.lstrip(CLOSING + " -–—\t#✓✔✅☑\ufe0f")
    own = dict(zip(ascii_uppercase, folded(tuple(options)), strict=False)).get(letter, "")
    return letter if not rest or REASON.match(rest) or fold(rest) == own else ""


def _text_alone(line: str, options: Sequence[str]) -> str:
    """The letter of the option whose text a line consists of, or begins with before a stop; empty if there is none."""
    said = _LEAD_IN.sub("", line, count=1)
    named = text_at(line, options) or (None if denied(line[: len(line) - len(said)]) else text_at(said, options))
    if not named:
        return ""
    reading = _by_text(*named, options)
    return named[0] if reading and reading.value else "" if reading is None else "?"


def _described(sentence: str, options: Sequence[str]) -> str:
    """The letter that a sentence begins with, if its option's text and a description without a denial follow; else empty."""
    found = _letter(_LEAD_IN.sub("", sentence, count=1), options)
    named = text_behind(found[1], options, within_words=True) if found else None
    if not found or not named or named[0] != found[0] or not _DESCRIBES.fullmatch(named[1]):
        return ""
    if judgement(named[1], found[0], ())[0] != "open":
        return ""
    words = fold(named[1])
    others = (text for letter, text in zip(ascii_uppercase, folded(tuple(options)), strict=False) if letter != found[0])
    return "" if NEGATION.search(words) or _TURNS.search(words) or any(text in words for text in others) else found[0]


def _ignorance_is_an_option(options: Sequence[str]) -> bool:
    """Whether an option reads like "I don't know", so that saying so may mean that option."""
    return any(IGNORANCE.search(fold(option)) for option in options)
