"""A report as one static page: the answer first, then a card for each examination, then open questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from vivavoce.examination.answer import parts_of
from vivavoce.examination.cards import Card
from vivavoce.examination.dossier import Dossier
from vivavoce.examination.part import Nature
from vivavoce.examination.rooms import QUESTIONS
from vivavoce.formats.lines import write_whole
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.candidate import Usage
from vivavoce.render.html import report_in_html
from vivavoce.render.page import LONGEST_SIGNATURE, environment

SHOWN: Final = 2_000
"""Characters of a phrase or sentence; a candidate's name in it may come from anyone."""
WHO: Final[Mapping[Nature, str]] = {
    "model": "A language model, or a program that is asked like one",
    "bot": "A bot without a model, built in for trying things out",
    "recording": "Answers that were recorded earlier",
    "engine": "A chess engine",
}
MARKS: Final = {"trusted": ("●", "green"), "not": ("✕", "vermilion"), "unknown": ("○", "grey"), "measured": ("◇", "accent")}
"""The shape and colour of each kind of claim; never colour alone."""


def dossier_page(dossier: Dossier, *, made: datetime, version: str, answers: str = "") -> str:
    """The page; the same report, date and version give the same bytes.

    Parameters
    ----------
    made: when, with its time zone; shown in UTC.
    version: of the program that made the report.
    answers: how many were on record already, in a sentence; empty if not counted.
    """
    values = {
        "title": f"Report on {dossier.called}",
        "headline": dossier.headline,
        "name": dossier.called,
        "who": WHO[dossier.nature],
        "full_name": clipped(dossier.candidate, SHOWN),
        "answer": answer_rows(dossier),
        "guarantee": dossier.answer.guarantee,
        "cards": [_card(card, f"c{number}") for number, card in enumerate(dossier.cards, 1)],
        "absent": [(room.question, clipped(room.reason, SHOWN)) for room in dossier.absent if room.fits],
        "spending": spent(dossier.spending),
        "plan": dossier.plan_digest[:12],
        "made": made.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "version": version,
        "answers": answers,
    }
    return environment().get_template("dossier.html.j2").render(_contents(values))


def write_dossier_page(file: Path, dossier: Dossier, *, made: datetime, version: str, answers: str = "") -> None:
    """Write the page to a file."""
    write_whole(file, dossier_page(dossier, made=made, version=version, answers=answers))


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


def _contents(values: dict[str, Any]) -> dict[str, Any]:
    """The values, with numbers after questions that several cards answer, so that links differ."""
    times = Counter(card["question"] for card in values["cards"])
    seen: Counter[str] = Counter()
    for card in values["cards"]:
        seen[card["question"]] += 1
        card["heading"] = f"{card['question']} ({seen[card['question']]})" if times[card["question"]] > 1 else card["question"]
    return values


def _card(card: Card, name: str) -> dict[str, Any]:
    kinds = {claim.kind for claim in card.claims}
    kind = next((kind for kind in ("not", "trusted", "measured", "unknown") if kind in kinds), "unknown")
    return {
        "id": name,
        "question": QUESTIONS[card.room],
        "mark": MARKS[kind][0],
        "colour": MARKS[kind][1],
        "statement": clipped(card.statement, SHOWN),
        "body": None if card.finding is None else report_in_html(card.finding.report(), name, level=3),
        "figures": _figures(card),
        "caveats": [clipped(caveat, SHOWN) for caveat in card.caveats],
        "command": clipped(card.command, SHOWN),
        "signature": clipped(card.signature, LONGEST_SIGNATURE),
    }


def _figures(card: Card) -> Sequence[tuple[str, str, str]]:
    """Each figure in words; none if the finding has a section of its own."""
    return (
        [(clipped(figure.titled, SHOWN), figure.in_words, count(figure.n)) for figure in card.figures]
        if card.finding is None
        else []
    )
