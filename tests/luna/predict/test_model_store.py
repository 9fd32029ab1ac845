"""Predictors in files: exactly as they were, and nothing else is taken for one."""

from __future__ import annotations

import base64
import contextlib
import json
import pickle
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as numpies

from tests.luna.predict.people import pupils
from vivavoce.errors import BadFile, BadInput
from vivavoce.luna.predict import model_store, predicted_ratings
from vivavoce.luna.predict.model_store import KIND, check_replaceable, load, save
from vivavoce.luna.predict.predicted_ratings import learn, predict_ratings

pytestmark = pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed")
TRAIN, ASKED = pupils(20), pupils(12, seed=1).unrated()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("kept") / "model.json"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(predicted_ratings, "FOLDS", 2)
        save(learn(TRAIN, "modern"), file)
    return file


@pytest.mark.parametrize(
    "name", ["constant", "ran", "bwo", "ced", "wcs", "bow", "big?fit=lasso", "nno", "com", "modern", "modern?from=ratings"]
)
def test_what_is_kept_predicts_exactly_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicted_ratings, "FOLDS", 2)  # fewer learn how far off it is
    learnt = learn(TRAIN, name, training="pupils.csv")
    save(learnt, tmp_path / "model.json")
    opened = load(tmp_path / "model.json")
    assert opened.about == learnt.about
    assert predict_ratings(opened, ASKED).predictions == predict_ratings(learnt, ASKED).predictions
    save(opened, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def refused(file: Path, changed: Any, words: str) -> None:
    file.write_text(json.dumps(changed))
    with pytest.raises(BadFile, match=words):
        load(file)


def test_what_was_tampered_with_is_refused(model: Path, tmp_path: Path) -> None:
    whole, file = json.loads(model.read_text()), tmp_path / "other.json"
    refused(file, [whole], "not a rating predictor")
    refused(file, whole | {"kind": "other"}, "not a rating predictor")
    refused(file, whole | {"format": 2}, "reads format 1")
    refused(file, whole | {"about": whole["about"] | {"name": "pickle"}}, "there is no predictor of ratings 'pickle'")
    refused(file, whole | {"about": whole["about"] | {"name": "bow"}}, "fit it again")
    refused(file, whole | {"about": whole["about"] | {"seed": -1}}, "invalid content: 'seed'")
    refused(file, whole | {"about": None}, "fit it again")
    refused(file, {name: value for name, value in whole.items() if name != "state"}, "fit it again")
    values: tuple[Any, ...] = (None, [], {}, "x", [None], [[]])
    for name in whole["state"]:
        for value in values:
            refused(file, whole | {"state": whole["state"] | {name: value}}, "fit it again")


def test_arrays_that_are_none(model: Path, tmp_path: Path) -> None:
    whole, file = json.loads(model.read_text()), tmp_path / "other.json"
    shares = whole["state"]["shares"]

    def with_shares(**other: Any) -> Any:
        return whole | {"state": whole["state"] | {"shares": shares | other}}

    nan = base64.b64encode(np.full(5, np.nan).tobytes()).decode()
    refused(file, with_shares(**{"array of": "|O"}), "an array of")
    refused(file, with_shares(**{"array of": "<f4"}), "has 40 bytes")
    refused(file, with_shares(shape=[1 << 60, 1 << 60]), "has 40 bytes")
    refused(file, with_shares(shape=[-5, -1]), "has 40 bytes")
    refused(file, with_shares(shape=[1] * 40), "dimensions")
    refused(file, with_shares(base64=nan), "not finite")
    refused(file, with_shares(base64="!"), "fit it again")
    refused(file, with_shares(base64=None), "fit it again")
    deep: Any = 1
    for _ in range(20):
        deep = [deep]
    refused(file, whole | {"state": deep}, "more than 12 levels")


def test_no_pickle_is_opened(tmp_path: Path) -> None:
    file, path = tmp_path / "model.json", tmp_path / "told"
    file.write_bytes(pickle.dumps(_Trap(str(path))))
    with pytest.raises(BadFile, match="not JSON"):
        load(file)
    assert not path.exists()
    file.write_text("[" * 100_000)
    with pytest.raises(BadFile, match="not JSON"):
        load(file)
    file.write_text(f'{{"kind": "{KIND}", "format": NaN}}')
    with pytest.raises(BadFile, match="not JSON"):
        load(file)


class _Trap:
    def __init__(self, file: str) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (Path(self.file),)


def test_size_is_bounded(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_store, "LARGEST", 100)
    with pytest.raises(BadFile, match="larger than"):
        load(model)


@given(st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damage_is_noticed_or_harmless(model: Path, tmp_path: Path, data: st.DataObject) -> None:
    text = bytearray(model.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    file = tmp_path / "damaged.json"
    file.write_bytes(text)
    with contextlib.suppress(BadInput):
        ratings = [prediction.rating for prediction in predict_ratings(load(file), ASKED).predictions]
        assert all(0 <= rating <= 1 for rating in ratings)


@given(numpies.arrays(st.sampled_from([np.float64, np.float32, np.int64, np.int32, np.uint8, np.bool_]), (2, 3)))
@settings(max_examples=30, deadline=None)
def test_arrays_come_back_exactly(array: Any) -> None:
    again = model_store._read(json.loads(json.dumps(model_store._written({"x": [array]}))))["x"][0] if _finite(array) else array
    assert again.dtype == array.dtype
    assert again.tobytes() == array.tobytes()


def _finite(array: Any) -> bool:
    return bool(np.isfinite(array).all())


def test_only_a_predictor_is_replaced(model: Path, tmp_path: Path) -> None:
    check_replaceable(model)
    check_replaceable(tmp_path / "new.json")
    (tmp_path / "empty").touch()
    check_replaceable(tmp_path / "empty")
    (tmp_path / "answers.csv").write_text("person,question\n")
    with pytest.raises(BadInput, match="other content"):
        check_replaceable(tmp_path / "answers.csv")
    with pytest.raises(BadFile, match="cannot be written: Is a directory"):
        check_replaceable(tmp_path)


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be written"):
        save(learn(TRAIN, "constant"), tmp_path / "none" / "model.json")
    with pytest.raises(BadFile, match="cannot be read"):
        load(tmp_path / "none.json")
