"""Classifiers of cases by name: Python functions here, models of Hugging Face in `huggingface`, our own in `trained`.

Language models are not classifiers: they are asked in words, like every other candidate of `vivavoce.candidates`.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from itertools import islice
from typing import Any, Final

from vivavoce.candidates.cluster.scheduler import opened
from vivavoce.candidates.function import called, named_object, source_digest
from vivavoce.candidates.options import NoOptions, read_options
from vivavoce.candidates.text import shortened
from vivavoce.errors import BadInput, MissingExtra, TransportFault
from vivavoce.interview.candidate import Candidate
from vivavoce.interview.candidate_kinds import CaseJudgement, FactCase

FORMS: Final = {"hf": "hf:FOLDER", "trained": "trained:FOLDER", "function": "function:MODULE:CALLABLE"}
"""Prefixes of classifiers; any other name means a language model."""


def is_classifier(name: str) -> bool:
    """Whether the name means a classifier.

    >>> is_classifier("hf:legal-bert"), is_classifier("chat:llama3.2@http://localhost:11434/v1")
    (True, False)
    """
    return name.strip().partition(":")[0] in FORMS


def open_classifier(name: str) -> Candidate[FactCase, CaseJudgement]:
    """The classifier of that name; close it with `close_candidate` when done.

    Raises `BadInput` and `UnknownName` for a name that cannot be found or is not a classifier, and `MissingExtra` if torch or
    transformers is not installed.

    >>> open_classifier("hf:")
    Traceback (most recent call last):
    ...
    vivavoce.errors.BadInput: 'hf:' needs more: write hf:FOLDER
    """
    prefix, _, rest = name.strip().partition(":")
    target, _, query = rest.partition("?")
    if not target:
        raise BadInput(f"'{prefix}:' needs more: write {FORMS.get(prefix, 'hf:FOLDER')}")
    return opened(name, "classifier", lambda: _open(prefix, target, query))


def _open(prefix: str, target: str, query: str) -> Candidate[FactCase, CaseJudgement]:
    if prefix == "function":
        return open_function_classifier(target, query)
    if prefix == "trained":
        from vivavoce.candidates.trained import open_trained

        return open_trained(target, query)
    try:
        from vivavoce.candidates.huggingface import open_hugging_face
    except ModuleNotFoundError as error:
        raise MissingExtra((error.name or "transformers").partition(".")[0], extra="neural") from None
    return open_hugging_face(target, query)


def open_function_classifier(target: str, query: str) -> FunctionClassifier:
    """The classifier `function:TARGET`, where the target is `MODULE:NAME`, searched from the current folder.

    It names a function of the facts (a tuple of texts) that returns a probability, or an object with such a method
    `probability`, perhaps also with a method `importance` that returns a number for each fact. A class is called without
    arguments to get the object. Functions may be async.
    """
    read_options(query, NoOptions, of="function")
    value = named_object(target, example="function:my_model:probability")
    if isinstance(value, type) and hasattr(value, "probability"):
        try:
            value = value()
        except Exception as error:
            raise BadInput(f"'{target}()' raised {type(error).__name__}: {shortened(str(error))}; fix it first") from error
    probability = getattr(value, "probability", value)
    importance = getattr(value, "importance", None)
    if not callable(probability) or (importance is not None and not callable(importance)):
        raise BadInput(f"'{target}' is a {type(value).__name__}: name a function, or an object with a method 'probability'")
    return FunctionClassifier(f"function:{target}", probability, importance, code=source_digest(target, value))


class FunctionClassifier:
    """A Python function from facts to a probability, as a candidate.

    An exception, or a result that is not a probability, is a fault of that case. Records are kept under its name, so rename it
    when you change it.
    """

    def __init__(
        self,
        name: str,
        probability: Callable[[tuple[str, ...]], Any],
        importance: Callable[[tuple[str, ...]], Any] | None = None,
        *,
        code: str = "",
    ) -> None:
        self.name = name
        self.code = code
        """Digest of the file of its module; it does not separate records."""
        self._probability = probability
        self._importance = importance

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: FactCase, /) -> CaseJudgement:
        probability = self._number(await called(self.name, self._probability, question.facts))
        if not 0 <= probability <= 1:
            raise self._fault(f"returned {probability:g}, which is not a probability")
        if not question.weigh or self._importance is None:
            return CaseJudgement(probability)
        words = await called(self.name, self._importance, question.facts)
        importance = tuple(map(self._number, _items(words, len(question.facts) + 1)))
        if len(importance) != len(question.facts):
            raise self._fault(f"gave importance to {len(importance)} facts of {len(question.facts)}")
        return CaseJudgement(probability, importance)

    def _number(self, words: Any) -> float:
        if isinstance(words, numbers.Real) or getattr(words, "shape", None) == ():
            number = float(words)
            if math.isfinite(number):
                return number
        raise self._fault(f"returned {shortened(repr(words), 60)}, not a number")

    def _fault(self, problem: str) -> TransportFault:
        return TransportFault(f"{self.name} {problem}", worth_retrying=False)


def _items(words: Any, limit: int) -> list[Any]:
    """The first items of an iterable, such as a list or an array; none for anything else."""
    try:
        return list(islice(words, limit))
    except TypeError:
        return []
