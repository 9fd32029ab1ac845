"""Contradictions of a chess engine as part of an examination."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from vivavoce.consistency.config import SELF_PLAY, ChessConfig, EnginesConfig, PositionsConfig
from vivavoce.errors import BadFile
from vivavoce.examination.chess_source import evaluations_of, source_of
from vivavoce.examination.part import (
    Claim,
    ComparableFigure,
    ExaminationConfig,
    ExaminationContext,
    ExaminationCost,
    ExaminationPart,
)
from vivavoce.examination.plan import Move, PlanSection, config_words, in_a_plan
from vivavoce.report.reported import ReportedFinding

if TYPE_CHECKING:
    from vivavoce.studies.effects import Effect
    from vivavoce.studies.engine_checks import EngineFinding

STRENGTH: Final = Claim("unknown", "how well it plays: the test only checks whether its evaluations agree with each other")


@dataclass(frozen=True, slots=True)
class ChessPlan(PlanSection):
    """Positions that must have the same value."""

    drawn: PositionsConfig = in_a_plan(PositionsConfig)
    config: ChessConfig = in_a_plan(ChessConfig)
    engines: EnginesConfig = in_a_plan(EnginesConfig)

    speed: ClassVar[tuple[str, ...]] = ("workers",)

    def moved(self, file: Move, scope: Move) -> ChessPlan:
        """The plan with another path for the file of positions, if it has one."""
        positions = self.drawn.positions
        return self if positions == SELF_PLAY else replace(self, drawn=replace(self.drawn, positions=file(positions)))


INIT: Final = """\
# [chess]                        # for engines (uci:PROGRAM)
# positions = "selfplay"         # or a file .pgn, .epd, .fen
# limit = 100                    # comparisons a check
# checks = ["recommended", "mirror", "boards"]
# workers = 1
"""


class ChessPart(ExaminationPart):
    """Where does an engine give two values to positions that must have the same value?"""

    room = "chess"
    question = "Do its evaluations agree with each other?"
    section = ChessPlan
    init = INIT
    natures = ("engine",)

    def cost_estimate(self, examination: ExaminationConfig, candidate: object) -> ExaminationCost:
        """Two evaluations per comparison, eight for boards, and the moves of self-play."""
        plan = _plan(examination)
        positions, config = plan.drawn.positions, plan.config
        if positions != SELF_PLAY and not Path(positions).is_file():
            raise BadFile(positions, "there is no such file: give games (.pgn), positions (.epd, .fen), or selfplay")
        calls = config.limit * sum(evaluations_of(check, config) for check in config.checks)
        note = "and the moves of the games that it plays against itself" if positions == SELF_PLAY else ""
        return ExaminationCost(calls, note=note)

    async def run(self, table: ExaminationContext) -> list[tuple[ReportedFinding, str]]:
        """Every evaluation goes through the transcript; engines cost nothing, so no budget ends it."""
        from vivavoce.consistency.chess.compare_positions import Material
        from vivavoce.interview.batch_interview import BatchInterview
        from vivavoce.interview.candidate_kinds import Evaluation
        from vivavoce.studies.chess import check_chess

        assert table.engines is not None
        examination, plan = table.examination, _plan(table.examination)
        config, opened = _config(examination), partial(table.engines, workers=plan.engines.workers)
        source = source_of(plan.drawn, config)
        engine = opened(examination.candidate)
        expected = self.cost_estimate(examination, None).calls
        interview = BatchInterview(
            engine,
            answers=Evaluation,
            transcript=table.transcript,
            expected=expected,
            on_progress=table.on_progress,
            results=table.results,
        )
        title = source.title + ("; boards made at random" if "boards" in config.checks else "")
        try:
            async with source.open(examination.candidate, table.transcript, opened=opened) as positions:
                material = Material(positions, title=title, digest=source.digest)
                finding = await check_chess(interview, material, config)
        finally:
            await engine.close()
        return [(finding, _command(examination))]

    def claims(self, finding: Any) -> tuple[Claim, ...]:
        """Contradictions that the interval shows are a fact; without them there is no verdict."""
        from vivavoce.studies.engine_checks import CONTRADICTED

        engine_finding: EngineFinding = finding
        if not engine_finding.ranked:
            return (Claim("unknown", "whether its evaluations agree: no position could be compared"),)
        if engine_finding.ranked[0].rates[CONTRADICTED].interval.lower > 0:
            scale = "on a scale from −1, lost, to 1, won"
            words = f"taking its evaluations at their word, {scale}: {engine_finding.headline.rstrip('.')}"
            return (Claim("not", words, subject="taking its evaluations at their word"), STRENGTH)
        return (Claim("measured", engine_finding.headline), STRENGTH)

    def figures(self, finding: Any) -> tuple[ComparableFigure, ...]:
        """Shares of positions with large contradictions, by check."""
        from vivavoce.studies.engine_checks import CONTRADICTED, estimate_of_rate

        engine_finding: EngineFinding = finding

        def of(effect: Effect) -> ComparableFigure:
            # positions that an engine finds by playing against itself are its own
            asked = engine_finding.signature.scope_digest and f"{engine_finding.signature.scope_digest}/{effect.treatment.name}"
            name = f"contradictions {effect.treatment.about}"
            return ComparableFigure.of(name, estimate_of_rate(effect.rates[CONTRADICTED]), "share", asked)

        return tuple(map(of, engine_finding.effects))


def _plan(examination: ExaminationConfig) -> ChessPlan:
    return examination.plan.section(ChessPlan) or ChessPlan()


def _config(examination: ExaminationConfig) -> ChessConfig:
    return replace(_plan(examination).config, seed=examination.plan.number)


def _command(examination: ExaminationConfig) -> str:
    plan, config = _plan(examination), _config(examination)
    positions = [] if plan.drawn.positions == SELF_PLAY else ["--positions", plan.drawn.positions]
    words = ["--check", ",".join(config.checks), *positions, *config_words(config, without=["checks"])]
    return examination.command(
        "consistency", "chess", "check", examination.candidate, *words, *config_words(plan.drawn, without=["positions"])
    )
