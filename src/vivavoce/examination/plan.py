"""What to examine, and how far: a plan, as a value. `plan_file` reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, ConfigDict, Field

from vivavoce.certificate.config import ClaimConfig, Correction
from vivavoce.certificate.questions import LONGEST_RUBRIC
from vivavoce.consistency.chess.config import ChessConfig, EnginesConfig, PositionsConfig
from vivavoce.consistency.forecasts.config import ForecastsConfig
from vivavoce.consistency.legal.bail.config import BailConfig
from vivavoce.eqt.config import ConceptsConfig, EqtConfig
from vivavoce.examination.configs import IN_A_PLAN, as_named, in_a_plan
from vivavoce.examination.rooms import Room
from vivavoce.formats.wording import problem_with_name
from vivavoce.generalization.config import AlignConfig
from vivavoce.interview.budget import Budget
from vivavoce.interview.forms.form import Way

STRICT: Final = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

Whole = Annotated[int, Field(ge=1, le=1_000_000)]
Text = Annotated[str, Field(min_length=1, max_length=1_000)]


def _shown(name: str) -> str:
    if problem := problem_with_name(name):
        raise ValueError(problem)
    return name


Shown = Annotated[str, AfterValidator(_shown)]
"""What readers are told in place of a name on record."""
Opponent = Literal["gibberish", "chatterbot", "echo"]


@dataclass(frozen=True, slots=True)
class BudgetPlan:
    """What all rooms together may use; None: no limit."""

    questions: Whole | None = None
    tokens: Annotated[int, Field(ge=1)] | None = None
    money: Annotated[float, Field(gt=0)] | None = None

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    @property
    def budget(self) -> Budget:
        """As an interview takes it."""
        return Budget(questions=self.questions, tokens=self.tokens, money=self.money)


@dataclass(frozen=True, slots=True)
class CertificatePlan:
    """One scope, and when it counts as understood."""

    scope: Text
    claim: ClaimConfig = in_a_plan(ClaimConfig)
    questions: Whole = 1_000
    """At most; scopes with equal settings share theirs. An examination of all rooms is to have an end, so there is one."""
    title: Shown | None = None
    """What readers are told in place of the scope's name."""
    judge: Text | None = None
    """The candidate that grades by a rubric what no rule can; None: nobody, and every question has an accepted answer."""
    rubric: Annotated[str, Field(min_length=1, max_length=LONGEST_RUBRIC)] | None = None
    """For questions without a rubric of their own: a file, or the words themselves."""

    def __post_init__(self) -> None:
        if self.rubric is not None and self.judge is None:
            raise ValueError("'rubric' is for a judge: name one, judge = MODEL")

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    @property
    def terms(self) -> tuple[ClaimConfig, int]:
        """What is equal for scopes that are certified together, as those are that no judge grades."""
        return self.claim, self.questions


@dataclass(frozen=True, slots=True)
class EqtPlan:
    """Questions on a candidate's own explanations."""

    wanted: ConceptsConfig = in_a_plan(ConceptsConfig)
    config: EqtConfig = in_a_plan(EqtConfig)

    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class ForecastsPlan:
    """Forecasts that must be coherent."""

    tuples: Text
    config: ForecastsConfig = in_a_plan(ForecastsConfig)

    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class BailPlan:
    """Decisions on bail."""

    defendants: Text
    config: BailConfig = in_a_plan(BailConfig)

    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class AlignmentPlan:
    """People's beliefs about a model, and the scopes that hold the questions they are about, with the right answers."""

    pairs: Annotated[tuple[Text, ...], Field(min_length=1)]
    scope: Text | Annotated[tuple[Text, ...], Field(min_length=1, max_length=100)]
    config: AlignConfig = in_a_plan(AlignConfig)

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    @property
    def scopes(self) -> tuple[str, ...]:
        """All of them."""
        return (self.scope,) if isinstance(self.scope, str) else self.scope

    def elsewhere(self, pair: Callable[[str], str], scope: Callable[[str], str]) -> AlignmentPlan:
        """The plan with these files in other places, one scope or a list of them as before."""
        moved = tuple(map(scope, self.scopes))
        return replace(self, pairs=tuple(map(pair, self.pairs)), scope=moved[0] if isinstance(self.scope, str) else moved)


@dataclass(frozen=True, slots=True)
class LunaPlan:
    """Games against the resident bots."""

    games: Annotated[int, Field(ge=1, le=10_000)] = 9
    opponents: Annotated[tuple[Opponent, ...], Field(min_length=1)] = ("gibberish", "chatterbot", "echo")

    __pydantic_config__: ClassVar[ConfigDict] = STRICT


@dataclass(frozen=True, slots=True)
class ChessPlan:
    """Positions that must be worth the same."""

    drawn: PositionsConfig = in_a_plan(PositionsConfig)
    config: ChessConfig = in_a_plan(ChessConfig)
    engines: EnginesConfig = in_a_plan(EnginesConfig)

    __pydantic_config__: ClassVar[ConfigDict] = STRICT


SECTIONS: Final[Mapping[str, type[Any]]] = {
    "budget": BudgetPlan,
    "certificate": CertificatePlan,
    "eqt": EqtPlan,
    "forecasts": ForecastsPlan,
    "bail": BailPlan,
    "alignment": AlignmentPlan,
    "luna": LunaPlan,
    "chess": ChessPlan,
}
"""What each section of a plan holds."""
REPEATED: Final = ("certificate",)
"""Sections that there may be several of."""
BUILT_IN: Final = (CertificatePlan("arithmetic"), CertificatePlan("intervals"))
"""Scopes that need no file."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole examination. A room without a section is examined as it is by default, where it needs no file.

    >>> Plan(rooms=("luna",)).values["rooms"]
    ('luna',)
    """

    seed: Annotated[int, Field(ge=0, le=2**32)] | None = None
    """None: certificates draw theirs at random, and the record commits to it; the other rooms draw by 0."""
    name: Shown | None = None
    """What readers are told in place of the candidate's name."""
    rooms: tuple[Room, ...] | None = None
    """None: all that fit the candidate."""
    correction: Correction = "fwer"
    """As in `ClaimConfig`, for scopes that are certified together; `fwer`, since readers of a dossier look at single claims."""
    reply_format: Way | None = None
    """How the form of a reply is asked for; None: as each form says."""
    budget: BudgetPlan = field(default_factory=BudgetPlan)
    certificate: Annotated[tuple[CertificatePlan, ...], Field(min_length=1, max_length=1_000)] | None = None
    eqt: EqtPlan | None = None
    forecasts: ForecastsPlan | None = None
    bail: BailPlan | None = None
    alignment: AlignmentPlan | None = None
    luna: LunaPlan | None = None
    chess: ChessPlan | None = None

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    @property
    def number(self) -> int:
        """The seed of rooms that give no verdict."""
        return self.seed or 0

    @property
    def values(self) -> dict[str, Any]:
        """All that is not left to the default, as plain values."""
        values = ((one.name, getattr(self, one.name)) for one in fields(self))
        return {name: as_written(value) for name, value in values if value is not None}


def as_written(value: Any) -> Any:
    """A section as plain values, the settings of its configurations among its own keys; other values as they are."""
    if isinstance(value, tuple):
        return tuple(map(as_written, value))
    if not is_dataclass(value):
        return value
    found: dict[str, Any] = {}
    for one in fields(value):
        inner = getattr(value, one.name)
        found |= as_named(inner) if type(inner) in IN_A_PLAN else {one.name: as_written(inner)}
    return found
