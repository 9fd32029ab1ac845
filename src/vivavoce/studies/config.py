"""Settings of the studies, in a separate module: the command line reads them before it loads anything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from vivavoce.errors import BadInput
from vivavoce.settings import DELTA, Count, Seed, Share, Temperature, Within, check, setting

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
    law: str = setting(
        SAME,
        "Expect the answers: same, same within 0.5, at most, or at least.",
        metavar="LAW",
    )
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
"""Wording of the prompts: our own, or Box 6 of `fluri2024` (`printed`)."""


@dataclass(frozen=True, slots=True)
class BailConfig:
    """Settings of the study of decisions on bail."""

    limit: Count = setting(200, "Test this many defendants, drawn at random.")
    """1,560 in `fluri2024`."""
    variants: Annotated[int, Within(1, 50)] = setting(5, "Milder records of each defendant, and as many more severe ones.")
    largest_step: Annotated[int, Within(1, 100)] = setting(3, "Change a number of crimes by 1 to this many.")
    """The paper says "slightly"."""
    keep_charge: bool = setting(False, "Never replace the charge, change numbers only.")
    """Then no result depends on which charge is worse."""
    temperature: Temperature = setting(0.0, "Temperature of replies; none: the candidate's own.")
    repeats: Annotated[int, Within(1, 101)] = setting(1, "Replies per record; the majority counts.")
    control: Annotated[int, Within(least=0)] = setting(100, "Judge this many defendants twice on the same record.")
    seed: Seed = setting(0, "Draw defendants and changes with this seed.")
    recidivism: bool = setting(False, "Also ask of every record whether the person will commit another crime.")
    """Twice as many questions (footnote 2 of `fluri2024`)."""
    prompts: Wording = setting("own", "Words of the prompts: our own, or those printed in the paper.")

    def __post_init__(self) -> None:
        check(self)
