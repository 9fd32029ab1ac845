"""Reading replies that were asked to end with an answer on a last line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from vivavoce.interview.forms import ending
from vivavoce.interview.forms.form import Form, Reading, answered, unreadable
from vivavoce.interview.forms.plain import lines, plain
from vivavoce.interview.forms.statements import ANSWER_IS, NOTHING_STATED, TAKEN_BACK, after_withdrawal

_IN_FORM = re.compile(r"(?:final )?answer\s{0,2}:", re.IGNORECASE)
_MOST_TURNS: Final = 4
_LOOKED_AT: Final = 16
_SHORT: Final = 40
"""Characters of an answer without words that introduce it."""
_LEADS_UP = re.compile(
    r"\W{0,4}(?:(?:okay|ok|sure|well|hm+|certainly|of course|great|alright)\b\W{0,4}){0,3}"
    r"(?:let(?: me|'s| us)\b[^.!:\n]{0,60})?\W{0,4}",
    re.IGNORECASE,
)
"""Words before a question that is only said back."""
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
"""Where a question begins; `unclear` may also be the one that was asked, said back, and `another` a step of the reasoning."""


def read_last_line(form: Form[str], text: str, find: Callable[[str], Reading[str]]) -> Reading[str]:
    """What `find` finds in the words of a reply that are its own; strict where its last line is the one that was asked for.

    A model may go on with a question that it invents. The reply ends before the first such turn that has an answer before it.
    """
    own = ending.own_words(plain(text), form.instruction, form.further, form.schema_instruction)
    reading: Reading[str] = unreadable(NOTHING_STATED)
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
    """Whether the last line of a reply is the one that was asked for, or its only field.

    >>> ends_in_form("It is easy.\\n**Answer: Lyon.**"), ends_in_form("Lyon")
    (True, False)
    """
    last = lines(plain(text))[-1:]
    return bool(last) and _IN_FORM.match(last[0]) is not None


def up_to_each_turn(text: str) -> Iterator[str]:
    """The text up to its first turn that has something before it, up to its second, and so on; at last the whole of it."""
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
