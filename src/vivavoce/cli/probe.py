"""`viva probe`: an oral examination that follows up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_of, asking_options, price_in_words, write_lines
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options
from vivavoce.cli.output import check_output, check_page, output_options, show
from vivavoce.probe.config import ProbeConfig

if TYPE_CHECKING:
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.probe.finding import ProbeFinding


@command(epilog=exit_codes("0 done", "4 the budget ran out", GOES_ON))
@click.argument("candidate", type=CANDIDATE)
@click.option("--scope", required=True, type=SCOPE, metavar="S", help="Scope with the questions; see 'viva list scopes'.")
@config_options(ProbeConfig)
@click.option("--failures", type=options.FILE, metavar="FILE", help="Write confirmed failures as questions (JSON Lines).")
@asking_options
@output_options
@click.pass_context
def probe(
    context: click.Context,
    /,
    *,
    candidate: str,
    scope: str,
    failures: Path | None,
    as_json: bool,
    html: Path | None,
    **given: Any,
) -> None:
    """Follow up on CANDIDATE's answers, find failures, and say how often they happen.

    \b
    viva probe chat:A@http://localhost:11434/v1 --scope obvious --transcript probe.sqlite --html page.html
    viva probe chat:A@http://localhost:11434/v1 --scope file:questions.jsonl --failures failures.jsonl
    """
    from vivavoce.candidates import open_candidate
    from vivavoce.probe.probe import probe as probed
    from vivavoce.scopes import open_scope

    config, asking = options.taken_out(given, ProbeConfig), asking_of(given)
    check_page(html)
    check_output("--failures", failures)
    opened, model = open_scope(scope), open_candidate(candidate)

    async def examination(interview: Interview[Prompt, Reply]) -> ProbeFinding:
        return await probed(interview, opened, config)

    finding, kept = asking.examined(model, examination, expected=None)
    show(finding, as_json=as_json, html=html, kept=kept, measured=bool(finding.modes))
    context.exit(OF_VERDICT["undecided"] if finding.exhausted else 0)
