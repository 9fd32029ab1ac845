"""Asking and files of `viva eqt`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.cli.asking import AskOptions, close_all, on_record, write_lines
from vivavoce.cli.output import check_output, rows_into
from vivavoce.eqt.record import ROLES, Concept, ConceptsConfig, EqtConfig, EqtRecord, EqtRole, ExtractionConfig
from vivavoce.errors import UnknownName
from vivavoce.formats.wording import count
from vivavoce.interview.candidate import CONCURRENCY, Candidate, HasPrices, Prompt, Reply, takes_terminal
from vivavoce.settings import setting

if TYPE_CHECKING:
    from vivavoce.eqt.concept_extraction import ConceptExtraction
    from vivavoce.eqt.files import Original
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.results import Front
    from vivavoce.interview.transcript import Transcript


Interviews = Mapping[str, "Interview[Prompt, Reply]"]


@dataclass(frozen=True, slots=True)
class EqtRoles:
    """Which models take part."""

    candidates: tuple[str, ...]
    """The models that are examined."""
    role: Mapping[EqtRole, str]
    """Models in other roles than the candidate's own, by role."""
    cross: bool
    """Whether each candidate also answers the others' questions."""

    @property
    def names(self) -> tuple[str, ...]:
        """All models, each once."""
        return tuple(dict.fromkeys((*self.candidates, *self.role.values())))

    @property
    def visitors(self) -> int:
        """How many other models answer the questions of each candidate."""
        return len(self.candidates) - 1 if self.cross else 0


@dataclass(frozen=True, slots=True)
class ConceptSource:
    """The concepts that are explained, or the questions from which they are extracted."""

    chosen: tuple[Concept, ...]
    """Empty if they are to be extracted."""
    originals: tuple[Original, ...]
    extraction: ExtractionConfig
    limit: int | None
    texts: Mapping[str, str]
    """True texts on the concepts, by name."""

    @property
    def most(self) -> int:
        """The number of concepts, or an upper bound."""
        if not self.originals:
            return len(self.chosen)
        number = self.extraction.per_category * len({original.category for original in self.originals})
        return min(number, self.limit or number)

    @property
    def with_text(self) -> int:
        """Upper bound on the concepts that have a source."""
        from vivavoce.eqt.concepts import sources_of

        return 0 if not self.texts else self.most if self.originals else len(sources_of(self.chosen, self.texts))


@dataclass(frozen=True, slots=True)
class EqtAnswers:
    """The answers of all examinations."""

    concepts: tuple[Concept, ...]
    extraction: ConceptExtraction | None
    """None if no concepts were extracted."""
    records: tuple[EqtRecord, ...]
    """One for each candidate; none if concepts are only listed."""


def concept_source(
    wanted: ConceptsConfig, questions: Path | None, sources: Path | None, config: EqtConfig, extraction: ExtractionConfig
) -> ConceptSource:
    """The concepts as given on the command line.

    questions: of a benchmark, from which concepts are extracted; categories are theirs then. Raises `BadInput`.
    """
    from vivavoce.eqt.concepts import chosen_concepts, drawn_concepts, read_sources

    texts = {} if sources is None else read_sources(sources)
    if questions is None:
        chosen = drawn_concepts(chosen_concepts(wanted.concepts), wanted.limit, seed=config.seed)
        return ConceptSource(chosen, (), extraction, wanted.limit, texts)
    return ConceptSource((), _of_categories(questions, wanted.concepts), extraction, wanted.limit, texts)


def _of_categories(questions: Path, names: Sequence[str]) -> tuple[Original, ...]:
    from vivavoce.eqt.files import category_name, read_originals

    originals = read_originals(questions)
    categories = {original.category for original in originals}
    for name in names:
        if category_name(name) not in categories:
            raise UnknownName("category", name, sorted(categories))
    wanted = {category_name(name) for name in names} or categories
    return tuple(original for original in originals if original.category in wanted)


def examine(
    cast: EqtRoles,
    source: ConceptSource,
    config: EqtConfig,
    asking: AskOptions,
    *,
    check: Callable[[Sequence[str]], None] = lambda _: None,
    only_concepts: bool = False,
) -> EqtAnswers:
    """All questions and answers.

    check: called with the full names of all that answer, before anything is asked.
    only_concepts: concepts are extracted, and not asked about.
    """
    from vivavoce.candidates import open_candidate
    from vivavoce.interview.budget import SharedBudget
    from vivavoce.interview.progress import CombinedProgress

    opened = {name: open_candidate(name) for name in (cast.candidates[:1] if only_concepts else cast.names)}
    if not only_concepts:
        check([opened[cast.role.get("answerer", name)].name for name in cast.candidates])
    calls = None if only_concepts else _announce(cast, opened, source, config, quiet=asking.quiet)
    front: tuple[Front, ...] = ("candidate",) if len(opened) > 1 else ()

    async def ask(transcript: Transcript, on_progress: Callable[[Progress], None]) -> EqtAnswers:
        together, shared = CombinedProgress(on_progress, expected=calls), SharedBudget(asking.budget)
        try:
            interviews = {
                name: asking.interview(
                    candidate, transcript, expected=None, on_progress=together.one(), shared_budget=shared, results=results
                )
                for name, candidate in opened.items()
            }
            return await _ask(cast, interviews, source, config, asking.concurrency, only_concepts)
        finally:
            await close_all(*opened.values())

    with rows_into(asking.results, *front) as results:
        return on_record(asking.transcript, ask, quiet=asking.quiet or takes_terminal(*opened.values()))


def _announce(
    cast: EqtRoles, opened: Mapping[str, Candidate[Prompt, Reply]], source: ConceptSource, config: EqtConfig, *, quiet: bool
) -> int | None:
    """Print the expected cost; returns the number of calls, None if it depends on concepts that are still to be extracted."""
    from vivavoce.eqt.examine import cost_estimate

    calls = tokens = 0
    money = 0.0
    for candidate in cast.candidates:
        estimate = cost_estimate(source.most, config, visitors=cast.visitors, sources=source.with_text)
        for role, share in estimate.items():
            calls, tokens = calls + share.calls, tokens + share.tokens_in + share.tokens_out
            model = opened[cast.role.get(role, candidate)]
            price_in, price_out = model.prices if isinstance(model, HasPrices) else (0.0, 0.0)
            money += (share.tokens_in * price_in + share.tokens_out * price_out) / 1e6
    if not quiet:
        priced = f", roughly {money:.2f} of money" if money else ""
        most = "at most " if source.originals else ""
        concepts = f"{most}{count(source.most)} concept{'s' * (source.most != 1)}"
        click.echo(
            f"viva: {concepts}: {count(calls)} calls, roughly {count(tokens)} tokens{priced}, less what is on record", err=True
        )
    return None if source.originals else calls


async def _ask(
    cast: EqtRoles,
    interviews: Interviews,
    source: ConceptSource,
    config: EqtConfig,
    concurrency: int | None,
    only_concepts: bool,
) -> EqtAnswers:
    """Concepts first, if they are extracted; then one examination after the other."""
    from vivavoce.eqt.concept_extraction import extract_concepts
    from vivavoce.eqt.concepts import drawn_concepts, sources_of
    from vivavoce.eqt.examine import explain_query_test

    concepts, extraction = source.chosen, None
    if source.originals:
        extraction = await extract_concepts(interviews[cast.candidates[0]], source.originals, source.extraction)
        concepts = drawn_concepts(extraction.concepts, source.limit, seed=config.seed)
    if only_concepts:
        return EqtAnswers(concepts, extraction, ())
    records = [
        await explain_query_test(
            {role: interviews[cast.role.get(role, name)] for role in ROLES},
            concepts,
            config,
            sources=sources_of(concepts, source.texts) if source.texts else {},
            concurrency=concurrency or CONCURRENCY,
            visitors={other: interviews[other] for other in cast.candidates if cast.cross and other != name},
        )
        for name in cast.candidates
    ]
    return EqtAnswers(concepts, extraction, tuple(records))


@dataclass(frozen=True, slots=True)
class EqtFiles:
    """Output files; None: not written."""

    out: Path | None = setting(None, "Write all texts, as a RESULT (.json).")
    scope_out: Path | None = setting(None, "Write the questions as a scope for 'viva certify' (.jsonl).")
    scope_all: bool = setting(False, "With --scope-out: include questions that failed the checks.")

    def check(self, asked: int, number: int) -> None:
        """Refuse files that could not be written; otherwise this would show only after all questions were paid for.

        asked: candidates that are asked; number: these, and those of result files.
        """
        if self.out is not None and not asked:
            raise click.UsageError("--out: all arguments are result files; name a candidate to ask.")
        if self.scope_all and self.scope_out is None:
            raise click.UsageError("--scope-all is for --scope-out: give both.")
        if self.scope_out is not None and self.scope_out.suffix != ".jsonl":
            raise click.UsageError(f"--scope-out {self.scope_out}: the name must end in .jsonl.")
        if self.scope_out is not None and number != 1:
            raise click.UsageError("--scope-out takes the questions of one candidate: name one.")
        if self.scope_out is not None and self.scope_out.exists():
            raise click.UsageError(f"--scope-out {self.scope_out}: the file exists already; choose another name.")
        for file in numbered(self.out, asked):
            check_output("--out", file)
        check_output("--scope-out", self.scope_out)

    def write(self, asked: Sequence[EqtRecord], records: Sequence[EqtRecord]) -> None:
        """Write them all, and name them on standard error; `asked`: the new ones among the records."""
        from vivavoce.eqt.files import write_record

        for file, record in zip(numbered(self.out, len(asked)), asked, strict=self.out is not None):
            write_record(file, record)
            click.echo(f"Results: {file}", err=True)
        if self.scope_out is not None:
            _write_scope(self.scope_out, records[0], only_valid=not self.scope_all)


def numbered(file: Path | None, number: int) -> list[Path]:
    """A file for each of several: NAME-1.json, NAME-2.json; the file itself if there is one.

    >>> [file.name for file in numbered(Path("run.json"), 2)], numbered(None, 2)
    (['run-1.json', 'run-2.json'], [])
    """
    if file is None:
        return []
    return [file] if number == 1 else [file.with_stem(f"{file.stem}-{index}") for index in range(1, number + 1)]


def _write_scope(file: Path, record: EqtRecord, *, only_valid: bool) -> None:
    from vivavoce.eqt.question_checks import scope_lines

    lines = list(scope_lines(record, only_valid=only_valid))
    if not lines:
        click.echo(f"viva: there are no {'valid ' * only_valid}questions: {file} was not written", err=True)
        return
    write_lines(file, lines)
    click.echo(f"Scope: {file} ({len(lines)} question{'s' * (len(lines) != 1)})", err=True)
