"""The predictor `embeddings`: boosted trees (`chen2016`) over embeddings of both questions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.embeddings.embedding import Embedder, read_json
from vivavoce.errors import BadFile, MissingExtra
from vivavoce.generalization.pairs import BeliefPair, Floats
from vivavoce.generalization.predictors.base import (
    EDGE,
    BoostedConfig,
    labels_of,
    load_embedder,
    opened_embedder,
    save_embedder,
    vectors_of,
)

_MOST_NODES: Final = 1 << 22
_NUMBERS: Final = ("split_conditions", "base_weights", "sum_hessian", "loss_changes")
_CATEGORIES: Final = ("categories", "categories_nodes", "categories_segments", "categories_sizes")


def check_trees(file: Path, document: Mapping[str, Any], features: int) -> None:
    """Raise `BadFile` unless the document is an ensemble of binary trees over this many features, in which every walk ends."""
    try:
        problem = _problem(document, features)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        problem = f"unexpected structure ({str(error)[:60]})"
    if problem:
        raise BadFile(file, f"unusable trees ({problem}): fit the predictor again")


def _problem(document: Mapping[str, Any], features: int) -> str:
    learner = document["learner"]
    parameters = learner["learner_model_param"]
    model = learner["gradient_booster"]["model"]
    trees = model["trees"]
    if learner["gradient_booster"]["name"] != "gbtree" or learner["objective"]["name"] != "binary:logistic":
        return "not boosted trees for a probability"
    if (parameters["num_feature"], parameters["num_class"], parameters["num_target"]) != (str(features), "0", "1"):
        return f"made for {str(parameters['num_feature'])[:20]} features, not {features}"
    number = len(trees)
    booster = model["gbtree_model_param"]
    if (booster["num_trees"], booster["num_parallel_tree"]) != (str(number), "1"):
        return "the stated number of trees is wrong"
    if model["tree_info"] != [0] * number or model["iteration_indptr"] != list(range(number + 1)):
        return "not one tree per round"
    if any(model.get("cats", {}).values()):
        return "it has categories"
    if sum(len(tree["left_children"]) for tree in trees) > _MOST_NODES:
        return f"more than {_MOST_NODES} nodes"
    return next(filter(None, (_tree_problem(tree, index, features) for index, tree in enumerate(trees))), "")


def _tree_problem(tree: Mapping[str, Any], position: int, features: int) -> str:
    left, right = tree["left_children"], tree["right_children"]
    size = len(left)
    arrays = ("right_children", "parents", "split_indices", "split_type", "default_left", *_NUMBERS)
    if not size or any(len(tree[name]) != size for name in arrays) or tree["id"] != position:
        return f"the nodes of tree {position} are incomplete"
    if tree["tree_param"]["num_nodes"] != str(size) or tree["tree_param"]["num_feature"] != str(features):
        return f"the stated size of tree {position} is wrong"
    if any(tree[name] for name in _CATEGORIES) or any(tree["split_type"]):
        return f"tree {position} has categories"
    if not all(_whole(tree[name]) for name in ("left_children", "right_children", "parents", "split_indices", "default_left")):
        return f"tree {position} has an index that is not a whole number"
    if not all(isinstance(value, int | float) for name in _NUMBERS for value in tree[name]):
        return f"tree {position} has a value that is not a number"
    if not all(0 <= index < features for index in tree["split_indices"]):
        return f"tree {position} uses an unknown feature"
    for node in range(size):
        leaf = left[node] == right[node] == -1
        # children come after their parents, so every walk ends
        if not leaf and not (node < left[node] < size and node < right[node] < size):
            return f"node {node} of tree {position} leads nowhere"
    return ""


def _whole(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int) and abs(value) < 1 << 31 for value in values)


TREES_FILE: Final = "trees.json"
RATE: Final = 0.05


@dataclass(frozen=True, slots=True)
class BoostedEmbeddings:
    """Predicts from the embeddings of both questions and from whether the first was answered right.

    `vafa2024` uses a vendor's embeddings; here you can name any embedder. The paper does not say whether its trees know if the
    answer was right. Here they do, as they could not match the simplest baseline otherwise.
    """

    embedder: Embedder
    trees: Any
    """An `xgboost.Booster`."""

    def predict(self, pairs: Sequence[BeliefPair]) -> Floats:
        """The chance of a change, one per pair."""
        if not pairs:
            return np.zeros(0)
        table = _xgboost().DMatrix(features(self.embedder, pairs), nthread=1)
        chances = np.asarray(self.trees.predict(table), dtype=float)
        return np.asarray(np.clip(chances, EDGE, 1 - EDGE), dtype=float)

    def save(self, folder: Path) -> None:
        """Write the trees as XGBoost's JSON, and the embedder."""
        save_embedder(self.embedder, folder)
        (folder / TREES_FILE).write_bytes(bytes(self.trees.save_raw("json")))


def fit(
    pairs: Sequence[BeliefPair],
    *,
    teachers: Sequence[BeliefPair] = (),
    rng: np.random.Generator,
    config: BoostedConfig = BoostedConfig(),  # noqa: B008 -- frozen
) -> BoostedEmbeddings:
    """Fit the trees; the same pairs and the same state of `rng` give the same trees.

    teachers: pairs whose `pred` counts as a soft label.

    Raises `NotEnoughEvidence`, `MissingExtra`, and the errors of `open_embedder`.
    """
    xgboost = _xgboost()
    training, labels, weights = labels_of(pairs, teachers)
    seed = int(rng.integers(1 << 31))
    questions = [text for pair in training for text in (pair.q1, pair.q2)]
    embedder = opened_embedder(config.embedder, questions, dimensions=config.dimensions, seed=seed)
    table = xgboost.DMatrix(features(embedder, training), label=labels, weight=weights, nthread=1)
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
    """Open a saved predictor. Raises `BadFile`, also for trees that would make XGBoost read out of bounds."""
    xgboost = _xgboost()
    file = folder / TREES_FILE
    embedder = load_embedder(folder)
    document = read_json(file)
    number = features(embedder, [BeliefPair("a?", "b?", "", "", previous_correct=True)]).shape[1]
    check_trees(file, document, number)
    booster = xgboost.Booster({"nthread": 1})
    try:
        booster.load_model(bytearray(json.dumps(document).encode()))
    except Exception as error:  # XGBoost documents no error for an unreadable model
        raise BadFile(file, f"not a model of XGBoost ({str(error).strip().splitlines()[0][:120]}): fit it again") from None
    return BoostedEmbeddings(embedder, booster)


def features(embedder: Embedder, pairs: Sequence[BeliefPair]) -> Floats:
    """One row per pair: the embedding of the first question, of the second, and 1 if the first was answered right."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.q1, pair.q2)))
    vectors = vectors_of(embedder, texts)
    rows = {text: row for row, text in enumerate(texts)}
    first, second = ([rows[getattr(pair, side)] for pair in pairs] for side in ("q1", "q2"))
    right = np.array([[float(pair.previous_correct)] for pair in pairs])
    return np.hstack([vectors[first], vectors[second], right])


def _xgboost() -> Any:
    try:
        return import_module("xgboost")
    except ModuleNotFoundError:
        raise MissingExtra("xgboost", extra="text") from None
