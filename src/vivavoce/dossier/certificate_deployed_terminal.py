"""A deployment certificate in the terminal: both verdicts side by side, what was not shown, and the sentence."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from vivavoce.certificate.deployed_finding import DeploymentCertificate
from vivavoce.dossier.certificate_deployed_page import numbers, overall, use
from vivavoce.dossier.certificate_page import MARK, SHOWN_CHARACTERS
from vivavoce.dossier.terminal import COLOUR
from vivavoce.interview.wording import clipped


def print_deployed(finding: DeploymentCertificate, console: Console) -> None:
    """A column for each verdict, and the sentence as the last word."""
    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim", padding=(0, 3, 0, 0))
    for column in ("", "as a whole", "as people will use it", "required"):
        table.add_column(column)
    for what, whole, deployed, required in numbers(finding):
        table.add_row(what, " ".join(whole), " ".join(deployed), Text(required, style="dim"))
    console.print(table)
    console.print(Text(f"\n{use(finding)}"))
    console.print(Text("\nNot shown", style="dim"))
    for caveat in finding.caveats:
        console.print(Padding(Text(caveat), (0, 0, 0, 2)))
    console.print()
    kind = overall(finding)
    mark = Text(f"{MARK[kind]} ", style=COLOUR[kind])
    console.print(mark + Text(clipped(finding.statement, SHOWN_CHARACTERS), style="bold"), soft_wrap=True)
