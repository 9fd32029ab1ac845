"""The page of ratings: tables, the plot of Figure 6.6, whom to look at, and strangers' words escaped."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from tests.luna.luna_games import games_of
from tests.render.html_pages import html_of
from vivavoce.luna.identification import Identification
from vivavoce.luna.rate import SHOWN, LunaRating, rate
from vivavoce.luna.rules import PersonOrMachine
from vivavoce.luna.settings import RateConfig


@cache
def found(name: str = "Ann") -> LunaRating:
    bot = f"bot {name}"
    games = games_of(1, players=20, games=200, rules=("minimum",))
    names = (name, *games.names[1:])
    judgements = tuple(
        Identification(names[judge], judged, judged != bot, PersonOrMachine((judge * index + index) % 3 > 0, 60.0 + judge))
        for judge in range(2, 12)
        for index, judged in enumerate((names[0], names[1], bot))
    )
    return rate(replace(games, names=names, judgements=judgements), RateConfig(rounds=100), source=f"games of {name}")


def test_a_page_has_tables_and_the_plot() -> None:
    html = html_of(found())
    assert html.count("<svg") == 2
    assert "Humanity: how often people call a player a person" in html
    assert "Judges: telling people from machines" in html
    assert all(f">{kind}</text>" in html for kind in ("people", "machines"))
    assert "How far guesses about one person are apart" in html
    assert "nearly always guesses 0" in html
    assert "Who guesses well" in html


def test_of_very_many_players_the_rest_is_counted() -> None:
    finding = found()
    many = replace(finding, players=finding.players * 30)
    assert len(many.report().tables[0].rows) == SHOWN
    assert "100 more players are in the JSON." in html_of(many)


def test_who_was_guessed_once_or_never_has_no_interval() -> None:
    finding = found()
    first = finding.players[0]
    once, never = (
        {name: replace(estimate, n=n, value=None if n == 0 else estimate.value) for name, estimate in first.ratings.items()}
        for n in (1, 0)
    )
    table = replace(finding, players=(replace(first, ratings=once), replace(first, ratings=never))).report().tables[0]
    assert [row.cells[1].interval for row in table.rows] == ["one guess", "no guesses"]
