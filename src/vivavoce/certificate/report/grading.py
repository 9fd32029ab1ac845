"""Who graded the answers of a certificate, and how far graders agree."""

from __future__ import annotations

from vivavoce.certificate.graders.agreement import Agreement
from vivavoce.certificate.graders.grading import Grading
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, name_of, share, share_interval, signed, signed_interval
from vivavoce.report.blocks import Column, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell

_NONE = "unknown: there are none"
_NOT_ESTIMABLE = "not estimable: it needs two answers with different scores"


def who_graded(grading: Grading | None) -> Section:
    """Who graded; nothing where the scope's own rule did."""
    if grading is None:
        return Section("", ())
    columns = (Column("What", short="what"), Column("Found", short="found"))
    return Section("Who graded", (Table(columns, _rows(grading)),))


def agreement_table(agreement: Agreement, first: str, second: str) -> Table:
    """How far the first grader agrees with the second one, by their names."""
    return Table((Column(""), Column("")), _agreement(agreement, first, second))


def grading_method(grading: Grading | None) -> list[str]:
    """How answers got their grades, in sentences; empty where the scope's own rule graded."""
    if grading is None:
        return []
    ruled = bool(grading.by_rule or grading.ruled_only)
    which = "every answer to a question with a rubric" if ruled else "every answer"
    draws = "once" if grading.draws == 1 else f"{count(grading.draws)} times"
    worth = "counts 0 points" if grading.unreadable_is_wrong else "may have been for any points"
    judged = (
        f"A judge, {name_of(grading.judge)}, was asked {draws} about {which} and gave points by a rubric; what could not "
        f"be read {worth}."
    )
    together = (
        "People graded one answer of each block, drawn in private once the judge had graded the whole block, from a secret to "
        f"which the record commits (SHA-256 {grading.commitment[:16]}...). What they gave is corrected by what the "
        "judge says about other answers minus what it says about this one: by nothing on average, whatever its bias. Half "
        "of the bets are on people's grades alone."
    )
    return [
        *([_RULED] if ruled else []),
        *([judged] if grading.judge else []),
        *([_WAITS] if grading.by_people else []),
        *([together] if grading.judge and grading.by_people else []),
    ]


_RULED = (
    "The scope's own rule graded the answers to questions without a rubric: nobody else is asked about them. What is "
    "examined is the mean of all grades."
)
_WAITS = "Where an answer waits for people's grade the evidence ends, whatever is known of later ones."


def _rows(grading: Grading) -> tuple[Row, ...]:
    rows: list[Row] = []
    if grading.by_rule or grading.ruled_only:
        rows.append(_row("Graded by rule", count_cell(grading.by_rule + grading.ruled_only)))
    if grading.judge_alone:
        rows.append(_row("Graded by the judge", count_cell(grading.by_judge)))
    if grading.judge:
        unreadable = f" ({count(grading.unreadable)} unreadable)" if grading.unreadable else ""
        each = f"{count(grading.judgements)} in all, {count(grading.draws)} an answer{unreadable}"
        rows += [_row("Judge", Cell(name_of(grading.judge))), _row("Judgements", Cell(each, grading.judgements))]
    if grading.judge and grading.judge_spending.tokens:
        tokens = grading.judge_spending.tokens
        rows.append(_row("Tokens of the judge", Cell(f"{count(tokens)}{'' if grading.compared else ' among all'}", tokens)))
    if grading.compared and (money := grading.judge_spending.money):
        rows.append(_row("Money of the judge", Cell(f"{money:.2f}", money)))
    if grading.by_people:
        waiting = f" ({count(len(grading.waiting))} wait)" if grading.waiting else ""
        rows.append(_row("Graded by people", Cell(f"{count(grading.graded_by_people)}{waiting}", grading.graded_by_people)))
    if grading.judge and grading.by_people:
        rows.append(_row("By the judge alone", count_cell(grading.judged_only)))
    if grading.agreement is not None:
        rows += _agreement(grading.agreement, "the judge", "people")
    return tuple(rows)


def _agreement(agreement: Agreement, first: str, second: str) -> tuple[Row, ...]:
    """How far two graders agree, each number with its interval and n."""
    return (
        _row(f"Mean difference, {first} minus {second}", _signed(agreement.difference)),
        _row("Scores at most 0.1 apart", _share(agreement.close)),
        _row("Agreement beyond chance (Krippendorff’s α)", _signed(agreement.alpha, unknown=_NOT_ESTIMABLE)),
        _row(f"Ridiculous by {second}: {first} agrees", _share(agreement.sensitivity)),
        _row(f"Not ridiculous by {second}: {first} agrees", _share(agreement.specificity)),
    )


def _row(what: str, cell: Cell) -> Row:
    return Row(Cell(what), (cell,))


def _share(found: Estimate) -> Cell:
    return _counted(Cell.of(found, share, share_interval, unknown=_NONE), found.n)


def _signed(found: Estimate, *, unknown: str = _NONE) -> Cell:
    return _counted(Cell.of(found, signed, signed_interval, unknown=unknown), found.n)


def _counted(cell: Cell, n: int) -> Cell:
    return cell.with_n(n) if cell.known else cell
