"""`viva luna predict fit` and `apply`: a predictor learns from people with ratings, and gives ratings to others."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.cli import options
from vivavoce.cli.asking import file_digest
from vivavoce.cli.output import say, show
from vivavoce.cli.pages import check_output, check_page

if TYPE_CHECKING:
    from vivavoce.luna.predict.answers import PeopleTable
    from vivavoce.luna.predict.model_store import SavedPredictor


KEY = click.option(
    "--key",
    type=options.KNOWN_FILE,
    metavar="FILE",
    help="Right answers of your own: CSV with the columns question, reference and, if you like, reference2, reference3 ...",
)


@click.command()
@click.argument("train", type=options.KNOWN_FILE)
@click.option("--out", type=options.FILE, metavar="MODEL", required=True, help="File for the predictor.")
@click.option(
    "--predictor",
    metavar="NAME",
    default="modern",
    show_default=True,
    help="modern, modern?from=ratings, modern?embeddings=MODEL, com, com?fit=lasso, a feature of the thesis, or a control.",
)
@KEY
@options.seed("Seeds all random choices.")
@options.QUIET
@options.JSON
def fit(train: Path, out: Path, predictor: str, key: Path | None, seed: int, quiet: bool, as_json: bool) -> None:
    """Learn from the people of TRAIN, and keep what was learnt in a file.

    \b
    viva luna predict fit graded.csv --out model.json
    viva luna predict fit rated.csv --predictor com --out com.json
    viva luna predict fit rated.csv --predictor "com?items=yes" --key key.csv --out com.json

    TRAIN is CSV with the columns person, question, answer, and either grade (of each answer) or rating (of each person, the
    same in all its rows), from 0 to 1; or the table of Powergrading as it is published. Right answers may stand in further
    columns reference, reference2 ..., the same in all rows of a question, or in the table of --key. Names of predictors:
    'viva luna predict compare --help'.
    """
    check_output("--out", out)
    from vivavoce.luna.predict.model_store import check_replaceable, save
    from vivavoce.luna.predict.predicted_ratings import learn

    check_replaceable(out)
    kept = learn(
        people_in(train, need_ratings=True, key=key),
        predictor,
        seed=seed,
        training=source_of(train, key),
        digest=file_digest(train),
        on_progress=None if quiet else partial(click.echo, err=True),
    )
    save(kept, out)
    about = {name: getattr(kept.about, name) for name in ("name", "people", "questions", "graded", "training", "digest")}
    statement = in_words(kept)
    say({"model": str(out), "statement": statement, **about}, f"{statement}\nPredictor: {out}", as_json)


@click.command()
@click.argument("model", type=options.KNOWN_FILE)
@click.argument("answers", type=options.KNOWN_FILE)
@options.output_options
def apply(model: Path, answers: Path, as_json: bool, html: Path | None) -> None:
    """Give the people of ANSWERS ratings by the predictor in the file MODEL, with 90% intervals.

    \b
    viva luna predict apply model.json answers.csv
    viva luna predict apply model.json answers.csv --json

    ANSWERS is CSV with the columns person, question, answer; other columns are left alone. The JSON holds
    {"ratings": {PERSON: {"rating", "lower", "upper"}}}, from 0 to 1.
    """
    check_page(html)
    from vivavoce.luna.predict.model_store import load
    from vivavoce.luna.predict.predicted_ratings import predict_ratings

    people = people_in(answers, need_ratings=False)
    found = predict_ratings(load(model), people, source=answers.name, digest=file_digest(answers))
    show(found, as_json=as_json, html=html)


def source_of(train: Path, key: Path | None) -> str:
    """What was learnt from, for the record; of the key its digest too."""
    return train.name if key is None else f"{train.name} with the key {key.name} ({file_digest(key)[:12]})"


def people_in(file: Path, *, need_ratings: bool, key: Path | None = None) -> PeopleTable:
    """The people of a plain table, or of Powergrading's; with the right answers of a key, if there is one."""
    from vivavoce.luna.predict.answer_files import read_key, with_key

    people = _people_in(file, need_ratings=need_ratings)
    return people if key is None else with_key(people, read_key(key))


def _people_in(file: Path, *, need_ratings: bool) -> PeopleTable:
    from vivavoce.formats.lines import text_lines
    from vivavoce.luna.predict.answer_files import read_people
    from vivavoce.luna.predict.published import read_powergrading

    if next(text_lines(file), "").startswith("student\tQ#\t"):
        people = read_powergrading(file)
        return people if need_ratings else people.unrated()
    return read_people(file, need_ratings=need_ratings)


def in_words(kept: SavedPredictor) -> str:
    """What was learnt from, and how far off it is, in a sentence."""
    from math import isfinite

    from vivavoce.formats.wording import count, name_of, signed
    from vivavoce.luna.predict.predicted_ratings import LEVEL, ends

    about = kept.about
    told = (
        f"{name_of(about.name)} has learnt from {count(about.people)} people and their answers to "
        f"{count(len(about.questions))} questions."
    )
    low, high = ends(about.errors)
    if not (isfinite(low) and isfinite(high)):
        return f"{told} They are too few to estimate its error: every interval will reach an end of the scale."
    off = f"{signed(low)} and {signed(high)}"
    return f"{told} Of {count(len(about.errors))} left out in turn, {LEVEL:.0%} are rated between {off} from its prediction."
