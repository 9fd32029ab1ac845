"""Players of Luna games: one that asks a candidate for each move, and the two control machines of `silver2016` (section 6.2.2).

What a candidate does not do is fixed. A language model makes all three moves. The two machines of the thesis only answered, and
asked five fixed questions. A chatterbot and the gibberish control do the same here.

The gibberish control answers with random characters. The echo control repeats the recorded answer to the most similar question.

The thesis used Cleverbot, which repeats what people once said to a similar text. The echo is such a program without Cleverbot's
data. It understands nothing, but people wrote every word of it.

Similarity is the cosine of tf-idf vectors of lower-case words (Spärck Jones 1972): rare words weigh more.
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
from vivavoce.formats.lines import JSON_LINES, ending, json_lines
from vivavoce.formats.tables import unpictured
from vivavoce.interview.candidate import Candidate, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.luna import messages
from vivavoce.luna.games_file import rows_of
from vivavoce.luna.rules import number
from vivavoce.luna.settings import LONGEST_TEXT, THESIS, GameTerms

LONGEST_GIBBERISH: Final = 200
"""Characters (`silver2016`, section 6.2.2)."""
Predict = Callable[[Sequence[str], Sequence[str]], float | None]
"""From questions and the other player's answers to a guess of its rating; None if it knows too few of the questions."""
_LETTERS: Final = ascii_uppercase + digits + " "


class CandidatePlayer:
    """Plays for one candidate. Every question goes through an interview, so all replies are recorded before they are sent.

    Parameters
    ----------
    interview: the interview with the candidate.
    knows_game: whether the candidate gets the game explained; otherwise it gets bare questions, as chatterbots do.
    questions: asked in every game, as many as it has (`fitted`); None: the candidate writes them.
    guess: the fixed guess of every game; None: the candidate guesses.
    guess_by: guesses first, whenever it can; see `vivavoce.luna.predict.predicted_ratings.guesser`.

    All methods raise what the interview raises.

    >>> interview = Interview(GibberishControl(), answers=Reply)
    >>> player = CandidatePlayer(interview, knows_game=False, questions=tuple("abcde"), guess=50)
    >>> asyncio.run(player.guess("7", tuple("abcde"), tuple("vwxyz"))).value
    50.0
    """

    def __init__(
        self,
        interview: Interview[Prompt, Reply],
        *,
        knows_game: bool = True,
        questions: tuple[str, ...] | None = None,
        guess: float | None = None,
        guess_by: Predict | None = None,
    ) -> None:
        self.name = interview.candidate.name
        self.interview = interview
        self._knows_game = knows_game
        self._questions = questions
        self._guess = None if guess is None else number(guess, "guess")
        self._guess_by = guess_by

    async def questions(self, game: str, terms: GameTerms = THESIS) -> messages.PreparedQuestions:
        """The questions, as many as this game has."""
        if self._questions is not None:
            texts, problem = messages.fitted(self._questions, terms)
            return messages.PreparedQuestions(texts, "fixed", problem)
        prompt = messages.questions_prompt(game, terms)
        return messages.as_questions(prompt, await self.interview.ask(prompt, topic=messages.topic(game)), terms)

    async def answers(
        self, game: str, questions: Sequence[str], terms: GameTerms = THESIS
    ) -> tuple[messages.PreparedAnswer, ...]:
        """An answer to each question of the other player, each in a separate conversation."""
        prompt_of = messages.answer_prompt if self._knows_game else messages.bare_prompt
        prompts = [prompt_of(game, index, question, terms) for index, question in enumerate(questions, start=1)]
        asked = (self.interview.ask(prompt, topic=messages.topic(game)) for prompt in prompts)
        replies = await asyncio.gather(*asked, return_exceptions=True)  # record replies in flight: they are billed
        answers = []
        for prompt, reply in zip(prompts, replies, strict=True):
            if isinstance(reply, BaseException):
                raise reply
            answers.append(messages.as_answer(prompt, reply, terms))
        return tuple(answers)

    async def guess(self, game: str, questions: Sequence[str], answers: Sequence[str]) -> messages.PreparedGuess:
        """A guess of the other player's rating from its answers to these questions."""
        predicted = None if self._guess_by is None else self._guess_by(questions, answers)
        if predicted is not None:
            return messages.PreparedGuess(number(predicted, "guess"), (None,) * len(answers), "predicted")
        if self._guess is not None:
            return messages.PreparedGuess(self._guess, (None,) * len(answers), "fixed")
        prompt = messages.guess_prompt(game, questions, answers)
        return messages.as_guess(prompt, await self.interview.ask(prompt, topic=messages.topic(game)))


class GibberishControl:
    """The first control of `silver2016`: 1 to 200 random capitals, digits and spaces, for any question.

    The thesis does not say whether a reply may be blank or end in spaces. Here it begins and ends with a letter or digit, since
    a game accepts no blank answers. Its guess is unknown too: see `CONTROL_GUESS`.
    """

    def __init__(self, seed: int = 0) -> None:
        self.name = "control:gibberish" + (f"?seed={seed}" if seed else "")
        self._seed = seed

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: Prompt, /) -> Reply:
        """Letters that depend only on the prompt, its id and the seed."""
        rng = random_for(self.name, self._seed, question)
        ends = _LETTERS.strip()
        length = rng.randint(1, LONGEST_GIBBERISH)
        middle = "".join(rng.choices(_LETTERS, k=max(0, length - 2)))
        return Reply((rng.choice(ends) + middle + rng.choice(ends))[:length])


CONTROL_GUESS: Final = messages.MIDDLE
"""The guess of the controls. The thesis does not say what its machines guessed, and a machine's guess changes no rating."""


def random_for(name: str, seed: int, prompt: Prompt) -> random.Random:
    """A separate generator for each bot, seed, prompt and game; order and repetition do not change its draws."""
    words = "\n".join((name, str(seed), prompt.id, prompt.system, prompt.text))
    return random.Random(hashlib.sha256(words.encode("utf-8", "replace")).digest())  # noqa: S311 - nothing here is a secret


READABLE: Final = (".csv", ".tsv", *JSON_LINES)
"""Endings of readable files, also with .gz."""
MOST_REMEMBERED: Final = 200_000
_NEARLY: Final = 1e-9
"""Questions with a smaller difference in similarity are equally similar."""
_EXPORTED: Final = {"game", "place", "number", "question", "answer", "human", "slider"}
"""The columns that identify the answers of an export."""
_WORD = re.compile(r"\w{1,60}")


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """An earlier question and its answer."""

    question: str
    answer: str


class EchoControl:
    """Replies with the answer to the most similar question; a random one if several are equally similar.

    If no question shares a word, it draws any of the answers, so it always has a reply.

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
        for index, words in enumerate(counts):
            for word, weight in self._weights(words).items():
                self._places[word].append((index, weight))

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: Prompt, /) -> Reply:
        """Depends only on the prompt, its id, the recorded answers and the seed."""
        likeness: dict[int, float] = defaultdict(float)
        for word, weight in self._weights(_words(question.text[:LONGEST_TEXT])).items():
            for index, other in self._places.get(word, ()):
                likeness[index] += weight * other
        most = max(likeness.values(), default=0.0)
        alike = sorted(key for key, value in likeness.items() if value > most - _NEARLY)
        drawn = random_for(self.name, self._seed, question).choice(alike or range(len(self._remembered)))
        return Reply(self._remembered[drawn].answer)

    def _weights(self, words: Mapping[str, int]) -> dict[str, float]:
        """A vector of length 1, without words that no question has."""
        weights = {word: n * self._rarity[word] for word, n in words.items() if word in self._rarity}
        length = math.sqrt(fsum(weight * weight for weight in weights.values()))
        return {word: weight / length for word, weight in weights.items()} if length else {}


def recorded_answers(path: Path) -> tuple[RecordedAnswer, ...]:
    """Earlier questions and answers, from a file with `question` and `answer`, or all such files of a folder.

    It reads a folder of 'viva luna admin export', or its answers.csv, and removes the apostrophes that protect spreadsheets. It
    skips rows where `human` (or `answered_by_human`) says no, since an echo repeats people. It also skips rows without a
    question or an answer, and answers longer than a game allows. Raises `BadFile`.
    """
    if not path.exists():
        raise BadFile(path, "no such file or folder")
    files = sorted(file for file in path.iterdir() if ending(file) in READABLE) if path.is_dir() else [path]
    answers: list[RecordedAnswer] = []
    for file in files:
        for line, row in _rows(file):
            if len(answers) == MOST_REMEMBERED:
                raise BadFile(file, f"more than {MOST_REMEMBERED} answers: give fewer", line=line)
            if (answer := _remembered(row)) is not None:
                answers.append(answer)
    if not answers:
        raise BadFile(path, f"no answers by people: a file ({', '.join(READABLE)}) needs columns 'question' and 'answer'")
    return tuple(answers)


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
    """The control with this name. Raises `UnknownName`, `BadInput`, and `BadFile` for unreadable answers.

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
        raise BadInput(f"the seed '{seed[:80]}' is not a number: give a whole number, 0 or more")
    if which == "gibberish":
        return GibberishControl(int(seed))
    if not given.get("from"):
        raise BadInput(f"an echo needs people's answers to repeat: {FORMS['echo']}")
    return EchoControl(recorded_answers(Path(given["from"])), seed=int(seed))
