"""Luna's pages: predictions, ratings, simulations and figures of a site; strangers' words are escaped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import cache
from importlib.util import find_spec

import pytest

from tests.luna.luna_games import games_of
from tests.luna.predict.people import pupils
from tests.luna.test_site_statistics import site_game, site_seat, visitor
from tests.render.html_pages import html_of
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.scope import Signature
from vivavoce.luna.predict.comparison_finding import RatingComparison, compare, words_of
from vivavoce.luna.predict.grading_study import GraderScore, GradingSplit, GradingStudy
from vivavoce.luna.predict.predicted_ratings import SHOWN, PredictedRatings, learn, predict_ratings
from vivavoce.luna.predict.predictors import OPTIONS
from vivavoce.luna.rate import SHOWN as PLAYERS_SHOWN
from vivavoce.luna.rate import LunaRating, rate
from vivavoce.luna.settings import RateConfig, SimulationConfig, SplitsConfig
from vivavoce.luna.simulation_finding import SLIPS, LunaSimulation, examine_simulation
from vivavoce.luna.site_statistics import LunaStatistics, statistics
from vivavoce.render.canvas import drawing_of
from vivavoce.report.blocks import ReportTable
from vivavoce.report.reported import ReportedFinding

pytestmark = pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed")


@cache
def compared(source: str = "pupils") -> RatingComparison:
    return compare(pupils(), ["com", "cbg", "bow"], config=SplitsConfig(3), source=source)


@cache
def predicted() -> PredictedRatings:
    return predict_ratings(learn(pupils(), "bow"), pupils(12, seed=1), source="new")


def predicted_of(person: str) -> PredictedRatings:
    return replace(predicted(), predictions=(replace(predicted().predictions[0], person=person), *predicted().predictions[1:]))


def many_predicted() -> PredictedRatings:
    return replace(predicted(), predictions=predicted().predictions * 50)


def grading(scope: str = "class") -> GradingStudy:
    def about(value: float | None) -> Estimate:
        return Estimate(value, Interval(-1, 1) if value is None else Interval(value - 0.1, value + 0.1), 90)

    rows = {"grader": GraderScore(about(0.7), about(0.8), None), "constant": GraderScore(about(1.1), about(None), about(0.4))}
    split = GradingSplit(5, rows, repeated=3, rmse_of_others=about(0.75))
    signature = Signature("1", "luna predict grade", "answers", scope, "", 0, {"parts": 5})
    return GradingStudy(split, split, 90, 30, 5.0, 80, 0.95, signature)


@pytest.mark.parametrize(("made", "plots"), [(compared, 1), (predicted, 1), (grading, 1)])
def test_a_page_has_its_plot(made: Callable[[], ReportedFinding], plots: int) -> None:
    assert html_of(made()).count("<svg") == plots


def lines(table: ReportTable) -> list[list[str]]:
    return [[cell.words for cell in (row.head, *row.cells)] for row in table.rows]


def test_predictors_stand_in_order_of_their_errors() -> None:
    (table,) = compared().report().tables
    errors = [float(row.cells[0].text) for row in table.rows]
    assert errors == sorted(errors)
    (com,) = (row for row in table.rows if row.head.text == "com")
    assert com.head.below == ("10 of the 12 features of the thesis, without snl and syn",)
    assert words_of("com?wordnet=") == "all 12 features of the thesis"
    assert [cell.words for cell in com.cells[1:]] == ["", ""]  # it is what the others are compared with
    cbg = next(score for score in compared().scores if score.name == "cbg")
    assert cbg.difference is not None
    shown = next(row for row in table.rows if row.head.text == "cbg").cells[1].text
    assert shown == f"{cbg.difference.value:+.3f}".replace("-", "−")
    assert compared().statement.startswith(compared().report().headline)


def test_every_predictor_says_what_it_goes_by() -> None:
    assert all(words_of(name) for name in OPTIONS)
    assert words_of("modern?from=ratings").endswith("from ratings alone")


def test_of_very_many_people_the_rest_is_counted() -> None:
    many = many_predicted()
    html = html_of(many)
    assert len(many.report().tables[0].rows) == SHOWN
    assert "And 100 more, with lower ratings." in html
    assert "each with its 90% interval" in html
    alone = replace(predicted(), predictions=predicted().predictions[:1])
    assert drawing_of(alone.report().figures[0].data) is None


def test_graders_without_a_correlation_have_none() -> None:
    first, _ = grading().report().tables
    assert lines(first)[1] == ["constant", "1.10 [1.00, 1.20]", "none", "+0.40 [+0.30, +0.50]"]


@cache
def rating_finding(name: str = "Ann") -> LunaRating:
    games = games_of(1, players=20, games=200, rules=("minimum",))
    names = (name, *games.names[1:])
    return rate(replace(games, names=names), RateConfig(rounds=100), source=f"games of {name}")


def test_a_page_has_tables_and_the_plot() -> None:
    html = html_of(rating_finding())
    assert html.count("<svg") == 1
    assert "How far guesses about one person are apart" in html
    assert "nearly always guesses 0" in html
    assert "Who guesses well" in html


def test_of_very_many_players_the_rest_is_counted() -> None:
    finding = rating_finding()
    many = replace(finding, players=finding.players * 30)
    assert len(many.report().tables[0].rows) == PLAYERS_SHOWN
    assert "100 more players are in the JSON." in html_of(many)


def test_who_was_guessed_once_or_never_has_no_interval() -> None:
    finding = rating_finding()
    first = finding.players[0]
    once, never = (
        {name: replace(estimate, n=n, value=None if n == 0 else estimate.value) for name, estimate in first.ratings.items()}
        for n in (1, 0)
    )
    table = replace(finding, players=(replace(first, ratings=once), replace(first, ratings=never))).report().tables[0]
    assert [row.cells[1].interval for row in table.rows] == ["one guess", "no guesses"]


@pytest.fixture(scope="module")
def simulation() -> LunaSimulation:
    return examine_simulation(["3.1", "3.3", "3.7"], SimulationConfig(players=12, trials=2), attacks=True)


def test_a_page_shows_both_readings_and_says_why(simulation: LunaSimulation) -> None:
    html = html_of(simulation)
    assert html.count("<svg") == 3
    assert "As published" in html
    assert "Ratings under attack" in html
    assert all(slip.partition(",")[0].replace("'", "&#39;") in html for slip in SLIPS)


def test_without_figures_or_attacks_there_is_no_such_part(simulation: LunaSimulation) -> None:
    alone = html_of(replace(simulation, charts=()))
    assert "Two readings" not in alone
    assert "Ratings under attack" not in html_of(replace(simulation, attacks=()))


def test_tables_say_where_figures_end(simulation: LunaSimulation) -> None:
    ends, attacks = simulation.report().tables
    ways = [(row.head.text, "a tenth" in row.cells[0].text) for row in ends.rows]
    assert ways == [("3.1", False), ("3.3", True), ("3.7", False)]
    assert sum(bool(row.head.below) for row in attacks.rows) == 2


def statistics_finding(site: str = "luna.sqlite") -> LunaStatistics:
    """Ann is guessed twice, Bob three times, a machine once."""
    guesses = {"ann": (60.0, 80.0), "bob": (40.0, 50.0, 45.0)}
    games = [
        site_game(site_seat(name, 5.0), site_seat(f"{name}{n}", value))
        for name, all_of in guesses.items()
        for n, value in enumerate(all_of)
    ]
    games.append(site_game(site_seat("cy", 7.0), site_seat("bot", 50.0, kind="machine")))
    came = [visitor(rating=70.0, games_begun=2, games_finished=2), visitor(rating=45.0, games_begun=3, games_finished=3)]
    return statistics(games, came, site=site)


def judged_statistics(machine_name: str = "bot") -> LunaStatistics:
    """Eighteen judges of three machines and nine of people, more often right the surer they are."""
    games = []
    for number in range(27):
        machine, sure = number < 18, 50.0 + 5 * (number % 11)
        right = (number * 7) % 10 < sure / 10 - 0.5
        judge = site_seat(
            f"judge {number}", 50.0, judged_human=right is not machine, confidence=sure, right=right, seconds=(9, 9, number)
        )
        other = site_seat(
            f"{machine_name} {number % 3}" if machine else f"p{number}",
            50.0,
            ("x" * number,) * 5,
            "machine" if machine else "guest",
        )
        games.append(site_game(judge, other))
    return statistics(games, [visitor(rating=50.0, games_begun=27, games_finished=27)] * 2, site="luna.sqlite")


def test_a_page_has_who_is_taken_for_whom() -> None:
    html = html_of(judged_statistics())
    assert "Person or machine?" in html
    assert "Machines taken for people, by machine" in html
    assert "not for machines in general" in html


def test_a_page_has_the_figures_and_both_plots() -> None:
    html = html_of(statistics_finding())
    assert html.count("<svg") == 2
    assert "Ratings of people: 1 from 40, 1 from 70." in html
    assert "mean 68.9, median 74" in html
    # of ann 14.1 with two guesses, of bob 5.0 with three
    assert "14.1 (too little for an interval) with 2 guesses, 5.0 (too little for an interval) with 3" in html


def test_what_is_empty_is_left_out() -> None:
    nothing = statistics([], [])
    assert nothing.tables == ()
    assert [drawing_of(figure.data) for figure in nothing.report().figures] == [None, None]
    assert "There are no players yet." in html_of(nothing)


def test_tables_say_what_was_counted() -> None:
    machines, spreads, days = (
        [[cell.words for cell in (row.head, *row.cells)] for row in table.rows] for _, table in statistics_finding().tables
    )
    assert machines == [["bot", "7.0 (too little for an interval)", "1", "7 to 7"]]
    assert [line[:2] for line in spreads] == [["2", "1"], ["3", "1"]]
    assert days == [[date(2026, 6, 14).isoformat(), "2"]]
