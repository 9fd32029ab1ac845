"""What a client may say: the arguments of each tool, checked before anything is done with them."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.certificate.comparison.config import ComparisonConfig, Margin
from vivavoce.certificate.config import ClaimConfig
from vivavoce.errors import BadInput
from vivavoce.formats.wording import clipped
from vivavoce.plugins.mcp_server.offered import LONGEST_GIVEN
from vivavoce.settings import Count, Share, Within

MOST_COMPARED: Final = 8
"""Candidates of one comparison."""
SEEDS: Final = 2**53
"""Seeds are below this: every client can say such a number exactly."""

Name = Annotated[str, Field(max_length=LONGEST_GIVEN)]
Amount = Annotated[float, Within(above=0)]
Given = TypeVar("Given", bound="Arguments")

_USUAL, _COMPARED = ClaimConfig(), ComparisonConfig()
_QUESTIONS: Final = "Ask at most this many (each candidate); as many as one call may, if not given."
_MONEY: Final = "Stop this call once it has cost this much."
_DELTA: Final = "Bound on the chance of a wrong verdict, over all attempts on record; at most the server's own."
_NEW: Final = (
    "Begin another attempt although one is on record with other terms. Every attempt is counted: it may err less than the one "
    "before, so that it needs more questions, and the finding lists all of them."
)
_SEED: Final = (
    "Draws the questions; for examples and studies. Leave it out: then the seed is drawn, and committed to before the first "
    "question. One that is given is told in the finding, and makes an attempt of its own."
)


class Arguments(BaseModel):
    """Of a tool. Nothing is read as something else, and what has no meaning is refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class NoArguments(Arguments):
    """Of a tool that takes none."""


class ExamineArguments(Arguments):
    """What all examinations take."""

    scope: Name = Field(description="A scope of list_scopes, by its name there.")
    delta: Share | None = Field(None, description=_DELTA)
    questions: Count | None = Field(None, description=_QUESTIONS)
    money: Amount | None = Field(None, description=_MONEY)
    seed: Annotated[int, Within(0, SEEDS - 1)] | None = Field(None, description=_SEED)
    new_attempt: bool = Field(False, description=_NEW)


class CertifyArguments(ExamineArguments):
    """Of `certify`."""

    candidate: Name = Field(description="A candidate of list_candidates, by its name there.")
    passing_grade: Share = Field(_USUAL.passing_grade, description="Require this mean score.")
    ridiculous_limit: Share | None = Field(
        None, description="Highest acceptable rate of ridiculous answers; what suits the scope, if not given."
    )


class CompareArguments(ExamineArguments):
    """Of `compare`."""

    candidates: Annotated[list[Name], Field(min_length=2, max_length=MOST_COMPARED)] = Field(
        description="Candidates of list_candidates, by their names there."
    )
    margin: Margin = Field(_COMPARED.margin, description="Ignore differences of mean score up to this.")


class RecheckArguments(Arguments):
    """Of `recheck`: one of the two."""

    result: Annotated[str, Field(max_length=20)] | None = Field(
        None, description="What certify or compare called its result, such as 'result-1'."
    )
    certificate: dict[str, Any] | None = Field(
        None, description="A finding of certify or compare, or the JSON of 'viva certify --json', as it was given."
    )


def arguments_of(kind: type[Given], given: dict[str, Any] | None) -> Given:
    """The arguments of a call. Raises `BadInput` for the first that is wrong, without repeating what may be long or hostile."""
    try:
        return kind.model_validate(given or {})
    except ValidationError as error:
        result = error.errors(include_url=False, include_context=False)[0]
        where = clipped(".".join(map(str, result["loc"])), 80)
        known = ", ".join(kind.model_fields)
        if result["type"] == "extra_forbidden":
            raise BadInput(f"there is no argument '{where}': this tool takes {known or 'none'}") from None
        raise BadInput(f"{where or 'the arguments'}: {clipped(result['msg'], 200)}; this tool takes {known}") from None
