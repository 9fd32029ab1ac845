"""Reads games that were played: what `viva luna export` writes, or a plain table of guesses.

The table is CSV in UTF-8 with the columns `guesser`, `target`, `guess`, and if wished `game`, `human` (true or false: whether
the guesser is a person), `finished` (any text that sorts by time, such as an ISO date). Without `game` two rows in a row in
which two players guess each other are a game, and any other row is a game of its own. Without `finished` rows are in order of
time.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadFile
from vivavoce.luna.play import HIGHEST, LOWEST
from vivavoce.luna.ratings import Guesses

LARGEST: Final = 1 << 28
"""Bytes of a file."""
LONGEST_NAME: Final = 500
TRUTHS: Final[Mapping[str, bool]] = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
NEEDED: Final = ("guesser", "target", "guess")


@dataclass(frozen=True, slots=True)
class Row:
    """One guess, as a file has it."""

    guesser: str
    target: str
    guess: float
    game: str | None
    human: bool
    """Whether the guesser is a person."""
    finished: str
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class LunaGames:
    """Games that were played, oldest first."""

    names: tuple[str, ...]
    """Of players, by number."""
    guesses: Guesses
    by_human: NDArray[np.bool_]
    """For each guess, whether a person made it."""
    machines: frozenset[int]
    """Players who are machines, as far as they have guessed."""

    @property
    def counted(self) -> Guesses:
        """People's guesses: the ones that ratings rest on."""
        return self.guesses.taken(self.by_human)


def read_games(path: Path) -> LunaGames:
    """Games from an export's folder, its `games.json`, or a table of guesses.

    Raises `BadFile`, with the line where there is one.
    """
    if path.is_dir():
        path = path / "games.json" if (path / "games.json").is_file() else path / "players.csv"
    try:
        if not path.is_file():
            raise BadFile(path, "there is no such file; give an export's folder, its games.json, or a table of guesses")
        if path.stat().st_size > LARGEST:
            raise BadFile(path, f"larger than {LARGEST >> 20} MB: split it")
        if path.suffix == ".json":
            return _gathered(path, _from_export(path))
        return _gathered(path, _from_table(path))
    except OSError as error:
        raise BadFile(path, f"it cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise BadFile(path, "it is not text in UTF-8") from None


def _gathered(path: Path, rows: Iterable[Row]) -> LunaGames:
    ordered = sorted(rows, key=lambda row: row.finished)  # stable: rows of one time stay as they are
    if not ordered:
        raise BadFile(path, "there is no guess in it")
    players: dict[str, int] = {}
    games: dict[str, int] = {}
    pairs = _paired(path, ordered) if ordered[0].game is None else None
    number = [
        pairs[place] if pairs is not None else games.setdefault(str(row.game), len(games)) for place, row in enumerate(ordered)
    ]
    _check_games(path, ordered, number)
    by_game = sorted(range(len(ordered)), key=number.__getitem__)
    guessers, targets = (
        [players.setdefault(name, len(players)) for name in names]
        for names in ([row.guesser for row in ordered], [row.target for row in ordered])
    )
    guesses = Guesses(guessers, targets, [row.guess for row in ordered], number, players=len(players))
    machines = {players[row.guesser] for row in ordered if not row.human}
    people = {row.guesser: row.line for row in ordered if row.human}
    for name in people:
        if players[name] in machines:
            raise BadFile(path, f"'{name[:80]}' is a person here and a machine elsewhere", line=people[name] or None)
    by_human = np.array([row.human for row in ordered])
    return LunaGames(tuple(players), guesses.taken(by_game), by_human[by_game], frozenset(machines))


def _check_games(path: Path, rows: list[Row], number: list[int]) -> None:
    """A game has one guess, or two players who guess each other."""
    seen: dict[int, list[Row]] = {}
    for game, row in zip(number, rows, strict=True):
        of_game = seen.setdefault(game, [])
        if of_game and (len(of_game) > 1 or (of_game[0].guesser, of_game[0].target) != (row.target, row.guesser)):
            raise BadFile(path, "a game has two players, and one guess of each about the other", line=row.line or None)
        of_game.append(row)


def _paired(path: Path, rows: list[Row]) -> list[int]:
    """Two that guess each other in a row are a game."""
    found: list[int] = []
    for place, row in enumerate(rows):
        if row.game is not None:
            raise BadFile(
                path, "some rows have a game and some have none: give all of them one, or none", line=row.line or None
            )
        before = rows[place - 1] if place else None
        mutual = before is not None and (before.guesser, before.target) == (row.target, row.guesser)
        if mutual and (place < 2 or found[-1] != found[-2]):
            found.append(found[-1])
        else:
            found.append(found[-1] + 1 if found else 0)
    return found


def _from_table(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        try:
            heads = list(reader.fieldnames or ())
            if {"game", "place", "player", "kind", "guess"} <= set(heads):
                yield from _from_seats(path, reader)
                return
            missing = [name for name in NEEDED if name not in heads]
            if missing:
                raise BadFile(
                    path, f"it has no column {', '.join(missing)}; a table of guesses has {', '.join(NEEDED)}", line=1
                )
            for cells in reader:
                line = reader.line_num
                if None in cells or None in cells.values():
                    raise BadFile(path, f"this row has not the {len(heads)} cells of the first", line=line)
                guesser, target = (_name(path, cells[name], line) for name in ("guesser", "target"))
                human = cells.get("human", "true").strip().lower()
                if human not in TRUTHS:
                    raise BadFile(path, f"'human' is '{human[:40]}'; it is true or false", line=line)
                yield _row(
                    path, guesser, target, cells["guess"], cells.get("game"), TRUTHS[human], cells.get("finished", ""), line
                )
        except csv.Error as error:
            raise BadFile(path, f"this is no CSV: {error}", line=reader.line_num + 1) from None


def _from_seats(path: Path, reader: csv.DictReader[str]) -> Iterator[Row]:
    """Of `players.csv`: two rows a game, each a player and the guess about the other; times stand in games.csv beside it."""
    times = _times(path.parent / "games.csv")
    waiting: dict[str, tuple[dict[str, str], int]] = {}
    for cells in reader:
        line = reader.line_num
        if None in cells or None in cells.values():
            raise BadFile(path, "this row has too few or too many cells", line=line)
        game = cells["game"]
        if game not in waiting:
            waiting[game] = (cells, line)
            continue
        first, _ = waiting.pop(game)
        for own, other in ((first, cells), (cells, first)):
            names = (_name(path, own["player"], line), _name(path, other["player"], line))
            yield _row(path, *names, own["guess"], game, own["kind"] != "machine", times.get(game, ""), line)
    for game, (_, line) in waiting.items():
        raise BadFile(path, f"game '{game[:80]}' has one player only", line=line)


def _times(file: Path) -> dict[str, str]:
    if not file.is_file():
        return {}
    with file.open(encoding="utf-8-sig", newline="") as opened:
        return {row.get("game") or "": row.get("finished") or "" for row in csv.DictReader(opened)}


def _from_export(path: Path) -> Iterator[Row]:
    try:
        games = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise BadFile(path, "this is no JSON; an export's games.json is a list of games") from None
    if not isinstance(games, list):
        raise BadFile(path, "this is no list of games")
    for number, game in enumerate(games, 1):
        try:
            seats = game["seats"]
            first, second = ((str(seat["player"]), seat["guess"], str(seat["kind"])) for seat in seats)
            name, finished = str(game["game"]), str(game["finished"])
        except (KeyError, TypeError, ValueError):
            raise BadFile(path, f"game {number} of the list is no game with two seats") from None
        for own, other in ((first, second), (second, first)):
            names = (_name(path, own[0], None), _name(path, other[0], None))
            yield _row(path, *names, own[1], name, own[2] != "machine", finished, None)


def _row(
    path: Path, guesser: str, target: str, given: Any, game: str | None, human: bool, finished: str, line: int | None
) -> Row:
    try:
        guess = float(given)
    except (TypeError, ValueError):
        raise BadFile(path, f"'guess' is '{str(given)[:40]}'; it is a number from 0 to 100", line=line) from None
    if not isfinite(guess) or not LOWEST <= guess <= HIGHEST:
        raise BadFile(path, f"'guess' is {guess:g}; it lies from 0 to 100", line=line)
    if guesser == target:
        raise BadFile(path, f"'{guesser[:80]}' guesses the own rating; a game has two players", line=line)
    return Row(guesser, target, guess, (game or "").strip() or None, human, finished.strip(), line or 0)


def _name(path: Path, given: str, line: int | None) -> str:
    name = given.strip()
    if not 0 < len(name) <= LONGEST_NAME:
        raise BadFile(path, f"a player's name has {len(name)} characters; it has 1 to {LONGEST_NAME}", line=line)
    return name
