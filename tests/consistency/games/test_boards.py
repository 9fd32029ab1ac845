"""Games: boards, and pairs of positions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.consistency.games.players import MaterialEngine, Player, red_material
from vivavoce.consistency.chess.counting import CheckedPositions, CheckSummary, CheckTally
from vivavoce.consistency.config import GAME_CHECKS, GameCheckName, GamesConfig
from vivavoce.consistency.games.boards import SHOGI, XIANGQI, ChessLike
from vivavoce.consistency.games.compare_positions import EvaluatedGamePosition, GameComparison, compare_positions
from vivavoce.errors import BadInput, CandidateUnreachable
from vivavoce.interview.batch_interview import BatchInterview
from vivavoce.interview.candidate_kinds import Assessment, BoardPosition, GameToPlay, PlayedGame
from vivavoce.interview.transcript import Transcript
from vivavoce.studies.engine_checks import OTHER_MOVE, EngineFinding, finding_of
from vivavoce.studies.games import TREATMENTS
from vivavoce.studies.games import XIANGQI as STUDY

BEGIN = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
KATA_BEGIN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL[] w - - 0 1"


@st.composite
def fens(draw: st.DrawFn, board: ChessLike) -> str:
    """Kings and other pieces anywhere, hands and counters."""
    letters = "PLNSGBR+P+L+N+S+B+R" if board.hands else "RNBACP"
    kinds = re.findall(r"\+?[A-Z]", letters)
    pieces = st.sampled_from([*map(str.upper, kinds), *map(str.lower, kinds), "", "", "", ""])
    squares = draw(st.lists(pieces, min_size=9 * board.ranks - 2, max_size=9 * board.ranks - 2))
    for king in "Kk":
        squares.insert(draw(st.integers(0, len(squares))), king)
    rows = [squares[9 * rank : 9 * rank + 9] for rank in range(board.ranks)]
    hand = "".join(sorted(draw(st.lists(st.sampled_from("PLNSGBRplnsgbr"), max_size=8)), key=str.islower))
    text = "/".join(_row(row) for row in rows)
    tail = f"{draw(st.sampled_from('wb'))} - - {draw(st.integers(0, 120))} {draw(st.integers(1, 300))}"
    return f"{text}[{hand}] {tail}" if board.hands else f"{text} {tail}"


def _row(squares: list[str]) -> str:
    written, empty = "", 0
    for square in [*squares, None]:
        if square == "":
            empty += 1
            continue
        written, empty = written + (str(empty) if empty else "") + (square or ""), 0
    return written


def apply(board: ChessLike, check: GameCheckName, position: str) -> str:
    return board.symmetries[check].position(position)


@pytest.mark.parametrize("board", [XIANGQI, SHOGI], ids=lambda board: board.title)
class TestOnNineFiles:
    @settings(max_examples=40)
    @given(data=st.data())
    def test_twice_is_once_for_each_symmetry_and_they_commute(self, board: ChessLike, data: st.DataObject) -> None:
        fen = data.draw(fens(board))
        assert board.read(fen).written == fen
        for check in ("mirror", "colours"):
            assert apply(board, check, apply(board, check, fen)) == fen
        both = apply(board, "mirror", apply(board, "colours", fen))
        assert both == apply(board, "colours", apply(board, "mirror", fen))
        assert board.to_move(apply(board, "mirror", fen)) == board.to_move(fen) != board.to_move(apply(board, "colours", fen))

    @settings(max_examples=40)
    @given(data=st.data())
    def test_a_move_is_itself_again_after_two(self, board: ChessLike, data: st.DataObject) -> None:
        squares = st.builds("{}{}".format, st.sampled_from("abcdefghi"), st.integers(1, board.ranks))
        move = data.draw(
            st.builds("{}{}{}".format, squares, squares, st.sampled_from(["", "+"])) | st.builds("P@{}".format, squares)
        )
        for check in ("mirror", "colours"):
            there = board.symmetries[check].move
            assert there(there(move)) == move

    def test_what_is_no_position_is_refused(self, board: ChessLike) -> None:
        begin = KATA_BEGIN if board.hands else BEGIN
        for wrong in (
            "", begin.replace("K", "k"), begin.replace(" w ", " x "), begin.replace("/9/", "/8/", 1), begin + "\nquit",
            begin.replace("0 1", "0 1 "), BEGIN if board.hands else KATA_BEGIN,
        ):  # fmt: skip
            with pytest.raises(BadInput):
                board.to_move(wrong)


def test_by_hand() -> None:
    """A red chariot at a1 and a black horse at b10: mirrored at i1 and h10; swapped a black one at a10, a red horse at b1."""
    fen = "1n2k4/9/9/9/9/9/9/9/9/R3K4 w - - 3 20"
    assert apply(XIANGQI, "mirror", fen) == "4k2n1/9/9/9/9/9/9/9/9/4K3R w - - 3 20"
    assert apply(XIANGQI, "colours", fen) == "r3k4/9/9/9/9/9/9/9/9/1N2K4 b - - 3 20"
    assert XIANGQI.symmetries["mirror"].move("a1a10") == "i1i10"
    assert XIANGQI.symmetries["colours"].move("a1a10") == "a10a1"
    assert XIANGQI.to_move(fen) == "Red"
    shogi = "4k4/9/9/9/9/9/9/+P8/4K4[GPr] b - - 3 20"
    assert apply(SHOGI, "colours", shogi) == "4k4/8+p/9/9/9/9/9/9/4K4[Rgp] w - - 3 20"
    assert SHOGI.symmetries["colours"].move("a2a3+") == "i8i7+"
    assert SHOGI.symmetries["colours"].move("G@e5") == "G@e5"
    assert SHOGI.to_move(shogi) == "White"


def test_the_opening_position_is_its_own_image_but_for_who_moves() -> None:
    assert apply(XIANGQI, "mirror", BEGIN) == BEGIN
    assert apply(XIANGQI, "colours", BEGIN) == BEGIN.replace(" w ", " b ")
    assert apply(SHOGI, "colours", KATA_BEGIN) == KATA_BEGIN.replace(" w ", " b ")


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadInput, match="opening"):
        GamesConfig(opening=10, length=10)


def pair(game: str, first: float, second: float) -> GameComparison:
    judged = EvaluatedGamePosition("a", first, "Black", ""), EvaluatedGamePosition("b", second, "White", "")
    return GameComparison("colours", game, "the colours were exchanged", *judged)


def test_shares_and_means_are_those_of_a_count_by_hand() -> None:
    # .65 - .6 is not over .05, whatever the last binary digit says; .06 is; 1.2 is over 1
    values = [(0.65, 0.6), (0.06, 0.0), (-0.6, 0.6), (0.0, 0.0)]
    tally: CheckTally[GameComparison] = CheckTally("colours", seed=0)
    for number, (first, second) in enumerate(values):
        tally.add(pair(f"game {number}", first, second))
    summary = tally.summary()
    assert [share.value for share in summary.over] == [number / 4 for number in (2, 1, 1, 1, 1, 1)]
    assert summary.mean_difference.value == pytest.approx(1.31 / 4)
    assert summary.mean_signed.value == pytest.approx(sum(a - b for a, b in values) / 4)
    assert summary.largest == pytest.approx(1.2)
    for share in (*summary.over, summary.mean_difference):
        assert share.value is not None
        assert share.interval.lower <= share.value <= share.interval.upper
    assert (summary.n, summary.games) == (4, 4)


async def examined(
    engine: MaterialEngine,
    *checks: GameCheckName,
    player: Player | None = None,
    transcript: Transcript | None = None,
    limit: int = 40,
) -> CheckedPositions[GameComparison]:
    interview: BatchInterview[BoardPosition, Assessment] = BatchInterview(engine, answers=Assessment, transcript=transcript)
    games: BatchInterview[GameToPlay, PlayedGame] = BatchInterview(
        player or Player(), answers=PlayedGame, transcript=interview.transcript
    )
    return await compare_positions("xiangqi", interview, games, GamesConfig(checks or GAME_CHECKS, limit=limit))


def rows(checked: CheckedPositions[GameComparison]) -> dict[str, CheckSummary[GameComparison]]:
    return {row.check: row for row in checked.summaries}


def pairs(checked: CheckedPositions[GameComparison], check: GameCheckName) -> list[GameComparison]:
    return [pair for pair in checked.each if pair.check == check]


def finding(checked: CheckedPositions[GameComparison]) -> EngineFinding:
    return finding_of(STUDY, checked, [TREATMENTS[row.check] for row in checked.summaries])


async def test_material_is_the_same_in_every_image() -> None:
    positions = await examined(MaterialEngine())
    assert [row.check for row in positions.summaries] == ["recommended", "forced", "mirror", "colours"]
    assert all(row.n == 40 for row in positions.summaries)
    assert all(row.largest == 0 for row in positions.summaries)
    assert rows(positions)["mirror"].games == 10  # four positions of a game
    assert "shows no difference above 0.25 in xiangqi on 40 positions" in finding(positions).headline


async def test_a_bias_for_red_shows_when_colours_are_exchanged_with_its_size() -> None:
    """Red is given .3 too much: with colours exchanged the other side has it: values differ by .6; mirrored they do not."""
    checked = await examined(MaterialEngine(lambda fen: red_material(fen) + 0.3))
    values = rows(checked)
    assert values["colours"].over[3].value == 1
    assert values["colours"].over[4].value == 0
    for comparison in pairs(checked, "colours"):
        assert comparison.signed == pytest.approx(0.6 if comparison.first.viewpoint == "Red" else -0.6)
        assert {comparison.first.viewpoint, comparison.second.viewpoint} == {"Red", "Black"}
    assert values["mirror"].largest == values["recommended"].largest == 0


async def test_a_taste_for_the_left_shows_in_the_mirror_alone() -> None:
    def lefts(fen: str) -> float:
        return 0.1 * sum(row[:1].isupper() - row[:1].islower() for row in fen.split(" ")[0].split("/"))

    values = rows(await examined(MaterialEngine(lefts)))
    assert (values["mirror"].largest or 0) > 0.09
    assert values["colours"].largest == pytest.approx(0)
    assert values["recommended"].largest == 0


async def test_a_taste_for_the_move_shows_after_moves_alone() -> None:
    """The side to move is given .1; a move hands it over: value + value of the child = .2, the bias towards the move."""
    checked = await examined(MaterialEngine(lambda fen: 0.1 if XIANGQI.to_move(fen) == "Red" else -0.1))
    values, moves = rows(checked), pairs(checked, "recommended") + pairs(checked, "forced")
    assert {comparison.first.viewpoint == comparison.second.viewpoint for comparison in moves} == {True}
    for check in ("recommended", "forced"):
        assert values[check].mean_signed.value == pytest.approx(0.2)
    assert values["mirror"].largest == values["colours"].largest == pytest.approx(0)


async def test_forced_moves_are_those_with_one_legal_move() -> None:
    checked = await examined(MaterialEngine(), "forced")
    assert {comparison.first.viewpoint for comparison in checked.each} == {"Red"}  # who alone has one, in these games
    assert rows(checked)["forced"].games == 4  # all ten of a game are taken


async def test_what_ends_the_game_is_skipped_and_replaced_and_what_is_lost_is_counted() -> None:
    engine = MaterialEngine(over_on=lambda fen: fen.endswith("3"), dead_on=lambda fen: fen.endswith("7"))
    values = rows(await examined(engine))
    recommended = values["recommended"]
    assert recommended.skipped["move ends the game"] > 0
    assert recommended.n + sum(recommended.no_answers.values()) == 40
    assert set(recommended.no_answers) == {"the engine died"}


async def test_a_best_move_that_is_not_the_image_of_the_other_is_counted() -> None:
    """It always plays a1a2: mirrored that should be i1i2, with colours exchanged a10a9."""
    positions = await examined(MaterialEngine())
    assert rows(positions)["mirror"].plays_otherwise.value == 1
    assert rows(positions)["recommended"].plays_otherwise.value is None
    rates = [effect.rates[OTHER_MOVE].text for effect in finding(positions).effects]
    assert rates == ["unknown", "unknown", "100%", "100%"]


async def test_a_second_run_asks_nothing_and_says_the_same(tmp_path: Path) -> None:
    with Transcript.open(tmp_path / "games.sqlite") as transcript:
        first = await examined(MaterialEngine(), transcript=transcript)
        engine, player = MaterialEngine(), Player()
        assert await examined(engine, transcript=transcript, player=player) == first
        assert (engine.asked, player.asked) == ([], [])
        assert transcript.origins["from record"] > 0


async def test_positions_are_asked_about_once() -> None:
    engine = MaterialEngine()
    await examined(engine, "mirror", "colours")
    assert len(engine.asked) == len(set(engine.asked)) == 3 * 40


async def test_the_report_has_the_numbers_in_words_and_as_json() -> None:
    result = finding(await examined(MaterialEngine(lambda fen: red_material(fen) + 0.3)))
    assert result.headline.startswith("Made Up at 5 nodes contradicts itself by more than 0.25 in xiangqi on 100% [")
    assert "when the two sides are exchanged" in result.headline
    values = result.as_json()
    assert values["figures"]["treatments"][3]["rates"]["over_0.5"]["least"] == 1
    assert len(values["details"]["each"]) == 4 * 40
    table = result.report().tables[0]
    assert [column.head for column in table.columns][1:4] == ["Positions", "Over 0.05", "Over 0.1"]
    assert table.rows[3].cells[4].text == "100%"


async def test_without_a_game_there_is_an_error() -> None:
    with pytest.raises(CandidateUnreachable, match="the engine died"):
        await examined(MaterialEngine(), player=Player(plays=False))
