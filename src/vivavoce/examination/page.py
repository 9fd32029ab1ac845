"""A report as one static page: a row for each test, why some fail, then every examination in a fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Verdict
from vivavoce.certificate.claims.results import ClaimFinding
from vivavoce.certificate.report.answers import AnswerToShow, worst_answers
from vivavoce.certificate.report.numbers import result
from vivavoce.examination.dossier import Dossier, parts_of
from vivavoce.examination.part import Claim, FindingCard, Kind, Nature
from vivavoce.examination.rooms import QUESTIONS
from vivavoce.formats.wording import capital, clipped, count, exactly
from vivavoce.interview.candidate import Usage
from vivavoce.render.html import arranged
from vivavoce.render.page import LONGEST_SIGNATURE, page_of
from vivavoce.report import blocks
from vivavoce.report.cells import TONES
from vivavoce.report.reported import ReportedFinding
from vivavoce.studies.presentation import limit_bar
from vivavoce.studies.study import StudyFinding

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
