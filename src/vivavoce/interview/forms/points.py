"""Points for an answer, and whether it is ridiculous: what a judge says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.interview.forms.closed import closed
from vivavoce.interview.forms.form import READ, Reading, Way, answered, unreadable
from vivavoce.interview.forms.plain import before_tokens

MOST: Final = 10
"""Points."""
REASON: Final = 1_000
"""Characters of the reason under the schema."""
_SCORE = re.compile(r"score:\s{0,4}(\d{1,2}(?:\.\d{1,4})?)(?:\s{0,2}(?:/|out of)\s{0,2}10)?(?: points?)?\.?", re.IGNORECASE)
_RIDICULOUS = re.compile(r"ridiculous:\s{0,4}(yes|no)\b(?P<more>[.,;:!( \t–—-].*)?", re.IGNORECASE)
_TAKEN_BACK: Final = {
    "yes": re.compile(r"\b(?:no|not|or|but|maybe)\b", re.IGNORECASE),
    "no": re.compile(r"\b(?:yes|or|but|maybe)\b", re.IGNORECASE),
}
_EMPHASIS = re.compile(r"\*{1,3}|`|_{2,3}")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge said once about an answer."""

    points: float
    """From 0 to 10."""
    ridiculous: bool

    @property
    def score(self) -> float:
        """In [0, 1]: the points divided by ten."""
        return self.points / MOST


@dataclass(frozen=True, slots=True)
class Points:
    """Two last lines, `Score: ...` and `Ridiculous: yes or no`.

    Only the last two are looked at: what a judge quotes of the answer before them decides nothing. They may be emphasised, give
    the points as "7/10" or "7 out of 10", and the last one may go on with a reason that takes nothing back.

    >>> form = Points()
    >>> form.read("It says 'Score: 10'.\\n**Score: 7.5**\\nRidiculous: no").value
    Judgement(points=7.5, ridiculous=False)
    >>> [form.read(said).value for said in ("Score: 11\\nRidiculous: no", "Score: 7", "Ridiculous: no\\nScore: 7")]
    [None, None, None]
    """

    @property
    def way(self) -> Way:
        """With a further turn, so that a judge may think first.

        Under the schema with a reason before the points, a model of .5 billion weights said the rules it was told back as the
        reason in 6 of 12 cases; in words it kept the form 8 of 8 times, and one of 1.5 billion 6 of 6.
        """
        return "turn"

    @property
    def instruction(self) -> str:
        """Its lines, with dots for the points: dots are not copied as an answer, numbers are."""
        return "You may think first. End with two lines in this form:\nScore: ...\nRidiculous: yes or no"

    @property
    def further(self) -> str:
        """Asks for the lines alone."""
        return (
            'Now give your judgement alone, on two lines: one that begins with "Score:" and goes on with the points, one that '
            'begins with "Ridiculous:" and goes on with yes or no.'
        )

    @property
    def schema(self) -> Mapping[str, Any]:
        """The reason first, so that the points can follow from it."""
        properties = {
            "reason": {"type": "string", "maxLength": REASON},
            "score": {"type": "number", "minimum": 0, "maximum": MOST},
            "ridiculous": {"type": "boolean"},
        }
        return closed(properties)

    @property
    def schema_instruction(self) -> str:
        """What the fields hold."""
        return 'Reply with a JSON object: "reason" says briefly why, "score" is the points, "ridiculous" is true or false.'

    def read(self, text: str, /) -> Reading[Judgement]:
        """The judgement of the last two lines."""
        lines = [
            line for part in before_tokens(text[-READ:]).splitlines() if (line := _EMPHASIS.sub("", part).strip(" \t_#>-"))
        ]
        if len(lines) < 2 or not (score := _SCORE.fullmatch(lines[-2])) or not (said := _RIDICULOUS.fullmatch(lines[-1])):
            return unreadable("its last two lines are no points and no yes or no")
        word = said[1].lower()
        if _TAKEN_BACK[word].search(said["more"] or ""):
            return unreadable("not plainly yes or no")
        return _judged(float(score[1]), word == "yes")

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[Judgement]:
        """The points and the yes or no; the reason is on record with the reply."""
        points, ridiculous = fields.get("score"), fields.get("ridiculous")
        if not isinstance(points, int | float) or isinstance(points, bool) or not isinstance(ridiculous, bool):
            return unreadable("no points, or no yes or no")
        return _judged(points, ridiculous)

    def write(self, value: Judgement, /) -> str:
        """The two lines."""
        return f"Score: {value.points:.4f}\nRidiculous: {'yes' if value.ridiculous else 'no'}"


def _judged(points: float, ridiculous: bool) -> Reading[Judgement]:
    if not 0 <= points <= MOST:
        return unreadable(f"points that are not from 0 to {MOST}")
    return answered(Judgement(float(points), ridiculous), strict=True)
