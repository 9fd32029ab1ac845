"""Cards of example questions, with all answers to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from vivavoce.eqt.record import ParsedAnswer, Phrasing, QuestionRecord
from vivavoce.eqt.report.parts import display_name
from vivavoce.eqt.result import ExampleQuestion
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.forms.several_options import Choice, letters
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell

MOST: Final = 10
MOST_IN_SHORT: Final = 2
"""Maximum number of examples in a terminal."""
SHOWN_EXPLANATION: Final = 2_000
SHOWN_STEM: Final = 600
SHOWN_OPTION: Final = 300
SHOWN_IN_SHORT: Final = 160
MOST_OPTIONS: Final = 12
MOST_WORDINGS: Final = 12


class AnswerInWords(NamedTuple):
    """One wording, its answer and the verdict, as text."""

    which: str
    stem: str
    answered: str
    verdict: str
    """`right`, `partly right`, `wrong`, or empty without an answer."""

    @property
    def line(self) -> str:
        """The answer and the verdict."""
        return f"{self.answered}{f' ({self.verdict})' if self.verdict else ''}"


def examples(shown: Sequence[ExampleQuestion]) -> tuple[blocks.Block, ...]:
    """All questions but the first in full; in a terminal, two of all questions in brief."""
    if not shown:
        return ()
    some = "Two questions" if len(shown) > 1 else "A question"
    return (
        blocks.InFull((blocks.ReportSection("More questions in full", tuple(map(_card, shown[1:MOST]))),)),
        blocks.InShort((blocks.ReportSection(some, tuple(map(_short, shown[:MOST_IN_SHORT]))),)),
    )


def worst_example(shown: Sequence[ExampleQuestion]) -> tuple[blocks.InFull, ...]:
    """The first question in full."""
    return (blocks.InFull((blocks.ReportSection("For example", (_card(shown[0]),)),)),) if shown else ()


def answer_in_words(which: str, stem: str, answer: ParsedAnswer | None, question: MultipleChoice | None) -> AnswerInWords:
    """An answer in words."""
    if answer is None:
        return AnswerInWords(which, stem, "not asked", "")
    if answer.chosen is None:
        why = f": {clipped(answer.problem, SHOWN_OPTION)}" if answer.problem else ""
        return AnswerInWords(which, stem, f"{'no answer' if answer.parse == 'no answer' else 'not parsed'}{why}", "")
    return AnswerInWords(
        which, stem, letters(answer.chosen) or "none of them", "" if question is None else verdict(answer.chosen, question.key)
    )


def verdict(chosen: Choice, key: Choice) -> str:
    """Whether a choice is right.

    >>> [verdict(frozenset({0}), key) for key in (frozenset({0}), frozenset({0, 2}), frozenset({1}))]
    ['right', 'partly right', 'wrong']
    """
    return "right" if chosen == key else "partly right" if chosen & key else "wrong"


def faults(item: QuestionRecord) -> Iterator[str]:
    """The faults of a question, one sentence each."""
    if item.pointing:
        yield f"It points at a text that the reader can't see: “{clipped(item.pointing, SHOWN_OPTION)}”."
    if item.self_contained is False:
        yield "It can't be understood alone, says the checker."
    if item.duplicate_of is not None:
        yield f"It asks the same as question {count(item.duplicate_of)} of the concept."
    checked = item.key_check.chosen if item.key_check else None
    if checked is not None and item.question is not None and checked != item.question.key:
        yield f"With the explanation, the checker answers {letters(checked)}, not {letters(item.question.key)}."


def _card(example: ExampleQuestion) -> blocks.CaseCard:
    item, question = example.item, example.item.question
    asked = [_without(index, phrasing, question) for index, phrasing in enumerate(item.phrasings[:MOST_WORDINGS])]
    opened = answer_in_words("with the explanation", "", item.open_book, question)
    rows = (
        *(
            blocks.ReportRow(
                TableCell(f"Without the explanation, {pair.which}", below=(pair.stem,) if pair.stem else ()), (_answer(pair),)
            )
            for pair in asked
        ),
        blocks.ReportRow(TableCell("With the explanation"), (_answer(opened),)),
    )
    return blocks.CaseCard(
        (
            blocks.Fold("The explanation", (blocks.Passage(clipped(example.explanation, SHOWN_EXPLANATION)),), main=True),
            *((blocks.Passage(clipped(question.stem, SHOWN_STEM)), blocks.Choices(_options(question))) if question else ()),
            *blocks.notes("" if question is None else _more(len(question.options), MOST_OPTIONS, "options")),
            blocks.ReportTable((blocks.Column("Asked", percent=66), blocks.Column("Answered")), rows),
            *blocks.notes(_more(len(item.phrasings), MOST_WORDINGS, "wordings"), *faults(item)),
        ),
        display_name(example.concept.name),
        f"{display_name(example.concept.category)} · {clipped(example.why, SHOWN_OPTION)}",
    )


def _short(example: ExampleQuestion) -> blocks.CaseCard:
    item, question = example.item, example.item.question
    asked = [_without(index, phrasing, question).line for index, phrasing in enumerate(item.phrasings[:MOST_WORDINGS])]
    opened = answer_in_words("with the explanation", "", item.open_book, question).line
    stem = clipped(" ".join(question.stem.split()), SHOWN_IN_SHORT) if question else ""
    key = letters(question.key) if question else "none"
    return blocks.CaseCard(
        (
            blocks.Paragraph(f"key {key}; with the explanation {clipped(opened, SHOWN_IN_SHORT)}"),
            blocks.Paragraph(f"without it {clipped('; '.join(asked) or 'not asked', SHOWN_IN_SHORT)}"),
        ),
        f"{display_name(example.concept.name)}: {stem}",
    )


def _answer(asked: AnswerInWords) -> TableCell:
    return TableCell(asked.answered, below=(asked.verdict,) if asked.verdict else ())


def _options(question: MultipleChoice) -> tuple[tuple[str, str, bool], ...]:
    """Letter, text, and whether the option belongs to the key."""
    return tuple(
        (letters(frozenset({index})), clipped(text, SHOWN_OPTION), index in question.key)
        for index, text in enumerate(question.options[:MOST_OPTIONS])
    )


def _without(index: int, phrasing: Phrasing, question: MultipleChoice | None) -> AnswerInWords:
    which = "original wording" if index == 0 else f"wording {count(index + 1)}"
    if phrasing.same_meaning is False:
        which += ", means something else, says the checker"
    if phrasing.stem is None:
        why = f": {clipped(phrasing.problem, SHOWN_OPTION)}" if phrasing.problem else ""
        return AnswerInWords(which, "", f"is missing{why}", "")
    return answer_in_words(which, "" if index == 0 else clipped(phrasing.stem, SHOWN_STEM), phrasing.answer, question)


def _more(number: int, most: int, things: str) -> str:
    return f"… and {count(number - most)} more {things}" if number > most else ""
