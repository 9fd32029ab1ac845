"""Predictors are named in one table, and fitting, opening, options and help follow from it."""

from __future__ import annotations

import ast
from inspect import signature
from pathlib import Path

import click
import pytest

from vivavoce import cli, generalization
from vivavoce.cli.generalization.predictors import fit
from vivavoce.cli.generalization.rehearsals import simulate
from vivavoce.errors import UnknownName
from vivavoce.generalization.predictors import registry
from vivavoce.generalization.predictors.registry import PREDICTORS, predictor_kind
from vivavoce.settings import Setting

KINDS = PREDICTORS.values()
TAKEN = [(kind.name, one) for kind in KINDS for one in kind.settings]
OPTIONS = {one.name: one for one in fit.params if isinstance(one, click.Option)}


def test_every_kind_is_there_with_what_it_can_be_told() -> None:
    training = ["epochs", "batch", "learning_rate", "max_length"]
    assert {kind.name: [one.name for one in kind.settings] for kind in KINDS} == {
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
    told = {"config"} if kind.config else set()
    assert set(fitting.parameters) == {"pairs", "teachers", "rng"} | told | ({"progress"} if kind.network else set())
    assert set(loading.parameters) == {"folder"} | ({"device"} if kind.network else set())


def test_the_commands_name_them_all() -> None:
    listed = str(fit.help)
    assert all(f"  {kind.name} " in listed and kind.explanation in listed for kind in KINDS)
    chosen = [next(one for one in command.params if one.name == "predictor").type for command in (fit, simulate)]
    assert [list(one.choices) for one in chosen if isinstance(one, click.Choice)] == [
        list(PREDICTORS),
        ["stacked-logistic", "previous", "previous-task", "embeddings"],
    ]


@pytest.mark.parametrize(("name", "one"), TAKEN, ids=str)
def test_every_setting_has_an_option_that_says_whose_it_is(name: str, one: Setting) -> None:
    whose, _, said = str(OPTIONS[one.name].help).partition(": ")
    assert name in whose.split(", ")
    assert said.lower() == one.says.lower()
    assert OPTIONS[one.name].default in (None, OPTIONS["out"].default)  # each predictor has its own


def test_options_shared_by_several_are_the_same_in_each() -> None:
    for name in OPTIONS:
        shared = [one for _, one in TAKEN if one.name == name]
        assert len({(one.says, one.metavar, one.kind, one.bounds, one.choices) for one in shared}) <= 1


def test_no_other_module_names_one() -> None:
    folders = [Path(str(generalization.__file__)).parent, Path(str(cli.__file__)).parent / "generalization"]
    modules = [file for folder in folders for file in folder.rglob("*.py") if file != Path(registry.__file__)]
    assert len(modules) > 40
    for module in modules:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and node.value in PREDICTORS), f"{module}:{node.lineno}"
