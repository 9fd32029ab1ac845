"""Reads played games from an export by `viva luna admin export`, or from a plain table of guesses.

The table is a UTF-8 CSV with the columns `guesser`, `target` and `guess`. Optional columns are `game`, `human` (true or false:
whether the guesser is a person) and `finished` (any text that sorts by time, such as an ISO date). Without `game`, two
consecutive rows in which two players guess each other form a game, and any other row is a game by itself. Without `finished`,
rows are in order of time.

Rows of the tables that Luna reads (games, answers, recorded answers), with checks that name the line. Readers of games and
readers of answers share this module, so neither imports the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from math import isfinite
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadFile
from vivavoce.formats.lines import whole_json
from vivavoce.formats.tables import read_table
from vivavoce.luna.ratings import Guesses
from vivavoce.luna.rules import HIGHEST
from vivavoce.luna.settings import THESIS
from vivavoce.statistics.betting import Floats


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table."""

    file: Path
    line: int
    """0 if the file has no lines to name."""
    cells: Mapping[str, str]
    """Cells by column name in lower case."""

    def wrong(self, problem: str) -> BadFile:
        """The error to raise for this row."""
        return BadFile(self.file, problem, line=self.line or None)

    def name(self, column: str, longest: int) -> str:
        """A required name, without blanks at its ends."""
        value = self.cells[column].strip()
        if not 0 < len(value) <= longest:
            raise self.wrong(f"'{column}' has {len(value)} characters; it must have 1 to {longest}")
        return value

    def number(self, column: str, highest: float) -> float:
        """A number from 0 to `highest`."""
        text = self.cells[column].strip()
        try:
            value = float(text)
        except ValueError:
            raise self.wrong(f"'{column}' is '{text[:40]}'; it must be a number from 0 to {highest:g}") from None
        if not isfinite(value) or not 0 <= value <= highest:
            raise self.wrong(f"'{column}' is {text[:40]}; it must be from 0 to {highest:g}: bring all rows to that scale")
        return value


def rows_of(file: Path, needed: Sequence[str] = ()) -> Iterator[TableRow]:
    """The rows of a UTF-8 table with these columns: CSV, or tab-separated in a `.tsv`, also packed as `.gz`.

    Raises `BadFile`, for a bad row when the iterator reaches it.
    """
    return (TableRow(file, line, cells) for line, cells in read_table(file, needed, small=True).rows)


LARGEST: Final = 1 << 28
"""The most bytes of a file."""
LONGEST_NAME: Final = 500
TRUTHS: Final[Mapping[str, bool]] = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
GUESS_COLUMNS: Final = ("guesser", "target", "guess")
MORE: Final = frozenset(("voided", "taken_over"))
"""Optional fields of a seat."""
SEATS: Final = ("game", "place", "player", "kind", "guess")
"""The columns that identify the players.csv of an export."""


PlayerKind = Literal["guest", "account", "machine"]


@dataclass(frozen=True, slots=True)
class ExportedSeat:
    """One player's part of a finished game."""

    player: str
    """A pseudonym: the same in all games of one export."""
    kind: PlayerKind
    questions: tuple[str, ...] | None
    """None for texts that the operator has hidden."""
    answers: tuple[str, ...] | None
    """Answers to the other's questions."""
    sliders: tuple[float | None, ...] | None
    """Marks of each of the other's answers."""
    guess: float
    """Guess of the other's rating."""
    rating_before: float | None
    rating_after: float | None
    outcome: str
    """won, lost, tied or first."""
    seconds: tuple[float, float, float]
    """Seconds for asking, answering and guessing, from the start of each phase."""
    voided: bool = False
    """Whether the operator has voided the guess, so that it counts in no rating."""
    taken_over: datetime | None = None
    """When a machine replaced the player, who had left."""
    answers_by_machine: bool = False
    """Whether a machine gave these answers."""
    judged_human: bool | None = None
    """Whether this player took the other for a person; None if they did not say."""
    confidence: float | None = None
    """Confidence in that, in percent, from 50 to 100."""
    right: bool | None = None
    """Whether that is right; None if a machine took over a seat, because such a seat is neither."""


@dataclass(frozen=True, slots=True)
class ExportedGame:
    """A finished game."""

    game: str
    """A pseudonym."""
    begun: datetime
    finished: datetime
    seats: tuple[ExportedSeat, ExportedSeat]
    question_count: int = THESIS.questions
    """Questions of each player."""
    longest_text: int = THESIS.longest_text
    """Most characters of a question or an answer."""
    days: float = THESIS.days
    """Days for each of the three parts."""

    @property
    def taken_over(self) -> bool:
        """Whether a machine has taken over a seat; then no guess of the game counts."""
        return any(seat.taken_over is not None for seat in self.seats)


@dataclass(frozen=True, slots=True)
class SiteVisitor:
    """One player's activity, without name or text."""

    kind: PlayerKind
    came: date
    games_begun: int
    games_finished: int
    guesses: int
    """Guesses of people in finished games, without voided ones."""
    rating: float | None


@dataclass(frozen=True, slots=True)
class RecordedGuess:
    """One guess of a file."""

    guesser: str
    target: str
    guess: float
    game: str
    """Empty if the file has none."""
    human: bool
    """Whether the guesser is a person."""
    finished: str
    row: TableRow


@dataclass(frozen=True, slots=True, eq=False)
class LunaGames:
    """Played games, oldest first."""

    names: tuple[str, ...]
    """Names of the players, by number."""
    guesses: Guesses
    by_human: NDArray[np.bool_]
    """For each guess, whether a person made it."""
    machines: frozenset[int]
    """Players known to be machines because they have guessed."""

    @property
    def counted(self) -> Guesses:
        """People's guesses, which ratings are made of."""
        return self.guesses.taken(self.by_human)

    def places(self) -> Iterator[range]:
        """For each game, the indices of its guesses."""
        starts = np.flatnonzero(np.diff(self.guesses.game, prepend=-1)).tolist()
        for begin, end in zip(starts, [*starts[1:], len(self.guesses)], strict=True):
            yield range(begin, end)

    def replayed(self) -> Iterator[tuple[range, Floats, Floats]]:
        """For each game, the indices of its guesses, and the sum and number of people's guesses of each player before it."""
        guesses = self.guesses
        sums, counts = np.zeros(guesses.players), np.zeros(guesses.players)
        for places in self.places():
            yield places, sums, counts
            for index in places:
                if self.by_human[index]:
                    sums[guesses.target[index]] += guesses.value[index]
                    counts[guesses.target[index]] += 1


def read_games(path: Path) -> LunaGames:
    """Games from an export's folder, its `games.json`, or a table of guesses.

    Raises `BadFile`, with the line where there is one.
    """
    if path.is_dir():
        path = path / "games.json" if (path / "games.json").is_file() else path / "players.csv"
    if not path.is_file():
        raise BadFile(path, "no such file; give an export's folder, its games.json, or a table of guesses")
    if path.stat().st_size > LARGEST:
        raise BadFile(path, f"larger than {LARGEST >> 20} MB: split it")
    guesses = sorted(_read(path), key=lambda guess: guess.finished)  # stable: guesses with equal times keep their order
    return _gathered(path, guesses)


def _read(path: Path) -> Iterable[RecordedGuess]:
    if path.suffix == ".json":
        return _from_export(path)
    if set(SEATS) <= set(read_table(path, small=True).names):
        return _from_seats(path)
    return _from_table(path)


def _gathered(path: Path, recorded: Sequence[RecordedGuess]) -> LunaGames:
    if not recorded:
        raise BadFile(path, "the file has no guesses")
    other = next((guess for guess in recorded if bool(guess.game) != bool(recorded[0].game)), None)
    if other is not None:
        raise other.row.wrong("some rows have a game and some do not: give all of them one, or none")
    players: dict[str, int] = {}
    games: dict[str, int] = {}
    game_numbers = [games.setdefault(guess.game, len(games)) for guess in recorded] if recorded[0].game else _paired(recorded)
    _check_games(recorded, game_numbers)
    by_game = sorted(range(len(recorded)), key=game_numbers.__getitem__)
    guessers, targets = (
        [players.setdefault(name, len(players)) for name in names]
        for names in ([guess.guesser for guess in recorded], [guess.target for guess in recorded])
    )
    guesses = Guesses(guessers, targets, [guess.guess for guess in recorded], game_numbers, players=len(players))
    machines = {players[guess.guesser] for guess in recorded if not guess.human}
    for recorded_guess in recorded:
        if recorded_guess.human and players[recorded_guess.guesser] in machines:
            raise recorded_guess.row.wrong(
                f"'{recorded_guess.guesser[:80]}' is a person here and a machine elsewhere: correct it"
            )
    by_human = np.array([guess.human for guess in recorded])
    return LunaGames(tuple(players), guesses.taken(by_game), by_human[by_game], frozenset(machines))


def _check_games(guesses: Sequence[RecordedGuess], game_numbers: Sequence[int]) -> None:
    """Reject a game unless it is one guess, or two players who guess each other."""
    seen: dict[int, list[RecordedGuess]] = {}
    for game, guess in zip(game_numbers, guesses, strict=True):
        of_game = seen.setdefault(game, [])
        if of_game and (len(of_game) > 1 or (of_game[0].guesser, of_game[0].target) != (guess.target, guess.guesser)):
            raise guess.row.wrong("a game needs two players, each with one guess about the other")
        of_game.append(guess)


def _paired(guesses: Sequence[RecordedGuess]) -> list[int]:
    """Numbers of games, where two consecutive mutual guesses form one game."""
    numbers: list[int] = []
    for index, guess in enumerate(guesses):
        before = guesses[index - 1] if index else None
        mutual = before is not None and (before.guesser, before.target) == (guess.target, guess.guesser)
        if mutual and (index < 2 or numbers[-1] != numbers[-2]):
            numbers.append(numbers[-1])
        else:
            numbers.append(numbers[-1] + 1 if numbers else 0)
    return numbers


def _from_table(path: Path) -> Iterator[RecordedGuess]:
    for row in rows_of(path, GUESS_COLUMNS):
        guesser, target = (row.name(column, LONGEST_NAME) for column in ("guesser", "target"))
        human = row.cells.get("human", "true").strip().lower()
        if human not in TRUTHS:
            raise row.wrong(f"'human' is '{human[:40]}'; it must be true or false")
        yield _guess_of(row, guesser, target, human=TRUTHS[human], finished=row.cells.get("finished", ""))


def _from_seats(path: Path) -> Iterator[RecordedGuess]:
    """From `players.csv`, with two rows a game, a player and the guess each; times come from the games.csv next to it."""
    file = path.parent / "games.csv"
    games = rows_of(file) if file.is_file() else ()
    times = {row.cells.get("game", ""): row.cells.get("finished", "") for row in games}
    waiting: dict[str, TableRow] = {}
    for row in rows_of(path, SEATS):
        first = waiting.pop(row.cells["game"], None)
        if first is None:
            waiting[row.cells["game"]] = row
        else:
            yield from _both(first, row, times.get(row.cells["game"], ""))
    for game, row in waiting.items():
        raise row.wrong(f"game '{game[:80]}' has only one player")


def _from_export(path: Path) -> Iterator[RecordedGuess]:
    games = whole_json(path)
    if not isinstance(games, list):
        raise BadFile(path, "this is not a list of games")
    for number, game in enumerate(games, 1):
        try:
            shared = {"game": str(game["game"]), "finished": str(game["finished"])}
            first, second = (TableRow(path, 0, _seat_cells(seat, shared)) for seat in game["seats"])
        except (KeyError, TypeError, ValueError):
            raise BadFile(path, f"game {number} of the list is not a game with two seats") from None
        yield from _both(first, second, shared["finished"])


def _both(first: TableRow, second: TableRow, finished: str) -> Iterator[RecordedGuess]:
    """The guesses of two players about each other.

    Guesses voided by the operator are left out, and so are games in which a machine took over a seat.
    """
    if any(seat.cells.get("taken_over", "") not in ("", "None") for seat in (first, second)):
        return
    names = [seat.name("player", LONGEST_NAME) for seat in (first, second)]
    for seat, (own, other) in ((first, names), (second, names[::-1])):
        if TRUTHS.get(seat.cells.get("voided", "").strip().lower()):
            continue
        yield _guess_of(seat, own, other, human=seat.cells["kind"] != "machine", finished=finished)


def _guess_of(row: TableRow, guesser: str, target: str, *, human: bool, finished: str) -> RecordedGuess:
    guess = row.number("guess", HIGHEST)
    if guesser == target:
        raise row.wrong(f"'{guesser[:80]}' guesses their own rating; a game has two players")
    return RecordedGuess(guesser, target, guess, row.cells.get("game", "").strip(), human, finished.strip(), row)


def _seat_cells(seat: Mapping[str, object], shared: Mapping[str, str]) -> dict[str, str]:
    more = {name: "" if seat[name] is None else str(seat[name]) for name in MORE & {*seat}}
    return {**shared, **{name: str(seat[name]) for name in ("player", "guess", "kind")}, **more}
