"""Our own predictor: planted truth, few labels, a teacher's, what it must not look at, and what it reads from a folder."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.special import expit

from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.predictors import stacked_logistic as own
from vivavoce.generalization.predictors.registry import StackedLogisticConfig

Floats = NDArray[np.float64]
SUBJECTS = {
    "mmlu_college_biology": "enzyme cell membrane protein gene tissue muscle nerve organ blood",
    "mmlu_high_school_mathematics": "sum product fraction equation angle prime root integer slope graph",
    "mmlu_world_religions": "temple prophet ritual scripture monk pilgrim sacrifice creed priest shrine",
    "bbh_navigate": "turn left steps forward facing right backward return point always",
}


def pairs_of_world(n: int, seed: int) -> tuple[list[Pair], Floats]:
    """Pairs in a world where beliefs change by subject: often within one, seldom across, more after a wrong answer."""
    rng = np.random.default_rng(seed)
    names = list(SUBJECTS)
    pairs, chances = [], []
    for _ in range(n):
        first = names[rng.integers(4)]
        second = first if rng.random() < 0.4 else names[rng.integers(4)]
        right = bool(rng.random() < 0.5)
        chance = float(expit(-1.5 + 3 * (first == second) + 0.8 * (not right)))
        texts = [f"<b>What of the {' '.join(rng.choice(SUBJECTS[name].split(), 4))}?</b>" for name in (first, second)]
        pairs.append(Pair(texts[0], texts[1], first, second, right, bool(rng.random() < chance)))
        chances.append(chance)
    return pairs, np.array(chances)


def as_teacher(pairs: list[Pair], chances: Floats) -> list[Pair]:
    return [replace(pair, belief_change=None, pred=float(chance)) for pair, chance in zip(pairs, chances, strict=True)]


def fit(pairs: list[Pair], teachers: list[Pair] | None = None) -> own.StackedLogistic:
    return own.fit(pairs, teachers=teachers or [], rng=np.random.default_rng(0))


def auc(chances: Floats, labels: Floats) -> float:
    gaps = chances[labels == 1][:, None] - chances[labels == 0]
    return float(((gaps > 0) + (gaps == 0) / 2).mean())


def loss(chances: Floats, truth: Floats) -> float:
    """Expected log loss under the true chances."""
    return float(-(truth * np.log(chances) + (1 - truth) * np.log(1 - chances)).mean())


LABELLED, _ = pairs_of_world(200, 0)
NEW, TRUTH = pairs_of_world(400, 1)
TEACHER = as_teacher(*pairs_of_world(150, 2))


def test_a_planted_world_is_learned_from_200_labels() -> None:
    given = fit(LABELLED).predict(NEW)
    assert np.corrcoef(given, TRUTH)[0, 1] > 0.9
    # the best there is is the entropy of the truth; the base rate alone is the other end
    best, worst = loss(TRUTH, TRUTH), loss(np.full(400, TRUTH.mean()), TRUTH)
    assert loss(given, TRUTH) < best + 0.25 * (worst - best)


def test_tasks_of_unknown_names_are_learned_by_their_words() -> None:
    def renamed(pairs: list[Pair]) -> list[Pair]:
        return [replace(pair, source1="x", source2="y") for pair in pairs]

    given = fit(renamed(LABELLED)).predict(renamed(NEW))
    assert np.corrcoef(given, TRUTH)[0, 1] > 0.6


def test_few_labels_stay_near_the_base_rate_and_a_teacher_helps_them() -> None:
    few = LABELLED[:15]
    alone, taught = fit(few).predict(NEW), fit(few, TEACHER).predict(NEW)
    assert loss(alone, TRUTH) < loss(np.full(400, TRUTH.mean()), TRUTH) + 0.03
    assert loss(taught, TRUTH) < loss(alone, TRUTH) - 0.02


def test_a_teacher_alone_is_followed() -> None:
    given = fit([], TEACHER).predict(NEW)
    assert np.corrcoef(given, TRUTH)[0, 1] > 0.9
    assert np.abs(given - TRUTH).mean() < 0.12


def test_a_teacher_who_is_wrong_is_outvoted_by_labels() -> None:
    upside_down = [replace(pair, pred=1 - (pair.pred or 0)) for pair in TEACHER]
    assert np.corrcoef(fit([], upside_down).predict(NEW), TRUTH)[0, 1] < -0.8
    assert np.corrcoef(fit(LABELLED, upside_down).predict(NEW), TRUTH)[0, 1] > 0.8


def test_labels_all_alike_need_a_teacher() -> None:
    all_changed = [replace(pair, belief_change=True) for pair in LABELLED[:10]]
    with pytest.raises(NotEnoughEvidence, match="changed in all"):
        fit(all_changed)
    with pytest.raises(NotEnoughEvidence, match="none says"):
        fit([replace(pair, belief_change=None) for pair in LABELLED[:10]])
    with pytest.raises(NotEnoughEvidence, match="none says"):
        fit([replace(pair, weight=0.0) for pair in LABELLED[:10]])
    with pytest.raises(NotEnoughEvidence, match="no pairs: none says"):
        fit([])
    without, given = fit([], TEACHER).predict(NEW), fit(all_changed, TEACHER).predict(NEW)
    assert given.mean() > without.mean()
    assert given.max() < 1


def test_a_teacher_without_chances_is_refused() -> None:
    with pytest.raises(BadInput, match="no 'pred'"):
        fit(LABELLED, NEW)


def test_weights_count() -> None:
    # the same pair, labelled both ways; the heavier label wins
    pair = LABELLED[0]
    for changed in (True, False):
        labelled = [replace(pair, belief_change=changed, weight=9.0), replace(pair, belief_change=not changed)]
        assert (fit(labelled * 20).predict([pair])[0] > 0.5) == changed
    # and one weight for all is as good as another
    heavy = [replace(pair, weight=1e200) for pair in LABELLED]
    np.testing.assert_allclose(fit(heavy).predict(NEW), fit(LABELLED).predict(NEW))


def test_beliefs_are_labels_where_nothing_else_is() -> None:
    raw = [replace(pair, belief_change=None, prior=0.5, posterior=0.6 if pair.changed else 0.5) for pair in LABELLED]
    np.testing.assert_array_equal(fit(raw).predict(NEW), fit(LABELLED).predict(NEW))


def test_the_order_of_pairs_does_not_matter() -> None:
    one, two = fit(LABELLED, TEACHER), fit(LABELLED[::-1], TEACHER[::-1])
    np.testing.assert_allclose(one.predict(NEW), two.predict(NEW[::-1])[::-1], atol=1e-8)


def test_more_of_a_teacher_than_can_be_learned_from_is_drawn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "MOST_TAUGHT", 60)
    np.testing.assert_array_equal(fit([], TEACHER).predict(NEW), fit([], TEACHER[::-1]).predict(NEW))
    assert np.corrcoef(fit([], TEACHER).predict(NEW), TRUTH)[0, 1] > 0.8


@pytest.fixture(scope="module")
def fitted() -> own.StackedLogistic:
    return fit(LABELLED, TEACHER)


def test_labels_are_not_looked_at(fitted: own.StackedLogistic) -> None:
    blind = [Pair(pair.q1, pair.q2, pair.source1, pair.source2, pair.previous_correct) for pair in NEW]
    turned = [replace(pair, belief_change=not pair.changed, pred=0.5, weight=3.0, prior=0.0, posterior=1.0) for pair in NEW]
    np.testing.assert_array_equal(fitted.predict(blind), fitted.predict(turned))


@given(st.text(min_size=1, max_size=300), st.text(min_size=1, max_size=300), st.text(max_size=40), st.booleans())
def test_any_text_has_a_chance(fitted: own.StackedLogistic, q1: str, q2: str, task: str, right: bool) -> None:
    chance = fitted.predict([Pair(q1, q2, task, "mmlu_virology", right), NEW[0]])
    assert ((chance > 0) & (chance < 1)).all()
    assert chance[1] == pytest.approx(fitted.predict(NEW[:1])[0])


def test_no_pairs_have_no_chances(fitted: own.StackedLogistic) -> None:
    assert fitted.predict([]).shape == (0,)


@pytest.mark.parametrize(
    ("labelled", "teachers"), [(LABELLED, TEACHER), (LABELLED, []), ([], TEACHER)], ids=["both", "labels", "teacher"]
)
def test_saved_and_opened_it_says_the_same(labelled: list[Pair], teachers: list[Pair], tmp_path: Path) -> None:
    predictor = fit(labelled, teachers)
    predictor.save(tmp_path)
    np.testing.assert_array_equal(own.load(tmp_path).predict(NEW), predictor.predict(NEW))
    assert {file.suffix for file in tmp_path.iterdir()} == {".json", ".npy"}


def test_embeddings_are_kept_and_need_a_teacher(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    with pytest.raises(BadInput, match="no embedder"):
        own.fit(LABELLED, rng=np.random.default_rng(0), config=StackedLogisticConfig("lsa"))
    made = own.fit(LABELLED, teachers=TEACHER, rng=np.random.default_rng(0), config=StackedLogisticConfig("lsa"))
    assert loss(made.predict(NEW), TRUTH) < loss(np.full(400, TRUTH.mean()), TRUTH) - 0.05
    made.save(tmp_path)
    np.testing.assert_allclose(own.load(tmp_path).predict(NEW), made.predict(NEW), atol=1e-9)
    (tmp_path / "embedder.json").unlink()
    with pytest.raises(BadFile):
        own.load(tmp_path)


def changed_json(**values: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        file = folder / own.FILE
        file.write_text(json.dumps(json.loads(file.read_text()) | values))

    return change


def changed_array(name: str, array: object) -> Callable[[Path], None]:
    return lambda folder: np.save(folder / f"own-{name}.npy", array, allow_pickle=True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / own.FILE).write_text("[" * 100_000),
        lambda folder: (folder / own.FILE).unlink(),
        lambda folder: (folder / "own-means.npy").unlink(),
        changed_json(words=["a"]),
        changed_json(words="abc"),
        changed_json(words=[{}]),
        changed_json(words=["a"] * 30_000),
        changed_json(words=["a", "a"]),
        changed_json(taught="yes"),
        changed_array("means", np.array([{"a": 1}])),
        changed_array("means", np.zeros((12, 3))),
        changed_array("covariances", np.full((12, 2, 2), 1.0)),
        changed_array("scale", np.zeros(own.INPUTS)),
        changed_array("scale", np.full(own.INPUTS, np.nan)),
        changed_array("taught-scale", np.full(16, -1.0)),
        changed_array("taught-support", np.zeros((3, 16))),
        changed_array("taught-pull", np.zeros((2, 7))),
        changed_json(embedded=True),
        changed_json(embedded="yes"),
        changed_json(version="2"),
        changed_array("shares", np.full(12, 1.0)),
        changed_array("shares", np.concatenate([[2.0, -1.0], np.zeros(10)])),
        changed_array("rarity-of-threes", np.zeros(5)),
        lambda folder: (folder / "own-means.npy").write_bytes(
            b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'shape': (1" + b"0" * 60
        ),
    ],
)
def test_a_damaged_or_hostile_folder_is_refused(
    damage: Callable[[Path], None], tmp_path: Path, fitted: own.StackedLogistic
) -> None:
    fitted.save(tmp_path)
    damage(tmp_path)
    with pytest.raises(BadFile):
        own.load(tmp_path)
