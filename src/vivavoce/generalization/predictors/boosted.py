"""Embeddings of both questions, and boosted trees over them (`chen2016`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.embeddings.embedding import Embedder
from vivavoce.embeddings.files import read_json
from vivavoce.errors import BadFile, MissingExtra
from vivavoce.generalization.beliefs import Floats
from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.predictors.base import EDGE, labels_of
from vivavoce.generalization.predictors.boosted_file import check_trees
from vivavoce.generalization.predictors.config import BoostedConfig
from vivavoce.generalization.predictors.embedded import load_embedder, opened, save_embedder, vectors_of

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
    embedder = opened(config.embedder, questions, dimensions=config.dimensions, seed=seed)
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
