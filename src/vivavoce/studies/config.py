"""Settings of the studies, in a separate module: the command line reads them before it loads anything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from vivavoce.errors import BadInput
from vivavoce.settings import DELTA, CheckedConfig, Count, Seed, Share, Temperature, Within, check, setting

SAME: Final = "same"
MOST_VARIANTS: Final = 10
"""Sentence tables have at least this many entries."""


@dataclass(frozen=True, slots=True)
class VaryConfig:
    """Which variations are tried on how many questions, and which limit is tested."""

    vary: tuple[str, ...] = setting(
        ("order", "typos", "context", "persona"),
        "Vary order, typos, context, persona, turn; by writer paraphrase, translate:LANG.",
        metavar="KIND,...",
    )
    """Names of `variations.kinds.KINDS`; a language is a code such as `de`, or its English name."""
    variants: Annotated[int, Within(1, MOST_VARIANTS)] = setting(
        1, "Variants of each question per kind; the same question is repeated as often."
    )
    """Fixed in advance. A question counts once any variant changes its answer, so more variants find more changes."""
    law: str = setting(SAME, "Expect the answers: same, same within 0.5, at most, or at least.", metavar="LAW")
    """Written as in a question file. An answer must satisfy the law with itself."""
    questions: Count = setting(100, "Draw this many units of the scope: questions, or clusters of them.")
    flip_limit: Share | None = setting(None, "Test that the answer changes on at most this share of questions.")
    """None: no limit is tested."""
    delta: Share = setting(DELTA, "Bound on the probability that the verdict is wrong.")
    seed: Seed = setting(0, "Draw questions and variants with this seed.")

    def __post_init__(self) -> None:
        check(self)
        check_names(self.vary, "no kind of variation: give one, such as order", "name each kind once")


def check_names(names: tuple[str, ...], without_any: str, remedy: str) -> None:
    """Raise `BadInput` if no name is given, or one is given twice."""
    if not names:
        raise BadInput(without_any)
    if duplicate := next((name for name in names if names.count(name) > 1), None):
        raise BadInput(f"'{duplicate[:60]}' is given twice: {remedy}")


Wording = Literal["own", "printed"]
"""Wording of the prompts: our own, or Boxes 1 to 4 and 6 of `fluri2024` (`printed`)."""


@dataclass(frozen=True, slots=True)
class BailConfig(CheckedConfig):
    """Settings of the study of decisions on bail."""

    limit: Count = setting(200, "Test this many defendants, drawn at random.")
    """1,560 in `fluri2024`."""
    variants: Annotated[int, Within(1, 50)] = setting(5, "Milder records of each defendant, and as many more severe ones.")
    largest_step: Annotated[int, Within(1, 100)] = setting(3, "Change a number of crimes by 1 to this many.")
    """The paper says "slightly"."""
    keep_charge: bool = setting(False, "Never replace the charge, change numbers only.")
    """If it is kept, no result depends on which charge is worse."""
    temperature: Temperature = setting(0.0, "Temperature of replies; none: the candidate's own.")
    repeats: Annotated[int, Within(1, 101)] = setting(1, "Replies per record; the majority counts.")
    control: Annotated[int, Within(least=0)] = setting(100, "Judge this many defendants twice on the same record.")
    seed: Seed = setting(0, "Draw defendants and changes with this seed.")
    recidivism: bool = setting(False, "Also ask of every record whether the person will commit another crime.")
    """Twice as many questions (footnote 2 of `fluri2024`)."""
    prompts: Wording = setting("own", "Words of the prompts: our own, or those printed in the paper.")


Variant = Literal["plain", "opposite", "canonical"]
"""How to ask for probabilities: directly, or after deriving the opposite question or a canonical wording."""
Implied = Literal["lower", "higher"]
"""The value implied in a chain: 'more than 3000' implies the lower, 'by 2030' the higher one."""
TEMPLATE, NOBODY = "template", "none"
"""Names used instead of a writer or a checker."""
REPEATS_AT_ZERO: Final = 3
"""Replies at temperature 0, where they seldom differ (`fluri2024`, appendix C.1)."""
REPEATS: Final = 6
"""Replies at any other temperature (ibid.)."""


@dataclass(frozen=True, slots=True)
class ForecastsConfig(CheckedConfig):
    """Which forecasts to ask for, and how.

    >>> ForecastsConfig().times, ForecastsConfig(temperature=0.5).times, ForecastsConfig(temperature=0.5, repeats=1).times
    (3, 6, 1)
    """

    limit: Count | None = setting(None, "Use this many tuples, drawn at random; else all.")
    """Controls don't count."""
    variant: Variant = setting("plain", "Have the opposite question, or a canonical wording, derived before the answer.")
    temperature: Temperature = setting(0.0, "Temperature of replies; none: the candidate's own.")
    repeats: Annotated[int, Within(1, 1_000)] | None = setting(
        None, f"Take the median of N replies. [default: {REPEATS_AT_ZERO} at temperature 0, else {REPEATS}]"
    )
    control: Annotated[int, Within(least=0)] = setting(20, "Tuples for the control: one question is repeated three times.")
    seed: Seed = setting(0, "Draw the tuples with this seed.")
    """Seed of the draw and of its order."""
    prompts: Wording = setting("own", "Words of the prompts: our own, or those printed in the paper.")
    together: bool = setting(False, "Ask the questions of a tuple in one conversation, in random order.")
    """Each question then follows the real replies to those before it."""

    @property
    def times(self) -> int:
        """Replies to each question for one forecast."""
        if self.repeats is not None:
            return self.repeats
        return REPEATS_AT_ZERO if self.temperature == 0 else REPEATS


@dataclass(frozen=True, slots=True)
class VariantsConfig:
    """Ways to ask that are compared with the first one."""

    variants: tuple[str, ...] = setting(
        ("plain", "opposite", "canonical"),
        "Ask in this way, compared with the first; see above. Repeatable.",
        metavar="VARIANT",
    )

    def __post_init__(self) -> None:
        check(self)
        if len(self.variants) < 2:
            raise BadInput("one way to ask can't be compared: give at least two variants")


@dataclass(frozen=True, slots=True)
class MakingConfig(CheckedConfig):
    """Settings for making tuples of related questions."""

    laws: tuple[str, ...] = setting((), "Which laws; see above.", metavar="LAW,...")
    paraphrases: Annotated[int, Within(1, 40)] = setting(3, "Write this many paraphrases of each question (law paraphrase).")
    """`fluri2024` (section 6.2) uses three besides the original."""
    statements: Annotated[int, Within(1, 40)] = setting(3, "Statements besides P (exclusive, partition, chain).")
    pairs: Count | Literal["all"] | None = setting(
        None, "How many groups of base questions; by default each leads one.", metavar="N|all"
    )
    limit: Count | None = setting(None, "Use N base questions, drawn by the seed.")
    implies: Implied = setting("lower", "In a chain: 'more than 30' implies the lower, 'by 2030' the higher value.")
    seed: Seed = setting(0, "Draw base questions with this seed.")

    @property
    def law_of_series(self) -> str | None:
        """The law of series that don't name one themselves."""
        return ",".join(self.laws) or None


MOST_TURNS: Final = 20


@dataclass(frozen=True, slots=True)
class TeachingConfig:
    """The length of the dialogue, and the questions that the teacher sees."""

    dialogue_turns: Annotated[int, Within(1, MOST_TURNS)] = setting(
        3, "Let the teacher speak, and the candidate reply, this many times."
    )
    examples: Count = setting(3, "Show the teacher this many questions, without answers; not part of the test.")
    dialogue_seed: Seed = setting(0, "Draw these questions with this seed.")

    def __post_init__(self) -> None:
        check(self)
