"""What can be wrong with a tuple, and what of it can be seen without a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from vivavoce.formats.wording import clipped

LONGEST = 2_000
"""Characters of a statement."""
_QUESTION_MARKS = "?？؟՞\u037e"
"""Those of Latin, Chinese, Arabic, Armenian and Greek."""
_MARKS = ".,;:!?\"'“”„‘’«»()[]？。，"


class Kind(StrEnum):
    """Why a tuple was rejected, in words that begin its reason."""

    NO_ANSWER = "the writer gave no answer"
    REFUSED = "the writer refused"
    DECLINED = "the writer says that it cannot be written"
    UNREADABLE = "the writer's reply cannot be read"
    COPIED = "the writer's reply only repeats the prompt"
    CUT_OFF = "the writer's reply is cut off; a larger ?max_tokens= lets it end"
    NOT_WRITTEN = "not written"
    EMPTY = "a statement is empty"
    TOO_LONG = f"a statement is longer than {LONGEST:,} characters"
    COPY = "a statement is a copy"
    NO_QUESTION = "a statement is no question"
    UNSHOWABLE = "a statement holds characters that steer a terminal or turn text"
    CHECK_FAILED = "the checker said no"
    CHECK_UNREADABLE = "the checker's verdict cannot be read"
    CHECK_NO_ANSWER = "the checker gave no answer"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a tuple was rejected.

    >>> str(Fault(Kind.COPY, "not_P has the words of P"))
    'a statement is a copy: not_P has the words of P'
    """

    kind: Kind
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind.value}: {self.detail}" if self.detail else self.kind.value


def fault_in(statements: Mapping[str, str], written: Collection[str] = ()) -> Fault | None:
    """The first thing that is wrong with statements, as far as it can be seen without a model; None if nothing is.

    Those that were `written` must be questions, too; base questions are taken as they are.

    >>> print(fault_in({"P": "Will it rain?", "not_P": "Will it  rain?"}, ["not_P"]))
    a statement is a copy: not_P has the words of P
    >>> fault_in({"P": "Will it rain?", "not_P": "Will it stay dry?"}, ["not_P"]) is None
    True
    """
    seen: dict[str, str] = {}
    for name, text in statements.items():
        if fault := _fault_of(name, text, question=name in written):
            return fault
        words = as_compared(text)
        if words in seen:
            return Fault(Kind.COPY, f"{name} has the words of {seen[words]}")
        seen[words] = name
    return None


def as_compared(text: str) -> str:
    """A statement as it is compared: case, white space and marks around words do not make another one.

    >>> as_compared("Will it  rain ?") == as_compared("will “it” rain")
    True
    >>> as_compared("Below -5?") == as_compared("Below 5?")
    False
    """
    words = (word.strip(_MARKS) for word in text.casefold().split())
    return " ".join(word for word in words if word) or text.strip()


def _fault_of(name: str, text: str, *, question: bool) -> Fault | None:
    if not text.strip():
        return Fault(Kind.EMPTY, name)
    if len(text) > LONGEST:
        return Fault(Kind.TOO_LONG, f"{name} has {len(text):,}")
    if clipped(text, LONGEST) != text:
        return Fault(Kind.UNSHOWABLE, name)
    if question and not any(mark in text for mark in _QUESTION_MARKS):
        return Fault(Kind.NO_QUESTION, f"{name} has no question mark")
    return None
