"""Embeddings: the built-in one against scikit-learn's own pipeline, and files that lie."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.embeddings.embedding import Lsa, open_embedder, plain_text
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


@pytest.mark.parametrize("texts", [[], ["one"], ["same", "same"], ["...", "!!!"], ["one", "<br>one"]])
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
    with pytest.raises(BadInput, match="knows no words yet"):
        open_embedder("lsa").embed(["one"])


@given(st.text(max_size=300))
def test_plain_text_never_fails_and_is_plain_already(text: str) -> None:
    once = plain_text(text)
    assert once == " ".join(once.split())


def test_comparisons_are_no_tags() -> None:
    assert plain_text("Is 2<3 and 4 > 1?<br/>Yes<BR>No</b>") == "Is 2<3 and 4 > 1? Yes No"


def spoil_terms(folder: Path) -> None:
    (folder / "terms.json").write_text(json.dumps({"terms": ["one", 2]}))


def spoil_twice(folder: Path) -> None:
    terms = json.loads((folder / "terms.json").read_text())["terms"]
    (folder / "terms.json").write_text(json.dumps({"terms": [terms[0], *terms[:-1]]}))


def spoil_pickle(folder: Path) -> None:
    np.save(folder / "axes.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)


def spoil_claim(folder: Path) -> None:
    """A header that claims 8 TB."""
    whole = (folder / "axes.npy").read_bytes()
    begin = whole.index(b"'shape': ")
    end = whole.index(b")", begin)
    claimed = b"'shape': (1000000000, 1000"
    (folder / "axes.npy").write_bytes(whole[:begin] + claimed + b" " * (end - begin - len(claimed)) + whole[end:])


def spoil_shape(folder: Path) -> None:
    np.save(folder / "weights.npy", np.ones(3))


def spoil_nan(folder: Path) -> None:
    np.save(folder / "weights.npy", np.full_like(np.load(folder / "weights.npy"), np.nan))


def spoil_kind(folder: Path) -> None:
    np.save(folder / "weights.npy", np.array(["one", "two"]))


def spoil_zip(folder: Path) -> None:
    np.savez(folder / "packed.npz", weights=np.ones(3))
    (folder / "packed.npz").replace(folder / "weights.npy")


def spoil_away(folder: Path) -> None:
    (folder / "axes.npy").unlink()


@pytest.mark.parametrize(
    "spoil",
    [spoil_terms, spoil_twice, spoil_pickle, spoil_claim, spoil_shape, spoil_nan, spoil_kind, spoil_zip, spoil_away],
)
def test_files_that_lie_are_told(tmp_path: Path, spoil: object) -> None:
    Lsa().fitted(TEXTS, dimensions=12).save(tmp_path)
    assert callable(spoil)
    spoil(tmp_path)
    with pytest.raises(BadFile, match=r"(json|npy): "):
        Lsa.load(tmp_path)
