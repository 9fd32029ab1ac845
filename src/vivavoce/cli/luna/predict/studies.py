"""`viva luna predict compare`, `curve` and `grade`: how well ratings, and grades of single answers, can be predicted."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import file_digest
from vivavoce.cli.config_options import config_options
from vivavoce.cli.luna.predict.fitting import KEY, people_in, source_of
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page
from vivavoce.luna.settings import CURVE, SIZES, SplitsConfig

PREDICTORS = ("cbg", "ran", "bwo", "fwo", "ced", "wed", "wcs", "bow", "big", "nno", "nnc", "nnw", "com", "modern")
"""Compared where none is named: all that need nothing besides the package."""
CURVED = ("modern", "com", "cbg")

_NAMED = click.option(
    "--predictor", "names", multiple=True, metavar="NAME", help="A predictor to compare; may be repeated. [default: see below]"
)


@click.command()
@click.argument("train", type=options.KNOWN_FILE)
@_NAMED
@KEY
@config_options(SplitsConfig)
@options.PROCESSES
@options.QUIET
@options.output_options
def compare(train: Path, key: Path | None, *, as_json: bool, html: Path | None, **given: Any) -> None:
    """Which predictor comes nearest to the ratings of people in TRAIN whom it has not seen (Figure 5.3 of the thesis)?

    \b
    viva luna predict compare graded.csv --html predictors.html
    viva luna predict compare graded.csv --predictor modern --predictor com --splits 20
    viva luna predict compare graded.csv --predictor com --predictor "com?items=yes" --key key.csv

    Predictors: constant and cbg (the mean rating), ran (random), the features of the thesis bwo, fwo, ced, wed, wcs, snl,
    bow, big, syn, nno, nnc, nnw; com, which combines ten of them, all but snl and syn, and all twelve as com?wordnet=FOLDER;
    items, what was learnt about the questions (difficulty and discrimination), which joins any feature as ?items=yes;
    and modern, which learns how good each answer is. Features take ?fit=lasso; modern takes ?from=ratings, so as not to look
    at grades. snl and syn need WordNet's files (Debian's wordnet-base, or ?wordnet=FOLDER) and are compared only where they
    are named.
    """
    check_page(html)
    from vivavoce.luna.predict.comparison import compare as compared

    people, config = people_in(train, need_ratings=True, key=key), options.taken_out(given, SplitsConfig)
    every = max(1, config.splits // 10)

    def done(number: int) -> None:
        if not given["quiet"] and (number % every == 0 or number == config.splits):
            click.echo(f"{number} of {config.splits} splits", err=True)

    with options.pool(given["workers"]) as executor:
        found = compared(
            people,
            given["names"] or (*PREDICTORS, *(["modern?from=ratings"] if people.graded else [])),
            config,
            source=source_of(train, key),
            digest=file_digest(train),
            executor=executor,
            on_split=done,
        )
    show(found, as_json=as_json, html=html)


@click.command()
@click.argument("train", type=options.KNOWN_FILE)
@_NAMED
@click.option(
    "--sizes",
    metavar="N,N...",
    default=",".join(map(str, SIZES)),
    show_default=True,
    help="Numbers of people to learn from.",
)
@config_options(SplitsConfig, splits={"default": CURVE.splits})
@options.PROCESSES
@options.QUIET
@options.output_options
def curve(train: Path, *, as_json: bool, html: Path | None, **given: Any) -> None:
    """How near do predictors come that have fewer people of TRAIN to learn from?

    \b
    viva luna predict curve graded.csv --html curve.html
    viva luna predict curve graded.csv --predictor modern --predictor bow --sizes 10,20,40

    Where none is named these are looked at: modern, com and cbg. Names: 'viva luna predict compare --help'.
    """
    check_page(html)
    sizes = _sizes(given["sizes"])
    from vivavoce.luna.predict.comparison import curve as curved

    with options.pool(given["workers"]) as executor:
        found = curved(
            people_in(train, need_ratings=True),
            given["names"] or CURVED,
            sizes,
            config=options.taken_out(given, SplitsConfig),
            source=train.name,
            digest=file_digest(train),
            executor=executor,
            on_size=None if given["quiet"] else lambda size: click.echo(f"{size} people to learn from", err=True),
        )
    show(found, as_json=as_json, html=html)


@click.command()
@click.argument("table", type=options.KNOWN_FILE)
@options.seed("Draws the splits.")
@options.QUIET
@options.output_options
def grade(table: Path, seed: int, quiet: bool, as_json: bool, html: Path | None) -> None:
    """How well can the grades of the single answers in TABLE be predicted?

    \b
    viva luna predict grade graded-answers.csv --html grading.html

    TABLE is CSV with the columns question, answer, grade (on any scale from 0) and, if you like, reference: what an answer
    should say. Two questions are told apart: new answers to questions that were graded before, and answers to questions that
    never were.
    """
    check_page(html)
    from vivavoce.luna.predict.answer_files import read_graded
    from vivavoce.luna.predict.grading_study import grade_study

    tell = None if quiet else partial(click.echo, err=True)
    found = grade_study(read_graded(table), seed=seed, source=table.name, digest=file_digest(table), on_progress=tell)
    show(found, as_json=as_json, html=html)


def _sizes(text: str) -> tuple[int, ...]:
    """Whole numbers with commas between."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 50 or not all(part.isascii() and part.isdecimal() and 0 < len(part) < 8 for part in parts):
        raise click.BadParameter(
            f"'{text[:80]}': give whole numbers with commas between, such as 25,100.", param_hint="--sizes"
        )
    return tuple(map(int, parts))
