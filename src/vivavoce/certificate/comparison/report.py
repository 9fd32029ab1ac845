"""The sentences, tables and figures of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import isfinite
from typing import Final

from vivavoce.certificate.claims.repeated_answers import DrawsFinding
from vivavoce.certificate.comparison.compared import ComparedCandidate, PairDifference, PairVerdict
from vivavoce.certificate.comparison.paired_answers import DiscordantQuestion
from vivavoce.certificate.report.answers import AnswerToShow, first_in_table, in_one_line, question_cell, these, unread_replies
from vivavoce.certificate.report.caveats import MANY_UNGRADED, these_replies
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import (
    capital,
    clipped,
    count,
    exactly,
    score,
    share,
    signed,
    signed_above,
    signed_below,
    signed_exactly,
    signed_interval,
    signed_within,
)
from vivavoce.report import blocks
from vivavoce.report.blocks import (
    Block,
    CaseCard,
    Column,
    Fold,
    InFull,
    InShort,
    Pairs,
    ReportFigure,
    ReportRow,
    ReportSection,
    ReportTable,
    Tile,
    Tiles,
    notes,
    paragraphs,
)
from vivavoce.report.cells import TableCell, Tone, count_cell, listed, score_cell, signed_cell
from vivavoce.report.figures import IntervalRow, IntervalRows, Kind

MEAN_SCORES: Final = "mean scores"
MOST_CATEGORIES: Final = 30
KINDS: Final[Mapping[PairVerdict, Kind]] = {
    "better": "plain",
    "worse": "bad",
    "equivalent": "good",
    "not worse": "good",
    "undecided": "open",
}


def difference_figure(names: Sequence[str], pair: PairDifference, what: str = MEAN_SCORES) -> IntervalRows:
    """The difference of two candidates, on all questions and by category; no rows if it is unknown."""
    estimate = pair.difference
    first, second = names
    rows = [_row("all questions", estimate, pair.verdict, pair.range)]
    rows += [
        _row(difference.name or "no category", difference.difference, difference.verdict, difference.range)
        for difference in pair.categories[:MOST_CATEGORIES]
    ]
    by_category = f", and in each of {len(rows) - 1} categories" if len(rows) > 1 else ""
    head = f"Mean score of {first} minus {second}"
    if what != MEAN_SCORES:
        head = f"Difference of {what}, {first} minus {second}"
    known = "unknown" if estimate.value is None else f"{signed(estimate.value)} {signed_interval(estimate.interval)}"
    return IntervalRows(
        f"difference of {what}", () if estimate.value is None else rows, 0.0, "",
        f"{head}: {known} on {count(estimate.n)} units{by_category}.", "number", _span(rows),
        ends=(f"{second} better", f"{first} better"),
    )  # fmt: skip


def pairs_figure(names: Sequence[str], differences: Sequence[PairDifference]) -> IntervalRows:
    """The difference of each pair of candidates."""
    apart = sum(pair.verdict in ("better", "worse") for pair in differences)
    rows = [
        _row(f"{names[pair.pair[0]]} minus {names[pair.pair[1]]}", pair.difference, pair.verdict, pair.range)
        for pair in differences
        if pair.difference.value is not None
    ]
    alt = f"Differences of mean scores with their intervals: {apart} of {len(differences)} differences are significant."
    return IntervalRows(
        "difference of mean scores", rows, 0.0, "", alt, "number", _span(rows), ends=("second better", "first better"),
        key=_key(rows),
    )  # fmt: skip


def _row(label: str, estimate: Estimate, verdict: PairVerdict, ends: Interval | None = None) -> IntervalRow:
    """ends: the range of the difference; None if it is one number."""
    sides = (
        (end if isfinite(end) else side) for end, side in ((estimate.interval.lower, -1.0), (estimate.interval.upper, 1.0))
    )
    text = signed(estimate.value or 0.0)
    return IntervalRow.of(label, text, replace(estimate, interval=Interval(*sides)), KINDS[verdict], ends=ends)


def _span(rows: Sequence[IntervalRow]) -> tuple[float, float]:
    reach = max((abs(end) for row in rows for end in (row.interval.lower, row.interval.upper)), default=0.0)
    reach = 1.05 * min(1.0, max(0.05, reach))
    return -reach, reach


def _key(rows: Sequence[IntervalRow]) -> tuple[tuple[Kind, str], ...]:
    """Labels of the kinds of rows, if there are several."""
    words: dict[Kind, str] = {"plain": "better", "bad": "worse", "good": "equivalent or not worse", "open": "undecided"}
    shown = {row.kind for row in rows}
    return tuple((kind, word) for kind, word in words.items() if kind in shown) if len(shown) > 1 else ()


MOST_SHOWN: Final = 20
"""Discordant questions in full on a page, half of each kind."""
MOST_IN_SHORT: Final = 2
"""In a terminal, of each kind."""
MOST_UNGRADED: Final = 5
"""Replies that could not be graded, of all candidates."""
MOST_NAMED: Final = 3
"""Candidates that a headline names."""
LONGEST: Final = 1_200
LONGEST_NAME: Final = 60
"""Characters of a candidate's name in a tile."""
SIDE_BY_SIDE: Final = 3
"""Discordant questions of each kind in a table; the others follow in full."""
TONES: Final[dict[PairVerdict, Tone]] = {
    "better": "good",
    "not worse": "good",
    "equivalent": "good",
    "worse": "bad",
    "undecided": "open",
}
HIDDEN: Final = (
    "Ungraded replies hide which of the two is better, however many questions are asked. A reply format with a schema "
    "may help, or counting such replies as wrong."
)


def headline(
    candidates: Sequence[ComparedCandidate],
    pairs: Sequence[PairDifference],
    scope: str,
    margin: float,
    *,
    of: str = "mean scores",
) -> str:
    """The verdict; for several candidates, the number of significant differences.

    of: the compared quantity.
    """
    if len(pairs) > 1:
        apart = sum(pair.verdict in ("better", "worse") for pair in pairs)
        return f"Of {len(pairs)} pairs of {len(candidates)} candidates on {scope}, {apart} differences are significant."
    pair = pairs[0]
    first, second = (candidates[index].called for index in pair.pair)
    by = f"{measured(pair)} {signed_interval(pair.difference.interval)}"
    text = f"the difference of their {of} is {shown(pair, margin)}"
    if pair.verdict != "undecided":
        return f"{claimed(first, second, pair.verdict)} on {scope}: {text}."
    undecided = f"Undecided whether {first} or {second} is better on {scope}"
    if pair.difference.value is None:
        return f"{undecided}. Nothing was asked."
    wrong = f"; {if_wrong(pair, first, second)}" if pair.as_read != "undecided" else ""
    return f"{undecided}. The difference is {by}{wrong}."


def claimed(first: str, second: str, verdict: PairVerdict) -> str:
    """A verdict in words.

    >>> claimed("new", "old", "not worse")
    'new is not worse than old'
    """
    return f"{first} and {second} are equivalent" if verdict == "equivalent" else f"{first} is {verdict} than {second}"


def shown(pair: PairDifference, margin: float) -> str:
    """The measured, shown and required values, in clauses; without a verdict the measured value with its interval."""
    match pair.verdict:
        case "better":
            return f"{measured(pair)}{above(pair, 0.0)}; above 0 is required"
        case "worse":
            return f"{measured(pair)}{below(pair, 0.0)}; below 0 is required"
        case "equivalent":
            bounds = f"{above(pair, -margin)}{below(pair, margin, and_so=True)}"
            return f"{measured(pair)}{bounds}; at most {exactly(margin, '')} either way is required"
        case "not worse":
            return f"{measured(pair)}{above(pair, -margin)}; above {signed_exactly(-margin)} is required"
    return f"{measured(pair)} {signed_interval(pair.difference.interval)}"


def measured(pair: PairDifference) -> str:
    """The difference that was found, in all its digits where it is known exactly; a range if some grades are not known."""
    ends = Interval(-1.0, 1.0) if pair.shown is None else pair.shown
    if pair.range is not None:
        return f"between {signed_within(pair.range.lower, ends)} and {signed_within(pair.range.upper, ends)}"
    value = pair.difference.value or 0.0
    if pair.complete:
        return f"{signed_exactly(value)} exactly"
    return signed_within(value, ends) if abs(value) >= 0.01 else signed_exactly(value)


def above(pair: PairDifference, limit: float) -> str:
    """The lower bound that decided the verdict, as a clause; empty if all is known."""
    return "" if pair.shown is None else f", shown to be above {signed_above(pair.shown.lower, limit)}"


def below(pair: PairDifference, limit: float, *, and_so: bool = False) -> str:
    """The bound from above; `and_so`: behind the one from below."""
    if pair.shown is None:
        return ""
    return f"{' and' if and_so else ', shown to be'} below {signed_below(pair.shown.upper, limit)}"


def if_wrong(pair: PairDifference, first: str, second: str) -> str:
    """What would be shown if the short replies that are assumed to be wrong are wrong, as a clause."""
    return f"{claimed(first, second, pair.as_read)} if {these_replies(pair.assumed)} wrong"


def ungraded(candidates: Sequence[ComparedCandidate]) -> str:
    """The sentence after a verdict if many replies of some candidates could not be graded; else empty."""
    often = [candidate for candidate in candidates if candidate.often_ungraded]
    if not often:
        return ""
    if len(often) > MOST_NAMED:
        return f" For {len(often)} candidates, {share(MANY_UNGRADED)} or more of the replies could not be graded."
    text = listed(
        [f"{share(candidate.unreadable / candidate.answers)} of the replies of {candidate.called}" for candidate in often]
    )
    return f" {capital(text)} could not be graded."


def ungraded_replies(candidates: Sequence[ComparedCandidate]) -> tuple[Block, ...]:
    """The first replies that could not be graded, of all candidates in turn, and what would decide them."""
    shown = [[AnswerToShow(answer, candidate=candidate.called) for answer in candidate.unread] for candidate in candidates]
    in_turn = [pair for turn in zip_longest(*shown) for pair in turn if pair is not None]
    return unread_replies("Replies that could not be graded", in_turn[:MOST_UNGRADED], ())


def shown_verdict(pairs: Sequence[PairDifference]) -> blocks.VerdictLabel:
    """The verdict as a page has it above its headline."""
    if len(pairs) > 1:
        apart = sum(pair.verdict in ("better", "worse") for pair in pairs)
        return blocks.VerdictLabel(
            f"{apart} of {len(pairs)} differences are significant", "open" if apart < len(pairs) else "good"
        )
    return blocks.VerdictLabel(pairs[0].verdict.capitalize(), TONES[pairs[0].verdict])


def tiles(candidates: Sequence[ComparedCandidate], pair: PairDifference, margin: float, what: str = MEAN_SCORES) -> Tiles:
    """The deciding numbers of two candidates: their difference, both scores, and on how many questions they differ."""
    first, second = (candidates[index] for index in pair.pair)
    row = _row("", pair.difference, pair.verdict, pair.range)
    known = pair.difference.value is not None
    bar = IntervalRows(
        "", (replace(row, text=""),), -margin, f"margin {exactly(margin, '')}" if margin else "",
        f"Difference {signed_interval(pair.difference.interval)}", "number", _span([row]),
    )  # fmt: skip
    interval = f"interval {signed_interval(pair.difference.interval)}"
    return Tiles(
        (
            Tile(f"Difference of {what}", measured(pair) if known else "unknown", (interval,), bar if known else None),
            *(
                Tile(clipped(candidate.called, LONGEST_NAME), score_cell(candidate.score, candidate.score_range).text)
                for candidate in (first, second)
            ),
            Tile(
                "Questions on which they differ",
                f"{count(pair.better + pair.worse)} of {count(pair.difference.n)}",
                (
                    f"{clipped(first.called, LONGEST_NAME)} better on {count(pair.better)}",
                    f"{clipped(second.called, LONGEST_NAME)} better on {count(pair.worse)}",
                ),
            ),
        )
    )


def candidates_table(
    candidates: Sequence[ComparedCandidate],
    ranks: Sequence[tuple[int, int]] | None,
    drawn: Sequence[DrawsFinding] | None = None,
) -> ReportTable:
    """Mean score, number of questions and cost of each; for several candidates, their possible ranks.

    drawn: the results of answering each question several times.
    """
    paid, unread = (
        any(candidate.spending.money for candidate in candidates),
        any(candidate.unreadable for candidate in candidates),
    )
    unjudged = any(candidate.unread_judgements for candidate in candidates)
    columns = (
        Column("Candidate", short="candidate"),
        Column("Mean score", short="mean score") if drawn is None else Column(drawn[0].row, short=drawn[0].row.lower()),
        *((Column("Place among all", short="place"),) if ranks else ()),
        Column("Questions", short="questions"),
        *(() if drawn is None else (Column("Answers", short="answers"),)),
        *((Column("Could not be graded", short="not graded"),) if unread else ()),
        *((Column("Judgements that could not be read", short="judge unread"),) if unjudged else ()),
        *((Column("Money", short="money"),) if paid else ()),
    )
    order = (
        range(len(candidates))
        if ranks is None
        else sorted(range(len(candidates)), key=lambda index: (sum(ranks[index]), index))
    )
    rows = (
        ReportRow(
            TableCell(candidates[index].called),
            (
                score_cell(candidates[index].score, candidates[index].score_range),
                *((TableCell(_place(*ranks[index])),) if ranks else ()),
                count_cell(candidates[index].questions),
                *(() if drawn is None else (count_cell(drawn[index].answers),)),
                *((count_cell(candidates[index].unreadable),) if unread else ()),
                *((count_cell(candidates[index].unread_judgements),) if unjudged else ()),
                *((TableCell(f"{candidates[index].spending.money:.2f}", candidates[index].spending.money),) if paid else ()),
            ),
        )
        for index in order
    )
    return ReportTable(columns, tuple(rows))


def of_two(names: Sequence[str], pair: PairDifference, drawn: Sequence[DrawsFinding] | None = None) -> tuple[Block, ...]:
    """The difference, its basis, and the differences by category.

    drawn: the results of answering each question several times.
    """
    first, second = names
    of_first, of_second = ("", "") if pair.shares is None else (f" ({share:.1%} by weight)" for share in pair.shares)
    rest = "both scored the same on the others."
    if pair.unknown:
        rest = f"on {_questions(pair.unknown)} it is not known who did; {rest}"
    messages = [
        f"{first} did better on {_questions(pair.better)}{of_first}, {second} on {_questions(pair.worse)}{of_second}; {rest}"
    ]
    if pair.still_needed:
        messages.append(f"A verdict needs about {_questions(pair.still_needed, more=True)}.")
    if pair.hidden:
        messages.append(HIDDEN)
    figure = difference_figure(names, pair, MEAN_SCORES if drawn is None else drawn[0].plotted)
    by_category = ReportSection("By category", (_categories(pair),) if pair.categories else ())
    between = f"The two-sided interval of the difference is {signed_interval(pair.difference.interval)}." if pair.shown else ""
    return (*paragraphs(" ".join(messages), between), ReportFigure(figure), by_category)


def of_several(
    names: Sequence[str], pairs: Sequence[PairDifference], tiers: Sequence[Sequence[int]], unplaced: Sequence[int]
) -> tuple[Block, ...]:
    """Tiers, significant differences, and the number of questions needed for the other pairs.

    unplaced: candidates in tier 1 by default.
    """
    lines = tuple(
        ReportRow(TableCell(f"Tier {number}", number), (TableCell(listed([names[index] for index in tier])),))
        for number, tier in enumerate(tiers, 1)
    )
    open_ = [pair for pair in pairs if pair.verdict not in ("better", "worse")]
    cost = [pair.still_needed for pair in open_]
    known = [needed for needed in cost if needed is not None]
    to_tell = f" The other pairs need about {count(max(known))} more questions to each candidate." if known else ""
    note = (
        "Within a tier no difference is significant. Two candidates in neighbouring tiers may not differ significantly either."
        f"{to_tell}"
    )
    below = notes(note, *told_unplaced([names[index] for index in unplaced]))
    return (
        ReportSection("Tiers", (ReportTable((Column("Tier"), Column("Candidates")), lines), *below)),
        InFull((ReportSection("Pairs", (ReportFigure(pairs_figure(names, pairs)), _pairs(names, pairs))),)),
        InShort((ReportSection("Pairs without a significant difference", (_pairs(names, open_),) if open_ else ()),)),
    )


def told_unplaced(whom: Sequence[str]) -> tuple[str, ...]:
    """A sentence on candidates in tier 1 by default; empty if there are none.

    >>> told_unplaced(["a", "b"])
    ('Too little evidence to rank (placed in tier 1 by default): a and b.',)
    """
    return (f"Too little evidence to rank (placed in tier 1 by default): {listed(whom)}.",) if whom else ()


def discordant(names: Sequence[str], pair: PairDifference) -> tuple[Block, ...]:
    """Questions that one answered better, in full."""
    once = {question.id: question for question in pair.discordant}  # drawn by weight a question may come again
    heaviest_first = sorted(once.values(), key=lambda question: -(question.weight or 1.0))
    by_side = [[question for question in heaviest_first if question.better == side] for side in (0, 1)]
    return tuple(
        part
        for side, questions in enumerate(by_side)
        for part in _discordant(f"{names[side]} better, {names[1 - side]} worse", names, questions)
    )


def _discordant(title: str, names: Sequence[str], questions: Sequence[DiscordantQuestion]) -> tuple[Block, ...]:
    if not questions:
        return ()
    cards = tuple(_card(names, question) for question in questions[: MOST_SHOWN // 2])
    more = notes(f"{count(len(questions) - len(cards))} more are in the JSON." if len(questions) > len(cards) else "")
    folded = Fold(f"{these(len(cards), 'question')} in full", (*cards, *more), main=True)
    heads = [clipped(name, LONGEST_NAME) for name in names]
    return (
        first_in_table(title, heads, tuple(map(_side_by_side, questions[:SIDE_BY_SIDE])), folded),
        InShort((ReportSection(title, tuple(_card(names, question) for question in questions[:MOST_IN_SHORT])),)),
    )


def _side_by_side(question: DiscordantQuestion) -> ReportRow:
    replies = enumerate((question.first, question.second))
    cells = (
        TableCell(in_one_line(text) or "(empty)", tone="good" if question.better == side else "bad") for side, text in replies
    )
    return ReportRow(question_cell(question.question), tuple(cells))


def _card(names: Sequence[str], question: DiscordantQuestion) -> CaseCard:
    replies = zip(names, question.scores, (question.first, question.second), strict=True)
    rows = tuple((f"{name} ({score(earned)})", clipped(text, LONGEST)) for name, earned, text in replies)
    weight = f" · counts {question.weight:.3g} times its share" if question.weight is not None else ""
    return CaseCard(
        (Pairs((("Question", clipped(question.question, LONGEST)), *rows)),),
        clipped(question.id, 100),
        f"{clipped(question.category, 100)}{weight}",
    )


def _categories(pair: PairDifference) -> ReportTable:
    rows = tuple(
        ReportRow(
            TableCell(difference.name or "none"),
            (
                signed_cell(difference.difference, difference.range),
                count_cell(difference.difference.n),
                TableCell(difference.verdict),
            ),
        )
        for difference in pair.categories
    )
    heads = (Column("Category", short="category"), Column("Difference", short="difference"), Column("Questions", short="n"))
    return ReportTable((*heads, Column("The first is", short="first is")), rows)


def _pairs(names: Sequence[str], pairs: Sequence[PairDifference]) -> ReportTable:
    costs = any(pair.still_needed is not None for pair in pairs)
    rows = tuple(
        ReportRow(
            TableCell(f"{names[pair.pair[0]]} against {names[pair.pair[1]]}"),
            (
                TableCell(pair.verdict, tone=TONES[pair.verdict]),
                signed_cell(pair.difference, pair.range),
                count_cell(pair.questions),
                *(
                    (TableCell("–", known=False) if pair.still_needed is None else count_cell(pair.still_needed),)
                    if costs
                    else ()
                ),
            ),
        )
        for pair in pairs
    )
    heads = ("Pair", "The first is", "Difference", "Questions", *(("Still needed, about",) if costs else ()))
    return ReportTable(tuple(map(Column, heads)), rows)


def _questions(number: int, *, more: bool = False) -> str:
    return f"{count(number)}{' more' if more else ''} question{'' if number == 1 else 's'}"


def _place(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best} to {worst}"
