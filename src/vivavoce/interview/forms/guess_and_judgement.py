"""Scores, a guess that sums them up, and whether a person or a machine is behind it all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from vivavoce.interview.forms.closed import closed
from vivavoce.interview.forms.form import Outcome, Reading, Way, json_object
from vivavoce.interview.forms.guess import LOOKED_AT, Guess, Guessed

Who = Literal["person", "machine"]
PERSON: Final = "person"
LEAST: Final = 50.0
MOST: Final = 100.0
_LINE = re.compile(r"[ \t>*_#-]{0,8}(Scores|Other player|Sure|Guess)[*_]{0,3}:(.{0,300})", re.IGNORECASE)
_FENCE = re.compile(r"[ \t]{0,3}(?:`{3,9}|~{3,9})[a-z]{0,9}[ \t]*")
_WHO = re.compile(r"(?:an? )?(person|human|machine)", re.IGNORECASE)
_SURE = re.compile(r"(\d{1,3}(?:\.\d{1,9})?) ?(?:%|percent)?", re.IGNORECASE)
_AROUND: Final = " \t\r.*_`\"'"


@dataclass(frozen=True, slots=True)
class GuessedAndJudged:
    """What was guessed, and who is taken to be behind it."""

    guess: float | None
    """None where only scores were given."""
    scores: tuple[float | None, ...]
    who: Who | None = None
    """None where no judgement was given, or none that can be read; then there is no `sure` either."""
    sure: float | None = None
    """In percent, from 50 to 100."""
    problem: str = field(default="", compare=False)
    """Why there is no judgement."""


@dataclass(frozen=True, slots=True)
class GuessAndJudgement:
    """The two lines of `Guess`, and before the last one `Other player: ...` and `Sure: ...`.

    The guess is read as `Guess` reads it. The judgement is read only among the lines at the very end that have one of the four
    labels, since above them somebody else's words may be repeated; both parts must be there, once, and in range. A reply
    without it has a guess all the same.

    >>> form = GuessAndJudgement(Guess(2, lowest=0, highest=100))
    >>> found = form.read("Scores: 80, 60\\nOther player: machine\\nSure: 90\\nGuess: 68").value
    >>> found.who, found.sure, found.guess
    ('machine', 90.0, 68.0)
    >>> form.read("Other player: person\\nSure: 20\\nGuess: 68").value.problem
    'how sure it is lies out of range'
    """

    guess: Guess

    @property
    def number(self) -> int:
        """How many things have scores."""
        return self.guess.number

    @property
    def way(self) -> Way:
        """As of the guess: with a further turn."""
        return self.guess.way

    @property
    def instruction(self) -> str:
        """Its lines, with dots for what belongs there."""
        scores = ", ".join(["..."] * self.number)
        return (
            'End with four lines in this form, the second with one word, "person" or "machine", and the third with how sure '
            f"you are of that, a number of {LEAST:g} or more:\nScores: {scores}\nOther player: ...\nSure: ...\nGuess: ..."
        )

    @property
    def further(self) -> str:
        """Asks for the guess alone: a judgement is not worth a turn."""
        return self.guess.further

    @property
    def schema(self) -> Mapping[str, Any]:
        """That of the guess, with a word and a whole number."""
        of_guess = self.guess.schema["properties"]
        sure = {"type": "integer", "minimum": int(LEAST), "maximum": int(MOST)}
        return closed({**of_guess, "other": {"type": "string", "enum": ["person", "machine"]}, "sure": sure})

    @property
    def schema_instruction(self) -> str:
        """What the fields hold."""
        return (
            f'{self.guess.schema_instruction} "other" is what you take the other player for, and "sure" is how sure you are of '
            "that in percent."
        )

    def read(self, text: str, /) -> Reading[GuessedAndJudged]:
        """The guess, with scores and a judgement where they are there."""
        text = text.strip()[-LOOKED_AT:]
        fields = json_object(text)
        if fields is not None and {"answers", "guess"} <= set(fields):
            return self.read_fields(fields)
        said, rest = _closing(text)
        found = self.guess.read(text)
        if not found.strict:
            found = replace(self.guess.read(rest), strict=False)
        return _with(found, *_judgement(said["other player"], said["sure"]))

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[GuessedAndJudged]:
        """The guess of the fields, with the judgement where both parts of it are there."""
        who, sure = fields.get("other"), fields.get("sure")
        number = isinstance(sure, int | float) and not isinstance(sure, bool) and abs(sure) <= MOST
        said = _judgement([who] if isinstance(who, str) else [], [f"{sure:f}"] if number else [])
        return _with(self.guess.read_fields(fields), *said)

    def write(self, value: GuessedAndJudged, /) -> str:
        """The four lines; without what is not there."""
        lines = self.guess.write(Guessed(value.guess, value.scores)).split("\n")
        judged = [] if value.who is None else [f"Other player: {value.who}", f"Sure: {value.sure:f}"]
        return "\n".join([lines[0], *judged, *lines[1:]])


def _with(found: Reading[Guessed], who: Who | None, sure: float | None, problem: str) -> Reading[GuessedAndJudged]:
    value = None if found.value is None else GuessedAndJudged(found.value.guess, found.value.scores, who, sure, problem)
    outcome = found.outcome if value is None else Outcome.ANSWER
    return Reading(outcome, value, found.problem, found.strict, found.after_turn)


def _closing(text: str) -> tuple[dict[str, list[str]], str]:
    """What stands behind each label among the last lines, and the text without the lines of the judgement."""
    said: dict[str, list[str]] = {"scores": [], "other player": [], "sure": [], "guess": []}
    lines = text.split("\n")
    kept: list[str] = []
    while lines:
        line = lines[-1].strip()
        found = _LINE.fullmatch(line)
        if line and not found and not _FENCE.fullmatch(line):
            break
        lines.pop()
        if found and any(letter.isalnum() for letter in found[2]):  # dots stand for what is not said
            said[found[1].lower()].append(found[2])
        if found and found[1].lower() in ("scores", "guess"):
            kept.append(line)
    return said, "\n".join([*lines, *reversed(kept)])


def _judgement(who: list[str], sure: list[str]) -> tuple[Who | None, float | None, str]:
    """Who is behind it and how surely, or why that cannot be read."""
    if not who or not sure:
        return None, None, "no judgement of whether it is a person, or not how sure it is"
    kinds = {found[1].lower() if (found := _WHO.fullmatch(text.strip(_AROUND))) else "" for text in who}
    numbers = {float(found[1]) if (found := _SURE.fullmatch(text.strip(_AROUND))) else -1.0 for text in sure}
    if len(kinds) > 1 or len(numbers) > 1:
        return None, None, "several judgements of whether it is a person"
    kind, number = kinds.pop(), numbers.pop()
    if not kind:
        return None, None, "no word that says whether it is a person"
    if number < 0:
        return None, None, "no number that says how sure it is"
    if not LEAST <= number <= MOST:
        return None, None, "how sure it is lies out of range"
    return ("machine" if kind == "machine" else "person"), number, ""
