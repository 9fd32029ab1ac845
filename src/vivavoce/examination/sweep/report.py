"""The words, tables and figures of a sweep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from vivavoce.certificate.claims.claim import Verdict, brief
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.report import told_unplaced
from vivavoce.certificate.report.figures import KEY
from vivavoce.certificate.report.numbers import KINDS, TONES, rate_in_cell, score_in_cell
from vivavoce.examination.sweep.plan import CellOutcome
from vivavoce.examination.sweep.words import CellResult, SweepResults, basis, caveats, counts, headline, method
from vivavoce.formats.wording import clipped, count, name_of, score, score_interval, share
from vivavoce.interview.candidate import Usage
from vivavoce.report import blocks
from vivavoce.report.blocks import (
    Block,
    Caveats,
    Column,
    Fold,
    InFull,
    InShort,
    Report,
    ReportFigure,
    ReportRow,
    ReportSection,
    ReportTable,
    Tile,
    Tiles,
    method_of,
    notes,
)
from vivavoce.report.cells import TableCell, Tint, Tone, count_cell, signed_cell
from vivavoce.report.figures import IntervalRow, IntervalRows

FEW: Final = 4
"""Most candidates for which a line of tiers fits on any page."""
IN_A_ROW: Final = 8
"""Most columns of a map whose numbers can be read on a phone."""
SHOWN_NAME: Final = 40
LONGEST: Final = 300
"""Most characters of a reason or a statement in a table."""


def report(swept: SweepResults, *, statement: str, signature: str) -> Report:
    """All of it as blocks."""
    who = f"{len(swept.names)} candidate{'' if len(swept.names) == 1 else 's'}"
    on = f"{len(swept.scopes)} scope{'' if len(swept.scopes) == 1 else 's'}"
    return Report(
        kind="Comparison by plan",
        title=f"{who}, {on}",
        headline=clipped(headline(swept), 600),
        verdict=_verdict(swept),
        chance=basis(swept),
        blocks=(
            _maps(swept),
            Caveats(caveats(swept)),
            *_certificates(swept),
            *_tiers(swept),
            *_missing(swept),
            method_of((*counts(swept), *method(swept)), *_names(swept)),
        ),
        statement=statement,
        signature=signature,
    )


def _verdict(swept: SweepResults) -> blocks.VerdictLabel:
    good = swept.those(Verdict.PASS)
    tone = TONES[Verdict.PASS if good == len(swept.results) else Verdict.UNDECIDED]
    return blocks.VerdictLabel(f"{good} of {len(swept.results)} pass", tone)


def _maps(swept: SweepResults) -> InFull:
    """The best and the worst candidate, and coloured maps of cells and tiers, with the best candidates and scopes first."""
    who, scopes = _order(swept)
    columns = tuple(Column(swept.scopes[scope].title) for scope in scopes)
    rows = [(swept.called[index], [_mapped(swept.results.get((index, scope))) for scope in scopes]) for index in who]
    maps = _map("Candidates on scopes", columns, rows)
    blocks: list[Block] = [
        _extremes(swept, who),
        ReportSection("Candidates on scopes, the best first", (*maps, *notes(_legend(swept, shown="with the mean score")))),
    ]
    if swept.comparisons:
        each = _tier_of_each(swept)
        last = max(len(comparison.tiers) for _, comparison in _compared(swept))
        tiered = [(row.head.text, [_tinted(cell, last) for cell in row.cells]) for row in each.rows]
        blocks.append(ReportSection("Tiers, 1 the best", (*_map(each.name, each.columns[1:], tiered), *notes(_WITHIN_TIERS))))
    return InFull(tuple(blocks))


def _map(name: str, columns: Sequence[Column], rows: Sequence[tuple[str, Sequence[TableCell]]]) -> list[ReportTable]:
    """A table of coloured cells, divided into parts whose columns fit on a phone."""
    first = Column("Candidate", short="candidate")
    return [
        ReportTable(
            (first, *columns[start : start + IN_A_ROW]),
            tuple(ReportRow(TableCell(head), tuple(cells[start : start + IN_A_ROW])) for head, cells in rows),
            name=name,
            is_map=True,
        )
        for start in range(0, len(columns), IN_A_ROW)
    ]


def _order(swept: SweepResults) -> tuple[list[int], list[int]]:
    """Candidates and scopes, with the most passes and the highest scores first."""

    def standing(axis: int, index: int) -> tuple[int, float]:
        cells = [result for indices, result in swept.results.items() if indices[axis] == index]
        means = [result.result.score.value or 0.0 for result in cells if result.result is not None]
        return -sum(result.verdict is Verdict.PASS for result in cells), -sum(means) / max(1, len(means))

    return (
        sorted(range(len(swept.names)), key=lambda index: standing(0, index)),
        sorted(range(len(swept.scopes)), key=lambda index: standing(1, index)),
    )


def _extremes(swept: SweepResults, who: Sequence[int]) -> Tiles:
    """The number of cells that pass, and the candidates that pass the most and the fewest scopes."""
    passes = Counter(indices[0] for indices, result in swept.results.items() if result.verdict is Verdict.PASS)
    tiles = [Tile("Pass", f"{swept.those(Verdict.PASS)} of {len(swept.results)}", (_undecided(swept),))]
    ends = (("Passes most", who[0]), ("Passes fewest", who[-1])) if passes[who[0]] > passes[who[-1]] else ()
    for label, index in ends:
        others = sum(passes[other] == passes[index] for other in who) - 1
        also = f"{others} other{'' if others == 1 else 's'} {'passes' if others == 1 else 'pass'} as many" if others else ""
        scopes = f"{passes[index]} of {len(swept.scopes)} scope{'' if len(swept.scopes) == 1 else 's'}"
        tiles.append(Tile(label, clipped(swept.called[index], SHOWN_NAME), tuple(filter(None, (scopes, also)))))
    return Tiles(tuple(tiles))


def _undecided(swept: SweepResults) -> str:
    return f"{swept.those(Verdict.FAIL)} fail, {swept.those(Verdict.UNDECIDED)} undecided"


def _mapped(result: CellResult | None) -> TableCell:
    """The mean score in the colour of the verdict, for a map."""
    cell = _cell(result)
    tint = None if cell.tone is None else _TINTS[cell.tone]
    return replace(cell, text=cell.text.removeprefix("between ").replace(" and ", "–"), interval="", tint=tint)


_TINTS: Final[Mapping[Tone, Tint]] = {"good": Tint(4, "match"), "bad": Tint(3, "bad"), "open": Tint(1, "differ")}


def _tinted(cell: TableCell, last: int) -> TableCell:
    """A tier in colour, the first the strongest; `last`: the number of tiers."""
    if not isinstance(cell.value, int):
        return cell
    return replace(cell, tint=Tint(4 if last < 2 else round(4 * (last - cell.value) / (last - 1)), "plain"))


def _certificates(swept: SweepResults) -> tuple[Block, ...]:
    matrix = _matrix(swept)
    return (
        InShort((matrix, *notes(_legend(swept)))),
        InFull((ReportSection("Every candidate on every scope", (_every_cell(swept), ReportFigure(_scores(swept)))),)),
        ReportSection("By candidate", (_by_candidate(swept),)),
    )


def _scores(swept: SweepResults) -> IntervalRows:
    """The mean score of each candidate on each scope, with its interval, and the passing grade of the scope."""
    rows = [
        replace(
            IntervalRow.of(
                called, _cell(result).text, result.result.score, KINDS[result.verdict], scope.title, result.result.score_range
            ),
            limit=scope.passing_grade,
        )
        for index, scope in enumerate(swept.scopes)
        for who, called in enumerate(swept.called)
        if (result := swept.results.get((who, index))) is not None and result.result is not None and result.verdict is not None
    ]
    verdicts = Counter(row.kind for row in rows)
    text = "; ".join(f"{words} {verdicts[kind]}" for kind, words in KEY if verdicts[kind])
    alt = f"Mean scores of {len(swept.called)} candidates on {len(swept.scopes)} scopes with their intervals: {text}."
    key = tuple((kind, words) for kind, words in KEY if verdicts[kind])
    return IntervalRows("mean score; dashed: the passing grade", rows, alt=alt, unit="number", key=key)


def _legend(swept: SweepResults, *, shown: str = "with the mean score and the bound that was shown") -> str:
    grades = sorted({scope.passing_grade for scope in swept.scopes})
    required = score(grades[0]) if len(grades) == 1 else f"{score(grades[0])} to {score(grades[-1])}, by scope"
    limits = sorted(_limits(swept))
    shares = "" if not limits else share(limits[0]) if len(limits) == 1 else f"{share(limits[0])} to {share(limits[-1])}"
    rare = f", and unacceptable answers to at most {shares} of the questions" if limits else ""
    return f"● pass, ✕ fail, ◆ undecided, {shown}. Required: a mean score of {required}{rare}."


def _limits(swept: SweepResults) -> set[float]:
    """The limits on unacceptable answers, for cells that have one."""
    limits = (result.criterion.unacceptable_limit for result in swept.results.values() if result.criterion is not None)
    return {limit for limit in limits if limit is not None}


def _matrix(swept: SweepResults) -> ReportTable:
    """Verdict and mean score: a row per candidate, a column per scope."""
    columns = (Column("Candidate", short="candidate"), *(Column(swept_scope.title) for swept_scope in swept.scopes))
    rows = tuple(
        ReportRow(TableCell(called), tuple(_cell(swept.results.get((who, scope))) for scope in range(len(swept.scopes))))
        for who, called in enumerate(swept.called)
    )
    return ReportTable(columns, rows, name="Candidates on scopes")


def _cell(result: CellResult | None) -> TableCell:
    if result is None or result.verdict is None or result.result is None or result.criterion is None:
        return TableCell("–", known=False)
    cell = score_in_cell(result.result, result.criterion)
    return TableCell(cell.text, cell.value, cell.bounds, cell.interval, tone=TONES[result.verdict], known=cell.known)


def _by_candidate(swept: SweepResults) -> ReportTable:
    """The number of scopes that each candidate passes, and its cost."""
    of = [[result for (index, _), result in swept.results.items() if index == who] for who in range(len(swept.names))]
    paid = any(result.usage.money for some in of for result in some)
    tokens = any(result.usage.tokens for some in of for result in some)
    columns = (
        Column("Candidate", short="candidate"),
        Column("Pass", short="pass", number=True),
        Column("Fail", short="fail", number=True),
        Column("Undecided", short="open", number=True),
        Column("Questions", short="questions", number=True),
        *((Column("Tokens", short="tokens", number=True),) if tokens else ()),
        *((Column("Money", short="money", number=True),) if paid else ()),
    )
    rows = tuple(_candidate(called, some, tokens=tokens, paid=paid) for called, some in zip(swept.called, of, strict=True))
    return ReportTable(columns, rows, name="By candidate")


def _candidate(called: str, results: Sequence[CellResult], *, tokens: bool, paid: bool) -> ReportRow:
    kinds = (Verdict.PASS, Verdict.FAIL, Verdict.UNDECIDED)
    usage = sum((result.usage for result in results), Usage())
    return ReportRow(
        TableCell(called),
        (
            *(count_cell(sum(result.verdict is kind for result in results)) for kind in kinds),
            count_cell(sum(result.questions for result in results)),
            *((count_cell(usage.tokens),) if tokens else ()),
            *((TableCell(f"{usage.money:.2f}", usage.money),) if paid else ()),
        ),
    )


def _every_cell(swept: SweepResults) -> ReportTable:
    limited = bool(_limits(swept))
    numbers = ("Mean score", *(["Unacceptable"] if limited else []), "Questions", "Two-sided interval of the score")
    open_ = any(result.why for result in swept.results.values())
    names = ("Candidate", "Scope", "Verdict", *numbers, *(["Why no verdict"] if open_ else []))
    rows = []
    for (who, scope), result in swept.results.items():
        verdict = TableCell("not examined", known=False)
        if result.verdict is not None:
            verdict = TableCell(result.verdict.value, tone=TONES[result.verdict])
        mean = _cell(result)
        mean = TableCell(mean.text, mean.value, mean.bounds, mean.interval, known=mean.known)
        cells = (TableCell(swept.scopes[scope].title), verdict, mean, *([_rare(result)] if limited else []))
        ends = TableCell("–", known=False) if result.result is None else TableCell(score_interval(result.result.score.interval))
        why = [TableCell(clipped(result.why, LONGEST))] if open_ else []
        last = (_questions(result, swept.scopes[scope].size), ends, *why)
        rows.append(ReportRow(TableCell(swept.called[who]), (*cells, *last)))
    return ReportTable(tuple(map(Column, names)), tuple(rows), name="Every candidate on every scope")


def _rare(result: CellResult) -> TableCell:
    if result.result is None or result.criterion is None:
        return TableCell("–", known=False)
    return rate_in_cell(result.result, result.criterion)


def _questions(result: CellResult, size: int | None) -> TableCell:
    if result.result is None:
        return TableCell("–", known=False)
    of = "" if size is None else f"of {count(size)}"
    return TableCell(count(result.result.questions), result.result.questions, interval=of)


def _tiers(swept: SweepResults) -> tuple[Block, ...]:
    if not swept.comparisons:
        return ()
    called, all_ = swept.called, swept.overall
    rows = [
        ReportRow(
            TableCell(swept.scopes[scope].title), (TableCell(tiers_in_words(called, comparison.tiers)), *_apart(comparison))
        )
        for scope, comparison in swept.comparisons.items()
    ]
    foot: tuple[ReportRow, ...] = ()
    if all_ is not None:
        foot = (
            ReportRow(TableCell("all together"), (TableCell(tiers_in_words(called, all_.tiers)), *_apart(all_)), kind="sum"),
        )
    columns = (
        Column("Scope", short="scope"),
        Column("Tiers, the best first", short="tiers, the best first"),
        Column("Significant differences", short="significant"),
        Column("Questions", short="questions"),
    )
    table = ReportTable(columns, tuple(rows), foot, "Tiers by scope" if len(called) > FEW else "")
    matrix = (InShort((_tier_of_each(swept),)),) if len(called) > FEW else ()
    return (
        ReportSection("Tiers by scope", (*matrix, table, InShort(notes(_WITHIN_TIERS)), *notes(*_unplaced(swept)))),
        *(() if all_ is None else (_overall_pairs(called, all_),)),
    )


_WITHIN_TIERS: Final = (
    "Within a tier no difference is significant. Two candidates in neighbouring tiers may not differ significantly either."
)


def _tier_of_each(swept: SweepResults) -> ReportTable:
    """The tier of each candidate on each scope, 1 the best; none for candidates in tier 1 by default."""
    compared = _compared(swept)
    tiers = [
        {who: number for number, tier in enumerate(comparison.tiers, 1) for who in tier if who not in comparison.unplaced}
        for _, comparison in compared
    ]
    last = len(swept.called) + 1

    def standing(who: int) -> tuple[int, int]:
        return (0 if swept.overall is None else tiers[-1].get(who, last), sum(of.get(who, last) for of in tiers))

    rows = tuple(
        ReportRow(
            TableCell(swept.called[who]),
            tuple(count_cell(of[who]) if who in of else TableCell("–", about="not ranked", known=False) for of in tiers),
        )
        for who in sorted(range(len(swept.called)), key=standing)
    )
    columns = (Column("Candidate", short="candidate"), *(Column(title, number=True) for title, _ in compared))
    return ReportTable(columns, rows, name="Tier of each candidate, 1 the best")


def _compared(swept: SweepResults) -> list[tuple[str, Comparison]]:
    """The comparisons with their titles; all scopes together come last."""
    rows = [(swept.scopes[scope].title, comparison) for scope, comparison in swept.comparisons.items()]
    return rows if swept.overall is None else [*rows, ("all together", swept.overall)]


def _unplaced(swept: SweepResults) -> tuple[str, ...]:
    """Candidates that are in tier 1 by default, with the scopes."""
    compared = _compared(swept)
    on = [[title for title, comparison in compared if who in comparison.unplaced] for who in range(len(swept.called))]
    return told_unplaced([f"{called} ({_several(some)})" for called, some in zip(swept.called, on, strict=True) if some])


def tiers_in_words(called: Sequence[str], tiers: Sequence[Sequence[int]]) -> str:
    """The order of the tiers, the best first.

    >>> tiers_in_words(["a", "b", "c"], [[2], [0, 1]])
    'c > a, b'
    """
    return " > ".join(", ".join(called[index] for index in tier) for tier in tiers)


def _apart(comparison: Comparison) -> tuple[TableCell, TableCell]:
    apart = comparison.told_apart
    return TableCell(f"{apart} of {len(comparison.pairs)}", apart), count_cell(comparison.questions)


def _overall_pairs(called: Sequence[str], comparison: Comparison) -> Block:
    rows = tuple(
        ReportRow(
            TableCell(f"{called[difference.pair[0]]} against {called[difference.pair[1]]}"),
            (
                TableCell(difference.verdict),
                signed_cell(difference.difference, difference.range),
                count_cell(difference.questions),
            ),
        )
        for difference in comparison.pairs
    )
    columns = tuple(map(Column, ("Pair", "The first is", "Difference", "Questions")))
    return Fold("Every pair on all scopes together", (ReportTable(columns, rows),), main=True)


def _missing(swept: SweepResults) -> tuple[Block, ...]:
    """Cells without a finding, with the reason; cells with the same reason are grouped."""
    outcomes = [outcome for outcome in swept.outcomes if outcome.reason]
    if not outcomes:
        return ()
    by_reason: dict[str, list[CellOutcome]] = {}
    for outcome in outcomes:
        by_reason.setdefault(outcome.reason, []).append(outcome)
    rows = tuple(
        ReportRow(TableCell(_several([swept.label(outcome.cell) for outcome in some])), (TableCell(clipped(reason, LONGEST)),))
        for reason, some in by_reason.items()
    )
    return (ReportSection("Not examined", (ReportTable((Column("Cell"), Column("Why")), rows),)),)


def _several(labels: Sequence[str]) -> str:
    shown = labels[:3]
    return ", ".join(shown) + (f" and {len(labels) - len(shown)} more" if len(labels) > len(shown) else "")


def _names(swept: SweepResults) -> tuple[Block, ...]:
    """The names on record."""
    rows = [(called, name_of(name)) for called, name in zip(swept.called, swept.names, strict=True) if called != name]
    rows += [(scope.title, brief(scope.name)) for scope in swept.scopes if scope.title != brief(scope.name)]
    if not rows:
        return ()
    return (
        ReportTable(
            (Column("Called"), Column("On record as")),
            tuple(ReportRow(TableCell(text), (TableCell(name),)) for text, name in rows),
        ),
    )
