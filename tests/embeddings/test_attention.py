"""Attention over vectors: by hand, against finite differences, and kept in a folder to the last digit."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.embeddings.attention import AttentionHead, Sets, loss_and_gradient
from vivavoce.embeddings.embedding import Lsa
from vivavoce.embeddings.set_classifier import (
    SetClassifier,
    check_replaceable,
    digest_of_folder,
    open_classifier_folder,
    save_classifier,
)
from vivavoce.errors import BadFile, BadInput

TEXTS = ["The applicant was beaten.", "The applicant moved house.", "A letter was sent to the court.", "He was beaten twice."]


def head(seed: int = 0, dimensions: int = 3, units: int = 2) -> AttentionHead:
    numbers = np.random.default_rng(seed).standard_normal(units * dimensions + 2 * units + dimensions + 1)
    return AttentionHead.from_numbers(numbers, dimensions, units)


def classifier() -> SetClassifier:
    embedder = Lsa().fitted(TEXTS, dimensions=3)
    return SetClassifier(embedder, head(1, embedder.embed(TEXTS).shape[1]), {"cases": 4})


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
    assert again.probability(TEXTS) == first.probability(TEXTS)
    assert again.attention(TEXTS).tolist() == first.attention(TEXTS).tolist()
    assert again.about == {"cases": 4}
    save_classifier(tmp_path / "kept", again)  # in place of the old one
    save_classifier(tmp_path / "other", first)
    assert digest_of_folder(tmp_path / "kept") == digest_of_folder(tmp_path / "other")
    assert not [file for file in (tmp_path / "kept").rglob("*") if file.suffix in (".pkl", ".pickle")]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter.txt").write_text("Dear")
    with pytest.raises(BadInput, match="holds something other than a classifier"):
        check_replaceable(tmp_path / "letters")
    with pytest.raises(BadInput, match="is not a folder"):
        check_replaceable(tmp_path / "letters" / "letter.txt")
    with pytest.raises(BadInput, match="the folder"):
        check_replaceable(tmp_path / "no" / "such")


@pytest.mark.parametrize(
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
    ],
)
def test_a_damaged_folder_is_an_error_in_words(tmp_path: Path, file: str, changed: bytes | None, message: str) -> None:
    save_classifier(tmp_path / "kept", classifier())
    if changed is None:
        (tmp_path / "kept" / file).unlink()
    else:
        (tmp_path / "kept" / file).write_bytes(changed)
    with pytest.raises(BadFile, match=message):
        open_classifier_folder(tmp_path / "kept")


@pytest.mark.parametrize(
    ("file", "array", "message"),
    [
        ("query.npy", np.zeros(5), "do not fit together"),
        ("bias.npy", np.zeros(2), "do not fit together"),
        ("weights.npy", np.array([np.nan] * 3), "not finite"),
    ],
)
def test_arrays_of_another_shape_are_an_error(tmp_path: Path, file: str, array: np.ndarray, message: str) -> None:
    save_classifier(tmp_path / "kept", classifier())
    np.save(tmp_path / "kept" / file, array)
    with pytest.raises(BadFile, match=message):
        open_classifier_folder(tmp_path / "kept")


def test_a_head_for_other_vectors_is_an_error(tmp_path: Path) -> None:
    save_classifier(tmp_path / "kept", SetClassifier(classifier().embedder, head(1, 7)))
    with pytest.raises(BadFile, match="its embedder gives 3 numbers for each text, but its head takes 7"):
        open_classifier_folder(tmp_path / "kept")
