"""A certificate in the terminal: the numbers, who graded, explanations, the worst answers, and the verdict as the last word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from vivavoce.certificate.attempts import Attempt
from vivavoce.certificate.finding import Certificate, GradedAnswer, Verdict
from vivavoce.formats.wording import clipped
from vivavoce.render.pages.certificate.page import (
    MARK,
    SHOWN_CHARACTERS,
    attempts,
    named_rows,
    numbers,
    strata,
    unread_title,
    verdict_line,
)
from vivavoce.render.terminal import bold, last_word, one_line, print_end, print_listed, table
from vivavoce.render.terminals.certificate.explanations import print_explanations
from vivavoce.render.terminals.certificate.grading import print_grading

COLOUR: Final = {Verdict.UNDERSTANDS: "green", Verdict.DOES_NOT_UNDERSTAND: "red", Verdict.NO_CONCLUSION: "bright_black"}
SHOWN_WORST: Final = 3
SHOWN_LAW: Final = 600


def print_certificate(certificate: Certificate, console: Console) -> None:
    """The numbers as a table, the worst answers, what was not shown, and the verdict as the last word."""
    print_names(named_rows(certificate), console)
    rows = [(what, " ".join(found), required) for what, found, required in numbers(certificate)]
    console.print(table(("", "found", "required"), rows))
    if certificate.strata:
        console.print()
        by_stratum = table(("stratum", "share", "questions", "ridiculous", "mean score"), strata(certificate))
        for column in by_stratum.columns[1:]:
            column.justify = "right"
        console.print(by_stratum)
    print_grading(certificate, console)
    print_explanations(certificate, console)
    if certificate.worst:
        console.print(Text("\nThe worst answers", style="dim"))
    for answer in certificate.worst[:SHOWN_WORST]:
        grade = "ridiculous" if answer.ridiculous else f"score {answer.score:.2g}"
        for name, text in (("asked", answer.question), (grade, answer.answer or f"({answer.outcome.value})")):
            console.print(Text(f"  {name}: {one_line(text)}"), soft_wrap=True)
        if answer.expected:
            console.print(Text(f"  expected: {one_line(answer.expected)}"), soft_wrap=True)
        if answer.broken_law:
            console.print(Text(f"  law: {clipped(answer.broken_law, SHOWN_LAW)}"), soft_wrap=True)
    print_unread(console, unread_title(certificate), certificate.unread, certificate.remedies)
    print_attempts(certificate.attempt, console)
    print_end(console, certificate)


@last_word.register
def _(certificate: Certificate) -> Text:
    return verdict_mark(certificate.verdict) + bold(f"{certificate.statement} {verdict_line(certificate)}".rstrip())


def print_names(named: Sequence[tuple[str, str]], console: Console) -> None:
    """What bears another name here than on record."""
    for what, told in named:
        console.print(Text(f"{what}: {told}", style="dim"), soft_wrap=True)


def print_attempts(attempt: Attempt | None, console: Console) -> None:
    """All attempts on record, where there are several."""
    if rows := attempts(attempt):
        console.print(Text("\nAttempts on record", style="dim"))
        console.print(table(("no.", "terms", "begun (UTC)", "may err", "outcome"), rows))


def print_unread(console: Console, title: str, replies: Sequence[GradedAnswer], remedies: Sequence[str]) -> None:
    """Replies that could not be read, in full, and what to try where they stand in the way of a verdict."""
    if replies:
        console.print(Text(f"\n{title}", style="dim"))
    for reply in replies:
        console.print(Text(f"  asked: {one_line(reply.question)}"), soft_wrap=True)
        console.print(Text(f"  {reply.outcome.value}:"), soft_wrap=True)
        for line in (clipped(reply.answer, SHOWN_CHARACTERS) or "(empty)").splitlines():
            console.print(Text(f"    {line}"), soft_wrap=True)
    print_listed(console, "What to try", remedies)


def verdict_mark(verdict: Verdict) -> Text:
    """The shape and colour of a verdict, before its sentence."""
    return Text(f"{MARK[verdict]} ", style=COLOUR[verdict])
