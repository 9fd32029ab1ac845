"""How `viva consistency search` asks: the space that is searched, and what it will take."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.certificate.scopes import open_scope
from vivavoce.certificate.verdict import brief
from vivavoce.cli.asking import Asking, price_in_words
from vivavoce.cli.consistency.laws.ask import chosen_tuples
from vivavoce.cli.output import Kept
from vivavoce.consistency.forecasts.making.questions import read_questions
from vivavoce.consistency.forecasts.plan import plan
from vivavoce.consistency.relations.score import Source
from vivavoce.consistency.search.config import ContradictionSearchConfig
from vivavoce.consistency.search.examine import expected_calls, search, tokens_a_call
from vivavoce.consistency.search.spaces.laws import Tuples
from vivavoce.consistency.search.spaces.sources import MOST_STATEMENTS, Given, composed_of, given
from vivavoce.consistency.search.spaces.varied import kinds_of
from vivavoce.examination.searched import among_defendants, among_questions
from vivavoce.formats.lines import file_digest
from vivavoce.formats.wording import count

if TYPE_CHECKING:
    from vivavoce.consistency.search.finding import ContradictionSearch
    from vivavoce.consistency.search.genome import Space
    from vivavoce.consistency.search.spaces.sources import Source as TupleSource
    from vivavoce.interview.candidate import Candidate, Prompt, Reply

OF_TUPLES: Final = ("typos", "context", "persona")
"""Forecasts have no options."""


@dataclass(frozen=True, slots=True)
class Where:
    """Where contradictions are searched: one of these, and what of it."""

    scope: str | None
    tuples: Path | None
    questions: Path | None
    defendants: Path | None
    vary: tuple[str, ...] | None
    law: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """One call of the command."""

    candidate: str
    where: Where
    config: ContradictionSearchConfig
    asking: Asking


def examine(request: Request, *, dry_run: bool) -> tuple[ContradictionSearch | None, Kept | None]:
    """The finding, and what to remember of the transcript; no finding where nothing is to be asked."""
    config, asking = request.config, request.asking
    space, source = _space(request)
    candidate = open_candidate(request.candidate)
    if dry_run or not asking.quiet:
        _tell_estimate(space, config, candidate)
    if dry_run:
        import asyncio

        asyncio.run(close_candidate(candidate))
        return None, None
    return asking.examined(
        candidate, lambda interview: search(interview, space, config, source), expected=expected_calls(config)
    )


def _space(request: Request) -> tuple[Space, Source]:
    where, config = request.where, request.config
    if where.scope is not None:
        return among_questions(open_scope(where.scope), brief(where.scope), where.vary, config)
    if where.defendants is not None:
        return among_defendants(where.defendants, config)
    source, file = _source(request)
    return Tuples(source, kinds_of(OF_TUPLES if where.vary is None else where.vary)), Source(file.name, file_digest(file))


def _source(request: Request) -> tuple[TupleSource, Path]:
    """Tuples of a file, or such as are composed of the questions of one."""
    where, config = request.where, request.config
    if where.questions is not None:
        laws = [name.strip() for names in where.law for name in names.split(",") if name.strip()]
        return composed_of(read_questions(where.questions), laws, cases=config.cases, seed=config.seed), where.questions
    assert where.tuples is not None
    tuples = chosen_tuples(where.tuples, where.law, proposed=False, quiet=request.asking.quiet)
    fit = given(tuples).tuples
    if len(fit) < len(tuples) and not request.asking.quiet:
        left = f"{len(tuples) - len(fit)} of {len(tuples)} tuples are left out"
        click.echo(f"viva: {left}: of quantities, or with more than {MOST_STATEMENTS} statements", err=True)
    return Given([one.asked for one in plan(fit, limit=config.cases, seed=config.seed)]), where.tuples


def _tell_estimate(space: Space, config: ContradictionSearchConfig, candidate: Candidate[Prompt, Reply]) -> None:
    """How large the space is, how many calls there will be, and at what cost where prices are known."""
    calls = expected_calls(config)
    tokens = round(tokens_a_call(space, config) * calls)
    size = len(space.cases) * (prod(len(gene.values) + 1 for gene in space.genes) - 1)
    click.echo(
        f"viva: {count(len(space.cases))} cases with {count(len(space.genes))} genes, {count(size)} possible attempts; at most "
        f"{count(calls)} calls, some {count(tokens)} tokens of prompts{price_in_words(candidate, calls, tokens)}; less what "
        "both methods ask, and what is on record",
        err=True,
    )
