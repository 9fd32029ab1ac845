"""What a forecaster is told: the set-up, one worked example, and the question (`fluri2024`, appendices C.1 and C.5).

The words and the examples are our own, so that figures of the paper are no measure for these prompts to the second digit. What
is kept: the model reasons first, looks at both sides, gives one number without an interval, and gives it on the last line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Literal, get_args

from vivavoce.errors import UnknownName
from vivavoce.interview.candidate import Exchange, Prompt

Variant = Literal["plain", "opposite", "canonical"]
"""How probabilities are asked for: as they are, with the opposite question derived first, or with a canonical wording first."""
VARIANTS: Final[tuple[Variant, ...]] = get_args(Variant)
MARKER: Final = "[Answer]"
"""Stands before the number on the last line of a reply."""


class Kind(StrEnum):
    """What sort of number is forecast."""

    PROBABILITY = "probability"
    QUANTITY = "quantity"


def forecast_prompt(
    question: str, kind: Kind = Kind.PROBABILITY, *, variant: Variant = "plain", temperature: float | None = 0.0
) -> Prompt:
    """One question about the future as it is put to a forecaster.

    Equal questions give equal prompts, whatever tuple they stand in: what is on record of one serves all. The id is the
    beginning of the question's SHA-256, by which recorded answers are found.

    Parameters
    ----------
    variant: for probabilities alone; a quantity has neither an opposite nor, in the paper, another prompt.
    temperature: None leaves the candidate's own setting.

    >>> prompt = forecast_prompt("Will it rain in Oslo tomorrow?")
    >>> prompt.text, len(prompt.shown), prompt.shown[0].replied.splitlines()[-1]
    ('Question: Will it rain in Oslo tomorrow?', 1, '[Answer] 0.35')
    """
    if variant not in VARIANTS:
        raise UnknownName("variant", variant, VARIANTS)
    system, shown = _SET_UPS[variant] if kind is Kind.PROBABILITY else _QUANTITY
    name = hashlib.sha256(question.encode("utf-8", "replace")).hexdigest()[:16]
    return Prompt(f"Question: {question}", system=system, id=name, temperature=temperature, shown=(shown,))


_TASK = """\
You are asked about events that lie in the future, as on a forecasting market. Nobody can know the outcome; say how likely it \
is. Where a question supposes that something has happened, take it as given."""
_LAST_LINE = f"""\
Think before you commit yourself: what speaks for the event, what speaks against it, how often such things have happened, and \
what rough numbers follow from each. Do not begin with the result. Settle on a single probability between 0 and 1, never on a \
range, and write it alone on the last line, in this form:
{MARKER} 0.5"""
_OPPOSITE = """\
It will be checked whether a question and its opposite get answers that fit together. So begin by writing down the opposite \
question, which is answered by yes exactly when the original is answered by no. Keep both in view while you think: if you give \
the original the probability p, the opposite has 1 - p. The last line answers the original."""
_CANONICAL = """\
It will be checked whether one question gets one answer however it is worded. So begin by writing down its canonical wording: \
the shortest and plainest question that asks the same and leaves out nothing that matters. Think about that one; your \
probability holds for the original as well."""

_SAMPLES = "Will a spacecraft have brought rock samples from Mars back to Earth before 2035?"
_FOR = """\
For it: at least two space agencies have worked on such a mission, one of them with a launch planned before 2030 and a return \
about three years later. Samples have come back from the Moon and from asteroids, so most of the steps are known. Were the \
plans kept, I would say 60%."""
_AGAINST = """\
Against it: nobody has ever launched from the surface of Mars. Flagship missions are usually late by several years, a launch \
window opens only every 26 months, and one programme was put on hold for its cost. Seen from there, 20% is more like it."""
_SUM = "A delay of one or two windows already leads beyond the date, so I lean towards the lower figure and settle at 35%."


def _worked(question: str, *reply: str) -> Exchange:
    return Exchange(f"Question: {question}", "\n".join(reply))


_SET_UPS: Final[Mapping[Variant, tuple[str, Exchange]]] = MappingProxyType(
    {
        "plain": (f"{_TASK}\n\n{_LAST_LINE}", _worked(_SAMPLES, _FOR, _AGAINST, _SUM, f"{MARKER} 0.35")),
        "opposite": (
            f"{_TASK}\n\n{_OPPOSITE}\n\n{_LAST_LINE}",
            _worked(
                _SAMPLES,
                "Opposite question: Will no spacecraft have brought rock samples from Mars back to Earth before 2035?",
                _FOR,
                _AGAINST,
                f"{_SUM} For the opposite that leaves 65%, which sounds right for an undertaking that has never succeeded.",
                f"Original question: {_SAMPLES}",
                f"{MARKER} 0.35",
            ),
        ),
        "canonical": (
            f"{_TASK}\n\n{_CANONICAL}\n\n{_LAST_LINE}",
            _worked(
                "Is it going to be the case, at some time prior to the year 2035, that material collected from the rocks of "
                "the planet Mars is delivered to Earth by a spacecraft?",
                f"Canonical question: {_SAMPLES}",
                _FOR,
                _AGAINST,
                f"{_SUM} That holds for either wording.",
                f"{MARKER} 0.35",
            ),
        ),
    }
)
_QUANTITY: Final = (
    f"""\
You are asked for numbers that only the future will show. Give your single best estimate.

Think before you commit yourself: where the number stands today, how fast it has changed, and what could make it change \
faster or slower. Do not begin with the result. Settle on one number, never on a range, and write it in plain digits alone on \
the last line, in this form:
{MARKER} 50""",
    _worked(
        "How many countries will have landed a spacecraft softly on the Moon by the end of 2032?",
        "By early 2024 five countries had done it: two of them in the 1960s, and three more from 2013 on. That is one further "
        "country about every four years of late.",
        "Several more have tried or are preparing a lander, and rides on commercial landers make it easier. On the other hand "
        "roughly every second attempt has failed, and dates tend to slip.",
        "At the recent pace, 5 + 8 / 4 = 7 by the end of 2032; the newcomers and the failures about cancel out.",
        f"{MARKER} 7",
    ),
)
