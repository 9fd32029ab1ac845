"""Fits and saves a predictor, and predicts ratings with intervals (`vovk2015`), for a table of people or for the other player
of a game.

Saves a fitted predictor in a JSON file, with arrays as base64; loading it runs and unpickles nothing.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil, floor, fsum, inf, prod
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike
from pydantic import FiniteFloat, NonNegativeInt, TypeAdapter, ValidationError

from vivavoce.errors import BadFile, BadInput, MissingExtra, NotEnoughEvidence
from vivavoce.formats.interval import Interval
from vivavoce.formats.lines import write_whole, writing
from vivavoce.formats.wording import clipped, count, first_problem, name_of
from vivavoce.interview.scope import Signature
from vivavoce.luna.predict.answers import PeopleTable, PersonAnswer, people_of
from vivavoce.luna.predict.comparison_finding import words_of
from vivavoce.luna.predict.predictor import FloatArray, RatingPredictor, targets
from vivavoce.luna.predict.predictors import predictor
from vivavoce.luna.rules import HIGHEST
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell
from vivavoce.report.figures import Axis, Line, LinePoint, Lines
from vivavoce.report.reported import ReportedFinding
from vivavoce.version import __version__

FORMAT: Final = 1
KIND: Final = "vivavoce luna predictor"
LARGEST: Final = 1 << 28
"""The most bytes of a file."""
DEEPEST: Final = 12
"""The most levels of nested lists and objects."""
MOST_DIMENSIONS: Final = 3
_ARRAY: Final = "array of"
"""The key of an array in the JSON, with its type; `shape` and `base64` follow."""
_TYPES: Final = ("<f8", "<f4", "<i8", "<i4", "|u1", "|b1")
_START: Final = f'{{"kind": "{KIND}"'.encode()
"""The first bytes of such a file."""
_ANEW: Final = "fit it again with 'viva luna predict fit'"


@dataclass(frozen=True, slots=True)
class PredictorOrigin:
    """The origin of a predictor: enough for another person to fit it again."""

    name: str
    """The name, as for `predictor`."""
    seed: NonNegativeInt
    people: NonNegativeInt
    """Number of people it learnt from."""
    graded: bool
    """Whether each answer had a grade."""
    questions: tuple[str, ...]
    """The questions it has learnt."""
    answered: NonNegativeInt
    """The fewest of these questions that any person it learnt from had answered."""
    errors: tuple[FiniteFloat, ...]
    """Ratings minus predictions for people left out, ascending; empty if too few could be left out."""
    training: str = ""
    """Name of the training file."""
    digest: str = ""
    """Its SHA-256, in hex."""
    version: str = __version__
    """Version of the program that fitted it."""


@dataclass(frozen=True, slots=True)
class SavedPredictor:
    """A fitted predictor with its origin."""

    model: RatingPredictor
    about: PredictorOrigin


def save(kept: SavedPredictor, path: Path) -> None:
    """Write a predictor to a file, and replace what it contains; raises `BadFile` if that fails."""
    document = {"kind": KIND, "format": FORMAT, "about": asdict(kept.about), "state": _written(kept.model.state())}
    write_whole(path, json.dumps(document, allow_nan=False) + "\n")


def load(path: Path) -> SavedPredictor:
    """The saved predictor, exactly as it was.

    Raises `BadFile` for any other content, and `MissingExtra` for a missing package.
    """
    document = _document(path)
    if document.get("kind") != KIND:
        raise BadFile(path, "not a rating predictor: 'viva luna predict fit' makes one")
    if document.get("format") != FORMAT:
        raise BadFile(path, f"format {str(document.get('format'))[:20]}; this program reads format {FORMAT}: {_ANEW}")
    try:
        about = TypeAdapter(PredictorOrigin).validate_python(document.get("about"))
        return SavedPredictor(predictor(about.name).from_state(_read(document["state"])), about)
    except MissingExtra:
        raise
    except ValidationError as error:
        problem = f"invalid content: {first_problem(error)}"
    except (BadInput, KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        problem = f"invalid content: {error}"
    raise BadFile(path, f"{problem[:200]}; {_ANEW}")


def check_replaceable(path: Path) -> None:
    """Raise `BadInput` for a file with other content, which would be lost."""
    if not path.exists():
        return
    with writing(path), path.open("rb") as file:
        start = file.read(len(_START))
    if start not in (b"", _START):
        raise BadInput(f"{path} is not a predictor: give another path")


def _document(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise BadFile(path, f"larger than {LARGEST >> 20} MiB: not a predictor")
        document = json.loads(data.decode("utf-8"), parse_constant=_refused)
    except OSError as error:
        raise BadFile(path, f"cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise BadFile(path, "not a rating predictor, since it is not JSON: 'viva luna predict fit' makes one") from None
    return document if isinstance(document, dict) else {}


def _written(value: Any) -> Any:
    """JSON values, with arrays as objects."""
    if isinstance(value, np.ndarray):
        array = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
        text = base64.b64encode(array.tobytes()).decode("ascii")
        return {_ARRAY: array.dtype.str, "shape": list(value.shape), "base64": text}
    if isinstance(value, Mapping):
        return {str(name): _written(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_written(entry) for entry in value]
    return value


def _read(value: Any, depth: int = 0) -> Any:
    """The value that was written; raises `BadInput`."""
    if depth > DEEPEST:
        raise BadInput(f"it has more than {DEEPEST} levels")
    if isinstance(value, dict):
        return _array(value) if _ARRAY in value else {name: _read(entry, depth + 1) for name, entry in value.items()}
    return [_read(entry, depth + 1) for entry in value] if isinstance(value, list) else value


def _array(written: Mapping[str, Any]) -> Any:
    kind, shape = written[_ARRAY], written["shape"]
    if kind not in _TYPES or not (isinstance(shape, list) and len(shape) <= MOST_DIMENSIONS):
        raise BadInput(f"an array of type '{str(kind)[:20]}', or with more than {MOST_DIMENSIONS} dimensions, is not supported")
    data = base64.b64decode(written["base64"], validate=True)
    if any(type(length) is not int or length < 0 for length in shape) or prod(shape) * np.dtype(kind).itemsize != len(data):
        raise BadInput(f"an array of shape {str(shape)[:40]} has {len(data)} bytes")
    array = np.frombuffer(data, dtype=kind).reshape(shape)
    if not np.isfinite(array).all():
        raise BadInput("an array has a number that is not finite")
    return array.astype(array.dtype.newbyteorder("="))


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


LEVEL: Final = 0.9
FOLDS: Final = 10


@dataclass(frozen=True, slots=True)
class Prediction:
    """A predicted rating with its interval, all from 0 to 1."""

    person: str
    rating: float
    lower: float
    upper: float


def left_out_errors(people: PeopleTable, name: str, *, folds: int = FOLDS, seed: int = 0) -> FloatArray:
    """Each person's rating minus the prediction of a predictor fitted to the other folds, in ascending order.

    Raises `NotEnoughEvidence` for fewer people than folds, and what the predictor raises.
    """
    ratings = targets(people)
    if not 2 <= folds <= ratings.size:
        raise NotEnoughEvidence(f"{ratings.size} people in {folds} folds: use at least 2 folds, with a person in each")
    names = people.people
    fold = np.random.default_rng(seed).permutation(ratings.size) % folds
    errors = np.zeros(ratings.size)
    for number in range(folds):
        out = fold == number
        left = people.only({name for name, is_out in zip(names, out, strict=True) if is_out})
        rest = people.only({name for name, is_out in zip(names, out, strict=True) if not is_out})
        errors[out] = ratings[out] - predictor(name).fit(rest, seed=seed).predict(left)
    return np.sort(errors)


def with_intervals(
    model: RatingPredictor, people: PeopleTable, errors: ArrayLike, *, level: float = LEVEL
) -> tuple[Prediction, ...]:
    """The model's rating for each person, with the interval that would have covered `level` of those left out.

    Each end leaves out half of the rest, counted as if the new person were one more of them (cross-conformal prediction). For
    people exchangeable with those learnt from, it covers about as often as it says. A proof exists only for twice the rate of
    misses (`barber2021`), with the models of all folds kept; the tests measure the coverage. With too few people for the level,
    an end is 0 or 1, the ends of the scale.

    Parameters
    ----------
    errors: from `left_out_errors`, for the same predictor.

    >>> from vivavoce.luna.predict.answers import PersonAnswer, people_of
    >>> ann = people_of([PersonAnswer("Ann", "1", "yes")])
    >>> errors = [number / 128 for number in range(-63, 64)]  # 127 of them; the 6th and the 122nd count
    >>> with_intervals(predictor("constant"), ann, errors)
    (Prediction(person='Ann', rating=0.5, lower=0.046875, upper=0.953125),)
    """
    low, high = ends(errors, level=level)
    ratings = model.predict(people)
    return tuple(
        Prediction(person, float(rating), max(0.0, float(rating + low)), min(1.0, float(rating + high)))
        for person, rating in zip(people.people, ratings, strict=True)
    )


def ends(errors: ArrayLike, *, level: float = LEVEL) -> tuple[float, float]:
    """How far an interval reaches below and above a prediction; infinite with too few errors for the level."""
    ordered = np.sort(np.asarray(errors, dtype=float))
    if not 0 < level < 1:
        raise BadInput(f"a level of {level}: it must be above 0 and below 1")
    if not np.isfinite(ordered).all():
        raise BadInput("errors must be finite numbers")
    each = (1 - level) / 2 * (ordered.size + 1)
    below, above = floor(each + 1e-9), ceil(ordered.size + 1 - each - 1e-9)
    low = float(ordered[below - 1]) if below >= 1 else -inf
    return low, float(ordered[above - 1]) if above <= ordered.size else inf


SHOWN: Final = 500
"""The most people in a table."""


MOST_DOTS: Final = 100
"""The most people who are drawn as single dots."""


@dataclass(frozen=True, slots=True, repr=False)
class PredictedRatings(ReportedFinding):
    """A rating with an interval for each person, from answers alone."""

    predictions: tuple[Prediction, ...]
    """In the order of the answers."""
    predictor: str
    learnt_from: int
    """Number of people it learnt from."""
    tried_on: int
    """How many of them were left out in turn to measure the error; 0: too few people."""
    level: float
    """Level of the intervals."""
    questions: int
    """Number of questions the predictor has learnt."""
    unknown: int
    """Other questions that these people answered, which are ignored."""
    sparse: int
    """People who answered fewer of the questions than any person the predictor learnt from."""
    signature: Signature

    @property
    def statement(self) -> str:
        """The result in two plain sentences."""
        ratings = [prediction.rating for prediction in self.predictions]
        learnt = f"by {name_of(self.predictor)}, which has learnt from {count(self.learnt_from)} people"
        summary = f"{count(len(ratings))} people get ratings from {min(ratings):.2f} to {max(ratings):.2f} {learnt}."
        if len(ratings) == 1:
            summary = f"{name_of(self.predictions[0].person)} gets a rating of {ratings[0]:.2f} {learnt}."
        if not self.tried_on:
            return f"{summary} Its error is unknown, because it learnt from too few people."
        width = fsum(prediction.upper - prediction.lower for prediction in self.predictions) / len(ratings)
        return f"{summary} The interval that covers {self.level:.0%} of true ratings is {width:.2f} wide on average."

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the result, one sentence each."""
        caveats = [
            "A rating is predicted from words of graded or rated people. It does not show what a person "
            "understands: the words of a right answer are enough. Do not let it decide about people by itself.",
            "Intervals hold for people like those learnt from, who answered the same questions for the same reasons.",
        ]
        if self.unknown:
            caveats.append(
                f"{count(self.unknown)} question{'s are' if self.unknown > 1 else ' is'} not among the "
                f"{count(self.questions)} that the predictor learnt; answers to them are ignored."
            )
        if self.sparse:
            caveats.append(
                f"{count(self.sparse)} {'people have' if self.sparse > 1 else 'person has'} answered fewer of these "
                "questions than any person learnt from. Missing answers count as empty, and intervals do not cover "
                "that."
            )
        return tuple(caveats)

    def report(self) -> blocks.Report:
        """All of it as blocks."""
        tried = f"the rating of each of {count(self.tried_on)} people was predicted by a predictor that had not seen them"
        return self.reported(
            "Ratings predicted from answers",
            f"Ratings predicted for {clipped(self.signature.scope, 120) or 'answers'}",
            blocks.ReportFigure(in_order(self.predictions, self.level)),
            blocks.Caveats(self.caveats),
            blocks.ReportSection("Ratings", self._ratings()),
            blocks.method_of(
                (
                    f"The predictor {name_of(self.predictor)} uses: {words_of(self.predictor)}. It has learnt from "
                    f"{count(self.learnt_from)} people who answered {count(self.questions)} questions.",
                    f"For the intervals, {tried}; an interval is wide enough on each side to cover {self.level:.0%} of them."
                    if self.tried_on
                    else "It has learnt from too few people to leave some out and measure its error, so intervals are "
                    "the whole scale.",
                )
            ),
            headline=self.statement,
        )

    def _ratings(self) -> tuple[blocks.Block, ...]:
        """The highest rating first."""
        ordered = sorted(self.predictions, key=lambda prediction: -prediction.rating)
        rows = tuple(
            blocks.ReportRow(
                TableCell(name_of(prediction.person)),
                (
                    TableCell(
                        f"{prediction.rating:.2f}",
                        prediction.rating,
                        Interval(prediction.lower, prediction.upper),
                        f"[{prediction.lower:.2f}, {prediction.upper:.2f}]",
                    ),
                ),
            )
            for prediction in ordered[:SHOWN]
        )
        left = len(ordered) - SHOWN
        more = f"And {count(left)} more, with lower ratings." if left > 0 else ""
        return (
            blocks.ReportTable((blocks.Column("Person"), blocks.Column("Rating", below=f"{self.level:.0%} interval")), rows),
            *blocks.notes(more),
        )

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; null for unknown ones."""
        return {
            "ratings": {prediction.person: prediction for prediction in self.predictions},
            "level": self.level,
            "predictor": self.predictor,
            "learnt_from": self.learnt_from,
            "unknown_questions": self.unknown,
            "answered_too_few": self.sparse,
        }


_OTHER = "the other player"


def learn(
    people: PeopleTable,
    name: str = "modern",
    *,
    seed: int = 0,
    training: str = "",
    digest: str = "",
    on_progress: Callable[[str], None] | None = None,
) -> SavedPredictor:
    """A predictor fitted to a table with ratings, with its errors for people left out in turn.

    Parameters
    ----------
    name: as for `predictor`.
    training, digest: the table's name and SHA-256, for the record.
    on_progress: gets a line before each step.

    Raises what the predictor raises. Too few people to leave some out is not an error: then the size of errors stays unknown.

    >>> table = people_of([PersonAnswer(f"{n}", "Sky?", "blue" if n % 2 else "pink", n % 2) for n in range(20)])
    >>> kept = learn(table, "bow")
    >>> asked = people_of([PersonAnswer("Ann", "Sky?", "blue"), PersonAnswer("Bob", "Sky?", "pink")])
    >>> [round(prediction.rating, 6) + 0.0 for prediction in predict_ratings(kept, asked).predictions]
    [1.0, 0.0]
    """
    tell = on_progress or (lambda _: None)
    tell(f"learning from {len(people.people)} people")
    model = predictor(name).fit(people, seed=seed)
    tell("learning again without some of them in turn, to measure the error")
    everybody = len(people.people)
    try:
        errors = left_out_errors(people, name, folds=FOLDS if everybody >= 2 * FOLDS else everybody, seed=seed)
    except NotEnoughEvidence:
        errors = None
    about = PredictorOrigin(
        name=name,
        seed=seed,
        people=everybody,
        graded=people.graded,
        questions=people.questions,
        answered=min(len(people.of(person)) for person in people.people),
        errors=() if errors is None else tuple(errors.tolist()),
        training=training,
        digest=digest,
    )
    return SavedPredictor(model, about)


def predict_ratings(
    kept: SavedPredictor, people: PeopleTable, *, level: float = LEVEL, source: str = "", digest: str = ""
) -> PredictedRatings:
    """The ratings of people from their answers; their grades and ratings are ignored.

    Raises `BadInput` for a person who answered none of the learnt questions, and for ratings out of range, which a fitted
    predictor never gives.
    """
    about, known = kept.about, frozenset(kept.about.questions)
    settings = {"level": level, "learnt from": about.training, "its digest": about.digest[:12]}
    return PredictedRatings(
        predictions=tuple(map(_checked, with_intervals(kept.model, people.unrated(), about.errors, level=level))),
        predictor=about.name,
        learnt_from=about.people,
        tried_on=len(about.errors),
        level=level,
        questions=len(known),
        unknown=len(set(people.questions) - known),
        sparse=sum(sum(answer.question in known for answer in people.of(person)) < about.answered for person in people.people),
        signature=Signature(__version__, "luna predict apply", about.name, source, digest, about.seed, settings),
    )


def guesser(kept: SavedPredictor) -> Callable[[Sequence[str], Sequence[str]], float | None]:
    """A function that guesses the rating, from 0 to 100, of the person with these answers to these questions.

    It returns None if the predictor knows fewer of the questions than any person it learnt from had answered: its guess would
    be too low.
    """
    known, needed = frozenset(kept.about.questions), max(1, kept.about.answered)

    def guess(questions: Sequence[str], answers: Sequence[str]) -> float | None:
        document = {asked.strip(): text for asked, text in zip(questions, answers, strict=True) if asked.strip() in known}
        if len(document) < needed:
            return None
        other = people_of(PersonAnswer(_OTHER, asked, text) for asked, text in document.items())
        return HIGHEST * predict_ratings(kept, other).predictions[0].rating

    return guess


def _checked(prediction: Prediction) -> Prediction:
    if not 0 <= prediction.rating <= 1:
        raise BadInput(
            f"the predictor gives {name_of(prediction.person)} a rating of {prediction.rating:g}, not from 0 to 1: fit it again"
        )
    return prediction


def in_order(predictions: Sequence[Prediction], level: float) -> Lines:
    """Predicted ratings in order, each with its interval."""
    ordered = sorted(predictions, key=lambda prediction: prediction.rating)
    alt = ""
    if ordered:
        alt = (
            f"Ratings of {count(len(ordered))} people in order, from {ordered[0].rating:.2f} to {ordered[-1].rating:.2f}, each "
            f"with its {level:.0%} interval."
        )
    points = tuple(LinePoint(index, entry.rating, Interval(entry.lower, entry.upper)) for index, entry in enumerate(ordered, 1))
    many = len(ordered) > MOST_DOTS
    line = Line("", points, joined=many, marked=not many, band=many)
    across = Axis("People, the lowest rating first", span=(0.5, len(ordered) + 0.5), whole=True)
    return Lines(across, Axis("Rating", span=(0.0, 1.0)), (line,), alt)
