"""`viva consistency conversations` and the other studies of a scope (`SCOPE_STUDIES`), `vary`, and `rules`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import (
    AskOptions,
    asking_of,
    close_all,
    examining_options,
    on_record,
    open_each,
    warn_of_few,
)
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, all_of, code_of_study, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import rows_into, show
from vivavoce.cli.verdict_options import price_in_words
from vivavoce.consistency.config import RelationsConfig
from vivavoce.errors import BadInput
from vivavoce.formats.lines import file_digest
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.candidate import Candidate, Prompt, Reply, Usage
from vivavoce.settings import setting
from vivavoce.studies.config import VaryConfig

if TYPE_CHECKING:
    from vivavoce.relations import RelationFinding, Rule
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


FUNCTION = "function:"
"""Prefix of candidates that are called with inputs unchanged, not asked in words."""


@command(epilog=exit_codes("4 no tuple has all its answers", GOES_ON))
@click.argument("candidate", type=CANDIDATE)
@click.option(
    "--table",
    required=True,
    type=options.KNOWN_FILE,
    help='Read tuples: JSON Lines {"inputs": [x1, x2], "relation": "same"}, or CSV.',
)
@click.option("--rule", metavar="MODULE:RULE", help="Use this Python rule for all lines, instead of their relations.")
@config_options(RelationsConfig)
@click.option("--details", "each", is_flag=True, help="With --json: list each tuple.")
@examining_options
def rules(*, candidate: str, table: Path, rule: str | None, each: bool, **given: Any) -> int:
    """Count how often CANDIDATE breaks rules on related inputs (metamorphic relations).

    \b
    viva consistency rules function:my_model:price --table pairs.jsonl
    viva consistency rules function:my_model:model.predict --batch --table pairs.csv --rule my_rules:larger_is_dearer
    viva consistency rules chat:llama3.2@http://localhost:11434/v1 --table pairs.csv --task 'What is it worth in euros?'

    A relation compares the first output with the others: "same", "at least" or "at most", each with an optional
    "tolerance". Tuples made from the same item name it as their "base". A function is called with each input. Any other
    candidate is asked in words, and its output is the one number that a reply states as its answer. If a reply has none,
    the candidate is asked once more, provided that it can hold a conversation; replies that still can't be parsed count as
    no answer.
    """
    config, asking = options.taken_out(given, RelationsConfig), asking_of(given)
    if each and not wants_json():
        raise click.UsageError("--details lists every tuple as JSON: give --json, too.")
    name = candidate.strip()
    config.check_fits(function=name.startswith(FUNCTION))
    if name.startswith(FUNCTION) and asking.transcript is not None:
        raise click.UsageError("--transcript is for candidates that are asked in words; a function is called with each input.")
    with redirect_stdout(sys.stderr):  # the user's module may print, and standard output is for the finding
        finding = _examine(name, table, None if rule is None else _rule(rule), config, asking, each=each)
    show(finding, measured=finding.measured)
    return 0 if finding.measured else OF_VERDICT["undecided"]


def _examine(
    name: str, table: Path, rule: Rule | None, config: RelationsConfig, asking: AskOptions, *, each: bool
) -> RelationFinding:
    from vivavoce.candidates import open_candidate
    from vivavoce.relations import Source, ask, check, read_table
    from vivavoce.studies.rules.asking import expected_questions

    tuples, source = read_table(table, rule), Source(table.name, file_digest(table))
    if name.startswith(FUNCTION):
        function = _function(name.removeprefix(FUNCTION))
        with rows_into(asking.results) as results:
            return check(function, tuples, rule, config, name=name, source=source, each=each, results=results)
    candidate, questions = open_candidate(name), expected_questions(tuples, rule)
    if not asking.quiet:
        click.echo(f"viva: {len(tuples)} tuples, {questions} questions, less those on record", err=True)
    return asking.examined(
        candidate,
        lambda interview: ask(interview, tuples, rule, config, source=source, each=each),
        expected=questions,
    )


def _function(target: str) -> Callable[[Any], Any]:
    from vivavoce.candidates.function import named_object

    function: object = named_object(target, example="function:my_model:price")
    if not callable(function):
        raise BadInput(f"'{target}' is a {type(function).__name__}, which can't be called: name a function")
    return function


def _rule(target: str) -> Rule:
    from vivavoce.candidates.function import named_object
    from vivavoce.relations import Rule

    if ":" not in target:
        raise click.UsageError(f"--rule {target}: write MODULE:NAME, such as my_rules:larger_is_dearer.")
    rule = named_object(target, example="my_rules:larger_is_dearer")
    if not isinstance(rule, Rule):
        raise BadInput(f"'{target}' is a {type(rule).__name__}, not a vivavoce.relations.Rule")
    return rule


if TYPE_CHECKING:
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript
    from vivavoce.studies.variations.varied_question import VariedQuestion
    from vivavoce.studies.vary import Origin, VaryFinding

    Asked = Candidate[Prompt, Reply]
    Open = Callable[..., Interview[Prompt, Reply]]


@dataclass(frozen=True, slots=True)
class VariantSources:
    """The writer and checker of variants, or the files with them."""

    writer: str | None = setting(None, "Let this model write paraphrases and translations.", metavar="CANDIDATE")
    checker: str | None = setting(
        None, "Let this model check them. [default: the writer, in new conversations]", metavar="CANDIDATE|none"
    )
    save_variants: Path | None = setting(None, "Write the variants for 'viva consistency forecasts review'; replaces the file.")
    written: Path | None = setting(None, "Read paraphrases and translations from this file.")


@command(epilog=exit_codes("0 done, or pass", "3 fail", "4 undecided, or nothing compared", GOES_ON))
@click.argument("candidate", type=CANDIDATE)
@click.option("--scope", required=True, type=SCOPE, metavar="S", help="Scope with the questions; see 'viva list scopes'.")
@config_options(VaryConfig, vary={"type": options.names, "multiple": False, "default": ",".join(VaryConfig().vary)})
@config_options(VariantSources, save_variants={"type": options.OUTPUT}, written={"type": options.KNOWN_FILE})
@click.option(
    "--judge", type=CANDIDATE, metavar="CANDIDATE", help="Let this model decide whether two open answers mean the same."
)
@click.option("--dry-run", is_flag=True, help="Print the plan and its cost; ask nothing.")
@examining_options
def vary(*, candidate: str, scope: str, judge: str | None, dry_run: bool, **given: Any) -> int:
    """Measure how often CANDIDATE changes its answer under variations that must not matter.

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
    from vivavoce.certificate.claims.claim import brief
    from vivavoce.examination.parts.studies import drawn
    from vivavoce.interview.budget import SharedBudget
    from vivavoce.scopes import open_scope
    from vivavoce.studies.forecasting.forecast_files import read_tuples
    from vivavoce.studies.variations.varied_question import expected_questions
    from vivavoce.studies.vary import ask

    config, asking = options.taken_out(given, VaryConfig), asking_of(given)
    sources = options.taken_out(given, VariantSources)
    _check(config, sources)
    checker = None if sources.writer is None else sources.checker or sources.writer
    opened, models = all_of(partial(open_scope, scope), partial(open_each, candidate, sources.writer, checker, judge))
    parties = Parties(*models)
    written = None if sources.written is None else read_tuples(sources.written)
    questions, origin = drawn(opened, config, title=brief(scope), judged=judge is not None, written=written)
    if dry_run or not asking.quiet:
        _tell_estimate(questions, config, parties)
    if dry_run:
        return 0

    async def examine(transcript: Transcript, on_progress: Callable[[Progress], None]) -> VaryFinding:
        interview = partial(AskOptions.interview, transcript=transcript, on_progress=on_progress)
        varied, spent, about = questions, Usage(), origin
        try:
            if parties.writer is not None:
                varied, spent, about = await _written(interview, parties, questions, (config, asking, sources), origin)
            left = asking.after(spent)
            shared, expected = SharedBudget(left.budget), expected_questions(varied, config)
            asks = interview(left, parties.candidate, expected=expected, shared_budget=shared, results=results)
            judges = None
            if parties.judge is not None:
                judges = interview(left, parties.judge, expected=None, shared_budget=shared)
            return await ask(asks, varied, config, about, judging=judges)
        finally:
            await close_all(*models)

    with rows_into(asking.results) as results:
        finding = on_record(asking.transcript, examine, quiet=asking.quiet)
    show(finding, measured=finding.measured)
    return code_of_study(finding)


def _check(config: VaryConfig, writing: VariantSources) -> None:
    """Refuse options that don't fit together."""
    from vivavoce.studies.variations.varied_question import variations

    written = [variation.name for variation in variations(config) if variation.kind.written]
    if written and writing.writer is None and writing.written is None:
        raise click.UsageError(f"'{written[0]}' needs written variants: give --writer CANDIDATE, or --written FILE.")
    if not written and (writing.writer or writing.checker or writing.written or writing.save_variants):
        raise click.UsageError(
            "No kind of --vary needs a writer: leave out --writer, --checker, --written and --save-variants."
        )
    if writing.written is not None and (writing.writer or writing.checker or writing.save_variants):
        raise click.UsageError("--written already has the variants: leave out --writer, --checker and --save-variants.")


@dataclass(frozen=True, slots=True)
class Parties:
    """The candidate, writer, checker and judge; one model may have several roles."""

    candidate: Asked
    writer: Asked | None
    checker: Asked | None
    judge: Asked | None


async def _written(
    interview: Open,
    parties: Parties,
    questions: list[VariedQuestion],
    given: tuple[VaryConfig, AskOptions, VariantSources],
    origin: Origin,
) -> tuple[list[VariedQuestion], Usage, Origin]:
    """The questions with their written and checked variants, the cost of these, and caveats."""
    from vivavoce.studies.forecasting.forecast_files import write_tuples
    from vivavoce.studies.variations import writing

    assert parties.writer is not None
    config, asking, sources = given
    drafts = writing.begin(questions, config)
    writes = interview(asking, parties.writer, expected=len(drafts))
    drafts = await writing.write(writes, drafts, config)
    spent, caveats = writes.spending, dict.fromkeys(writes.caveats)
    if parties.checker is not None:
        checks = interview(asking.after(spent), parties.checker, expected=writing.checks_wanted(drafts))
        drafts = await writing.check(checks, drafts)
        spent, caveats = spent + checks.spending, caveats | dict.fromkeys(checks.caveats)
    if sources.save_variants is not None:
        write_tuples(sources.save_variants, [draft.as_tuple() for draft in drafts])
    questions = writing.with_drafts(questions, drafts, config, checked=parties.checker is not None)
    checker = "" if parties.checker is None else parties.checker.name
    return questions, spent, replace(origin, writer=parties.writer.name, checker=checker, about_writing=tuple(caveats))


def _tell_estimate(questions: Sequence[VariedQuestion], config: VaryConfig, parties: Parties) -> None:
    """Print the expected calls and cost before anything is asked."""
    from vivavoce.studies.variations import writing
    from vivavoce.studies.variations.varied_question import expected_questions, expected_tokens, judge_calls

    drafts = 0 if parties.writer is None else len(writing.begin(questions, config))
    calls = expected_questions(questions, config) + drafts * config.variants
    tokens = expected_tokens(questions, config)
    tokens = tokens * calls // max(1, calls - drafts * config.variants)
    price = price_in_words(parties.candidate, calls, tokens)
    messages = [f"{count(len(questions))} questions, {count(calls)} calls, some {count(tokens)} tokens of prompts{price}"]
    if parties.judge is not None:
        messages.append(f"at most {count(judge_calls(questions, config))} of the judge")
    if drafts:
        messages.append(f"at most {count(drafts)} calls of the writer")
        if parties.checker is not None:
            messages.append(f"at most {count(drafts * config.variants)} of the checker")
    click.echo(f"viva: {'; '.join(messages)}; less what is on record", err=True)
    warn_of_few(len(questions), config.flip_limit, config.delta, "without a flip")
