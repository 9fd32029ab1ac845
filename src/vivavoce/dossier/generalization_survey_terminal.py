"""A survey of belief changes in the terminal: the figures, what was not shown, the sentence last."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.dossier.generalization_survey_page import respondents, rows
from vivavoce.generalization.survey_finding import SurveyFinding


def print_survey(finding: SurveyFinding, console: Console) -> None:
    """All figures."""
    table = Table("figure", "here", "answers", box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for row in rows(finding):
        table.add_row(*map(Text, row))
    console.print(table)
    console.print()
    if told := respondents(finding):
        console.print(Text(told))
        console.print()
    console.print(Text("Not shown", style="dim"))
    for caveat in finding.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    console.print(Text(finding.statement, style="bold"), soft_wrap=True)
