"""Positions from files: legal, filtered as the paper says, the same for the same seed, and safe."""

from __future__ import annotations

import gzip
import io
import os
import random
import zipfile
from contextlib import suppress
from itertools import islice
from pathlib import Path

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.consistency.chess.position_files import from_file
from vivavoce.consistency.chess.positions import GamePosition, SkipCounts, in_middle_game
from vivavoce.errors import BadFile

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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
