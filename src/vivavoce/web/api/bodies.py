"""What a machine sends: strictly of this form, nothing more, and only texts that can be shown to others."""

from __future__ import annotations

from typing import Annotated, Any, Final, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from vivavoce.luna.messages import sendable
from vivavoce.luna.rules import HIGHEST, LEAST_SURE, LOWEST, MOST_SURE, PersonOrMachine, says_something
from vivavoce.luna.settings import LONGEST_TEXT, MOST_QUESTIONS, GameTerms


def _plain(text: str) -> str:
    if not says_something(text):
        raise ValueError("the text is empty")
    if sendable(text) != text:
        raise ValueError("the text holds NUL, or half of a surrogate pair")
    return text


Words = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT), AfterValidator(_plain)]
Texts = Annotated[list[Words], Field(min_length=1, max_length=MOST_QUESTIONS)]
Number = Annotated[float, Field(ge=LOWEST, le=HIGHEST, allow_inf_nan=False)]
Scores = Annotated[list[Number | None], Field(min_length=1, max_length=MOST_QUESTIONS)]
Sure = Annotated[float, Field(ge=LEAST_SURE, le=MOST_SURE, allow_inf_nan=False)]
_STRICT: Final = ConfigDict(extra="forbid", strict=True, frozen=True)


class QuestionsBody(BaseModel):
    """Questions to the other player, as many as the rules of the game say."""

    model_config = _STRICT
    questions: Texts


class AnswersBody(BaseModel):
    """Answers to the other player's questions, in their order."""

    model_config = _STRICT
    answers: Texts


class GuessBody(BaseModel):
    """A guess of the other player's rating; if wanted a score of each answer, null where there is none; and whether the other
    is a person with how sure that is in percent, from 50 (a coin) to 100: both of these, or neither.
    """

    model_config = _STRICT
    guess: Number
    sliders: Scores | None = None
    human: bool | None = None
    confidence: Sure | None = None

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        if (self.human is None) != (self.confidence is None):
            raise ValueError("give human and confidence together, or neither")
        return self

    @property
    def judgement(self) -> PersonOrMachine | None:
        """What the machine takes the other for, where it says."""
        return None if self.human is None or self.confidence is None else PersonOrMachine(self.human, self.confidence)


def describe(schema: dict[str, Any], terms: GameTerms) -> dict[str, Any]:
    """Say in the description of the interface how many texts games have that begin now, and how long they are.

    Bodies are read within the bounds of any game; the rules of the one that they are for decide.
    """
    for body, name in (("QuestionsBody", "questions"), ("AnswersBody", "answers"), ("GuessBody", "sliders")):
        form = schema["components"]["schemas"][body]["properties"][name]
        texts = next(one for one in (form, *form.get("anyOf", ())) if one.get("type") == "array")
        texts |= {"minItems": terms.questions, "maxItems": terms.questions}
        if "maxLength" in texts["items"]:
            texts["items"]["maxLength"] = terms.longest_text
        form["description"] = "As in games that begin now. A game that began before has its own `rules`."
    return schema
