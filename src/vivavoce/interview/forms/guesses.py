"""Forms for a guess with a probability, and for a guess with a judgement of the guesser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, Literal, TypeGuard

from vivavoce.interview.forms.ending import up_to_each_turn
from vivavoce.interview.forms.form import (
    RETRACTION,
    Outcome,
    ParsedReply,
    ReplyFormat,
    answered,
    closed,
    json_object,
    unreadable,
)
from vivavoce.interview.forms.plain import before_tokens

NO_GUESS: Final = "no guess can be distinguished from other words"
LOOKED_AT: Final = 60_000
"""Characters of a reply that are read, from its end."""
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
class PlayerGuess:
    """A guess, with scores."""

    guess: float | None
    """None if only scores were given."""
    scores: tuple[float | None, ...]
    """One per thing; None without a score."""


@dataclass(frozen=True, slots=True)
class GuessForm:
    """Two lines, `Scores: ..., ...` and `Guess: ...`.

    A last line that begins with "Guess:" decides: the lines above may repeat another player's words.
    It also reads "my guess is N", "N/100" if 100 is the highest, and a reply that is one number. Different guesses in one reply
    are not read, and neither is a number out of range.

    >>> form = GuessForm(2, lowest=0, highest=100)
    >>> form.read("Scores: 80, 60\\nGuess: 68").value
    PlayerGuess(guess=68.0, scores=(80.0, 60.0))
    >>> form.read("Somewhere between 10 and 90").problem
    'no guess can be distinguished from other words'
    """

    number: int
    """How many things have scores."""
    lowest: float
    highest: float

    way: ClassVar[ReplyFormat] = "turn"

    @property
    def instruction(self) -> str:
        """Its lines, with dots for the numbers."""
        return f"End with two lines in this form:\nScores: {', '.join(['...'] * self.number)}\nGuess: ..."

    @property
    def further(self) -> str:
        return 'Now give your guess alone, on one line that begins with "Guess:" and goes on with one number.'

    @property
    def schema(self) -> Mapping[str, Any]:
        """Whole numbers, with the scores first, also if a server sorts the names of fields."""
        number = {"type": "integer", "minimum": int(self.lowest), "maximum": int(self.highest)}
        scores = {"type": "array", "items": number, "minItems": self.number, "maxItems": self.number}
        return closed({"answers": scores, "guess": number})

    @property
    def schema_instruction(self) -> str:
        return 'Reply with a JSON object: "answers" is the list of your scores in order, "guess" is your guess.'

    def read(self, text: str, /) -> ParsedReply[PlayerGuess]:
        """The guess, with any scores."""
        reading: ParsedReply[PlayerGuess] = unreadable(NO_GUESS)
        for part in up_to_each_turn(before_tokens(text.strip()[-LOOKED_AT:])):
            reading = self._read(part.strip())
            if reading.value and reading.value.guess is not None:
                break
        return reading

    def _read(self, text: str) -> ParsedReply[PlayerGuess]:
        scores = self._scores(text)
        last = text.rsplit("\n", 1)[-1].strip()
        asked = _STRICT.fullmatch(last)
        values = {float(asked[1])} if asked else self._loose(last if _LAST_GUESS.fullmatch(last) else text)
        if values and (corrected := self._corrected(text)):
            values |= {float(corrected)}
        if len(values) > 1:
            return unreadable("several guesses")
        if values:
            return self._within(values.pop(), scores, strict=asked is not None)
        if any(score is not None for score in scores):
            return answered(PlayerGuess(None, scores))
        return unreadable(NO_GUESS)

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[PlayerGuess]:
        """The guess, with as many scores as there are things."""
        results = fields.get("answers")
        listed = results if isinstance(results, list) and len(results) == self.number else [None] * self.number
        scores = tuple(self._score(float(value)) if _is_number(value) else None for value in listed)
        guess = fields.get("guess")
        return self._within(float(guess), scores, strict=True) if _is_number(guess) else unreadable("the guess is no number")

    def write(self, value: PlayerGuess, /) -> str:
        """The two lines; without a guess, only the first."""
        lines = [f"Scores: {', '.join('-' if score is None else f'{score:f}' for score in value.scores)}"]
        return "\n".join(lines if value.guess is None else [*lines, f"Guess: {value.guess:f}"])

    def _within(self, guess: float, scores: tuple[float | None, ...], *, strict: bool) -> ParsedReply[PlayerGuess]:
        if not self.lowest <= guess <= self.highest:
            return unreadable("a guess out of range")
        return answered(PlayerGuess(guess, scores), strict=strict)

    def _loose(self, text: str) -> set[float]:
        of_highest = re.compile(rf"(?<![\d.,\-/]){_NUMBER}\s?/\s?{re.escape(f'{self.highest:g}')}\b")
        values = {float(number) for pattern in (_LOOSE_GUESS, of_highest) for number in pattern.findall(text)}
        alone = re.fullmatch(_NUMBER, text.strip(" \t\r\n.*_`"))
        return values or ({float(alone[1])} if alone else set())

    def _corrected(self, text: str) -> str:
        """The number after words that retract the last guess; empty without one."""
        *_, end = [0, *(guess.end() for guess in _LOOSE_GUESS.finditer(text))]
        cue = RETRACTION.search(text, end) if end else None
        number = _CORRECTED.match(text, cue.end()) if cue else None
        return number[1] if number else ""

    def _scores(self, text: str) -> tuple[float | None, ...]:
        """The scores of the last line with the right number of them; placeholders, and anything out of range, are None."""
        for line in reversed(_SCORES.findall(text)):
            parts = [part.strip(" \t.*_`") for part in re.split(r"[,;]", line)]
            if len(parts) == self.number:
                return tuple(self._score(float(part)) if re.fullmatch(_NUMBER, part) else None for part in parts)
        return (None,) * self.number

    def _score(self, score: float) -> float | None:
        return score if self.lowest <= score <= self.highest else None


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15


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
class JudgedGuess:
    """A guess, with a judgement whether the other player is a person or a machine."""

    guess: float | None
    """None if only scores were given."""
    scores: tuple[float | None, ...]
    who: Who | None = None
    """None without a readable judgement; then `sure` is None, too."""
    sure: float | None = None
    """In percent, from 50 to 100."""
    problem: str = field(default="", compare=False)
    """Why there is no judgement."""


@dataclass(frozen=True, slots=True)
class GuessAndJudgementForm:
    """The two lines of `GuessForm`, and before the last one `Other player: ...` and `Sure: ...`.

    `GuessForm` reads the guess. The judgement is read only from the last lines that have one of the four labels, since the
    lines above may repeat another player's words. Both parts must be there, once, and in range. A reply without a judgement
    still has a guess.

    >>> form = GuessAndJudgementForm(GuessForm(2, lowest=0, highest=100))
    >>> judged = form.read("Scores: 80, 60\\nOther player: machine\\nSure: 90\\nGuess: 68").value
    >>> judged.who, judged.sure, judged.guess
    ('machine', 90.0, 68.0)
    >>> form.read("Other player: person\\nSure: 20\\nGuess: 68").value.problem
    'how sure it is lies out of range'
    """

    guess: GuessForm

    @property
    def number(self) -> int:
        """How many things have scores."""
        return self.guess.number

    @property
    def way(self) -> ReplyFormat:
        """The same as for the guess: with a follow-up."""
        return self.guess.way

    @property
    def instruction(self) -> str:
        """Its lines, with dots for the values."""
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
        """The schema of the guess, with a word and a whole number."""
        of_guess = self.guess.schema["properties"]
        sure = {"type": "integer", "minimum": int(LEAST), "maximum": int(MOST)}
        return closed({**of_guess, "other": {"type": "string", "enum": ["person", "machine"]}, "sure": sure})

    @property
    def schema_instruction(self) -> str:
        return (
            f'{self.guess.schema_instruction} "other" is what you take the other player for, and "sure" is how sure you are of '
            "that in percent."
        )

    def read(self, text: str, /) -> ParsedReply[JudgedGuess]:
        """The guess, with any scores and judgement."""
        text = text.strip()[-LOOKED_AT:]
        fields = json_object(text)
        if fields is not None and {"answers", "guess"} <= set(fields):
            return self.read_fields(fields)
        document, rest = _closing(text)
        reading = self.guess.read(text)
        if not reading.strict:
            reading = replace(self.guess.read(rest), strict=False)
        return _with(reading, *_judgement(document["other player"], document["sure"]))

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[JudgedGuess]:
        """The guess in the fields, with the judgement if both parts of it are given."""
        who, sure = fields.get("other"), fields.get("sure")
        number = isinstance(sure, int | float) and not isinstance(sure, bool) and abs(sure) <= MOST
        judgement = _judgement([who] if isinstance(who, str) else [], [f"{sure:f}"] if number else [])
        return _with(self.guess.read_fields(fields), *judgement)

    def write(self, value: JudgedGuess, /) -> str:
        """The four lines, without missing values."""
        lines = self.guess.write(PlayerGuess(value.guess, value.scores)).split("\n")
        judged = [] if value.who is None else [f"Other player: {value.who}", f"Sure: {value.sure:f}"]
        return "\n".join([lines[0], *judged, *lines[1:]])


def _with(reading: ParsedReply[PlayerGuess], who: Who | None, sure: float | None, problem: str) -> ParsedReply[JudgedGuess]:
    value = None if reading.value is None else JudgedGuess(reading.value.guess, reading.value.scores, who, sure, problem)
    outcome = reading.outcome if value is None else Outcome.ANSWER
    return ParsedReply(outcome, value, reading.problem, reading.strict, reading.after_turn)


def _closing(text: str) -> tuple[dict[str, list[str]], str]:
    """The text after each label among the last lines, and the reply without the lines of the judgement."""
    document: dict[str, list[str]] = {"scores": [], "other player": [], "sure": [], "guess": []}
    lines = text.split("\n")
    kept: list[str] = []
    while lines:
        line = lines[-1].strip()
        match = _LINE.fullmatch(line)
        if line and not match and not _FENCE.fullmatch(line):
            break
        lines.pop()
        if match and any(letter.isalnum() for letter in match[2]):  # dots stand for what is not said
            document[match[1].lower()].append(match[2])
        if match and match[1].lower() in ("scores", "guess"):
            kept.append(line)
    return document, "\n".join([*lines, *reversed(kept)])


def _judgement(who: list[str], sure: list[str]) -> tuple[Who | None, float | None, str]:
    """The judgement and its certainty, or why they can't be read."""
    if not who or not sure:
        return None, None, "no judgement of whether it is a person, or not how sure it is"
    kinds = {match[1].lower() if (match := _WHO.fullmatch(text.strip(_AROUND))) else "" for text in who}
    numbers = {float(match[1]) if (match := _SURE.fullmatch(text.strip(_AROUND))) else -1.0 for text in sure}
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
