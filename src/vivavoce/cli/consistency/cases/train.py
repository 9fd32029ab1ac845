"""`viva consistency cases train`: a classifier of cases with attention over facts."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.asking import write_lines
from vivavoce.cli.config_options import config_options
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_output
from vivavoce.consistency.legal.training.config import TrainingConfig

if TYPE_CHECKING:
    from vivavoce.consistency.legal.training.finding import TrainedOnCases
    from vivavoce.consistency.legal.training.fit import Division, Progress

EVERY: Final = 5.0
"""Seconds between two lines of progress."""
_KNOWN: Final = click.Path(exists=True, path_type=Path)


@dataclass(frozen=True, slots=True)
class _Order:
    """What is trained on what, as given on the command line."""

    train: Path
    dev: Path | None
    test: Path | None
    out: Path
    encoder: str
    quiet: bool

    @property
    def files(self) -> tuple[Path, ...]:
        """All that is read."""
        return tuple(file for file in (self.train, self.dev, self.test) if file is not None)


@click.command()
@click.argument("train", type=_KNOWN, metavar="CASES")
@click.option("--out", type=options.FOLDER, required=True, metavar="FOLDER", help="Folder for the classifier.")
@click.option(
    "--encoder",
    default="lsa",
    show_default=True,
    metavar="ENCODER",
    help="What turns each fact into numbers: lsa, or sentences:NAME_OR_FOLDER.",
)
@click.option("--dev", type=_KNOWN, metavar="CASES", help="Cases that choose the penalty.")
@click.option("--test", type=_KNOWN, metavar="CASES", help="Cases that are held out, to tell how good it is.")
@config_options(TrainingConfig)
@click.option("--details", type=options.FILE, metavar="FILE", help="Write every held-out decision to this file, as JSON Lines.")
@options.QUIET
@options.output_options
def train(
    train: Path, out: Path, encoder: str, *, details: Path | None, as_json: bool, html: Path | None, **given: Any
) -> None:
    """Train a classifier on CASES whose outcome is known: a frozen encoder of single facts, and attention over them.

    \b
    viva consistency cases train cases.jsonl --out judge --html training.html
    viva consistency cases train EN_train --dev EN_dev --test EN_test --encoder sentences:./legal-bert --out judge
    viva consistency cases train train.jsonl --dev dev.jsonl --test test.jsonl --article 3 --out judge

    \b
    CASES is one of
      FILE.jsonl    {"id": "1", "facts": ["...", "..."], "violation": true}, or with "violated_articles": ["3"], as ECtHR has
                    it; "decisive": [2] names facts that decide, counted from 0 (also gold_rationales, silver_rationales)
      FOLDER        a case a file: ECHR's EN_train, EN_dev and EN_test, with ITEMID, TEXT and VIOLATED_ARTICLES

    \b
    ENCODER is one of
      lsa                        latent semantic analysis of the facts to train on (pip install 'vivavoce[text]')
      sentences:NAME_OR_FOLDER   a model of sentence-transformers, or any BERT (pip install 'vivavoce[neural]')

    A classifier that is in FOLDER already is replaced; any other folder that is not empty is refused. 'viva consistency cases
    trained:FOLDER' examines it. Training keeps nothing until it ends: stopped, it is run again from its beginning.
    """
    config, order = options.taken_out(given, TrainingConfig), _Order(train, out=out, encoder=encoder, **given)
    _check(order, {"--html": html, "--details": details})
    finding = _trained(order, config)
    try:
        show(finding, as_json=as_json, html=html)
    finally:  # the reader of the output may have gone away; the file is wanted all the same
        _write_each(details, finding, quietly=as_json)
    click.echo(f"Classifier: {finding.candidate} in {out}", err=as_json)


def _trained(order: _Order, config: TrainingConfig) -> TrainedOnCases:
    """The finding on the classifier that now is in the folder."""
    from vivavoce.candidates.trained import trained_name
    from vivavoce.consistency.legal.training.examine import train as trained
    from vivavoce.consistency.legal.training.finding import finding_of
    from vivavoce.embeddings.embedding import open_embedder
    from vivavoce.embeddings.set_classifier import digest_of_folder, save_classifier

    division = _divided(order, config)
    embedder = None if order.encoder == "lsa" else open_embedder(order.encoder)
    names = [file.name for file in order.files]
    made = trained(division, config, embedder=embedder, about={"training": names}, progress=None if order.quiet else _line())
    save_classifier(order.out, made.classifier)
    name = trained_name(order.out.resolve().name, digest_of_folder(order.out))
    return finding_of(made, config, candidate=name, source=", ".join(names))


def _divided(order: _Order, config: TrainingConfig) -> Division:
    from vivavoce.consistency.legal.training.fit import divided
    from vivavoce.consistency.legal.training.labelled import read_labelled

    cases = read_labelled(order.train, config.article)
    choosing, held_out = (None if file is None else read_labelled(file, config.article) for file in (order.dev, order.test))
    return divided(cases, choosing, held_out, config)


def _check(order: _Order, written: dict[str, Path | None]) -> None:
    """Refuse now what would otherwise fail after the training."""
    from vivavoce.embeddings.set_classifier import check_replaceable

    check_replaceable(order.out)
    for name, file in written.items():
        check_output(name, file)


def _line() -> Progress:
    """Progress on standard error, now and then."""
    due = [time.monotonic() + EVERY]

    def tell(what: str, done: int, total: int) -> None:
        if time.monotonic() >= due[0]:
            due[0] = time.monotonic() + EVERY
            click.echo(f"{what}: {done} of {total}", err=True)

    return tell


def _write_each(details: Path | None, finding: TrainedOnCases, *, quietly: bool) -> None:
    if details is not None:
        write_lines(
            details,
            (
                {
                    "case": one.case,
                    "violation": one.violation,
                    "probability": one.probability,
                    "top_fact": one.top,
                    "decisive": list(one.decisive),
                }
                for one in finding.decided
            ),
        )
        click.echo(f"Decisions: {details}", err=quietly)
