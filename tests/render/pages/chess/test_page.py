import io
import math
import random
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from tests.consistency.chess.comparisons import mirror, recommended
from tests.render.conftest import HOSTILE
from tests.render.html_pages import assert_fits, assert_self_contained, outline
from vivavoce.consistency.chess.comparison import Check, Comparison
from vivavoce.consistency.chess.finding import ChessConsistency
from vivavoce.consistency.chess.report.checks import arrow_of, histograms
from vivavoce.consistency.chess.report.nodes import over_nodes
from vivavoce.consistency.chess.scaling import ChessScaling, scaling
from vivavoce.consistency.chess.score import Tally
from vivavoce.errors import BadInput
from vivavoce.formats.wording import percent, percent_interval
from vivavoce.interview.finding import Signature
from vivavoce.render.console import print_report
from vivavoce.render.drawing import Drawing, drawing_of, svg
from vivavoce.report.blocks import FigureData
from vivavoce.report.figures import Histogram, Lines

SVG = "{http://www.w3.org/2000/svg}"


@cache
def finding(*checks: Check, positions: int = 60, spread: float = 0.3, nodes: int = 1000, game: str = "") -> ChessConsistency:
    """Differences drawn at random, seven positions of each game; hostile names of games if wanted."""
    rng, rows = random.Random(1), []
    for check in checks:
        tally = Tally(check, seed=0)
        for i in range(positions):
            gap = max(-1.0, min(1.0, round(rng.gauss(0, spread), 3)))
            told: Comparison = recommended(0.0, gap) if check in (Check.FORCED, Check.RECOMMENDED) else mirror(i, 0.0, gap)
            tally.add(replace(told, check=check, game=f"{game}game {i // 7}"))
        tally.skip("mate in one")
        rows.append(tally.summary())
    candidate = f"uci:stockfish?nodes={nodes}&hash=1"
    signature = Signature("0.1.0", "consistency/chess", candidate, "games.pgn", "", 7, {"limit": positions})
    return ChessConsistency(candidate, "games.pgn", tuple(rows), None, 0, signature)


@cache
def study() -> ChessScaling:
    spreads = {1: 0.4, 100: 0.3, 10_000: 0.15}
    return scaling("uci:stockfish?hash=1", {n: finding(Check.MIRROR, spread=s, nodes=n) for n, s in spreads.items()})


def printed(found: ChessConsistency | ChessScaling) -> str:
    file = io.StringIO()
    print_report(found.report(), Console(file=file, width=80))
    return file.getvalue()


def test_the_sentence_first_then_numbers_boards_caveats_and_the_method_last() -> None:
    found = finding(*Check)
    text = outline(found).text
    order = [
        found.headline,
        "Over 0.05",
        "Skipped, Forced moves: mate in one 1.",
        "The worst positions",
        "What this does not show",
    ]
    order += ["How this was found", "seed 7"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert all(caveat in text for caveat in found.caveats)


def test_the_table_has_the_shares_with_their_intervals() -> None:
    found = finding(Check.MIRROR)
    share = found.summaries[0].share_over(0.25)
    assert share.value is not None
    assert re.search(rf"Over 0.25\s*{share.value * 100:.2g}%\s*\[", outline(found).text)


def test_boards_are_drawn_for_each_check() -> None:
    shown = outline(finding(*Check), finding(Check.MIRROR), study())
    # three pairs for each of four checks and six for one alone, a histogram a check and one plot over nodes
    assert shown.tags["svg"] == 4 * 3 + 6 + 4 + 1 + 1


def test_ids_are_unique_nothing_is_fetched_and_bytes_repeat() -> None:
    assert_self_contained(finding(*Check), finding(Check.MIRROR), study())


def test_hostile_names_of_games_stay_text() -> None:
    shown, harmless = outline(finding(Check.MIRROR, game=HOSTILE)), outline(finding(Check.MIRROR))
    assert shown.tags["script"] == shown.tags["img"] == 0
    assert set(shown.tags) <= set(harmless.tags)
    assert "\x1b" not in printed(finding(Check.MIRROR, game=HOSTILE))


def test_of_each_game_only_the_worst_board_is_shown() -> None:
    shown = outline(finding(Check.MIRROR)).text
    games = re.findall(r"game \d+(?=\w*[rnbqkp1-8]+/)", shown)
    assert games
    assert len(games) == len(set(games))


def test_a_check_that_found_nothing_has_no_boards() -> None:
    tally = Tally(Check.MIRROR, seed=0)
    for i in range(20):
        tally.add(mirror(i, 0.5, 0.5))
    perfect = replace(finding(Check.MIRROR), summaries=(tally.summary(),))
    assert "No difference was found." in outline(perfect).text
    assert "on none of 20 positions" in printed(perfect)


def test_a_check_on_no_position_can_be_shown() -> None:
    nothing = replace(finding(Check.FORCED), summaries=(Tally(Check.FORCED, seed=0).summary(),))
    assert "unknown" in outline(nothing).text
    assert not histograms(nothing.summaries).figures
    assert "Nothing was compared" in printed(nothing)


def test_each_histogram_marks_its_largest_difference() -> None:
    found = finding(Check.MIRROR, Check.FORCED)
    figures = histograms(found.summaries).figures
    assert [figure.title for figure in figures] == ["Position mirroring", "Forced moves"]
    for figure, summary in zip(figures, found.summaries, strict=True):
        assert f"largest {summary.largest:.2f}" in words_of(figure.data)
        assert isinstance(figure.data, Histogram)
        assert sum(figure.data.counts) == summary.n == 60


def test_the_plot_over_nodes_names_its_lines() -> None:
    figure = over_nodes(study().summaries, study().fits)
    assert {"more than 0.05", "more than 0.25", "Nodes searched"} <= words_of(figure.data)
    assert isinstance(figure.data, Lines)
    assert figure.data.alt.split("Slopes of the fitted lines: ")[1].startswith("−0.")


def test_a_fitted_line_goes_through_its_ends() -> None:
    data = over_nodes(study().summaries, study().fits).data
    assert isinstance(data, Lines)
    fitted = [line for line in data.lines if line.is_reference]
    assert len(fitted) == len(study().fits) > 0
    for line, fit in zip(fitted, study().fits, strict=True):
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
    found = finding(Check.MIRROR)
    assert found.plot().axes
    with pytest.raises(BadInput, match="a picture for pages only"):
        found.plot(1)


def test_the_rows_for_programs_are_numbers_with_their_intervals() -> None:
    found = finding(Check.MIRROR, Check.BOARDS)
    row = found.rows()[2]
    share = found.summaries[0].share_over(0.25)
    assert (row["Difference"], row["mirror"]) == ("Over 0.25", share.value)
    assert (row["mirror, lower"], row["mirror, upper"]) == (share.interval.lower, share.interval.upper)
    assert study().rows()[2]["Nodes"] == 10_000


def test_within_eighty_columns_tables_keep_their_intervals() -> None:
    text = printed(finding(*Check))
    table = text[: text.index("Skipped, Forced")].splitlines()
    assert all(len(line) <= 80 for line in table)
    for row in finding(*Check).summaries:
        share = row.share_over(0.25)
        assert share.value is not None
        assert f"{percent(share.value)} {percent_interval(share.interval)}" in text


def test_in_the_terminal_the_sentence_is_the_last_word() -> None:
    found = finding(*Check)
    assert printed(found).rstrip().splitlines()[-1] == found.statement
    assert "over 0.75" in printed(study())
    assert printed(study()).rstrip().splitlines()[-1] == study().statement


@pytest.mark.slow
@pytest.mark.browser
def test_nothing_is_wider_than_the_window(tmp_path: Path) -> None:
    assert_fits(tmp_path, finding(*Check), study())
