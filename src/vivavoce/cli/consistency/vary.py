"""`viva consistency vary`: does the answer stay the same when what must not matter is varied?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import asking_of, asking_options
from vivavoce.cli.config_options import config_options
from vivavoce.cli.endings import GOES_ON, code_of_study, exit_codes
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_output, check_page
from vivavoce.cli.results import RESULTS
from vivavoce.studies.config import VaryConfig

if TYPE_CHECKING:
    from vivavoce.cli.consistency.varying import Writing


@click.command(epilog=exit_codes("0 done, or pass", "3 fail", "4 undecided, or nothing compared", GOES_ON))
@click.argument("candidate")
@click.option("--scope", required=True, metavar="S", help="Questions; 'viva scopes' lists all kinds.")
@config_options(VaryConfig, vary={"type": options.names, "multiple": False, "default": ",".join(VaryConfig().vary)})
@click.option("--writer", metavar="CANDIDATE", help="Who writes paraphrases and translations.")
@click.option("--checker", metavar="CANDIDATE|none", help="Who verifies them; by default the writer, in fresh conversations.")
@click.option(
    "--save-variants",
    type=options.FILE,
    metavar="FILE",
    help="Keep what was written in this file, for 'viva consistency review'; it is replaced.",
)
@click.option(
    "--written",
    type=options.KNOWN_FILE,
    metavar="FILE",
    help="Take paraphrases and translations from this file, not from a writer.",
)
@click.option("--judge", metavar="CANDIDATE", help="Who decides whether two open answers say the same.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and at what cost; ask nothing.")
@RESULTS
@asking_options
@options.verdict_options
@click.pass_context
def vary(
    context: click.Context,
    /,
    *,
    candidate: str,
    scope: str,
    judge: str | None,
    dry_run: bool,
    as_json: bool,
    html: Path | None,
    **given: Any,
) -> None:
    """How often does CANDIDATE change its answer when what must not matter is varied?

    \b
    viva consistency vary bot:calculator --scope arithmetic --vary typos,context,persona
    viva consistency vary chat:llama3.2@http://localhost:11434/v1 --scope file:questions.jsonl --vary order,typos \\
        --flip-limit 0.1 --transcript run.sqlite --html page.html
    viva consistency vary chat:llama3.2@http://localhost:11434/v1 --scope file:questions.jsonl --vary paraphrase,translate:de \\
        --writer chat:WRITER@http://localhost:11434/v1 --save-variants variants.jsonl --transcript run.sqlite
    viva consistency vary chat:llama3.2@http://localhost:11434/v1 --scope file:open.jsonl --vary typos,persona \\
        --judge chat:JUDGE@http://localhost:11434/v1

    Kinds: order (of options), typos, context (an irrelevant sentence), persona (who asks); by a writer paraphrase and
    translate:LANGUAGE. Each question is also asked again as it is: what flips there is chance, and rates are compared with it.
    """
    config, asking = options.taken_out(given, VaryConfig), asking_of(given)
    from vivavoce.cli.consistency.varying import Request, Writing, examine

    writing = options.taken_out(given, Writing)
    _check(config, writing)
    check_page(html)
    finding, kept = examine(Request(candidate, scope, config, writing, asking, judge), dry_run=dry_run)
    if finding is None:
        return
    show(finding, as_json=as_json, html=html, kept=kept, measured=finding.measured)
    context.exit(code_of_study(finding))


def _check(config: VaryConfig, writing: Writing) -> None:
    """Refuse what does not fit together, and a file that cannot be written."""
    from vivavoce.studies.variations.varied_question import variations

    written = [one.name for one in variations(config) if one.kind.written]
    if written and writing.writer is None and writing.written is None:
        raise click.UsageError(f"'{written[0]}' is written: give --writer CANDIDATE, or --written FILE.")
    if not written and (writing.writer or writing.checker or writing.written or writing.save_variants):
        raise click.UsageError(
            "No kind of --vary needs a writer: leave --writer, --checker, --written and --save-variants out."
        )
    if writing.written is not None and (writing.writer or writing.checker or writing.save_variants):
        raise click.UsageError("--written has the variants already: leave --writer, --checker and --save-variants out.")
    check_output("--save-variants", writing.save_variants)
