"""What a forecaster is told: the set-up, one worked example, and the question (`fluri2024`, appendices C.1 and C.5).

The words and the examples are our own, unless the printed ones are wanted (`printed`), so that figures of the paper are no
measure for these prompts to the second digit. What is kept: the model reasons first, looks at both sides, gives one number
without an interval, and gives it on the last line.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final, get_args

from vivavoce.consistency.forecasts import printed
from vivavoce.consistency.forecasts.config import Variant, Wording
from vivavoce.consistency.forecasts.worked import PROBABILITIES, QUANTITIES, Counted, Worked, chosen
from vivavoce.errors import UnknownName
from vivavoce.interview.candidate import Exchange, Prompt
from vivavoce.interview.forms.as_printed import AsPrinted
from vivavoce.interview.forms.probability import Probability
from vivavoce.interview.forms.quantity import Quantity

VARIANTS: Final[tuple[Variant, ...]] = get_args(Variant)
PROBABILITY: Final = Probability()
QUANTITY: Final = Quantity()


@dataclass(frozen=True, slots=True)
class Instructions:
    """The user's own words in place of ours, on how probabilities are to be forecast."""

    name: str
    """Of their file, without its folder."""
    text: str

    @property
    def digest(self) -> str:
        """SHA-256 of the words, in hex."""
        return hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest()


class Kind(StrEnum):
    """What sort of number is forecast."""

    PROBABILITY = "probability"
    QUANTITY = "quantity"


def forecast_prompt(
    question: str,
    kind: Kind = Kind.PROBABILITY,
    *,
    variant: Variant = "plain",
    temperature: float | None = 0.0,
    wording: Wording = "own",
    instructions: Instructions | None = None,
) -> Prompt:
    """One question about the future as it is put to a forecaster.

    Equal questions give equal prompts, whatever tuple they stand in: what is on record of one serves all. The id is the
    beginning of the question's SHA-256, by which recorded answers are found.

    Parameters
    ----------
    variant: for probabilities alone; a quantity has neither an opposite nor, in the paper, another prompt.
    temperature: None leaves the candidate's own setting.
    wording: our own words, or those of the paper.
    instructions: what the candidate is told of how to forecast a probability; None: that of the variant. The worked example
        stays.

    >>> prompt = forecast_prompt("Will it rain in Oslo tomorrow?")
    >>> prompt.text, len(prompt.shown), prompt.shown[0].replied.splitlines()[-1]
    ('Question: Will it rain in Oslo tomorrow?', 1, 'Answer: 22%')
    """
    if variant not in VARIANTS:
        raise UnknownName("variant", variant, VARIANTS)
    name = hashlib.sha256(question.encode("utf-8", "replace")).hexdigest()[:16]
    if wording == "printed":
        box = printed.QUANTITY if kind is Kind.QUANTITY else printed.BOXES[variant]
        form = AsPrinted(QUANTITY if kind is Kind.QUANTITY else PROBABILITY)
        system = box.system if instructions is None or kind is Kind.QUANTITY else instructions.text
        return Prompt(printed.asked(question), system=system, id=name, temperature=temperature, shown=(box.shown,), form=form)
    prompt = Prompt(f"Question: {question}", id=name, temperature=temperature)
    if kind is Kind.QUANTITY:
        return replace(prompt, system=_QUANTITY, shown=(_counted(chosen(QUANTITIES, question)),), form=QUANTITY)
    shown = _worked(chosen(PROBABILITIES, question), variant)
    system = _SYSTEM[variant] if instructions is None else instructions.text
    return replace(prompt, system=system, shown=(shown,), form=PROBABILITY)


_TASK = """\
You are asked about events that lie in the future, as on a forecasting market. Nobody can know the outcome; say how likely it \
is. Where a question supposes that something has happened, take it as given."""
_SINGLE = """\
Think before you commit yourself: what speaks for the event, what speaks against it, how often such things have happened, and \
what rough numbers follow from each. Do not begin with the result. Settle on a single probability, never on a range."""
_OPPOSITE = """\
It will be checked whether a question and its opposite get answers that fit together. So begin by writing down the opposite \
question, which is answered by yes exactly when the original is answered by no. Keep both in view while you think: if you give \
the original the probability p, the opposite has 1 - p. The last line answers the original."""
_CANONICAL = """\
It will be checked whether one question gets one answer however it is worded. So begin by writing down its canonical wording: \
the shortest and plainest question that asks the same and leaves out nothing that matters. Think about that one; your \
probability holds for the original as well."""

_SYSTEM: Final[Mapping[Variant, str]] = MappingProxyType(
    {
        "plain": f"{_TASK}\n\n{_SINGLE}",
        "opposite": f"{_TASK}\n\n{_OPPOSITE}\n\n{_SINGLE}",
        "canonical": f"{_TASK}\n\n{_CANONICAL}\n\n{_SINGLE}",
    }
)
_QUANTITY: Final = """\
You are asked for numbers that only the future will show. Give your single best estimate.

Think before you commit yourself: where the number stands today, how fast it has changed, and what could make it change \
faster or slower. Do not begin with the result. Settle on one number, never on a range, and write it in plain digits."""


def _worked(worked: Worked, variant: Variant) -> Exchange:
    """The worked example in the variant that is asked for."""
    asked = worked.long_winded if variant == "canonical" else worked.question
    thoughts = [worked.speaks_for, worked.speaks_against, worked.settles]
    match variant:
        case "opposite":
            opposite = f"{worked.settles} For the opposite that leaves {1 - worked.probability:.0%}, which fits."
            thoughts = [
                f"Opposite question: {worked.opposite}",
                *thoughts[:2],
                opposite,
                f"Original question: {worked.question}",
            ]
        case "canonical":
            thoughts = [
                f"Canonical question: {worked.question}",
                *thoughts[:2],
                f"{worked.settles} That holds for either wording.",
            ]
    return Exchange(f"Question: {asked}", "\n".join([*thoughts, PROBABILITY.write(worked.probability)]))


def _counted(counted: Counted) -> Exchange:
    return Exchange(f"Question: {counted.question}", "\n".join([*counted.thoughts, f"Answer: {counted.number}"]))
