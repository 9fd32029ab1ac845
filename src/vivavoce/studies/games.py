"""Xiangqi and shogi: does an engine give different values to positions that must be worth the same?

The checks are those of chess (`fluri2024`), with each game's symmetries. Positions come from the engine's games against itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from vivavoce.consistency.config import GAME_CHECKS, GameName, GamesConfig
from vivavoce.consistency.games.boards import BOARDS
from vivavoce.consistency.games.compare_positions import LAWS, NAME, OCCASION, board_pair, compare_positions, in_words
from vivavoce.interview.batch_interview import BatchInterview
from vivavoce.interview.candidate_kinds import Assessment, BoardPosition, GameToPlay, PlayedGame
from vivavoce.report.blocks import Block
from vivavoce.studies import engine_checks
from vivavoce.studies.chess import CAVEATS, CHESS, WHICH_IS_WRONG, contradiction, how_sampled
from vivavoce.studies.study import Study

TREATMENTS: Final = engine_checks.treatments_of(NAME, OCCASION)


async def check_game(
    game: GameName,
    interview: BatchInterview[BoardPosition, Assessment],
    player: BatchInterview[GameToPlay, PlayedGame],
    config: GamesConfig = GamesConfig(),  # noqa: B008 -- frozen
) -> engine_checks.EngineFinding:
    """Where does an engine of this game contradict itself?

    interview: with the engine that evaluates positions. player: with the engine that plays games for both sides.

    Raises `CandidateUnreachable` if no game could be played.
    """
    checked = await compare_positions(game, interview, player, config)
    return engine_checks.finding_of(STUDIES[game], checked, [TREATMENTS[summary.check] for summary in checked.summaries])


def _method(finding: engine_checks.EngineFinding) -> Iterator[str]:
    yield (
        "The engine gets each position alone, after the signal that a new game begins. After a move, which changes the side "
        "to move, the sign is turned."
    )
    yield from (LAWS[check] for check in GAME_CHECKS if check in finding.details.kinds)
    yield "With sign: the first value minus the second, both for the same side after a move."
    yield (
        "Another move: its best move in the second position does not match its best move in the first. Two moves may be "
        "equally good, so that alone is no error."
    )
    yield from how_sampled()


def _sections(finding: engine_checks.EngineFinding, game: GameName) -> tuple[Block, ...]:
    labels = {effect.treatment.name: effect.label for effect in finding.effects}
    checks, draw = finding.details.checks, partial(board_pair, board=BOARDS[game])
    return (
        *engine_checks.absences(finding),
        engine_checks.histograms(checks, labels),
        engine_checks.largest_differences(checks, labels, draw, in_words, "One of each game, with the engine's values."),
    )


def _declared(game: GameName) -> Study[engine_checks.EngineDetails]:
    return replace(
        CHESS,
        kind="games",
        heading=f"Contradictions in {game}",
        title=f"Contradictions of {{}} in {game}",
        about="Two positions that must be worth the same are evaluated, each by itself, for the side to move.",
        sample=replace(CHESS.sample, treatments=GAME_CHECKS, about=OCCASION),
        sentence=partial(contradiction, game=f" in {game}"),
        worst=partial(engine_checks.largest_difference, draw=partial(board_pair, board=BOARDS[game])),
        sections=partial(_sections, game=game),
        method=lambda finding: tuple(_method(finding)),
        tables=engine_checks.tables_of("Check", compares_moves=True),
        caveats=(
            WHICH_IS_WRONG,
            "Outcomes are the engine's win rates, or its centipawns mapped by a logistic curve. Don't compare sizes of "
            "differences between engines or games.",
            *CAVEATS,
        ),
    )


XIANGQI: Final = _declared("xiangqi")
SHOGI: Final = _declared("shogi")
STUDIES: Final[Mapping[GameName, Study[engine_checks.EngineDetails]]] = {"xiangqi": XIANGQI, "shogi": SHOGI}
