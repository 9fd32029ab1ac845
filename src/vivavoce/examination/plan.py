"""Plans as values: the examinations, their settings and the budget. `plan_file` reads them. The settings of one examination are
a `PlanSection`, declared in the file of its part; `rooms` lists them all. Commands that repeat findings have them as options.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Self, TypeVar

from pydantic import AfterValidator, ConfigDict, Field

from vivavoce.certificate.config import ClaimConfig, Correction
from vivavoce.consistency.config import CasesConfig, ChessConfig, EnginesConfig, PositionsConfig, RelationsConfig
from vivavoce.eqt.record import ConceptsConfig, EqtConfig
from vivavoce.errors import BadInput
from vivavoce.formats.wording import problem_with_name
from vivavoce.generalization.config import AlignConfig
from vivavoce.interview.budget import Budget
from vivavoce.interview.forms.form import ReplyFormat
from vivavoce.settings import settings_of
from vivavoce.studies.config import BailConfig, ForecastsConfig, VariantsConfig, VaryConfig
from vivavoce.studies.scope_studies import SCOPE_STUDIES, scope_study

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


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

    file_keys: ClassVar[tuple[str, ...]] = ()
    """Keys that name files, one or several."""
    scope_keys: ClassVar[tuple[str, ...]] = ()
    """Keys that name scopes, one or several."""

    def moved(self, file: Move, scope: Move) -> Self:
        """The section with its files and scopes elsewhere."""
        moves = dict.fromkeys(self.file_keys, file) | dict.fromkeys(self.scope_keys, scope)
        return replace(self, **{name: _moved(getattr(self, name), move) for name, move in moves.items()})


def _moved(names: str | tuple[str, ...] | None, move: Move) -> str | tuple[str, ...] | None:
    if names is None:
        return None
    return move(names) if isinstance(names, str) else tuple(map(move, names))


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


Config = TypeVar("Config", bound="DataclassInstance")

SEED: Final = "seed"
"""A setting that no section has, because a plan has one seed for all."""
NONE: Final = "none"
"""How TOML and the command line write None, which neither of them has."""
SOON: Final = "a full examination is to end within minutes each"


@dataclass(frozen=True, slots=True)
class InAPlan:
    """The place of a configuration in a plan."""

    always: tuple[str, ...] = ()
    """Settings that a written plan always has, in this order; others only if they differ from the default."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Values that differ from the configuration's defaults."""
    reason: str = ""
    """Why they do."""
    without: tuple[str, ...] = ()
    """Settings that have no meaning in a plan."""


IN_A_PLAN: Final[Mapping[type, InAPlan]] = {
    ClaimConfig: InAPlan(("passing_grade", "unacceptable_limit", "delta"), without=("correction", "procedure")),
    ConceptsConfig: InAPlan(("concepts", "limit"), {"limit": 4}, SOON),
    EqtConfig: InAPlan(("questions", "paraphrases"), {"questions": 3, "paraphrases": 1}, SOON),
    ForecastsConfig: InAPlan(("limit",), {"limit": 50}, SOON, without=("together",)),
    VaryConfig: InAPlan(("vary", "questions"), {"questions": 50}, SOON),
    AlignConfig: InAPlan(("thresholds",), without=("models", "people")),
    PositionsConfig: InAPlan(("positions",)),
    ChessConfig: InAPlan(
        ("limit", "checks"),
        {"limit": 100, "checks": ("recommended", "mirror", "boards")},
        f"{SOON}, and forced moves are rare: to find as many takes many times as long",
    ),
    EnginesConfig: InAPlan(("workers",)),
    BailConfig: InAPlan(("limit", "variants"), {"limit": 50}, SOON),
    CasesConfig: InAPlan(("limit",), {"limit": 50}, SOON),
    RelationsConfig: InAPlan(without=("batch",)),
    VariantsConfig: InAPlan(("variants",)),
    **{scope_study(name).config: InAPlan(("questions",), {"questions": 50}, SOON) for name in SCOPE_STUDIES},
}
"""All defaults that differ on purpose in a full examination. Other configurations have their own defaults in a plan, and other
values are written out.
"""


def is_config(kind: Any) -> bool:
    """Whether it is a type with settings, which are keys of their section in a plan."""
    return isinstance(kind, type) and is_dataclass(kind) and bool(settings_of(kind))


def in_a_plan(config: type[Config]) -> Config:
    """The configuration in a plan that does not mention it."""
    return config(**_how(config).defaults)


def _how(config: type) -> InAPlan:
    return IN_A_PLAN.get(config, InAPlan())


def names_in_a_plan(config: type[DataclassInstance]) -> tuple[str, ...]:
    """The settings that a plan may have."""
    without = (SEED, *_how(config).without)
    return tuple(setting.name for setting in settings_of(config) if setting.name not in without)


def as_named(config: DataclassInstance) -> dict[str, Any]:
    """The keys of a configuration in a plan that is written out."""
    kind = type(config)
    usual, always = in_a_plan(kind), _how(kind).always
    names = (*always, *(name for name in names_in_a_plan(kind) if name not in always))
    values = ((name, getattr(config, name), getattr(usual, name)) for name in names)
    return {name: NONE if value is None else value for name, value, other in values if name in always or value != other}


def from_named(config: type[DataclassInstance], named: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a configuration as a plan names them, and its defaults for all others."""
    usual = in_a_plan(config)
    values = {name: named.get(name, getattr(usual, name)) for name in names_in_a_plan(config)}
    return {name: None if value == NONE else value for name, value in values.items()}


def config_words(config: DataclassInstance, *, without: Sequence[str] = (), joined: bool = False) -> list[str]:
    """The options of a command line with this configuration: those that every plan names, and values that are not defaults.

    without: settings that have other names.
    joined: whether a list is one option with commas, or one option per item.
    """
    kind = type(config)
    usual, always = kind(), (*_how(kind).always, SEED)
    settings = {setting.name: setting for setting in settings_of(kind) if setting.name not in without}
    words: list[str] = []
    for name in sorted(settings, key=lambda name: always.index(name) if name in always else len(always)):
        value, other = getattr(config, name), getattr(usual, name)
        if value != other or (name in always and value is not None):
            value = ",".join(value) if joined and isinstance(value, tuple) else value
            words += _option(name.replace("_", "-"), value, expert=settings[name].expert)
    return words


def _option(name: str, value: Any, *, expert: bool) -> list[str]:
    if isinstance(value, bool) and not expert:
        return [f"--{name}" if value else f"--no-{name}"]
    values = value if isinstance(value, tuple) else (value,)
    texts = [NONE if entry is None else str(entry).lower() if isinstance(entry, bool) else str(entry) for entry in values]
    return [word for text in texts for word in (("--set", f"{name}={text}") if expert else (f"--{name}", text))]
