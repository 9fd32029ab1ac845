"""The examination: a match, or a match at each of several numbers of nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from vivavoce.consistency.chess.config import MatchConfig
from vivavoce.consistency.chess.match.finding import ChessMatch
from vivavoce.consistency.chess.match.openings import book_openings, random_openings
from vivavoce.consistency.chess.match.play import Course, Engines, play
from vivavoce.errors import BadInput
from vivavoce.formats.lines import file_digest
from vivavoce.interview.engine import Installed
from vivavoce.interview.finding import Signature
from vivavoce.interview.progress import Progress, Together
from vivavoce.version import __version__


def openings_of(config: MatchConfig) -> tuple[list[str], str, str]:
    """The openings, what they are in words, and the digest of their file; empty where there is none.

    Raises `BadFile`, `BadInput` where there are too few.
    """
    if config.book is None:
        fens = random_openings(config.openings, config.opening_plies, seed=config.seed)
        return fens, f"{config.opening_plies} random half-moves from the start position", ""
    file = Path(config.book)
    return book_openings(file, config.openings, seed=config.seed), file.name, file_digest(file)


async def play_match(
    engines: Engines,
    config: MatchConfig = MatchConfig(),  # noqa: B008 -- frozen
    *,
    on_round: Callable[[Course], None] = lambda course: None,
) -> ChessMatch:
    """Which of two engines is stronger, and by how much?

    Killed and run again with the same transcripts it plays on: a game is played again from the record, where the same
    positions lead to the same moves.

    Raises `BadInput` for two programs of one name: on record, what one has said would be taken for the other's answer.
    """
    _check_told_apart(engines)
    fens, title, digest = openings_of(config)
    games = await play(engines, fens, config, on_round=on_round)
    first, second = (engine.candidate.name for engine in engines)
    settings = {
        "against": second, "openings": config.openings, "opening_plies": None if config.book else config.opening_plies,
        "longest": config.longest, "adjudicate": config.adjudicate, "margin": config.margin,
    }  # fmt: skip
    signature = Signature(__version__, "consistency/chess-match", first, title, digest, config.seed, settings)
    return ChessMatch(first, second, title, tuple(games), config, signature)


def _check_told_apart(engines: Engines) -> None:
    first, second = (engine.candidate for engine in engines)
    if not (first.name == second.name and isinstance(first, Installed) and isinstance(second, Installed)):
        return
    if first.program != second.program:
        raise BadInput(
            f"'{first.program}' and '{second.program}' have the same name, {first.name}: rename a program, or let it tell its "
            "version in 'id name'"
        )


class MatchProgress:
    """Adds up how far both engines have come, with an estimate from the lengths of games that have ended."""

    def __init__(self, on_progress: Callable[[Progress], None], *, matches: int = 1) -> None:
        self._on_progress = on_progress
        self._matches = matches
        self._together = Together(self._tell, expected=None)
        self._done = 0
        self._course: Course | None = None

    def engine(self) -> Callable[[Progress], None]:
        """What to call on the progress of one more engine."""
        return self._together.one()

    def on_round(self, course: Course) -> None:
        """Note how far the games of one match have come."""
        self._course = course

    def _tell(self, progress: Progress) -> None:
        expected = None if self._course is None else max(progress.answered, self._matches * self._course.expected)
        self._on_progress(replace(progress, expected=expected))
