"""The tables of an examination on a candidate's own explanations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from vivavoce.eqt.figures import Figures, Validity
from vivavoce.eqt.questions import ROLES, Manner, Role
from vivavoce.eqt.report.cells import IN_LINES, called, counted, figure_cell, points_cell, share_cell, without_n
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, percent
from vivavoce.interview.forms.patterns import Pattern
from vivavoce.interview.forms.several_options import Choice, letters
from vivavoce.report.blocks import Block, Column, InFull, InShort, Items, Row, Section, Table
from vivavoce.report.cells import Cell
from vivavoce.report.parts import notes, two_columns

LONGEST_REASON: Final = 60
MOST_REASONS: Final = 8
MOST_LINES: Final = 400
"""Concepts or categories in a table: 280 are built in, a file may hold ten thousand."""
MOST_VISITORS: Final = 24
MOST_VISITORS_IN_SHORT: Final = 10

FIGURES: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("closed", "Right without the explanation", "right, closed book", "all wordings; exactly the right options"),
    ("closed_originals", "… original wording alone", "… original wording", "the questions as they were written"),
    ("partial", "… with partial credit", "… partial credit", "right options chosen, of all that are chosen or right"),
    ("open_book", "Right with the explanation at hand", "right, open book", "original wording"),
    (
        "gap",
        "Comprehension gap",
        "comprehension gap",
        "with less without the explanation, question by question, in points of a hundred",
    ),
    ("acs", "Same answer to all wordings (ACS)", "consistency (ACS)", "1: always; as the paper has it, it cannot reach 0"),
    ("acs_rescaled", "… rescaled", "… rescaled", "from 0, every answer different, to 1, all alike"),
    ("unreadable", "Unreadable or missing answers", "unreadable, missing", "without the explanation, over all wordings"),
)
"""The attribute of `Figures`, what it is called, what where there is little room, and what it is in a few words."""
DOES: Final[Mapping[Role, str]] = {
    "explainer": "Explains the concepts",
    "writer": "Writes questions and keys",
    "paraphraser": "Paraphrases questions",
    "answerer": "Answers",
    "checker": "Checks questions and keys",
}
READ: Final[Mapping[Manner, str]] = {
    "strict": "In the form that was asked for",
    "lenient": "In another form that leaves no doubt",
    "does not know": "Says that it is not known",
    "unreadable": "Not readable",
    "copied": "Only repeats what was shown",
    "cut off": "Cut off by a limit",
    "no answer": "None came",
}
HEADS: Final = (
    Column("Without", "all wordings", "closed book"),
    Column("Without", "original", "closed book, original", detail=True),
    Column("With", "original", "open book"),
    Column("Gap", "points", "gap"),
    Column("ACS", "as printed", "ACS"),
)
"""Of `IN_LINES`."""


def numbers(whole: Figures, valid: Figures) -> tuple[Block, ...]:
    """All figures over all questions, and over valid ones alone."""
    rows = tuple(
        Row(Cell(name, short=short, below=(about,)), (figure_cell(whole, what), figure_cell(valid, what)))
        for what, name, short, about in FIGURES
    )
    columns = (
        Column("Figure", short="figure", percent=44),
        Column("All questions", short="all questions"),
        Column("Valid ones only", short="valid ones only"),
    )
    about = (
        "With 95% intervals and the number of answers or questions. What makes a question invalid is explained below.",
        "Right: answered exactly. Valid: without a fault.",
    )
    return Table(columns, rows), InFull(notes(about[0])), InShort(notes(about[1]))


def by_part(head: str, every: Sequence[Figures], what: str) -> tuple[Block, ...]:
    """One line a category or concept: how many questions, and its figures; `what`: several of them, in a word."""
    rows = tuple(
        Row(
            Cell(called(of.name), below=(counted(of.questions, "question"),)),
            without_n([figure_cell(of, name) for name in IN_LINES]),
        )
        for of in every[:MOST_LINES]
    )
    table = Table((Column(head, short=head.lower()), *HEADS), rows, name=f"{head}: shares, gap and consistency")
    if len(every) <= MOST_LINES:
        return (table,)
    return table, *notes(f"There is room for {count(MOST_LINES)} of {count(len(every))} {what}; the JSON has all of them.")


def worth(validity: Validity, *, checked: bool) -> Section:
    """What the questions are worth; `checked`: there was a checker."""
    lines = worth_lines(validity, checked=checked)
    rows = tuple(Row(Cell(sentence), (Cell(percent(share), share),)) for sentence, share in lines)
    if not lines:
        return Section("", ())
    return Section(
        "What the questions are worth",
        (
            InFull((Table((Column("", percent=82), Column("")), rows),)),
            InShort((Items(tuple(f"{sentence} ({percent(share)})" for sentence, share in lines)),)),
        ),
    )


def worth_lines(validity: Validity, *, checked: bool) -> list[tuple[str, float]]:
    """A plain sentence and a share for each fault that questions may have."""
    read, made = validity.key_checked - validity.key_unreadable, validity.paraphrases_made
    compared, alone = made - validity.paraphrases_unchecked, validity.written if checked else 0
    lines = [
        _of(validity.written, validity.wanted, "question", ("was", "were"), "written in a form that holds options and a key"),
        _of(validity.pointing, validity.written, "question", ("points", "point"), "at a text that the reader cannot see"),
        _of(validity.not_self_contained, alone, "question", ("cannot", "cannot"), "be understood alone, says the checker"),
        _of(validity.duplicates, validity.written, "question", ("asks", "ask"), "what an earlier one of the concept asks"),
        _of(validity.key_failed, read, "key", ("is", "are"), "not what the checker answers, with the explanation at hand"),
        _of(validity.key_unreadable, validity.key_checked, "key check", ("gave", "gave"), "nothing readable", always=False),
        _of(alone - validity.key_checked, alone, "key", ("was", "were"), "not checked", always=False),
        _of(made, validity.paraphrases_wanted, "paraphrase", ("was", "were"), "made"),
        _of(validity.paraphrases_changed, compared, "paraphrase", ("means", "mean"), "something else, says the checker"),
        _of(validity.paraphrases_unchecked, made, "paraphrase", ("was", "were"), "compared by nobody", always=False),
        _of(validity.valid, validity.written, "question", ("has", "have"), "none of these faults"),
    ]
    return [line for line in lines if line is not None]


def visitors(accuracy: Mapping[str, Estimate], ahead: Mapping[str, Estimate]) -> Section:
    """Others who answered these questions: their accuracy, and how far they are ahead of the candidate, in points."""
    rows = tuple(
        Row(
            Cell(called(name)), (share_cell(right), points_cell(ahead[name]) if name in ahead else Cell("unknown", known=False))
        )
        for name, right in list(accuracy.items())[:MOST_VISITORS]
    )
    heads = (Column("Who"), Column("Right without the explanation"), Column("Ahead of the candidate, in points"))
    return Section("Others on the same questions", (Table(heads, rows),) if rows else ())


def readings(answers: Mapping[Manner, int], written: Mapping[Manner, int], after_turn: int) -> tuple[Block, ...]:
    """How answers without the explanation were read, and questions of the writer."""
    rows = [(words, _part(answers, manner), _part(written, manner)) for manner, words in READ.items()]
    if after_turn:
        turned = f"{count(after_turn)} ({percent(after_turn / sum(answers.values()))})"
        rows.append(("Only after a further turn, among all of these", turned, ""))
    table = Table(
        (Column("Reply"), Column("Answers"), Column("Questions written")),
        tuple(Row(Cell(words), (Cell(of_answers), Cell(of_questions))) for words, of_answers, of_questions in rows),
    )
    told = tuple(f"{words}: {of_answers}" for words, of_answers, _ in rows if of_answers[0] not in "0n")
    return InFull((table,)), InShort((Section("How answers were read", (Items(told),) if told else ()),))


def pattern_lines(pattern: Pattern[Choice] | None) -> list[tuple[str, str]]:
    """The most frequent answer, and what it would be worth to give always the same."""
    if pattern is None:
        return []
    asked = count(pattern.of_questions)
    times = f"{count(pattern.answers)} of {count(pattern.of_answers)}"
    return [
        (f"answers are “{letters(pattern.value)}”, more than any other", times),
        ("questions have it as their key", f"{count(pattern.keys)} of {asked}"),
        ("questions at most would be right with always the same answer", f"{count(pattern.best)} of {asked}"),
    ]


def most_frequent(pattern: Pattern[Choice] | None) -> tuple[Block, ...]:
    """The same as a table, or in a terminal as sentences."""
    lines = pattern_lines(pattern)
    if not lines:
        return ()
    told = Items(tuple(f"{number} {what}" for what, number in lines))
    return (
        InFull((two_columns(lines, ("The most frequent answer", "Times")),)),
        InShort((Section("The most frequent answer", (told,)),)),
    )


def who(roles: Mapping[Role, str]) -> list[tuple[str, str]]:
    """What is done, and by whom; in one line where one and the same does everything."""
    lines = [(DOES[role], called(roles[role])) for role in ROLES if role in roles]
    return [("Explains, asks, answers and checks", lines[0][1])] if lines and len(set(roles.values())) <= 1 else lines


def listed(why: Mapping[str, int]) -> str:
    """Reasons with their numbers, the most frequent first.

    >>> listed({"no option named": 2, "time-out": 12, "refused": 0})
    'time-out 12, no option named 2'
    """
    ordered = sorted(((reason, number) for reason, number in why.items() if number), key=lambda line: (-line[1], line[0]))
    shown = [
        f"{clipped(' '.join(reason.split()), LONGEST_REASON)} {count(number)}" for reason, number in ordered[:MOST_REASONS]
    ]
    rest = sum(number for _, number in ordered[MOST_REASONS:])
    return ", ".join([*shown, f"other reasons {count(rest)}"] if rest else shown)


def reasons(why: Mapping[str, Mapping[str, int]]) -> tuple[str, ...]:
    """What did not come or could not be read -> why -> how many, a sentence each."""
    return tuple(f"{what}: {listed(of)}." for what, of in why.items() if any(of.values()))


def took(lines: Sequence[tuple[str, str]], missing: Sequence[str], doers: Sequence[tuple[str, str]]) -> tuple[Block, ...]:
    """What was asked and what it cost, and who did what."""
    told = Items((*(f"{what}: {number}" for what, number in lines), *missing))
    return InFull((two_columns([*lines, *doers]),)), InShort((Section("What it took", (told,)),))


def _of(
    number: int, total: int, thing: str, verbs: tuple[str, str], rest: str, *, always: bool = True
) -> tuple[str, float] | None:
    """`9 of 100 questions point at ...`, and the share; None where there is nothing to count, or nothing to tell."""
    if not total or not (number or always):
        return None
    return f"{count(number)} of {counted(total, thing)} {verbs[number != 1]} {rest}", number / total


def _part(manners: Mapping[Manner, int], manner: Manner) -> str:
    number, total = manners.get(manner, 0), sum(manners.values())
    return f"{count(number)} ({percent(number / total)})" if total else "none"
