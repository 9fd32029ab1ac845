"""Trees from a file, looked through before XGBoost gets them: it follows indices wherever they lead, beyond its memory, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile

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
