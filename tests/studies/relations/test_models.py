"""Models of scikit-learn: one that cannot break a rule by how it is built, and one that can."""

from types import ModuleType

import numpy as np
import pytest

from vivavoce.relations import RelationsConfig, Rule, check, increasing, invariant, raised, replaced

BATCH = RelationsConfig(batch=True)


@pytest.fixture(scope="module")
def ensemble() -> ModuleType:
    """Imported by the first test that needs it, not while tests are collected."""
    module: ModuleType = pytest.importorskip("sklearn.ensemble")
    return module


def material() -> tuple[np.ndarray[tuple[int, int], np.dtype[np.float64]], np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """The outcome grows with the first feature, is noisy, and knows nothing of the third."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(1_500, 3))
    return table, table[:, 0] + np.sin(3 * table[:, 1]) + rng.normal(0, 1, 1_500)


def test_a_model_built_to_grow_never_falls_and_a_free_one_does(ensemble: ModuleType) -> None:
    table, outcome = material()
    built = ensemble.HistGradientBoostingRegressor(monotonic_cst=[1, 0, 0], random_state=0).fit(table, outcome)
    free = ensemble.HistGradientBoostingRegressor(random_state=0).fit(table, outcome)
    pairs = list(raised(table[:400], 0, by=0.25))
    kept = check(built.predict, pairs, increasing(), BATCH)
    assert kept.effects[0].rates["broken"].events == 0
    assert kept.statement.startswith("HistGradientBoostingRegressor.predict keeps the rule")
    broken = check(free.predict, pairs, increasing(), BATCH).effects[0]
    # counted by hand, with the model alone
    before, after = free.predict(table[:400]), free.predict(table[:400] + np.array([0.25, 0, 0]))
    assert broken.rates["broken"].events == int((before - after > 1e-9).sum()) > 20
    assert broken.numbers["largest"] == pytest.approx(float((before - after).max()))


def test_a_model_that_never_saw_a_feature_does_not_care_for_it(ensemble: ModuleType) -> None:
    table, outcome = material()
    model = ensemble.HistGradientBoostingRegressor(random_state=0).fit(table[:, :2], outcome)
    pairs = list(replaced(table[:300], 2, rng=np.random.default_rng(1)))
    blind = check(lambda rows: model.predict([row[:2] for row in rows]), pairs, invariant(), BATCH)
    assert blind.effects[0].rates["broken"].events == 0
    seeing = ensemble.HistGradientBoostingRegressor(random_state=0).fit(table, outcome)
    assert check(seeing.predict, pairs, invariant(), BATCH).effects[0].rates["broken"].events > 200


def test_a_rule_of_ones_own_on_one_prediction_at_a_time(ensemble: ModuleType) -> None:
    table, outcome = material()
    model = ensemble.HistGradientBoostingRegressor(random_state=0).fit(table, outcome)
    larger_in_all = Rule("larger in all", gap=lambda y: y[0] - y[1], applies=lambda x: bool((x[0] <= x[1]).all()))
    pairs = list(raised(table[:20], 0, by=1.0))
    finding = check(lambda row: model.predict([row]), pairs, larger_in_all)  # an array of one number each
    assert finding.effects[0].n == 20
