"""`viva eqt CANDIDATE...`: explain, query, test."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_of, asking_options, on_record
from vivavoce.cli.config_options import config_options
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.eqt.training_pairs import check_pairs, write_pairs
from vivavoce.cli.output import Kept, show
from vivavoce.cli.pages import check_output, check_page
from vivavoce.cli.results import RESULTS, rows_into
from vivavoce.eqt.config import ConceptsConfig, EqtConfig

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from vivavoce.eqt.comparison_finding import EqtComparison
    from vivavoce.eqt.finding import ExplainQueryTest
    from vivavoce.eqt.questions import Concept, Record, Role
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import Progress, Together
    from vivavoce.interview.results import Front, Results
    from vivavoce.interview.transcript import Transcript


def _role(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """ROLE=CANDIDATE pairs."""
    from vivavoce.eqt.questions import Role

    found: dict[str, str] = {}
    for text in given:
        role, equals, name = text.partition("=")
        if role not in get_args(Role) or not equals or not name:
            raise click.BadParameter(f"'{text[:80]}': give ROLE=CANDIDATE, where ROLE is {', '.join(get_args(Role))}.")
        if role in found:
            raise click.BadParameter(f"the {role} is named twice.")
        found[role] = name
    return found


@dataclass(frozen=True, slots=True)
class Cast:
    """Who is examined, and who else takes part."""

    candidates: tuple[str, ...]
    role: Mapping[Role, str]
    """Others than the candidate itself, by what they do."""
    cross: bool
    """Whether each candidate answers the others' questions, too."""
    sources: Path | None = None
    """Where what is true of the concepts stands."""

    @property
    def names(self) -> tuple[str, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys((*self.candidates, *self.role.values())))

    @property
    def visitors(self) -> int:
        """How many others answer the questions of each candidate."""
        return len(self.candidates) - 1 if self.cross else 0


@click.command(epilog=exit_codes("4 no question was written, or the budget ran out before a concept was done", GOES_ON))
@click.argument("candidates", nargs=-1, required=True, metavar="CANDIDATE...")
@config_options(ConceptsConfig)
@config_options(EqtConfig)
@click.option(
    "--role",
    multiple=True,
    callback=_role,
    metavar="ROLE=CANDIDATE",
    help="Another explainer, writer, paraphraser, answerer or checker than the candidate itself.",
)
@click.option("--cross", is_flag=True, help="With several candidates: each answers the others' questions, too.")
@click.option(
    "--out",
    type=options.FILE,
    metavar="FILE",
    help="Write all explanations, questions and answers; of several candidates NAME-1.json, NAME-2.json, ...",
)
@click.option(
    "--sources",
    type=click.Path(path_type=Path, exists=True),
    metavar="FOLDER|FILE",
    help="What is true of each concept, to tell failures of explaining, writing and answering apart: NAME.txt files, "
    ".csv, .json or .jsonl.",
)
@click.option("--pairs", type=options.FILE, metavar="FILE", help="Write failures as training pairs (.jsonl).")
@RESULTS
@asking_options
@options.output_options
@click.pass_context
def examine(
    context: click.Context, /, *, out: Path | None, pairs: Path | None, as_json: bool, html: Path | None, **given: Any
) -> None:
    """Have CANDIDATE explain concepts, ask questions on its explanations, and answer them without seeing these.

    \b
    viva eqt chat:llama3.2@http://localhost:11434/v1 --concepts math --limit 5 --transcript run.sqlite --html page.html
    viva eqt chat:a@URL chat:b@URL --cross --out results.json --html page.html
    viva eqt inspect:openai/gpt-4o --role checker=inspect:anthropic/claude-sonnet-4-0 --concepts my-concepts.txt

    A concept with 5 questions and 3 paraphrases takes 1 + 5 + 15 + 25 calls, and 25 more for checks.
    """
    wanted, config = options.taken_out(given, ConceptsConfig), options.taken_out(given, EqtConfig)
    asking, cast = asking_of(given), Cast(**given)
    check_page(html)
    files = _files(out, len(cast.candidates))
    for file in files:
        check_output("--out", file)
    pairs_files = _files(pairs, len(cast.candidates))
    for file in pairs_files:
        check_pairs(file)
    _check(cast, config)
    findings, records, kept = _examine(cast, wanted, config, asking)
    _write(files, records)
    for file, record in zip(pairs_files, records, strict=bool(pairs_files)):
        write_pairs(file, record)
    finding: ExplainQueryTest | EqtComparison = findings[0]
    if len(findings) > 1:
        from vivavoce.eqt.comparison import compare_candidates

        finding = compare_candidates(findings)
    show(finding, as_json=as_json, html=html, kept=kept)
    context.exit(0 if any(one.whole.questions for one in findings) else OF_VERDICT["undecided"])


def _check(cast: Cast, config: EqtConfig) -> None:
    """Refuse now what would otherwise fail after all questions have been paid for."""
    if len(set(cast.candidates)) < len(cast.candidates):
        raise click.UsageError("a candidate is named twice: name each once.")
    if cast.sources is not None and not config.checks:
        raise click.UsageError("--sources needs checks: leave --no-checks out.")
    if cast.cross and len(cast.candidates) < 2:
        raise click.UsageError("--cross needs at least two candidates.")
    if len(cast.candidates) > 1 and "answerer" in cast.role:
        raise click.UsageError("with --role answerer=... all candidates would be the same: give one candidate.")


def _files(out: Path | None, candidates: int) -> list[Path]:
    if out is None:
        return []
    return [out] if candidates == 1 else [out.with_stem(f"{out.stem}-{number}") for number in range(1, candidates + 1)]


def _write(files: Sequence[Path], records: Sequence[Record]) -> None:
    from vivavoce.eqt.record_file import write_record

    for file, record in zip(files, records, strict=bool(files)):
        write_record(file, record)
        click.echo(f"Results: {file}", err=True)


def _examine(
    cast: Cast, wanted: ConceptsConfig, config: EqtConfig, asking: Asking
) -> tuple[list[ExplainQueryTest], list[Record], Kept | None]:
    """A finding and all texts of each candidate, and what to remember of the transcript; None for one in memory."""
    from vivavoce.candidates import open_candidate
    from vivavoce.eqt.concepts import chosen_concepts, drawn_concepts, named
    from vivavoce.eqt.score import score
    from vivavoce.eqt.sources import read_sources, sources_of
    from vivavoce.interview.candidate import takes_terminal

    concepts = drawn_concepts(chosen_concepts(wanted.concepts), wanted.limit, seed=config.seed)
    sources = sources_of(concepts, read_sources(cast.sources)) if cast.sources is not None else {}
    opened = {name: open_candidate(name) for name in cast.names}
    calls = _announce(cast, opened, (len(concepts), len(sources)), config, quiet=asking.quiet)
    front: tuple[Front, ...] = ("candidate",) if len(opened) > 1 else ()

    async def ask(transcript: Transcript, on_progress: Callable[[Progress], None]) -> list[Record]:
        from vivavoce.interview.progress import Together

        async with interviews_of(opened, asking, (transcript, Together(on_progress, expected=calls), results)) as interviews:
            return await _ask(cast, interviews, (concepts, sources), config, concurrency=asking.concurrency)

    with rows_into(asking.results, *front) as results:
        records, kept = on_record(asking.transcript, ask, quiet=asking.quiet or takes_terminal(*opened.values()))
    source, digest = named(concepts)
    return [score(one, source=source, digest=digest) for one in records], records, kept


def _announce(
    cast: Cast, opened: Mapping[str, Candidate[Prompt, Reply]], number: tuple[int, int], config: EqtConfig, *, quiet: bool
) -> int:
    """Say what it will take; returns the number of calls. `number`: concepts, and those of them with a source."""
    from vivavoce.eqt.cost_estimate import cost_estimate
    from vivavoce.formats.wording import count
    from vivavoce.interview.candidate import Priced

    concepts, sources = number
    calls = tokens = 0
    money = 0.0
    for candidate in cast.candidates:
        for role, share in cost_estimate(concepts, config, visitors=cast.visitors, sources=sources).items():
            calls, tokens = calls + share.calls, tokens + share.tokens_in + share.tokens_out
            who = opened[cast.role.get(role, candidate)]
            price_in, price_out = who.prices if isinstance(who, Priced) else (0.0, 0.0)
            money += (share.tokens_in * price_in + share.tokens_out * price_out) / 1e6
    if not quiet:
        priced = f", roughly {money:.2f} of money" if money else ""
        said = f"{count(concepts)} concept{'s' * (concepts != 1)}: {count(calls)} calls, roughly {count(tokens)} tokens{priced}"
        click.echo(f"viva: {said}, less what is on record", err=True)
    return calls


@asynccontextmanager
async def interviews_of(
    opened: Mapping[str, Candidate[Prompt, Reply]], asking: Asking, place: tuple[Transcript, Together, Results | None]
) -> AsyncIterator[dict[str, Interview[Prompt, Reply]]]:
    """One interview with each candidate, whatever it does, all within one budget; candidates are let go of at the end."""
    from vivavoce.candidates import close_candidate
    from vivavoce.interview.budget import Budget, SharedBudget

    transcript, together, results = place
    shared_budget = SharedBudget(Budget(tokens=asking.tokens, money=asking.money))
    async with AsyncExitStack() as stack:
        interviews: dict[str, Interview[Prompt, Reply]] = {}
        for name, candidate in opened.items():
            stack.push_async_callback(close_candidate, candidate)
            interviews[name] = asking.interview(
                candidate, transcript, expected=None, on_progress=together.one(), shared_budget=shared_budget, results=results
            )
        yield interviews


async def _ask(
    cast: Cast,
    interviews: Mapping[str, Interview[Prompt, Reply]],
    asked: tuple[Sequence[Concept], Mapping[str, str]],
    config: EqtConfig,
    *,
    concurrency: int | None,
) -> list[Record]:
    """One examination after the other; `asked`: the concepts, and the sources of some."""
    from vivavoce.eqt.examine import explain_query_test
    from vivavoce.eqt.questions import ROLES
    from vivavoce.interview.candidate import CONCURRENCY

    return [
        await explain_query_test(
            {role: interviews[cast.role.get(role, name)] for role in ROLES},
            asked[0],
            config,
            sources=asked[1],
            concurrency=concurrency or CONCURRENCY,
            visitors={other: interviews[other] for other in cast.candidates if cast.cross and other != name},
        )
        for name in cast.candidates
    ]
