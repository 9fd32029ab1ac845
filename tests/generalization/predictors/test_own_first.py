"""The first version of our own predictor still fits, loads and says what it said."""

from pathlib import Path

import numpy as np
import pytest

from tests.generalization.predictors.test_own import LABELLED, NEW, TEACHER
from vivavoce.errors import BadFile
from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.predictors import own, own_first
from vivavoce.generalization.predictors.model_store import new_about, open_predictor, save_predictor

SAID = {
    "alone": [0.162552785, 0.782281053, 0.658453564, 0.38532386],
    "taught": [0.169179575, 0.875112287, 0.735217054, 0.309632237],
}
"""Printed by the program before there was a second version, on these very pairs."""


@pytest.mark.parametrize("name", SAID)
def test_what_it_said_before_it_says_still(name: str, tmp_path: Path) -> None:
    teachers: list[Pair] = TEACHER if name == "taught" else []
    made = own_first.fit(LABELLED, teachers=teachers, rng=np.random.default_rng(0))
    np.testing.assert_allclose(made.predict(NEW[:4]), SAID[name], atol=1e-7)
    # a folder of that time is named `own`, and does not say a version
    save_predictor(tmp_path / "old", made, new_about("own", seed=0, options={}, training=[]))
    opened, _ = open_predictor(tmp_path / "old")
    assert isinstance(opened, own_first.Own)
    np.testing.assert_array_equal(opened.predict(NEW), made.predict(NEW))


def test_a_version_to_come_is_refused(tmp_path: Path) -> None:
    own.fit(LABELLED, rng=np.random.default_rng(0)).save(tmp_path)
    file = tmp_path / own.FILE
    file.write_text(file.read_text().replace('"version": 2', '"version": 3'))
    with pytest.raises(BadFile, match="reads versions 1 and 2"):
        own.load(tmp_path)
