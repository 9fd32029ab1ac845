"""Debian's Fairy-Stockfish, an outside witness of what is said here about positions and moves."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.candidates.boards.servers import needs_fairy
from vivavoce.candidates.uci.options import find_engine
from vivavoce.candidates.uci.variants import VariantEngine, open_variant
from vivavoce.consistency.games.boards import SHOGI, XIANGQI, ChessLike
from vivavoce.errors import BadInput, TransportFault
from vivavoce.interview.candidate_kinds import BoardPosition, GameToPlay

pytestmark = pytest.mark.engine


@pytest.fixture(params=[XIANGQI, SHOGI], ids=lambda board: board.title)
def board(request: pytest.FixtureRequest) -> ChessLike:
    like: ChessLike = request.param
    return like


@pytest.fixture
def fairy(board: ChessLike) -> Iterator[VariantEngine]:
    engine = VariantEngine(find_engine(f"uci:fairy-stockfish?nodes=60&UCI_Variant={board.title}").settings)
    yield engine
    engine.close()


@needs_fairy
@pytest.mark.long
def test_images_are_read_as_they_are_and_legal_moves_are_the_images_of_legal_moves(
    board: ChessLike, fairy: VariantEngine
) -> None:
    """Of random positions: 60 random moves are no opening theory, but leave hands, promotions and checks."""
    seen = 0
    for number in range(3):
        played = fairy.play(GameToPlay(board.title, number, 5, 30, 60))
        for position in played.positions[::6]:
            assert board.read(position).written == position
            moves = sorted(fairy.legal_moves(position))
            for symmetry in board.symmetries.values():
                image = symmetry.position(position)
                assert sorted(map(symmetry.move, moves)) == sorted(fairy.legal_moves(image))
            seen += bool(moves)
    assert seen >= 9


def _own_terms(variant: str, positions: list[str]) -> list[dict[str, tuple[str, str]]]:
    """What the engine's own `eval` prints for each: by term what it gives the one side, and the other."""
    lines = ["uci", f"setoption name UCI_Variant value {variant}"]
    for position in positions:
        lines += [f"position fen {position}", "eval"]
    program = shutil.which("fairy-stockfish", path=f"{os.environ.get('PATH', '')}:/usr/games")
    assert program is not None
    process = subprocess.run(
        [program], input="\n".join([*lines, "quit", ""]), capture_output=True, text=True, timeout=60, check=True
    )
    terms = [line.split("|") for line in process.stdout.splitlines() if line.count("|") == 3]
    starts = [index for index, cells in enumerate(terms) if cells[0].strip() == "Term"] + [len(terms)]
    return [
        {name.strip(): (white, black) for name, white, black, _ in terms[start:end] if "." in white}
        for start, end in pairwise(starts)
    ]


@needs_fairy
@pytest.mark.long
def test_all_that_the_engine_sees_in_a_position_changes_sides_but_space_in_shogi(
    board: ChessLike, fairy: VariantEngine
) -> None:
    exchanged = board.symmetries["colours"]
    positions = [
        position for number in range(4) for position in fairy.play(GameToPlay(board.title, number, 5, 30, 40)).positions[::2]
    ]
    there, images = (
        _own_terms(board.title, of) for of in (positions, [exchanged.position(position) for position in positions])
    )
    assert len(there) == len(images) >= 9  # it does not evaluate a check
    differ = {
        term
        for entry, image in zip(there, images, strict=True)
        for term in entry
        if image[term] != (entry[term][1], entry[term][0])
    }
    assert differ == ({"Space", "Bishops", "Rooks"} if board is SHOGI else set())
    assert {"Mobility", "King safety", "Threats"} <= set(there[0])


@needs_fairy
@pytest.mark.long
def test_an_answer_depends_on_the_position_alone_and_leads_to_one(board: ChessLike, fairy: VariantEngine) -> None:
    played = fairy.play(GameToPlay(board.title, 1, 0, 4, 12))
    assert played == fairy.play(GameToPlay(board.title, 1, 0, 4, 12))
    questions = [BoardPosition(board.title, position) for position in played.positions]
    first = [fairy.assess(question) for question in questions]
    assert first == [fairy.assess(question) for question in reversed(questions)][::-1]
    assert [assessment.choices for assessment in first] == list(played.choices)
    assert all(-1 < assessment.value < 1 for assessment in first)
    assert all(
        board.to_move(assessment.after) != board.to_move(q.position) for assessment, q in zip(first, questions, strict=True)
    )


@needs_fairy
def test_what_is_no_position_is_refused_or_no_answer(board: ChessLike, fairy: VariantEngine) -> None:
    with pytest.raises(BadInput):
        fairy.assess(BoardPosition(board.title, "startpos\nquit"))
    begin = fairy.play(GameToPlay(board.title, 1, 0, 0, 1)).positions[0]
    with pytest.raises(TransportFault, match="reads the position as"):
        fairy.assess(BoardPosition(board.title, begin.replace(" w ", " w ").replace("0 1", "00 1")))


@needs_fairy
def test_a_game_that_is_over_is_no_answer() -> None:
    fairy = VariantEngine(find_engine("uci:fairy-stockfish?nodes=60&UCI_Variant=xiangqi").settings)
    try:
        with pytest.raises(TransportFault, match="the game is over"):  # Black is mated by two chariots
            fairy.assess(BoardPosition("xiangqi", "3k1R3/4R4/9/9/9/9/9/9/9/4K4 b - - 0 40"))
    finally:
        fairy.close()


@needs_fairy
def test_an_engine_of_chess_alone_is_refused_and_the_game_is_told_by_the_command() -> None:
    with pytest.raises(BadInput, match="leave out 'UCI_Variant'"):
        open_variant("uci:fairy-stockfish?UCI_Variant=shogi", "xiangqi")
    with pytest.raises(BadInput, match="there is no program 'fairy-fish'"):
        open_variant("uci:fairy-fish", "xiangqi")
