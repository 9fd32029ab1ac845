"""Predictors are named in one table, and fitting, opening, options and help follow from it."""

from __future__ import annotations

import ast
from inspect import signature
from pathlib import Path

import click
import pytest

from vivavoce import cli, generalization
from vivavoce.cli.people.predict import fit
from vivavoce.cli.people.rehearsals import simulate
from vivavoce.errors import UnknownName
from vivavoce.generalization.predictors import registry
from vivavoce.generalization.predictors.registry import PREDICTORS, predictor_kind
from vivavoce.settings import ConfigField

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


@pytest.mark.parametrize("kind", KINDS, ids=PREDICTORS)
def test_its_functions_take_what_the_table_says(kind: registry.PredictorKind) -> None:
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


@pytest.mark.parametrize(("name", "setting"), TAKEN, ids=str)
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
    modules = [file for folder in folders for file in folder.rglob("*.py") if file != Path(registry.__file__)]
    assert len(modules) > 40
    for module in modules:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and node.value in PREDICTORS), f"{module}:{node.lineno}"
