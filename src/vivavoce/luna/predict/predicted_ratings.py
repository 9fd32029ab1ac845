"""A predictor learnt and kept, and what it says: of people in a table, and of the other player in a game."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.wording import name_of
from vivavoce.interview.scope import Signature
from vivavoce.luna.predict.answers import Answer, People, people_of
from vivavoce.luna.predict.interval import FOLDS, LEVEL, Prediction, left_out_errors, with_intervals
from vivavoce.luna.predict.model_store import About, Kept
from vivavoce.luna.predict.models import predictor
from vivavoce.luna.predict.predicted_ratings_finding import PredictedRatings
from vivavoce.luna.rules import HIGHEST
from vivavoce.version import __version__

_OTHER = "the other player"


def learn(
    people: People,
    name: str = "modern",
    *,
    seed: int = 0,
    training: str = "",
    digest: str = "",
    on_progress: Callable[[str], None] | None = None,
) -> Kept:
    """A predictor that has learnt from a table with ratings, and how far off it was for people left out in turn.

    Parameters
    ----------
    name: as `predictor` takes it.
    training, digest: the table's name and SHA-256, for the record.
    on_progress: told in a line what begins.

    Raises what the predictor raises. Where too few people are there to leave some out, that is no error: the kept predictor
    then cannot tell how far off it is.

    >>> table = people_of([Answer(f"{n}", "Sky?", "blue" if n % 2 else "pink", n % 2) for n in range(20)])
    >>> kept = learn(table, "bow")
    >>> asked = people_of([Answer("Ann", "Sky?", "blue"), Answer("Bob", "Sky?", "pink")])
    >>> [round(one.rating, 6) + 0.0 for one in predict_ratings(kept, asked).predictions]
    [1.0, 0.0]
    """
    tell = on_progress or (lambda _: None)
    tell(f"learning from {len(people.people)} people")
    model = predictor(name).fit(people, seed=seed)
    tell("learning again without some of them in turn, to see how far off it is")
    everybody = len(people.people)
    try:
        errors = left_out_errors(people, name, folds=FOLDS if everybody >= 2 * FOLDS else everybody, seed=seed)
    except NotEnoughEvidence:
        errors = None
    about = About(
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
    return Kept(model, about)


def predict_ratings(
    kept: Kept, people: People, *, level: float = LEVEL, source: str = "", digest: str = ""
) -> PredictedRatings:
    """The ratings of people from their answers; grades and ratings of theirs are not looked at.

    Raises `BadInput` for somebody who answered none of the questions learnt, and for a predictor that rates out of range: it
    was not fitted, but made up.
    """
    about, known = kept.about, frozenset(kept.about.questions)
    return PredictedRatings(
        predictions=tuple(map(_checked, with_intervals(kept.model, people.unrated(), about.errors, level=level))),
        predictor=about.name,
        learnt_from=about.people,
        tried_on=len(about.errors),
        level=level,
        questions=len(known),
        unknown=len(set(people.questions) - known),
        sparse=sum(sum(one.question in known for one in people.of(person)) < about.answered for person in people.people),
        signature=Signature(
            version=__version__,
            examination="luna predict apply",
            candidate=about.name,
            scope=source,
            scope_digest=digest,
            seed=about.seed,
            settings={"level": level, "learnt from": about.training, "its digest": about.digest[:12]},
        ),
    )


def guesser(kept: Kept) -> Callable[[Sequence[str], Sequence[str]], float | None]:
    """Guesses the rating, from 0 to 100, of the person who gave these answers to these questions.

    None where fewer of the questions are known to the predictor than everybody whom it learnt from had answered: from less
    than that it would guess too low.
    """
    known, needed = frozenset(kept.about.questions), max(1, kept.about.answered)

    def guess(questions: Sequence[str], answers: Sequence[str]) -> float | None:
        said = {asked.strip(): text for asked, text in zip(questions, answers, strict=True) if asked.strip() in known}
        if len(said) < needed:
            return None
        other = people_of(Answer(_OTHER, asked, text) for asked, text in said.items())
        return HIGHEST * predict_ratings(kept, other).predictions[0].rating

    return guess


def _checked(found: Prediction) -> Prediction:
    if not 0 <= found.rating <= 1:
        raise BadInput(
            f"the predictor gives {name_of(found.person)} a rating of {found.rating:g}, not from 0 to 1: fit it again"
        )
    return found
