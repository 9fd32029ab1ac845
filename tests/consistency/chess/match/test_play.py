"""Games between engines whose play is known: the rules of the match, and the same games in any order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import chess
import pytest

from tests.consistency.chess.engines import Counting
from vivavoce.consistency.chess.config import MatchConfig
from vivavoce.consistency.chess.match.examine import openings_of, play_match
from vivavoce.consistency.chess.match.game import Ending, Game
from vivavoce.consistency.chess.match.openings import book_openings, random_openings
from vivavoce.consistency.chess.match.play import Course, play
from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.batch import BatchInterview
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.engine import Evaluation, GamePosition, Position
from vivavoce.interview.transcript import Transcript

CONFIG = MatchConfig(openings=6, opening_plies=4, longest=60, adjudicate=False)
FOOLS_MATE = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2"


class Killed(Exception):
    """In place of a kill."""


class Playing(Counting):
    """Is told games, and evaluates the positions that they have come to."""

    async def answer_all(self, positions: Sequence[GamePosition], /) -> list[Evaluation | NoAnswer]:  # type: ignore[override]
        return await super().answer_all([Position(after(position)) for position in positions])


def after(position: GamePosition) -> str:
    board = chess.Board(position.start)
    for move in position.moves:
        board.push_uci(move)
    return board.fen()


class Planned(Playing):
    """Plays what a table says, else the first legal move."""

    plan: dict[str, str] = {}  # noqa: RUF012 -- set once a test

    def _evaluate(self, fen: str) -> Evaluation:
        found = super()._evaluate(fen)
        assert isinstance(found, Evaluation)
        board = fen.rpartition(" ")[0].rpartition(" ")[0]
        return replace(found, best_move=self.plan.get(board, found.best_move))


def planned(**plan: str) -> Planned:
    engine = Planned()
    engine.plan = plan
    return engine


def games(
    first: Playing, second: Playing, openings: list[str], config: MatchConfig = CONFIG, *, at_once: int = 64
) -> list[Game]:
    engines = tuple(BatchInterview(engine, answers=Evaluation) for engine in (first, second))
    return asyncio.run(play((engines[0], engines[1]), openings, config, games_at_once=at_once))


def test_an_engine_against_itself_gets_one_half_of_every_opening() -> None:
    fens = random_openings(6, 4, seed=0)
    found = games(Playing(), Playing(), fens)
    for white, black in zip(found[::2], found[1::2], strict=True):
        assert white.opening == black.opening
        assert (white.first_is_white, black.first_is_white) == (True, False)
        assert white.moves == black.moves  # the same game
        assert white.score + black.score == 1


def test_games_are_legal_and_their_endings_are_those_of_python_chess() -> None:
    fens = random_openings(12, 4, seed=3)
    found = games(Playing(), Playing(seed=1), fens, replace(CONFIG, longest=400))
    assert {game.ending for game in found} & {Ending.REPETITION, Ending.MATE, Ending.STALEMATE, Ending.FIFTY}
    for game in found:
        board = chess.Board(fens[game.opening])
        for move in game.moves:
            assert board.outcome(claim_draw=False) is None
            board.push_uci(move)
        outcome = board.outcome(claim_draw=True)
        if game.ending is Ending.LONGEST:
            assert len(game.moves) == 400
            continue
        assert outcome is not None
        expected = {True: 1.0, False: 0.0, None: 0.5}[outcome.winner]
        assert game.score == (expected if game.first_is_white else 1 - expected)


@pytest.mark.parametrize(("programs", "refused"), [(("/old/engine", "/new/engine"), True), (("/one/engine",) * 2, False)])
def test_two_programs_of_one_name_are_refused(programs: tuple[str, str], refused: bool) -> None:
    first, second = Playing(), Playing()
    first.program, second.program = programs  # type: ignore[attr-defined]
    match = play_match((BatchInterview(first, answers=Evaluation), BatchInterview(second, answers=Evaluation)), CONFIG)
    if not refused:
        assert "Both are one engine" in asyncio.run(match).conclusion
        return
    with pytest.raises(BadInput, match=r"'/old/engine' and '/new/engine' have the same name.*rename a program"):
        asyncio.run(match)
    assert first.asked == second.asked == []


def test_nothing_hangs_on_how_many_games_are_under_way() -> None:
    fens = random_openings(6, 4, seed=1)
    assert games(Playing(), Playing(), fens, at_once=1) == games(Playing(seed=7), Playing(seed=8), fens, at_once=50)


def test_mate_is_won_by_who_gives_it() -> None:
    mating = {FOOLS_MATE.rpartition(" ")[0].rpartition(" ")[0]: "d8h4"}
    white, black = games(planned(**mating), Playing(), [FOOLS_MATE])
    assert (black.score, black.ending, black.plies) == (1.0, Ending.MATE, 1)  # the first engine has Black and mates
    assert white.ending is not Ending.MATE  # the second engine has Black and plays a7a5


@pytest.mark.parametrize("how", [{"dead_on": lambda fen: " b " in fen}, {"lost_on": lambda fen: " b " in fen}])
def test_who_gives_no_legal_move_loses(how: dict[str, Callable[[str], bool]]) -> None:
    white, black = games(Playing(**how), Playing(), random_openings(2, 4, seed=0))[:2]  # type: ignore[arg-type]
    assert (black.score, black.ending) == (0.0, Ending.FAULT)
    assert white.ending is not Ending.FAULT


def test_games_are_stopped_where_both_agree_and_only_then() -> None:
    config = replace(CONFIG, adjudicate=True, longest=300)
    fens = random_openings(2, 4, seed=0)

    def white_wins(_: chess.Board) -> float:
        return 0.995

    def drawn(_: chess.Board) -> float:
        return 0.01

    agreed = games(Playing(white_wins), Playing(white_wins), fens, config)
    assert [(game.ending, game.plies) for game in agreed] == [(Ending.WON, 8)] * 4
    assert [game.score for game in agreed] == [1.0, 0.0, 1.0, 0.0]
    one_alone = games(Playing(white_wins), Playing(lambda board: 0.9), fens, config)
    assert not {game.ending for game in one_alone} & {Ending.WON, Ending.DRAWN}
    calm = games(Playing(drawn), Playing(drawn), fens, config)
    by_rules = games(Playing(), Playing(), fens, replace(config, adjudicate=False))
    for game, whole in zip(calm, by_rules, strict=True):
        expected = (Ending.DRAWN, 80) if whole.plies > 80 else (whole.ending, whole.plies)
        assert (game.ending, game.plies) == expected


def test_killed_and_begun_again_it_asks_only_what_is_not_on_record(tmp_path: Path) -> None:
    def match(place: Path, engines: tuple[Playing, Playing], rounds: int | None) -> object:
        def stop(course: Course) -> None:
            nonlocal rounds
            if rounds is not None:
                rounds -= 1
                if rounds == 0:
                    raise Killed

        with Transcript.open(place) as transcript:
            first, second = (BatchInterview(engine, answers=Evaluation, transcript=transcript) for engine in engines)
            return asyncio.run(play_match((first, second), CONFIG, on_round=stop)).as_json()

    place, whole = tmp_path / "killed.sqlite", tmp_path / "whole.sqlite"
    other = Playing(name="uci:other")
    killed = (Playing(), Playing(name="uci:other"))
    with pytest.raises(Killed):
        match(place, killed, 5)
    again, fresh = (Playing(), other), (Playing(), Playing(name="uci:other"))
    assert match(place, again, None) == match(whole, fresh, None)
    before, after = ({fen for engine in pair for fen in engine.asked} for pair in (killed, again))
    assert before
    assert len(after) < len({fen for engine in fresh for fen in engine.asked})
    assert not set(killed[0].asked) & set(again[0].asked)


def test_openings_are_distinct_and_a_longer_match_begins_like_a_shorter_one(tmp_path: Path) -> None:
    assert random_openings(30, 4, seed=2)[:10] == random_openings(10, 4, seed=2)
    assert len(set(random_openings(20, 1, seed=0))) == 20
    with pytest.raises(BadInput, match="lead to 20 openings only, not 21"):
        random_openings(21, 1, seed=0)
    with pytest.raises(BadInput, match="lead to 1 opening only, not 10000000"):
        random_openings(10_000_000, 0, seed=0)  # told soon
    book = tmp_path / "book.epd"
    book.write_text("\n".join(random_openings(8, 4, seed=2)))
    assert sorted(book_openings(book, 8, seed=0)) == sorted(random_openings(8, 4, seed=2))
    assert book_openings(book, 5, seed=0) != book_openings(book, 5, seed=1)
    with pytest.raises(BadInput, match="has 8 different openings, 9 are wanted"):
        book_openings(book, 9, seed=0)
    config = MatchConfig(openings=5, book=str(book))
    assert openings_of(config)[1] == "book.epd"
    assert len(openings_of(config)[2]) == 64
    (tmp_path / "rubbish.epd").write_text("\x00 no position\n")
    with pytest.raises(BadFile):
        book_openings(tmp_path / "rubbish.epd", 1, seed=0)
