"""What is reported of how a survey was answered: what is flagged, own answers, waves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vivavoce.formats.interval import Estimate
from vivavoce.generalization.survey.conduct import Authenticity, OwnAnswers, SurveyConduct, Waves
from vivavoce.generalization.survey.report import share_in_words, shares_by_number
from vivavoce.generalization.survey.signals import FLAGS, Flag
from vivavoce.report.blocks import Block, Column, Figure, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell, score_cell, share_cell, signed_cell
from vivavoce.report.figures import Lines

OWN: Final = "Participants' own answers"
ABOUT_WAVES: Final = "Who came in which wave was not drawn: waves may differ by who came, and not by the time alone."
SHORT: Final[Mapping[Flag, str]] = {
    "planted": "Wrote the planted word",
    "pasted": "Pasted at least half of a text",
    "fast": "Under 4 seconds for half of the pairs",
}
FLAGGED: Final = "What is flagged"
ABOUT_FLAGS: Final = (
    "A flag is a sign and no proof. Nobody is left out for one, but in the last row. Pasting is not seen without a script, and "
    "what a machine wrote and somebody typed off is not found."
)


def conduct_sections(conduct: SurveyConduct, changed: Estimate) -> tuple[Block, ...]:
    """A section for each of them that is known; `changed`: the share of all answers, flagged participants' included."""
    found: list[Block] = []
    if conduct.own is not None:
        told = about_own(conduct.own)
        found.append(Section(OWN, (own_table(conduct.own), *((Paragraph(told, quiet=True),) if told else ()))))
    if conduct.waves is not None:
        found.append(Section("Waves", (Figure(_wave_lines(conduct.waves)), waves_table(conduct.waves))))
    if conduct.authenticity is not None:
        found.append(Section(FLAGGED, (flags_table(conduct.authenticity, changed), Paragraph(ABOUT_FLAGS, quiet=True))))
    return tuple(found)


def about_own(own: OwnAnswers) -> str:
    """What became of own answers that could not be graded; empty where there are none."""
    if not own.unreadable:
        return ""
    number = "1 own answer" if own.unreadable == 1 else f"{own.unreadable} own answers"
    are = "is" if own.unreadable == 1 else "are"
    return (
        f"{number} could not be graded and {are} left out; the interval of the share that is right allows for none of them "
        "being right, and for all."
    )


def own_table(own: OwnAnswers) -> Table:
    """How many own answers are right, and beliefs by that."""
    columns = (Column("What"), Column("Here"), Column("n"))
    rows = (
        _row("Own answers that are right", share_cell(own.right), own.right),
        _row("Belief before, own answer right", score_cell(own.before_right), own.before_right),
        _row("Belief before, own answer wrong", score_cell(own.before_wrong), own.before_wrong),
        _row("Difference, within participants", signed_cell(own.difference), own.difference),
    )
    return Table(columns, rows)


def waves_table(waves: Waves) -> Table:
    """Each wave, and below them the trend."""
    columns = (Column("Wave"), Column("Participants"), Column("Changes"), Column("Belief after"), Column("Change"))
    rows = tuple(
        Row(
            Cell(str(one.wave), one.wave),
            (count_cell(one.people), share_cell(one.changed), score_cell(one.after), signed_cell(one.change)),
        )
        for one in waves.waves
    )
    none = Cell("")
    trend = Row(Cell("trend a wave"), (none, none, signed_cell(waves.after_trend), signed_cell(waves.change_trend)), kind="sum")
    return Table(columns, rows, (trend,), name="Waves")


def _wave_lines(waves: Waves) -> Lines:
    shown = [(one.wave, one.changed) for one in waves.waves if one.changed.value is not None]
    told = ", ".join(f"{share_in_words(changed)} in wave {wave}" for wave, changed in shown)
    return shares_by_number(shown, "wave", f"Answers that changed a belief, with 95% intervals: {told}.")


def flags_table(told: Authenticity, changed: Estimate) -> Table:
    """How many participants are flagged, and how often beliefs changed with and without them."""
    rows = [
        _row(f"Participants who {words}", share_cell(told.flagged[flag]), told.flagged[flag], short=SHORT[flag])
        for flag, words in FLAGS.items()
    ]
    rows.append(_row("Participants with any of these", share_cell(told.flagged["any"]), told.flagged["any"]))
    rows += [
        _row("Answers that changed a belief, everybody's", share_cell(changed), changed),
        _row("Without flagged participants", share_cell(told.changed), told.changed),
    ]
    return Table((Column("What"), Column("Here"), Column("n")), tuple(rows))


def _row(what: str, cell: Cell, estimate: Estimate, *, short: str = "") -> Row:
    return Row(Cell(what, short=short), (cell, count_cell(estimate.n)))
