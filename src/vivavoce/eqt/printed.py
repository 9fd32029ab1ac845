"""The prompts of section 5 of `asgari2025`, word for word, for those who want to repeat the paper (`EqtConfig.prompts`).

Departures. `[CONCEPT]` is filled in. The paper prints one `{question type}` and no list of types: ours are used
(`prompts.KINDS`). A paragraph of a heading and one option after the other is put as lines. The printed prompts show texts that
can be copied as an answer ("e.g., A, C, D", "Option A text"): a question made of these is a copy and none, a reply that
repeats the whole instruction is none either; but "A, C, D" alone cannot be told from an answer, which is why our own words are
the default. How many options are right is left to the writer, as printed.
"""

from __future__ import annotations

from string import ascii_uppercase
from typing import Final

from vivavoce.interview.forms.folding import folded
from vivavoce.interview.forms.written_question import MultipleChoice

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
EXAMPLE_ANSWER: Final = frozenset((0, 2, 3))
"""“A, C, D”, as `ANSWER` shows it: an answer, or said back."""
PLACEHOLDERS: Final = frozenset(folded(text) for text in ("[Your question here]", *(f"Option {x} text" for x in "ABCDEFGHIJ")))
"""Texts of the printed prompt that stand where those of a question are wanted."""


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


def made_of_placeholders(question: MultipleChoice) -> bool:
    """Whether a text of the printed prompt stands where one of a question is wanted."""
    return not PLACEHOLDERS.isdisjoint(map(folded, (question.stem, *question.options)))
