"""`viva luna rate` and `simulate` rate players from games, real or simulated; `predict` predicts ratings from answers."""

from __future__ import annotations

from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.help import LazyGroup, command
from vivavoce.cli.options import config_options
from vivavoce.cli.output import output_options, say, show
from vivavoce.cli.site_database import site_database
from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.lines import file_digest, text_lines
from vivavoce.formats.wording import count, name_of, signed
from vivavoce.luna.settings import RateConfig, SimulationConfig, SplitsConfig

if TYPE_CHECKING:
    from vivavoce.luna.games_file import LunaGames
    from vivavoce.luna.predict.answers import PeopleTable
    from vivavoce.luna.predict.predicted_ratings import SavedPredictor


PREDICT = {
    "fit": "vivavoce.cli.luna.ratings:fit",
    "apply": "vivavoce.cli.luna.ratings:apply",
    "compare": "vivavoce.cli.luna.ratings:compare",
    "grade": "vivavoce.cli.luna.ratings:grade",
}
"""The place of each command."""


@click.command(cls=LazyGroup, places=PREDICT)
def predict(**_: Any) -> None:
    """Predict a player's rating from the answers alone.

    \b
    viva luna predict fit graded.csv --out model.json
    viva luna predict apply model.json answers.csv --json
    viva luna predict compare graded.csv --html predictors.html
    viva luna predict grade graded-answers.csv --html grading.html

    Tables of people are CSV with the columns person, question, answer, and to learn from either grade (of each answer) or
    rating (of each person), from 0 to 1. A person's rating is the mean grade.
    """


KEY = click.option(
    "--key", type=options.KNOWN_FILE, help="Read your own right answers from CSV: question, reference[, reference2, ...]."
)


@command()
@click.argument("train", type=options.KNOWN_FILE)
@click.option("--out", type=options.OUTPUT, metavar="MODEL", required=True, help="Write the predictor to this file.")
@click.option(
    "--predictor",
    metavar="NAME",
    default="modern",
    show_default=True,
    help="Fit modern[?from=ratings|?embeddings=MODEL], com[?fit=lasso], or a feature.",
)
@KEY
@options.seed("Seed all random choices.")
@options.QUIET
@options.JSON
def fit(train: Path, out: Path, predictor: str, key: Path | None, seed: int, quiet: bool) -> None:
    """Fit a predictor on the people in TRAIN, and save it.

    \b
    viva luna predict fit graded.csv --out model.json
    viva luna predict fit rated.csv --predictor com --out com.json
    viva luna predict fit rated.csv --predictor "com?items=yes" --key key.csv --out com.json

    TRAIN is CSV with the columns person, question, answer, and either grade (of each answer) or rating (of each person, the
    same in all its rows), from 0 to 1; or the table of Powergrading as it is published. Right answers may be in further
    columns reference, reference2 ..., the same in all rows of a question, or in the table of --key. Names of predictors:
    'viva luna predict compare --help'.
    """
    from vivavoce.luna.predict.predicted_ratings import check_replaceable, learn, save

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
    say({"model": str(out), "statement": statement, **about}, f"{statement}\nPredictor: {out}")


@command()
@click.argument("model", type=options.KNOWN_FILE)
@click.argument("answers", type=options.KNOWN_FILE)
@output_options
def apply(model: Path, answers: Path) -> None:
    """Predict ratings of the people in ANSWERS with the predictor MODEL, with 90% intervals.

    \b
    viva luna predict apply model.json answers.csv
    viva luna predict apply model.json answers.csv --json

    ANSWERS is CSV with the columns person, question, answer; other columns are ignored. The JSON holds
    {"ratings": {PERSON: {"rating", "lower", "upper"}}}, from 0 to 1.
    """
    from vivavoce.luna.predict.predicted_ratings import load, predict_ratings

    people = people_in(answers, need_ratings=False)
    ratings = predict_ratings(load(model), people, source=answers.name, digest=file_digest(answers))
    show(ratings)


def source_of(train: Path, key: Path | None) -> str:
    """The source of the training data, for the record, with the digest of the key."""
    return train.name if key is None else f"{train.name} with the key {key.name} ({file_digest(key)[:12]})"


def people_in(file: Path, *, need_ratings: bool, key: Path | None = None) -> PeopleTable:
    """The people in a plain table or in Powergrading's, with the right answers of a key, if there is one."""
    from vivavoce.luna.predict.answers import read_key, with_key

    people = _people_in(file, need_ratings=need_ratings)
    return people if key is None else with_key(people, read_key(key))


def _people_in(file: Path, *, need_ratings: bool) -> PeopleTable:
    from vivavoce.luna.predict.answers import read_people, read_powergrading

    if next(text_lines(file), "").startswith("student\tQ#\t"):
        people = read_powergrading(file)
        return people if need_ratings else people.unrated()
    return read_people(file, need_ratings=need_ratings)


def in_words(kept: SavedPredictor) -> str:
    """The training data and the prediction error, in a sentence."""
    from vivavoce.luna.predict.predicted_ratings import LEVEL, ends

    about = kept.about
    text = (
        f"{name_of(about.name)} has learnt from {count(about.people)} people with answers to "
        f"{count(len(about.questions))} questions."
    )
    low, high = ends(about.errors)
    if not (isfinite(low) and isfinite(high)):
        return f"{text} These are too few to estimate its error, so every interval reaches an end of the scale."
    off = f"{signed(low)} and {signed(high)}"
    return f"{text} Of {count(len(about.errors))} left out in turn, {LEVEL:.0%} are rated between {off} from its prediction."


PREDICTORS = ("cbg", "ran", "bwo", "fwo", "ced", "wed", "wcs", "bow", "big", "nno", "nnc", "nnw", "com", "modern")
"""The predictors that are compared by default: those that need only this package."""


@command()
@click.argument("train", type=options.KNOWN_FILE)
@click.option(
    "--predictor", "names", multiple=True, metavar="NAME", help="Compare this predictor. Repeatable. [default: see below]"
)
@KEY
@config_options(SplitsConfig)
@options.PROCESSES
@options.QUIET
@output_options
def compare(train: Path, key: Path | None, **given: Any) -> None:
    """Compare predictors on held-out people of TRAIN (Figure 5.3 of the thesis).

    \b
    viva luna predict compare graded.csv --html predictors.html
    viva luna predict compare graded.csv --predictor modern --predictor com --splits 20
    viva luna predict compare graded.csv --predictor com --predictor "com?items=yes" --key key.csv

    Predictors: constant and cbg (the mean rating), ran (random), the features of the thesis bwo, fwo, ced, wed, wcs, snl,
    bow, big, syn, nno, nnc, nnw; com, which combines ten of them, all but snl and syn, and all twelve as com?wordnet=FOLDER;
    items, the difficulty and discrimination of questions, which joins any feature as ?items=yes; and modern, which learns
    how good each answer is. Features take ?fit=lasso; modern takes ?from=ratings, to ignore grades. snl and syn need
    WordNet's files (Debian's wordnet-base, or ?wordnet=FOLDER) and are compared only if named.
    """
    from vivavoce.luna.predict.comparison_finding import compare as compared

    people, config = people_in(train, need_ratings=True, key=key), options.taken_out(given, SplitsConfig)
    every = max(1, config.splits // 10)

    def done(number: int) -> None:
        if not given["quiet"] and (number % every == 0 or number == config.splits):
            click.echo(f"{number} of {config.splits} splits", err=True)

    with options.pool(given["workers"]) as executor:
        comparison = compared(
            people,
            given["names"] or (*PREDICTORS, *(["modern?from=ratings"] if people.graded else [])),
            config,
            source=source_of(train, key),
            digest=file_digest(train),
            executor=executor,
            on_split=done,
        )
    show(comparison)


@command()
@click.argument("table", type=options.KNOWN_FILE)
@options.seed("Draw the splits with this seed.")
@options.QUIET
@output_options
def grade(table: Path, seed: int, quiet: bool) -> None:
    """Measure how well the grades of single answers in TABLE can be predicted.

    \b
    viva luna predict grade graded-answers.csv --html grading.html

    TABLE is CSV with the columns question, answer, grade (on any scale from 0) and optionally reference: what an answer
    should say. Results are shown for new answers to graded questions, and for answers to new questions.
    """
    from vivavoce.luna.predict.answers import read_graded
    from vivavoce.luna.predict.grading_study import grade_study

    tell = None if quiet else partial(click.echo, err=True)
    study = grade_study(read_graded(table), seed=seed, source=table.name, digest=file_digest(table), on_progress=tell)
    show(study)


@command()
@click.argument("games", type=click.Path(exists=True, path_type=Path), required=False)
@click.option(
    "--database",
    metavar="FILE|URL",
    help="Read a site's database instead of GAMES, with its player ids.",
)
@click.option("--difference", nargs=2, metavar="A B", help="Also print the difference of the ratings of B and A.")
@config_options(RateConfig)
@output_options
def rate(games: Path | None, database: str | None, difference: tuple[str, str] | None, **given: Any) -> None:
    """Rate all players of GAMES with bootstrap intervals, and show who guesses well and who seems to guess by a rule.

    \b
    viva luna admin export --database luna.sqlite --out games
    viva luna rate games --html ratings.html
    viva luna rate guesses.csv --method robust --json
    viva luna rate --database luna.sqlite
    viva luna rate guesses.csv --difference ann bob

    GAMES is an export's folder, its games.json, or a CSV table with the columns guesser, target, guess and if wished game,
    human (true or false: whether the guesser is a person), judged_human, confidence and right (whether the guesser takes the
    target for a person, how surely in percent, and whether that is so) and finished (when; rows are in order of time without
    it).

    The published rating is the mean. The robust rating weights guessers by their agreement with others; severity also
    subtracts each guesser's general leniency.

    With --database all finished games of a site are read, including those that no export may hold, without voided guesses.
    This is for the operator: do not publish the ids.
    """
    if (games is None) == (database is None):
        raise click.UsageError("give GAMES (an export or a table), or --database (of a site).")
    from vivavoce.luna.rate import rate as rated

    played, source, digest = _of_site(str(database)) if games is None else _of_file(games)
    rating = rated(played, RateConfig(**given), difference=difference, source=source, digest=digest)
    show(rating)
    for player in dict.fromkeys(flag.player for flag in rating.flags) if games is None else ():
        click.echo(f"viva luna admin ban {player} --void-guesses", err=True)


def _of_file(games: Path) -> tuple[LunaGames, str, str]:
    from vivavoce.luna.games_file import read_games

    return read_games(games), games.name, _digest(games)


def _of_site(database: str) -> tuple[LunaGames, str, str]:
    with site_database(database, writes=False) as c:
        from vivavoce.web.settings import SiteSettings
        from vivavoce.web.store.ratings import games_played

        played = games_played(c)
        if played is None:
            raise NotEnoughEvidence("no game of this site is finished yet, so no one can be rated")
        return played, Path(SiteSettings(database=database, secret="-" * 32).shown_database).name, ""


def _digest(games: Path) -> str:
    """The name of the source: for an export's games.json, its folder."""
    inside = [games / "games.json", games / "players.csv"] if games.is_dir() else [games]
    return next((file_digest(file) for file in inside if file.is_file()), "")


@command()
@click.option(
    "--figure", "figures", multiple=True, metavar="3.N", help="Draw this figure of the thesis, 3.1 to 3.8. Repeatable."
)
@click.option("--all", "everything", is_flag=True, help="Draw all figures of the chapter.")
@click.option("--attacks", is_flag=True, help="Simulate dishonest, colluding and changing players.")
@config_options(SimulationConfig, only=("rating", "players", "trials", "variance", "seed"))
@options.PROCESSES
@options.QUIET
@output_options
def simulate(*, figures: tuple[str, ...], everything: bool, attacks: bool, workers: int, quiet: bool, **given: Any) -> None:
    """Simulate Luna games, and measure the error of ratings when some players guess by a rule.

    \b
    viva luna simulate --figure 3.8
    viva luna simulate --all --html chapter3.html
    viva luna simulate --attacks --workers 2 --json

    Each figure is simulated twice: by the text of the thesis, and as its figures seem to have been made, with four errors
    of an early program. The page shows both.
    """
    from vivavoce.luna.simulation_finding import examine_simulation
    from vivavoce.luna.simulation_tables import FIGURES

    numbers = tuple(FIGURES) if everything else tuple(dict.fromkeys(figures))
    if not (numbers or attacks):
        raise click.UsageError("nothing to simulate: give --figure 3.1, --all or --attacks.")
    with options.pool(workers) as executor:
        simulation = examine_simulation(
            numbers,
            SimulationConfig(**given),
            attacks=attacks,
            executor=executor,
            on_progress=None if quiet else partial(click.echo, err=True),
        )
    show(simulation)
