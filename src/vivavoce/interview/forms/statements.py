"""What a reply states: "The answer is 42.", "Answer: 42", "I don't know".

The last statement that says anything decides. Patterns have bounded repetitions, so a hostile reply costs no more time than a
long one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

from vivavoce.interview.forms.form import Outcome, Reading, unreadable

T = TypeVar("T")

STATED: Final = 2_000
"""How many characters of a statement are looked at."""
NOTHING_STATED: Final = "states no answer"
SEVERAL: Final = "states several answers"
DONT_KNOW: Final[Reading[Any]] = Reading(Outcome.DONT_KNOW)

BEST: Final = r"(?:correct|right|best|final|chosen|my)\s{1,2}(?:option|choice|one|selection)"
LINK: Final = r"\b(?P<between>[^\n.:=?!\"]{0,60}?)(?::|=|\bis\b|\b(?:would|must|should|will|has to)\s{1,2}be\b)"
ANSWER_IS: Final = re.compile(rf"(?<![\"\w])(?:answer|{BEST}){LINK}", re.IGNORECASE)
NEGATION: Final = re.compile(r"\b(?:not|never|neither|cannot|wrong|incorrect)\b|n't\b", re.IGNORECASE)
IGNORANCE: Final = re.compile(
    r"(?:(?:sorry|honestly|unfortunately),? )?"
    r"(?:(?:i )?(?:do not|don't|dont) know|idk|(?:i have )?no idea|(?:i'm |i am )?(?:not sure|unsure)"
    r"|(?:i |it )?(?:cannot|can't|can not) (?:be )?determined?)\b(?!,? (?:but|though|however)\b)",
    re.IGNORECASE,
)
RETRACTION: Final = re.compile(
    r"(?:\b(?:wait|actually|correction|(?:scratch|strike|disregard|ignore) that|never ?mind|hang on|hold on"
    r"|that (?:cannot|can't) be"
    r"|let me (?:reconsider|rethink|correct|fix|redo|recheck|recount|re-?calculate)|corrected"
    r"|i (?:mean|now (?:think|believe)|(?:have )?changed my mind|was mistaken)"
    r"|(?:up)?on (?:second thoughts?|reflection|reconsideration)|(?:just )?kidding|oops|sorry"
    r"|apologies|my (?:mistake|bad)|i (?:misread|misspoke|meant|erred|was wrong|made an? \w{0,12} ?(?:mistake|error)"
    r"|take (?:that|it) back)|that(?:'s| is| was)(?: not right| wrong| incorrect| a mistake)|(?:it )?should (?:be|have been)"
    r"|edit|update|revised|in fact|(?:or )?rather(?! than)|make that|no longer)\b"
    r"|(?:[.;,:!?(–—\n-]\s{0,3})no\s{0,2}[,:;.!–—-])",
    re.IGNORECASE,
)
"""Words by which a reply takes back what it has said."""
_CALLED_WRONG = re.compile(
    r"(?:\bnot|n't|\bnever|\bno)[ ]{1,3}(?:(?:an?|the|my)[ ]{1,3})?(?:\w{1,12}[ ]{1,3})?$"
    r"|\b(?:wrong|incorrect|false|bad|mistaken|common|popular|tempting)[ ]{1,3}$",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(r"\b(?:no|wait|actually|but|rather|sorry|final(?:ly)?)\b", re.IGNORECASE)
_ADMISSION = re.compile(rf"(?:^[ \t]{{0,4}}|[.!?][ \t]{{1,2}}){IGNORANCE.pattern}", re.IGNORECASE | re.MULTILINE)


def statements(text: str, marker: re.Pattern[str] = ANSWER_IS) -> list[str]:
    """What explicit statements say, in order: the rest of the line, or the next line where that is empty."""
    found = []
    for m in marker.finditer(text):
        if not NEGATION.search(m["between"]) and not _CALLED_WRONG.search(text[max(0, m.start() - 30) : m.start()]):
            rest = text[m.end() : m.end() + STATED].lstrip(" \t\r\n:*_")
            found.append(rest.split("\n", 1)[0].strip())
    return found


def retracted(text: str, marker: re.Pattern[str] = ANSWER_IS) -> str:
    """What follows a word that takes back the last statement, or the first words where nothing is stated; empty if none does.

    >>> retracted("Answer: D. Wait, no: C."), retracted("Answer: D, since C is too large.")
    (', no: C.', '')
    """
    end = max((found.end() for found in marker.finditer(text)), default=0)
    rest = text[end : end + STATED]
    cue = RETRACTION.search(rest, 1)
    return rest[cue.end() :] if cue else ""


def last_said(said: list[str], read: Callable[[str], Reading[T] | None]) -> Reading[T] | None:
    """How the last statement that says anything is read; None if none does.

    An answer right before "I don't know" leaves open which of the two holds, unless a word takes it back.
    """
    readings = ((statement, reading) for statement in reversed(said) if (reading := read(statement)))
    last = next(readings, None)
    if last is None or last[1] != DONT_KNOW:
        return last and last[1]
    before, reading = next(readings, last)
    return unreadable(SEVERAL) if reading.outcome is Outcome.ANSWER and not _TAKEN_BACK.search(before) else last[1]


def admits_ignorance(text: str) -> bool:
    """Whether a sentence begins with "I don't know" or its like, and does not go on with "but"."""
    return bool(_ADMISSION.search(text))
