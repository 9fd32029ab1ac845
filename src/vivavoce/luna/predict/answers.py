"""Tables of many people's answers to the same questions, the words of these answers, and answer keys made from them.

Reads tables of people's answers, of graded answers, and of answer keys.

All tables are UTF-8 CSV, or tab-separated if the name ends in `.tsv`. Other columns are ignored.

People's answers have the columns `person`, `question`, `answer`, and either `grade` (0 to 1, of each answer) or `rating` (0 to
1, of each person, equal in all rows of a person). Right answers may be in `reference`, `reference2` and so on, equal in all
rows of a question that have any.

An answer key has a row for each question, with the columns `question`, `reference` and optionally `reference2`, `reference3`
and so on.

Graded answers have the columns `question`, `answer`, `grade` and optionally `reference`.

The last functions read the published answers that `silver2016` predicts ratings from, and the errors that it prints.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files
from math import fsum, isfinite
from pathlib import Path
from typing import Final

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import text_lines
from vivavoce.formats.wording import name_of
from vivavoce.luna.games_file import TableRow, rows_of


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """One person's answer to one question."""

    person: str
    question: str
    """Its name or its text: the same for all who answered it."""
    text: str
    grade: float | None = None
    """From 0 (wrong) to 1 (right); None for an ungraded answer."""


@dataclass(frozen=True, slots=True)
class PeopleTable:
    """A table of answers and ratings; make it with `people_of`, which checks it.

    >>> rows = [("Ann", "1", "yes", 1.0), ("Ann", "2", "no", 0.5), ("Bob", "1", "no", 0.0)]
    >>> table = people_of(PersonAnswer(*row) for row in rows)
    >>> table.people, table.questions, dict(table.ratings)
    (('Ann', 'Bob'), ('1', '2'), {'Ann': 0.75, 'Bob': 0.0})
    """

    answers: tuple[PersonAnswer, ...]
    ratings: Mapping[str, float]
    """From 0 to 1, by person: the mean of the person's grades, or a given rating. Empty in a table to predict for."""
    references: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Known right answers by question."""
    _of: Mapping[str, tuple[PersonAnswer, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_person: dict[str, list[PersonAnswer]] = {}
        for answer in self.answers:
            by_person.setdefault(answer.person, []).append(answer)
        object.__setattr__(self, "_of", {person: tuple(answers) for person, answers in by_person.items()})

    @property
    def people(self) -> tuple[str, ...]:
        """All people in order of first appearance."""
        return tuple(self._of)

    @property
    def questions(self) -> tuple[str, ...]:
        """All questions in order of first appearance; a person may have skipped some."""
        return tuple(dict.fromkeys(answer.question for answer in self.answers))

    @property
    def graded(self) -> bool:
        """Whether every answer has a grade."""
        return all(answer.grade is not None for answer in self.answers)

    def of(self, person: str) -> tuple[PersonAnswer, ...]:
        """The answers of one person; raises `KeyError` for an unknown person."""
        return self._of[person]

    def only(self, people: Collection[str]) -> PeopleTable:
        """The part of the table about these people, in the order of this table."""
        wanted = frozenset(people)
        kept = {person: rating for person, rating in self.ratings.items() if person in wanted}
        return PeopleTable(tuple(answer for answer in self.answers if answer.person in wanted), kept, self.references)

    def without_grades(self) -> PeopleTable:
        """The same people and ratings without the grades of answers.

        >>> table = people_of([PersonAnswer("Ann", "1", "yes", 1.0), PersonAnswer("Ann", "2", "no", 0.0)]).without_grades()
        >>> table.graded, dict(table.ratings)
        (False, {'Ann': 0.5})
        """
        return PeopleTable(tuple(replace(answer, grade=None) for answer in self.answers), self.ratings, self.references)

    def unrated(self) -> PeopleTable:
        """The answers alone, as for people whose ratings are to be predicted."""
        return PeopleTable(self.without_grades().answers, {})


def people_of(answers: Iterable[PersonAnswer], ratings: Mapping[str, float] | None = None) -> PeopleTable:
    """A checked table of answers.

    Parameters
    ----------
    answers: all with grades, or all without; a person answers a question once.
    ratings: one for each person, from 0 to 1, for answers without grades; with grades, a rating is their mean. None for
        neither: a table to predict for.

    Raises `BadInput` for no answers, grades for some only, grades together with ratings, a grade or rating outside [0, 1], a
    person without a rating, a rating of an unknown person, or two answers of a person to one question.
    """
    given = tuple(answers)
    if not given:
        raise BadInput("there are no answers: give at least one")
    (person, question), times = Counter((person_answer.person, person_answer.question) for person_answer in given).most_common(
        1
    )[0]
    if times > 1:
        raise BadInput(f"{name_of(person)} answers {name_of(question)} {times} times: keep one answer")
    for answer in given:
        _check("grade", answer.person, answer.grade)
    grades = sum(answer.grade is not None for answer in given)
    if 0 < grades < len(given):
        raise BadInput(f"{grades} of {len(given)} answers have a grade: grade all of them, or give ratings instead")
    table = PeopleTable(given, {} if ratings is None else ratings)
    if ratings is None:
        return PeopleTable(given, _means(table)) if grades else table
    if grades:
        raise BadInput("there are grades and ratings: give one of them, since a rating is the mean of a person's grades")
    _check_ratings(table, ratings)
    return table


def _means(table: PeopleTable) -> dict[str, float]:
    grades = {person: [answer.grade for answer in table.of(person) if answer.grade is not None] for person in table.people}
    return {person: fsum(grade) / len(grade) for person, grade in grades.items()}


def _check_ratings(table: PeopleTable, ratings: Mapping[str, float]) -> None:
    missing = next((person for person in table.people if person not in ratings), None)
    if missing is not None:
        raise BadInput(f"{name_of(missing)} has no rating: give one for each person, or none")
    known = frozenset(table.people)
    stranger = next((person for person in ratings if person not in known), None)
    if stranger is not None:
        raise BadInput(f"there is a rating of {name_of(stranger)}, who has no answers: leave it out")
    for person, rating in ratings.items():
        _check("rating", person, rating)


def _check(what: str, person: str, value: float | None) -> None:
    if value is not None and not (isfinite(value) and 0 <= value <= 1):
        raise BadInput(f"a {what} of {name_of(person)} is {value}: it must be from 0 to 1")


Sheet = Sequence[Sequence[str]]
"""Texts by question, then by person; empty for a skipped question."""

LONGEST_READ: Final = 5_000
"""Characters of an answer that are read, the limit of a Luna game."""

_MARKS: Final = re.compile(r"[^\w\s]|_")
_PRONOUNS: Final = "i me my mine we us our ours you your yours he him his she her hers it its they them their theirs"
_SELVES: Final = "myself ourselves yourself yourselves himself herself itself themselves"
_POINTING: Final = "this that these those who whom whose which what the a an"
_VERBS: Final = "am is are was were be been being have has had having do does did doing can will should"
_JOINING: Final = "and but or nor if because as until while than so"
_PLACING: Final = (
    "of at by for with about against between into through during before after above below to from up down in out on off "
    "over under"
)
_ADVERBS: Final = "again further then once here there when where why how now not no only just very too"
_AMOUNTS: Final = "all any both each few more most other some such own same"
STOP_WORDS: Final = frozenset(" ".join((_PRONOUNS, _SELVES, _POINTING, _VERBS, _JOINING, _PLACING, _ADVERBS, _AMOUNTS)).split())
"""Words without content, by part of speech. The thesis does not list the words that it leaves out."""


@lru_cache(maxsize=1 << 14)
def content_words(text: str) -> tuple[str, ...]:
    """The words of an answer that carry content.

    Punctuation is removed without a gap: "don't" is "dont", and "taxes/war" one word. This reproduces the thesis' figures.

    >>> content_words("To declare War, and don't ask!")
    ('declare', 'war', 'dont', 'ask')
    """
    return tuple(word for word in _MARKS.sub("", text[:LONGEST_READ].lower()).split() if word not in STOP_WORDS)


def plain(text: str) -> str:
    """All words of an answer in lower case, with single spaces, and a gap for each punctuation mark.

    >>> plain("Freedom of  Speech.")
    'freedom of speech'
    """
    return " ".join(_MARKS.sub(" ", text[:LONGEST_READ].lower()).split())


def sheet_of(people: PeopleTable, questions: Sequence[str]) -> Sheet:
    """All people's texts to these questions."""
    texts = {(answer.person, answer.question): answer.text for answer in people.answers}
    return [[texts.get((person, question), "") for person in people.people] for question in questions]


def distinct(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """The distinct texts in order of first appearance, and for each text its index among these.

    >>> distinct(["yes", "no", "yes"])
    (['yes', 'no'], [0, 1, 0])
    """
    places = {text: index for index, text in enumerate(dict.fromkeys(texts))}
    return list(places), [places[text] for text in texts]


Key = tuple[tuple[str, ...], ...]
"""Content words of the right answer, by question."""


def answer_key(people: PeopleTable) -> Key:
    """For each question the most common answer among those with the highest grade; without grades, of all answers.

    The data behind `silver2016` have no key, and the thesis does not define one. Answers are alike if their content words are;
    an answer without content words counts only if there is no other. Among equally common ones, the first is used.

    >>> from vivavoce.luna.predict.answers import people_of
    >>> graded = [("Ann", "Paris.", 1.0), ("Bob", "Rome", 0.0), ("Cyd", "Rome", 0.0), ("Dan", "paris", 1.0)]
    >>> answer_key(people_of(PersonAnswer(person, "Capital of France?", text, grade) for person, text, grade in graded))
    (('paris',),)
    """
    by_question: dict[str, list[PersonAnswer]] = {}
    for answer in people.answers:
        by_question.setdefault(answer.question, []).append(answer)
    return tuple(_commonest(by_question[question]) for question in people.questions)


def keys_of(people: PeopleTable) -> tuple[Key, ...]:
    """One key or several: known right answers, and `answer_key` for other questions.

    If a question has fewer right answers than another, further keys repeat its last one.

    >>> from vivavoce.luna.predict.answers import people_of
    >>> people = people_of([PersonAnswer("Ann", "1", "blue", 1.0), PersonAnswer("Ann", "2", "four", 1.0)])
    >>> keys_of(PeopleTable(people.answers, people.ratings, {"1": ("azure sky", "blue")}))
    ((('azure', 'sky'), ('four',)), (('blue',), ('four',)))
    """
    common = answer_key(people)
    given = [
        tuple(words for text in people.references.get(question, ()) if (words := content_words(text))) or (usual,)
        for question, usual in zip(people.questions, common, strict=True)
    ]
    return tuple(
        tuple(right[min(number, len(right) - 1)] for right in given) for number in range(max(map(len, given), default=1))
    )


def _commonest(answers: list[PersonAnswer]) -> tuple[str, ...]:
    best = max(answer.grade or 0.0 for answer in answers)
    counted = Counter(content_words(answer.text) for answer in answers if (answer.grade or 0.0) == best)
    counted.pop((), None)
    return counted.most_common(1)[0][0] if counted else ()


References = Mapping[str, tuple[str, ...]]
"""Right answers by question."""
MOST: Final = 20
"""The most right answers to a question."""
LONGEST: Final = 5_000
"""The most characters of a right answer, and of a question."""
_COLUMN: Final = re.compile(r"reference(\d{0,2})")


def read_key(path: Path) -> References:
    """The right answers of a table. Raises `BadFile`, with the line where there is one."""
    key: dict[str, tuple[str, ...]] = {}
    for row in rows_of(path, ("question", "reference")):
        question = row.name("question", LONGEST)
        if question in key:
            raise row.wrong("this question already has a row: put further right answers into reference2, reference3 ...")
        key[question] = references_in(row)
        if not key[question]:
            raise row.wrong("no right answer: fill in 'reference', or leave the row out")
    if not key:
        raise BadFile(path, "no rows: give at least one right answer")
    return key


def references_in(row: TableRow) -> tuple[str, ...]:
    """The right answers in a row, in the order of their columns' numbers; none where there are no such columns."""
    columns = [name for name in row.cells if _COLUMN.fullmatch(name)]
    if len(columns) > MOST:
        raise row.wrong(f"{len(columns)} columns of right answers; the limit is {MOST}")
    ordered = sorted(columns, key=lambda name: int(name.removeprefix("reference") or 1))
    right_answers = tuple(text for name in ordered if (text := row.cells[name].strip()))
    longest = max(map(len, right_answers), default=0)
    if longest > LONGEST:
        raise row.wrong(f"a right answer has {longest} characters; the limit is {LONGEST}")
    return right_answers


def with_key(people: PeopleTable, key: References) -> PeopleTable:
    """The people with this key; questions that it lacks keep their right answers.

    A question is found by its exact name or text, or else ignoring case, blanks and punctuation. Raises `BadInput` for a key
    without any of these questions.

    >>> from vivavoce.luna.predict.answers import PersonAnswer, people_of
    >>> people = people_of([PersonAnswer("Ann", "Capital of France?", "paris", 1.0)])
    >>> dict(with_key(people, {"capital of france": ("Paris",)}).references)
    {'Capital of France?': ('Paris',)}
    """
    alike = {normalised(question): right for question, right in key.items()}
    right_answers = {
        question: key.get(question) or alike[normalised(question)]
        for question in people.questions
        if question in key or normalised(question) in alike
    }
    if not right_answers:
        raise BadInput(f"the answer key has none of the {len(people.questions)} answered questions: use the same names")
    return replace(people, references={**people.references, **right_answers})


PEOPLE_COLUMNS: Final = ("person", "question", "answer")
LONGEST_NAME: Final = 5_000
"""The most characters of a person, or of a question, which may be named by its text."""
LONGEST_ANSWER: Final = 100_000
MOST_ROWS: Final = 1_000_000
MOST_CHARACTERS: Final = 1 << 28
"""The most characters of all answers together."""


def read_people(path: Path, *, need_ratings: bool) -> PeopleTable:
    """A table of answers.

    Parameters
    ----------
    need_ratings: whether to learn from it; otherwise grades and ratings are ignored.

    Raises `BadFile`, with the line where there is one.
    """
    answers: list[PersonAnswer] = []
    ratings: dict[str, float] = {}
    lines: dict[tuple[str, str], int] = {}
    references: dict[str, tuple[str, ...]] = {}
    for row in answers_in(path, PEOPLE_COLUMNS):
        person, question = (row.name(column, LONGEST_NAME) for column in ("person", "question"))
        if (person, question) in lines:
            raise row.wrong(f"this person already answers this question in line {lines[person, question]}: keep one answer")
        lines[person, question] = row.line
        grade = None
        if need_ratings and _which(row) == "grade":
            grade = row.number("grade", 1)
        elif need_ratings:
            rating = row.number("rating", 1)
            if ratings.setdefault(person, rating) != rating:
                raise row.wrong(f"'rating' is {rating:g}, and {ratings[person]:g} above: a person has one rating")
        if need_ratings and (right := references_in(row)) and references.setdefault(question, right) != right:
            raise row.wrong("the right answers in 'reference' differ from those above: each question has one set")
        answers.append(PersonAnswer(person, question, row.cells["answer"], grade))
    people = people_of(answers, ratings or None)
    return with_key(people, references) if references else people


def answers_in(path: Path, needed: Sequence[str]) -> Iterator[TableRow]:
    """The rows of a table that has these columns, `answer` among them; at least one.

    Raises `BadFile` for other tables, or for more than `MOST_ROWS` rows or `MOST_CHARACTERS` characters.
    """
    characters = number = 0
    for number, row in enumerate(rows_of(path, needed), start=1):
        length = len(row.cells["answer"])
        characters += length
        if number > MOST_ROWS or characters > MOST_CHARACTERS:
            raise row.wrong(f"more than {MOST_ROWS} answers, or {MOST_CHARACTERS >> 20} Mi characters of them: give fewer")
        if length > LONGEST_ANSWER:
            raise row.wrong(f"'answer' has {length} characters; the limit is {LONGEST_ANSWER}")
        yield row
    if not number:
        raise BadFile(path, "no rows: give at least one answer")


def _which(row: TableRow) -> str:
    """`grade` or `rating`: the one of the two columns that the table has."""
    given = [column for column in ("grade", "rating") if column in row.cells]
    if len(given) != 1:
        remedy = "give grades of answers from 0 to 1, or ratings of people" if not given else "leave one of them out"
        raise BadFile(row.file, f"{'both' if given else 'no'} column 'grade' {'and' if given else 'or'} 'rating': {remedy}")
    return given[0]


GRADED_COLUMNS: Final = ("question", "answer", "grade")
HIGHEST: Final = 1_000.0
"""The highest grade on any scale."""


@dataclass(frozen=True, slots=True)
class GradedResponse:
    """An answer with its grade."""

    question: str
    """Its text, or a name that is the same for all answers to it."""
    text: str
    grade: float
    """From 0, on any scale that is the same for all answers."""
    reference: str = ""
    """What an answer should say; empty if unknown."""


def read_graded(path: Path) -> tuple[GradedResponse, ...]:
    """Graded answers from a CSV table with the columns `question`, `answer`, `grade` and optionally `reference`.

    Grades may be on any scale from 0. Other columns, such as the grades of single graders, are ignored.

    Raises `BadFile`, with the line where there is one.
    """
    return tuple(
        GradedResponse(
            row.name("question", LONGEST_NAME),
            row.cells["answer"],
            row.number("grade", HIGHEST),
            row.cells.get("reference", "").strip(),
        )
        for row in answers_in(path, GRADED_COLUMNS)
    )


_POWERGRADING: Final = ("student", "Q#", "answer", "G1", "G2", "G3")
_NOT_GRADED: Final = "-1"


def read_powergrading(path: Path) -> PeopleTable:
    """The answers of a file of Powergrading (`basu2013`) that were graded; a grade is the mean of three graders' 0 or 1.

    The file holds 20 questions about the United States, of which ten were graded; the thesis has 698 people, the file at hand
    548. Their rating is the mean grade.

    Parameters
    ----------
    path: a table with tabs and no quotation marks: student, Q#, answer, G1, G2, G3; -1 stands for no grade.

    Raises `BadFile`.
    """
    lines = (line.rstrip("\r\n").split("\t") for line in text_lines(path))
    if tuple(next(lines, ())) != _POWERGRADING:
        raise BadFile(path, f"its first line is not {' '.join(_POWERGRADING)}, with tabs between", line=1)
    answers = []
    for number, cells in enumerate(lines, start=2):
        if len(cells) != len(_POWERGRADING):
            raise BadFile(path, f"{len(cells)} cells instead of {len(_POWERGRADING)}, separated by tabs", line=number)
        person, question, text, *grades = cells
        if any(grade not in ("0", "1", _NOT_GRADED) for grade in grades):
            raise BadFile(path, f"the grades are {', '.join(grades)[:40]}: each is 0, 1 or -1", line=number)
        if _NOT_GRADED not in grades:
            answers.append(PersonAnswer(person, question, text, fsum(map(float, grades)) / len(grades)))
    return people_of(answers)


@cache
def published_errors() -> Mapping[str, float]:
    """Root mean squared errors of Figure 5.3 on these data, by predictor.

    >>> published_errors()["cbg"]
    0.144
    """
    return tomllib.loads(files("vivavoce.luna.predict").joinpath("published.toml").read_text(encoding="utf-8"))


def normalised(text: str) -> str:
    """The form in which equal questions are equal texts.

    >>> normalised("  What IS  2+2?! ") == normalised("what is 2 2"), normalised("Who?") == normalised("Why?")
    (True, False)
    >>> normalised("?!")
    '?!'
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    letters = "".join(
        character if character.isalnum() or unicodedata.category(character)[0] == "M" else " " for character in folded
    )
    return " ".join(letters.split()) or " ".join(text.split())
