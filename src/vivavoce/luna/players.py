"""Plays for a candidate: asks it what a game wants of it, and reads what it replies.

What a candidate does not do itself stands fixed. A language model does all three parts. The two machines of `silver2016`
(section 6.2.2) only answered, and asked five fixed questions; so do a chatterbot and the gibberish bot here.

Answers with what somebody answered before to the most similar question: the second control of `silver2016`.

The thesis used Cleverbot, which says what people once said to something that looks alike; here is a program of that kind,
without its data. It understands nothing, yet every word of it was written by a person.

The two controls (section 6.2.2) are opened by their names here.

Likeness is the cosine of tf-idf vectors of words in small letters (Spärck Jones 1972): a word that few questions have weighs
more.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from string import ascii_uppercase, digits
from typing import Any, Final
from urllib.parse import parse_qsl

from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.cells import unpictured
from vivavoce.formats.lines import JSON_LINES, ending, json_lines
from vivavoce.interview.candidate import Candidate, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.luna.messages import (
    MIDDLE,
    PreparedAnswer,
    PreparedGuess,
    PreparedQuestions,
    answer_prompt,
    as_answer,
    as_guess,
    as_questions,
    bare_prompt,
    fitted,
    guess_prompt,
    questions_prompt,
    topic,
)
from vivavoce.luna.rules import number
from vivavoce.luna.settings import LONGEST_TEXT, THESIS, GameTerms
from vivavoce.luna.tables import rows_of

LONGEST_GIBBERISH: Final = 200
"""Characters (`silver2016`, section 6.2.2)."""
Predict = Callable[[Sequence[str], Sequence[str]], float | None]
"""From questions and the other player's answers to a guess of its rating, or None where these questions tell it nothing."""
_LETTERS: Final = ascii_uppercase + digits + " "


class CandidatePlayer:
    """Plays for one candidate. Every question to it goes through an interview, so all is on record before it is sent.

    Parameters
    ----------
    interview: with the candidate.
    told: whether the candidate is told of the game; otherwise it is given the questions as they are, as chatterbots are.
    questions: put in every game, as many as it has (`fitted`); None: the candidate writes them.
    guess: made in every game; None: the candidate makes it.
    guess_by: makes the guess before all others wherever it can; `vivavoce.luna.predict.predicted_ratings.guesser` is one.

    All methods raise what the interview raises.

    >>> player = CandidatePlayer(Interview(GibberishControl(), answers=Reply), told=False, questions=tuple("abcde"), guess=50)
    >>> asyncio.run(player.guess("7", tuple("abcde"), tuple("vwxyz"))).value
    50.0
    """

    def __init__(
        self,
        interview: Interview[Prompt, Reply],
        *,
        told: bool = True,
        questions: tuple[str, ...] | None = None,
        guess: float | None = None,
        guess_by: Predict | None = None,
    ) -> None:
        self.name = interview.candidate.name
        self.interview = interview
        self._told = told
        self._questions = questions
        self._guess = None if guess is None else number(guess, "guess")
        self._guess_by = guess_by

    async def questions(self, game: str, terms: GameTerms = THESIS) -> PreparedQuestions:
        """As many questions as this game has."""
        if self._questions is not None:
            texts, problem = fitted(self._questions, terms)
            return PreparedQuestions(texts, "fixed", problem)
        prompt = questions_prompt(game, terms)
        return as_questions(prompt, await self.interview.ask(prompt, topic=topic(game)), terms)

    async def answers(self, game: str, questions: Sequence[str], terms: GameTerms = THESIS) -> tuple[PreparedAnswer, ...]:
        """An answer to each question of the other player, each from a conversation of its own."""
        put = answer_prompt if self._told else bare_prompt
        prompts = [put(game, place, question, terms) for place, question in enumerate(questions, start=1)]
        asked = (self.interview.ask(prompt, topic=topic(game)) for prompt in prompts)
        replies = await asyncio.gather(*asked, return_exceptions=True)  # what is on its way is paid for: it goes on record
        answers = []
        for prompt, reply in zip(prompts, replies, strict=True):
            if isinstance(reply, BaseException):
                raise reply
            answers.append(as_answer(prompt, reply, terms))
        return tuple(answers)

    async def guess(self, game: str, questions: Sequence[str], answers: Sequence[str]) -> PreparedGuess:
        """A guess of the other player's rating, from its answers to these questions."""
        predicted = None if self._guess_by is None else self._guess_by(questions, answers)
        if predicted is not None:
            return PreparedGuess(number(predicted, "guess"), (None,) * len(answers), "predicted")
        if self._guess is not None:
            return PreparedGuess(self._guess, (None,) * len(answers), "fixed")
        prompt = guess_prompt(game, questions, answers)
        return as_guess(prompt, await self.interview.ask(prompt, topic=topic(game)))


class GibberishControl:
    """The first control of `silver2016`: 1 to 200 random capitals, digits and spaces, whatever is asked.

    The thesis does not say whether a reply may be blank or end in spaces; here it begins and ends with a letter or digit, since
    a game takes no blank answers. Its guess is not given either: `CONTROL_GUESS`.
    """

    def __init__(self, seed: int = 0) -> None:
        self.name = "control:gibberish" + (f"?seed={seed}" if seed else "")
        self._seed = seed

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: Prompt, /) -> Reply:
        """Letters that depend on the prompt, its id and the seed alone."""
        rng = random_for(self.name, self._seed, question)
        ends = _LETTERS.strip()
        length = rng.randint(1, LONGEST_GIBBERISH)
        middle = "".join(rng.choices(_LETTERS, k=max(0, length - 2)))
        return Reply((rng.choice(ends) + middle + rng.choice(ends))[:length])


CONTROL_GUESS: Final = MIDDLE
"""Of the controls: the thesis does not say what its machines guessed, and by its rules a machine's guess moves no rating."""


def random_for(name: str, seed: int, prompt: Prompt) -> random.Random:
    """A generator of its own for one bot, seed, prompt and game; neither order nor repetition changes what it draws."""
    words = "\n".join((name, str(seed), prompt.id, prompt.system, prompt.text))
    return random.Random(hashlib.sha256(words.encode("utf-8", "replace")).digest())  # noqa: S311 - nothing here is a secret


READABLE: Final = (".csv", ".tsv", *JSON_LINES)
"""Kinds of files, also packed as .gz."""
MOST_REMEMBERED: Final = 200_000
_NEARLY: Final = 1e-9
"""Questions whose likeness differs by less are equally alike."""
_EXPORTED: Final = {"game", "place", "number", "question", "answer", "human", "slider"}
"""The columns by which the answers of an export are known."""
_WORD = re.compile(r"\w{1,60}")


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """A question that was once put, and what was answered."""

    question: str
    answer: str


class EchoControl:
    """Answers with the answer to the most similar question; of several that are equally similar one is drawn.

    Where no word is shared with any question, one of all answers is drawn: it always has something to say.

    >>> import asyncio
    >>> pairs = [("What is the capital of New York?", "Albany"), ("How are you?", "Fine, thanks.")]
    >>> echo = EchoControl([RecordedAnswer(question, answer) for question, answer in pairs])
    >>> asyncio.run(echo.answer(Prompt("What is the capital of France?"))).text
    'Albany'
    """

    def __init__(self, recorded_answers: Sequence[RecordedAnswer], *, seed: int = 0) -> None:
        if not recorded_answers:
            raise BadInput("an echo needs at least one answer to repeat")
        digest = hashlib.sha256(json.dumps([[r.question, r.answer] for r in recorded_answers]).encode()).hexdigest()[:12]
        self.name = f"control:echo?answers={digest}" + (f"&seed={seed}" if seed else "")
        self._seed = seed
        self._remembered = tuple(recorded_answers)
        counts = [_words(r.question) for r in recorded_answers]
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


def recorded_answers(place: Path) -> tuple[RecordedAnswer, ...]:
    """What was asked and answered before, from a file with `question` and `answer`, or all such files of a folder.

    A folder that 'viva luna export' has written is one of these, and so is its answers.csv; texts from there are again as they
    were written, without the apostrophe that keeps spreadsheets from running them. Rows where `human` (or `answered_by_human`)
    says no are left out: an echo repeats people. So are rows without a question or an answer, and answers longer than a game
    takes. Raises `BadFile`.
    """
    if not place.exists():
        raise BadFile(place, "there is no such file or folder")
    files = sorted(file for file in place.iterdir() if ending(file) in READABLE) if place.is_dir() else [place]
    found: list[RecordedAnswer] = []
    for file in files:
        for line, row in _rows(file):
            if len(found) == MOST_REMEMBERED:
                raise BadFile(file, f"more than {MOST_REMEMBERED} answers: take fewer", line=line)
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


def _remembered(row: Mapping[str, Any]) -> RecordedAnswer | None:
    question, answer = (row.get(name) for name in ("question", "answer"))
    human = row.get("answered_by_human", row.get("human", True))
    if str(human).strip().lower() in ("false", "0", "no"):
        return None
    if not (isinstance(question, str) and isinstance(answer, str) and question.strip() and answer.strip()):
        return None
    return RecordedAnswer(question, answer) if len(answer) <= LONGEST_TEXT else None


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
        return GibberishControl(int(seed))
    if not given.get("from"):
        raise BadInput(f"an echo needs answers of people to repeat: {FORMS['echo']}")
    return EchoControl(recorded_answers(Path(given["from"])), seed=int(seed))
