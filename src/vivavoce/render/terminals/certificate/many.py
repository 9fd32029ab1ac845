"""Many scopes in the terminal: one table, what was not shown, and the sentence."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from vivavoce.certificate.many_finding import ManyScopes
from vivavoce.render.pages.certificate.many import columns, named_rows, overall, remedies, rows, short_names
from vivavoce.render.terminal import bold, joined, last_word, print_end, table
from vivavoce.render.terminals.certificate.terminal import print_attempts, print_names, print_unread, verdict_mark


def print_many(finding: ManyScopes, console: Console) -> None:
    """A line for each scope, and the counts as the last word."""
    print_names(named_rows(finding), console)
    made = table(("scope", *(column.lower() for column in columns(finding))))
    made.columns[0].overflow = "fold"
    for column in made.columns[1:]:
        column.no_wrap = True
    for name, result, cells in zip(short_names(finding), finding.scopes, rows(finding), strict=True):
        verdict = verdict_mark(result.verdict) + Text(result.verdict.value)
        made.add_row(Text(name), verdict, *(Text(joined(cell)) for cell in cells))
    console.print(made)
    unread = next((result.unread for result in finding.scopes if result.unexamined), ())
    print_unread(console, "A reply that could not be read", unread, remedies(finding))
    print_attempts(finding.attempt, console)
    print_end(console, finding)


@last_word.register
def _(finding: ManyScopes) -> Text:
    return verdict_mark(overall(finding)) + bold(finding.statement)
