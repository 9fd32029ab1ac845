"""Contradictions of a chess engine as part of an examination.

The source of a chess engine's positions: a file, or games that the engine plays against itself.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from vivavoce.consistency.config import (
    PER_GAME,
    PER_GAME_WITH_FORCED,
    SELF_PLAY,
    CheckName,
    ChessConfig,
    EnginesConfig,
    PositionsConfig,
)
from vivavoce.errors import BadFile
from vivavoce.examination.part import (
    Claim,
    ComparableFigure,
    ExaminationConfig,
    ExaminationContext,
    ExaminationCost,
    ExaminationPart,
)
from vivavoce.examination.plan import Move, PlanSection, config_words, in_a_plan
from vivavoce.formats.lines import file_digest
from vivavoce.report.reported import ReportedFinding

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from vivavoce.consistency.chess.compare_positions import Positions
    from vivavoce.interview.transcript import Transcript
    from vivavoce.studies.effects import Effect
    from vivavoce.studies.engine_checks import EngineFinding


SELF_PLAY_TOPIC: Final = "chess/self-play"
PLAYED_AT: Final = 1_000
"""Nodes per move in self-play: sensible games at a small part of the cost."""
GAMES_AT_ONCE: Final = 64
OPENING_PLIES: Final = 4
"""Random half-moves at the start: after eight, two positions in three are already decided; after four, fewer."""


@dataclass(frozen=True, slots=True)
class PositionSource:
    """The source of positions."""

    positions: str
    """A file, or `SELF_PLAY`."""
    per_game: int | None
    """None: all."""
    seed: int
    limit: int

    @property
    def title(self) -> str:
        """In words, without folders."""
        most = "" if self.per_game is None else f", at most {self.per_game} of a game"
        if self.positions == SELF_PLAY:
            return f"self-play from random openings{most}"
        return f"{Path(self.positions).name}{most}"

    @property
    def digest(self) -> str:
        """SHA-256 in hex of the file, so that equal digests mean equal positions; empty for self-play."""
        if self.positions == SELF_PLAY:
            return ""
        return file_digest(Path(self.positions))

    @asynccontextmanager
    async def open(self, engine: str, transcript: Transcript, *, opened: Callable[[str], Any]) -> AsyncIterator[Positions]:
        """The positions, the same at each call. In self-play, `engine` plays both sides, with `PLAYED_AT` nodes per move.

        opened: opens an engine by its name.
        """
        if self.positions != SELF_PLAY:
            from vivavoce.consistency.chess.position_files import from_file

            yield from_file(self.positions, per_game=self.per_game, seed=self.seed)
            return
        from vivavoce.consistency.chess.positions import self_play
        from vivavoce.interview.candidate_kinds import Evaluation, Position
        from vivavoce.interview.vendor_batches import BatchInterview

        player = opened(with_nodes(engine, PLAYED_AT))
        interview = BatchInterview(player, answers=Evaluation, transcript=transcript)

        async def best_moves(fens: Sequence[str]) -> list[str | None]:
            answers = await interview.ask_together([Position(fen) for fen in fens], topic=SELF_PLAY_TOPIC)
            return [answer.best_move if isinstance(answer, Evaluation) else None for answer in answers]

        games_at_once = min(GAMES_AT_ONCE, ceil(self.limit / (self.per_game or PER_GAME_WITH_FORCED)))
        games = self_play(
            best_moves, seed=self.seed, games_at_once=games_at_once, random_plies=OPENING_PLIES, per_game=self.per_game
        )
        try:
            yield games
        finally:
            await player.close()


def source_of(drawn: PositionsConfig, config: ChessConfig) -> PositionSource:
    """The source of a configuration's positions."""
    return PositionSource(drawn.positions, positions_per_game(drawn.per_game, config.checks), config.seed, config.limit)


def positions_per_game(given: int | Literal["all"] | None, checks: Sequence[CheckName]) -> int | None:
    """Positions per game; None: all, the default for forced moves alone."""
    if given is None:
        if "forced" not in checks:
            return PER_GAME
        return PER_GAME_WITH_FORCED if {"recommended", "mirror"} & set(checks) else None
    return None if given == "all" else given


def evaluations_of(check: CheckName, config: ChessConfig) -> int:
    """Evaluations per comparison: two, or for boards one for each orientation."""
    return 8 if check == "boards" and not config.half_turn_only else 2


def with_nodes(engine: str, nodes: int) -> str:
    """The engine's name with this many nodes instead of its own.

    >>> with_nodes("uci:stockfish?nodes=10&Use NNUE=false", 500)
    'uci:stockfish?Use NNUE=false&nodes=500'
    """
    program, _, query = engine.partition("?")
    others = [pair for pair in query.split("&") if pair and pair.partition("=")[0].lower() != "nodes"]
    return f"{program}?{'&'.join([*others, f'nodes={nodes}'])}"


def without_nodes(name: str) -> str:
    """An engine's name without its nodes.

    >>> without_nodes("uci:stockfish?nodes=10&hash=1")
    'uci:stockfish?hash=1'
    """
    return with_nodes(name, 0).removesuffix("nodes=0").rstrip("&?")


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
        from vivavoce.interview.candidate_kinds import Evaluation
        from vivavoce.interview.vendor_batches import BatchInterview
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
