"""Embeddings of both questions, and boosted trees over them (`chen2016`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.embeddings.embedding import Embedder
from vivavoce.embeddings.files import read_json
from vivavoce.errors import BadFile, MissingExtra
from vivavoce.generalization.pairs import Floats, Pair
from vivavoce.generalization.predictors.base import EDGE, labels_of, load_embedder, opened_embedder, save_embedder, vectors_of
from vivavoce.generalization.predictors.registry import BoostedConfig

_MOST_NODES: Final = 1 << 22
_NUMBERS: Final = ("split_conditions", "base_weights", "sum_hessian", "loss_changes")
_CATEGORIES: Final = ("categories", "categories_nodes", "categories_segments", "categories_sizes")


def check_trees(file: Path, document: Mapping[str, Any], features: int) -> None:
    """Raise `BadFile` for what is no ensemble of two-way trees over this many features that can be walked to its leaves."""
    try:
        problem = _problem(document, features)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        problem = f"its shape is another ({str(error)[:60]})"
    if problem:
        raise BadFile(file, f"not trees that can be used: {problem}; fit the predictor again")


def _problem(document: Mapping[str, Any], features: int) -> str:
    learner = document["learner"]
    said = learner["learner_model_param"]
    model = learner["gradient_booster"]["model"]
    trees = model["trees"]
    if learner["gradient_booster"]["name"] != "gbtree" or learner["objective"]["name"] != "binary:logistic":
        return "no boosted trees for a chance"
    if (said["num_feature"], said["num_class"], said["num_target"]) != (str(features), "0", "1"):
        return f"made for {str(said['num_feature'])[:20]} features and not for {features}"
    number = len(trees)
    told = model["gbtree_model_param"]
    if (told["num_trees"], told["num_parallel_tree"]) != (str(number), "1"):
        return "the number of trees is not what it says"
    if model["tree_info"] != [0] * number or model["iteration_indptr"] != list(range(number + 1)):
        return "trees are not one a round"
    if any(model.get("cats", {}).values()):
        return "it has categories"
    if sum(len(tree["left_children"]) for tree in trees) > _MOST_NODES:
        return f"more than {_MOST_NODES} nodes"
    return next(filter(None, (_tree_problem(tree, place, features) for place, tree in enumerate(trees))), "")


def _tree_problem(tree: Mapping[str, Any], place: int, features: int) -> str:
    left, right = tree["left_children"], tree["right_children"]
    size = len(left)
    arrays = ("right_children", "parents", "split_indices", "split_type", "default_left", *_NUMBERS)
    if not size or any(len(tree[name]) != size for name in arrays) or tree["id"] != place:
        return f"the nodes of tree {place} are incomplete"
    if tree["tree_param"]["num_nodes"] != str(size) or tree["tree_param"]["num_feature"] != str(features):
        return f"tree {place} is not as large as it says"
    if any(tree[name] for name in _CATEGORIES) or any(tree["split_type"]):
        return f"tree {place} has categories"
    if not all(_whole(tree[name]) for name in ("left_children", "right_children", "parents", "split_indices", "default_left")):
        return f"tree {place} has an index that is no whole number"
    if not all(isinstance(value, int | float) for name in _NUMBERS for value in tree[name]):
        return f"tree {place} has a number that is none"
    if not all(0 <= index < features for index in tree["split_indices"]):
        return f"tree {place} asks for a feature that there is not"
    for node in range(size):
        leaf = left[node] == right[node] == -1
        # A child behind its parent: every walk ends.
        if not leaf and not (node < left[node] < size and node < right[node] < size):
            return f"node {node} of tree {place} leads nowhere"
    return ""


def _whole(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int) and abs(value) < 1 << 31 for value in values)


TREES_FILE: Final = "trees.json"
RATE: Final = 0.05


@dataclass(frozen=True, slots=True)
class BoostedEmbeddings:
    """Predicts from the embedding of the question that was shown, that of the other, and whether the first was answered right.

    `vafa2024` embeds by a vendor's service; here any embedder can be named. The paper does not say whether the trees were told
    if the answer was right; here they are, else they could not do what the simplest baseline does.
    """

    embedder: Embedder
    trees: Any
    """An `xgboost.Booster`."""

    def predict(self, pairs: Sequence[Pair]) -> Floats:
        """The chance of a change, one a pair."""
        if not pairs:
            return np.zeros(0)
        table = _xgboost().DMatrix(features(self.embedder, pairs), nthread=1)
        chances = np.asarray(self.trees.predict(table), dtype=float)
        return np.asarray(np.clip(chances, EDGE, 1 - EDGE), dtype=float)

    def save(self, folder: Path) -> None:
        """Write the trees as XGBoost's own JSON, and the embedder."""
        save_embedder(self.embedder, folder)
        (folder / TREES_FILE).write_bytes(bytes(self.trees.save_raw("json")))


def fit(
    pairs: Sequence[Pair],
    *,
    teachers: Sequence[Pair] = (),
    rng: np.random.Generator,
    config: BoostedConfig = BoostedConfig(),  # noqa: B008 -- frozen
) -> BoostedEmbeddings:
    """Fit it; the same pairs and the same state of `rng` give the same trees.

    Parameters
    ----------
    teachers: pairs whose `pred` counts as a soft label.

    Raises `NotEnoughEvidence`, `MissingExtra`, and what `open_embedder` raises.
    """
    xgboost = _xgboost()
    told, labels, weights = labels_of(pairs, teachers)
    seed = int(rng.integers(1 << 31))
    questions = [text for pair in told for text in (pair.q1, pair.q2)]
    embedder = opened_embedder(config.embedder, questions, dimensions=config.dimensions, seed=seed)
    table = xgboost.DMatrix(features(embedder, told), label=labels, weight=weights, nthread=1)
    settings = {
        "objective": "binary:logistic",
        "max_depth": config.depth,
        "eta": RATE,
        "subsample": 0.8,
        "colsample_bytree": 0.5,
        "tree_method": "hist",
        "nthread": 1,
        "seed": seed,
        "verbosity": 0,
    }
    return BoostedEmbeddings(embedder, xgboost.train(settings, table, num_boost_round=config.trees))


def load(folder: Path) -> BoostedEmbeddings:
    """What was saved there; raises `BadFile`, also for trees that XGBoost would read beyond their end."""
    xgboost = _xgboost()
    file = folder / TREES_FILE
    embedder = load_embedder(folder)
    document = read_json(file)
    number = features(embedder, [Pair("a?", "b?", "", "", previous_correct=True)]).shape[1]
    check_trees(file, document, number)
    booster = xgboost.Booster({"nthread": 1})
    try:
        booster.load_model(bytearray(json.dumps(document).encode()))
    except Exception as error:  # whatever XGBoost raises for a model that it cannot read
        raise BadFile(file, f"not a model of XGBoost ({str(error).strip().splitlines()[0][:120]}): fit it again") from None
    return BoostedEmbeddings(embedder, booster)


def features(embedder: Embedder, pairs: Sequence[Pair]) -> Floats:
    """One row a pair: the first question's embedding, the second's, and 1 if the first was answered right."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.q1, pair.q2)))
    vectors = vectors_of(embedder, texts)
    place = {text: number for number, text in enumerate(texts)}
    first, second = ([place[getattr(pair, side)] for pair in pairs] for side in ("q1", "q2"))
    right = np.array([[float(pair.previous_correct)] for pair in pairs])
    return np.hstack([vectors[first], vectors[second], right])


def _xgboost() -> Any:
    try:
        return import_module("xgboost")
    except ModuleNotFoundError:
        raise MissingExtra("xgboost", extra="text") from None
