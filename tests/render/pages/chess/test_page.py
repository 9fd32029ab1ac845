import io
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
from vivavoce.consistency.chess.report.checks import DifferenceHistograms
from vivavoce.consistency.chess.report.nodes import OverNodes
from vivavoce.consistency.chess.scaling import ChessScaling, scaling
from vivavoce.consistency.chess.score import Tally
from vivavoce.errors import BadInput
from vivavoce.formats.wording import percent, percent_interval
from vivavoce.interview.finding import Signature
from vivavoce.render.console import print_report
from vivavoce.render.drawing import Drawing, drawing_of, svg

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
    # three pairs for each of four checks and six for one alone, two plots of histograms and one over nodes
    assert shown.tags["svg"] == 4 * 3 + 6 + 2 + 1


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
    assert drawing_of(DifferenceHistograms(nothing.summaries)) is None
    assert "Nothing was compared" in printed(nothing)


def test_the_histogram_marks_the_largest_difference() -> None:
    found = finding(Check.MIRROR, Check.FORCED)
    drawing = drawing_of(DifferenceHistograms(found.summaries))
    assert isinstance(drawing, Drawing)
    words = ["".join(text.itertext()) for text in ET.fromstring(svg(drawing, "h")).iter(f"{SVG}text")]
    assert {f"largest {row.largest:.2f}" for row in found.summaries} <= set(words)
    assert {"Position mirroring", "Forced moves", "Difference between the two evaluations"} <= set(words)


def test_the_plot_over_nodes_labels_its_lines() -> None:
    drawing = drawing_of(OverNodes(study().summaries, study().fits))
    assert isinstance(drawing, Drawing)
    words = {"".join(text.itertext()) for text in ET.fromstring(svg(drawing, "n")).iter(f"{SVG}text")}
    assert {"> 0.05", "> 0.25", "Nodes searched"} <= words
    assert "Slopes of the fitted lines: more than 0.05: −0." in drawing.alt


def test_lines_that_end_at_one_point_share_a_short_label() -> None:
    rows = {n: finding(Check.MIRROR, spread=s, nodes=n) for n, s in {1: 0.1, 100: 0.2}.items()}
    always = tuple(replace(share, value=1.0) for share in rows[100].summaries[0].over)
    last = replace(rows[100].summaries[0], over=always)
    drawing = drawing_of(OverNodes(((1, rows[1].summaries[0]), (100, last)), ()))
    assert isinstance(drawing, Drawing)
    words = {"".join(text.itertext()) for text in ET.fromstring(svg(drawing, "n")).iter(f"{SVG}text")}
    assert "> 0.05–1" in words
    assert not any("," in word for word in words)


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
