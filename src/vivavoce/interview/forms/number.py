"""A number, read as a careful reader would.

The last explicit statement decides ("The answer is 42.", "Answer: 42", a boxed 42). Without one, a number on its own
decides: the last or the first line, the result of a last equation, or the only number of a sentence that can be an answer. A
bound, a range, a name, a date, an error message and a sum left undone are unreadable, and so are two numbers without
a decision.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from vivavoce.formats.numbers import DIGITS, as_number
from vivavoce.interview.forms import ending
from vivavoce.interview.forms.asked_unit import (
    ANOTHER_UNIT,
    in_asked_scale,
    is_no_year,
    limit_as_value,
    of_asked_kind,
    without_asked_label,
)
from vivavoce.interview.forms.ending import read_last_line
from vivavoce.interview.forms.form import (
    BEST,
    DONT_KNOW,
    IGNORANCE,
    LINK,
    NOTHING_STATED,
    SEVERAL,
    STATED,
    Outcome,
    ParsedReply,
    admits_ignorance,
    answered,
    last_said,
    retracted,
    statements,
    unreadable,
)
from vivavoce.interview.forms.number_context import BOUND, PART, UNDONE, WRONG
from vivavoce.interview.forms.plain import lines
from vivavoce.interview.forms.restated import concluded, is_of_another, restated_number
from vivavoce.interview.forms.spelled_numbers import SPELLED, number_elsewhere, part_in_words, rewritten, spelled_out
from vivavoce.interview.forms.spellings import says_opposite
from vivavoce.interview.forms.worked_out import (
    answers,
    conclusion_of,
    is_fault,
    is_turned_round,
    main_clause,
    refuses,
    result_of_words,
    unknown_left,
    within_time,
    without_names,
    without_notes,
    without_parts,
    without_side_remarks,
)
from vivavoce.interview.forms.written_number import differ, number_in, without_asides, written_numbers

_WHAT: Final = "the number"
_ANSWER_IS = re.compile(rf"(?<![\"\w])(?:answer|solution|{BEST}){LINK}", re.IGNORECASE)
_RESULT_IS = re.compile(rf"(?<![\"\w])(?:result|sum|total|difference|product|quotient|remainder){LINK}", re.IGNORECASE)
"""Labels that may also introduce a number on the way to an answer."""
_END_OF_CLAUSE = re.compile(
    r"(?P<mark>[.;!?])(?:\s|$)|,\s(?![-+]?\d|∞)|\s[-–—]{1,3}\s(?!\d)|\s\((?=[a-z][^)]*$)", re.IGNORECASE
)
_BECAUSE = re.compile(r"\s(?:because|since|when|given)\b", re.IGNORECASE)
_REASON = re.compile(
    r"\s(?:because|since|when|where|given|(?<!ed )as|which)\b|(?<! is)(?<! was)(?<! are)(?<! does)"
    r"\s(?:not|rather than|instead of)\b",
    re.IGNORECASE,
)
_EQUALS = re.compile(r"[=≈≅≃]|\b(?:(?:is|are) equal to|equals?)\b", re.IGNORECASE)
_UNEQUAL = re.compile(r"(?:\bnot|n't|\bor|[!<>])\s*$|\b(?:if|when|whether|let)\b", re.IGNORECASE)
_JOINED = re.compile(r"\b(?:and|or)\b", re.IGNORECASE)
"""Separates two equations in one clause."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_FIRST_OF_A_LIST = re.compile(r"1[.)]\s+\D")
_LEADS_ON = re.compile(r"[^:]*[A-Za-z]:\s")
_CONCLUSION = re.compile(
    r"\W{0,3}(?:so|thus|hence|therefore|in total|altogether|overall|finally|in conclusion|consequently|as a result|(?:this"
    r"|that|which|it)"
    r" (?:means|gives|leaves|makes)|that(?:'s| is)(?![^.!?\n]{0,80}\bthan\b)|donc|ainsi|folglich|somit|daher|demnach|insgesamt"
    r"|also (?:hat|haben|sind|ist|gibt|kostet|braucht|bleib\w{1,3}|beträg\w{1,2}|bekomm\w{1,3})"
    r"|por (?:lo )?tanto|entonces|así que"
    r"|luego|quindi|dunque|perciò|portanto|logo|assim|dus|следовательно|итак|значит|поэтому|таким образом)\b"
    r"|\W{0,3}(?:所以|因此|したがって|よって|따라서)",
    re.IGNORECASE,
)
_SO = re.compile(rf"\s{{0,3}}(?:so|thus|hence|therefore)\s(?:(?:the answer|it) is |it's )?([-–]?{DIGITS})\W*$", re.IGNORECASE)
"""A conclusion behind a number."""
_PLANS = re.compile(r"\b(?:need to|have to|now|next|let's|let us|(?:we|i|you) (?:can|must|should|will))\b", re.IGNORECASE)
_ASSERTED = re.compile(
    r"(?:^|\b(?:is|are|was|were|be|equals?|makes?|gets?|has|have|had|needs?|takes?|leaves?|exactly|about|a total of)\s)$",
    re.IGNORECASE,
)
_IT_IS = re.compile(r"\b(?:it|that)['’]s\s$", re.IGNORECASE)
_AT_MOST_A_UNIT = re.compile(r"\W*(?:(?!times)\w+\W*)?", re.IGNORECASE)
_MARKED = re.compile(r"\d{1,2}\.\s+[-–]?\d[\d.,]*%?")
"""A number after a possible list marker."""
_LIST_MARKER = re.compile(r"^[ \t]{0,4}(?:(?:1\.|\d{1,2}\)|\(\d\)|#\d{1,2})\s*$|\d{1,2}[.)]\s+(?=\D))", re.MULTILINE)
_DENIAL = re.compile(
    r"\b(?:that|this|it|which)(?:'s| \w{1,8}){1,3} (?:wrong|incorrect|a mistake|an error|a joke|off)\b"
    r"|\b(?:that|this|it|which)\b[^.!?\n]{0,20}(?:n't|\bnot|cannot|\bnever)\b[^.!?\n]{0,20}\b(?:right|correct|add up"
    r"|make sense)\b"
    r"|\b(?:ignore|disregard|forget|scrap|discard) (?:that|this|it|my|the (?:above|previous))\b"
    r"|\bi(?:'d| \w{1,8}){0,2} (?:cannot|can't|(?:rather|could|will|do) not|unable to|won't|refuse to|decline to)"
    r" (?:\w{1,8} )?(?:answer|say|tell|determine|solve)\b"
    r"|\bnot sure that\b[^.!?\n]{0,20}\b(?:right|correct)\b|\brather not (?:answer|say)\b"
    r"|\bi (?:was wrong|made an? (?:\w{1,12} )?(?:mistake|error)|take (?:it|that) back)\b",
    re.IGNORECASE,
)
_CORRECTS: Final = re.compile(
    r"^[\W_]*(?:(?:no|wait|actually|sorry|rather|it|that|this|the|correct|right|real|true|final|number|answer|result|value"
    r"|total|i"
    r"|meant|mean|say|should|must|would|be|have|been|is|was|it's|that's|to|make|made|a|mistake)[\s,:;]+)*$",
    re.IGNORECASE,
)
"""Words that may come between a retraction and the corrected number."""
_AGAIN: Final = re.compile(
    r"\W*(?:(?:so|it|it's|that|that's|is|was|be|the|my|final(?:ly)?|correct|corrected|right|real|true|new|answer|number"
    r"|result|value|total"
    r"|erratum|corrigendum|correction|korrektur|corrección|correzione|correção|исправление|更正|訂正|정정|rather|instead|make"
    r"|say|c'est|es|est|ist|é|è|sono|son|это|是|はい|です)(?:[\s,:;]+|$))*",
    re.IGNORECASE,
)
"""Words of a later clause that only gives another number than the stated one."""
_AND_NO_MORE = re.compile(r"(?:\s(?:it is|is it|instead|then|rather|now))?\W*", re.IGNORECASE)
_END_OF_STATEMENT = re.compile(rf"\n|{_END_OF_CLAUSE.pattern}", re.IGNORECASE)
_LAST_CLAUSE = re.compile(r"[,;:!](?!\d)|\s[-–—]{1,3}\s")
_LAST_DASH = re.compile(r"\s[–—]\s(?=it(?:'s| is| was| should))")
_HYPOTHETICAL = re.compile(r"\bif\b[^.!?\n]{1,200}\b(?:were|had|was)\b[^.!?\n]{1,200}\bwould\b[^.!?\n]{0,200}", re.IGNORECASE)
_CLOSING = re.compile(
    r"(?P<end>[.!)\]*])\s{1,3}(?:(?:(?:is there |if you need )?anything else|(?:please )?(?:let me know|feel free)"
    r"|(?:please )?do(?:n't| not) hesitate|(?:i )?hope (?:this|that|it)|have an? (?:\w{2,12} )?day"
    r"|(?:i'm |we're |always )?happy to help|do you have any (?:other|more|further)|(?:can|may|could) i help"
    r"|thank(?:s| you))\b[^.!?\n\d]{0,120}[.!?]*\s*)+$",
    re.IGNORECASE,
)
"""A last sentence that only says goodbye, or offers more help."""
_SUPPOSED = re.compile(
    r"(?P<lead>(?:(?<!\bi )(?<!\bwe )(?<!\bi'd )(?<!\bwould )\b(?:suppose|assume|imagine|pretend)"
    r"|\b(?:supposing|assuming|if|unless|whether|examples?|sample|e\.g\.|for instance|format|template|such as))"
    r"\W{0,4}(?:\s|\b)(?:that )?(?:(?:the|my|your|our|final|correct|right) ){0,3}(?:answer|solution|result|sum|total))"
    r"(?:\s?[:=]|\s(?:is|was|would be)\b)",
    re.IGNORECASE,
)
"""Statements that are only hypothetical, or given as an example."""
_WITHDRAWN = re.compile(rf"\W{{0,3}}{WRONG}\b", re.IGNORECASE)
_TUPLE = re.compile(r"\W{0,3}[(\[]\s?[^()\[\]\s,]{1,30}(?:,\s|;\s?|,(?=[^\d\s]))\s?[^()\[\]]{1,60}[)\]]")
_ABOUT_IT = re.compile(
    r"\W{0,3}(?:(?:\w{1,12}ly |to be |also |only )?(?:given|found|shown|listed|explained|described|stated|provided"
    r"|discussed|written|contained"
    r"|located|based|worth|due|asked|sent|hidden|printed|composed|made up|divided|split|expected|required|graded"
    r"|limited|one of|on (?!average)"
    r"|under|behind|below|above|longer|shorter))\b",
    re.IGNORECASE,
)
"""Words after "the answer is" that describe the answer without giving it."""
_DRESS: Final = " \t\"'*_`(){}[],;:"
_COMPARES = re.compile(
    rf"\W{{0,3}}(?:\d[\d.,]*|{SPELLED.pattern}) (?:(?:[a-z]+ )?(?:more|less|fewer|(?!other|rather)[a-z]{{2,9}}er) than\b"
    r"|times (?:as|more|less|the)\b)",
    re.IGNORECASE,
)
"""Words of a reply that compares with another number, and may give only the difference."""
_BARE: Final = 3
"""Words of a line with only a number and its unit."""
_REQUESTED: Final = re.compile(r"Answer: (?P<digits>0|-?[1-9]\d{0,8})", re.ASCII)
"""A reply that is only the requested line, with a whole number: no word in it can change how the number is read."""


@dataclass(frozen=True, slots=True)
class Number(ending.LastLineForm):
    """A number, in digits that `as_number` knows: `1,234.50` is read as `1234.50`, `3 million` as `3000000`, `26 %` as `26%`.

    >>> [Number().read(r).value for r in ("The result is 1,234.", "x = 12 + 30 = 42", "minus 5", "forty-two", "3/4 of it")]
    ['1234', '42', '-5', '42', '3/4']
    >>> [Number().read(r).value for r in ("12 or 13", "at least 12", "COVID-19", "Error 429", "Answer: N")]
    [None, None, None, None, None]
    """

    dont_know: bool = False
    """Whether the instruction allows an admission of ignorance; it is read in any case."""
    question: str = ""
    """The question, if its words help to read the reply; it is not part of the instruction."""

    @property
    def what(self) -> str:
        return _WHAT

    @property
    def schema(self) -> Mapping[str, Any]:
        """A number, or "I don't know"."""
        return ending.answer_schema({"type": "number"}, {"type": "string", "enum": [ending.DONT_KNOW]})

    def read(self, text: str, /) -> ParsedReply[str]:
        """The number that is stated last, or is alone on a line."""
        if requested := _REQUESTED.fullmatch(text):
            value = in_asked_scale(requested["digits"], text, self.question)
            return answered(value, strict=value == requested["digits"]) if value else unreadable(ANOTHER_UNIT)
        return read_last_line(self, spelled_out(text), self._number_of)

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[str]:
        """The number in the field, which may be written as a string."""
        text = fields.get("answer")
        if isinstance(text, str):
            return self.read(text)
        value = ending.digits(text)
        return unreadable(NOTHING_STATED) if as_number(value) is None else answered(value, strict=True)

    def _number_of(self, text: str) -> ParsedReply[str]:
        reading = _number_of(text)
        for simpler in (without_asked_label, of_asked_kind, limit_as_value):
            if reading.outcome is Outcome.UNREADABLE and (bare := simpler(text, self.question)) != text:
                text, reading = bare, _number_of(bare)
        if reading.outcome is Outcome.UNREADABLE and (number := restated_number(rewritten(text), self.question)):
            reading = answered(number)
        if reading.outcome is Outcome.UNREADABLE and (last := concluded(rewritten(text), self.question)):
            reading = _number_of(last)
        if reading.value is None:
            return reading
        if is_no_year(reading.value, text, self.question):
            return unreadable(PART)
        if is_of_another(reading.value, text, self.question) or says_opposite(text, [reading.value], self.question):
            return unreadable(PART)
        value = in_asked_scale(reading.value, rewritten(text), self.question)
        return answered(value) if value else unreadable(ANOTHER_UNIT)


def _number_of(text: str) -> ParsedReply[str]:
    text = _CLOSING.sub(r"\g<end>", text)
    text = _SUPPOSED.sub(r"\g<lead> may be ", _HYPOTHETICAL.sub("", rewritten(text)))
    reading, marker = last_said(statements(text, _ANSWER_IS), _in_statement), _ANSWER_IS
    if reading is None:
        reading, marker = _last_result(text), _RESULT_IS
    reading = reading or _alone(text)
    return _after_corrections(text, reading, marker) if reading.outcome is Outcome.ANSWER else reading


def _last_result(text: str) -> ParsedReply[str] | None:
    """The value of the last sum, total or the like, unless another number ends the reply."""
    texts = statements(text, _RESULT_IS)
    reading = _in_statement(texts[-1]) if texts else None
    if reading is None:
        return None
    after = text[text.rindex(texts[-1]) + len(texts[-1]) :]
    if _PLANS.search(after) or (reading.value is None and next(written_numbers(after), None)):
        return None
    last = list(written_numbers(texts[-1] + after))[-1:]
    other = reading.value is not None and any(as_number(number.value) != as_number(reading.value) for number in last)
    return None if other else reading


def _in_statement(statement: str) -> ParsedReply[str] | None:
    """The number of the first clause; of a later one, if the first has none and no other clause says another."""
    if IGNORANCE.match(statement):
        return DONT_KNOW
    if _TUPLE.match(statement):
        return unreadable(SEVERAL)
    if _ABOUT_IT.match(statement):
        return unreadable(PART)
    if number := number_elsewhere(statement) or part_in_words(statement):
        return answered(number)
    statement = without_asides(statement).lstrip(" (")
    end = _END_OF_CLAUSE.search(statement)
    first = statement[: end.start()] if end else statement
    if is_fault(first) or _FIRST_OF_A_LIST.match(statement):
        return unreadable(PART)
    reading = _in_clause(first)
    if reading and end and (end["mark"] == "?" or _WITHDRAWN.match(statement, end.end())):
        return unreadable(BOUND)
    if reading and end and (so := _SO.match(statement, end.end())) and as_number(so[1]) != as_number(reading.value or ""):
        return unreadable(SEVERAL)
    if reading or not end:
        return reading
    return _only(statement[end.end() :])


def _in_clause(clause: str) -> ParsedReply[str] | None:
    """The number that a clause states, or the last part of an equation; None without a number."""
    clause = _up_to(_BECAUSE, clause)
    left, *between, right = _EQUALS.split(clause) if _EQUALS.search(clause) else ("", clause)
    if _UNEQUAL.search(left) or any(map(_JOINED.search, between)):
        return unreadable(BOUND)
    if _EQUALS.search(clause) and unknown_left([left, *between]):
        return unreadable(UNDONE)
    if left and not between and is_turned_round(left, right):
        right = left
    value, problem = number_in(_up_to(_REASON, right))
    return answered(value) if value else unreadable(problem) if problem else None


def _up_to(words: re.Pattern[str], clause: str) -> str:
    """A clause up to the first of some words, if it states a number before them."""
    end = words.search(clause)
    if end is None or conclusion_of(clause):
        return clause
    return clause[: end.start()] if number_in(clause[: end.start()])[0] else clause


def _alone(text: str) -> ParsedReply[str]:
    """A number that is the last line or the first one; the result of a last equation; the only number of an answering text."""
    text = without_side_remarks(text)
    texts = [without_notes(line).strip() for line in lines(text)]
    listed = any(map(_begins, texts[:-1]))
    for line, longest in ((texts[-1], 1 if listed else _BARE), (texts[0], 1)) if texts else ():
        bare = line.strip(_DRESS).rstrip(".!")
        bare += ")" * (bare.count("(") > bare.count(")"))
        if len(texts) == 1 and _MARKED.fullmatch(bare):
            return unreadable(SEVERAL)
        if len(bare.split()) <= longest and _begins(bare) and answers(line) and not _LIST_MARKER.fullmatch(line):
            return _in_statement(bare) or unreadable(NOTHING_STATED)
    if len(texts) == 1 and (part := _without_digits(texts[0])):
        return answered(part)
    last = _SENTENCE_END.split(texts[-1])[-1] if texts else ""
    if _EQUALS.search(last):
        equation = without_asides(last.rstrip(" .!;"))
        return (_in_clause(equation) if answers(last) else None) or unreadable(NOTHING_STATED)
    if admits_ignorance(text):
        return DONT_KNOW
    if (result := result_of_words(last)) and answers(last):
        return _in_clause(result) or unreadable(NOTHING_STATED)
    if _COMPARES.match(text):
        return unreadable(UNDONE)
    return _only(_without_list_markers(without_names("\n".join(texts)))) or unreadable(NOTHING_STATED)


def _without_list_markers(text: str) -> str:
    """A text without the numbers of its list; "12." alone before a sentence is no number of a list."""
    markers = [marker[0].strip() for marker in _LIST_MARKER.finditer(text)]
    is_list = len(markers) > 1 or any(re.match(r"\W?1\b|\d{1,2}\)", marker) for marker in markers)
    return _LIST_MARKER.sub("", text) if is_list else text


def _without_digits(line: str) -> str:
    return part_in_words(line) or ("" if line.isascii() else number_elsewhere(line))


def _begins(line: str) -> bool:
    first = next(written_numbers(line), None)
    return first is not None and first.start == 0


def _only(text: str) -> ParsedReply[str] | None:
    """The only number of a text if its sentence answers a question, or the number of a concluding last sentence, or None."""
    numbers = list(written_numbers(text))
    if not numbers:
        return unreadable(PART) if any(map(str.isdecimal, text)) else None
    if differ(numbers):
        text = without_parts(text)
        numbers = list(written_numbers(text))
    sentences = [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]
    several = differ(numbers)
    if several:
        sentences = _concluding(sentences)
    holding = [sentence for sentence in sentences if next(written_numbers(sentence), None)]
    if not holding:
        return unreadable(SEVERAL if several else PART)
    if refuses(text) or not answers(holding[-1]):
        return unreadable(PART)
    return _in_sentence(holding[-1])


def _concluding(sentences: list[str]) -> list[str]:
    """The relevant part of the last sentence, if it repeats the result of the last equation, or concludes, or is the only
    one."""
    *before, last = sentences
    sides = _EQUALS.split(" ".join(before))
    repeated, worked_out = list(written_numbers(within_time(last))), list(written_numbers(sides[-1]))[-1:]
    if len(sides) > 1 and repeated and worked_out and not differ([*worked_out, *repeated]):
        return [within_time(last)]
    main = main_clause(last)
    return [main] if _CONCLUSION.match(last) or (main != last and not before) else []


def _in_sentence(sentence: str) -> ParsedReply[str]:
    """The number of a sentence's only clause with a number; a number in words must be its predicate."""
    numbers = list(written_numbers(sentence))
    before, after = sentence[: numbers[0].start], sentence[numbers[0].end :]
    asserted = _ASSERTED.search(before) or (_IT_IS.search(before) and _AT_MOST_A_UNIT.fullmatch(after))
    if not any(map(str.isdecimal, sentence)) and not asserted:
        return unreadable(PART)
    if _LEADS_ON.match(sentence, numbers[-1].end):
        return unreadable(PART)
    clauses = [clause for clause in re.split(r"[.;!?]\s|,\s(?!\d)|\s[-–—]{1,3}\s", sentence) if any(map(str.isalnum, clause))]
    readings = [reading for clause in clauses if (reading := _in_clause(clause.strip()))]
    if len(readings) != 1:
        values = {reading.value for reading in readings}
        return readings[0] if len(values) == 1 and readings else unreadable(SEVERAL)
    return readings[0]


def _after_corrections(text: str, reading: ParsedReply[str], marker: re.Pattern[str]) -> ParsedReply[str]:
    """The number that follows a retraction of the last statement, if it is clear which."""
    rest = retracted(text, marker)
    following = list(written_numbers(rest))
    stated = as_number(reading.value or "")
    if not following:
        return unreadable(SEVERAL) if _is_another(text, stated, marker) else reading
    if as_number(following[-1].value) == stated:
        return reading
    number = following[0]
    lead = _SENTENCE_END.split(rest[: number.start])[-1]
    same = all(other.value == number.value for other in following)
    if same and number.value and _CORRECTS.match(_LAST_DASH.split(lead)[-1]) and re.match(r"\W*(?:$|\n)", rest[number.end :]):
        return answered(number.value)
    return unreadable(SEVERAL)


def _is_another(text: str, stated: Fraction | None, marker: re.Pattern[str]) -> bool:
    """Whether what follows the last statement denies it, or has a sentence that ends with another number and nothing else."""
    start = max((m.end() for m in marker.finditer(text)), default=0)
    after = text[start:][:STATED].strip()
    if _DENIAL.search(after):
        return True
    end = _END_OF_STATEMENT.search(after) if start else None
    return end is not None and any(_says_another(sentence, stated) for sentence in _SENTENCE_END.split(after[end.end() :]))


def _says_another(sentence: str, stated: Fraction | None) -> bool:
    """Whether a sentence has one number, another than the stated one, and its last clause is that number."""
    numbers = list(written_numbers(sentence))
    if len(numbers) != 1 or not numbers[0].value or as_number(numbers[0].value) == stated:
        return False
    number = numbers[0]
    clause = _LAST_CLAUSE.split(sentence[: number.start])[-1]
    label = sentence[: number.start]
    if label.rstrip().endswith(":") and not _AGAIN.fullmatch(label):
        return False
    return bool(_AGAIN.fullmatch(clause) and _AND_NO_MORE.fullmatch(sentence, number.end))
