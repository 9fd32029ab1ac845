"""Random laws and random joint distributions, for hypothesis; and a second road to the numbers."""

from __future__ import annotations

from itertools import islice, product

import numpy as np
import scipy
from hypothesis import strategies as st
from numpy.typing import NDArray

from vivavoce.errors import BadInput
from vivavoce.laws.law import BUILT_IN, Law, law_named, parse_law

EVENTS = "ABC"
_atoms = st.sampled_from(list(EVENTS))
formulas = st.recursive(
    _atoms,
    lambda inner: st.one_of(
        inner.map(lambda f: f"~({f})"),
        st.tuples(inner, st.sampled_from("&|^"), inner).map(lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"),
    ),
    max_leaves=4,
)
statements = st.one_of(formulas, st.tuples(formulas, formulas).map(" given ".join))
constraints = st.one_of(
    st.just(""),
    st.tuples(formulas, formulas).map(lambda parts: f" where {parts[0]} implies {parts[1]}"),
    st.just(" where at most one of A, B, C"),
)


@st.composite
def written_laws(draw: st.DrawFn) -> Law:
    """Laws of two to five statements over three events, as a user might write them; those that cannot be are drawn again."""
    texts = draw(st.lists(statements, min_size=2, max_size=5))
    line = ", ".join(f"s{number} = {name}" for number, name in enumerate(texts)) + draw(constraints)
    try:
        return parse_law(line)
    except BadInput:
        return draw(st.sampled_from(sorted(BUILT_IN.values(), key=str)))


families = st.tuples(st.sampled_from(["paraphrase", "exclusive", "exhaustive", "partition", "chain"]), st.integers(2, 5)).map(
    lambda kind: law_named(kind[0], [f"k{number}" for number in range(kind[1])])
)
laws = st.one_of(st.sampled_from(sorted(BUILT_IN.values(), key=str)), families, written_laws())


@st.composite
def coherent(draw: st.DrawFn) -> tuple[Law, NDArray[np.float64]]:
    """A law, and forecasts for it that follow from a distribution over its worlds."""
    law = draw(laws)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = rng.dirichlet(np.ones(len(law.worlds)))
    if draw(st.booleans()):  # some worlds cannot be
        weights *= rng.random(len(weights)) < 0.5
        weights[rng.integers(len(weights))] += 0.1
    return law, forecasts_of(law, weights / weights.sum())


def forecasts_of(law: Law, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability of each statement under weights of worlds; a half where its condition never holds."""
    happens, values = weights @ (law.worlds == 1), weights @ (law.worlds >= 0)
    return np.clip(np.where(values > 0, happens / np.where(values > 0, values, 1), 0.5), 0, 1)


def searched(law: Law, forecasts: NDArray[np.float64]) -> float:
    """The violation by a general-purpose optimiser on the definition itself, world by world in plain Python."""

    def loss(logits: NDArray[np.float64]) -> float:
        weights = np.exp(logits - logits.max())
        weights /= weights.sum()
        total = 0.0
        for column, forecast in zip(law.worlds.T, forecasts, strict=True):
            condition = sum(w for w, truth in zip(weights, column, strict=True) if truth >= 0)
            true = sum(w for w, truth in zip(weights, column, strict=True) if truth == 1)
            for part, belief in ((true, forecast), (condition - true, 1 - forecast)):
                total += part * np.log(part / condition / belief) if part > 0 else 0.0
        return float(total)

    corners = islice(product((0.0, 5.0), repeat=len(law.worlds)), 6)  # the first is the middle
    return min(scipy.optimize.minimize(loss, np.array(start), method="BFGS", options={"gtol": 1e-9}).fun for start in corners)
