"""Positions, and files of them."""

from __future__ import annotations

import gzip
import io
import os
import random
import zipfile
from collections.abc import Sequence
from contextlib import aclosing, suppress
from itertools import groupby, islice
from pathlib import Path

import chess
import chess.pgn
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.consistency.chess.position_files import from_file
from vivavoce.consistency.chess.positions import (
    BestMoves,
    GamePosition,
    SkipCounts,
    forced_from,
    in_middle_game,
    self_play,
    synthetic_boards,
)
from vivavoce.errors import BadFile, CandidateUnreachable


def test_synthetic_boards_are_as_the_paper_says() -> None:
    kinds = set()
    for position in islice(synthetic_boards(np.random.default_rng(5)), 500):
        board = chess.Board(position.fen)
        white, black = (
            sorted(piece.symbol().upper() for piece in board.piece_map().values() if piece.color == c) for c in (True, False)
        )
        assert white == black
        assert len(white) == 4
        assert white.count("K") == 1
        assert "P" not in white
        assert white.count("Q") <= 1
        assert all(white.count(piece) <= 2 for piece in "RBN")
        assert board.turn == chess.WHITE
        assert board.is_valid()
        assert not board.is_game_over()
        assert 30 <= board.fullmove_number <= 70
        assert 0 <= board.halfmove_clock <= board.fullmove_number / 3
        kinds.add("".join(white))
    # three of RNBQBNR: QRR QNN QBB QRN QRB QNB, RRN RRB NNR NNB BBR BBN, RNB
    assert len(kinds) == 13


def test_synthetic_boards_can_be_had_again_and_are_games_of_their_own() -> None:
    first, second = (list(islice(synthetic_boards(np.random.default_rng(3)), 600)) for _ in range(2))
    assert first == second
    assert len({position.game for position in first}) == len({position.fen for position in first}) == 600


def test_forced_positions_are_made_by_a_check_with_one_reply() -> None:
    """Against an enumeration of all moves."""
    made = 0
    for n, position in enumerate(islice(synthetic_boards(np.random.default_rng(8)), 300)):
        board = chess.Board(position.fen)
        possible = set()
        for move in board.legal_moves:
            child = board.copy()
            child.push(move)
            if child.is_check() and child.legal_moves.count() == 1:
                possible.add(child.fen())
        forced = forced_from(position, np.random.default_rng(n))
        assert (forced is None) == (not possible)
        if forced is not None:
            assert forced.fen in possible
            assert forced.game == position.game
            assert forced == forced_from(position, np.random.default_rng(n))
            made += 1
    assert made > 20


async def at_random(fens: Sequence[str]) -> list[str | None]:
    """An engine that plays anything, always the same in a position."""
    return [str(random.Random(fen).choice([m.uci() for m in chess.Board(fen).legal_moves])) for fen in fens]


async def taken(
    number: int, engine: BestMoves = at_random, *, seed: int = 0, games_at_once: int = 4, per_game: int | None = None
) -> list[GamePosition]:
    game_positions: list[GamePosition] = []
    async with aclosing(self_play(engine, seed=seed, games_at_once=games_at_once, per_game=per_game)) as positions:
        async for position in positions:
            game_positions.append(position)
            if len(game_positions) == number:
                break
    return game_positions


@pytest.mark.long
async def test_self_play_gives_whole_games_in_order_and_the_same_again() -> None:
    positions = await taken(400, games_at_once=5, seed=2)
    assert all(
        in_middle_game(board) and board.is_valid() and not board.is_game_over()
        for board in (chess.Board(p.fen) for p in positions)
    )
    numbers = [int(game.split()[-1]) for game, _ in groupby(positions, key=lambda position: position.game)]
    assert numbers == sorted(set(numbers))
    assert len(numbers) >= 3
    for _, game in groupby(positions, key=lambda position: position.game):
        plies = [chess.Board(position.fen).ply() for position in game]
        assert plies == list(range(plies[0], plies[0] + len(plies)))
    assert positions == await taken(400, games_at_once=5, seed=2)
    assert positions == await taken(400, games_at_once=17, seed=2)
    assert positions != await taken(400, games_at_once=5, seed=3)


async def test_self_play_takes_so_many_positions_of_a_game() -> None:
    positions = await taken(20, per_game=2, games_at_once=4)
    assert max(len(list(game)) for _, game in groupby(positions, key=lambda position: position.game)) == 2
    assert len({position.game for position in positions}) >= 10


async def test_games_that_repeat_themselves_come_to_an_end() -> None:
    async def shuffling(fens: Sequence[str]) -> list[str | None]:
        boards = [chess.Board(fen) for fen in fens]
        quiet = [[m for m in b.legal_moves if not b.is_zeroing(m)] or list(b.legal_moves) for b in boards]
        return [min(moves, key=lambda m: m.uci()).uci() for moves in quiet]

    asked = 0

    async def counted(fens: Sequence[str]) -> list[str | None]:
        nonlocal asked
        asked += 1
        return await shuffling(fens)

    async with aclosing(self_play(counted, games_at_once=3, random_plies=30)) as positions:
        async for position in positions:
            if position.game.endswith(" 7"):
                break
    assert asked < 600


async def test_a_game_without_a_legal_move_is_dropped() -> None:
    silent = ["e2e9", "", "0000", None, "\x1b", "a1h8"]
    rounds = 0

    async def faltering(fens: Sequence[str]) -> list[str | None]:
        nonlocal rounds
        rounds += 1
        moves = await at_random(fens)
        return [silent[rounds - 1], *moves[1:]] if rounds <= len(silent) else moves

    async with aclosing(self_play(faltering, games_at_once=3)) as positions:
        async for position in positions:
            assert position.game not in {"self-play game 1", "self-play game 4"}
            break


async def test_an_engine_that_plays_nothing_is_unreachable() -> None:
    async def mute(fens: Sequence[str]) -> list[str | None]:
        return [None] * len(fens)

    with pytest.raises(CandidateUnreachable, match="no legal move came for 6 positions"):
        await taken(1, mute, games_at_once=2)


DATA = Path(os.environ.get("VIVA_DATA", "")) / "chess"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="$VIVA_DATA does not name the research data folder")

SHUFFLE = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. Nf3 Nf6 8. Ng1 Ng8 9. Nf3 Nf6 10. Ng1 Ng8 "
LONG = SHUFFLE + "11. Nf3 Nf6 12. Ng1 Ng8 13. Nf3 Nf6 14. Ng1 Ng8 15. Nf3 Nf6 16. Ng1 Ng8 17. Nf3 Nf6 *"
"""Seventeen moves with all men on the board."""


def written(tmp_path: Path, text: str | bytes, name: str = "games.pgn") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def headed(moves: str, white: str = "A", black: str = "B", more: str = "") -> str:
    return f'[Event "?"]\n[White "{white}"]\n[Black "{black}"]\n{more}\n{moves}\n\n'


@each_case(
    ("fen", "wanted"),
    [
        # 2 kings, 2 queens, 4 rooks: six pieces, and two pawns make ten men
        ("r2qr1k1/p7/8/8/8/8/P7/R2QR1K1 w - - 0 16", True),
        ("r2qr1k1/p7/8/8/8/8/P7/R2QR1K1 b - - 0 15", False),  # not after move 15
        ("r2qr1k1/p7/8/8/8/8/8/R2QR1K1 w - - 0 16", False),  # nine men
        ("r2q2k1/pppppppp/8/8/8/8/PPPPPPPP/R2QR1K1 w - - 0 16", False),  # five pieces
        ("r2nr1k1/p7/8/8/8/8/P7/R2NR1K1 w - - 0 16", False),  # six pieces without a queen
        ("r2nr1k1/p7/8/8/8/8/P7/R1BNR1K1 w - - 0 16", True),  # seven
    ],
)
def test_the_middle_game_of_the_paper(fen: str, wanted: bool) -> None:
    assert in_middle_game(chess.Board(fen)) is wanted


def test_positions_of_games_after_move_15(tmp_path: Path) -> None:
    path = written(tmp_path, headed(LONG, "Carlsen,M", "Jones,G") + headed(SHUFFLE + "1/2-1/2") + headed(LONG))
    skipped = SkipCounts()
    positions = list(from_file(path, skipped=skipped))
    # after 15...Ng8 it is move 16: before and after each half-move of moves 16 and 17 there are 5 positions
    assert [position.game for position in positions] == ["games.pgn #1 (Carlsen,M - Jones,G)"] * 5 + [
        "games.pgn #3 (A - B)"
    ] * 5
    # half-moves 31 to 35 begin here, none of them a capture or a pawn move
    assert [position.fen.split()[1] + " " + " ".join(position.fen.split()[4:]) for position in positions[:5]] == [
        "w 32 17" if i == 2 else text for i, text in enumerate(["w 30 16", "b 31 16", "", "b 33 17", "w 34 18"])
    ]
    assert skipped == {"no middle game": 1}


def test_all_positions_of_a_game_and_a_draw_of_them(tmp_path: Path) -> None:
    path = written(tmp_path, headed(LONG) + headed(LONG))
    every = list(from_file(path))
    assert len(every) == 10  # of each game those before and after each half-move of moves 16 and 17
    drawn = list(from_file(path, per_game=3, seed=1))
    assert [position.game[:12] for position in drawn] == ["games.pgn #1"] * 3 + ["games.pgn #2"] * 3
    assert drawn == list(from_file(path, per_game=3, seed=1))
    assert drawn != list(from_file(path, per_game=3, seed=2))


@each_case(
    ("game", "reason"),
    [
        (headed(LONG.replace("17. Nf3", "17. Nf6")), "illegal move"),
        (headed(LONG.replace("17. Nf3", "17. --")), "illegal move"),
        (headed(LONG.removesuffix(" *")), "cut short"),
        (headed(LONG.removesuffix("*") + "{ an open comment *"), "cut short"),
        (headed("", more='[FEN "no position"]\n'), "no standard start"),
        (headed(LONG, more='[FEN "kK6/8/8/8/8/8/8/8 w - - 0 1"]\n'), "no standard start"),
        (headed(LONG, more='[FEN "4k3/8/8/8/8/8/8/4KR2 w - - 0 99999"]\n'), "no standard start"),
        (headed(LONG, more='[Variant "Crazyhouse"]\n'), "no standard start"),
        (headed(LONG, more='[Variant "Chess960"]\n'), "no standard start"),
        (headed(LONG.replace("17. Nf3", "17. --"), more='[Variant "Chess960"]\n'), "no standard start"),
        (headed(LONG, more='[Variant "Quidditch"]\n'), "no standard start"),
        (headed(f"1. e4 ${'9' * 9999} *"), "unreadable"),
        (headed(""), "no moves"),
        (headed("1. e4 " + "(" * 20_000 + LONG), "cut short"),
        (headed("{ " + "talk\n" * 300_000 + "} " + LONG), "game too long"),
    ],
)
def test_a_bad_game_is_counted_and_passed_over(tmp_path: Path, game: str, reason: str) -> None:
    skipped = SkipCounts()
    positions = list(from_file(written(tmp_path, headed(LONG) + game + headed(LONG)), skipped=skipped))
    assert len(positions) == 10
    assert skipped == {reason: 1}


def test_comments_variations_and_latin_1_are_read(tmp_path: Path) -> None:
    annotated = LONG.replace(
        "2. Ng1", "{ fine\n[%clk 0:01:00]\n\n} (2. e4 (2. d4) e5) $1 2. Ng1! ; all of the rest of the line\n"
    )
    positions = list(from_file(written(tmp_path, headed(annotated, "Müller").encode("latin-1"))))
    assert [position.game for position in positions] == ["games.pgn #1 (Müller - B)"] * 5


def test_names_of_players_are_cleaned(tmp_path: Path) -> None:
    hostile = "\x1b]0;x\x07<script>\u202e" + "A" * 500
    [first, *_] = from_file(written(tmp_path, b"\xef\xbb\xbf" + headed(LONG, hostile).encode()))
    assert first.game == "games.pgn #1 (]0;x <script> " + "A" * 26 + " - B)"
    assert first.game.isprintable()


def test_lists_of_positions(tmp_path: Path) -> None:
    lines = [
        "\ufeff4k3/8/8/8/8/8/8/4KR2 w - - 7 61",
        "# a comment",
        "",
        '4k3/8/8/8/8/8/8/4KR2 b - - bm Kd7; id "x 1 2";',
        "4k3/8/8/8/8/8/8/4KR2 b - - hmvc 4; fmvn 55;",
        "4k3/8/8/8/8/8/8/4KR2 b - -   ",
        "kK6/8/8/8/8/8/8/8 w - - 0 1",
        "nonsense \x00 \udcff".encode("utf-8", "replace").decode(),
        "4k3/8/8/8/8/8/8/4KR2 b - - 0 " + "9" * 5000,
    ]
    skipped = SkipCounts()
    positions = list(from_file(written(tmp_path, "\n".join(lines), "list.epd"), skipped=skipped))
    assert positions == [
        GamePosition("4k3/8/8/8/8/8/8/4KR2 w - - 7 61", "list.epd #1"),
        GamePosition("4k3/8/8/8/8/8/8/4KR2 b - - 0 30", "list.epd #4"),
        GamePosition("4k3/8/8/8/8/8/8/4KR2 b - - 4 55", "list.epd #5"),
        GamePosition("4k3/8/8/8/8/8/8/4KR2 b - - 0 30", "list.epd #6"),
        GamePosition("4k3/8/8/8/8/8/8/4KR2 b - - 0 30", "list.epd #9"),
    ]
    assert skipped == {"illegal position": 1, "not a position": 1}


def test_packed_files_hold_the_same(tmp_path: Path) -> None:
    plain = written(tmp_path, headed(LONG))
    written(tmp_path, gzip.compress(plain.read_bytes()), "games.pgn.gz")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(plain, "a folder/games.pgn")
        archive.writestr("README.md", "no positions")
        archive.writestr("one.fen", chess.STARTING_FEN)
    fens = [position.fen for position in from_file(plain)]
    assert [position.fen for position in from_file(tmp_path / "games.pgn.gz")] == fens
    packed = list(from_file(tmp_path / "all.zip"))
    assert [position.fen for position in packed] == [*fens, chess.STARTING_FEN]
    assert [position.game for position in packed] == ["games.pgn #1 (A - B)"] * 5 + ["one.fen #1"]


def zipped(text: str = LONG, name: str = "games.pgn") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return stream.getvalue()


@each_case(
    ("name", "content", "message"),
    [
        ("missing.pgn", None, "cannot be read: No such file"),
        ("games.txt", LONG, "its name must end in .pgn, .epd, .fen"),
        ("games.pgn", "", "it is empty|no moves"),
        ("games.pgn", headed("1. e4 e4 *"), "1 x illegal move"),
        ("games.pgn", headed(SHUFFLE + "*"), "1 x no middle game"),
        ("list.epd", "a picture of a board", "1 x not a position"),
        ("games.pgn.gz", gzip.compress(random.Random(0).randbytes(9999), mtime=0)[:5000], "damaged"),
        ("games.pgn.gz", b"not gzip", "damaged"),
        ("games.zip", b"not zip", "damaged"),
        ("games.zip", zipped(name="readme.md"), "no file in it ends in"),
        ("games.zip", zipped().replace(b"\x14\x00\x00\x00\x08\x00", b"\x14\x00\x01\x00\x08\x00"), "password"),
        ("games.zip", zipped()[:60] + b"\x00\xff\x00\xff" + zipped()[64:], "damaged"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_a_remedy(
    tmp_path: Path, name: str, content: str | bytes | None, message: str
) -> None:
    path = tmp_path / name if content is None else written(tmp_path, content, name)
    with pytest.raises(BadFile, match=message) as caught:
        list(from_file(path))
    assert name in str(caught.value)


def test_a_line_that_is_too_long_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"games\.pgn.*line 1: the line is longer"):
        list(from_file(written(tmp_path, b"{" + b"x" * 2_000_000)))


@settings(max_examples=150)
@given(
    st.sampled_from(["x.pgn", "x.epd", "x.pgn.gz", "x.zip"]),
    st.one_of(st.binary(max_size=300), st.text(alphabet='[]{}()"; \nabN1.e4fx=Q+#-O$*/kKw0', max_size=300).map(str.encode)),
)
def test_no_file_does_harm(tmp_path_factory: pytest.TempPathFactory, name: str, content: bytes) -> None:
    path = written(tmp_path_factory.mktemp("hostile"), content, name)
    with suppress(BadFile):
        assert all(chess.Board(position.fen).is_valid() for position in from_file(path))


@pytest.mark.long
@pytest.mark.data
@needs_data
def test_master_games_against_a_count_of_letters() -> None:
    """The first forty games, read by python-chess's own game tree and filtered by the letters of the FEN."""
    wanted = []
    with (DATA / "twic944_part.pgn").open(encoding="utf-8") as stream:
        for number in range(1, 41):
            game = chess.pgn.read_game(stream)
            assert game is not None
            for node in [game, *game.mainline()]:
                placement, *_, move = node.board().fen().split()
                men = [c for c in placement if c.isalpha()]
                pieces = [c for c in men if c.lower() not in "pk"]
                queens = any(c in "qQ" for c in men)
                if int(move) > 15 and len(men) >= 10 and len(pieces) > 5 and (queens or len(pieces) > 6):
                    wanted.append((number, node.board().fen()))
    boards = islice(from_file(DATA / "twic944_part.pgn"), len(wanted))
    assert [(int(p.game.split("#")[1].split()[0]), p.fen) for p in boards] == wanted


@pytest.mark.data
@needs_data
@pytest.mark.parametrize("name", ["endgames.epd.zip", "popularpos_lichess_v3.epd.zip", "stalemates_200d30_v1.epd.zip"])
def test_published_lists_of_positions_are_read(name: str) -> None:
    skipped = SkipCounts()
    assert len(list(islice(from_file(DATA / name, skipped=skipped), 500))) == 500
    assert not skipped
