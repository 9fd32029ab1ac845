"""`viva consistency vary`: test whether the answer stays the same under variations that must not matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
    price_in_words,
    warn_of_few,
)
from vivavoce.cli.endings import GOES_ON, all_of, code_of_study, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options
from vivavoce.cli.output import rows_into, show
from vivavoce.formats.wording import count
from vivavoce.interview.candidate import Candidate, Prompt, Reply, Usage
from vivavoce.settings import setting
from vivavoce.studies.config import VaryConfig

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
    from vivavoce.examination.varied import drawn
    from vivavoce.interview.budget import SharedBudget
    from vivavoce.scopes import open_scope
    from vivavoce.studies.forecasting.tuples import read_tuples
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
    from vivavoce.studies.forecasting.tuples import write_tuples
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
    from vivavoce.studies.variations.judging import judge_calls
    from vivavoce.studies.variations.varied_question import expected_questions, expected_tokens

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
