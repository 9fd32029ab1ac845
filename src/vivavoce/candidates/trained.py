"""`trained:FOLDER`: a classifier of cases that `viva consistency cases train` made, with its attention over facts.

Also the base of classifiers whose model is in this process.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

from vivavoce.candidates.options import canonical, read_options
from vivavoce.embeddings.embedding import Floats
from vivavoce.embeddings.set_classifier import SetClassifier, digest_of_folder, open_classifier_folder
from vivavoce.errors import BadInput
from vivavoce.formats.lines import expanded
from vivavoce.interview.candidate import RepeatReason
from vivavoce.interview.candidate_kinds import CaseJudgement, FactCase


class LocalClassifier(ABC):
    """A classifier whose model is in this process. It judges one case after another, in its own thread."""

    asked_again: RepeatReason = "same"
    """Why it may be asked again: it gives the same answer."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="classifier")

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: FactCase, /) -> CaseJudgement:
        """Judge a case."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self.judge, question)

    async def close(self) -> None:
        """Close it; it takes no more questions."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    @abstractmethod
    def judge(self, case: FactCase) -> CaseJudgement:
        """Judge the case, in this thread."""


def check_weights(target: str, digest: str, named: str) -> None:
    """Raise `BadInput` if a name has a digest other than the weights in a folder; an empty one is ignored."""
    if named and named != digest:
        raise BadInput(f"'{target[:200]}' has weights {digest}, but the name says {named[:80]}: leave out 'weights='")


KNOWN_FACTS: Final = 4096
"""Number of cached embeddings: the versions of a case differ in one fact."""
_SHOWN: Final = 12
"""Digits of the digest in a name."""


@dataclass(frozen=True, slots=True)
class TrainedOptions:
    weights: str = ""
    """SHA-256 of the files, shortened as in the full name."""


def open_trained(target: str, query: str) -> TrainedClassifier:
    """The classifier `trained:TARGET?QUERY`, where the target is a folder that `viva consistency cases train` made.

    Its name contains a digest of its files, so that a retrained one is another candidate.

    Raises `BadFile` for a folder without a classifier, `BadInput` for weights that differ from the name's digest, and
    `MissingExtra` if its embedder needs a package that is not installed.
    """
    options = read_options(query, TrainedOptions, of="trained")
    folder = expanded(target)
    classifier = open_classifier_folder(folder)
    digest = digest_of_folder(folder)[:_SHOWN]
    check_weights(target, digest, options.weights)
    return TrainedClassifier(trained_name(folder.resolve().name, digest), classifier)


def trained_name(folder: str, digest: str) -> str:
    """The name of a classifier in a folder of that name with files of that digest."""
    return f"trained:{folder}{canonical(replace(TrainedOptions(), weights=digest[:_SHOWN]))}"


class TrainedClassifier(LocalClassifier):
    """A frozen embedder of single facts, attention over facts, and a logistic decision.

    Importance of a fact: the classifier's attention to it, as in section 7 and appendix D of `fluri2024`. Each fact is embedded
    separately, so an answer depends only on its case.
    """

    def __init__(self, name: str, classifier: SetClassifier) -> None:
        super().__init__(name)
        self._classifier = classifier
        self._vector = lru_cache(KNOWN_FACTS)(self._embedded)

    def judge(self, case: FactCase) -> CaseJudgement:
        vectors = np.array([self._vector(fact) for fact in case.facts])
        head = self._classifier.head
        importance = tuple(map(float, head.attention(vectors))) if case.weigh else None
        return CaseJudgement(head.probability(vectors), importance)

    def _embedded(self, fact: str) -> Floats:
        row: Floats = self._classifier.vectors([fact])[0]
        return row
