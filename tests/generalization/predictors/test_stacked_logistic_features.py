"""Features of pairs, and the process that learns a teacher's log odds, against other programs and by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from tests.each_case import each_case
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.predictors import stacked_logistic_features
from vivavoce.generalization.predictors.stacked_logistic_features import (
    BUCKETS,
    FAMILIES,
    FEATURES,
    LONGEST_READ,
    TeacherProcess,
    Vocabulary,
    _kernels,
    _parts,
    _weights,
    families_of,
    level_of,
    name_overlap,
    options_of,
    pair_features,
    plain,
    standardised,
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


@each_case(
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


NAMES = list(FAMILIES)


@each_case(
    ("task", "families"),
    [
        ("mmlu_college_biology", ["life"]),
        ("mmlu_econometrics", ["mathematics", "society"]),
        ("bbh_tracking_shuffled_objects_five_objects", ["puzzles"]),
        ("mmlu_miscellaneous", []),
        ("My own sums", ["mathematics"]),
        ("", []),
    ],
)
def test_families(task: str, families: list[str]) -> None:
    row = families_of([task])[0]
    assert [name for name, share in zip(NAMES, row, strict=True) if share] == families
    assert np.isclose(row @ row, 1) or not families


def test_no_task_has_no_row() -> None:
    assert families_of([]).shape == (0, len(FAMILIES))


@each_case(
    ("first", "second", "share"),
    [
        ("mmlu_high_school_physics", "mmlu_college_physics", 1),
        ("mmlu_conceptual_physics", "mmlu_college_physics", 1 / 2),  # one word in common of two in all
        ("bbh_logical_deduction_three_objects", "bbh_tracking_shuffled_objects_five_objects", 1 / 5),
        ("mmlu_anatomy", "bbh_navigate", 0),
        ("mmlu", "bbh", 0),
        ("mmlu", "mmlu", 1),
    ],
)
def test_names_alike(first: str, second: str, share: float) -> None:
    assert name_overlap(first, second) == pytest.approx(share) == name_overlap(second, first)


@each_case(
    ("task", "level"),
    [("mmlu_elementary_mathematics", -1), ("mmlu_high_school_biology", 0), ("professional_law", 1.5), ("x", 0)],
)
def test_levels(task: str, level: float) -> None:
    assert level_of(task) == level


FIRST = "What is 12 + 3?"
SECOND = "<b>Which is even?</b>(A) one<br>(B) two"
PAIR = BeliefPair(FIRST, SECOND, "mmlu_high_school_mathematics", "mmlu_college_mathematics", previous_correct=False)
KNOWN = Vocabulary.of([FIRST, SECOND])


def features_of(pair: BeliefPair) -> dict[str, float]:
    return dict(zip(FEATURES, pair_features([pair], KNOWN).features[0].tolist(), strict=True))


def test_features_by_hand() -> None:
    features = features_of(PAIR)
    # words of the first: what is # #; of the second: which is even one two ("a" and "b" are no words). Rarity: "is" is in both
    # questions, 1 + log(3/3) = 1; all others in one, r = 1 + log(3/2). "#" comes twice: (1 + log 2) r. All lengths are roots.
    r = 1 + np.log(1.5)
    sqrt = np.sqrt(r**2 + 1 + ((1 + np.log(2)) * r) ** 2)
    two = np.sqrt(4 * r**2 + 1)
    assert features["words alike"] == pytest.approx(1 / (sqrt * two))
    assert features["rarity up"] == pytest.approx((4 * r + 1) / 5 - (2 * r + 1) / 3)
    assert (features["same task"], features["tasks alike"], features["families alike"]) == (0, 1, 1)
    assert features["options apart"] == 2
    assert features["level up"] == 1
    assert features["numbers 1"] == pytest.approx(3 / 15)  # digits of "what is 12 + 3?"
    assert features["length 2"] == pytest.approx(np.log(1 + len("which is even? (a) one (b) two")))
    assert features["numbers apart"] == pytest.approx(3 / 15)
    assert 0 < features["spelling alike"] < 0.3
    assert (features["puzzle 1"], features["puzzle 2"]) == (0, 0)


def test_a_question_beside_itself_is_as_alike_as_can_be() -> None:
    features = features_of(replace(PAIR, q2=FIRST, source2=PAIR.source1))
    assert [features[name] for name in list(FEATURES)[:5]] == pytest.approx([1] * 5)
    assert [features[name] for name in list(FEATURES)[5:10]] == pytest.approx([0] * 5)


def test_the_answer_is_in_the_sign_alone() -> None:
    right, wrong = pair_features([replace(PAIR, previous_correct=True)], KNOWN), pair_features([PAIR], KNOWN)
    assert (right.sign.tolist(), wrong.sign.tolist()) == ([-1], [1])
    np.testing.assert_array_equal(right.features, wrong.features)


@given(st.text(min_size=1, max_size=80), st.text(min_size=1, max_size=80), st.text(max_size=30), st.booleans())
def test_any_pair_has_finite_features_and_labels_are_not_among_them(q1: str, q2: str, task: str, right: bool) -> None:
    pair = BeliefPair(q1, q2, task, "mmlu_virology", right)
    result = replace(pair, belief_change=True, weight=7.0, prior=0.1, posterior=0.9, pred=0.99, person="x", stage=3)
    look, same = pair_features([pair], KNOWN), pair_features([result], KNOWN)
    assert look.features.shape == (1, len(FEATURES))
    assert np.isfinite(look.features).all()
    np.testing.assert_array_equal(look.features, same.features)
    np.testing.assert_array_equal(look.first.toarray(), same.first.toarray())


def student_of(pairs: list[BeliefPair], vectors: np.ndarray | None = None) -> tuple[TeacherProcess, Vocabulary]:
    known = Vocabulary.of(text for pair in pairs for text in (pair.q1, pair.q2))
    return TeacherProcess.taught(pair_features(pairs, known), pairs, vectors, rng=np.random.default_rng(0)), known


def log_odds(pairs: list[BeliefPair]) -> np.ndarray:
    return np.array([np.log(pair.pred / (1 - pair.pred)) for pair in pairs if pair.pred is not None])


def test_a_planted_teacher_is_found_again_on_new_questions() -> None:
    student, known = student_of(taught(150, 0))
    new = taught(100, 1)
    assert np.corrcoef(student.odds(pair_features(new, known), None), log_odds(new))[0, 1] > 0.95


def test_it_is_the_mean_of_a_normal_with_these_covariances() -> None:
    pairs, new = taught(12, 2), taught(4, 3)
    known = Vocabulary.of(text for pair in pairs for text in (pair.q1, pair.q2))
    student = TeacherProcess.taught(pair_features(pairs, known), pairs, None, rng=np.random.default_rng(0))
    both = pair_features([*pairs, *new], known)
    features = standardised(both.features, student.centre, student.scale)
    n, every = len(pairs), np.arange(len(pairs) + len(new))
    kernels = _kernels(_parts(both, features, None), features, every)
    weights = _weights([kernel[:n, :n] for kernel in kernels], both.sign[:n], log_odds(pairs))
    product = np.outer(both.sign, both.sign)
    covariance = sum((weights[2 * index] + weights[2 * index + 1] * product) * kernel for index, kernel in enumerate(kernels))
    inside = covariance[:n, :n] + weights[-1] * np.eye(n)
    expected = covariance[n:, :n] @ np.linalg.solve(inside, log_odds(pairs))
    np.testing.assert_allclose(student.odds(pair_features(new, known), None), expected, atol=1e-6)


def test_weights_are_those_of_the_greatest_evidence() -> None:
    pairs = taught(20, 4)
    known = Vocabulary.of(text for pair in pairs for text in (pair.q1, pair.q2))
    look = pair_features(pairs, known)
    features = standardised(look.features, look.features.mean(axis=0), np.maximum(look.features.std(axis=0), 1e-9))
    kernels = _kernels(_parts(look, features, None), features, np.arange(len(pairs)))
    values = _weights(kernels, look.sign, log_odds(pairs))

    def evidence(weights: np.ndarray) -> float:
        product = np.outer(look.sign, look.sign)
        total = weights[-1] * np.eye(len(pairs))
        for index, kernel in enumerate(kernels):
            total = total + (weights[2 * index] + weights[2 * index + 1] * product) * kernel
        prior = -0.5 * np.square((np.log(weights) + 2) / 3).sum()
        return float(scipy.stats.multivariate_normal(np.zeros(len(pairs)), total).logpdf(log_odds(pairs)) + prior)

    best = evidence(values)
    for index in range(len(values)):
        for factor in (0.7, 1.4):
            other = values.copy()
            other[index] *= factor
            if -9 < np.log(other[index]) < 4:
                assert evidence(other) < best + 0.02


def test_embeddings_are_learnt_from_where_they_tell() -> None:
    rng = np.random.default_rng(0)
    pairs = [BeliefPair(f"{n} a", f"{n} b", "s", "t", bool(n % 2)) for n in range(300)]
    vectors = rng.normal(size=(300, 6)) / np.sqrt(3)
    odds = 2 * vectors[:, 0] - vectors[:, 4]
    results = [replace(pair, pred=float(1 / (1 + np.exp(-value)))) for pair, value in zip(pairs, odds, strict=True)]
    known = Vocabulary.of(text for pair in pairs for text in (pair.q1, pair.q2))
    student = TeacherProcess.taught(pair_features(results[:200], known), results[:200], vectors[:200], rng=rng)
    assert np.corrcoef(student.odds(pair_features(results[200:], known), vectors[200:]), odds[200:])[0, 1] > 0.95


def test_one_side_alone_is_enough() -> None:
    right = [pair for pair in taught(40, 3) if pair.previous_correct]
    student, known = student_of(right)
    assert np.isfinite(student.odds(pair_features([replace(right[0], previous_correct=False)], known), None)).all()


@pytest.mark.parametrize("pred", [0.0, 1.0])
def test_a_teacher_who_is_certain_is_taken_for_nearly_certain(pred: float) -> None:
    pairs = [replace(pair, pred=pred) for pair in taught(10, 4)]
    student, known = student_of(pairs)
    assert np.abs(student.odds(pair_features(pairs, known), None)).max() == pytest.approx(np.log(149), abs=0.1)


def test_some_of_many_are_enough_for_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacked_logistic_features, "MOST_TUNED", 100)
    student, known = student_of(taught(150, 0))
    new = taught(60, 1)
    assert np.corrcoef(student.odds(pair_features(new, known), None), log_odds(new))[0, 1] > 0.95


WORDS = ["sum", "river", "insulin", "treaty", "verb", "orbit", "novel", "prime", "glacier", "enzyme", "statute", "noun"]


def question(rng: np.random.Generator) -> str:
    return "Tell of " + " and ".join(rng.choice(WORDS, 3, replace=False)) + f" in {rng.integers(100)} words"


def taught(n: int, seed: int) -> list[BeliefPair]:
    """By a teacher who believes that sums tell of everything after a wrong answer, and rivers of nothing."""
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(n):
        q1, q2 = question(rng), question(rng)
        odds = [0.5 * ("sum" in q1) - 0.8 * ("river" in q2) - 0.5, 1.0 * ("sum" in q1) - 0.8 * ("river" in q2)]
        pairs += [
            BeliefPair(q1, q2, "a", "b", right, pred=float(expit(value)))
            for right, value in zip((True, False), odds, strict=True)
        ]  # fmt: skip
    return pairs
