"""Games from tables: what is told is read, in order of time, and what is no game is refused with its line."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadFile
from vivavoce.luna.games_file import read_games


def told(folder: Path, text: str, name: str = "games.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_a_plain_table(tmp_path: Path) -> None:
    games = read_games(told(tmp_path, "guesser,target,guess\nann,bob,60\nbob,ann,80\nann,bob,61\ncy,bob,7.5\n"))
    assert games.names == ("ann", "bob", "cy")
    # ann and bob guess each other: one game; then two guesses without an answer
    assert games.guesses.game.tolist() == [0, 0, 1, 2]
    assert games.guesses.value.tolist() == [60.0, 80.0, 61.0, 7.5]
    assert games.machines == frozenset()


def test_machines_do_not_count_and_time_orders(tmp_path: Path) -> None:
    table = (
        "finished,game,human,guesser,target,guess,remark\n"
        "2026-02-01,x,yes,ann,bot,10,\n2026-02-01,x,false,bot,ann,99,\n2026-01-01,y,TRUE,ann,bob,50,\n"
    )
    games = read_games(told(tmp_path, "\ufeff" + table))
    assert games.guesses.value.tolist() == [50.0, 10.0, 99.0]
    assert games.counted.value.tolist() == [50.0, 10.0]
    assert {games.names[number] for number in games.machines} == {"bot"}


@each_case(
    ("rows", "line", "problem"),
    [
        ("guesser,target\nann,bob\n", 1, "no column guess"),
        ("guesser,target,guess\nann,bob,sixty\n", 2, "'guess' is 'sixty'"),
        ("guesser,target,guess\nann,bob,60\nann,bob,101\n", 3, "from 0 to 100"),
        ("guesser,target,guess\nann,bob,nan\n", 2, "from 0 to 100"),
        ("guesser,target,guess\nann,ann,60\n", 2, "own rating"),
        ("guesser,target,guess\n ,bob,60\n", 2, "0 characters"),
        ("guesser,target,guess\nann,bob\n", 2, "ends after 2 of 3 cells"),
        ("guesser,target,guess\nann,bob,1,2\n", 2, "4 cells under 3 columns"),
        ("guesser,target,guess,human\nann,bob,1,perhaps\n", 2, "true or false"),
        ("guesser,target,guess,human\nann,bob,1,yes\nann,cy,1,no\n", 2, "a machine elsewhere"),
        ("guesser,target,guess,game\nann,bob,1,x\nbob,ann,1,x\ncy,ann,1,x\n", 4, "two players"),
        ("guesser,target,guess,game\nann,bob,1,x\nann,bob,1,x\n", 3, "two players"),
        ("guesser,target,guess,game\nann,bob,1,\nbob,ann,1,x\n", 3, "some do not"),
        ("guesser,target,guess,game\nann,bob,1,x\nbob,ann,1,x\ncy,ann,1,\nann,cy,1,\n", 4, "some do not"),
        ("guesser,target,guess,guess\nann,bob,1,2\n", 1, "two columns are named 'guess'"),
        ('guesser,target,guess\n"ann,bob,1\n', 2, "not a table"),
    ],
)
def test_what_is_no_game_is_refused_with_its_line(tmp_path: Path, rows: str, line: int, problem: str) -> None:
    with pytest.raises(BadFile, match=problem) as raised:
        read_games(told(tmp_path, rows))
    assert raised.value.line == line


def test_nothing_and_nonsense_are_refused(tmp_path: Path) -> None:
    for text, name, problem in (
        ("guesser,target,guess\n", "a.csv", "no guess"),
        ("{", "b.json", "not JSON"),
        ('{"a": 1}', "c.json", "not a list"),
        ('[{"seats": 5}]', "d.json", "game 1 of the list"),
        ("[" * 100_000, "e.json", "more than 64 levels deep"),
        (
            json.dumps([{"game": "g", "finished": "", "seats": [{"player": "a", "guess": None, "kind": "guest"}] * 2}]),
            "f.json",
            "is 'None'",
        ),
        (
            json.dumps(
                [{"game": "g", "finished": "", "seats": [{"player": word, "guess": 10**400, "kind": "guest"} for word in "ab"]}]
            ),
            "g.json",
            "a whole number of more than 308 digits",
        ),
    ):
        with pytest.raises(BadFile, match=problem):
            read_games(told(tmp_path, text, name))
    with pytest.raises(BadFile, match="no such file"):
        read_games(tmp_path)
    (tmp_path / "latin.csv").write_bytes(b"guesser,target,guess\n\xff,b,1\n")
    with pytest.raises(BadFile, match="UTF-8"):
        read_games(tmp_path / "latin.csv")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["x.csv", "x.json"]))
def test_any_bytes_are_games_or_refused(tmp_path: Path, content: bytes, name: str) -> None:
    (tmp_path / name).write_bytes((b"guesser,target,guess\n" if name == "x.csv" else b"") + content)
    with contextlib.suppress(BadFile):
        assert len(read_games(tmp_path / name).guesses)
