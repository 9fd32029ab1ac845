"""The study of chess: sentences, caveats and numbers of comparisons made by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.consistency.chess.comparisons import AFTER_E4, START, mirror, recommended
from vivavoce.consistency.chess.comparison import ChessCheck, ChessComparison
from vivavoce.consistency.chess.counting import CheckedPositions, CheckTally
from vivavoce.studies.chess import CHESS, TREATMENTS
from vivavoce.studies.engine_checks.counting import AT_AN_END, CONTRADICTED, EVENTS, OVER, EngineFinding, finding_of

ENGINE = "uci:stockfish?nodes=10000"


def finding(*comparisons: ChessComparison, each: tuple[ChessComparison, ...] = (), no_answers: int = 0) -> EngineFinding:
    tallies: dict[ChessCheck, CheckTally[ChessComparison]] = {
        check: CheckTally(check, seed=0) for check in dict.fromkeys(entry.check for entry in comparisons)
    }
    for comparison in comparisons:
        tallies[comparison.check].add(comparison)
    for tally in tallies.values():
        tally.skip("mate in one")
        for _ in range(no_answers):
            tally.no_answer("time-out")
    return of(*tallies.values(), each=each)


def of(*tallies: CheckTally[ChessComparison], each: tuple[ChessComparison, ...] = ()) -> EngineFinding:
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
