"""Predictors in folders: opened as they were kept, replaced as a whole, and never taken from files that lie."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.generalization.pairs import BeliefPair, Floats
from vivavoce.generalization.predictors.base import Predictor
from vivavoce.generalization.predictors.model_store import (
    PredictorRecord,
    TrainingFile,
    check_replaceable,
    fit_predictor,
    open_predictor,
    read_about,
    save_predictor,
)

PAIRS = [BeliefPair(f"{n} + {n}?", f"who wrote {n}?", "a", "ab"[n % 2], n % 3 == 0, n % 5 < 2) for n in range(30)]
TRAINING = (TrainingFile("train.csv", "ab" * 32),)
ABOUT = PredictorRecord("previous", seed=3, options={"embedder": "lsa"}, training=TRAINING, n=30, changed=12)


def fitted(name: str = "previous") -> Predictor:
    return fit_predictor(name, PAIRS, rng=np.random.default_rng(0))


@pytest.mark.parametrize("name", ["previous", "previous-task", "embeddings", "stacked-logistic"])
def test_what_is_kept_is_opened_again(tmp_path: Path, name: str) -> None:
    predictor, about = fitted(name), PredictorRecord(name, seed=3, options={}, training=TRAINING, n=30, changed=12)
    save_predictor(tmp_path / "model", predictor, about)
    opened, record = open_predictor(tmp_path / "model")
    assert opened.predict(PAIRS).tolist() == predictor.predict(PAIRS).tolist()
    assert record == about
    assert {file.suffix for file in (tmp_path / "model").iterdir()} <= {".json", ".npy"}
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_few_shot_is_kept_as_well(tmp_path: Path) -> None:
    made = fit_predictor("few-shot", PAIRS, rng=np.random.default_rng(0), options={"candidate": "bot:x", "shots": 4})
    save_predictor(tmp_path / "model", made, PredictorRecord("few-shot", seed=0, options={}, training=()))
    assert open_predictor(tmp_path / "model", device="cpu")[0] == made


def test_unknown_names_are_told_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'previous'"):
        fit_predictor("previuos", PAIRS, rng=np.random.default_rng(0))
    with pytest.raises(UnknownName, match="did you mean 'embedder'"):
        fit_predictor("embeddings", PAIRS, rng=np.random.default_rng(0), options={"embeder": "lsa"})


def test_a_predictor_is_replaced_and_nothing_else_is(tmp_path: Path) -> None:
    model = tmp_path / "model"
    save_predictor(model, fitted("embeddings"), ABOUT)
    save_predictor(model, fitted(), ABOUT)
    assert sorted(file.name for file in model.iterdir()) == ["cells.json", "predictor.json"]
    (tmp_path / "empty").mkdir()
    save_predictor(tmp_path / "empty", fitted(), ABOUT)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter.txt").write_text("dear")
    for where, problem in (
        ("home", "something other"),
        ("home/letter.txt", "is not a folder"),
        ("no/where", "create it first"),
    ):
        with pytest.raises(BadInput, match=problem):
            save_predictor(tmp_path / where, fitted(), ABOUT)
    (tmp_path / "link").symlink_to(model)
    with pytest.raises(BadInput, match="is not a folder"):
        check_replaceable(tmp_path / "link")
    assert (tmp_path / "home" / "letter.txt").read_text() == "dear"


class UnsavableModel:
    """Breaks down in the middle of saving."""

    def predict(self, pairs: object) -> Floats:
        raise NotImplementedError

    def save(self, folder: Path) -> None:
        (folder / "half").write_text("half")
        raise OSError(28, "No space left on device")


def test_where_saving_fails_the_old_one_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tmp_path / "model"
    save_predictor(model, fitted(), ABOUT)
    with pytest.raises(BadFile, match="No space left on device"):
        save_predictor(model, UnsavableModel(), ABOUT)
    assert open_predictor(model)[1] == ABOUT

    moved: list[tuple[Path, Path]] = []
    move = os.replace

    def second_fails(source: Path, target: Path) -> None:
        moved.append((source, target))
        if len(moved) == 2:
            raise OSError(5, "Input/output error")
        move(source, target)

    monkeypatch.setattr(os, "replace", second_fails)
    with pytest.raises(BadFile, match="Input/output error"):
        save_predictor(model, fitted("previous-task"), ABOUT)
    assert open_predictor(model)[1] == ABOUT
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def changed(**more: object) -> Callable[[Path], object]:
    def spoil(folder: Path) -> None:
        file = folder / "predictor.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | more))

    return spoil


@pytest.mark.parametrize(
    "spoil",
    [
        lambda folder: (folder / "predictor.json").unlink(),
        lambda folder: (folder / "predictor.json").write_bytes(b"\x80\x04\x95\x00"),
        lambda folder: (folder / "predictor.json").write_text("[]"),
        lambda folder: (folder / "cells.json").unlink(),
        changed(format=2),
        changed(format=None),
        changed(predictor="os"),
        changed(predictor=["previous"]),
        changed(predictor="../previous"),
        changed(version=3),
        changed(seed=-1),
        changed(seed=True),
        changed(n="many"),
        changed(options=[]),
        changed(training="train.csv"),
        changed(training=[{"file": "train.csv"}]),
        changed(training=[{"file": "train.csv", "sha256": "../.."}]),
        changed(teachers=[7]),
    ],
)
def test_folders_that_lie_are_told(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    save_predictor(tmp_path / "model", fitted(), ABOUT)
    spoil(tmp_path / "model")
    with pytest.raises(BadFile):
        open_predictor(tmp_path / "model")


def test_a_name_that_is_no_text_is_told(tmp_path: Path) -> None:
    save_predictor(tmp_path / "model", fitted(), ABOUT)
    changed(predictor={"a": 1})(tmp_path / "model")
    with pytest.raises(BadFile, match="there is no predictor"):
        read_about(tmp_path / "model")
