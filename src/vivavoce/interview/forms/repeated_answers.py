"""Detects an answer that a candidate repeats for every question, and wraps forms for printed prompts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, ClassVar, Final, Generic, TypeVar

from vivavoce.interview.forms.form import ParsedReply, ReplyForm, ReplyFormat, copied
from vivavoce.interview.forms.spellings import folded

V = TypeVar("V", bound=Hashable)

LEVEL: Final = 0.05
"""Largest chance of calling an answer repeated if it is as likely among the keys as among the answers."""


@dataclass(frozen=True, slots=True)
class RepeatedAnswer(Generic[V]):
    """The most frequent answer, and how often it is the key.

    The words of a long text reveal a copy (`prose.is_copy`). `A, C` may be an answer, or the example of an instruction. Only
    many replies can show it: a candidate that knows the answers gives each about as often as the keys have it.
    """

    value: V
    answers: int
    """Number of answers equal to it."""
    of_answers: int
    """Number of parsed answers."""
    questions: int
    """Number of questions that it answers in more than half of their wordings."""
    keys: int
    """Number of these questions with it as their key: its score if it were always given."""
    of_questions: int
    p: float
    """The chance of such a difference, or a larger one, if the answer were as likely among answers as among keys."""
    best: int
    """Number of these questions that the most frequent key answers: the most that any constant answer can get right."""

    json_keys = "repeated prevails answers of_answers questions keys of_questions p best"

    @property
    def repeated(self) -> bool:
        """Whether it is given more often than the keys explain."""
        return self.p <= LEVEL

    @property
    def prevails(self) -> bool:
        """Whether it is repeated and answers most questions; then the answers do not show knowledge."""
        return self.repeated and 2 * self.questions > self.of_questions

    @property
    def untold(self) -> bool:
        """Whether it answers most questions and is the key of few, with too few questions to rule out chance."""
        return not self.repeated and 2 * self.questions > self.of_questions and self.questions >= 2 * self.keys + 2


def most_frequent(given: Sequence[tuple[Sequence[V], V]]) -> RepeatedAnswer[V] | None:
    """The most frequent of all answers; None without any.

    Whether the keys explain it is judged over questions, as answers to several wordings of one question go together: Fisher's
    exact test, one-sided, of how many questions it answers against how many have it as their key, times the number of different
    answers and keys, since the most frequent of this many was picked (Bonferroni). It takes answers and keys for independent;
    where they agree the difference is smaller than it allows for, so that a candidate that knows much is safe.

    Parameters
    ----------
    given: the answers to each question that could be read, and its key.

    >>> keys = ["A", "AC", "B", "C", "D", "AC", "BD", "AC", "C", "B", "A", "D", "BC", "AB"]
    >>> repeats = most_frequent([(["AC"], key) for key in keys])
    >>> repeats.value, repeats.questions, repeats.keys, repeats.of_questions, repeats.prevails
    ('AC', 14, 3, 14, True)
    >>> most_frequent([([key], key) for key in keys]).p, most_frequent([([], "A")])
    (1.0, None)
    """
    answered = [(Counter(answers), key) for answers, key in given if answers]
    if not answered:
        return None
    keys = Counter(key for _, key in answered)
    answers = sum((counts for counts, _ in answered), Counter[V]())
    questions = Counter(value for counts, _ in answered for value, times in counts.items() if 2 * times > counts.total())
    value = max(answers, key=lambda entry: (questions[entry], answers[entry], -keys[entry]))
    chance = _at_least(questions[value], keys[value], len(answered))
    return RepeatedAnswer(
        value,
        answers=answers[value],
        of_answers=answers.total(),
        questions=questions[value],
        keys=keys[value],
        of_questions=len(answered),
        p=min(1.0, len({*keys, *questions}) * chance),
        best=max(keys.values()),
    )


def _at_least(first: int, second: int, each: int) -> float:
    """Fisher's exact test: the chance that at least `first` of `first` + `second` answers among twice `each` are in the first
    half."""
    both = first + second
    ways = sum(comb(each, number) * comb(each, both - number) for number in range(first, min(each, both) + 1))
    return ways / comb(2 * each, both)


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PrintedForm(Generic[T]):
    """A form whose prompt is printed in a paper, so our own instructions are not added.

    It is asked in words and without a follow-up, as in papers. A printed prompt that shows an answer, such as `[Answer] 0.5`,
    can be copied. A reply of that line alone looks like an answer, which is why our own words are the default.

    >>> from vivavoce.interview.forms.several_options import SeveralOptions
    >>> form = PrintedForm(SeveralOptions(("a graph", "a path")), 'Answer in the format: "Answer: [Your selections]".')
    >>> sorted(form.read("Answer: [A, B]").value), form.read(form.instruction).outcome
    ([0, 1], <Outcome.COPIED: 'copied'>)
    """

    form: ReplyForm[T]
    instruction: str = ""
    """The last paragraph of the prompt; empty if the printed prompt ends otherwise."""
    placeholder: Callable[[T], bool] | None = None
    """Whether a value consists of the prompt's placeholder; None: the prompt has no placeholder that could be recognized."""

    way: ClassVar[ReplyFormat] = "text"

    @property
    def further(self) -> str:
        """The follow-up of our own form, for users who choose one."""
        return self.form.further

    @property
    def schema(self) -> Mapping[str, Any]:
        return self.form.schema

    @property
    def schema_instruction(self) -> str:
        return self.form.schema_instruction

    def read(self, text: str, /) -> ParsedReply[T]:
        """The value in a reply in words; a repeated instruction or placeholder is a copy."""
        if self.instruction and folded(self.instruction) in folded(text):
            return copied()
        return self._checked(self.form.read(text))

    def read_fields(self, fields: Mapping[str, Any], /) -> ParsedReply[T]:
        return self._checked(self.form.read_fields(fields))

    def write(self, value: T, /) -> str:
        return self.form.write(value)

    def _checked(self, reading: ParsedReply[T]) -> ParsedReply[T]:
        shown = self.placeholder is not None and reading.value is not None and self.placeholder(reading.value)
        return copied() if shown else reading
