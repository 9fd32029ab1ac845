"""The settings of comparisons, gates and their plans."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from vivavoce.certificate.config import DRAWS, Answers, Unreadable
from vivavoce.errors import BadInput
from vivavoce.settings import DELTA, MARGIN, Count, Portion, Seed, Share, Within, check, setting

if TYPE_CHECKING:
    from vivavoce.certificate.claims.draws import Draws

Rule = Literal["any", "share"]
"""What delta bounds: the chance of any wrong statement, or the expected share of wrong ones."""
Margin = Annotated[float, Within(least=0, below=1)]
ROUNDING = 1e-9
PairedClaim = Literal["mean", "all-right", "vote"]
DRAWS_CLAIM: Final = "With --draws, compare means, all N (pass^N), or votes of N. [default: mean]"
OF_DRAWS: Final = ("draws", "draws_claim")
"""Settings that are not part of terms or signature if each question has one answer."""


@dataclass(frozen=True, slots=True)
class PairedConfig:
    """The claim about differences, with its error bound."""

    margin: Margin = setting(MARGIN, "Ignore differences of mean score up to this.")
    delta: Share = setting(DELTA, "Bound the chance of a wrong statement, over all attempts.")
    questions: Count | None = setting(None, "Ask each candidate at most N.")
    unreadable: Unreadable = setting("interval", "Count unparsed replies for neither side, or as wrong.", expert=True)
    seed: Seed | None = setting(None, "Fix the questions, for examples and studies. [default: random]")
    draws: Answers | None = setting(None, DRAWS)
    draws_claim: PairedClaim | None = setting(None, DRAWS_CLAIM, expert=True)

    def __post_init__(self) -> None:
        check(self)
        _ = self.repeated

    @property
    def repeated(self) -> Draws | None:
        """How often each question is answered, and which quantity is compared."""
        from vivavoce.certificate.claims.draws import Draws  # which takes long to load, and options are read from here

        return Draws.given(self.draws, self.draws_claim)


@dataclass(frozen=True, slots=True)
class ComparisonConfig(PairedConfig):
    """The settings of a comparison."""

    rule: Rule = setting("any", "With several candidates, bound any wrong verdict, or the share of them.")


@dataclass(frozen=True, slots=True)
class GateConfig(PairedConfig):
    """The settings of a gate: the drop of the mean score that must not pass, and the error bound."""

    margin: Margin = setting(MARGIN, "Fail a drop of mean score of this size.")
    delta: Share = setting(DELTA, "Bound the chance of each of the two wrong verdicts, over all attempts.")


@dataclass(frozen=True, slots=True)
class ComparisonPlanConfig:
    """Assumptions about two candidates with right or wrong answers, and how to compare them."""

    drop: Annotated[float, Within(-1, 1)] = setting(0.05, "Assume this drop of the mean score below the baseline's.")
    score: Portion = setting(0.8, "Mean score of the baseline.")
    discordance: Portion | None = setting(
        None,
        "Share of questions that only one of the two gets right. [default: all possible]",
    )
    margin: Margin = setting(MARGIN, "Ignore differences below this, as in 'viva compare'.")
    delta: Share = setting(DELTA, "Likewise.")
    questions: Annotated[int, Within(1, 1_000_000)] = setting(10_000, "Ask each candidate at most N.")
    size: Annotated[int, Within(1, 10_000_000)] | None = setting(
        None, "Questions of the scope, each asked once. [default: an endless scope]"
    )
    price: Annotated[float, Within(least=0)] = setting(0.0, "Price of one question and its answer, of one candidate.")
    simulations: Annotated[int, Within(1, 1_000_000)] = setting(1_000, "Simulated comparisons.")
    seed: Seed = setting(0, "Draw the simulated answers with this seed.")

    def __post_init__(self) -> None:
        check(self)
        if not 0 <= self.score - self.drop <= 1:
            raise BadInput(
                f"a drop of {self.drop:g} from a score of {self.score:g}: "
                f"the new candidate's mean score would be {self.score - self.drop:.3g}"
            )
        least, most = self.discordances
        if self.discordance is not None and not least - ROUNDING <= self.discordance <= most + ROUNDING:
            raise BadInput(
                f"a discordance of {self.discordance:g}: with a drop of {self.drop:g} from a score of {self.score:g} "
                f"it lies from {least:.3g} to {most:.3g}"
            )

    @property
    def discordances(self) -> tuple[float, float]:
        """The least and the most that score and drop allow.

        The drop is the share that only the baseline has right minus the share that only the new one has right. The rest are
        questions that both have right or both have wrong.

        >>> [round(end, 3) for end in ComparisonPlanConfig(drop=0.05, score=0.88).discordances]
        [0.05, 0.29]
        """
        return abs(self.drop), min(2 * self.score - self.drop, 2 * (1 - self.score) + self.drop)


def as_settled(config: PairedConfig, *, without: tuple[str, ...]) -> dict[str, Any]:
    """The settings for terms and signatures; settings of draws only if each question is answered several times.

    >>> "draws" in as_settled(ComparisonConfig(), without=()), as_settled(GateConfig(draws=3), without=())["draws_claim"]
    (False, 'mean')
    """
    settings = {name: value for name, value in asdict(config).items() if name not in (*without, *OF_DRAWS)}
    return settings | ({} if config.repeated is None else config.repeated.settings)
