"""Configurations in plans, and as options of commands that repeat findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from vivavoce.certificate.config import ClaimConfig
from vivavoce.consistency.config import CasesConfig, ChessConfig, EnginesConfig, PositionsConfig, RelationsConfig
from vivavoce.eqt.record import ConceptsConfig, EqtConfig
from vivavoce.generalization.config import AlignConfig
from vivavoce.settings import settings_of
from vivavoce.studies.config import BailConfig, ForecastsConfig, VariantsConfig, VaryConfig
from vivavoce.studies.scope_studies import SCOPE_STUDIES, scope_study

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Config = TypeVar("Config", bound="DataclassInstance")

SEED: Final = "seed"
"""A setting that no section has, because a plan has one seed for all."""
NONE: Final = "none"
"""How TOML and the command line, which know no None, have one."""
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
    """Options of a command line that has this configuration: those that every plan names, and values that are not its defaults.

    without: settings that are named otherwise. joined: whether a list is one option with commas, not one option for each.
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
