"""`viva probe`: an oral examination that follows up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import asking_of, asking_options, examined_side_by_side, write_lines
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import output_options, show
from vivavoce.cli.verdict_options import price_in_words
from vivavoce.documents.reading import QuestionMakingConfig
from vivavoce.formats.wording import count
from vivavoce.probe.config import ProbeConfig

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.probe.finding import ProbeFinding


@command(epilog=exit_codes("0 done", "4 the budget ran out", GOES_ON))
@click.argument("candidate", type=CANDIDATE)
@click.option("--scope", type=SCOPE, metavar="S", help="Scope with the questions; see 'viva list scopes'.")
@click.option(
    "--documents",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Have the examiner write questions about this file or folder; repeatable.",
)
@config_options(
    QuestionMakingConfig,
    only=("questions",),
    questions={"type": options.count, "help": "Have so many questions about documents written; some are rejected."},
)
@click.option("--examiner", metavar="CANDIDATE", help="Let this model write follow-ups. [default: fixed sentences]")
@click.option("--judge", metavar="CANDIDATE", help="Let this model grade answers. [default: the scope's rule]")
@config_options(ProbeConfig)
@click.option("--failures", type=options.OUTPUT, help="Write confirmed failures as questions (JSON Lines).")
@asking_options
@output_options
def probe(
    *,
    candidate: str,
    scope: str | None,
    documents: tuple[Path, ...],
    questions: int,
    examiner: str | None,
    judge: str | None,
    failures: Path | None,
    **given: Any,
) -> int:
    """Follow up on CANDIDATE's answers, find failures, and say how often they happen.

    \b
    viva probe chat:A@http://localhost:11434/v1 --scope obvious --transcript probe.sqlite --html page.html
    viva probe chat:A@http://localhost:11434/v1 --documents handbook.pdf --examiner chat:B@http://localhost:11434/v1 \\
        --failures failures.jsonl

    Calls for random questions (as many as for the search at most) and for new questions come on top of --calls.
    """
    from vivavoce.candidates import open_candidate
    from vivavoce.probe.confirmation import failure_rows
    from vivavoce.probe.conversations import document_scope
    from vivavoce.probe.probe import probe as probed
    from vivavoce.scopes import open_scope

    config, asking = options.taken_out(given, ProbeConfig), asking_of(given)
    if (scope is None) == (not documents):
        raise click.UsageError("give either --scope or --documents.")
    if documents and examiner is None:
        raise click.UsageError("--documents needs an --examiner that writes questions about them.")
    opened = None if scope is None else open_scope(scope)
    models = [open_candidate(name) for name in (candidate, examiner) if name is not None]
    judging = None if judge is None else open_candidate(judge)
    if not asking.quiet:
        _tell_estimate(models[0], config)

    async def examination(
        interviews: Sequence[Interview[Prompt, Reply]], judged_by: Interview[Prompt, Reply] | None
    ) -> ProbeFinding:
        helpers = _helpers(interviews[1:], judged_by)
        if opened is not None:
            return await probed(interviews[0], opened, config, helpers)
        written, title = await document_scope(interviews[1], documents, questions=questions, seed=config.seed)
        return await probed(interviews[0], written, config, helpers, title=title)

    finding = examined_side_by_side(models, examination, asking, judging=judging)
    show(finding, measured=bool(finding.modes))
    if failures is not None:
        examples = [mode.example for mode in finding.modes]
        write_lines(failures, failure_rows(examples, candidate=finding.candidate, scope=finding.scope))
        click.echo(f"Failures: {failures}", err=wants_json())
    return OF_VERDICT["undecided"] if finding.exhausted else 0


def _helpers(examiner: Sequence[Interview[Prompt, Reply]], judge: Interview[Prompt, Reply] | None) -> Any:
    """The models that help (`ProbeHelpers`)."""
    from vivavoce.certificate.graders.judge import CandidateJudge
    from vivavoce.probe.conversations import JudgeGrader, ModelExaminer
    from vivavoce.probe.probe import ProbeHelpers

    return ProbeHelpers(
        examiner[0].candidate.name if examiner else "",
        ModelExaminer(examiner[0]) if examiner else None,
        "" if judge is None else judge.candidate.name,
        None if judge is None else JudgeGrader(CandidateJudge(judge, topic="probe/judge")),
        (*examiner, *(() if judge is None else (judge,))),
    )


def _tell_estimate(candidate: Candidate[Prompt, Reply], config: ProbeConfig) -> None:
    """Print the calls and their cost before anything is asked."""
    calls = config.calls * (1 + config.random)
    price = price_in_words(candidate, calls, calls * _TOKENS)
    new = f", then up to {count(2 * config.fresh)} for each confirmed failure" if config.fresh else ""
    click.echo(f"viva: up to {count(calls)} calls{price}{new}; less what is on record", err=True)


_TOKENS = 150
"""Assumed tokens of a prompt with its earlier turns."""
