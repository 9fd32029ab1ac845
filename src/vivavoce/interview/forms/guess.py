"""Scores of several things, and a guess that sums them up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from vivavoce.interview.forms.closed import closed
from vivavoce.interview.forms.form import Reading, Way, answered, unreadable
from vivavoce.interview.forms.last_line import up_to_each_turn
from vivavoce.interview.forms.plain import before_tokens
from vivavoce.interview.forms.statements import RETRACTION

NO_GUESS: Final = "no guess can be told from other words"
LOOKED_AT: Final = 60_000
"""Characters of a reply, from its end."""
_NUMBER = r"(\d{1,9}(?:\.\d{1,9})?)"
_LAST_GUESS = re.compile(r"[ \t>*_#-]{0,8}Guess[*_]{0,3}:.{0,200}", re.IGNORECASE)
_STRICT = re.compile(rf"Guess:[ \t]{{0,4}}{_NUMBER}\.?")
_LOOSE_GUESS = re.compile(
    r"\b(?:guess|rating|estimate)\b[^\n.:=\d]{0,60}(?::|=|\bis\b|\bof\b|\bbe\b)(?:[ \t*_`~]|\babout\b){0,12}"
    rf"{_NUMBER}(?!\w|[.,]\d|\s?[-–]\s?\d|\s(?:or|to|and)\s\d)",
    re.IGNORECASE,
)
_CORRECTED = re.compile(rf"[^\d\n.]{{0,40}}{_NUMBER}")
_SCORES = re.compile(r"^[ \t>*_#-]{0,8}Scores[*_]{0,3}:[*_]{0,3}([^\n]{1,200})$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Guessed:
    """What was guessed."""

    guess: float | None
    """None where only scores were given."""
    scores: tuple[float | None, ...]
    """One a thing; None where it has none."""


@dataclass(frozen=True, slots=True)
class Guess:
    """Two lines, `Scores: ..., ...` and `Guess: ...`.

    A last line that begins with "Guess:" decides, whatever stands above it, for that may be somebody else's word that is
    repeated. Also read are "my guess is N", "N/100" where 100 is the highest, and a reply that is one number; different ones in
    one reply are none. A number out of range is none.

    >>> form = Guess(2, lowest=0, highest=100)
    >>> form.read("Scores: 80, 60\\nGuess: 68").value
    Guessed(guess=68.0, scores=(80.0, 60.0))
    >>> form.read("Somewhere between 10 and 90").problem
    'no guess can be told from other words'
    """

    number: int
    """How many things have scores."""
    lowest: float
    highest: float

    @property
    def way(self) -> Way:
        """An answer: with a further turn."""
        return "turn"

    @property
    def instruction(self) -> str:
        """Its lines, with dots for the numbers."""
        return f"End with two lines in this form:\nScores: {', '.join(['...'] * self.number)}\nGuess: ..."

    @property
    def further(self) -> str:
        """Asks for the guess alone."""
        return 'Now give your guess alone, on one line that begins with "Guess:" and goes on with one number.'

    @property
    def schema(self) -> Mapping[str, Any]:
        """Whole numbers, the scores first, also where the names of fields are sorted."""
        number = {"type": "integer", "minimum": int(self.lowest), "maximum": int(self.highest)}
        scores = {"type": "array", "items": number, "minItems": self.number, "maxItems": self.number}
        return closed({"answers": scores, "guess": number})

    @property
    def schema_instruction(self) -> str:
        """What the fields hold."""
        return 'Reply with a JSON object: "answers" is the list of your scores in order, "guess" is your guess.'

    def read(self, text: str, /) -> Reading[Guessed]:
        """The guess, with scores where they are there."""
        reading: Reading[Guessed] = unreadable(NO_GUESS)
        for part in up_to_each_turn(before_tokens(text.strip()[-LOOKED_AT:])):
            reading = self._read(part.strip())
            if reading.value and reading.value.guess is not None:
                break
        return reading

    def _read(self, text: str) -> Reading[Guessed]:
        scores = self._scores(text)
        last = text.rsplit("\n", 1)[-1].strip()
        asked = _STRICT.fullmatch(last)
        said = {float(asked[1])} if asked else self._loose(last if _LAST_GUESS.fullmatch(last) else text)
        if said and (corrected := self._corrected(text)):
            said |= {float(corrected)}
        if len(said) > 1:
            return unreadable("several guesses")
        if said:
            return self._within(said.pop(), scores, strict=asked is not None)
        if any(score is not None for score in scores):
            return answered(Guessed(None, scores))
        return unreadable(NO_GUESS)

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[Guessed]:
        """The guess, with as many scores as there are things."""
        found = fields.get("answers")
        listed = found if isinstance(found, list) and len(found) == self.number else [None] * self.number
        scores = tuple(self._score(float(one)) if _is_number(one) else None for one in listed)
        guess = fields.get("guess")
        return self._within(float(guess), scores, strict=True) if _is_number(guess) else unreadable("the guess is no number")

    def write(self, value: Guessed, /) -> str:
        """The two lines; without a guess, the first of them."""
        lines = [f"Scores: {', '.join('-' if score is None else f'{score:f}' for score in value.scores)}"]
        return "\n".join(lines if value.guess is None else [*lines, f"Guess: {value.guess:f}"])

    def _within(self, guess: float, scores: tuple[float | None, ...], *, strict: bool) -> Reading[Guessed]:
        if not self.lowest <= guess <= self.highest:
            return unreadable("a guess out of range")
        return answered(Guessed(guess, scores), strict=strict)

    def _loose(self, text: str) -> set[float]:
        of_highest = re.compile(rf"(?<![\d.,\-/]){_NUMBER}\s?/\s?{re.escape(f'{self.highest:g}')}\b")
        said = {float(number) for pattern in (_LOOSE_GUESS, of_highest) for number in pattern.findall(text)}
        alone = re.fullmatch(_NUMBER, text.strip(" \t\r\n.*_`"))
        return said or ({float(alone[1])} if alone else set())

    def _corrected(self, text: str) -> str:
        """The number behind words that take the last guess back; empty if there is none."""
        *_, end = [0, *(guess.end() for guess in _LOOSE_GUESS.finditer(text))]
        cue = RETRACTION.search(text, end) if end else None
        number = _CORRECTED.match(text, cue.end()) if cue else None
        return number[1] if number else ""

    def _scores(self, text: str) -> tuple[float | None, ...]:
        """The scores of the last line that gives as many; untouched ones, and all that is no number in range, are none."""
        for line in reversed(_SCORES.findall(text)):
            parts = [part.strip(" \t.*_`") for part in re.split(r"[,;]", line)]
            if len(parts) == self.number:
                return tuple(self._score(float(part)) if re.fullmatch(_NUMBER, part) else None for part in parts)
        return (None,) * self.number

    def _score(self, score: float) -> float | None:
        return score if self.lowest <= score <= self.highest else None


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15
