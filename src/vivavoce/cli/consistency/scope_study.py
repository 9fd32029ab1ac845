"""`viva consistency conversations` and the other studies of a scope (`SCOPE_STUDIES`)."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_of, examining_options, price_in_words, warn_of_few
from vivavoce.cli.endings import GOES_ON, all_of, code_of_study, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options
from vivavoce.cli.output import show
from vivavoce.errors import BadInput
from vivavoce.formats.wording import clipped, count

if TYPE_CHECKING:
    from vivavoce.studies.scope_studies import ScopeStudy
    from vivavoce.studies.study import StudyFinding


def __getattr__(name: str) -> click.Command:
    """The command of the study of that name."""
    from vivavoce.studies.scope_studies import scope_study

    try:
        return study_command(scope_study(name))
    except KeyError:
        raise AttributeError(name) from None


def study_command(study: ScopeStudy) -> click.Command:
    """The command that runs a study."""

    def run(*, candidate: str, scope: str, dry_run: bool, **given: Any) -> int:
        config, asking = options.taken_out(given, study.config), asking_of(given)
        finding = examine(study, candidate, scope, config, asking, dry_run=dry_run)
        if finding is None:
            return 0
        show(finding, measured=finding.measured)
        return code_of_study(finding)

    run.__doc__ = study.help
    lists: dict[str, Any] = {
        name: {"type": options.names, "multiple": False, "default": ",".join(getattr(study.config(), name))}
        for name in (field.name for field in fields(study.config) if "tuple" in str(field.type))
    }
    epilog = exit_codes("0 done, or pass", "3 fail", "4 undecided, or nothing was measured", GOES_ON)
    decorate = options.together(
        command(study.study.kind, epilog=epilog),
        click.argument("candidate", type=CANDIDATE),
        click.option(
            "--scope", required=True, type=SCOPE, metavar="S", help="Scope with the questions; see 'viva list scopes'."
        ),
        config_options(study.config, **lists),
        click.option("--dry-run", is_flag=True, help="Print the plan and its cost; ask nothing."),
        examining_options,
    )
    made: object = decorate(run)
    assert isinstance(made, click.Command)
    return made


def examine(
    study: ScopeStudy, candidate_name: str, scope: str, config: Any, asking: AskOptions, *, dry_run: bool
) -> StudyFinding[Any] | None:
    """The finding; None for a dry run. Raises `BadInput` if the study needs a conversation and the candidate sees only the
    question.
    """
    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.claims.claim import brief
    from vivavoce.interview.requests import holds_conversation
    from vivavoce.scopes import open_scope
    from vivavoce.studies.scope_subjects import conversed
    from vivavoce.studies.study import Source

    study.calls([], config)  # refuses invalid settings before anything is opened
    opened, candidate = all_of(partial(open_scope, scope), partial(open_candidate, candidate_name))
    subjects = conversed(opened, config)
    if study.needs_conversation and not holds_conversation(candidate):
        raise BadInput(
            f"{clipped(candidate.name, 120)} can't hold a conversation: use a model ('chat:', 'inspect:'), or a function with "
            "an argument annotated 'Prompt', which has the earlier turns in 'prompt.conversation'"
        )
    calls, tokens = study.calls(subjects, config)
    if dry_run or not asking.quiet:
        price = price_in_words(candidate, calls, tokens)
        click.echo(
            f"viva: {count(len(subjects))} questions, {count(calls)} calls, about {count(tokens)} tokens sent, with earlier "
            f"turns{price}; less what is on record",
            err=True,
        )
        warn_of_few(len(subjects), config.flip_limit, config.delta, "without such an event")
    if dry_run:
        return None
    source = Source(brief(scope), opened.digest)
    return asking.examined(candidate, lambda interview: study.ask(interview, subjects, config, source), expected=calls)
