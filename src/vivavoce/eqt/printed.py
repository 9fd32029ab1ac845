"""The prompts of section 5 of `asgari2025`, word for word, for those who want to repeat the paper (`EqtConfig.prompts`).

Departures. `[CONCEPT]` is filled in. The paper prints one `{question type}` and no list of types: ours are used
(`prompts.KINDS`). A paragraph of a heading and one option after the other is put as lines. The printed prompts show texts that
can be copied as an answer ("e.g., A, C, D", "Option A text"): a question made of these is a copy and none, a reply that
repeats the whole instruction is none either; but "A, C, D" alone cannot be told from an answer, which is why our own words are
the default. How many options are right is left to the writer, as printed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, Final, Generic, TypeVar

from vivavoce.interview.forms.folding import folded
from vivavoce.interview.forms.form import Form, Reading, Way, copied
from vivavoce.interview.forms.written_question import MultipleChoice

T = TypeVar("T")

EXPLANATION: Final = (
    "Please provide a comprehensive and detailed explanation of the concept ‘{concept}’, including its background, "
    "key principles, "
    "applications, and examples. Ensure the explanation is thorough and covers all essential aspects."
)
QUESTION: Final = """\
Create a multiple-choice question about the following concept: {concept}. Use this question type: "{kind}"

Requirements:
1. The question should have {options} options (A to {last}).
2. There should one or several correct answers.
3. Base the question and all options ONLY on the information provided below.
4. Make the question entirely self-contained. Do NOT refer to any explanation, provided information, or external context.
5. Avoid phrases like "according to the text", "as described", or any similar references.
6. Ensure the question and options are clear and complete on their own.

Format Example:
Question: [Your question here]

Options:
A) Option A text
B) Option B text
...

Correct Answers: [List of correct option letters, e.g., A, C, F]

Information about {concept}:
{explanation}"""
PARAPHRASE: Final = (
    "Paraphrase the following question without changing its meaning. Ensure the paraphrased question is "
    "self-contained and does "
    'not reference any previous explanation or use phrases like "as mentioned earlier". ONLY generate the paraphrased question '
    'itself, and do not include any extra text such as "Here\'s a paraphrased version of the question:" or similar. '
    "'{question}'"
)
ANSWER: Final = (
    'Please select all correct options (e.g., A, C, D) and provide your answer in the format: "Answer: [Your selections]".'
)
PLACEHOLDERS: Final = frozenset(folded(text) for text in ("[Your question here]", *(f"Option {x} text" for x in "ABCDEFGHIJ")))
"""Texts of the printed prompt that stand where those of a question are wanted."""


@dataclass(frozen=True, slots=True)
class AsPrinted(Generic[T]):
    """A form that is asked for in the paper's words and read by our reader.

    >>> from vivavoce.interview.forms.several_options import SeveralOptions
    >>> form = AsPrinted(SeveralOptions(("a graph", "a path")), ANSWER)
    >>> sorted(form.read("Answer: [A, B]").value), form.read(ANSWER).outcome
    ([0, 1], <Outcome.COPIED: 'copied'>)
    """

    form: Form[T]
    instruction: str
    """The last paragraph of the prompt; empty where the printed prompt ends otherwise."""

    @property
    def way(self) -> Way:
        """In words, with no further turn."""
        return "text"

    @property
    def further(self) -> str:
        """That of our own form, for those who want a further turn."""
        return self.form.further

    @property
    def schema(self) -> Mapping[str, Any]:
        """That of our own form."""
        return self.form.schema

    @property
    def schema_instruction(self) -> str:
        """That of our own form."""
        return self.form.schema_instruction

    def read(self, text: str, /) -> Reading[T]:
        """What a reply in words says; the instruction, or a placeholder, said back is a copy."""
        if self.instruction and folded(self.instruction) in folded(text):
            return copied()
        return _without_placeholders(self.form.read(text))

    def read_fields(self, fields: Mapping[str, Any], /) -> Reading[T]:
        """What a reply under our own schema says."""
        return _without_placeholders(self.form.read_fields(fields))

    def write(self, value: T, /) -> str:
        """In the form of our own."""
        return self.form.write(value)


def explanation_text(concept: str) -> str:
    """Asks for an explanation.

    >>> explanation_text("Graph theory")[:81]
    'Please provide a comprehensive and detailed explanation of the concept ‘Graph the'
    """
    return EXPLANATION.format(concept=concept)


def question_text(concept: str, explanation: str, *, kind: str, options: int) -> str:
    """Asks for one question with its key."""
    last = ascii_uppercase[options - 1]
    return QUESTION.format(concept=concept, kind=kind, options=options, last=last, explanation=explanation)


def paraphrase_text(stem: str) -> str:
    """Asks for one paraphrase: the same words each time, so that paraphrases differ by chance alone."""
    return PARAPHRASE.format(question=stem)


def _without_placeholders(reading: Reading[T]) -> Reading[T]:
    value = reading.value
    if isinstance(value, MultipleChoice) and PLACEHOLDERS.intersection(map(folded, (value.stem, *value.options))):
        return copied()
    return reading
