"""`viva eqt CANDIDATE...`: explain, query, test."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_options, on_record, taken_from
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.output import Kept, show
from vivavoce.cli.pages import check_page, check_writable
from vivavoce.cli.results import RESULTS, rows_into

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from vivavoce.eqt.comparison_finding import EqtComparison
    from vivavoce.eqt.finding import ExplainQueryTest
    from vivavoce.eqt.questions import Concept, Record, Role, SetUp
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import Progress
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
class Order:
    """What was asked for on the command line."""

    candidates: tuple[str, ...]
    asking: Asking
    concepts: tuple[str, ...]
    limit: int | None
    questions: int
    paraphrases: int
    options: int
    role: Mapping[Role, str]
    cross: bool
    shuffle: bool
    checks: bool
    temperature: float | None
    seed: int
    out: Path | None
    as_json: bool
    html: Path | None

    @property
    def set_up(self) -> SetUp:
        """How the examination is held."""
        from vivavoce.eqt.questions import SetUp

        return SetUp(
            self.questions, self.paraphrases, self.options, self.shuffle, self.checks, self.temperature, self.seed
        )  # fmt: skip


@click.command(
    epilog=exit_codes("4 no conclusion (no question was written, or the budget ran out before a concept was done)", GOES_ON)
)
@click.argument("candidates", nargs=-1, required=True, metavar="CANDIDATE...")
@click.option(
    "--concepts", multiple=True, metavar="FILE|CATEGORY", help="Concepts to explain; may be repeated. By default all 280."
)
@click.option("--limit", type=options.count, metavar="N", help="Use this many concepts, drawn by the seed; else all.")
@click.option(
    "--questions", type=click.IntRange(1, 99), metavar="N", default=5, show_default=True, help="Questions per concept."
)
@click.option(
    "--paraphrases", type=click.IntRange(0, 20), metavar="N", default=3, show_default=True, help="Paraphrases per question."
)
@click.option("--options", type=click.IntRange(2, 10), metavar="N", default=4, show_default=True, help="Options per question.")
@click.option(
    "--role",
    multiple=True,
    callback=_role,
    metavar="ROLE=CANDIDATE",
    help="Another explainer, writer, paraphraser, answerer or checker than the candidate itself.",
)
@click.option("--cross", is_flag=True, help="With several candidates: each answers the others' questions, too.")
@click.option("--shuffle/--no-shuffle", default=True, show_default=True, help="Options in an order drawn by the seed.")
@click.option("--checks/--no-checks", default=True, show_default=True, help="Whether questions and wordings are checked.")
@options.TEMPERATURE
@options.seed("Draws concepts, and shuffles options.")
@click.option(
    "--out",
    type=options.FILE,
    metavar="FILE",
    help="Write all explanations, questions and answers; of several candidates NAME-1.json, NAME-2.json, ...",
)
@RESULTS
@asking_options
@options.output_options
@click.pass_context
def examine(context: click.Context, /, **given: Any) -> None:
    """Have CANDIDATE explain concepts, ask questions on its explanations, and answer them without seeing these.

    \b
    viva eqt chat:llama3.2@http://localhost:11434/v1 --concepts math --limit 5 --transcript run.sqlite --html page.html
    viva eqt chat:a@URL chat:b@URL --cross --out results.json --html page.html
    viva eqt inspect:openai/gpt-4o --role checker=inspect:anthropic/claude-sonnet-4-0 --concepts my-concepts.txt

    A concept with 5 questions and 3 paraphrases takes 1 + 5 + 15 + 25 calls, and 25 more for checks.
    """
    order = Order(**taken_from(given))
    _check(order)
    findings, records, kept = _examine(order)
    _write(order, records)
    finding: ExplainQueryTest | EqtComparison = findings[0]
    if len(findings) > 1:
        from vivavoce.eqt.comparison import compare_candidates

        finding = compare_candidates(findings)
    show(finding, as_json=order.as_json, html=order.html, kept=kept)
    context.exit(0 if any(one.whole.questions for one in findings) else OF_VERDICT["no conclusion"])


def _check(order: Order) -> None:
    """Refuse now what would otherwise fail after all questions have been paid for."""
    check_page(order.html)
    for file in _files(order):
        check_writable("--out", file)
    if len(set(order.candidates)) < len(order.candidates):
        raise click.UsageError("a candidate is named twice: name each once.")
    if order.cross and len(order.candidates) < 2:
        raise click.UsageError("--cross needs at least two candidates.")
    if len(order.candidates) > 1 and "answerer" in order.role:
        raise click.UsageError("with --role answerer=... all candidates would be the same: give one candidate.")


def _files(order: Order) -> list[Path]:
    if order.out is None:
        return []
    if len(order.candidates) == 1:
        return [order.out]
    return [order.out.with_stem(f"{order.out.stem}-{number}") for number in range(1, len(order.candidates) + 1)]


def _write(order: Order, records: Sequence[Record]) -> None:
    from vivavoce.eqt.record_file import write_record

    for file, record in zip(_files(order), records, strict=bool(order.out)):
        write_record(file, record)
        click.echo(f"Results: {file}", err=True)


def _examine(order: Order) -> tuple[list[ExplainQueryTest], list[Record], Kept | None]:
    """A finding and all texts of each candidate, and what to remember of the transcript; None for one in memory."""
    from vivavoce.candidates import open_candidate
    from vivavoce.eqt.concepts import chosen_concepts, drawn_concepts, named
    from vivavoce.eqt.score import score

    concepts = drawn_concepts(chosen_concepts(order.concepts), order.limit, seed=order.seed)
    cast = {name: open_candidate(name) for name in dict.fromkeys((*order.candidates, *order.role.values()))}
    calls = _announce(order, len(concepts), cast)
    front: tuple[Front, ...] = ("candidate",) if len(cast) > 1 else ()
    with rows_into(order.asking.results, *front) as results:
        records, kept = on_record(
            order.asking.transcript,
            lambda transcript, on_progress: _ask(order, concepts, cast, (transcript, on_progress, calls), results),
            quiet=order.asking.quiet,
        )
    source, digest = named(concepts)
    return [score(one, source=source, digest=digest) for one in records], records, kept


def _announce(order: Order, concepts: int, cast: Mapping[str, Candidate[Prompt, Reply]]) -> int:
    """Say what it will take; returns the number of calls."""
    from vivavoce.eqt.outlook import outlook
    from vivavoce.formats.wording import count
    from vivavoce.interview.candidate import Priced

    calls = tokens = 0
    money = 0.0
    for candidate in order.candidates:
        visitors = len(order.candidates) - 1 if order.cross else 0
        for role, share in outlook(concepts, order.set_up, visitors=visitors).items():
            calls, tokens = calls + share.calls, tokens + share.tokens_in + share.tokens_out
            who = cast[order.role.get(role, candidate)]
            price_in, price_out = who.prices if isinstance(who, Priced) else (0.0, 0.0)
            money += (share.tokens_in * price_in + share.tokens_out * price_out) / 1e6
    if not order.asking.quiet:
        priced = f", roughly {money:.2f} of money" if money else ""
        said = f"{count(concepts)} concept{'s' * (concepts != 1)}: {count(calls)} calls, roughly {count(tokens)} tokens{priced}"
        click.echo(f"viva: {said}, less what is on record", err=True)
    return calls


async def _ask(
    order: Order,
    concepts: Sequence[Concept],
    cast: Mapping[str, Candidate[Prompt, Reply]],
    place: tuple[Transcript, Callable[[Progress], None], int],
    results: Results | None,
) -> list[Record]:
    """One examination after the other, within one budget; a candidate of several roles is interviewed once."""
    from vivavoce.candidates import close_candidate
    from vivavoce.eqt.examine import explain_query_test
    from vivavoce.eqt.questions import ROLES
    from vivavoce.interview.budget import Budget, SharedBudget
    from vivavoce.interview.candidate import AT_ONCE
    from vivavoce.interview.progress import Together

    transcript, on_progress, calls = place
    shared_budget = SharedBudget(Budget(tokens=order.asking.tokens, money=order.asking.money))
    together = Together(on_progress, expected=calls)
    async with AsyncExitStack() as stack:
        interviews: dict[str, Interview[Prompt, Reply]] = {}
        for name, candidate in cast.items():
            stack.push_async_callback(close_candidate, candidate)
            interviews[name] = order.asking.interview(
                candidate, transcript, expected=None, on_progress=together.one(), shared_budget=shared_budget, results=results
            )
        return [
            await explain_query_test(
                {role: interviews[order.role.get(role, name)] for role in ROLES},
                concepts,
                order.set_up,
                at_once=order.asking.at_once or AT_ONCE,
                visitors={other: interviews[other] for other in order.candidates if order.cross and other != name},
            )
            for name in order.candidates
        ]
