"""Single answers in a report: the worst, ungraded ones with what would decide them, and those of a trial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from vivavoce.certificate.claims.claim import GradedAnswer
from vivavoce.certificate.graders.agent import folded_steps
from vivavoce.certificate.graders.trace import NOT_GRADABLE
from vivavoce.certificate.report.caveats import UngradedReplies
from vivavoce.formats.wording import clipped, count, score
from vivavoce.interview.forms.form import Outcome
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell

SHOWN_CHARACTERS: Final = 1_200
"""Characters of a question or answer on a page: enough to judge it."""
SHOWN_HEADLINE: Final = 600
SHOWN_ID: Final = 100
SHOWN_LINE: Final = 160
"""Most characters of one question or answer in a terminal."""
SHOWN_CHECKED: Final = 600
"""Most characters of one that is checked there."""
SHOWN_LAW: Final = 600
MOST_IN_SHORT: Final = 3
"""Answers in a terminal, and on the first screen of a page."""
WORST: Final = "What it got wrong"


class AnswerToShow(NamedTuple):
    """An answer with its scope and candidate, if there are several."""

    answer: GradedAnswer
    scope: str = ""
    candidate: str = ""

    @property
    def whose(self) -> tuple[tuple[str, str], ...]:
        """Scope and candidate, where there are several."""
        return tuple((what, name) for what, name in (("Scope", self.scope), ("Candidate", self.candidate)) if name)


def worst_answers(worst: Sequence[AnswerToShow], *, unread: bool, title: str = WORST) -> tuple[blocks.Block, ...]:
    """Answers that lost most; `unread`: whether ungraded replies are shown before them."""
    if not worst:
        return (
            () if unread else (blocks.InFull((blocks.ReportSection(title, blocks.paragraphs("No answer lost any score.")),)),)
        )
    short = tuple(blocks.CaseCard((blocks.Pairs(_in_short(shown)),)) for shown in worst[:MOST_IN_SHORT])
    first = worst[:MOST_IN_SHORT]
    is_known = any(shown.answer.expected for shown in first)
    heads = ("It said", "Expected") if is_known else ("It said",)
    rows = tuple(_said_and_expected(shown, is_known=is_known) for shown in first)
    cards = tuple(_card(shown, "Answer") for shown in worst)
    folded = blocks.Fold(f"{these(len(cards), 'answer')} in full", cards, main=True)
    return first_in_table(title, heads, rows, folded), blocks.InShort((blocks.ReportSection(title, short),))


def first_in_table(title: str, heads: Sequence[str], rows: tuple[blocks.ReportRow, ...], *below: blocks.Block) -> blocks.InFull:
    """A table of cases below a title, each row beginning with its question; further blocks follow.

    heads: headings of the columns after the question.
    """
    width = 54 // len(heads)
    columns = (
        blocks.Column("Question", percent=100 - width * len(heads)),
        *(blocks.Column(head, percent=width) for head in heads),
    )
    return blocks.InFull((blocks.ReportSection(title, (blocks.ReportTable(columns, rows, name=title), *below)),))


def these(number: int, what: str) -> str:
    """The subject of a sentence on the things shown.

    >>> these(1, "answer"), these(3, "answer")
    ('This answer', 'These 3 answers')
    """
    return f"This {what}" if number == 1 else f"These {number} {what}s"


def question_cell(question: str, whose: Sequence[tuple[str, str]] = ()) -> TableCell:
    """A question on one line, with its scope and candidate if there are several."""
    return TableCell(in_one_line(question), below=tuple(f"{what}: {name}" for what, name in whose))


def _said_and_expected(shown: AnswerToShow, *, is_known: bool) -> blocks.ReportRow:
    answer = shown.answer
    text = in_one_line(answer.read_as or answer.answer) or f"({answer.outcome.value})"
    expected = [TableCell(in_one_line(answer.expected) or "(not on record)")] if is_known else []
    return blocks.ReportRow(question_cell(answer.question, shown.whose), (TableCell(text, tone="bad"), *expected))


def unread_replies(
    title: str, replies: Sequence[AnswerToShow], remedies: Sequence[str], *, in_short: Sequence[AnswerToShow] | None = None
) -> tuple[blocks.Block, ...]:
    """Ungraded replies, and what to try if they prevent a verdict.

    in_short: only those that a terminal shows.
    """
    what_to_try = blocks.ReportSection("What to try", (blocks.Items(tuple(remedies)),) if remedies else ())
    folded_remedies = blocks.Fold(what_to_try.title, what_to_try.blocks, main=True)
    if not replies:
        return blocks.InFull((folded_remedies,)), blocks.InShort((what_to_try,))
    cards = tuple(_card(shown, "Reply") for shown in replies)
    rows = tuple(
        blocks.ReportRow(
            question_cell(shown.answer.question, shown.whose),
            (TableCell(in_one_line(shown.answer.answer) or "(empty)", tone="open"), TableCell(in_one_line(shown.answer.why))),
        )
        for shown in replies[:MOST_IN_SHORT]
    )
    deciding = "what would decide it" if len(cards) == 1 else "what would decide them"
    which = "This reply" if len(cards) == 1 else f"These {len(cards)} replies"
    folded = blocks.Fold(f"{which}, and {deciding}", cards, main=True)
    whole = tuple(card for shown in (replies if in_short is None else in_short) for card in _whole_reply(shown))
    in_full = first_in_table(title, ("It said", "Why it could not be graded"), rows, folded, folded_remedies)
    return in_full, blocks.InShort((blocks.ReportSection(title, whole), what_to_try))


def assumed_replies(replies: Sequence[AnswerToShow], number: int) -> tuple[blocks.Block, ...]:
    """Short replies that count as wrong since they resemble no accepted answer, and how to decide them for certain."""
    if not replies:
        return ()
    which = f"{len(replies)} of the {count(number)} short replies" if number > len(replies) else "Short replies"
    title = f"{which} counted as wrong"
    cards = tuple(_card(shown, "Reply") for shown in replies)
    short = tuple(blocks.CaseCard((blocks.Pairs(_in_short(shown)),)) for shown in replies[:MOST_IN_SHORT])
    return (blocks.ReportSection(title, (blocks.InFull(cards), blocks.InShort(short), blocks.Paragraph(_HOW_ASSUMED))),)


_HOW_ASSUMED: Final = (
    "Each is short and resembles no accepted answer. No fail rests on them alone: add further accepted answers, or have a "
    "judge or exact matching decide."
)


def checked_answer(answer: GradedAnswer, number: int) -> blocks.CaseCard:
    """An answer, with its number, for someone who checks how replies are parsed and graded."""
    read_as = in_one_line(answer.read_as, SHOWN_CHECKED) or "(nothing)"
    pairs = (
        ("Question", in_one_line(answer.question, SHOWN_CHECKED)),
        ("Reply", in_one_line(answer.answer, SHOWN_CHECKED) or "(empty)"),
        *((("Read as", read_as),) if answer.read_as or answer.grade == NOT_GRADABLE else ()),
        *((("Expected", in_one_line(answer.expected, SHOWN_CHECKED)),) if answer.expected else ()),
        ("Grade", answer.grade),
        ("Why", in_one_line(answer.why, SHOWN_CHECKED)),
        *_would_decide(answer),
    )
    return blocks.CaseCard((blocks.Pairs(pairs),), f"{number}. {clipped(answer.id, SHOWN_ID)}")


def _would_decide(answer: GradedAnswer) -> tuple[tuple[str, str], ...]:
    return (("Would decide it", "; ".join(answer.decided_by)),) if answer.decided_by else ()


def unread_title(counts: UngradedReplies, shown: int) -> str:
    """The heading of ungraded replies."""
    which = f"{shown} of the {count(counts.count)} replies" if counts.count > shown else "Replies"
    return f"{which} that could not be {counts.verb}"


def _card(shown: AnswerToShow, what: str) -> blocks.CaseCard:
    answer = shown.answer
    return blocks.CaseCard(
        (
            blocks.Pairs(
                (
                    *shown.whose,
                    ("Question", clipped(answer.question, SHOWN_CHARACTERS)),
                    (what, clipped(answer.answer, SHOWN_CHARACTERS) or "(empty)"),
                    *((("Expected", clipped(answer.expected, SHOWN_CHARACTERS)),) if answer.expected else ()),
                    ("Grade", f"{_grade(answer)} ({clipped(answer.id, SHOWN_ID)})"),
                    *((("Why", clipped(answer.why, SHOWN_CHARACTERS)),) if answer.why else ()),
                    *_would_decide(answer),
                )
            ),
            *folded_steps(answer.steps),
        )
    )


def _grade(answer: GradedAnswer) -> str:
    words = "unacceptable" if answer.unacceptable else f"score {score(answer.score)}"
    if answer.upper is not None:
        words = answer.grade or NOT_GRADABLE
    if answer.broken_law:
        return f"{words}: {clipped(answer.broken_law, SHOWN_CHARACTERS)}"
    return words if answer.outcome is Outcome.ANSWER else f"{words}, {answer.outcome.value}"


def _in_short(shown: AnswerToShow) -> tuple[tuple[str, str], ...]:
    answer = shown.answer
    grade = "unacceptable" if answer.unacceptable else f"score {answer.score:.2g}"
    return (
        *((what.lower(), name) for what, name in shown.whose),
        ("asked", in_one_line(answer.question)),
        (grade, in_one_line(answer.answer) or f"({answer.outcome.value})"),
        *((("expected", in_one_line(answer.expected)),) if answer.expected else ()),
        *((("law", clipped(answer.broken_law, SHOWN_LAW)),) if answer.broken_law else ()),
    )


def _whole_reply(shown: AnswerToShow) -> tuple[blocks.Block, ...]:
    answer = shown.answer
    reply = clipped(answer.answer, SHOWN_CHARACTERS) or "(empty)"
    why = (("why", in_one_line(answer.why)),) if answer.why else ()
    below = tuple((what.lower(), words) for what, words in _would_decide(answer))
    card = blocks.CaseCard(
        (blocks.Passage(reply), *((blocks.Pairs((*why, *below)),) if answer.why or below else ())), f"{answer.outcome.value}:"
    )
    whose = ((what.lower(), name) for what, name in shown.whose)
    return blocks.Pairs((*whose, ("asked", in_one_line(answer.question)))), card


def in_one_line(text: str, longest: int = SHOWN_LINE) -> str:
    """Untrusted text on one line, clipped."""
    return clipped(" ".join(text.split()), longest)
