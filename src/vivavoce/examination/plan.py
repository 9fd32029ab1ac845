"""Plans as values: the examinations, their settings and the budget. `plan_file` reads them. The settings of one examination are
a `PlanSection`, declared in the file of its part; `rooms` lists them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar, Final, Self, TypeVar

from pydantic import AfterValidator, ConfigDict, Field

from vivavoce.certificate.config import Correction
from vivavoce.errors import BadInput
from vivavoce.formats.wording import problem_with_name
from vivavoce.interview.budget import Budget
from vivavoce.interview.forms.form import ReplyFormat

Kind = TypeVar("Kind", bound="PlanSection")

STRICT: Final = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

Whole = Annotated[int, Field(ge=1, le=1_000_000)]
Text = Annotated[str, Field(min_length=1, max_length=1_000)]


def _shown(name: str) -> str:
    if problem := problem_with_name(name):
        raise ValueError(problem)
    return name


Shown = Annotated[str, AfterValidator(_shown)]
"""A display name."""
Move = Callable[[str], str]
"""Maps a file or scope to its place or name elsewhere."""


@dataclass(frozen=True, slots=True)
class BudgetPlan:
    """Limits for all examinations together; None: no limit."""

    questions: Whole | None = None
    tokens: Annotated[int, Field(ge=1)] | None = None
    money: Annotated[float, Field(gt=0)] | None = None

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    @property
    def budget(self) -> Budget:
        """The budget as an interview takes it."""
        return Budget(questions=self.questions, tokens=self.tokens, money=self.money)


@dataclass(frozen=True, slots=True)
class PlanSection:
    """The settings of one examination; the file of its part adds keys."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    most: ClassVar[int] = 1
    """Most sections of this kind in a plan; if there may be several, they are written [[ROOM]]."""
    labels: ClassVar[tuple[str, ...]] = ()
    """Keys of display names, which change no question."""
    speed: ClassVar[tuple[str, ...]] = ()
    """Keys of speed, which change no question either."""

    def moved(self, file: Move, scope: Move) -> Self:
        """The section with its files and scopes elsewhere."""
        return self


@dataclass(frozen=True, slots=True)
class Plan:
    """All examinations of a candidate. One without a section runs with its defaults, unless it needs a file.

    >>> Plan(seed=7).number, Plan().section(PlanSection)
    (7, None)
    """

    seed: Annotated[int, Field(ge=0, le=2**32)] | None = None
    """None: certificates draw their seeds at random, and the record commits to them; the other examinations use 0."""
    name: Shown | None = None
    """Show this name for the candidate."""
    examinations: tuple[str, ...] | None = None
    """None: all that suit the candidate."""
    correction: Correction = "fwer"
    """As in `ClaimConfig`, for scopes that are certified together; `fwer`, because readers look at single claims."""
    reply_format: ReplyFormat | None = None
    """How the reply format is requested; None: the default of each form."""
    budget: BudgetPlan = field(default_factory=BudgetPlan)
    sections: tuple[PlanSection, ...] = ()
    """The settings of examinations; in a file, each is under its name."""

    def __post_init__(self) -> None:
        for kind, number in Counter(type(section) for section in self.sections).items():
            if number > kind.most:
                raise BadInput(f"a plan has {number} sections of the kind {kind.__name__}: give at most {kind.most}")

    @property
    def number(self) -> int:
        """The seed of examinations that give no verdict."""
        return self.seed or 0

    def section(self, kind: type[Kind]) -> Kind | None:
        """The section of this kind; None without one."""
        return next(iter(self.sections_of(kind)), None)

    def sections_of(self, kind: type[Kind]) -> tuple[Kind, ...]:
        """All sections of this kind."""
        return tuple(section for section in self.sections if isinstance(section, kind))

    @property
    def judges(self) -> tuple[str, ...]:
        """The candidates that judge answers, from the sections."""
        named = (getattr(section, "judge", None) for section in self.sections)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    def saying(self, *sections: PlanSection) -> Plan:
        """The plan with these sections instead of those of the same kinds."""
        kinds = set(map(type, sections))
        return replace(self, sections=(*(section for section in self.sections if type(section) not in kinds), *sections))

    def moved(self, file: Move, scope: Move) -> Plan:
        """The plan with all its files and scopes elsewhere."""
        return replace(self, sections=tuple(section.moved(file, scope) for section in self.sections))
