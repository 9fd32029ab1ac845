"""Linear regression on features against scikit-learn, predictors by name, and those that rest on WordNet."""

from __future__ import annotations

import json
from functools import cache
from math import exp, tanh
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.each_case import each_case
from tests.luna.predict.people import made_people
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence, UnknownName
from vivavoce.luna.predict.answers import PeopleTable, PersonAnswer, people_of, sheet_of
from vivavoce.luna.predict.features import WordBag
from vivavoce.luna.predict.predictor import MOST, RatingPredictor, learners
from vivavoce.luna.predict.predictors import ALPHA as LASSO_PENALTY
from vivavoce.luna.predict.predictors import FEATURES, OF_WORDNET, OPTIONS, LinearPredictor, least_squares, predictor
from vivavoce.luna.predict.wordnet_features import ALPHA, BETA, PARTS, Synsets, WordLikeness, WordNet, likeness, open_wordnet


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 12), st.integers(1, 30), st.booleans())
def test_least_squares_is_that_of_scikit_learn(seed: int, people: int, columns: int, double: bool) -> None:
    from sklearn.linear_model import LinearRegression  # type: ignore[import-untyped]

    rng = np.random.default_rng(seed)
    table = rng.normal(size=(people, columns))
    if double:
        table = np.hstack([table, table[:, :1]])  # one column twice: the weights are shared out
    ratings = rng.random(people)
    intercept, weights = least_squares(sparse.csr_array(table), ratings)
    theirs = LinearRegression().fit(table, ratings)
    assert table @ weights + intercept == pytest.approx(theirs.predict(table), abs=1e-6)
    new = rng.normal(size=(3, table.shape[1]))
    if np.linalg.svd(table - table.mean(axis=0), compute_uv=False)[: min(people - 1, columns)].min() > 0.1:
        assert new @ weights + intercept == pytest.approx(theirs.predict(new), abs=1e-5)


def test_a_bag_of_words_by_lasso_is_that_of_scikit_learn() -> None:
    from sklearn.linear_model import Lasso

    people = made_people(30)
    sheet = sheet_of(people, people.questions)
    columns = WordBag("words").fit(sheet, np.zeros(0), ()).columns(sheet).toarray()
    ratings = np.array(list(people.ratings.values()))
    theirs = Lasso(alpha=LASSO_PENALTY).fit(columns, ratings).predict(columns)
    assert predictor("bow?fit=lasso").fit(people).predict(people) == pytest.approx(theirs)


def test_predictions_stay_on_the_scale() -> None:
    learnt = people_of([PersonAnswer(f"p{n}", "q", "word " * n, n / 9) for n in range(10)])
    linear = LinearPredictor("wed", predictor("wed").fit(learnt).features)  # type: ignore[attr-defined]
    linear.questions, linear.intercept, linear.weights = ("q",), 5.0, np.array([1.0])
    assert linear.predict(learnt.unrated()).tolist() == [1.0] * 10


def test_too_few_people_and_people_without_ratings_are_refused() -> None:
    with pytest.raises(NotEnoughEvidence, match="4 people with ratings; learning needs at least 5"):
        predictor("bow").fit(made_people(4))
    with pytest.raises(BadInput, match="no ratings to learn from"):
        predictor("bow").fit(made_people(20).unrated())
    with pytest.raises(BadInput, match="fit it first"):
        predictor("bow").predict(made_people(20))
    with pytest.raises(BadInput, match="Zoe has answered none of the 4 learnt questions"):
        predictor("bow").fit(made_people(20)).predict(people_of([PersonAnswer("Zoe", "another?", "yes")]))


CHOSEN = ("bow?by=question", "com?fit=lasso&by=question", "wcs?fit=lasso", "modern?from=ratings")
NAMES = (*(name for name in OPTIONS if name not in OF_WORDNET), *CHOSEN)
LEARN, TEST = made_people(30), made_people(20, seed=9).unrated()


def as_json(value: Any) -> Any:
    """Through a file and back."""
    return json.loads(json.dumps(value, default=lambda array: array.tolist()))


@cache
def fitted_by(name: str) -> RatingPredictor:
    made = predictor(name)
    assert made.name == name
    fitted = made.fit(LEARN, seed=3)
    assert fitted is made
    return fitted


@each_case("name", NAMES)
def test_the_contract_of_a_predictor(name: str) -> None:
    fitted = fitted_by(name)
    predict = fitted.predict(TEST)
    assert predict.shape == (20,)
    assert ((predict >= 0) & (predict <= 1)).all()
    assert np.array_equal(predictor(name).fit(LEARN, seed=3).predict(TEST), predict)
    assert np.array_equal(predictor(name).from_state(fitted.state()).predict(TEST), predict)
    assert np.array_equal(predictor(name).from_state(as_json(fitted.state())).predict(TEST), predict)
    if name != "ran":
        alone = TEST.only(TEST.people[:1])
        assert fitted.predict(alone)[0] == pytest.approx(predict[0])


@each_case("name", [name for name in NAMES if name not in ("ran", "constant", "cbg")])
def test_what_is_predicted_does_not_see_ratings(name: str) -> None:
    fitted = fitted_by(name)
    assert np.array_equal(fitted.predict(LEARN), fitted.predict(LEARN.unrated()))


def test_constant_is_the_mean_and_random_is_not() -> None:
    ratings = np.array(list(LEARN.ratings.values()))
    assert predictor("cbg").fit(LEARN).predict(TEST).tolist() == [ratings.mean()] * 20
    assert np.unique(predictor("ran").fit(LEARN).predict(TEST)).size == 20


def test_com_is_all_features_that_need_no_wordnet() -> None:
    fitted = predictor("com").fit(LEARN)
    widths = [predictor(name).fit(LEARN).state()["weights"].size for name in FEATURES if name not in OF_WORDNET]
    assert fitted.state()["weights"].size == sum(widths)


@each_case(
    ("name", "words"),
    [
        ("mordern", "did you mean 'modern'"),
        ("com?fit=ridge", "fit of 'com'"),
        ("com?fit=ols&fit=lasso", "repeated"),
        ("modern?fit=ols", "option of 'modern'"),
        ("constant?x", "no options|option of 'constant'"),
    ],
)
def test_unknown_names_are_refused(name: str, words: str) -> None:
    with pytest.raises((UnknownName, BadInput), match=words):
        predictor(name)


@each_case(
    ("name", "change"),
    [
        ("constant", {"rating": 2}),
        ("ran", {"seed": -1}),
        ("bow", {"weights": [1.0]}),
        ("bow", {"intercept": float("nan")}),
        ("nno", {"features": [{"texts": [["a"]], "ratings": [["b"]]}]}),
    ],
)
def test_states_of_another_predictor_are_refused(name: str, change: dict[str, Any]) -> None:
    state = {**predictor(name).fit(LEARN).state(), **change}
    with pytest.raises(BadInput, match="state of"):
        predictor(name).from_state(state)


def test_more_people_than_can_be_compared_are_refused() -> None:
    answers = tuple(PersonAnswer(str(number), "q", "yes") for number in range(MOST + 1))
    with pytest.raises(BadInput, match=f"the limit is {MOST}"):
        learners(PeopleTable(answers, {answer.person: 0.5 for answer in answers}))


TREE = {
    "entity": ((), ("entity",)),
    "living": (("entity",), ("living_thing", "organism")),
    "person": (("living",), ("person", "human")),
    "boy": (("person",), ("boy", "lad")),
    "girl": (("person",), ("girl",)),
    "stone": (("entity",), ("stone", "rock")),
    "music": ((), ("rock", "music")),
}
"""Each meaning with the broader ones and its words."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The tree as WordNet's files; places are bytes, so that lines have one length."""
    width, places = 120, {name: 8 + 120 * number for number, name in enumerate(TREE)}
    lines, index = ["  made.\n"], dict[str, list[int]]()
    for name, (broader, words) in TREE.items():
        listed = " ".join(f"{word} 0" for word in words)
        pointers = "".join(f" @ {places[text]:08d} n 0000" for text in broader)
        line = f"{places[name]:08d} 03 n {len(words):02x} {listed} {len(broader):03d}{pointers} | a meaning"
        lines.append(line.ljust(width - 1) + "\n")
        for word in words:
            index.setdefault(word, []).append(places[name])
    for part in PARTS.values():
        (tmp_path / f"index.{part}").write_text("  1 licence\n")
    (tmp_path / "data.noun").write_text("".join(lines))
    entries = [f"{w} n {len(at)} 1 @ {len(at)} 0 {' '.join(f'{p:08d}' for p in at)}  \n" for w, at in sorted(index.items())]
    (tmp_path / "index.noun").write_text("  1 licence\n" + "".join(entries))
    return tmp_path


def test_synonyms_and_broader_words(folder: Path) -> None:
    words = WordNet(folder)
    assert words.synonyms("lad") == {"boy", "lad"}
    assert words.synonyms("boys") == {"boys", "boy", "lad"}  # by its ending
    assert words.synonyms("rock") == {"rock", "stone", "music"}
    assert words.synonyms("organism") == {"organism"}  # words of two words are left out
    assert words.synonyms("unknown") == {"unknown"}
    (boy,) = words.synsets("boy")
    assert [words.words(pair) for pair in words.broader(boy)] == [("person", "human")]


def test_likeness_of_words_is_equation_6(folder: Path) -> None:
    alike = WordLikeness(WordNet(folder))
    assert alike("boy", "boy") == 1
    assert alike("boy", "lad") == pytest.approx(tanh(BETA * 3))  # no steps apart; entity, living, person above
    assert alike("boy", "girl") == pytest.approx(exp(-ALPHA * 2) * tanh(BETA * 2))  # by way of person
    assert alike("girl", "boy") == alike("boy", "girl")
    assert alike("boy", "stone") == 0  # what both are kinds of has depth 0
    assert alike("boy", "music") == 0


def test_likeness_of_sentences_by_hand(folder: Path) -> None:
    alike = WordLikeness(WordNet(folder))
    near = exp(-ALPHA * 2) * tanh(BETA * 2)
    assert near > 0.4
    # joint words: boy, girl. Meanings (1, near) and (near, 1); order (1, 1) in both: the nearest words stand first
    cosine = 2 * near / (1 + near**2)
    assert likeness(("boy",), ("girl",), alike, lambda word: 1.0) == pytest.approx(0.85 * cosine + 0.15)
    assert likeness(("boy",), (), alike, lambda word: 1.0) == 0
    # nothing in common: meanings are at right angles; orders (1, 0) and (0, 1) are as far apart as their sum is long
    assert likeness(("boy",), ("music",), alike, lambda word: 1.0) == pytest.approx(0.0)


def test_a_synonym_counts_as_the_word(folder: Path) -> None:
    sheet = [["a boy", "music"]]
    synsets = Synsets(str(folder)).fit(sheet, np.zeros(2), ())
    assert synsets.terms == ((0, "boy"), (0, "music"))
    assert synsets.columns([["the lad", "rock music", "nothing"]]).toarray().tolist() == [[1, 0], [0, 1], [0, 0]]


def test_predictors_of_wordnet_learn_and_apply(folder: Path) -> None:
    people = made_people(20)
    for name in (f"snl?wordnet={folder}", f"syn?wordnet={folder}&by=question", f"com?wordnet={folder}"):
        fitted = predictor(name).fit(people)
        again = predictor(name).from_state(fitted.state())
        assert np.array_equal(again.predict(people.unrated()), fitted.predict(people))


def test_without_wordnet_one_line_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path))
    for name in ("snl", "syn"):
        with pytest.raises(BadInput, match=r"install Debian's wordnet-base, or give .* \$WNSEARCHDIR"):
            predictor(name).fit(made_people(10))


def test_damaged_files_are_named(folder: Path) -> None:
    good = (folder / "data.noun").read_text()
    (folder / "data.noun").write_text(good.replace(" n 0000", " x 0000"))
    (boy,) = WordNet(folder).synsets("boy")
    with pytest.raises(BadFile, match="not an entry of WordNet at byte 368"):
        WordNet(folder).broader(boy)
    (folder / "data.noun").write_text("nothing\n" * 200)
    words = open_wordnet(str(folder))
    with pytest.raises(BadFile, match="not an entry of WordNet at byte 368"):  # the fourth of lines that begin at 8
        words.synonyms("boy")
    (folder / "index.noun").write_text("boy n\n")
    with pytest.raises(BadFile, match="not an entry of WordNet: 'boy n'"):
        WordNet(folder).synonyms("boy")
