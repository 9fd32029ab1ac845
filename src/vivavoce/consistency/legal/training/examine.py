"""Train a classifier on labelled cases, and hold it to cases that it has not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from vivavoce.consistency.legal.training.config import TrainingConfig
from vivavoce.consistency.legal.training.fit import Division, Fitted, Progress, embedded, fit_head, fitted_lsa, labels_of
from vivavoce.consistency.legal.training.labelled import LabelledCase
from vivavoce.consistency.legal.training.score import Decided
from vivavoce.embeddings.attention import AttentionHead, Sets
from vivavoce.embeddings.embedding import Embedder
from vivavoce.embeddings.set_classifier import SetClassifier
from vivavoce.version import __version__


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """A classifier, and all that came of its training."""

    classifier: SetClassifier
    division: Division
    fitted: Fitted
    decided: tuple[Decided, ...]
    """The held-out cases."""


def train(
    division: Division,
    config: TrainingConfig = TrainingConfig(),  # noqa: B008 -- frozen
    *,
    embedder: Embedder | None = None,
    about: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Training:
    """A classifier as in appendix D of `fluri2024`: a frozen encoder of single facts, and a head trained on its vectors.

    The encoder is not trained, as in the paper. Its head is a self-attention layer and a linear one; ours is attention that
    pools the facts (`yang2016`, as `chalkidis2019` has it), since the paper does not say more. Like theirs it gives each fact
    a weight; the order of facts plays no part.

    Parameters
    ----------
    embedder: of facts; None: latent semantic analysis of the facts to train on.
    about: what else is to be kept with the classifier, as JSON values.

    Raises `NotEnoughEvidence` for facts without words.
    """
    encoder = fitted_lsa(division.training, config) if embedder is None else embedder
    parts = (division.training, division.validation, division.held_out)
    facts = sum(len(one.case.facts) for part in parts for one in part)
    before = 0
    sets = []
    for part in parts:
        sets.append(embedded(part, encoder, _further(progress, before, facts)))
        before += len(sets[-1].vectors)
    fitted = fit_head((sets[0], labels_of(parts[0])), (sets[1], labels_of(parts[1])), config, progress)
    told = {
        "version": __version__,
        "settings": asdict(config),
        "cases": len(parts[0]),
        "violations": sum(one.violation for one in parts[0]),
        "penalty": fitted.chosen.penalty,
        **(about or {}),
    }
    decided = _decided(parts[2], sets[2], fitted.head)
    return Training(SetClassifier(encoder, fitted.head, told), division, fitted, decided)


def _further(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Progress of a part as that of the whole."""
    if progress is None:
        return None
    return lambda what, done, _: progress(what, before + done, total)


def _decided(cases: Sequence[LabelledCase], sets: Sets, head: AttentionHead) -> tuple[Decided, ...]:
    rows = np.split(sets.vectors, sets.starts[1:])
    found = []
    for one, vectors in zip(cases, rows, strict=True):
        attention = head.attention(vectors)
        top = int(np.argmax(attention))
        found.append(
            Decided(
                one.case.id,
                one.violation,
                head.probability(vectors),
                facts=len(vectors),
                top=top,
                top_fact=one.case.facts[top],
                decisive=one.decisive,
                on_decisive=float(attention[list(one.decisive)].sum()),
            )
        )
    return tuple(found)
