"""`viva eqt compare`, `scope`, `show`, `concepts`: what can be done with results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.cli import options
from vivavoce.cli.asking import file_digest, write_lines
from vivavoce.cli.eqt.training_pairs import check_pairs, write_pairs
from vivavoce.cli.output import print_json, say, show
from vivavoce.cli.pages import check_output, check_page

if TYPE_CHECKING:
    from vivavoce.eqt.finding import ExplainQueryTest


@click.command()
@click.argument("results", nargs=-1, required=True, type=options.FILE, metavar="RESULT...")
@click.option("--benchmark", type=options.FILE, metavar="FILE", help="CSV or JSON Lines with model, category and accuracy.")
@click.option("--name", multiple=True, metavar="CANDIDATE=MODEL", help="What a candidate is called in the benchmark.")
@options.output_options
def compare(results: tuple[Path, ...], benchmark: Path | None, name: tuple[str, ...], as_json: bool, html: Path | None) -> None:
    """Compare several RESULTs with each other, or with a benchmark.

    \b
    viva eqt compare llama.json gpt.json --html page.html
    viva eqt compare llama.json gpt.json --benchmark mmlu_pro.csv --name 'chat:llama3.2@http://localhost:11434/v1=Llama-3.2'

    Results are files that 'viva eqt ... --out FILE' has written.
    """
    from vivavoce.eqt.comparison import compare_candidates

    check_page(html)
    if name and benchmark is None:
        raise click.UsageError("--name is for --benchmark: give both.")
    findings = [_scored(file) for file in results]
    if benchmark is None:
        if len(findings) < 2:
            raise click.UsageError("one result alone: give two, or --benchmark, or 'viva eqt show'.")
        show(compare_candidates(findings), as_json=as_json, html=html)
        return
    from vivavoce.eqt.benchmark import compare as beside
    from vivavoce.eqt.benchmark_file import read_benchmark

    pairs = [text.rpartition("=") for text in name]
    if not all(candidate and model for candidate, _, model in pairs):
        raise click.UsageError("--name takes CANDIDATE=MODEL.")
    names = {candidate: model for candidate, _, model in pairs}
    show(
        beside(findings, read_benchmark(benchmark), names=names, source=benchmark.name, digest=file_digest(benchmark)),
        as_json=as_json,
        html=html,
    )


@click.command()
@click.argument("result", type=options.FILE)
@click.argument("file", type=options.FILE)
@click.option("--all", "every", is_flag=True, help="Include questions that failed the checks.")
@options.JSON
def scope(result: Path, file: Path, every: bool, as_json: bool) -> None:
    """Write the questions of RESULT to FILE, as a scope that 'viva certify' takes.

    \b
    viva eqt scope llama.json questions.jsonl
    viva certify CANDIDATE --scope file:questions.jsonl
    """
    from vivavoce.eqt.record_file import read_record
    from vivavoce.eqt.scope import scope_lines
    from vivavoce.errors import BadInput

    check_output("FILE", file)
    if file.suffix != ".jsonl":
        raise click.UsageError(f"'{file}' must end in .jsonl: 'viva certify' recognises files by their names.")
    if file.exists():
        raise click.UsageError(f"'{file}' exists already: give another name, or remove it first.")
    lines = list(scope_lines(read_record(result), only_valid=not every))
    if not lines:
        raise BadInput(f"{result} holds no {'' if every else 'valid '}questions")
    write_lines(file, lines)
    say({"questions": len(lines), "out": str(file)}, f"{len(lines)} questions written to {file}", as_json)


@click.command("show")
@click.argument("result", type=options.FILE)
@click.option("--pairs", type=options.FILE, metavar="FILE", help="Write failures as training pairs (.jsonl).")
@options.output_options
def show_again(result: Path, pairs: Path | None, as_json: bool, html: Path | None) -> None:
    """Show RESULT again, as when it was found.

    \b
    viva eqt show llama.json --html page.html
    viva eqt show llama.json --pairs pairs.jsonl
    """
    check_page(html)
    if pairs is not None:
        from vivavoce.eqt.record_file import read_record

        check_pairs(pairs)
        write_pairs(pairs, read_record(result))
    show(_scored(result), as_json=as_json, html=html)


@click.command()
@click.argument("names", nargs=-1, metavar="[CATEGORY|FILE]...")
@options.JSON
def concepts(names: tuple[str, ...], as_json: bool) -> None:
    """List concepts: the built-in ones, or those of a category or file, as a file that --concepts takes."""
    from itertools import groupby

    from vivavoce.eqt.concepts import chosen_concepts

    chosen = chosen_concepts(names)
    if as_json:
        print_json([{"category": concept.category, "name": concept.name} for concept in chosen])
        return
    for category, group in groupby(chosen, key=lambda concept: concept.category):
        click.echo(f"[{category}]")
        for concept in group:
            click.echo(concept.name)


def _scored(file: Path) -> ExplainQueryTest:
    from vivavoce.eqt.record_file import read_record
    from vivavoce.eqt.score import score

    return score(read_record(file), source=file.name, digest=file_digest(file))
