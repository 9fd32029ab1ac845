"""What ways to ask mend and harm, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vivavoce.consistency.forecasts.variants.effects import Effect
from vivavoce.consistency.forecasts.wording import law_name
from vivavoce.formats.wording import counted, name_of
from vivavoce.report.cells import signed_cell
from vivavoce.report.wording import listed

SHOWN: Final = 3
"""Variants of which the headline tells."""


def headline(effects: Sequence[Effect], first: str, candidate: str) -> str:
    """Which way mends and which harms which law; or that none is shown to.

    >>> from vivavoce.formats.interval import Estimate, Interval
    >>> nothing = Estimate(0.0, Interval(-1, 1), 50)
    >>> mends = Effect("opposite", "neg", 50, Estimate(-0.2, Interval(-0.3, -0.1), 50), nothing, 0.001, 0.002)
    >>> harms = Effect("opposite", "bayes", 50, Estimate(0.1, Interval(0.05, 0.15), 50), nothing, 0.001, 0.002)
    >>> headline([mends, harms], "plain", "bot:x")
    "Asked by opposite, bot:x contradicts itself less on Negation, and more on Bayes' rule, than by plain."
    >>> headline([Effect("together", "neg", 50, nothing, nothing, 0.5, 0.5)], "plain", "bot:x")
    'Asked by together, bot:x is not shown to contradict itself less or more on Negation than by plain.'
    """
    if not any(effect.n for effect in effects):
        return (
            f"Nothing can be compared: no tuple was answered readably by {name_of(first)} and another way to ask {candidate}."
        )
    sentences = []
    for variant in dict.fromkeys(effect.variant for effect in effects):
        own = [effect for effect in effects if effect.variant == variant]
        less = [law_name(effect.law) for effect in own if effect.word == "mended"]
        more = [law_name(effect.law) for effect in own if effect.word == "harmed"]
        parts = [f"{word} on {listed(laws)}" for word, laws in (("less", less), ("more", more)) if laws]
        if parts:
            told = ", and ".join(parts) + ("," if len(parts) > 1 else "")
            sentences.append(f"Asked by {name_of(variant)}, {candidate} contradicts itself {told} than by {name_of(first)}.")
    if sentences:
        return " ".join(sentences[:SHOWN])
    ways, laws = (tuple(dict.fromkeys(getattr(one, what) for one in effects)) for what in ("variant", "law"))
    on = law_name(laws[0]) if len(laws) == 1 else f"any of {counted(len(laws), 'law')}"
    if len(ways) == 1:
        shown = f"{candidate} is not shown to contradict itself less or more on {on}"
        return f"Asked by {name_of(ways[0])}, {shown} than by {name_of(first)}."
    ways_in_words = counted(len(ways), "other way")
    return f"Of {ways_in_words} to ask {candidate} none is shown to mend or harm {on}, against {name_of(first)}."


def in_full(effects: Sequence[Effect]) -> str:
    """The differences of which something is said, with their intervals; empty where there are none."""
    parts = [
        f"{name_of(effect.variant)} on {law_name(effect.law)} {signed_cell(effect.mean).words}"
        for effect in effects
        if effect.word in ("mended", "harmed")
    ]
    return f"Differences of the mean metric: {'; '.join(parts)}." if parts else ""
