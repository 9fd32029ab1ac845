"""The report part on one candidate: its tables and figures, and how they were computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from vivavoce.eqt.record import ROLES, EqtConfig, EqtRole, ParseOutcome
from vivavoce.eqt.report import parts
from vivavoce.eqt.report.parts import examples, worst_example
from vivavoce.eqt.report.sentences import caveats_of, headline_of, others_of
from vivavoce.eqt.result import DECIDED, VERDICTS, EqtResult, Figures, LocatedFailures, Validity, Verdict
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, numbered, percent, score
from vivavoce.interview.forms.repeated_answers import RepeatedAnswer
from vivavoce.interview.forms.several_options import Choice, letters
from vivavoce.report.blocks import (
    Block,
    Column,
    Fold,
    InFull,
    InShort,
    Items,
    Paragraph,
    ReportRow,
    ReportSection,
    ReportTable,
    Tiles,
    notes,
    paragraphs,
    tile_of,
    two_columns,
)
from vivavoce.report.cells import TableCell

LONGEST_REASON: Final = 60
MOST_REASONS: Final = 8
MOST_LINES: Final = 400
"""Maximum number of concepts or categories in a table: 280 are built in, and a file may contain ten thousand."""
MOST_VISITORS: Final = 24
SHOWN_SOURCE: Final = 200
EXACTLY: Final = "questions answered exactly, without the explanation and with it"
ORIGINALS: Final = "Original wordings. Lines are 95% intervals."
WHERE: Final[dict[Verdict, tuple[str, str]]] = {
    "explaining": ("In explaining", "the key follows from the explanation, and the source denies it"),
    "writing": ("In writing the question", "the key is not what the explanation says"),
    "answering": ("In answering", "explanation, source and key agree, and the answer without them does not"),
    "none": ("Nowhere", "all agree"),
}
BOOKS: Final = (
    ("closed", "Nothing", "answered as keyed"),
    ("with_explanation", "The explanation", "answered as keyed"),
    ("with_source", "The source", "answered as keyed"),
    ("true", "Nothing, by the source", "answered as the checker does with the source"),
)
DIFFERENCES: Final = (
    ("explanation_gains", "What the explanation adds", "with it minus without, in points"),
    ("source_loses", "What the source denies", "with the explanation minus with the source, in points"),
)
FIGURES: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("closed", "Right without the explanation", "right, closed book", "all wordings; exactly the right options"),
    ("closed_originals", "… original wording only", "… original wording", "the questions as they were written"),
    ("partial", "… with partial credit", "… partial credit", "options chosen and right, of those chosen or right"),
    ("open_book", "Right with the explanation", "right, open book", "original wording"),
    ("gap", "Comprehension gap", "comprehension gap", "with minus without, question by question, in percentage points"),
    ("acs", "Same answer to all wordings (ACS)", "consistency (ACS)", "1: always; can't reach 0, as in the paper"),
    ("acs_rescaled", "… rescaled", "… rescaled", "0: every answer differs; 1: all are the same"),
    ("unreadable", "Unparsed or missing answers", "unparsed, missing", "without the explanation, all wordings"),
)
"""The attribute of `Figures`, its title, its short title, and a brief description."""
DOES: Final[Mapping[EqtRole, str]] = {
    "explainer": "Explains the concepts",
    "writer": "Writes questions and keys",
    "paraphraser": "Paraphrases questions",
    "answerer": "Answers",
    "checker": "Checks questions and keys",
}
READ: Final[Mapping[ParseOutcome, str]] = {
    "strict": "In the requested form",
    "lenient": "In another unambiguous form",
    "does not know": "Says that it doesn't know",
    "unreadable": "Not parsed",
    "copied": "Only repeats the prompt",
    "cut off": "Cut off by a limit",
    "no answer": "Missing",
}
HEADS: Final = (
    Column("Without", "all wordings", "closed book"),
    Column("Without", "original", "closed book, original", detail=True),
    Column("With", "original", "open book"),
    Column("Gap", "points", "gap"),
    Column("ACS", "as printed", "ACS"),
)
"""The columns for `IN_LINES`."""


def candidate_part(result: EqtResult) -> parts.ReportPart:
    """The report part on one candidate."""
    categories = result.categories[: parts.MOST_GROUPS] if len(result.categories) > 1 else ()
    rows = [row for figures in categories for row in parts.without_and_with(parts.display_name(figures.name), figures)]
    drawn = parts.not_shown(parts.MOST_GROUPS, len(result.categories), "categories")
    return parts.ReportPart(
        "On its own explanations" if result.explains_itself else "On another model's explanations",
        f"{parts.display_name(result.candidate)} on {'its own' if result.explains_itself else 'given'} explanations",
        headline_of(result),
        others_of(result),
        _lead(result),
        (
            *parts.shares_figure(
                [*parts.without_and_with("All concepts", result.whole), *rows], EXACTLY, f"{ORIGINALS} {drawn}".rstrip()
            ),
            *numbers(result.whole, result.valid),
            InFull(paragraphs(_consistency(result))),
            *_by_category(result),
            *where_it_fails(result.grounding),
            *question_quality(result.validity, checked=result.config.checks),
            *examples(result.examples),
            *visitors(result.visitors, result.ahead),
        ),
        caveats_of(result),
        _method(result.config),
        (_tiles(result.whole), *worst_example(result.examples)),
        (ReportSection("Replies and cost", _replies_and_cost(result)),),
    )


def _tiles(whole: Figures) -> Tiles:
    shares = (("Right without its explanation", "closed_originals"), ("Right with its explanation", "open_book"))
    if whole.closed_originals.value is None:
        return Tiles(())
    tiles = [tile_of(label, parts.figure_cell(whole, what), (0.0, 1.0)) for label, what in shares]
    return Tiles((*tiles, tile_of("Gap in points", parts.figure_cell(whole, "gap"))))


def _by_category(result: EqtResult) -> tuple[Block, ...]:
    """Figures by category, if there are several, and by concept."""
    table = by_part("Category", result.categories, "categories")
    categories = (InFull((ReportSection("By category", table),)), InShort(table)) if len(result.categories) > 1 else ()
    return (*categories, Fold("By concept", by_part("Concept", result.concepts, "concepts"), main=True))


def _replies_and_cost(result: EqtResult) -> tuple[Block, ...]:
    reasons = {
        "Answers that could not be used": result.unread,
        "Wordings that were not asked": {"the budget had run out": result.not_asked},
        "Questions that were not written": result.validity.not_written,
        "Paraphrases that were not written": result.validity.not_paraphrased,
        "Concepts without an explanation": result.no_explanation,
    }
    missing = tuple(f"{what}: {listed(why)}." for what, why in reasons.items() if any(why.values()))
    left = f" of {count(result.planned)}" if result.completed != result.planned else ""
    lines = [("Concepts", f"{count(result.completed)}{left}"), ("Calls", count(result.calls))]
    if result.tokens_in or result.tokens_out:
        lines.append(("Tokens", f"{count(result.tokens_in)} sent, {count(result.tokens_out)} received"))
    if result.money:
        lines.append(("Money", f"{result.money:.2f} at the given prices"))
    if result.exhausted:
        lines.append(("Ended by", clipped(result.exhausted, 60)))
    items = Items((*(f"{what}: {number}" for what, number in lines), *missing))
    return (
        *readings(result.parses, result.validity.parses, result.after_turn),
        InFull(notes(*missing)),
        *most_frequent(result.pattern),
        InFull((two_columns([*lines, *who(result.roles)]),)),
        InShort((ReportSection("Cost", (items,)),)),
    )


def numbers(whole: Figures, valid: Figures) -> tuple[Block, ...]:
    """All figures, for all questions and for valid ones only."""
    rows = tuple(
        ReportRow(
            TableCell(name, short=short, below=(about,)), (parts.figure_cell(whole, what), parts.figure_cell(valid, what))
        )
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
    return ReportTable(columns, rows), InFull(notes(about[0])), InShort(notes(about[1]))


def by_part(head: str, every: Sequence[Figures], what: str) -> tuple[Block, ...]:
    """One row per category or concept; empty without any. `what`: the plural noun for the rows."""
    rows = tuple(
        ReportRow(
            TableCell(parts.display_name(figures.name), below=(numbered(figures.questions, "question"),)),
            parts.without_n(parts.figure_cell(figures, name) for name in parts.IN_LINES),
        )
        for figures in every[:MOST_LINES]
    )
    if not rows:
        return ()
    table = ReportTable((Column(head, short=head.lower()), *HEADS), rows, name=f"{head}: shares, gap and consistency")
    return table, *notes(parts.not_shown(len(rows), len(every), what))


def question_quality(validity: Validity, *, checked: bool) -> tuple[Block, ...]:
    """The number of questions with each fault; `checked`: whether there was a checker."""
    lines = quality_lines(validity, checked=checked)
    if not lines:
        return ()
    rows = tuple(ReportRow(TableCell(sentence), (TableCell(percent(share), share),)) for sentence, share in lines)
    short = Items(tuple(f"{sentence} ({percent(share)})" for sentence, share in lines))
    table = ReportTable((Column("", percent=82), Column("")), rows)
    return (ReportSection("Question quality", (InFull((table,)), InShort((short,)))),)


def quality_lines(validity: Validity, *, checked: bool) -> list[tuple[str, float]]:
    """A plain sentence and a share for each possible fault of questions."""
    read, made = validity.key_checked - validity.key_unreadable, validity.paraphrases_made
    compared, alone = made - validity.paraphrases_unchecked, validity.written if checked else 0
    lines = [
        _of(validity.written, validity.wanted, "question", ("was", "were"), "written with options and a key"),
        _of(validity.pointing, validity.written, "question", ("points", "point"), "at a text that the reader can't see"),
        _of(validity.not_self_contained, alone, "question", ("can't", "can't"), "be understood alone, says the checker"),
        _of(validity.duplicates, validity.written, "question", ("asks", "ask"), "the same as an earlier one"),
        _of(validity.key_failed, read, "key", ("is", "are"), "not what the checker answers with the explanation"),
        _of(validity.key_unreadable, validity.key_checked, "key check", ("gave", "gave"), "no answer", always=False),
        _of(alone - validity.key_checked, alone, "key", ("was", "were"), "not checked", always=False),
        _of(made, validity.paraphrases_wanted, "paraphrase", ("was", "were"), "written"),
        _of(validity.paraphrases_changed, compared, "paraphrase", ("means", "mean"), "something else, says the checker"),
        _of(validity.paraphrases_unchecked, made, "paraphrase", ("was", "were"), "not checked", always=False),
        _of(validity.valid, validity.written, "question", ("has", "have"), "none of these faults"),
    ]
    return [line for line in lines if line is not None]


def visitors(accuracy: Mapping[str, Estimate], ahead: Mapping[str, Estimate]) -> tuple[Block, ...]:
    """Visitors that answered these questions: their accuracy, and their lead over the candidate."""
    rows = tuple(
        ReportRow(
            TableCell(parts.display_name(name)),
            (parts.share_cell(right), parts.points_cell(ahead[name]) if name in ahead else TableCell("unknown", known=False)),
        )
        for name, right in list(accuracy.items())[:MOST_VISITORS]
    )
    heads = (Column("Model"), Column("Right without the explanation"), Column("Ahead of the candidate, in points"))
    return (ReportSection("Others on the same questions", (ReportTable(heads, rows),)),) if rows else ()


def readings(answers: Mapping[ParseOutcome, int], written: Mapping[ParseOutcome, int], after_turn: int) -> tuple[Block, ...]:
    """How the closed-book answers, and the writer's questions, were parsed."""
    rows = [(words, _part(answers, parse), _part(written, parse)) for parse, words in READ.items()]
    if after_turn:
        turned = f"{count(after_turn)} ({percent(after_turn / sum(answers.values()))})"
        rows.append(("Only after a follow-up question, among all of these", turned, ""))
    table = ReportTable(
        (Column("Reply"), Column("Answers"), Column("Questions written")),
        tuple(
            ReportRow(TableCell(words), (TableCell(of_answers), TableCell(of_questions)))
            for words, of_answers, of_questions in rows
        ),
    )
    items = tuple(f"{words}: {of_answers}" for words, of_answers, _ in rows if of_answers[0] not in "0n")
    return InFull((table,)), InShort((ReportSection("How answers were parsed", (Items(items),) if items else ()),))


def most_frequent(pattern: RepeatedAnswer[Choice] | None) -> tuple[Block, ...]:
    """The most frequent answer, and the accuracy of always giving it."""
    if pattern is None:
        return ()
    asked = count(pattern.of_questions)
    lines = [
        (
            f"answers are “{letters(pattern.value)}”, more than any other",
            f"{count(pattern.answers)} of {count(pattern.of_answers)}",
        ),
        ("questions have it as their key", f"{count(pattern.keys)} of {asked}"),
        ("questions at most would be right by always giving the same answer", f"{count(pattern.best)} of {asked}"),
    ]
    items = Items(tuple(f"{number} {what}" for what, number in lines))
    return (
        InFull((two_columns(lines, ("The most frequent answer", "Times")),)),
        InShort((ReportSection("The most frequent answer", (items,)),)),
    )


def who(roles: Mapping[EqtRole, str]) -> list[tuple[str, str]]:
    """The model in each role; one line if all roles have the same model."""
    lines = [(DOES[role], parts.display_name(roles[role])) for role in ROLES if role in roles]
    return [("Explains, asks, answers and checks", lines[0][1])] if lines and len(set(roles.values())) <= 1 else lines


def listed(why: Mapping[str, int]) -> str:
    """Reasons with their counts, the most frequent first.

    >>> listed({"no option named": 2, "time-out": 12, "refused": 0})
    'time-out 12, no option named 2'
    """
    ordered = sorted(((reason, number) for reason, number in why.items() if number), key=lambda line: (-line[1], line[0]))
    shown = [
        f"{clipped(' '.join(reason.split()), LONGEST_REASON)} {count(number)}" for reason, number in ordered[:MOST_REASONS]
    ]
    rest = sum(number for _, number in ordered[MOST_REASONS:])
    return ", ".join([*shown, f"other reasons {count(rest)}"] if rest else shown)


def where_it_fails(grounding: LocatedFailures | None) -> tuple[Block, ...]:
    """Failures located with the user's sources; empty without sources."""
    if grounding is None:
        return ()
    where = tuple(
        ReportRow(TableCell(WHERE[name][0], below=(WHERE[name][1],)), (parts.share_cell(grounding.shares[name]),))
        for name in VERDICTS
        if name in DECIDED
    )
    books = tuple(
        ReportRow(TableCell(name, below=(about,)), (cell(getattr(grounding, what)),))
        for rows, cell in ((BOOKS, parts.share_cell), (DIFFERENCES, parts.points_cell))
        for what, name, about in rows
    )
    silent, unread = grounding.counts["not in the source"], grounding.counts["unreadable"]
    left_out = (
        f"The first table leaves out {count(silent + unread)} of {count(sum(grounding.counts.values()))} questions: "
        f"{count(silent)} that the source does not settle, and {count(unread)} with an unparsed check or answer. "
        "In the second table, unparsed answers count as wrong."
    )
    blocks: tuple[Block, ...] = (
        InFull((Paragraph(_SOURCES),)),
        ReportTable((Column("Fails", short="fails", percent=70), Column("Questions", short="questions")), where),
        ReportTable((Column("With what", short="with", percent=70), Column("Right", short="right")), books),
        *notes(left_out),
    )
    return (ReportSection("Failures by the sources", blocks),)


def _of(
    number: int, total: int, thing: str, verbs: tuple[str, str], rest: str, *, always: bool = True
) -> tuple[str, float] | None:
    """`9 of 100 questions point at ...`, and the share; None if there is nothing to count or to say."""
    if not total or not (number or always):
        return None
    return f"{count(number)} of {numbered(total, thing)} {verbs[number != 1]} {rest}", number / total


def _part(parses: Mapping[ParseOutcome, int], parse: ParseOutcome) -> str:
    number, total = parses.get(parse, 0), sum(parses.values())
    return f"{count(number)} ({percent(number / total)})" if total else "none"


def _lead(result: EqtResult) -> str:
    whose = "its own" if result.explains_itself else "the"
    return (
        "First a concept is explained, and questions are written that the explanation answers. The candidate then answers them "
        f"without the explanation, and again with it. The difference is the comprehension gap: how much of {whose} explanation "
        f"it can't use. Concepts: {clipped(result.signature.scope, SHOWN_SOURCE) or 'not named'}."
    )


def _consistency(result: EqtResult) -> str:
    if result.of_one_pattern:
        return "Every question got the same answer, so agreement between answers says nothing about consistency."
    wordings, acs, rescaled = result.config.paraphrases + 1, result.whole.acs.value, result.whole.acs_rescaled.value
    if acs is None or rescaled is None:
        return "No question was answered in more than one wording, so consistency is not known."
    each = score(1 / wordings)
    return (
        f"Each question was to be asked in {count(wordings)} wordings with the same meaning. Its answer consistency score "
        f"(ACS) is 1 if all get the same answer, right or wrong. Each further different answer takes off {each}: {each} is "
        f"left if no two agree; rescaled, that is 0. The mean is {score(acs)}, rescaled {score(rescaled)}."
    )


def _method(config: EqtConfig) -> tuple[str, ...]:
    heat = "the candidate's own temperature" if config.temperature is None else f"temperature {config.temperature:g}"
    order = "in an order drawn by the seed" if config.shuffle else "in the order of their writer"
    return (
        f"For each concept: one explanation, {numbered(config.questions, 'question')} with {count(config.options)} options, "
        f"one or several of them right, and {numbered(config.paraphrases, 'other wording')} of each. Every answer is given in "
        f"a separate conversation, at {heat}, the options {order}. Explanations, questions and wordings are written at the "
        "candidate's own temperature.",
        *_COUNTED,
        _CHECKED if config.checks else _UNCHECKED,
        "Intervals are at level 95% and clustered by concept, or by question if there is one concept only. With too little "
        "evidence, the interval is the whole possible range.",
    )


_SOURCES: Final = (
    "A candidate that explains something wrongly, and answers accordingly, would pass. So each question is also checked "
    "against a source that the user supplied. The checker says what it finds there and in the explanation, and the candidate "
    "answers with either."
)
_COUNTED: Final = (
    "An answer is right if it names exactly the options of the key. Partial credit is the number of options chosen and right "
    "over the number chosen or right. A missing answer is wrong. An unparsed answer counts both ways: as wrong for the lower "
    "number and the lower end of the interval, as right for the upper. Questions that the budget left out don't count.",
    "The most frequent answer is compared with the keys, question by question (Fisher's exact test, one-sided, corrected for "
    "the number of different answers). If it is given more often than they explain, and to most questions, all figures about "
    "knowledge are withheld; the JSON has them as “of_one_pattern”.",
    "The gap is computed question by question, over original wordings that were answered both ways.",
    "The answer consistency score of a question is 1 − (different answers − 1) / answers, as printed in the paper; rescaled it "
    "is 1 − (different answers − 1) / (answers − 1). Answers are sets of options; unparsed is a value of its own.",
)
_CHECKED: Final = (
    "A question is valid if it does not point at a text and no earlier question of the concept asks the same. The checker "
    "must understand it alone, and its answer with the explanation must be the key. Of valid questions, wordings with another "
    "meaning don't count."
)
_UNCHECKED: Final = (
    "A question is valid if it does not point at a text and no earlier question of the concept asks the same. Keys, and "
    "whether wordings mean the same, were not checked."
)
