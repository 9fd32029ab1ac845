"""Pages of matches: results by colour, pairs, endings, scores over nodes."""

from __future__ import annotations

import io
import random
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from scipy import stats

from tests.render.html_pages import assert_fits, assert_self_contained, outline
from vivavoce.consistency.chess.config import MatchConfig
from vivavoce.consistency.chess.match.finding import ChessMatch
from vivavoce.consistency.chess.match.game import Ending, Game
from vivavoce.consistency.chess.match.strength import ChessStrength, strength
from vivavoce.formats.wording import percent, percent_interval
from vivavoce.interview.finding import Signature
from vivavoce.render.console import print_report
from vivavoce.render.drawing import Drawing
from vivavoce.render.figures import drawing_of

A, B = "uci:stockfish?nodes=1000&hash=1&engine=Stockfish 15.1", "uci:glaurung?nodes=9000&engine=Glaurung 2.2"


def match(win: float = 0.5, lose: float = 0.2, openings: int = 40, seed: int = 0) -> ChessMatch:
    """Results drawn at random: the first engine wins and loses with these chances."""
    rng, games = random.Random(seed), []
    for number in range(openings):
        for first_is_white in (True, False):
            drawn = rng.random()
            score = 1.0 if drawn < win else 0.0 if drawn < win + lose else 0.5
            ending = Ending.REPETITION if score == 0.5 else rng.choice([Ending.MATE, Ending.WON])
            games.append(Game(number, first_is_white, score, ending, rng.randint(30, 200), ()))
    config = MatchConfig(openings=openings)
    signature = Signature("0.1.0", "consistency/chess-match", A, "book.epd", "", 0, {"openings": openings})
    return ChessMatch(A, B, "book.epd", tuple(games), config, signature)


def study() -> ChessStrength:
    wins = {1000: 0.7, 3000: 0.5, 10_000: 0.3, 30_000: 0.1}
    return strength(
        "uci:glaurung?engine=Glaurung 2.2", {nodes: match(win, 0.8 - win, seed=nodes) for nodes, win in wins.items()}
    )


def printed(found: ChessMatch | ChessStrength) -> str:
    file = io.StringIO()
    print_report(found.report(), Console(file=file, width=80))
    return file.getvalue()


def test_the_sentence_first_then_results_pairs_endings_and_the_method_last(tmp_path: Path) -> None:
    found = match()
    text = outline(found).text
    order = [found.headline, "Results of the first engine", "Pairs of games", "How games ended", "What this does not show"]
    places = [text.index(part) for part in [*order, "How this was found"]]
    assert places == sorted(places)
    assert_self_contained(found)
    assert_fits(tmp_path, found)


@pytest.mark.parametrize(
    ("win", "lose", "verdict", "words"),
    [
        (0.6, 0.1, "stronger", "Stockfish 15.1 at 1\u202f000 nodes is stronger than Glaurung 2.2"),
        (0.1, 0.6, "weaker", "is weaker than"),
        (0.3, 0.3, "not told apart", "these games do not tell"),
    ],
)
def test_what_is_concluded(win: float, lose: float, verdict: str, words: str) -> None:
    found = match(win, lose, seed=4)
    assert found.verdict == verdict
    assert words in found.statement
    assert words in printed(found).replace("\n", " ")


def test_equal_needs_the_whole_interval_within_the_margin() -> None:
    many = match(0.2, 0.2, openings=600)
    assert many.verdict == "equal"
    assert replace(many, config=replace(many.config, margin=5)).verdict == "not told apart"


def test_wins_draws_and_losses_are_counted_by_colour() -> None:
    found = match()
    whole = [game.score for game in found.games]
    rows = found.rows()
    assert [row["Games"] for row in rows] == ["as White", "as Black", "all games"]
    assert (rows[2]["Won"], rows[2]["Drawn"], rows[2]["Lost"]) == tuple(whole.count(score) for score in (1.0, 0.5, 0.0))
    assert rows[0]["Won"] == sum(game.score == 1 for game in found.games if game.first_is_white)
    for colour in (0, 1):  # one game an opening: the interval is that of independent games
        scores = [game.score for game in found.games if game.first_is_white is (colour == 0)]
        half = stats.t.ppf(0.975, len(scores) - 1) * stats.sem(scores)
        assert rows[colour]["Score"] == pytest.approx(sum(scores) / len(scores))
        assert rows[colour]["Score, lower"] == pytest.approx(sum(scores) / len(scores) - half)


def test_the_openings_are_counted_by_the_points_of_both_games() -> None:
    found = match()
    rows = found.rows(1)
    assert [row["Points of two games"] for row in rows] == ["0", "0.5", "1", "1.5", "2"]
    assert sum(row["Openings"] for row in rows) == len(found.games) // 2
    by_opening = [white.score + black.score for white, black in zip(found.games[::2], found.games[1::2], strict=True)]
    assert rows[4]["Openings"] == by_opening.count(2.0)


def test_games_lost_without_a_move_stand_in_the_sentence() -> None:
    found = match()
    assert "no legal move came" not in found.statement
    games = tuple(replace(game, ending=Ending.FAULT) if i < 3 else game for i, game in enumerate(found.games))
    said = f"3 of {len(games)} games were lost because no legal move came"
    assert said in replace(found, games=games).statement


def test_an_engine_against_itself_is_told() -> None:
    found = match()
    assert "Both are one engine with the same settings" in replace(found, opponent=found.candidate).conclusion
    assert "Both are one engine" not in found.conclusion


def test_a_study_says_at_how_many_nodes_and_draws_the_line(tmp_path: Path) -> None:
    found = study()
    assert found.equal is not None
    assert found.equal.nodes.value is not None
    assert 1000 < found.equal.nodes.value < 30_000
    assert "is as strong as Stockfish 15.1 at 1\u202f000 nodes at about" in found.headline
    drawing = drawing_of(found.report().figures[0].data)
    assert isinstance(drawing, Drawing)
    assert "Equal at" in drawing.alt
    assert_fits(tmp_path, found)
    assert_self_contained(found)
    values = found.as_json()
    assert [row["nodes"] for row in values["rows"]] == [1000, 3000, 10_000, 30_000]
    for row in values["rows"]:
        assert row["score"]["value"] == pytest.approx(sum(row["pairs"]) / len(row["pairs"]))


def test_out_of_reach_it_says_so() -> None:
    weak = strength("uci:x", {nodes: match(0.95, 0.02, seed=nodes) for nodes in (10, 20)})
    assert weak.headline.endswith("is not known after matches with 10 to 20.")
    told = drawing_of(weak.report().figures[0].data)
    assert isinstance(told, Drawing)
    assert "Equal at" not in told.alt
    for _, score in weak.scores:
        assert f"{percent(score.value or 0.0)} {percent_interval(score.interval)} with" in weak.statement
        assert percent_interval(score.interval) in told.alt
    few = strength("uci:x", {nodes: match(0.5, 0.5, openings=5, seed=nodes) for nodes in (10, 20)})
    assert few.equal is None
    assert any("no line is laid" in caveat for caveat in few.caveats)
