"""Answers with what somebody answered before to the most similar question: the second control of `silver2016`.

The thesis used Cleverbot, which says what people once said to something that looks alike; here is a program of that kind,
without its data. It understands nothing, yet every word of it was written by a person.

The two controls (section 6.2.2) are opened by their names here.

Likeness is the cosine of tf-idf vectors of words in small letters (Spärck Jones 1972): a word that few questions have weighs
more.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.cells import unpictured
from vivavoce.formats.lines import JSON_LINES, ending, json_lines
from vivavoce.interview.candidate import Candidate, Prompt, Reply
from vivavoce.luna.limits import LONGEST_TEXT
from vivavoce.luna.players import Gibberish, random_for
from vivavoce.luna.tables import rows_of

READABLE: Final = (".csv", ".tsv", *JSON_LINES)
"""Kinds of files, also packed as .gz."""
MOST_REMEMBERED: Final = 200_000
_NEARLY: Final = 1e-9
"""Questions whose likeness differs by less are equally alike."""
_EXPORTED: Final = {"game", "place", "number", "question", "answer", "human", "slider"}
"""The columns by which the answers of an export are known."""
_WORD = re.compile(r"\w{1,60}")


@dataclass(frozen=True, slots=True)
class Remembered:
    """A question that was once put, and what was answered."""

    question: str
    answer: str


class Echo:
    """Answers with the answer to the most similar question; of several that are equally similar one is drawn.

    Where no word is shared with any question, one of all answers is drawn: it always has something to say.

    >>> import asyncio
    >>> echo = Echo([Remembered("What is the capital of New York?", "Albany"), Remembered("How are you?", "Fine, thanks.")])
    >>> asyncio.run(echo.answer(Prompt("What is the capital of France?"))).text
    'Albany'
    """

    def __init__(self, remembered: Sequence[Remembered], *, seed: int = 0) -> None:
        if not remembered:
            raise BadInput("an echo needs at least one answer to repeat")
        digest = hashlib.sha256(json.dumps([[r.question, r.answer] for r in remembered]).encode()).hexdigest()[:12]
        self.name = f"control:echo?answers={digest}" + (f"&seed={seed}" if seed else "")
        self._seed = seed
        self._remembered = tuple(remembered)
        counts = [_words(r.question) for r in remembered]
        frequency = Counter(word for words in counts for word in words)
        self._rarity = {word: math.log((1 + len(counts)) / (1 + n)) + 1 for word, n in frequency.items()}
        self._places: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for place, words in enumerate(counts):
            for word, weight in self._weights(words).items():
                self._places[word].append((place, weight))

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: Prompt, /) -> Reply:
        """Depends on the prompt, its id, what is remembered and the seed alone."""
        likeness: dict[int, float] = defaultdict(float)
        for word, weight in self._weights(_words(question.text[:LONGEST_TEXT])).items():
            for place, other in self._places.get(word, ()):
                likeness[place] += weight * other
        most = max(likeness.values(), default=0.0)
        alike = sorted(place for place, value in likeness.items() if value > most - _NEARLY)
        drawn = random_for(self.name, self._seed, question).choice(alike or range(len(self._remembered)))
        return Reply(self._remembered[drawn].answer)

    def _weights(self, words: Mapping[str, int]) -> dict[str, float]:
        """A vector of length 1; words that no question has are left out."""
        weights = {word: n * self._rarity[word] for word, n in words.items() if word in self._rarity}
        length = math.sqrt(fsum(weight * weight for weight in weights.values()))
        return {word: weight / length for word, weight in weights.items()} if length else {}


def remembered(place: Path) -> tuple[Remembered, ...]:
    """What was asked and answered before, from a file with `question` and `answer`, or all such files of a folder.

    A folder that 'viva luna export' has written is one of these, and so is its answers.csv; texts from there are again as they
    were written, without the apostrophe that keeps spreadsheets from running them. Rows where `human` (or `answered_by_human`)
    says no are left out: an echo repeats people. So are rows without a question or an answer, and answers longer than a game
    takes. Raises `BadFile`.
    """
    if not place.exists():
        raise BadFile(place, "there is no such file or folder")
    files = sorted(file for file in place.iterdir() if ending(file) in READABLE) if place.is_dir() else [place]
    found: list[Remembered] = []
    for file in files:
        for number, row in _rows(file):
            if len(found) == MOST_REMEMBERED:
                raise BadFile(file, f"more than {MOST_REMEMBERED} answers: take fewer", line=number)
            if (one := _remembered(row)) is not None:
                found.append(one)
    if not found:
        raise BadFile(place, f"no answers of people: a file ({', '.join(READABLE)}) needs columns 'question' and 'answer'")
    return tuple(found)


def _rows(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if ending(file, READABLE) in JSON_LINES:
        yield from json_lines(file)
        return
    for row in rows_of(file):
        guarded = row.cells.keys() >= _EXPORTED
        yield row.line, {name: _as_written(cell) for name, cell in row.cells.items()} if guarded else row.cells


def _as_written(cell: str) -> str:
    return unpictured(cell.removeprefix("'"))


def _remembered(row: Mapping[str, Any]) -> Remembered | None:
    question, answer = (row.get(name) for name in ("question", "answer"))
    human = row.get("answered_by_human", row.get("human", True))
    if str(human).strip().lower() in ("false", "0", "no"):
        return None
    if not (isinstance(question, str) and isinstance(answer, str) and question.strip() and answer.strip()):
        return None
    return Remembered(question, answer) if len(answer) <= LONGEST_TEXT else None


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold()))


FORMS: Final = {
    "gibberish": "control:gibberish?seed=N",
    "echo": "control:echo?from=FILE|FOLDER&seed=N",
}
_OPTIONS: Final = {"gibberish": ("seed",), "echo": ("from", "seed")}


def open_control(name: str) -> Candidate[Prompt, Reply]:
    """The control of that name. Raises `UnknownName`, `BadInput`, and `BadFile` for answers that cannot be read.

    >>> open_control("control:gibberish?seed=3").name
    'control:gibberish?seed=3'
    """
    which, _, query = name.removeprefix("control:").partition("?")
    if which not in FORMS:
        raise UnknownName("control", which, FORMS)
    given: dict[str, str] = {}
    for option, value in parse_qsl(query.replace("+", "%2B"), keep_blank_values=True):
        if option not in _OPTIONS[which]:
            raise UnknownName(f"option of control:{which}", option, _OPTIONS[which])
        if option in given:
            raise BadInput(f"the option '{option}' of control:{which} is given twice: give it once")
        given[option] = value
    seed = given.get("seed", "0")
    if not (seed.isascii() and seed.isdecimal() and len(seed) < 19):
        raise BadInput(f"the seed '{seed[:80]}' is none: give a whole number, 0 or more")
    if which == "gibberish":
        return Gibberish(int(seed))
    if not given.get("from"):
        raise BadInput(f"an echo needs answers of people to repeat: {FORMS['echo']}")
    return Echo(remembered(Path(given["from"])), seed=int(seed))
