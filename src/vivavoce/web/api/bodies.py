"""What a machine sends: strictly of this form, nothing more, and only texts that can be shown to others."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from vivavoce.luna.reading import sendable
from vivavoce.luna.rules import HIGHEST, LONGEST, LOWEST, QUESTIONS, says_something


def _plain(text: str) -> str:
    if not says_something(text):
        raise ValueError("the text is empty")
    if sendable(text) != text:
        raise ValueError("the text holds NUL, or half of a surrogate pair")
    return text


Words = Annotated[str, Field(min_length=1, max_length=LONGEST), AfterValidator(_plain)]
Texts = Annotated[list[Words], Field(min_length=QUESTIONS, max_length=QUESTIONS)]
Number = Annotated[float, Field(ge=LOWEST, le=HIGHEST, allow_inf_nan=False)]
Scores = Annotated[list[Number | None], Field(min_length=QUESTIONS, max_length=QUESTIONS)]
_STRICT: Final = ConfigDict(extra="forbid", strict=True, frozen=True)


class QuestionsBody(BaseModel):
    """Five questions to the other player."""

    model_config = _STRICT
    questions: Texts


class AnswersBody(BaseModel):
    """Answers to the other player's five questions, in their order."""

    model_config = _STRICT
    answers: Texts


class GuessBody(BaseModel):
    """A guess of the other player's rating; a score of each answer, null where there is none, if wanted."""

    model_config = _STRICT
    guess: Number
    sliders: Scores | None = None
