"""Yes or no with its reason: what a checker says about somebody else's work."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.interview.forms.closed import closed
from vivavoce.interview.forms.form import READ, Reading, Way, answered, unreadable
from vivavoce.interview.forms.words import SEVERAL, Words

NO_VERDICT: Final = "no verdict"
LONGEST_REASON: Final = 500
"""Characters of the reason under a schema."""
_LABEL = r"^[ \t>*_`#-]{0,8}\[?Reason\]?[*_`]{0,4}[ \t]{0,4}:?[*_` \t]{0,8}"
_REASON = re.compile(rf"{_LABEL}(.*)$", re.MULTILINE | re.IGNORECASE)
_REASON_LABEL = re.compile(_LABEL, re.MULTILINE | re.IGNORECASE)
_WORDS: Final = Words(("YES", "NO"))


@dataclass(frozen=True, slots=True)
class Judged:
    """What a checker decided, and why."""

    passed: bool
    """Whether it said yes."""
    reason: str = ""
    """In its words; empty where it gave none."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Yes or no, after its reason. Under a schema unless the user says otherwise: checkers are asked often, and alone.

    >>> Verdict().read("Reason: The year differs.\\nAnswer: NO").value
    Judged(passed=False, reason='The year differs.')
    >>> Verdict().read_fields({"reason": "Both say so.", "verdict": "YES"}).value
    Judged(passed=True, reason='Both say so.')
    """

    way: Way = "schema"

    @property
    def instruction(self) -> str:
        """The last paragraph of the prompt."""
        return f'First give your reason in one sentence, on a line that begins with "Reason:". {_WORDS.instruction}'

    @property
    def further(self) -> str:
        """What the further turn says."""
        return _WORDS.further

    @property
    def schema(self) -> Mapping[str, Any]:
        """The reason stands first, so that the verdict can rest on it."""
        return closed(
            {
                "reason": {"type": "string", "maxLength": LONGEST_REASON},
                "verdict": {"type": "string", "enum": list(_WORDS.words)},
            }
        )

    @property
    def schema_instruction(self) -> str:
        """The last paragraph of the prompt where the server enforces the schema."""
        return "Reply in JSON: your reason first, in one sentence, then the verdict, YES or NO."

    def write(self, value: Judged, /) -> str:
        """The verdict as it is asked for."""
        said = _WORDS.write("YES" if value.passed else "NO")
        return f"Reason: {value.reason}\n{said}" if value.reason else said

    def read(self, text: str, /) -> Reading[Judged]:
        """The verdict in a reply, with its last line of reasons."""
        lines = text[-READ:]
        reasons = _REASON.findall(lines)
        # a reason may begin with a yes or no of its own, about another matter, or go on to the verdict
        decided = _WORDS.read(_REASON.sub("", lines))
        if decided.value is None and decided.problem != SEVERAL:
            decided = _WORDS.read(_REASON_LABEL.sub("Because ", lines))
        if decided.value is None:
            return unreadable(decided.problem if decided.problem == SEVERAL else NO_VERDICT)
        reason = reasons[-1].strip() if reasons else ""
        return answered(Judged(decided.value == "YES", reason), strict=decided.strict and bool(reasons))

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[Judged]:
        """The verdict under the schema."""
        said, reason = fields.get("verdict"), fields.get("reason")
        word = said.strip().upper() if isinstance(said, str) else ""
        if word not in _WORDS.words:
            return unreadable(NO_VERDICT)
        return answered(Judged(word == "YES", reason.strip() if isinstance(reason, str) else ""), strict=True)
