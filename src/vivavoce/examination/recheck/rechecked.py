"""The result of a recheck: the same, or the differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from vivavoce.formats.wording import capital, clipped, name_of, numbered

What = Literal[
    "certificate",
    "report",
    "comparison",
    "gate",
    "finding of a study",
    "comparison by plan",
]
SHOWN: Final = 200
"""Characters of a value that differs."""


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """One field that differs from the record.

    >>> print(FieldDifference("score.mean", "0.9", "0.7"))
    score.mean: the document says 0.9, the record 0.7
    """

    path: str
    """Its path in the document, such as `scopes[0].score.mean`."""
    said: str
    """The document's value, as JSON; empty if it lacks the field."""
    found: str
    """The record's value, as JSON; empty if it has none. In words for differences that are not a field."""

    def __str__(self) -> str:
        words, name = (clipped(text, SHOWN) or "nothing" for text in (self.said, self.found))
        return f"{clipped(self.path, SHOWN)}: the document says {words}, the record {name}"


@dataclass(frozen=True, slots=True)
class RecheckFinding:
    """The result of a recheck.

    >>> found = RecheckFinding("certificate", "bot:x", 12, (), (), ())
    >>> found.same, found.statement
    (True, 'The same: each verdict, interval and figure of the certificate of bot:x is reproduced from the record.')
    """

    what: What
    candidate: str
    records: int
    """Number of answers that the document rests on, including all earlier ones."""
    differences: tuple[FieldDifference, ...]
    not_rechecked: tuple[str, ...]
    """Parts that could not be reproduced, and why, one sentence each."""
    caveats: tuple[str, ...]
    """Parts that were not rechecked, and what a recheck does not show, one sentence each."""
    called: str = ""
    """Display name; empty: `candidate`, clipped."""

    json_keys = "recheck=what same statement candidate records differences not_rechecked caveats"

    @property
    def same(self) -> bool:
        """Whether the whole document was reproduced, to the byte."""
        return not (self.differences or self.not_rechecked)

    @property
    def statement(self) -> str:
        """The result in a sentence or two."""
        whose = f"the {self.what} of {self.called or name_of(self.candidate)}"
        if self.differences:
            number = len(self.differences)
            return f"{capital(whose)} differs from the record in {numbered(number, 'place')}."
        if self.not_rechecked:
            rest = " Nothing else differs." if self.what == "report" else ""
            return f"Not all of {whose} could be rechecked: {' '.join(self.not_rechecked)}{rest}"
        return f"The same: each verdict, interval and figure of {whose} is reproduced from the record."
