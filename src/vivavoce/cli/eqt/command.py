"""`viva eqt`: test whether a candidate can answer questions about its own explanations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_of, asking_options
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes, raise_together
from vivavoce.cli.eqt.asking import ConceptSource, EqtAnswers, EqtFiles, EqtRoles, concept_source, examine
from vivavoce.cli.groups import print_concepts
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import RESULTS, output_options, print_json, running, show
from vivavoce.cli.progress import tell
from vivavoce.eqt.record import ROLES, Concept, ConceptsConfig, EqtConfig, EqtRecord, ExtractionConfig
from vivavoce.errors import BadFile, UnknownName
from vivavoce.formats.lines import file_digest
from vivavoce.formats.wording import numbered
from vivavoce.settings import setting

if TYPE_CHECKING:
    from vivavoce.eqt.concept_extraction import ConceptExtraction
    from vivavoce.eqt.eqt_finding import EqtFinding
    from vivavoce.eqt.files import Accuracy, Original


@dataclass(frozen=True, slots=True)
class EqtComparisons:
    """The benchmark to compare results with."""

    benchmark: Path | None
    accuracies: tuple[Accuracy, ...]
    models: Mapping[str, str]
    """Names of candidates in the benchmark."""
    originals: Path | None
    questions: tuple[Original, ...]

    def check(self, results: Mapping[str, str], candidates: Sequence[str] | None) -> None:
        """Refuse two results of one candidate, a name for another one, and a benchmark without any of them.

        results: file -> candidate; candidates: those that are asked, None: not known yet. Raises `BadInput`.
        """
        there = {*(candidates or ())}
        for file, candidate in results.items():
            if candidate in there:
                problem = f"is of '{candidate[:80]}', which already has a result: give one result for each candidate"
                raise BadFile(Path(file), problem)
            there.add(candidate)
        if candidates is None:
            return
        if unknown := next((name for name in self.models if name not in there), None):
            raise UnknownName("candidate", unknown, sorted(there))
        models = {accuracy.model for accuracy in self.accuracies}
        if self.benchmark is not None and not models & {self.models.get(name, name) for name in there}:
            known = ", ".join(sorted(models)[:10])
            problem = f"has none of the candidates: give --name CANDIDATE=MODEL, where MODEL is one of {known}"
            raise BadFile(self.benchmark, problem)

    def finding(self, records: Sequence[EqtRecord], scopes: Sequence[tuple[str, str]]) -> EqtFinding:
        """The finding; `scopes`: the name and digest of each record's questions."""
        from vivavoce.eqt.benchmark import compare_with_benchmark
        from vivavoce.eqt.concept_extraction import overlap
        from vivavoce.eqt.eqt_finding import finding_of
        from vivavoce.eqt.score import score

        results = [
            score(eqt_record, source=name, digest=digest) for eqt_record, (name, digest) in zip(records, scopes, strict=True)
        ]
        benchmark = None
        if self.benchmark is not None:
            benchmark = compare_with_benchmark(
                results, self.accuracies, names=self.models, source=self.benchmark.name, digest=file_digest(self.benchmark)
            )
        overlaps = []
        if self.originals is not None:
            name, digest = self.originals.name, file_digest(self.originals)
            overlaps = [
                overlap(record, self.questions, source=name, digest=digest)
                for record, result in zip(records, results, strict=True)
                if result.measured
            ]
        return finding_of(results, benchmark=benchmark, overlaps=overlaps)


@dataclass(frozen=True, slots=True)
class EqtInput:
    """Files to read, and whether to list concepts only."""

    list_concepts: bool = setting(False, "Print the concepts, and ask nothing about them.")
    concepts_from: Path | None = setting(
        None, "Extract concepts from a benchmark's questions (.jsonl), by the first candidate.", metavar="QUESTIONS"
    )
    sources: Path | None = setting(
        None, "True texts on the concepts, to locate failures: .txt files, .csv, .json, .jsonl.", metavar="FOLDER|FILE"
    )
    benchmark: Path | None = setting(None, "Compare with a benchmark's accuracies or recorded answers; mmlu-pro is built in.")
    name: tuple[str, ...] = setting((), "Give a candidate's name in the benchmark.", metavar="CANDIDATE=MODEL")
    originals: Path | None = setting(None, "Find written questions that repeat a benchmark's (.jsonl).", metavar="QUESTIONS")


@command(epilog=exit_codes("4 no question was written, or no concept was found", GOES_ON))
@click.argument("names", nargs=-1, type=CANDIDATE, metavar="[CANDIDATE|RESULT]...")
@config_options(ConceptsConfig)
@config_options(EqtConfig)
@config_options(EqtInput, only=("list_concepts", "concepts_from"))
@config_options(ExtractionConfig, only=("per_category", "tries"))
@click.option("--role", multiple=True, metavar="ROLE=CANDIDATE", help="Use another model in a role.")
@click.option("--cross", is_flag=True, help="Have each candidate also answer the others' questions.")
@config_options(
    EqtInput,
    only=("sources", "benchmark", "name", "originals"),
    sources={"type": click.Path(path_type=Path, exists=True)},
    benchmark={"type": options.BENCHMARK},
)
@config_options(EqtFiles)
@RESULTS
@asking_options
@output_options
def eqt(*, names: tuple[str, ...], **given: Any) -> int:
    """Test whether a candidate can answer questions about its own explanations.

    \b
    viva eqt chat:llama3.2@http://localhost:11434/v1 --concepts math --limit 5 --out llama.json --html page.html
    viva eqt chat:a@URL chat:b@URL --cross --out results.json
    viva eqt llama.json gpt.json --benchmark mmlu-pro --name chat:llama@URL=Llama-2-70b-hf --html page.html
    viva eqt --concepts math --list-concepts

    A RESULT is a file written by --out. Several candidates or results are compared. A concept with 5 questions and 3
    paraphrases takes 1 + 5 + 15 + 25 calls, and 25 more for checks.
    """
    from vivavoce.eqt.files import read_record

    wanted, config = options.taken_out(given, ConceptsConfig), options.taken_out(given, EqtConfig)
    extraction = ExtractionConfig(given.pop("per_category"), given.pop("tries"), config.seed)
    asking, files, read = asking_of(given), options.taken_out(given, EqtFiles), options.taken_out(given, EqtInput)
    cast = EqtRoles(tuple(name for name in names if not _is_result(name)), _roles(given["role"]), given["cross"])
    if read.list_concepts:
        without_effect = {
            "--sources": read.sources, "--benchmark": read.benchmark, "--name": read.name, "--originals": read.originals,
            "--html": running().files.get("--html"), "--out": files.out, "--scope-out": files.scope_out,
            "--scope-all": files.scope_all, "--role": cast.role if read.concepts_from is None else None,
            "--cross": cast.cross,
        }  # fmt: skip
        for option in (option for option, value in without_effect.items() if value):
            raise click.UsageError(f"{option} has no effect with --list-concepts: leave one of them out.")
    _check(names, cast, config, read)
    files.check(len(cast.candidates), len(names))
    source = concept_source(wanted, read.concepts_from, read.sources, config, extraction)
    if read.list_concepts:
        return _list(cast, source, config, asking)
    compared = _comparisons(read)
    results = {name: read_record(Path(name)) for name in names if _is_result(name)}
    check = partial(compared.check, {file: record.roles["answerer"] for file, record in results.items()})
    check(None if cast.candidates else [])
    asked = EqtAnswers((), None, ())
    if cast.candidates:
        asked = examine(cast, source, config, asking, check=check)
    _say_extracted(asked.extraction, quiet=asking.quiet)
    records = results | dict(zip(cast.candidates, asked.records, strict=True))
    files.write(asked.records, [records[name] for name in names])
    finding = compared.finding([records[name] for name in names], [_scope_of(name, cast, asked.concepts) for name in names])
    show(finding, measured=finding.measured)
    return 0 if finding.measured else OF_VERDICT["undecided"]


def _is_result(name: str) -> bool:
    """Whether an argument is a result file: a candidate's name has a colon.

    >>> _is_result("llama.json"), _is_result("replay:answers.json")
    (True, False)
    """
    return Path(name).is_file() or (name.endswith(".json") and ":" not in name)


def _check(names: Sequence[str], cast: EqtRoles, config: EqtConfig, read: EqtInput) -> None:
    """Refuse now whatever would fail after all questions have been paid for."""
    needs_candidate = {
        "--sources": read.sources, "--concepts-from": read.concepts_from, "--role": cast.role, "--cross": cast.cross
    }  # fmt: skip
    lost = [option for option, value in needs_candidate.items() if value and not cast.candidates]
    raise_together([click.UsageError(f"{option} needs a candidate to ask: name one.") for option in lost])
    if not names and not read.list_concepts:
        raise click.UsageError("name a candidate, or a result file that --out wrote.")
    if len(set(names)) < len(names):
        raise click.UsageError("a candidate or file is named twice: name each once.")
    if read.sources is not None and not config.checks:
        raise click.UsageError("--sources needs checks: leave --no-checks out.")
    if cast.cross and len(cast.candidates) < 2:
        raise click.UsageError("--cross needs at least two candidates to ask.")
    if len(cast.candidates) > 1 and "answerer" in cast.role:
        raise click.UsageError("with --role answerer=... all candidates get the same answers: name one.")


def _named(option: str, parts: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """NAME=VALUE texts, split at the sign."""
    result: dict[str, str] = {}
    for name, sign, value in parts:
        if not (name and sign and value):
            raise click.UsageError(f"{option} '{name or value}': write NAME=VALUE.")
        if name in result:
            raise click.UsageError(f"{option}: '{name}' is named twice.")
        result[name] = value
    return result


def _roles(texts: Iterable[str]) -> dict[Any, str]:
    roles = _named("--role", (text.partition("=") for text in texts))
    for role in roles:
        if role not in ROLES:
            raise click.UsageError(f"--role {role[:80]}: there is no such role; the roles are {', '.join(ROLES)}.")
    return roles


def _comparisons(read: EqtInput) -> EqtComparisons:
    """The benchmark to compare results with, read before anything is asked."""
    from vivavoce.eqt.files import read_benchmark, read_originals

    if read.name and read.benchmark is None:
        raise click.UsageError("--name is for --benchmark: give both.")
    accuracies = () if read.benchmark is None else read_benchmark(read.benchmark)
    models = _named("--name", (text.rpartition("=") for text in read.name))  # a candidate's name may contain the sign, too
    there = sorted({accuracy.model for accuracy in accuracies})
    for model in models.values():
        if model not in there:
            raise UnknownName("model in the benchmark", model, there)
    questions = () if read.originals is None else read_originals(read.originals)
    return EqtComparisons(read.benchmark, accuracies, models, read.originals, questions)


def _scope_of(name: str, cast: EqtRoles, concepts: Sequence[Concept]) -> tuple[str, str]:
    """The name and digest of the questions of a candidate, or of a result file."""
    from vivavoce.eqt.concepts import concepts_in_words

    return concepts_in_words(concepts) if name in cast.candidates else (Path(name).name, file_digest(Path(name)))


def _list(cast: EqtRoles, source: ConceptSource, config: EqtConfig, asking: AskOptions) -> int:
    """Print the concepts as a file for `--concepts`; returns the exit code."""
    asked = EqtAnswers(source.chosen, None, ())
    if source.originals:
        asked = examine(cast, source, config, asking, only_concepts=True)
    questions = {} if asked.extraction is None else asked.extraction.questions
    _say_extracted(asked.extraction, quiet=asking.quiet)
    values = [{"category": entry.category, "name": entry.name} for entry in asked.concepts]
    if wants_json():
        traced = ({"questions": list(questions[entry])} if entry in questions else {} for entry in asked.concepts)
        print_json([value | more for value, more in zip(values, traced, strict=True)])
    else:
        print_concepts(values)
    tell(running().record, err=True)
    return 0 if asked.concepts else OF_VERDICT["undecided"]


def _say_extracted(extraction: ConceptExtraction | None, *, quiet: bool) -> None:
    """How many concepts were extracted, what is missing and why, on standard error."""
    if extraction is None or quiet:
        return
    text = f"{numbered(len(extraction.concepts), 'concept')} from {numbered(extraction.read, 'question')}"
    if extraction.exhausted:
        text += f"; the budget of {extraction.exhausted} ran out before all were found"
    elif extraction.short:
        text += f"; {sum(extraction.short.values())} fewer than wanted"
    if extraction.problems:
        text += f"; replies that name none: {', '.join(f'{why}: {number}' for why, number in extraction.problems.items())}"
    click.echo(f"viva: {text}", err=True)
