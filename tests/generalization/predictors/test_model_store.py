"""Predictors in folders and in the table that names them."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable
from inspect import signature
from pathlib import Path

import click
import numpy as np
import pytest

from tests.each_case import each_case
from vivavoce import cli, generalization
from vivavoce.cli.people.predict import fit
from vivavoce.cli.people.survey.group import simulate
from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.generalization.pairs import BeliefPair, Floats
from vivavoce.generalization.predictors import base
from vivavoce.generalization.predictors.base import PREDICTORS, Predictor, predictor_kind
from vivavoce.generalization.predictors.model_store import (
    PredictorRecord,
    TrainingFile,
    check_replaceable,
    fit_predictor,
    open_predictor,
    read_about,
    save_predictor,
)
from vivavoce.settings import ConfigField

PAIRS = [BeliefPair(f"{n} + {n}?", f"who wrote {n}?", "a", "ab"[n % 2], n % 3 == 0, n % 5 < 2) for n in range(30)]
TRAINING = (TrainingFile("train.csv", "ab" * 32),)
ABOUT = PredictorRecord("previous", seed=3, options={"embedder": "lsa"}, training=TRAINING, n=30, changed=12)


def fitted(name: str = "previous") -> Predictor:
    return fit_predictor(name, PAIRS, rng=np.random.default_rng(0))


@each_case("name", ["previous", "previous-task", "embeddings", "stacked-logistic"])
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


KINDS = PREDICTORS.values()
TAKEN = [(kind.name, setting) for kind in KINDS for setting in kind.settings]
OPTIONS = {parameter.name: parameter for parameter in fit.params if isinstance(parameter, click.Option)}


def test_every_kind_is_there_with_what_it_can_be_told() -> None:
    training = ["epochs", "batch", "learning_rate", "max_length"]
    assert {kind.name: [setting.name for setting in kind.settings] for kind in KINDS} == {
        "previous": [],
        "previous-task": [],
        "embeddings": ["embedder", "dimensions", "trees", "depth"],
        "bert": ["model", "members", *training, "device"],
        "causal": ["model", *training, "lora", "rank", "prompts", "device"],
        "few-shot": ["candidate", "shots", "way", "samples", "layout", "prompts"],
        "stacked-logistic": ["embedder"],
    }
    with pytest.raises(UnknownName, match="did you mean 'stacked-logistic'"):
        predictor_kind("stacked-logistik")


@each_case("kind", KINDS)
def test_its_functions_take_what_the_table_says(kind: base.PredictorKind) -> None:
    fitting, loading = map(signature, kind.functions())
    messages = {"config"} if kind.config else set()
    assert set(fitting.parameters) == {"pairs", "teachers", "rng"} | messages | ({"progress"} if kind.network else set())
    assert set(loading.parameters) == {"folder"} | ({"device"} if kind.network else set())


def test_the_commands_name_them_all() -> None:
    listed = str(fit.help)
    assert all(f"  {kind.name} " in listed and kind.explanation in listed for kind in KINDS)
    chosen = [
        next(parameter for parameter in command.params if parameter.name == "predictor").type for command in (fit, simulate)
    ]
    assert [list(param_type.choices) for param_type in chosen if isinstance(param_type, click.Choice)] == [
        list(PREDICTORS),
        ["stacked-logistic", "previous", "previous-task", "embeddings"],
    ]


@each_case(("name", "setting"), TAKEN)
def test_every_setting_has_an_option_that_says_whose_it_is(name: str, setting: ConfigField) -> None:
    whose, _, text = str(OPTIONS[setting.name].help).partition(": ")
    assert name in whose.split(", ")
    assert text.lower() == setting.says.lower()
    assert OPTIONS[setting.name].default in (None, OPTIONS["out"].default)  # each predictor has its own


def test_options_shared_by_several_are_the_same_in_each() -> None:
    for name in OPTIONS:
        shared = [setting for _, setting in TAKEN if setting.name == name]
        assert len({(setting.says, setting.metavar, setting.kind, setting.bounds, setting.choices) for setting in shared}) <= 1


def test_no_other_module_names_one() -> None:
    folders = [Path(str(generalization.__file__)).parent, Path(str(cli.__file__)).parent / "people"]
    modules = [file for folder in folders for file in folder.rglob("*.py") if file != Path(base.__file__)]
    assert len(modules) > 40
    for module in modules:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and node.value in PREDICTORS), f"{module}:{node.lineno}"
