"""The page of a site's figures: tables, both plots, and strangers' words escaped."""

from __future__ import annotations

from datetime import date

from tests.luna.test_site_statistics import Came, SiteGame, SiteSeat
from tests.render.html_pages import html_of
from vivavoce.luna.site_statistics import LunaStatistics, statistics
from vivavoce.render.drawing import drawing_of


def found(site: str = "luna.sqlite") -> LunaStatistics:
    """Ann is guessed twice, Bob three times, a machine once."""
    guesses = {"ann": (60.0, 80.0), "bob": (40.0, 50.0, 45.0)}
    games = [
        SiteGame((SiteSeat(name, 5.0), SiteSeat(f"{name}{n}", value)))
        for name, all_of in guesses.items()
        for n, value in enumerate(all_of)
    ]
    games.append(SiteGame((SiteSeat("cy", 7.0), SiteSeat("bot", 50.0, kind="machine"))))
    came = [Came(rating=70.0, games_begun=2, games_finished=2), Came(rating=45.0, games_begun=3, games_finished=3)]
    return statistics(games, came, site=site)


def judged(machine_name: str = "bot") -> LunaStatistics:
    """Eighteen judges of three machines and nine of people, more often right the surer they are."""
    games = []
    for number in range(27):
        machine, sure = number < 18, 50.0 + 5 * (number % 11)
        right = (number * 7) % 10 < sure / 10 - 0.5
        judge = SiteSeat(
            f"judge {number}", 50.0, judged_human=right is not machine, confidence=sure, right=right, seconds=(9, 9, number)
        )
        other = SiteSeat(
            f"{machine_name} {number % 3}" if machine else f"p{number}",
            50.0,
            ("x" * number,) * 5,
            "machine" if machine else "guest",
        )
        games.append(SiteGame((judge, other)))
    return statistics(games, [Came(rating=50.0, games_begun=27, games_finished=27)] * 2, site="luna.sqlite")


def test_a_page_has_who_is_taken_for_whom() -> None:
    html = html_of(judged())
    assert "How often judgements of person or machine are right, by how sure they are" in html
    for heading in (
        "Person or machine?",
        "by characters of their answers",
        "by the judge’s time",
        "Right judgements by confidence",
    ):
        assert heading.replace("’", "'") in html.replace("&#39;", "'").replace("’", "'")
    assert "not for machines in general" in html


def test_a_page_has_the_figures_and_both_plots() -> None:
    html = html_of(found())
    assert html.count("<svg") == 2
    assert "Ratings of people: 1 from 40, 1 from 70." in html
    assert "mean 68.9, median 74" in html
    # of ann 14.1 with two guesses, of bob 5.0 with three
    assert "14.1 (too little for an interval) with 2 guesses, 5.0 (too little for an interval) with 3" in html


def test_what_is_empty_is_left_out() -> None:
    nothing = statistics([], [])
    assert nothing.tables == ()
    assert [drawing_of(figure.data) for figure in nothing.report().figures] == [None, None, None]
    assert "There are no players yet." in html_of(nothing)


def test_tables_say_what_was_counted() -> None:
    machines, spreads, days = (
        [[cell.words for cell in (row.head, *row.cells)] for row in table.rows] for _, table in found().tables
    )
    assert machines == [["bot", "7.0 (too little for an interval)", "1", "7 to 7"]]
    assert [line[:2] for line in spreads] == [["2", "1"], ["3", "1"]]
    assert days == [[date(2026, 6, 14).isoformat(), "2"]]
