"""The study of chess: sentences, caveats and numbers of comparisons made by hand."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from tests.consistency.chess.comparisons import AFTER_E4, START, mirror, recommended
from tests.each_case import each_case
from tests.papers.consistency_tables import TABLE_6, shares
from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison
from vivavoce.consistency.chess.counting import CheckedPositions, CheckSummary, CheckTally, fit_rows, line
from vivavoce.consistency.config import THRESHOLDS
from vivavoce.errors import BadInput
from vivavoce.studies.chess import CHESS, scaling
from vivavoce.studies.engine_checks import AT_AN_END, CONTRADICTED, EVENTS, OVER, TREATMENTS, EngineFinding, finding_of

ENGINE = "uci:stockfish?nodes=10000"


def finding(*comparisons: ChessComparison, each: tuple[ChessComparison, ...] = (), no_answers: int = 0) -> EngineFinding:
    tallies: dict[ChessCheck, CheckTally] = {
        check: CheckTally(check, seed=0) for check in dict.fromkeys(entry.check for entry in comparisons)
    }
    for comparison in comparisons:
        tallies[comparison.check].add(comparison)
    for tally in tallies.values():
        tally.skip("mate in one")
        for _ in range(no_answers):
            tally.no_answer("time-out")
    return of(*tallies.values(), each=each)


def of(*tallies: CheckTally, each: tuple[ChessComparison, ...] = ()) -> EngineFinding:
    summaries = tuple(tally.summary() for tally in tallies)
    checked = CheckedPositions(ENGINE, "games.pgn", "", 5, {}, summaries, each)
    return finding_of(CHESS, checked, [TREATMENTS[summary.check] for summary in summaries])


def test_rates_are_a_count_by_hand() -> None:
    # differences .05, .06, .3, .8 and 2: over .05 are 4 of 5, over .25 are 3, over 1 is 1; one is at an end of the scale
    gaps = ((0.65, 0.6), (0.0, 0.06), (-0.1, 0.2), (0.5, -0.3), (1.0, -1.0))
    (effect,) = finding(*(mirror(i, *gap) for i, gap in enumerate(gaps))).effects
    assert [effect.rates[event].events for event in OVER.values()] == [4, 3, 3, 2, 2, 1]
    assert (effect.rates[CONTRADICTED].least, effect.rates[AT_AN_END].least, effect.n) == (0.6, 0.2, 5)
    assert effect.estimates["mean_difference"].value == pytest.approx(3.21 / 5)
    assert (effect.numbers["largest"], effect.numbers["games"], dict(effect.left_out)) == (2.0, 5, {"mate in one": 1})
    assert EVENTS[0] == CONTRADICTED
    assert {*EVENTS} == {*OVER.values()}


def test_the_sentence_is_about_the_most_frequent_check() -> None:
    many = [mirror(i, 0.0, 0.5 if i < 5 else 0.0) for i in range(50)]
    often = [replace(recommended(0.0, 0.5 if i < 20 else 0.0), game=f"game {i}") for i in range(50)]
    result = finding(*many, *often)
    assert result.headline.startswith(
        "stockfish at 10\N{NARROW NO-BREAK SPACE}000 nodes contradicts itself by more than 0.25 on 40% ["
    )
    assert result.headline.endswith(
        "of 50 positions. Its evaluation should stay the same when it plays the move that it recommends."
    )
    assert result.others.startswith("Positions with a difference above 0.25: Recommended moves 40% [")
    assert "Position mirroring 10% [" in result.others
    assert result.examined == (ENGINE,)


def test_nothing_found_is_said_with_what_may_still_be() -> None:
    result = finding(*(mirror(i, 0.1, 0.1) for i in range(50)))
    # 1 - .025^(1/50) = .0711, rounded outwards
    assert "shows no difference above 0.25 on 50 positions (95% interval: up to 7.1%). Its evaluation" in result.headline
    assert result.headline.endswith("should stay the same when the colours are swapped and the board is turned over.")


def test_two_games_are_too_few_for_an_accusation() -> None:
    result = finding(*(mirror(i, 0.0, 0.5, game=f"game {i // 2}") for i in range(4)))
    assert "is not shown to contradict itself by more than 0.25: it does so on 100% [0, 100] of 4 positions" in result.headline
    assert any("fewer than three games" in caveat for caveat in result.caveats)


def test_nothing_compared_is_said() -> None:
    assert "Nothing was compared" in of(CheckTally(ChessCheck.FORCED, seed=0)).statement


def test_caveats_follow_from_what_was_done() -> None:
    at_an_end = " ".join(finding(*(mirror(i, 1.0, 1.0) for i in range(5)), no_answers=1).caveats)
    assert "at an end of the scale" in at_an_end
    assert "fewer than 30 games" in at_an_end
    assert "The engine gave no evaluation of some positions" in at_an_end
    assert "logistic" not in at_an_end
    given = recommended(0.1, 0.1)
    without = replace(given, second=replace(given.second, evaluation=replace(given.second.evaluation, wins=None, draws=None)))
    mapped = " ".join(finding(without).caveats)
    assert "logistic" in mapped
    assert "After a move the engine sees half a move further" in mapped
    assert "at an end of the scale" not in mapped


def test_json_has_every_comparison_without_binary_noise() -> None:
    both = (mirror(1, 0.65, 0.6), recommended(0.3, -0.1))
    values = finding(*both, each=both, no_answers=2).as_json()
    first, second = values["details"]["each"]
    assert (first["difference"], first["signed"], first["game"]) == (0.05, 0.05, "game 1")
    assert (second["first"]["fen"], second["second"]["fen"]) == (START, AFTER_E4)
    assert (second["first"]["evaluation"]["q"], second["second"]["evaluation"]["q"]) == (0.3, -0.1)
    rate = values["figures"]["treatments"][0]["rates"]["over_0.05"]
    assert (rate["least"], rate["lower"], rate["upper"], rate["n"]) == (0.0, 0.0, 1.0, 1)
    assert values["details"]["checks"][0]["no_answers"] == {"time-out": 2}
    assert finding(*both).as_json()["details"]["each"] == []


SLOPES_OF_TABLE_6 = [(0, -0.2473), (1, -0.5057), (2, -0.7212), (3, -0.7767), (4, -0.7909)]
"""By numpy.polyfit on logarithms, for each threshold with three or more printed shares above 0; the paper draws no line."""
NODES = [int(nodes) for nodes in shares(TABLE_6)]


def checked(nodes: int, spread: float, *, games: int = 80, check: ChessCheck = ChessCheck.MIRROR) -> CheckedPositions:
    """Differences of a normal distribution, the same positions and the same draws at each number of nodes."""
    rng = random.Random(3)
    tally: CheckTally = CheckTally(check, seed=0)
    for i in range(5 * games):
        gap = max(-1.0, min(1.0, round(spread * rng.gauss(0, 1), 3)))
        tally.add(replace(mirror(i, 0.0, gap, game=f"game {i // 5}"), check=check))
    candidate = f"uci:stockfish?nodes={nodes}&hash=1"
    return CheckedPositions(candidate, "games.pgn", "", 0, {"limit": 5 * games}, (tally.summary(),))


def study(**spreads: float) -> EngineFinding:
    return scaling("uci:stockfish?hash=1", {int(nodes[1:]): checked(int(nodes[1:]), s) for nodes, s in spreads.items()})


def test_two_points_by_hand() -> None:
    # from 8% to 2% with 16 times the nodes: ln(1/4) / ln(16) = -1/2; ln share = -1/2 ln nodes + ln(.08) at one node
    assert line([1, 16], [0.08, 0.02]) == pytest.approx((-0.5, np.log(0.08)))


def test_a_share_of_nothing_is_left_out() -> None:
    assert line([1, 10, 100, 1000], [0.4, 0.2, 0.1, 0.0]) == pytest.approx(line([1, 10, 100], [0.4, 0.2, 0.1]))


@each_case(("which", "slope"), SLOPES_OF_TABLE_6)
def test_the_slopes_of_table_6(which: int, slope: float) -> None:
    printed = [(nodes, row[which]) for nodes, row in zip(NODES, shares(TABLE_6).values(), strict=True)]
    nodes, results = zip(*((nodes, share) for nodes, share in printed if share), strict=True)
    theirs = np.polyfit(np.log(nodes), np.log(results), 1)
    assert line(nodes, results) == pytest.approx(tuple(theirs))
    assert line(nodes, results)[0] == pytest.approx(slope, abs=5e-5)


def test_a_study_has_a_line_for_each_difference_that_was_found_three_times() -> None:
    finding = study(n10=0.3, n100=0.15, n1000=0.075, n10000=0.0375)
    assert [effect.numbers["nodes"] for effect in finding.effects] == [10, 100, 1000, 10000]
    for fit in finding.details.fits:
        rates = [(effect.numbers["nodes"], effect.rates[OVER[fit.threshold]].least) for effect in finding.effects]
        above = [(nodes, least) for nodes, least in rates if least]
        assert len(above) == fit.slope.n >= 3
        nodes, values = zip(*above, strict=True)
        assert (fit.slope.value, fit.intercept) == pytest.approx(tuple(np.polyfit(np.log(nodes), np.log(values), 1)))
        assert fit.slope.interval.lower < (fit.slope.value or 0.0) < fit.slope.interval.upper
        assert fit.slope.interval.upper - fit.slope.interval.lower > 0.01
    assert {fit.threshold for fit in finding.details.fits} <= set(THRESHOLDS[:4])


def test_the_same_games_at_each_number_of_nodes_make_the_slope_surer() -> None:
    rows: list[tuple[int, CheckSummary]] = [(nodes, checked(nodes, 0.3).summaries[0]) for nodes in (10, 100, 1000)]
    paired = fit_rows(rows, 0.25)
    # with the same answers everywhere every world has the same share at each point, so the slope is 0 in every world
    assert paired is not None
    assert (paired.slope.interval.lower, paired.slope.interval.upper) == pytest.approx((0, 0), abs=1e-12)


def test_few_games_of_which_not_all_are_in_every_row_give_a_line() -> None:
    # in one world of twenty none of three games occurs, and in fewer none of four: worlds stay beside each other all the same
    rows = [(nodes, checked(nodes, 0.3, games=games).summaries[0]) for nodes, games in ((10, 3), (100, 4), (1000, 5))]
    fit = fit_rows(rows, 0.1)
    assert fit is not None
    assert fit.slope.value is not None
    assert fit.slope.value in fit.slope.interval
    assert {len(shares) for _, row in rows for shares in row.replicates} == {1000}


def test_two_games_give_no_line() -> None:
    assert fit_rows([(nodes, checked(nodes, 0.3, games=2).summaries[0]) for nodes in (10, 100, 1000)], 0.25) is None


def test_the_sentence_goes_from_the_fewest_nodes_to_the_most() -> None:
    finding = study(n1000=0.15, n10=0.3, n100=0.2)
    first = finding.effects[0].rates[CONTRADICTED].least
    assert first is not None
    assert finding.statement.startswith("stockfish contradicts itself by more than 0.25 when the colours are swapped")
    assert f": {first * 100:.2g}% [" in finding.headline
    assert "% [35, 46] of 400 positions; with 1" in finding.headline
    assert "Ten times as many nodes leave 0." in finding.statement


def test_it_needs_one_check_at_two_numbers_of_nodes() -> None:
    with pytest.raises(BadInput, match="two or more"):
        scaling("uci:stockfish", {10: checked(10, 0.3)})
    with pytest.raises(BadInput, match="one check"):
        scaling("uci:stockfish", {10: checked(10, 0.3), 100: checked(100, 0.3, check=ChessCheck.BOARDS)})


def test_json_holds_every_number() -> None:
    values = study(n10=0.3, n100=0.15, n1000=0.075).as_json()
    assert [row["numbers"]["nodes"] for row in values["figures"]["treatments"]] == [10, 100, 1000]
    assert {"threshold", "slope", "intercept", "tenfold"} == set(values["details"]["fits"][0])
    assert values["details"]["fits"][0]["slope"]["n"] == 3
