"""Reading what writers and checkers reply: marked lines, strictly, and bounded; nothing is guessed at."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vivavoce.consistency.forecasts.making.faults import Fault, Kind
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.replies import CUT_OFF, FILTERED, broken_off
from vivavoce.interview.wording import clipped

READ = 20_000
"""How many characters at the end of a reply are looked at."""
QUOTED = 200
"""How many characters of a reply or a reason are quoted."""

_BEFORE, _AFTER = r"^[ \t>*_#-]{0,8}", r"[*_`]{0,4}[ \t]{0,4}:?[ \t]{0,4}"
_STATEMENT = re.compile(rf"{_BEFORE}\[Statement[ \t]{{1,4}}(\w{{1,80}})\]{_AFTER}(.*)$", re.MULTILINE | re.IGNORECASE)
_CANNOT = re.compile(rf"{_BEFORE}\[Cannot\]{_AFTER}(.*)$", re.MULTILINE | re.IGNORECASE)
_VERDICT = re.compile(
    rf"{_BEFORE}\[Verdict\]{_AFTER}[*_]{{0,4}}(\w{{1,80}})[*_.]{{0,4}}[ \t]{{0,8}}$", re.MULTILINE | re.IGNORECASE
)
_REASON = re.compile(rf"{_BEFORE}\[Reason\]{_AFTER}(.*)$", re.MULTILINE | re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) (?:sorry|unable|not able)|i (?:cannot|can't|won't|will not|must decline|do not feel)|as an ai\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Written:
    """What a writer's reply holds: statements by name, and what is wrong with it if anything is."""

    statements: Mapping[str, str] = field(default_factory=dict)
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a checker's reply says about a statement."""

    passed: bool
    reason: str = ""
    fault: Kind | None = None
    """Why it did not pass."""


def read_statements(answer: Reply | NoAnswer, wanted: Sequence[str]) -> Written:
    """The wanted statements out of lines such as `[Statement not_P] Will ...?`.

    Each must stand there, and not twice in different words. Statements that nobody asked for are left out. `[Cannot] why` is
    how a writer says that there is none.

    >>> read_statements(Reply("Well.\\n[Statement not_P] Will it stay dry?"), ["not_P"]).statements
    {'not_P': 'Will it stay dry?'}
    >>> print(read_statements(Reply("I cannot help with that."), ["not_P"]).fault)
    the writer refused: I cannot help with that.
    """
    if isinstance(answer, NoAnswer):
        return Written(fault=Fault(Kind.NO_ANSWER, quoted(answer.reason)))
    text = _read(answer)
    found: dict[str, str] = {}
    for name, said in _STATEMENT.findall(text):
        statement = _bare(said)
        if found.setdefault(name, statement) != statement and name in wanted:
            return Written(found, Fault(Kind.UNREADABLE, f"{name} is given twice, in different words"))
    statements = {name: found[name] for name in wanted if name in found}
    if declined := _CANNOT.search(text):
        return Written(statements, Fault(Kind.DECLINED, quoted(declined[1])))
    missing = [name for name in wanted if name not in found]
    return Written(statements, _why_missing(answer, missing, nothing=not found) if missing else None)


def read_verdict(answer: Reply | NoAnswer) -> Verdict:
    """The verdict out of a line `[Verdict] yes` or `[Verdict] no`, with the last `[Reason] ...` if there is one.

    >>> read_verdict(Reply("[Verdict] no\\n[Reason] The year differs."))
    Verdict(passed=False, reason='The year differs.', fault=<Kind.CHECK_FAILED: 'the checker said no'>)
    >>> read_verdict(Reply("[Verdict] yes\\n[Verdict] no")).fault
    <Kind.CHECK_UNREADABLE: "the checker's verdict cannot be read">
    """
    if isinstance(answer, NoAnswer):
        return Verdict(False, quoted(answer.reason), Kind.CHECK_NO_ANSWER)
    text = _read(answer)
    said = {word.lower() for word in _VERDICT.findall(text)}
    reasons = _REASON.findall(text)
    if said == {"yes"}:
        return Verdict(True)
    if said == {"no"}:
        return Verdict(False, quoted(reasons[-1]) if reasons else "", Kind.CHECK_FAILED)
    return Verdict(False, quoted(answer.text) or "an empty reply", Kind.CHECK_UNREADABLE)


def quoted(text: str) -> str:
    """A stranger's words on one line, short and without characters that steer a terminal.

    >>> quoted("No,\\n no.")
    'No, no.'
    """
    line = " ".join(text[: 10 * QUOTED].split())
    shown = clipped(line[:QUOTED], QUOTED)
    return f"{shown}…" if len(line) > QUOTED else shown


def _read(answer: Reply) -> str:
    return answer.text[-READ:].replace("\r\n", "\n").replace("\r", "\n")


def _bare(text: str) -> str:
    """A statement without emphasis or quotation marks around the whole of it."""
    text = text.strip().removesuffix("**").removeprefix("**").strip()
    for opening, closing in ('""', "“”", "„“", "«»"):
        if len(text) > 1 and text[0] == opening and text[-1] == closing and not {opening, closing} & set(text[1:-1]):
            return text[1:-1].strip()
    return text


def _why_missing(answer: Reply, missing: Sequence[str], *, nothing: bool) -> Fault:
    names = ", ".join(missing)
    end = broken_off(answer)
    if end == FILTERED:
        return Fault(Kind.REFUSED, "the server filtered the reply")
    if end == CUT_OFF:
        return Fault(Kind.UNREADABLE, f"the reply is cut off, without {names}")
    if nothing and _REFUSAL.search(answer.text[:QUOTED].replace("’", "'")):
        return Fault(Kind.REFUSED, quoted(answer.text))
    return Fault(Kind.UNREADABLE, f"no line [Statement {missing[0]}] in: {quoted(answer.text) or 'an empty reply'}")
