"""The model that Inspect examines, as a candidate of an interview within a sample."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai.model import Model

from vivavoce.candidates.inspect_ai import InspectModel, InspectOptions
from vivavoce.errors import CandidateError, TransportFault, VivavoceError
from vivavoce.interview.asker import AskSettings
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview

CONCURRENCY = 64
"""Questions of one sample under way; Inspect's own bounds on connections hold below it."""


class InspectFault(VivavoceError):
    """An error that Inspect raised while asking its model: a limit reached, or a fault after all retries."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error
        """Just as it was raised."""


class ExaminedModel:
    """Inspect's model within a sample: Inspect retries, limits, caches and logs every call, and judges every fault."""

    def __init__(self, model: Model) -> None:
        self.name = f"inspect:{model}"
        self._model = InspectModel(self.name, model, InspectOptions())

    async def answer(self, question: Prompt, /) -> Reply:
        """Ask once. Raises `InspectFault`."""
        try:
            return await self._model.answer(question)
        except (TransportFault, CandidateError) as fault:
            raise InspectFault(fault.__context__ or fault) from None  # what our own candidate made a fault of


def interview_of(model: Model) -> Interview[Prompt, Reply]:
    """An interview that leaves attempts and time to Inspect; its transcript is gone with the sample, whose log has it all."""
    return Interview(
        ExaminedModel(model), answers=Reply, concurrency=CONCURRENCY, settings=AskSettings(time_out=None, attempts=1)
    )


@contextmanager
def back_to_inspect() -> Iterator[None]:
    """Hand Inspect what it raised, just as it was: it ends the sample by a limit, tries it again, or fails it."""
    try:
        yield
    except InspectFault as raised:
        raise raised.error from None
