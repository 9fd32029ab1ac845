"""Chess: does an engine give different values to positions that must be worth the same (section 5 of `fluri2024`)?

A check makes such a pair: before and after a move, with colours swapped, or turned. No one need know the true value.

Chess over nodes: do contradictions become rarer as an engine searches longer (Figure 7 of `fluri2024`)?

The same positions are examined at each number of nodes, which is the treatment. A line is fitted to the logarithms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import exp
from typing import TYPE_CHECKING, Final

from vivavoce.consistency.chess.comparison import LAWS, MOVES, NAME, OCCASION, ChessCheck
from vivavoce.consistency.chess.counting import BINS, FEWEST_GAMES, CheckedPositions, Fit, fit_rows
from vivavoce.consistency.config import TELLING, THRESHOLDS, ChessConfig
from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, numbered, percent, signed
from vivavoce.report.blocks import Block, Column, ReportFigure, ReportRow, ReportTable
from vivavoce.report.cells import TableCell, count_cell, signed_cell
from vivavoce.report.figures import Axis, Line, LinePoint, Lines
from vivavoce.studies import engine_checks
from vivavoce.studies.effects import Effect, Treatment
from vivavoce.studies.study import FEW, Sample, Study

if TYPE_CHECKING:
    from vivavoce.consistency.chess.compare_positions import Material
    from vivavoce.interview.candidate_kinds import Evaluation, Position
    from vivavoce.interview.vendor_batches import BatchInterview


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


def over_nodes(effects: Sequence[Effect], fits: Sequence[Fit]) -> ReportFigure:
    """Plots of how contradictions become rarer with search (Figure 7 of `fluri2024`)."""
    slopes = ", ".join(f"{signed(fit.slope.value or 0.0)} for more than {fit.threshold:g}" for fit in fits)
    alt = "The share of positions with a contradiction by the number of nodes, both on logarithmic scales. " + (
        f"Slopes of the fitted lines: {slopes}." if slopes else "Too few contradictions for a line."
    )
    rates = [effect.rates[event] for effect in effects for event in engine_checks.OVER.values()]
    lowest = min((rate.least for rate in rates if rate.least), default=0.1) / 2
    lines = [line for threshold in THRESHOLDS for line in _lines(threshold, effects, fits, lowest)]
    shares = tuple((10.0**power, percent(10.0**power)) for power in range(-7, 1))
    least, most = _nodes_of(effects[0]), _nodes_of(effects[-1])
    across = Axis("Nodes searched", logarithmic=True, span=(least / 1.3, most * 1.3), ticks=_ticks(least, most))
    upwards = Axis("Positions with a larger difference", logarithmic=True, span=(lowest, 1.0), ticks=shares)
    return ReportFigure(Lines(across, upwards, tuple(lines), alt, height_inches=3.6))


def _ticks(least: int, most: int) -> tuple[tuple[float, str], ...]:
    powers = [10**power for power in range(13) if least <= 10**power <= most] or [least, most]
    shown = powers[:: -(-len(powers) // 5)]
    return tuple((float(nodes), count(nodes)) for nodes in shown)


def _lines(threshold: float, effects: Sequence[Effect], fits: Sequence[Fit], lowest: float) -> tuple[Line, ...]:
    """The shares above a threshold, and the line fitted to them; empty if no difference was that large."""
    points = tuple(
        LinePoint(_nodes_of(effect), rate.least, Interval(max(rate.interval.lower, lowest), rate.interval.upper))
        for effect in effects
        if (rate := effect.rates[engine_checks.OVER[threshold]]).least
    )
    if not points:
        return ()
    line = Line(f"more than {threshold:g}", points, joined=False)
    fitted = (
        tuple(LinePoint(point.x, exp(fit.intercept) * point.x ** (fit.slope.value or 0.0)) for point in (points[0], points[-1]))
        for fit in fits
        if fit.threshold == threshold
    )
    return (line, *(Line("", ends, is_reference=True) for ends in fitted))


def slopes(fits: Sequence[Fit]) -> tuple[ReportTable, ...]:
    """The table of fitted lines: slope, and the factor by which ten times as many nodes reduce contradictions."""
    if not fits:
        return ()
    heads = (Column("Difference"), Column("Slope"), Column("Left by ten times the nodes"), Column("Points"))
    rows = []
    for fit in fits:
        tenfold = TableCell.of(fit.tenfold, "{:.2f}".format, lambda ends: f"[{ends.lower:.2f}, {ends.upper:.2f}]")
        cells = (signed_cell(fit.slope), tenfold, count_cell(fit.slope.n))
        rows.append(ReportRow(TableCell(f"Over {fit.threshold:g}"), cells))
    return (ReportTable(heads, tuple(rows)),)


def _nodes_of(effect: Effect) -> int:
    return int(effect.numbers["nodes"] or 0)


def scaling(candidate: str, checked: Mapping[int, CheckedPositions]) -> engine_checks.EngineFinding:
    """Combine the counts at several numbers of nodes into one finding.

    candidate: the engine's name without nodes. checked: results by number of nodes; each is of the same single check on the
    same positions with the same seed.

    Raises `BadInput` for fewer than two numbers of nodes, or for more than one check.
    """
    checks = {summary.check for positions in checked.values() for summary in positions.summaries}
    if len(checked) < 2 or len(checks) != 1:
        raise BadInput("a scaling study needs one check at two or more numbers of nodes")
    rows = [(nodes, checked[nodes].summaries[0]) for nodes in sorted(checked)]
    fits = tuple(fit for threshold in THRESHOLDS if (fit := fit_rows(rows, threshold)) is not None)
    first = checked[rows[0][0]]
    whole = replace(
        first,
        candidate=candidate,
        settings={**first.settings, "nodes": [nodes for nodes, _ in rows]},
        summaries=tuple(summary for _, summary in rows),
    )
    occasion = OCCASION[checks.pop()]
    treatments = [
        Treatment(str(nodes), occasion, label=numbered(nodes, "node"), group=numbered(nodes, "node")) for nodes, _ in rows
    ]
    finding = engine_checks.finding_of(CHESS_SCALING, whole, treatments, fits)
    with_nodes = (
        replace(effect, numbers={**effect.numbers, "nodes": nodes})
        for (nodes, _), effect in zip(rows, finding.effects, strict=True)
    )
    return replace(finding, effects=tuple(with_nodes))


def _sentence(finding: engine_checks.EngineFinding, _: Effect) -> str:
    first, last = finding.effects[0], finding.effects[-1]
    rates = [effect.rates[engine_checks.CONTRADICTED] for effect in (first, last)]
    if not all(rate.n for rate in rates):
        return CHESS.nothing(finding)
    does = "contradicts itself" if any(rate.interval.lower > 0 for rate in rates) else "is not shown to contradict itself"
    return (
        f"{finding.name} {does} by more than {TELLING:g} {first.treatment.about}. With {first.label}: "
        f"{rates[0].with_interval} of {numbered(rates[0].n, 'position')}; with {last.label}: {rates[1].with_interval}."
    )


def _trend(fits: tuple[Fit, ...]) -> str:
    """Say how ten times as many nodes change the number of contradictions."""
    fit = next((fit for fit in fits if fit.threshold == TELLING), None)
    if fit is None or fit.tenfold.value is None:
        return "Too few contradictions at too few numbers of nodes for a trend."
    ends = fit.tenfold.interval
    return (
        f"Ten times as many nodes leave {fit.tenfold.value:.2f} [{ends.lower:.2f}, {ends.upper:.2f}] times as many "
        "contradictions."
    )


def rise(effects: tuple[Effect, ...]) -> str:
    """Name a number of nodes at which contradictions were more frequent than with fewer nodes, beyond chance; else empty."""
    for index, fewer in enumerate(effects):
        for more in effects[index + 1 :]:
            if more.rates[engine_checks.CONTRADICTED].interval.lower > fewer.rates[engine_checks.CONTRADICTED].interval.upper:
                return f"Contradictions are more frequent with {more.label} than with {fewer.label}: their intervals are apart."
    return ""


def _scaling_sections(finding: engine_checks.EngineFinding) -> tuple[Block, ...]:
    labels = {effect.treatment.name: effect.label for effect in finding.effects}
    checks = finding.details.checks
    return (
        *slopes(finding.details.fits),
        *engine_checks.nodes_in_paper(checks[0].check),
        engine_checks.largest_differences(checks, labels),
    )


def _scaling_method(finding: engine_checks.EngineFinding) -> tuple[str, ...]:
    return (
        "Lines are fitted to the logarithms of nodes and shares by least squares: one for each threshold exceeded at three or "
        "more numbers of nodes.",
        "Intervals of slopes are quantiles over the resamples below, in which a game counts equally often at every number of "
        "nodes.",
        *CHESS.method(finding),
    )


CHESS_SCALING: Final[Study[engine_checks.EngineDetails]] = replace(
    CHESS,
    kind="chess-scaling",
    heading="Contradictions in chess, over nodes",
    title="Contradictions of {} in chess, over nodes",
    about="The same pairs of positions, which must be worth the same, are evaluated at each number of nodes.",
    sentence=_sentence,
    further=lambda finding: tuple(filter(None, (_trend(finding.details.fits), rise(finding.effects)))),
    figures=lambda finding: (over_nodes(finding.effects, finding.details.fits),),
    sections=_scaling_sections,
    method=_scaling_method,
    sample=replace(
        CHESS.sample,
        details=replace(
            CHESS.sample.details,
            fits=(Fit(TELLING, Estimate(-0.3, Interval(-0.4, -0.2), 4), -1.0, Estimate(0.5, Interval(0.4, 0.63), 4)),),
        ),
        treatments=("100 nodes", "1000 nodes"),
        about=dict.fromkeys(("100 nodes", "1000 nodes"), OCCASION[ChessCheck.MIRROR]),
    ),
    tables=engine_checks.tables_of("Nodes")[:1],
    caveats=(
        (
            "Contradictions don't become steadily rarer, so a straight line does not describe them.",
            lambda finding: bool(rise(finding.effects)),
        ),
        (
            "The line is only a description. It leaves out numbers of nodes without contradictions, which makes it flatter.",
            lambda finding: bool(finding.details.fits),
        ),
        *CHESS.caveats,
    ),
)
