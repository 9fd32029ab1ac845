"""Several engines of one kind that share the work."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.candidates.boards.places import CHUNK, Here, Places, There
from vivavoce.candidates.uci.idle import Made
from vivavoce.candidates.variants.engine import VariantEngine
from vivavoce.interview.boards import Assessment, BoardPosition, GameToPlay, PlayedGame
from vivavoce.interview.candidate import NoAnswer


class BoardPool:
    """Engines that share the work. Each question is answered by itself, so it does not matter by which.

    An engine that dies is started again and asked once more; then there is no answer, as after a time-out.

    workers: engines on this machine.
    cluster: the address of a Dask scheduler; there is one engine for each thread of its workers then, and none here.
    """

    def __init__(self, name: str, made: Made[VariantEngine], *, workers: int = 1, cluster: str | None = None) -> None:
        self.name = name
        self.concurrency = 1
        self._places: Places = Here(made, workers) if cluster is None else There(name, made, cluster)

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def size(self) -> int:
        """Questions that are worth sending together."""
        return CHUNK * self._places.count

    async def answer_all(self, questions: Sequence[BoardPosition], /) -> list[Assessment | NoAnswer]:
        """What the engines think of all positions, in their order.

        Raises `BadInput` for what is no position, and `CandidateMisconfigured` for an engine that is not what it should be.
        """
        return await self._places.all_of("assess", questions)

    async def play_all(self, questions: Sequence[GameToPlay], /) -> list[PlayedGame | NoAnswer]:
        """Play all games; they come in the order of the questions."""
        return await self._places.all_of("play", questions)

    async def close(self) -> None:
        """End all engines; what is under way is given up."""
        await self._places.close()


class PlayingPool:
    """The same engines, as a candidate that plays games."""

    def __init__(self, pool: BoardPool) -> None:
        self.name = pool.name
        self.size, self.concurrency = pool.size, pool.concurrency
        self._pool = pool

    async def answer_all(self, questions: Sequence[GameToPlay], /) -> list[PlayedGame | NoAnswer]:
        """Play all games."""
        return await self._pool.play_all(questions)
