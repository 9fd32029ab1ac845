"""Writes an export of games to a folder: JSON, tables for spreadsheets, and a codebook. A spreadsheet would run a cell that
begins with = as a formula, so such texts get an apostrophe in front. Without it, each text is unchanged; the JSON file has no
added apostrophes.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from vivavoce.errors import BadFile
from vivavoce.formats.lines import writing
from vivavoce.formats.tables import pictured
from vivavoce.luna.games_file import ExportedGame
from vivavoce.luna.rules import Place
from vivavoce.version import __version__

GAMES: Final = "games.csv"
SEATS: Final = "players.csv"
ANSWERS: Final = "answers.csv"
WHOLE: Final = "games.json"
CODEBOOK: Final = "codebook.md"
QUOTING: Final = csv.QUOTE_NONNUMERIC
"""Quoting of all texts: by default, Python 3.11 does not quote a lone carriage return, and a reader ends the row there."""
_STARTS: Final = tuple("=+-@\t\r\n＝＋－＠'")
"""First characters of formulas, and the apostrophe itself, so that the rule can be undone."""

COLUMNS: Final[dict[str, dict[str, str]]] = {
    GAMES: {
        "game": "A pseudonym of the game.",
        "begun": "Time at which the players were paired, in UTC.",
        "finished": "Time of the second guess, in UTC.",
        "question_count": "Number of questions per player.",
        "longest_text": "Most characters of a question or an answer.",
        "days": "Days allowed for each of the three parts.",
    },
    SEATS: {
        "game": "As in games.csv; two rows a game.",
        "place": "0 or 1: which of the two; without any other meaning.",
        "player": "A pseudonym: the same in all games of this export, and another one in the next.",
        "kind": "guest (a person without an account), account (a person with one) or machine.",
        "guess": "0 to 100: this player's guess of the other's rating.",
        "rating_before": "0 to 100: this player's rating before the game, which the other had to guess. Empty in the first.",
        "rating_after": "This rating with the other's guess, unless it is a machine's. Empty if only machines have guessed.",
        "outcome": "won (nearer), lost, tied, or first (a newcomer's game with a veteran, which the veteran wins).",
        "seconds_asking": "Seconds from the beginning of the game to this player's questions.",
        "seconds_answering": "Seconds from the last question of both players to this player's answers.",
        "seconds_guessing": "Seconds from the last answer of both players to this player's guess.",
        "taken_over": "When a machine replaced this player, who had left, in UTC. Else empty. Such a game changes no "
        "rating: neither of its guesses counts.",
        "voided": "true if the operator has voided this player's guess, which then counts in no rating; else false.",
        "judged_human": "true where this player took the other for a person, false where for a machine. Empty for who did not "
        "say: machines need not, and players who refuse machines are not asked.",
        "confidence": "50 (a coin) to 100: how sure of that this player was, in percent.",
        "right": "true where it is so, else false. Empty where there is no judgement, and where a machine took over a seat.",
    },
    ANSWERS: {
        "game": "As in games.csv; two rows for each of a game's questions, fewer where the operator has hidden texts.",
        "place": "Who answered: 'place' in players.csv.",
        "number": "1 to the question_count of games.csv.",
        "question": "What the other player asked.",
        "answer": "What this player answered.",
        "human": "true or false: whether a person answered, not a machine (as the player, or as a substitute).",
        "slider": "0 to 100: how smart the other player found this answer. Empty where it was not said.",
    },
}
"""The columns of each table, in words."""


@dataclass(slots=True)
class ExportCounts:
    """Counts of an export."""

    games: int = 0
    answers: int = 0
    hidden: int = 0
    """Players' texts that the operator has hidden, one for each game they are missing from."""


def write_release(folder: Path, games: Iterable[ExportedGame], *, now: datetime) -> ExportCounts:
    """Write all files to a new or empty folder, one game after the other. Raises `BadFile`."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadFile(folder, "this folder is not empty: name another one")
        return _write(folder, games, now)


def safe(text: str) -> str:
    """A text as a cell that no spreadsheet runs and that does not control a terminal.

    >>> safe("=1+1"), safe("one"), safe("'quoted'")
    ("'=1+1", 'one', "''quoted'")
    """
    text = pictured(text)
    return f"'{text}" if text.startswith(_STARTS) else text


def codebook(counts: ExportCounts, *, now: datetime) -> str:
    """The codebook."""
    lines = [
        "# Codebook",
        "",
        f"Finished games of a Luna site (Silver 2016), written by Vivavoce {__version__} on {now.astimezone(UTC):%Y-%m-%d}: "
        f"{counts.games} games, {counts.answers} answers. In a game two players put `question_count` questions "
        "to each other, answer, and guess each other's rating. That rating is the mean of what people guessed before.",
        "",
        "Only games of which both players have agreed to the release, and neither has left, are in here; machines need not "
        f"agree. Texts that the operator has hidden are left out ({counts.hidden} times). Names and addresses are not in here, "
        "but players may have written anything into their texts: check before you publish.",
        "",
        "Tables are CSV in UTF-8 with a comma between columns. A cell that a spreadsheet would run as a formula, or that "
        "begins with an apostrophe, has one more apostrophe in front. Remove it for the text as it was written. Control "
        "characters are pictures, such as ␛.",
    ]
    for file, columns in COLUMNS.items():
        lines += ["", f"## {file}", "", "| column | what it is |", "| --- | --- |"]
        lines += [f"| `{name}` | {words} |" for name, words in columns.items()]
    lines += [
        "",
        f"## {WHOLE}",
        "",
        f"The same as a list of games. Each has the columns of `{GAMES}` and two `seats`. A seat has the columns of "
        f"`{SEATS}`, its `questions`, and its `answers` to the other's questions. `sliders` are on the other's answers, null "
        "where untouched. `seconds` are for asking, answering and guessing. `taken_over` is a time or null; `voided` and "
        "`answers_by_machine` are true or false. `judged_human`, `confidence` and `right` are null where the table is empty. "
        "Hidden texts are null.",
    ]
    return "\n".join(lines) + "\n"


def _write(folder: Path, games: Iterable[ExportedGame], now: datetime) -> ExportCounts:
    counts = ExportCounts()
    with ExitStack() as stack:
        tables = {}
        for name, columns in COLUMNS.items():
            file = stack.enter_context((folder / name).open("x", encoding="utf-8", errors="backslashreplace", newline=""))
            tables[name] = csv.writer(file, lineterminator="\n", quoting=QUOTING)
            tables[name].writerow(columns)
        whole = stack.enter_context((folder / WHOLE).open("x", encoding="ascii"))
        whole.write("[")
        for game in games:
            whole.write(",\n" if counts.games else "\n")
            json.dump(asdict(game), whole, default=_moment, allow_nan=False)
            rules = (game.question_count, game.longest_text, game.days)
            tables[GAMES].writerow([game.game, _moment(game.begun), _moment(game.finished), *rules])
            for index in (0, 1):
                tables[SEATS].writerow(_seat_row(game, index))
                rows = list(_answer_rows(game, index))
                tables[ANSWERS].writerows(rows)
                counts.answers += len(rows)
                counts.hidden += game.seats[index].questions is None
            counts.games += 1
        whole.write("\n]\n")
    (folder / CODEBOOK).write_text(codebook(counts, now=now), encoding="utf-8")
    return counts


def _seat_row(game: ExportedGame, position: Place) -> list[Any]:
    seat = game.seats[position]
    ratings = ["" if value is None else value for value in (seat.rating_before, seat.rating_after)]
    return [
        game.game,
        position,
        seat.player,
        seat.kind,
        seat.guess,
        *ratings,
        seat.outcome,
        *seat.seconds,
        "" if seat.taken_over is None else _moment(seat.taken_over),
        "true" if seat.voided else "false",
        _truth(seat.judged_human),
        "" if seat.confidence is None else seat.confidence,
        _truth(seat.right),
    ]


def _truth(value: bool | None) -> str:
    return "" if value is None else "true" if value else "false"


def _answer_rows(game: ExportedGame, position: Place) -> Iterator[list[Any]]:
    """Answers except hidden ones and those to hidden questions."""
    own, other = game.seats[position], game.seats[1 - position]
    if own.answers is None or other.questions is None:
        return
    sliders = other.sliders or (None,) * len(own.answers)
    human = "false" if own.answers_by_machine else "true"
    for number, (question, answer, slider) in enumerate(zip(other.questions, own.answers, sliders, strict=True), 1):
        yield [game.game, position, number, safe(question), safe(answer), human, "" if slider is None else slider]


def _moment(value: datetime) -> str:
    return value.astimezone(UTC).isoformat(timespec="seconds")
