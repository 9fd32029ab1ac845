"""The paper's published figures beside one's own."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from vivavoce.consistency.forecasts.published import ROWS, TUPLES, Published, PublishedRow, published_laws
from vivavoce.consistency.forecasts.report.tables import NOT_ASKED
from vivavoce.consistency.forecasts.report.view import View, law_label
from vivavoce.consistency.forecasts.summary import Summary
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.formats.wording import name_of, score
from vivavoce.report.blocks import Block, Column, Fold, Paragraph, Row, Table
from vivavoce.report.cells import Cell, score_cell, share_cell

NOT_PRINTED: Final = Cell("not printed", quiet=True, known=False)
_HOW: Final = {"plain": "", "opposite": ", opposite first", "canonical": ", canonical first"}

_CHECK: Final = {"neg": "negation", "paraphrase": "paraphrase", "monotone": "monotone series", "bayes": "Bayes’ rule"}


def beside_the_paper(view: View) -> tuple[Block, ...]:
    """Own forecasters first, then every row of the paper's tables; nothing where no law has figures there."""
    laws = published_laws(view.laws)
    if not laws:
        return ()
    own = tuple(Row(Cell(name_of(name)), tuple(_own(view.rows.get((name, law))) for law in laws)) for name in view.in_full)
    printed = tuple(Row(Cell(_who(row)), tuple(_cell(row.of(law)) for law in laws), "quiet") for row in ROWS)
    columns = (Column("Forecaster"), *(Column(law_name(law), short=law_label(law)) for law in laws))
    numbers = ", ".join(f"{n} of {_CHECK[check]}" for check, n in TUPLES.items())
    return (
        Fold(
            "Beside the figures of the paper",
            (
                Table(columns, (*own, *printed), name="Own figures beside those of Fluri, Paleka and Tramèr"),
                Paragraph(
                    "In each cell the share of strong contradictions, below it the mean metric. Grey: Tables 3, 4 and 11 to "
                    f"13 of the paper, over {numbers}. It prints shares without intervals; those here are Clopper and "
                    "Pearson’s for the one count that gives the printed share. Its questions were others, with four wordings "
                    "each for paraphrase and five years for a series.",
                    quiet=True,
                ),
            ),
            main=True,
        ),
    )


def _who(row: PublishedRow) -> str:
    return f"{row.model}, temperature {row.temperature:g}{_HOW[row.variant]}"


def _own(row: Summary | None) -> Cell:
    if row is None:
        return NOT_ASKED
    mean = score_cell(row.mean)
    return replace(share_cell(row.strong).with_n(row.n), below=(f"{mean.text} {mean.interval}".rstrip(),))


def _cell(printed: Published | None) -> Cell:
    if printed is None:
        return NOT_PRINTED
    return replace(share_cell(printed.strong), below=(score(printed.mean),))
