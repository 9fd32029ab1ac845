"""How a candidate is examined on its own explanations: every setting, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from vivavoce.settings import Count, Seed, Temperature, Within, check, setting

Wording = Literal["own", "printed"]
"""Whose words the prompts have: ours, or those of section 5 of `asgari2025` (`printed`)."""

MOST_NUMBERED: Final = 99
"""Questions of a concept, and paraphrases of a question: numbers have two digits, so that paths sort as they count."""


@dataclass(frozen=True, slots=True)
class ConceptsConfig:
    """Which concepts are explained."""

    concepts: tuple[str, ...] = setting(
        (), "Concepts to explain; may be repeated. By default all 280.", metavar="FILE|CATEGORY"
    )
    """Categories and files; none: all that are built in."""
    limit: Count | None = setting(None, "Use this many concepts, drawn by the seed; else all.")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class EqtConfig:
    """How an examination is held."""

    questions: Annotated[int, Within(1, MOST_NUMBERED)] = setting(5, "Questions per concept.")
    paraphrases: Annotated[int, Within(0, MOST_NUMBERED)] = setting(3, "Paraphrases per question.")
    options: Annotated[int, Within(2, 10)] = setting(4, "Options per question; the paper's sample has 10, A to J.")
    """As many as `MultipleChoice` has letters for."""
    shuffle: bool = setting(True, "Options in an order drawn by the seed.")
    """Else as their writer gave them."""
    checks: bool = setting(True, "Whether questions and wordings are checked.")
    """Keys, meaning and self-containment; open-book answers are always asked for."""
    temperature: Temperature = setting(0.0, "Temperature of replies; none: the candidate's own.")
    """Of answers and checks. Explanations, questions and paraphrases use the candidate's own."""
    seed: Seed = setting(0, "Draws concepts, and shuffles options.")
    prompts: Wording = setting("own", "Words of the prompts: our own, or those printed in the paper.")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, slots=True)
class ExtractionConfig:
    """How concepts are taken from a benchmark's questions."""

    per_category: Count = setting(20, "Concepts to find in each category; the paper has 20.")
    tries: Annotated[int, Within(1, 100)] = setting(3, "Questions to read for each concept that is wanted, at most.")
    """Several questions examine one concept, and some name none."""
    seed: Seed = setting(0, "Draws the questions that are read.")

    def __post_init__(self) -> None:
        check(self)
