"""How a verdict was reached: attempts, graders, history, extended lists, and the procedure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from vivavoce.certificate.attempts.attempt import AttemptHistory
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.config import Procedure
from vivavoce.certificate.design.extension import ExtendedList
from vivavoce.certificate.design.history import HistoryUse
from vivavoce.certificate.evidence.inference import STRONG
from vivavoce.certificate.graders.calibration import CalibrationResult, JudgeErrorDifference
from vivavoce.certificate.graders.grades import GraderAgreement, GradingReport
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, count, counted, name_of, score, share, share_interval, signed, signed_interval
from vivavoce.report.blocks import Column, Fold, ReportRow, ReportSection, ReportTable, method_of
from vivavoce.report.cells import TableCell, count_cell

SHOWN_TERMS: Final = 300


def attempts(attempt: AttemptHistory | None) -> ReportSection:
    """All attempts on record, if there are several: number, differences, beginning, error and outcome."""
    rows = [] if attempt is None else attempt.rows
    columns = (
        Column("No.", short="no."),
        Column("Terms", short="terms"),
        Column("Started (UTC)", short="started (UTC)"),
        Column("May err", short="may err"),
        Column("Outcome", short="outcome"),
    )
    table = ReportTable(
        columns,
        tuple(
            ReportRow(TableCell(number, int(number)), tuple(TableCell(clipped(text, SHOWN_TERMS)) for text in others))
            for number, *others in rows
        ),
    )
    return ReportSection("Attempts on record", (table,) if rows else ())


def spending(delta: float, attempt: AttemptHistory | None) -> str:
    """How delta is spent over attempts, in a sentence."""
    if attempt is None:
        return ""
    return (
        f"This is attempt {attempt.number}: of an error of {share(delta)} over all attempts the first has 95%, and those "
        "after it share the rest. So the record as a whole gives a wrong verdict at most that often. "
    )


_NONE = "unknown: there are none"
_NOT_ESTIMABLE = "not estimable: it needs two answers with different scores"


def who_graded(grading: GradingReport | None) -> ReportSection:
    """The graders; empty if the scope's own rule graded."""
    if grading is None:
        return ReportSection("", ())
    columns = (Column("What", short="what"), Column("Found", short="found"))
    return ReportSection("Who graded", (ReportTable(columns, _rows(grading)),))


def agreement_table(agreement: GraderAgreement, first: str, second: str) -> ReportTable:
    """The agreement of the first grader with the second, by their names."""
    return ReportTable((Column(""), Column("")), _agreement(agreement, first, second))


def calibration_table(calibration: CalibrationResult) -> ReportTable:
    """The agreement of a judge with people, and its biases."""
    agreement = () if calibration.agreement is None else _agreement(calibration.agreement, "the judge", "people")
    unread = [_found("Judgements that could not be read", count_cell(calibration.unreadable))]
    biases = (
        _bias_row("Error: long replies minus short ones", calibration.long_replies),
        _bias_row("Error: its own replies minus others’", calibration.own_replies),
    )
    return ReportTable((Column(""), Column("")), (*agreement, *(unread if calibration.unreadable else ()), *biases))


def _bias_row(what: str, bias: JudgeErrorDifference) -> ReportRow:
    if bias.difference.value is None:
        return _found(what, TableCell(f"unknown: {count(bias.replies)} and {count(bias.others)} replies"))
    return _found(what, _signed(bias.difference))


def grading_method(grading: GradingReport | None) -> list[str]:
    """How answers got their grades, in sentences; empty if the scope's own rule graded."""
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
        "People graded one answer of each block, drawn in private after the judge had graded the whole block. The draw comes "
        f"from a secret to which the record commits (SHA-256 {grading.commitment[:16]}...). People's grades are corrected by "
        "the judge's grades of other answers minus its grade of this one. The correction is 0 on average, whatever its bias. "
        "Half of the bets are on people's grades alone."
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


def _rows(grading: GradingReport) -> tuple[ReportRow, ...]:
    rows: list[ReportRow] = []
    if grading.by_rule or grading.ruled_only:
        rows.append(_found("Graded by rule", count_cell(grading.by_rule + grading.ruled_only)))
    if grading.judge_alone:
        rows.append(_found("Graded by the judge", count_cell(grading.by_judge)))
    if grading.judge:
        unreadable = f" ({count(grading.unreadable)} unreadable)" if grading.unreadable else ""
        each = f"{count(grading.judgements)} in all, {count(grading.draws)} an answer{unreadable}"
        rows += [
            _found("Judge", TableCell(name_of(grading.judge))),
            _found("Judgements", TableCell(each, grading.judgements)),
        ]
    if (known := grading.calibration) is not None:
        alpha = Estimate(known.alpha, Interval(known.lower, known.upper), known.answers)
        rows.append(_found("Calibrated before: α with people", _signed(alpha, unknown=_NOT_ESTIMABLE)))
    if grading.judge and grading.judge_spending.tokens:
        tokens = grading.judge_spending.tokens
        rows.append(
            _found("Tokens of the judge", TableCell(f"{count(tokens)}{'' if grading.compared else ' among all'}", tokens))
        )
    if grading.compared and (money := grading.judge_spending.money):
        rows.append(_found("Money of the judge", TableCell(f"{money:.2f}", money)))
    if grading.by_people:
        waiting = f" ({count(len(grading.waiting))} wait)" if grading.waiting else ""
        rows.append(
            _found("Graded by people", TableCell(f"{count(grading.graded_by_people)}{waiting}", grading.graded_by_people))
        )
    if grading.judge and grading.by_people:
        rows.append(_found("By the judge alone", count_cell(grading.judged_only)))
    if grading.agreement is not None:
        rows += _agreement(grading.agreement, "the judge", "people")
    return tuple(rows)


def _agreement(agreement: GraderAgreement, first: str, second: str) -> tuple[ReportRow, ...]:
    """The agreement of two graders, each number with its interval and n."""
    return (
        _found(f"Mean difference, {first} minus {second}", _signed(agreement.difference)),
        _found("Scores at most 0.1 apart", _share(agreement.close)),
        _found("Agreement beyond chance (Krippendorff’s α)", _signed(agreement.krippendorff_alpha, unknown=_NOT_ESTIMABLE)),
        _found(f"Unacceptable by {second}: {first} agrees", _share(agreement.unacceptable_sensitivity)),
        _found(f"Not unacceptable by {second}: {first} agrees", _share(agreement.unacceptable_specificity)),
    )


def _found(what: str, cell: TableCell) -> ReportRow:
    return ReportRow(TableCell(what), (cell,))


def _share(estimate: Estimate) -> TableCell:
    return _counted(TableCell.of(estimate, share, share_interval, unknown=_NONE), estimate.n)


def _signed(estimate: Estimate, *, unknown: str = _NONE) -> TableCell:
    return _counted(TableCell.of(estimate, signed, signed_interval, unknown=unknown), estimate.n)


def _counted(cell: TableCell, n: int) -> TableCell:
    return cell.with_n(n) if cell.known else cell


_SHOWN = 12
"""Characters of the digest."""


def known_before(use: HistoryUse | None) -> ReportSection:
    """The history and its use by the bets; nothing without one."""
    if use is None:
        return ReportSection("", ())
    known = use.questions_known
    rows = [
        _found("Others", count_cell(use.others)),
        _found("Questions with a known answer", TableCell(f"{count(known)} of {count(known + use.questions_unknown)}", known)),
        _found("The candidate is among the others", TableCell("yes" if use.candidate_among_others else "no")),
        _found("Relied on at the end", TableCell(share(use.belief), use.belief)),
        _found("Variance of scores explained", TableCell(share(use.explained), use.explained)),
        _found("Digest of the history", TableCell(use.digest[:_SHOWN])),
    ]
    columns = (Column("What", short="what"), Column("Found", short="found"))
    return ReportSection("Known from others", (ReportTable(columns, tuple(rows)),))


def extended_list(extended: ExtendedList | None) -> ReportSection:
    """Earlier attempts by both lists; nothing if the list was not extended, or nothing was answered before."""
    if extended is None or not extended.rescored:
        return ReportSection("", ())
    rows = [
        ReportRow(
            TableCell(f"Attempt {attempt.attempt}"),
            (count_cell(attempt.answers), count_cell(attempt.unacceptable_before), count_cell(attempt.unacceptable_after)),
        )
        for attempt in extended.rescored
    ]
    columns = (
        Column("Earlier answers", short="earlier"),
        Column("Answers", short="answers", number=True),
        Column("Unacceptable by the list then", short="list then", number=True),
        Column("By the extended list", short="extended list", number=True),
    )
    return ReportSection("Scored again, for description alone", (ReportTable(columns, tuple(rows)),))


def extension_caveats(extended: ExtendedList | None) -> tuple[str, ...]:
    """Sentences on an extension; nothing without one.

    >>> extension_caveats(None)
    ()
    """
    if extended is None:
        return ()
    return (
        f"The list of unacceptable answers was extended by {counted(extended.rules, 'rule')}, which may have been made in view "
        "of answers. The verdict rests only on questions that were drawn once that was on record; earlier answers, scored "
        "again, decide nothing.",
    )


def method(
    drawn: Sequence[str],
    criterion: Criterion,
    procedure: Procedure,
    attempt: AttemptHistory | None,
    settings: Mapping[str, Any],
    *,
    grading: GradingReport | None,
    ordered: bool,
    unread: bool,
) -> Fold:
    """The test, the graders, and the treatment of change and of ungraded replies.

    Parameters
    ----------
    drawn: the rule, and how questions were drawn, see `drawing_method`.
    settings: of the signature.
    ordered: whether there was a test for a change over time.
    unread: whether replies could not be graded.
    """
    delta = criterion.delta if attempt is None else attempt.delta
    return method_of(
        [
            *drawn,
            _looks(procedure, delta),
            *grading_method(grading),
            *_over_time(settings, ordered=ordered),
            *([_WRONG if settings.get("unreadable") == "wrong" else _UNREAD] if unread else []),
            f"The guarantee is on the procedure: whatever the candidate, it gives a wrong verdict at most {share(delta)} of "
            f"the time. {spending(criterion.delta, attempt)}The intervals hold at the moment the examination stopped.",
        ]
    )


def drawing_method(criterion: Criterion, *, stratified: bool, weighted: bool, repeated: Sequence[str]) -> tuple[str, ...]:
    """The rule, and how and from what questions were drawn.

    repeated: the claim about questions that were answered several times.
    """
    source = "the scope, each once, whatever its weight, and answers count by weight; " if weighted else "the scope and "
    if stratified:
        source = (
            "the strata of the scope, always from the one that lags most behind its share. The bets are compared with the "
            "likeliest strata that break the claim, so the error is not divided among strata; "
        )
    drawn = f"{_rule(criterion)}. Questions are drawn at random from {source}answers are taken in the order of drawing."
    return (drawn, *repeated)


def _rule(criterion: Criterion) -> str:
    rule = f"A candidate passes a scope if its mean score is at least {score(criterion.passing_grade)}"
    if criterion.unacceptable_limit is None:
        return rule
    return f"{rule} and it gives an unacceptable answer to at most {share(criterion.unacceptable_limit)} of the questions"


def _looks(procedure: Procedure, delta: float) -> str:
    if procedure == "fixed":
        return (
            f"The number of questions was fixed in advance and the evidence looked at once, with error at most {share(delta)}."
        )
    return (
        "After every answer the evidence is counted as e-values: the winnings of bets against each claim, at odds that are "
        f"fair if it is true. If it is true, an e-value ever reaches {count(round(1 / delta))} with probability at most "
        f"{share(delta)}, at any stopping time (anytime-valid). The examination stops at the first verdict."
    )


def _over_time(settings: Mapping[str, Any], *, ordered: bool) -> list[str]:
    sentences = []
    if at_least := settings.get("at_least"):
        sentences.append(f"There is no verdict “pass” before {at_least} questions, or all of the scope.")
    if hours := settings.get("spread_hours"):
        sentences.append(f"That many were to be asked at random times over {hours:g} hours, further ones at the same rate.")
    return [*sentences, _ORDER] if ordered else sentences


_ORDER = (
    "The scores of a fixed candidate come in random order (they are exchangeable). The e-value for a change over time compares "
    "the likelihood of their order if they changed once with the largest likelihood if they did not. For a fixed candidate "
    f"it is {STRONG:.0f} or more in at most 1 of {STRONG:.0f} examinations. No verdict rests on it."
)
_WRONG = "A reply that could not be graded scored 0, as requested."
_UNREAD = (
    "A reply that no rule can grade may be worth anything. It counts as 0 in the bets that show understanding and as 1 in "
    "those against it, and the mean score is a range. It counts as not unacceptable, unless every score of 0 is unacceptable "
    "by definition. The guarantee holds whatever decides which replies can be graded."
)
