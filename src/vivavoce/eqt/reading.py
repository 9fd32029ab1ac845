"""What candidates reply, read strictly first, then in other forms that leave no doubt, or not at all, and then in words why.

Nothing is asked for again, repaired or guessed at: a reply that gives two different answers gives none. Only the last `READ`
characters are looked at, by patterns whose repetitions are bounded, so that a hostile reply costs no more time than a long one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.eqt.duplicates import folded
from vivavoce.eqt.questions import Manner
from vivavoce.interview import replies
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.wording import clipped

READ: Final = 20_000
"""How many characters at the end of a reply are looked at."""
LONGEST_EXPLANATION: Final = 60_000
"""Characters; it is shown again with every question that is made from it."""
LONGEST_STEM: Final = 4_000

REFUSED: Final = "refused"
TOO_LONG: Final = "too long"
UNMARKED: Final = "not in a form that can be told from other words"
UNCLEAR_VERDICT: Final = "the check cannot be read"

_REFUSAL = re.compile(
    r"(?:(?:i'm|i am) (?:very |so )?sorry|sorry|unfortunately|i apologi[sz]e)?[,;. ]{0,3}(?:but )?"
    r"(?:i (?:cannot|can't|can not|won't|will not|must decline)|i(?:'m| am) (?:unable|not able)|as an ai\b)",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(
    r"(?:sure|certainly|of course|okay|ok|absolutely|here(?:'s| is| are)|below is|the following is)\b.{0,200}[:!.]",
    re.IGNORECASE,
)
_REWORDED = re.compile(
    r"[ \t>*_#-]{0,8}(?:(?:paraphrase(?:d (?:question|version))?|reworded question|rephrased question|question)(?:\s\d{1,2})?"
    r"|(?:sure[,!.]?[ ]|certainly[,!.]?[ ])?here(?:'s|’s| is)[ ][^:\n]{0,60}(?:paraphras|reword|rephras)[^:\n]{0,60})"
    r"[*_]{0,3}\s?:[*_]{0,3}[ \t]{0,4}(?P<said>.*)",
    re.IGNORECASE,
)
_OPTION_LINE = re.compile(r"[ \t>*_-]{0,8}[(\[]?(?:[A-Ja-j]|\d{1,2})[)\].:][*_]{0,3}\s")
_VERDICT = re.compile(
    r"^[ \t>*_#-]{0,8}\[?Verdict\]?[*_`]{0,4}[ \t]?:?[ \t*_]{0,4}\n?(\w{1,20})[*_.!]{0,4}[ \t]{0,8}$", re.M | re.I
)
_REASON = re.compile(r"^[ \t>*_#-]{0,8}\[?Reason\]?[*_`]{0,4}[ \t]?:?[ \t*_]{0,4}(.*)$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heard:
    """The words of a reply, or why there are none to read."""

    text: str
    problem: str = ""

    @property
    def manner(self) -> Manner:
        """Of a reply without words to read."""
        return "no answer" if self.problem in (replies.TIME_OUT, replies.NO_ANSWER) else "unreadable"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a checker says."""

    holds: bool | None
    """None where that cannot be read, or did not come."""
    reason: str = ""
    """Why not, or why it cannot be read."""


def heard(answer: Reply | NoAnswer, *, whole: bool = False) -> Heard:
    """What of a reply is read: the end of it, without thinking aloud that was marked as such (`<think>`).

    Parameters
    ----------
    whole: take all of it, even where it was cut off for its length.
    """
    text, problem = replies.heard(answer, whole=whole)
    return Heard(text if whole else text[-READ:].strip(), problem)


def read_explanation(answer: Reply | NoAnswer) -> tuple[str | None, str]:
    """The explanation in a reply, or None and why there is none.

    One that was cut off for its length is an explanation as far as it goes: questions are asked on no more than stands there.

    >>> read_explanation(Reply("A graph is a set of vertices and a set of edges."))
    ('A graph is a set of vertices and a set of edges.', '')
    >>> read_explanation(Reply("I'm sorry, but I can't help with that.")), read_explanation(NoAnswer("time-out after 9 s"))
    ((None, 'refused'), (None, 'time-out'))
    """
    said = heard(answer, whole=True)
    if said.problem:
        return None, said.problem
    if len(said.text) > LONGEST_EXPLANATION:
        return None, TOO_LONG
    return (None, REFUSED) if refuses(said.text) else (said.text, "")


def read_paraphrase(answer: Reply | NoAnswer, stem: str) -> tuple[str | None, str]:
    """The question in other words, or None and why there is none.

    Asked for is one line `Paraphrase: ...`. Also read is a reply of one paragraph, after a line such as "Here is a paraphrase:"
    perhaps; options that are repeated below are left out. Nothing within it is changed, but quotation marks around the whole
    are taken off. The same words again are no paraphrase.

    >>> read_paraphrase(Reply("Paraphrase: What do we call a tree?"), "What is a tree?")
    ('What do we call a tree?', '')
    >>> read_paraphrase(Reply("What is a tree?"), "What is a tree?")
    (None, 'repeats the original')
    """
    said = heard(answer)
    if said.problem:
        return None, said.problem
    lines = said.text.splitlines()
    marked = [number for number, line in enumerate(lines) if _REWORDED.fullmatch(line)]
    found = {folded(text): text for number in marked if (text := _marked_paragraph(lines, number))}
    if len(found) > 1:
        found.pop(folded(stem), None)  # the original said again, before its paraphrase
    if len(found) > 1:
        return None, "several paraphrases"
    if not marked and refuses(said.text):
        return None, REFUSED
    text = next(iter(found.values()), None) if marked else _only_paragraph(lines)
    if not text:
        return None, UNMARKED
    if len(text) > LONGEST_STEM:
        return None, TOO_LONG
    return (None, "repeats the original") if folded(text) == folded(stem) else (text, "")


def read_verdict(answer: Reply | NoAnswer) -> Verdict:
    """What a checker says: a line `[Verdict] yes` or `[Verdict] no`, or one word; two different ones say nothing.

    >>> read_verdict(Reply("[Verdict] no\\n[Reason] It asks for the opposite."))
    Verdict(holds=False, reason='It asks for the opposite.')
    >>> read_verdict(Reply("Yes.")).holds, read_verdict(Reply("It depends.")).holds
    (True, None)
    """
    said = heard(answer)
    if said.problem:
        return Verdict(None, said.problem)
    words = {word.lower() for word in _VERDICT.findall(said.text)} or {said.text.strip(" *_.!\"'").lower()[:20]}
    if words == {"yes"}:
        return Verdict(True)
    if words == {"no"}:
        reasons = _REASON.findall(said.text)
        return Verdict(False, " ".join(clipped(reasons[-1], 300).split()) if reasons else "")
    return Verdict(None, UNCLEAR_VERDICT)


def refuses(text: str) -> bool:
    """Whether a short text begins as refusals do.

    >>> refuses("I'm sorry, but I cannot write this."), refuses("I cannot stress enough that ..." * 100)
    (True, False)
    """
    return len(text) < 400 and bool(_REFUSAL.match(text.replace("’", "'").lstrip(" *_\"'")))


def unquoted(text: str) -> str:
    """A text without emphasis or quotation marks around the whole of it.

    >>> unquoted('**"What is a tree?"**'), unquoted('"Tree" or "forest"')
    ('What is a tree?', '"Tree" or "forest"')
    """
    text = text.strip()
    for opening, closing in (("**", "**"), ("__", "__"), ('"', '"'), ("“", "”"), ("'", "'"), ("«", "»"), ("*", "*")):
        inner = text[len(opening) : -len(closing)]
        if (
            len(text) > 2 * len(opening)
            and text.startswith(opening)
            and text.endswith(closing)
            and not {*opening, *closing} & set(inner)
        ):
            text = inner.strip()
    return text


def without_preamble(lines: Sequence[str]) -> list[str]:
    """Lines without a first one such as "Sure! Here is a question:", and blank ones around them."""
    kept = list(lines)
    while kept and (not kept[0].strip() or _PREAMBLE.fullmatch(kept[0].replace("’", "'").strip(" *_"))):
        kept.pop(0)
    while kept and not kept[-1].strip():
        kept.pop()
    return kept


def _marked_paragraph(lines: Sequence[str], number: int) -> str | None:
    """What stands behind a marker, to the end of its paragraph; None where it may go on in another one."""
    marker = _REWORDED.fullmatch(lines[number])
    kept = [marker["said"].strip()] if marker and marker["said"].strip(" *_") else []
    ended = False
    for line in lines[number + 1 :]:
        if _OPTION_LINE.match(line) or _is_heading(line) or _REWORDED.fullmatch(line):
            break
        if line.strip() and ended:
            return unquoted(" ".join(kept)) if kept[-1].rstrip(' *_"”').endswith("?") else None
        if line.strip():
            kept.append(line.strip())
        ended = bool(kept) and not line.strip()
    return unquoted(" ".join(kept))


def _only_paragraph(lines: Sequence[str]) -> str | None:
    """The only paragraph of a reply, without a preamble, and without options that are repeated below."""
    lines = without_preamble(lines)
    end = next((number for number, line in enumerate(lines) if number and _OPTION_LINE.match(line)), len(lines))
    while end and (not lines[end - 1].strip() or _is_heading(lines[end - 1])):
        end -= 1
    kept = [line.strip() for line in lines[:end]]
    return unquoted(" ".join(kept)) if kept and "" not in kept else None


def _is_heading(line: str) -> bool:
    return line.strip(" *_#:").lower() == "options"
