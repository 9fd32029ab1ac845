"""Verdicts as reports have them, and the names that readers are told."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from vivavoce.certificate.verdict import Verdict, brief
from vivavoce.formats.wording import clipped, count, with_technical
from vivavoce.report import blocks
from vivavoce.report.blocks import Paragraph
from vivavoce.report.cells import Tone
from vivavoce.report.parts import notes

TONES: Final[Mapping[Verdict, Tone]] = {
    Verdict.PASS: "good",
    Verdict.FAIL: "bad",
    Verdict.UNDECIDED: "open",
}
SHOWN_NAME: Final = 300
"""Characters of a name on record."""


def shown_verdict(verdict: Verdict, words: str = "") -> blocks.Verdict:
    """A verdict with what it means; `words`: in place of its own."""
    return blocks.Verdict((words or verdict.value).capitalize(), TONES[verdict])


def overall(verdicts: Collection[Verdict]) -> Verdict:
    """The verdict that decides on several: understood only if all are, not understood if any is not.

    >>> overall([Verdict.PASS, Verdict.UNDECIDED])
    <Verdict.UNDECIDED: 'undecided'>
    """
    deciding = (Verdict.FAIL, Verdict.UNDECIDED, Verdict.PASS)
    return next(verdict for verdict in deciding if verdict in verdicts)


def names(shown: tuple[str, str], scopes: Sequence[tuple[str, str]]) -> tuple[Paragraph, ...]:
    """Candidate and scopes with their names on record, where readers are told others; each as what is told, and the name."""
    lines = [("Candidate", *shown), *(("Scope", title, brief(scope)) for title, scope in scopes)]
    return notes(*(f"{what}: {with_technical(told, clipped(name, SHOWN_NAME))}" for what, told, name in lines if told != name))


def further_questions(still_needed: int | None) -> str:
    """What comes after the verdict: the questions that are still needed, if that is known."""
    if still_needed is None:
        return ""
    return f"A verdict needs about {count(still_needed)} more {'question' if still_needed == 1 else 'questions'}."
