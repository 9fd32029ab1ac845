import math
import random
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache

import pytest

from tests.consistency.chess.engines import mirror, recommended
from tests.render.html_pages import assert_in_order, outline, printed
from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison, arrow_of
from vivavoce.consistency.chess.counting import CheckedPositions, CheckSummary, CheckTally
from vivavoce.errors import NotEnoughEvidence
from vivavoce.render.drawing import Drawing, drawing_of, svg
from vivavoce.report.blocks import FigureData
from vivavoce.report.figures import Histogram, Lines
from vivavoce.studies.chess import CHESS, TREATMENTS
from vivavoce.studies.chess_scaling import scaling
from vivavoce.studies.engine_checks import CONTRADICTED, EngineFinding, finding_of, histograms

SVG = "{http://www.w3.org/2000/svg}"


@cache
def checked(
    *checks: ChessCheck, positions: int = 60, spread: float = 0.3, nodes: int = 1000, game: str = ""
) -> CheckedPositions[ChessComparison]:
    """Differences drawn at random, seven positions of each game; hostile names of games if wanted."""
    rng, rows = random.Random(1), []
    for check in checks:
        tally: CheckTally[ChessComparison] = CheckTally(check, seed=0)
        for i in range(positions):
            gap = max(-1.0, min(1.0, round(rng.gauss(0, spread), 3)))
            pair = recommended(0.0, gap) if check in (ChessCheck.FORCED, ChessCheck.RECOMMENDED) else mirror(i, 0.0, gap)
            tally.add(replace(pair, check=check, game=f"{game}game {i // 7}"))
        tally.skip("mate in one")
        rows.append(tally.summary())
    candidate = f"uci:stockfish?nodes={nodes}&hash=1"
    return CheckedPositions(candidate, "games.pgn", "", 7, {"limit": positions}, tuple(rows))


def of(checked: CheckedPositions[ChessComparison]) -> EngineFinding:
    return finding_of(CHESS, checked, [TREATMENTS[summary.check] for summary in checked.summaries])


@cache
def finding(*checks: ChessCheck, game: str = "", positions: int = 60, spread: float = 0.3) -> EngineFinding:
    return of(checked(*checks, game=game, positions=positions, spread=spread))


def with_only(summary: CheckSummary[ChessComparison]) -> EngineFinding:
    return of(replace(checked(ChessCheck.MIRROR), summaries=(summary,)))


@cache
def study() -> EngineFinding:
    spreads = {1: 0.4, 100: 0.3, 10_000: 0.15}
    return scaling("uci:stockfish?hash=1", {n: checked(ChessCheck.MIRROR, spread=s, nodes=n) for n, s in spreads.items()})


def test_the_sentence_first_then_numbers_boards_caveats_and_the_method_last() -> None:
    result = finding(*ChessCheck)
    text = outline(result).text
    order = [
        result.headline,
        "Limits",
        "Over 0.05",
        "Left out, forced moves: mate in one (1).",
        "Largest differences",
    ]
    order += ["How this was found", "seed 7"]
    assert_in_order(text, order)


def test_the_table_has_the_shares_with_their_intervals() -> None:
    result = finding(ChessCheck.MIRROR)
    rate = result.effects[0].rates[CONTRADICTED]
    assert rate.least is not None
    assert re.search(rf"{rate.least * 100:.2g}%\s*\[", outline(result).text)


def test_boards_are_drawn_for_each_check() -> None:
    shown = outline(finding(*ChessCheck), finding(ChessCheck.MIRROR), study())
    # three pairs for each of four checks and of three numbers of nodes, six for one check alone, and the largest difference
    # of each study; a histogram for each check, the rates of either study, and one plot over nodes
    assert shown.tags["svg"] == 4 * 3 + 3 * 3 + 6 + 3 + 4 + 1 + 2 + 1


def test_of_each_game_only_the_worst_board_is_shown() -> None:
    shown = outline(finding(ChessCheck.MIRROR)).text.partition("Largest differences")[2]
    games = re.findall(r"game \d+(?=\w*[rnbqkp1-8]+/)", shown)
    assert games
    assert len(games) == len(set(games))


def test_a_check_that_found_nothing_has_no_boards() -> None:
    tally: CheckTally[ChessComparison] = CheckTally(ChessCheck.MIRROR, seed=0)
    for i in range(20):
        tally.add(mirror(i, 0.5, 0.5))
    perfect = with_only(tally.summary())
    assert "No difference was found." in outline(perfect).text
    assert "shows no difference above 0.25 on 20 positions" in perfect.headline


def test_a_check_on_no_position_can_be_shown() -> None:
    nothing = with_only(CheckTally[ChessComparison](ChessCheck.FORCED, seed=0).summary())
    assert "unknown" in outline(nothing).text
    assert not histograms(nothing.details.checks, {ChessCheck.FORCED: "Forced moves"}).figures
    assert "Nothing was compared" in printed(nothing)


def test_each_histogram_marks_its_largest_difference() -> None:
    result = finding(ChessCheck.MIRROR, ChessCheck.FORCED)
    figures = [figure for figure in result.report().figures if isinstance(figure.data, Histogram)]
    assert [figure.title for figure in figures] == ["Position mirroring", "Forced moves"]
    for figure, effect in zip(figures, result.effects, strict=True):
        assert f"largest {effect.numbers['largest']:.2f}" in words_of(figure.data)
        assert isinstance(figure.data, Histogram)
        assert sum(figure.data.counts) == effect.n == 60


def test_the_plot_over_nodes_names_its_lines() -> None:
    figure = next(figure for figure in study().report().figures if isinstance(figure.data, Lines))
    assert {"more than 0.05", "more than 0.25", "Nodes searched"} <= words_of(figure.data)
    assert isinstance(figure.data, Lines)
    assert figure.data.alt.split("Slopes of the fitted lines: ")[1].startswith("−0.")


def test_a_fitted_line_goes_through_its_ends() -> None:
    data = next(figure.data for figure in study().report().figures if isinstance(figure.data, Lines))
    fitted = [line for line in data.lines if line.is_reference]
    assert len(fitted) == len(study().details.fits) > 0
    for line, fit in zip(fitted, study().details.fits, strict=True):
        first, last = line.points
        assert math.log(last.y / first.y) / math.log(last.x / first.x) == pytest.approx(fit.slope.value)


@pytest.mark.parametrize("move", ["", "(none)", "0000", "e2e2", "P@e4", "<script>", "a1z9"])
def test_a_move_that_is_none_has_no_arrow(move: str) -> None:
    assert arrow_of(move) is None
    assert arrow_of("a7a8q") == ((0, 1), (0, 0))


def words_of(data: FigureData) -> set[str]:
    drawing = drawing_of(data)
    assert isinstance(drawing, Drawing)
    return {"".join(text.itertext()) for text in ET.fromstring(svg(drawing, "h")).iter(f"{SVG}text")}


def test_boards_are_pictures_for_pages_and_no_plots() -> None:
    result = finding(ChessCheck.MIRROR)
    assert outline(result).tags["svg"] > 2
    assert result.plot(1).axes
    with pytest.raises(NotEnoughEvidence, match="has 2 plots"):
        result.plot(2)


def test_the_rows_for_programs_are_numbers_with_their_intervals() -> None:
    result = finding(ChessCheck.MIRROR, ChessCheck.BOARDS)
    row, rate = result.rows()[0], result.effects[0].rates[CONTRADICTED]
    assert (row["Check"], row["Positions"], row["Over 0.25"]) == ("Position mirroring", 60, rate.least)
    assert (row["Over 0.25, lower"], row["Over 0.25, upper"]) == (rate.interval.lower, rate.interval.upper)
    assert study().rows()[2]["Nodes"] == "10 000 nodes"


def test_within_eighty_columns_tables_keep_their_intervals() -> None:
    text = printed(finding(*ChessCheck))
    for effect in finding(*ChessCheck).effects:
        assert effect.rates[CONTRADICTED].with_interval in text


def test_the_terminal_has_a_column_for_large_differences() -> None:
    assert "Over 0.75" in printed(study())
