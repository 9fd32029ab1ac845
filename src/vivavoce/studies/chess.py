"""Chess: does an engine give different values to positions that must be worth the same (section 5 of `fluri2024`)?

A check makes such a pair: before and after a move, with colours swapped, or turned. No one need know the true value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from vivavoce.consistency.chess.comparison import LAWS, MOVES, NAME, OCCASION, ChessCheck
from vivavoce.consistency.chess.counting import BINS, FEWEST_GAMES
from vivavoce.consistency.config import TELLING, ChessConfig
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import numbered
from vivavoce.report.blocks import Block
from vivavoce.studies import engine_checks
from vivavoce.studies.effects import Effect
from vivavoce.studies.study import FEW, Sample, Study

if TYPE_CHECKING:
    from vivavoce.consistency.chess.compare_positions import Material
    from vivavoce.interview.batch_interview import BatchInterview
    from vivavoce.interview.candidate_kinds import Evaluation, Position


async def check_chess(
    interview: BatchInterview[Position, Evaluation],
    material: Material,
    config: ChessConfig = ChessConfig(),  # noqa: B008 -- frozen
    *,
    each: bool = False,
) -> engine_checks.EngineFinding:
    """Where does an engine contradict itself?

    each: keep all comparisons in the details, not only the counts and the largest differences. This needs more memory.
    """
    from vivavoce.consistency.chess.compare_positions import compare_positions

    checked = await compare_positions(interview, material, config, each=each)
    return engine_checks.finding_of(CHESS, checked, [engine_checks.TREATMENTS[summary.check] for summary in checked.summaries])


def contradiction(finding: engine_checks.EngineFinding, effect: Effect) -> str:
    """How many positions have different values, and what should hold; a contradiction only if the interval excludes 0."""
    rate = effect.rates[engine_checks.CONTRADICTED]
    positions = numbered(rate.n, "position")
    required = f" Its evaluation should stay the same {effect.treatment.about}."
    if not rate.events:
        return f"{finding.name} shows no difference above {TELLING:g} on {positions} ({rate.at_most}).{required}"
    on = f"{rate.with_interval} of {positions}"
    if rate.interval.lower > 0:
        return f"{finding.name} contradicts itself by more than {TELLING:g} on {on}.{required}"
    return f"{finding.name} is not shown to contradict itself by more than {TELLING:g}: it does so on {on}.{required}"


def has_checks(*checks: str) -> Callable[[engine_checks.EngineFinding], bool]:
    """Make a condition: whether the finding has one of these checks."""
    return lambda finding: not finding.details.kinds.isdisjoint(checks)


def _method(finding: engine_checks.EngineFinding) -> Iterator[str]:
    yield (
        "The engine gets each position alone, after its memory was cleared. An evaluation is the expected outcome, from −1 to "
        "1. After a move, which changes the side to move, its sign is turned."
    )
    yield from (LAWS[check] for check in NAME if check in finding.details.kinds)
    yield "With sign: the first evaluation minus the second, both for the same side."
    yield (
        "Positions of one game are alike, so games are resampled: in each of 1,000 resamples, each game counts a Poisson "
        "number of times (chamandy2012)."
    )
    yield (
        "Intervals are at level 95%: Student's for means; for shares Clopper and Pearson's, at the number of independent "
        "positions that would be as uncertain (korn1998)."
    )


def _sections(finding: engine_checks.EngineFinding) -> tuple[Block, ...]:
    labels = {effect.treatment.name: effect.label for effect in finding.effects}
    checks = finding.details.checks
    return (
        *engine_checks.absences(finding),
        engine_checks.histograms(checks, labels),
        *engine_checks.compared_with_paper(finding.examined[0], finding.effects),
        engine_checks.largest_differences(checks, labels),
    )


def _has_no_chances(finding: engine_checks.EngineFinding) -> bool:
    pairs = (pair for check in finding.details.checks for pair in check.worst)
    return any(judged.evaluation.wins is None for pair in pairs for judged in (pair.first, pair.second))


def _games(finding: engine_checks.EngineFinding) -> list[float]:
    return [effect.numbers["games"] or 0 for effect in finding.effects if effect.n]


WHICH_IS_WRONG: Final = "A difference shows that one of the two values is wrong, not which one, or how bad a move would be."
CAVEATS: Final[tuple[str | tuple[str, Callable[[engine_checks.EngineFinding], bool]], ...]] = (
    (
        "Some evaluations are at an end of the scale (won or lost for certain), which may hide a difference.",
        lambda finding: any(effect.rates[engine_checks.AT_AN_END].events for effect in finding.effects),
    ),
    ("After a move the engine sees half a move further: small differences are expected.", has_checks(*MOVES)),
    "Other positions, another version of the engine or a longer search may give other results.",
    "Positions are evaluated without the game before them.",
    (
        "The engine gave no evaluation of some positions; they don't count.",
        lambda finding: any(effect.numbers["no_answers"] for effect in finding.effects),
    ),
    (
        "Positions of one game are alike, and they come from fewer than 30 games: the intervals are rough.",
        lambda finding: FEWEST_GAMES <= min(_games(finding), default=0) < FEW,
    ),
    (
        "Positions of fewer than three games say nothing about other games: intervals hold every possible value.",
        lambda finding: 0 < min(_games(finding), default=0) < FEWEST_GAMES,
    ),
)
"""Caveats that apply to all studies of engines."""


CHESS: Final[Study[engine_checks.EngineDetails]] = Study(
    kind="chess",
    heading="Contradictions in chess",
    title="Contradictions of {} in chess",
    about="Two positions that must be worth the same are evaluated, each by itself, between −1 (lost) and 1 (won).",
    events=engine_checks.EVENTS,
    case="position",
    item="position",
    list_head=f"Positions with a difference above {TELLING:g}",
    control_label="",
    axis=f"positions with a difference above {TELLING:g}",
    no_treatment="nothing to be compared with ({})",
    ability="giving equal positions equal values",
    nothing=lambda finding: f"Nothing was compared: no position suited a check of {finding.name}.",
    sentence=contradiction,
    worst=engine_checks.largest_difference,
    sections=_sections,
    method=lambda finding: tuple(_method(finding)),
    sample=Sample(
        engine_checks.EngineDetails(
            tuple(engine_checks.CheckDetails(check, check, {"time-out": 1}, (0,) * BINS, ()) for check in ChessCheck),
            3,
            half_turn_only=False,
            each=(),
        ),
        treatments=(ChessCheck.RECOMMENDED, ChessCheck.MIRROR),
        about=OCCASION,
        rates=(engine_checks.AT_AN_END,),
        numbers={"games": 12, "largest": 0.6, "no_answers": 1},
        estimates=dict.fromkeys(("mean_difference", "mean_signed"), Estimate(0.1, Interval(0.05, 0.2), 40)),
    ),
    tables=engine_checks.tables_of("Check"),
    caveats=(
        WHICH_IS_WRONG,
        (
            "The engine gives no chances of winning: a logistic curve maps its centipawns to outcomes. The size of every "
            "difference depends on that curve.",
            _has_no_chances,
        ),
        (
            "Outcomes are the engine's own, and other engines map scores in other ways: don't compare sizes between engines.",
            lambda finding: not _has_no_chances(finding),
        ),
        (
            "The two most different of eight orientations are compared: their difference is larger than one pair's, and "
            "has no sign.",
            lambda finding: has_checks(ChessCheck.BOARDS)(finding) and not finding.details.half_turn_only,
        ),
        (
            "In some positions the forced move was made, not found: a check that leaves one reply is often a strange move.",
            lambda finding: finding.details.made_forced > 0,
        ),
        *CAVEATS,
    ),
)
