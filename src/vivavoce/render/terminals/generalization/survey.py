"""A survey of belief changes in the terminal: the figures, what was not shown, the sentence last."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from vivavoce.generalization.survey_finding import SurveyFinding
from vivavoce.render.pages.generalization.survey import respondents, rows
from vivavoce.render.terminal import print_end, table


def print_survey(finding: SurveyFinding, console: Console) -> None:
    """All figures."""
    console.print(table(("figure", "here", "answers"), rows(finding)))
    if told := respondents(finding):
        console.print(Text(f"\n{told}"))
    print_end(console, finding)
