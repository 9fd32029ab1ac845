"""An examination in the terminal: its cost, its progress, and the answer.

A report as one static page: a row for each test, why some fail, then every examination in a fold.

The expected cost of a sweep's cells, and its progress over all cells, with the time and money that remain.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

from vivavoce.certificate.attempts.attempt import delta_of
from vivavoce.certificate.attempts.log import as_given
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Verdict
from vivavoce.certificate.claims.results import ClaimFinding
from vivavoce.certificate.report.answers import AnswerToShow, worst_answers
from vivavoce.certificate.report.numbers import result
from vivavoce.examination.dossier import Dossier, parts_of
from vivavoce.examination.part import Claim, ExaminationCost, FindingCard, Kind, Nature, in_all, priced
from vivavoce.examination.parts.certificate import TOKENS
from vivavoce.examination.rooms import QUESTIONS
from vivavoce.examination.sweep.examiner import CellExaminer, Tell
from vivavoce.examination.sweep.plan import CellOutcome, SweepCell
from vivavoce.formats.wording import capital, clipped, count, counted, duration, exactly, name_of
from vivavoce.interview.candidate import Usage
from vivavoce.interview.progress import Progress
from vivavoce.render.html import arranged
from vivavoce.render.page import LONGEST_SIGNATURE, page_of
from vivavoce.render.terminal import ProgressLine, table
from vivavoce.report import blocks
from vivavoce.report.cells import TONES
from vivavoce.report.reported import ReportedFinding
from vivavoce.statistics.confidence_sequences import rate_boundary
from vivavoce.studies.presentation import limit_bar
from vivavoce.studies.study import StudyFinding

if TYPE_CHECKING:
    from vivavoce.examination.part import ExaminationConfig
    from vivavoce.examination.run import ExaminationOutlook


SHOWN: Final = 2_000
"""Characters of a phrase or sentence; it may contain an untrusted name."""
WHO: Final[Mapping[Nature, str]] = {
    "model": "A language model, or a program that is asked like one",
    "bot": "A built-in bot without a model, for trying things out",
    "recording": "Answers that were recorded earlier",
    "engine": "A chess engine",
}
MARKS: Final = {"trusted": ("●", "green"), "not": ("✕", "vermilion"), "unknown": ("○", "grey"), "measured": ("◇", "accent")}
"""The shape and colour of each kind of claim in a terminal; colour is never the only difference."""
VERDICTS: Final[Mapping[Kind, blocks.VerdictLabel]] = {
    "trusted": blocks.VerdictLabel("Pass", "good"),
    "not": blocks.VerdictLabel("Fail", "bad"),
    "unknown": blocks.VerdictLabel("Unknown", "open"),
    "measured": blocks.VerdictLabel("Measured", "open"),
}
TEST_VERDICTS: Final = {
    "pass": VERDICTS["trusted"],
    "fail": VERDICTS["not"],
    "undecided": blocks.VerdictLabel("Undecided", "open"),
}
MOST_LIMITS: Final = 3
HOW_TO_READ: Final = (
    "The candidate was asked questions, as in an oral exam, and every answer was recorded. Only its answers count, not what "
    "it says about itself.",
    "“Pass” and “Fail” are verdicts. A chance of error is about the procedure: for any candidate, wrong verdicts are at most "
    "that frequent. A contradiction has no such chance: you can read it here.",
    "“Unknown” is not a verdict: it says nothing for or against the candidate. “Measured” means that the numbers have no limit "
    "to meet.",
    "Numbers in brackets are confidence intervals: the true value lies in this range with the stated confidence. Fewer answers "
    "give a wider range. A scope is a set of questions and the way they are drawn. An unacceptable answer is one "
    "that a person with any understanding would not give.",
)
RECHECK: Final = "viva recheck report.json --transcript transcript.sqlite"


def dossier_page(dossier: Dossier, *, made: datetime, version: str, answers: str = "") -> str:
    """The page; the same report, date and version give the same bytes.

    Parameters
    ----------
    made: when, with its time zone; shown in UTC.
    version: of the program that made the report.
    answers: how many were already on record, in a sentence; empty if not counted.
    """
    return page_of([report_on(dossier)], made=made, version=version, recheck=RECHECK, answers=answers)


def report_on(dossier: Dossier) -> blocks.Report:
    """All examinations of a candidate as one report: the tests first."""
    who = f"{WHO[dossier.nature]}." if dossier.called == dossier.candidate else f"{WHO[dossier.nature]}: {dossier.candidate}."
    results = [row for card in dossier.judged for row in _results(card)]
    tests = [row for row in results if row.verdict.words != VERDICTS["measured"].words]
    tests.sort(key=lambda row: row.verdict.words != VERDICTS["not"].words)
    measured = [row for row in results if row.verdict.words == VERDICTS["measured"].words]
    first_limits = dict.fromkeys(clipped(card.caveats[0], SHOWN) for card in dossier.cards if card.caveats)
    plan = f"{spent(dossier.spending)} Plan {dossier.plan_digest[:12]}.".strip()
    return blocks.Report(
        kind="Report: an oral examination of a machine",
        title=f"Report on {dossier.called}",
        headline=dossier.headline,
        verdict=None if dossier.verdict is None else TEST_VERDICTS[dossier.verdict],
        chance=dossier.answer.guarantee,
        blocks=(
            blocks.ResultList(tuple(tests)),
            *(blocks.ReportSection(f"Why it fails: {name}", failed) for name, failed in _failures(dossier)),
            *((blocks.ReportSection("Measured only", (blocks.ResultList(tuple(measured)),)),) if measured else ()),
            *((blocks.ReportSection("Limits", (blocks.Items(tuple(first_limits)[:MOST_LIMITS]),)),) if first_limits else ()),
            *_not_tested(dossier),
            *(blocks.Fold(heading, _whole(card)) for heading, card in _headed(dossier)),
            blocks.Fold("How to read this", (*blocks.paragraphs(*HOW_TO_READ, plan), *blocks.notes(clipped(who, SHOWN)))),
        ),
        statement=dossier.statement,
    )


def _results(card: FindingCard) -> list[blocks.ResultLine]:
    """A row for each claim of a finding, with a bar if it has a limit."""
    finding, question = card.finding, QUESTIONS[card.room]
    if isinstance(finding, ClaimFinding):
        claimed = finding.draws.claimed if isinstance(finding, Certificate) and finding.draws is not None else ""
        pairs = zip(card.claims, finding.claims, strict=True)
        return [result(tested, finding.criterion, clipped(claim.subject, SHOWN), claimed) for claim, tested in pairs]
    if isinstance(finding, StudyFinding) and (test := finding.limit_test) is not None:
        value = f"{test.measured}, at most {exactly(test.limit)} allowed"
        value += "" if test.verdict == "undecided" else f"; shown: {test.shown}"
        title = finding.study.ability
        bar = limit_bar(test, TONES[test.verdict])
        return [blocks.ResultLine(TEST_VERDICTS[test.verdict], capital(title), question, value, bar)]
    return [_without_limit(claim, question) for claim in card.claims]


def _without_limit(claim: Claim, question: str) -> blocks.ResultLine:
    subject = clipped(claim.subject, SHOWN)
    words = clipped(claim.words.removeprefix(f"{claim.subject}: "), SHOWN)  # the heading says it
    return blocks.ResultLine(VERDICTS[claim.kind], subject or question, words if words != subject else question)


def _failures(dossier: Dossier) -> list[tuple[str, tuple[blocks.Block, ...]]]:
    """For each failed test its name and the errors."""
    failures = []
    for card in dossier.judged:
        finding = card.finding
        if isinstance(finding, ClaimFinding):
            failed = [
                (claim, tested)
                for claim, tested in zip(card.claims, finding.claims, strict=True)
                if tested.verdict is Verdict.FAIL and tested.worst
            ]
            for claim, tested in failed:
                shown = worst_answers([*map(AnswerToShow, tested.worst)], unread=False, title="")
                failures.append((clipped(claim.subject, SHOWN), shown))
        elif finding is not None and any(claim.kind == "not" for claim in card.claims):
            subject = clipped(next(claim.subject or claim.words for claim in card.claims if claim.kind == "not"), SHOWN)
            failures.append((subject, (*blocks.paragraphs(clipped(card.statement, SHOWN)), *_cases(finding))))
    return failures


def _cases(finding: ReportedFinding) -> tuple[blocks.Block, ...]:
    """What a finding shows in full first, unless it is only its statement again."""
    shown = [block for block in finding.report().blocks if isinstance(block, blocks.InFull)]
    return tuple(block for block in shown if not all(isinstance(part, blocks.Paragraph) for part in block.blocks))[:1]


def _not_tested(dossier: Dossier) -> tuple[blocks.Fold, ...]:
    """The open questions, with the reasons."""
    absent = [
        (skipped.question, f"Not examined: {clipped(skipped.reason, SHOWN)}.") for skipped in dossier.absent if skipped.fits
    ]
    if not absent:
        return ()
    title = "Not tested: one further test" if len(absent) == 1 else f"Not tested: {count(len(absent))} further tests"
    return (blocks.Fold(title, (blocks.Pairs(tuple(absent)),)),)


def _headed(dossier: Dossier) -> list[tuple[str, FindingCard]]:
    """The cards with their questions, numbered if several cards answer the same one."""
    questions = [QUESTIONS[card.room] for card in dossier.judged]
    times, seen = Counter(questions), Counter[str]()
    headed = []
    for question, card in zip(questions, dossier.judged, strict=True):
        seen[question] += 1
        headed.append((f"{question} ({seen[question]})" if times[question] > 1 else question, card))
    return headed


def _whole(card: FindingCard) -> tuple[blocks.Block, ...]:
    """The whole finding, the command that repeats it, and its signature."""
    if card.finding is None:
        rows = [(clipped(figure.titled, SHOWN), f"{figure.in_words}, n = {count(figure.n)}") for figure in card.figures]
        table: tuple[blocks.ReportTable, ...] = (
            (blocks.two_columns(rows, ("Figure", "Found, with its interval")),) if rows else ()
        )
        whole: tuple[blocks.Block, ...] = (
            *blocks.paragraphs(clipped(card.statement, SHOWN)),
            *table,
            blocks.Caveats(tuple(clipped(caveat, SHOWN) for caveat in card.caveats)),
        )
    else:
        report = card.finding.report()
        whole = (blocks.Paragraph(report.headline), blocks.Paragraph(report.chance), *arranged(report.blocks))
    again = (blocks.Paragraph("To reproduce these numbers:", quiet=True), blocks.Code(clipped(card.command, SHOWN)))
    return (*whole, *again, *blocks.notes(clipped(card.signature, LONGEST_SIGNATURE)))


def answer_rows(dossier: Dossier) -> list[tuple[str, str, str, list[str]]]:
    """The parts of the answer: shape, colour, heading, and phrases."""
    return [
        (*MARKS[kind], heading, [clipped(text, SHOWN) for text in texts]) for kind, heading, texts in parts_of(dossier.answer)
    ]


def spent(spending: Usage) -> str:
    """The cost in a sentence; empty if nothing was counted."""
    if not spending.tokens and not spending.money:
        return ""
    money = f" and {spending.money:.2f} of money at the candidate's prices" if spending.money else ""
    return f"The answers took {count(spending.tokens)} tokens{money}."


SECONDS: Final = 2.0
"""Assumed seconds of one call of a language model."""
COLOURS: Final = {"green": "green", "vermilion": "red", "grey": "bright_black", "accent": "cyan"}
LONGEST: Final = 300
"""Characters of an examination's line when it ends."""


class RoomLines(ProgressLine):
    """Prints a line when an examination starts and ends, and a live line between."""

    def room(self, room: str, news: str) -> None:
        """An examination starts (without news), or has ended with them."""
        text = f": {clipped(news, LONGEST)}" if news else " ..."
        self._console.print(Text(f"{room}{text}", style="" if news else "dim"), soft_wrap=True)


def print_outlook(
    outlook: ExaminationOutlook, examination: ExaminationConfig, console: Console, *, concurrency: int | None
) -> None:
    """The examinations in order with their costs, and those left out; concurrency: None with batches."""
    made = table(("examination", "calls", "tokens", "money", "time", ""))
    for column in made.columns[1:5]:
        column.justify = "right"
    made.columns[5].style = "dim"
    timed = examination.nature == "model" and concurrency is not None
    for planned in outlook.rooms:
        cost_estimate = planned.cost_estimate
        seconds = cost_estimate.calls / (concurrency or 1) * SECONDS
        cells = (
            f"~{count(cost_estimate.calls)}",
            f"~{count(cost_estimate.tokens)}" if examination.nature == "model" else "–",
            f"~{cost_estimate.money:.2f}" if cost_estimate.money else "–",
            f"~{duration(seconds)}" if timed else "–",
        )
        made.add_row(*map(Text, (planned.part.room, *cells, cost_estimate.note)))
    console.print(
        Text(f"{examination.plan.name or name_of(examination.candidate)}: planned questions, without answers on record")
    )
    console.print(made)
    for room in outlook.absent:
        if room.fits:
            console.print(Text(f"not {room.room}: {room.reason}", style="dim"), soft_wrap=True)
    if timed:
        console.print(Text(f"At about {SECONDS:g} s per call, {concurrency} at once.", style="dim"))
    elif examination.nature == "model":
        console.print(Text("By batch: each takes minutes to hours. The money is the price of batches.", style="dim"))


def print_answer(dossier: Dossier, console: Console) -> None:
    """The result, with the tests that it passes and fails, and what is unknown."""
    console.print(Text(clipped(dossier.headline, SHOWN), style="bold"), soft_wrap=True)
    for mark, colour, heading, texts in answer_rows(dossier):
        console.print(Text(f"{mark} ", style=COLOURS[colour]) + Text(heading, style="bold"))
        for text in texts:
            console.print(Text(f"  {text}"), soft_wrap=True)
    if dossier.answer.guarantee:
        console.print(Text(dossier.answer.guarantee), soft_wrap=True)


FEW: Final = 60
"""Rough number of questions for a verdict on the score alone, at the level of a table."""
PAIRED: Final = 300
"""Rough number of questions until a difference is significant."""


def cost_of(examiner: CellExaminer, cell: SweepCell) -> ExaminationCost:
    """The expected cost of a cell."""
    return _certificate(examiner, cell) if cell.kind == "certificate" else _comparison(examiner, cell)


def _certificate(examiner: CellExaminer, cell: SweepCell) -> ExaminationCost:
    subject = examiner.subjects[cell.scope]
    section, scope = subject.section, subject.scope
    limit = as_given(section.claim.unacceptable_limit, [scope], graded=section.judge is not None)
    members = len(examiner.scopes) * len(examiner.plan.entrants)
    delta = delta_of(section.claim.delta, 1) / (members if examiner.plan.plan.correction == "fwer" else 1)
    clean = FEW if limit is None else next(islice(rate_boundary(limit, delta), 1))
    return _priced(examiner, cell.candidates[0], min(clean, section.questions, scope.population or clean))


def _comparison(examiner: CellExaminer, cell: SweepCell) -> ExaminationCost:
    assert examiner.plan.compare is not None
    most = examiner.plan.compare.questions or PAIRED
    calls = min(PAIRED, most, examiner.subjects[cell.scope].scope.population or PAIRED)
    return in_all([_priced(examiner, candidate, calls) for candidate in cell.candidates])


def _priced(examiner: CellExaminer, index: int, calls: int) -> ExaminationCost:
    return priced(examiner.candidate(index), calls, calls * TOKENS[0], calls * TOKENS[1])


def print_cells(labels: Mapping[SweepCell, str], costs: Mapping[SweepCell, ExaminationCost], console: Console) -> None:
    """Print every cell with its expected cost."""
    made = table(("cell", "calls", "tokens", "money"))
    for column in made.columns[1:]:
        column.justify = "right"
    for cell, cost in costs.items():
        made.add_row(*map(Text, (labels[cell], *_numbers(cost))))
    console.print(made)


def print_planned(costs: Sequence[ExaminationCost], console: Console, *, concurrency: int | None) -> None:
    """Print the expected cost of all cells. concurrency: of candidates that are not asked by batch; None without any."""
    whole = in_all(costs)
    calls, tokens, money = _numbers(whole)
    paid = f", {money} of money" if whole.money else ""
    took = "by batches, each of which takes minutes to hours"
    if concurrency is not None:
        seconds = duration(whole.calls / concurrency * SECONDS)
        took = f"of language models ~{seconds} at about {SECONDS:g} s a call, {concurrency} at once"
    console.print(
        Text(f"{counted(len(costs), 'cell')}: {calls} calls, {tokens} tokens{paid}, less what is on record; {took}"),
        soft_wrap=True,
    )


def _numbers(cost: ExaminationCost) -> tuple[str, str, str]:
    return f"~{count(cost.calls)}", f"~{count(cost.tokens)}", f"~{cost.money:.2f}" if cost.money else "–"


EVERY: Final = 0.2
"""Seconds between two lines of progress."""


class SweepProgress:
    """Adds up the progress of all cells' interviews, and reports it.

    Answers of an earlier round count once, although a later round finds them on record.

    expected: the rough number of calls of each cell, or the actual number once it is finished.
    """

    def __init__(
        self, on_progress: Tell, expected: Mapping[SweepCell, int], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._on_progress = on_progress
        self._expected = dict(expected)
        self._clock = clock
        self._began = self._due = clock()
        self._latest: dict[tuple[SweepCell, int], Progress] = {}

    def of(self, cell: SweepCell) -> Callable[[], Tell]:
        """Make listeners for the interviews of this cell, one after the other."""
        made = 0

        def one_more() -> Tell:
            nonlocal made
            key = (cell, made)
            made += 1
            before = self._latest.get(key)

            def tell(progress: Progress) -> None:
                was_new = 0 if before is None else before.answered - before.from_record
                new = was_new + progress.answered - progress.from_record
                self._latest[key] = replace(progress, from_record=max(0, progress.answered - new))
                if self._clock() >= self._due:  # to add up all cells after every answer would take longer than the answer
                    self._due = self._clock() + EVERY
                    self._on_progress(self.sum)

            return tell

        return one_more

    def over(self, outcome: CellOutcome) -> None:
        """Note that a cell is finished, with its actual number of calls."""
        self._expected[outcome.cell] = sum(
            progress.answered for (cell, _), progress in self._latest.items() if cell == outcome.cell
        )

    @property
    def sum(self) -> Progress:
        """The sum over all interviews."""
        every = list(self._latest.values())
        answered = sum(progress.answered for progress in every)
        by_cell: dict[SweepCell, int] = {}
        for (cell, _), progress in self._latest.items():
            by_cell[cell] = by_cell.get(cell, 0) + progress.answered
        expected = sum(max(calls, by_cell.get(cell, 0)) for cell, calls in self._expected.items())
        return Progress(
            asked=sum(progress.asked for progress in every),
            answered=answered,
            from_record=sum(progress.from_record for progress in every),
            no_answers=sum(progress.no_answers for progress in every),
            retries=sum(progress.retries for progress in every),
            in_flight=sum(progress.in_flight for progress in every),
            usage=sum((progress.usage for progress in every), Usage()),
            seconds=self._clock() - self._began,
            expected=max(expected, answered),
            turns=sum(progress.turns for progress in every),
            batch=next((progress.batch for progress in reversed(every) if progress.batch is not None), None),
        )
