"""Words and groups of three characters, against scikit-learn's TF-IDF and counts by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.generalization.predictors.stacked_logistic_features import (
    BUCKETS,
    LONGEST_READ,
    Vocabulary,
    options_of,
    plain,
    threes_of,
    words_of,
)

QUESTIONS = [
    "<b>Which organ makes insulin?<br></b>(A) liver<br>(B) pancreas",
    "Which organ makes bile, and which organ keeps it?",
    "What is 12 + 30?",
    "Is the following sentence plausible? &quot;Barkov passed the puck.&quot;",
]


def test_plain_text_has_no_tags_and_keeps_what_only_looks_like_one() -> None:
    assert plain("<b>Is<br/>3 < 4 and 5 > 2?</b>  Tom &amp; Ann\n") == "is 3 < 4 and 5 > 2? tom & ann"


@pytest.mark.parametrize(
    ("question", "options"),
    [("(A) a (B) b (C) c", 3), ("(A) a (C) c", 1), ("no options (I/me)", 0), ("f(A) only (B)", 2), ("(B) first (A) last", 0)],
)
def test_options_are_counted_in_their_order(question: str, options: int) -> None:
    assert options_of(question) == options


def test_words_are_weighted_as_scikit_learn_does() -> None:
    text = pytest.importorskip("sklearn.feature_extraction.text")
    other = text.TfidfVectorizer(tokenizer=words_of, token_pattern=None, sublinear_tf=True, lowercase=False)
    theirs = other.fit_transform([plain(question) for question in QUESTIONS]).toarray()
    ours = Vocabulary.of(QUESTIONS)
    assert ours.words == tuple(other.get_feature_names_out())
    np.testing.assert_allclose(ours.vectors(QUESTIONS)[0].toarray(), theirs, rtol=1e-12)


def test_groups_of_three_characters_by_hand() -> None:
    # " aaaa " has the groups " aa", "aaa" twice, "aa ": three buckets with 1, 2 and 1
    _, counts = threes_of("aaaa")
    assert sorted(counts.tolist()) == [1, 1, 2]
    rows = Vocabulary.of(QUESTIONS).vectors(["organ", "organs", "puck"])[1].toarray()
    # " organ " and " organs " share " or", "org", "rga", "gan"; " organ " and " puck " share none
    assert rows.shape == (3, BUCKETS)
    assert (rows[0] * rows[1] > 0).sum() == 4
    assert rows[0] @ rows[2] == 0


def test_rarity_of_words() -> None:
    known = Vocabulary.of(["red bird", "red fish"])
    # "red" is in both of two questions: 1 + log(3/3); "bird" in one: 1 + log(3/2)
    assert known.rarities(["red", "bird red", "", "yeti"]).tolist() == pytest.approx(
        [1, (2 + np.log(1.5)) / 2, 0, 1 + np.log(1.5)]
    )


def test_order_and_repetition_of_questions_do_not_matter() -> None:
    once, again = Vocabulary.of(QUESTIONS), Vocabulary.of([*reversed(QUESTIONS), *QUESTIONS])
    assert once.words == again.words
    np.testing.assert_array_equal(once.rarity, again.rarity)
    np.testing.assert_array_equal(once.rarity_of_threes, again.rarity_of_threes)


@given(st.lists(st.text(max_size=200), max_size=4))
def test_any_text_has_a_row_of_length_one_or_of_zeros(texts: list[str]) -> None:
    for matrix in Vocabulary.of(QUESTIONS).vectors(texts):
        lengths = np.linalg.norm(matrix.toarray(), axis=1)
        assert matrix.shape[0] == len(texts)
        assert (np.isclose(lengths, 1) | (lengths == 0)).all()


def test_long_and_hostile_text_is_cut() -> None:
    assert len(plain("<" * 50_000 + "&lt;" * 50_000)) <= LONGEST_READ
    assert plain("\ud800 x")  # half of a pair of code units, as a careless JSON file holds it
    assert np.isfinite(Vocabulary.of(["\ud800 x"]).vectors(["\ud800"])[1].toarray()).all()
