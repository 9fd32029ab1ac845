"""A deployment certificate in the terminal: both verdicts side by side, what was not shown, and the sentence."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from vivavoce.certificate.deployed_finding import DeploymentCertificate
from vivavoce.render.pages.certificate.deployed import numbers, overall, use
from vivavoce.render.pages.certificate.page import named_rows, unread_title
from vivavoce.render.terminal import bold, joined, last_word, print_end, table
from vivavoce.render.terminals.certificate.terminal import print_attempts, print_names, print_unread, verdict_mark


def print_deployed(finding: DeploymentCertificate, console: Console) -> None:
    """A column for each verdict, and the sentence as the last word."""
    print_names(named_rows(finding.whole), console)
    rows = [(what, joined(whole), joined(deployed), required) for what, whole, deployed, required in numbers(finding)]
    console.print(table(("", "as a whole", "as people will use it", "required"), rows))
    console.print(Text(f"\n{use(finding)}"))
    one = finding.deployed
    print_unread(console, unread_title(one), one.unread, one.remedies or finding.whole.remedies)
    print_attempts(finding.attempt, console)
    print_end(console, finding)


@last_word.register
def _(finding: DeploymentCertificate) -> Text:
    return verdict_mark(overall(finding)) + bold(finding.statement)
