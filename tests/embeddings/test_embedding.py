"""Embeddings and attention over them: by other programs and by hand, and files that lie."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.embeddings.embedding import Lsa, open_embedder, plain_text
from vivavoce.embeddings.set_classifier import (
    AttentionHead,
    SetClassifier,
    Sets,
    check_replaceable,
    digest_of_folder,
    loss_and_gradient,
    open_classifier_folder,
    save_classifier,
)
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence, UnknownName

TEXTS = [f"What is {n} plus {n + 3}?" for n in range(12)] + [f"Who wrote book number {n} of the {n}th poet?" for n in range(12)]


def test_vectors_are_those_of_scikit_learn() -> None:
    from sklearn.decomposition import TruncatedSVD  # type: ignore[import-untyped]
    from sklearn.feature_extraction.text import TfidfVectorizer  # type: ignore[import-untyped]
    from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
    from sklearn.preprocessing import normalize  # type: ignore[import-untyped]

    vectorizer = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"(?u)\b\w+\b", sublinear_tf=True, max_features=20_000)
    pipeline = make_pipeline(vectorizer, TruncatedSVD(5, n_iter=7, random_state=3))
    expected = normalize(pipeline.fit_transform(TEXTS))
    values = Lsa().fitted(TEXTS, dimensions=5, seed=3).embed(TEXTS)
    np.testing.assert_allclose(values, expected, atol=1e-9)


def test_kept_and_opened_it_embeds_the_same(tmp_path: Path) -> None:
    made = Lsa().fitted(TEXTS, dimensions=4)
    made.save(tmp_path)
    assert not list(tmp_path.glob("*.pkl"))
    np.testing.assert_array_equal(Lsa.load(tmp_path).embed(TEXTS), made.embed(TEXTS))


def test_words_that_nobody_knows_leave_no_trace() -> None:
    made = Lsa().fitted(TEXTS, dimensions=4)
    assert made.embed(["xyzzy", "", "🙂"]).tolist() == [[0.0] * 4] * 3
    assert made.embed([]).shape == (0, 4)


@each_case("texts", [[], ["one"], ["same", "same"], ["...", "!!!"], ["one", "<br>one"]])
def test_too_few_texts_are_told(texts: list[str]) -> None:
    with pytest.raises(NotEnoughEvidence, match="needs"):
        Lsa().fitted(texts, dimensions=32)


def test_many_texts_of_which_no_two_share_a_word_are_told() -> None:
    with pytest.raises(NotEnoughEvidence, match="50 different questions with no word in common"):
        Lsa().fitted([f"word{n}" for n in range(50)], dimensions=32)


def test_names_are_told_apart() -> None:
    with pytest.raises(UnknownName, match="lsa, sentences:NAME_OR_FOLDER"):
        open_embedder("word2vec")
    with pytest.raises(BadInput, match="needs a model"):
        open_embedder("sentences:")
    with pytest.raises(BadInput, match="has no vocabulary yet"):
        open_embedder("lsa").embed(["one"])


@given(st.text(max_size=300))
def test_plain_text_never_fails_and_is_plain_already(text: str) -> None:
    once = plain_text(text)
    assert once == " ".join(once.split())


def test_comparisons_are_no_tags() -> None:
    assert plain_text("Is 2<3 and 4 > 1?<br/>Yes<BR>No</b>") == "Is 2<3 and 4 > 1? Yes No"


def claims_8_terabytes(folder: Path) -> None:
    whole = (folder / "axes.npy").read_bytes()
    begin = whole.index(b"'shape': ")
    end = whole.index(b")", begin)
    claimed = b"'shape': (1000000000, 1000"
    (folder / "axes.npy").write_bytes(whole[:begin] + claimed + b" " * (end - begin - len(claimed)) + whole[end:])


def repeats_a_term(folder: Path) -> None:
    terms = json.loads((folder / "terms.json").read_text())["terms"]
    (folder / "terms.json").write_text(json.dumps({"terms": [terms[0], *terms[:-1]]}))


def is_an_archive(folder: Path) -> None:
    np.savez(folder / "packed.npz", weights=np.ones(3))
    (folder / "packed.npz").replace(folder / "weights.npy")


@each_case(
    "spoil",
    [
        lambda folder: (folder / "terms.json").write_text(json.dumps({"terms": ["one", 2]})),
        repeats_a_term,
        lambda folder: np.save(folder / "axes.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True),
        claims_8_terabytes,
        lambda folder: np.save(folder / "weights.npy", np.ones(3)),
        lambda folder: np.save(folder / "weights.npy", np.full_like(np.load(folder / "weights.npy"), np.nan)),
        lambda folder: np.save(folder / "weights.npy", np.array(["one", "two"])),
        is_an_archive,
        lambda folder: (folder / "axes.npy").unlink(),
    ],
)
def test_files_that_lie_are_told(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    Lsa().fitted(TEXTS, dimensions=12).save(tmp_path)
    spoil(tmp_path)
    with pytest.raises(BadFile, match=r"(json|npy): "):
        Lsa.load(tmp_path)


CASE_TEXTS = [
    "The applicant was beaten.",
    "The applicant moved house.",
    "A letter was sent to the court.",
    "He was beaten twice.",
]


def head(seed: int = 0, dimensions: int = 3, units: int = 2) -> AttentionHead:
    numbers = np.random.default_rng(seed).standard_normal(units * dimensions + 2 * units + dimensions + 1)
    return AttentionHead.from_numbers(numbers, dimensions, units)


def classifier() -> SetClassifier:
    embedder = Lsa().fitted(CASE_TEXTS, dimensions=3)
    return SetClassifier(embedder, head(1, embedder.embed(CASE_TEXTS).shape[1]), {"cases": 4})


def test_attention_and_probability_by_hand() -> None:
    # one unit that sees the first number alone: tanh(1) = .7616 and tanh(0) = 0, twice that is 1.5232 and 0
    by_hand = AttentionHead(np.array([[1.0, 0.0]]), np.zeros(1), np.array([2.0]), np.array([3.0, -1.0]), 0.5)
    first = math.exp(2 * math.tanh(1)) / (math.exp(2 * math.tanh(1)) + 1)
    assert by_hand.attention(np.eye(2)).tolist() == pytest.approx([first, 1 - first])
    logit = 3 * first - (1 - first) + 0.5
    assert by_hand.probability(np.eye(2)) == pytest.approx(1 / (1 + math.exp(-logit)))


@given(seed=st.integers(0, 10**6), sizes=st.lists(st.integers(1, 5), min_size=1, max_size=6), penalty=st.floats(0, 1))
def test_the_gradient_is_that_of_finite_differences(seed: int, sizes: list[int], penalty: float) -> None:
    rng = np.random.default_rng(seed)
    sets = Sets.of([rng.standard_normal((size, 3)) for size in sizes])
    truth = rng.integers(0, 2, len(sizes)).astype(float)
    numbers = head(seed).numbers
    _, gradient = loss_and_gradient(head(seed), sets, truth, penalty)
    step = 1e-6
    for i in range(numbers.size):
        up, down = (
            loss_and_gradient(AttentionHead.from_numbers(moved, 3, 2), sets, truth, penalty)[0]
            for moved in (numbers + step * np.eye(numbers.size)[i], numbers - step * np.eye(numbers.size)[i])
        )
        assert gradient[i] == pytest.approx((up - down) / (2 * step), abs=1e-6)


@given(seed=st.integers(0, 10**6), size=st.integers(1, 9))
def test_the_order_of_vectors_plays_no_part(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    vectors, order = rng.standard_normal((size, 3)), rng.permutation(size)
    attention = head(seed).attention(vectors)
    assert attention.sum() == pytest.approx(1)
    assert head(seed).attention(vectors[order]) == pytest.approx(attention[order])
    assert head(seed).probability(vectors[order]) == pytest.approx(head(seed).probability(vectors))


def test_loss_over_several_sets_is_that_of_single_probabilities() -> None:
    rng = np.random.default_rng(2)
    several, truth = [rng.standard_normal((size, 3)) for size in (1, 4, 2)], np.array([1.0, 0.0, 1.0])
    each = [math.log(p if yes else 1 - p) for p, yes in zip(map(head(2).probability, several), truth, strict=True)]
    assert loss_and_gradient(head(2), Sets.of(several), truth, 0.0)[0] == pytest.approx(-sum(each) / 3)


def test_huge_scores_overflow_nothing() -> None:
    large = AttentionHead(np.full((1, 2), 1e3), np.zeros(1), np.array([1e4]), np.array([1e4, -1e4]), 0.0)
    assert large.attention(np.eye(2)).sum() == pytest.approx(1)
    assert np.isfinite(loss_and_gradient(large, Sets.of([np.eye(2)]), np.zeros(1), 0.0)[0])


def test_what_is_kept_is_the_same_to_the_last_digit(tmp_path: Path) -> None:
    first = classifier()
    save_classifier(tmp_path / "kept", first)
    again = open_classifier_folder(tmp_path / "kept")
    assert again.probability(CASE_TEXTS) == first.probability(CASE_TEXTS)
    assert again.attention(CASE_TEXTS).tolist() == first.attention(CASE_TEXTS).tolist()
    assert again.about == {"cases": 4}
    save_classifier(tmp_path / "kept", again)  # in place of the old one
    save_classifier(tmp_path / "other", first)
    assert digest_of_folder(tmp_path / "kept") == digest_of_folder(tmp_path / "other")
    assert not [file for file in (tmp_path / "kept").rglob("*") if file.suffix in (".pkl", ".pickle")]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter.txt").write_text("Dear")
    with pytest.raises(BadInput, match="contains something other than a classifier"):
        check_replaceable(tmp_path / "letters")
    with pytest.raises(BadInput, match="is not a folder"):
        check_replaceable(tmp_path / "letters" / "letter.txt")
    with pytest.raises(BadInput, match="the folder"):
        check_replaceable(tmp_path / "no" / "such")


@each_case(
    ("file", "changed", "message"),
    [
        ("classifier.json", b"[]", "not a JSON object"),
        ("classifier.json", b'{"format": 9}', "this version reads format 1"),
        ("classifier.json", b'{"format": 1}', "does not name the embedder"),
        (
            "classifier.json",
            json.dumps({"format": 1, "embedder": "sentences:a/b"}).encode(),
            "without the digest of its weights",
        ),
        ("inner.npy", b"cos\nsystem\n(S'false'\ntR.", "not an array of numbers"),
        ("query.npy", None, "cannot be read"),
        ("query.npy", np.zeros(5), "do not fit together"),
        ("bias.npy", np.zeros(2), "do not fit together"),
        ("weights.npy", np.array([np.nan] * 3), "not finite"),
    ],
)
def test_a_damaged_folder_is_an_error_in_words(
    tmp_path: Path, file: str, changed: bytes | np.ndarray | None, message: str
) -> None:
    save_classifier(tmp_path / "kept", classifier())
    if changed is None:
        (tmp_path / "kept" / file).unlink()
    elif isinstance(changed, bytes):
        (tmp_path / "kept" / file).write_bytes(changed)
    else:
        np.save(tmp_path / "kept" / file, changed)
    with pytest.raises(BadFile, match=message):
        open_classifier_folder(tmp_path / "kept")


def test_a_head_for_other_vectors_is_an_error(tmp_path: Path) -> None:
    save_classifier(tmp_path / "kept", SetClassifier(classifier().embedder, head(1, 7)))
    with pytest.raises(BadFile, match="its embedder gives 3 numbers for each text, but its head takes 7"):
        open_classifier_folder(tmp_path / "kept")
