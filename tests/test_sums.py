"""Figures are the same with every version of Python: since 3.12, `sum` keeps what floats lose, and before it did not."""

from __future__ import annotations

import builtins
import json
import random
from collections.abc import Iterable
from math import isfinite
from typing import Any

import pytest

import vivavoce as viva
from vivavoce.certificate.certify import Composition
from vivavoce.certificate.claims.draws import Draws
from vivavoce.generalization.predictors.stacked_logistic_features import Vocabulary
from vivavoce.luna.predict.grader import TermRarity

naive_sum = sum
TENTHS = [0.1] * 10


def sum_of_3_12(values: Iterable[Any], /, start: Any = 0) -> Any:
    """The sum of floats as CPython 3.12 has it: Neumaier's, in `Python/bltinmodule.c`."""
    listed = list(values)
    if not any(type(value) is float for value in listed):
        return naive_sum(listed, start)
    total, lost = float(start), 0.0
    for value in map(float, listed):
        both = total + value
        lost += (total - both) + value if abs(total) >= abs(value) else (value - both) + total
        total = both
    return total + lost if lost and isfinite(lost) else total


def sum_of_3_11(values: Iterable[Any], /, start: Any = 0) -> Any:
    """One after the other, as it was before."""
    for value in values:
        start = start + value
    return start


def answered(question: str) -> str:
    _, _, a, _, b = question.splitlines()[0].rstrip("?").split()
    return f"Answer: {int(a) + int(b) + (int(a) % 3 == 0)}"


def documents() -> list[str]:
    """What a certificate and a comparison say of questions in clusters of five, with weights that no float can hold."""
    rows = [
        {
            "question": f"What is {n} + 1?",
            "answer": n + 1,
            "cluster": f"c{n // 5}",
            "weight": (n * 37 % 97 + 1) / 97,
            "category": f"{n // 5 % 3}",
        }
        for n in range(200)
    ]
    scope = viva.open_scope(rows, name="weighted")
    interview, other = (viva.Interview(viva.open_candidate(answered), answers=viva.Reply) for _ in range(2))
    calculator = viva.Interview(viva.open_candidate("bot:calculator"), answers=viva.Reply)
    certificate = viva.run(viva.certify(interview, scope, viva.Criterion(0.5, None), seed=1))
    composed = [
        viva.run(
            viva.certify(
                viva.Interview(viva.open_candidate(answered), answers=viva.Reply),
                scope,
                viva.Criterion(0.5, None),
                composition,
                seed=1,
                questions=100,
            )
        )
        for composition in (Composition("strata"), Composition(draws=Draws(3, "all-right")))
    ]
    comparison = viva.run(viva.compare([other, calculator], scope, viva.ComparisonConfig(seed=1, questions=200)))
    return [json.dumps(finding.as_json(), sort_keys=True, default=str) for finding in (certificate, comparison, *composed)]


@pytest.mark.long
def test_findings_do_not_depend_on_how_python_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (sum_of_3_11(TENTHS), sum_of_3_12(TENTHS)) == (0.9999999999999999, 1.0)
    monkeypatch.setattr(builtins, "sum", sum_of_3_11)
    before = documents()
    monkeypatch.setattr(builtins, "sum", sum_of_3_12)
    assert documents() == before


def weights_of_words() -> list[float]:
    """How rare words are, by the two modules that weigh them."""
    pytest.importorskip("sklearn")
    rng = random.Random(0)
    texts = [" ".join(chr(97 + int(26 * rng.random() ** 2)) * 3 for _ in range(12)) for _ in range(60)]
    return [*map(TermRarity(texts).weight, map(set, map(str.split, texts))), *Vocabulary.of(texts).rarities(texts)]


def test_weights_of_words_do_not_depend_on_how_python_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtins, "sum", sum_of_3_11)
    before = weights_of_words()
    monkeypatch.setattr(builtins, "sum", sum_of_3_12)
    assert weights_of_words() == before
