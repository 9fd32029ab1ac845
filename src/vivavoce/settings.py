"""Settings: each is declared once, in the `config.py` of its examination, with its default, bounds and help.

Options of the command line (`cli.config_options`), sections of a plan and the parameters of Inspect's tasks follow from it.

>>> @dataclass(frozen=True, slots=True)
... class TeaConfig(CheckedConfig):
...     cups: Annotated[int, Within(1, 9)] = setting(2, "Cups to drink.")
>>> TeaConfig(), settings_of(TeaConfig)[0].says
(TeaConfig(cups=2), 'Cups to drink.')
>>> TeaConfig(12)
Traceback (most recent call last):
vivavoce.errors.BadInput: cups is 12: give a whole number from 1 to 9
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from vivavoce.errors import BadInput, UnknownName

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Within:
    """Bounds of a number, as an annotation of its type that pydantic checks too; NaN is never within bounds."""

    least: float | None = None
    most: float | None = None
    above: float | None = None
    """An exclusive lower bound; `least` itself is allowed."""
    below: float | None = None

    def holds(self, value: float) -> bool:
        """Whether the number is within the bounds.

        >>> [Within(above=0, below=1).holds(value) for value in (0, 0.5, 1, float("nan"))]
        [False, True, False, False]
        """
        return (
            (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
            and value == value
        )

    def __str__(self) -> str:
        """The allowed values, for messages.

        >>> print(Within(1, 50), Within(least=1), Within(above=0, below=1), sep="; ")
        from 1 to 50; of 1 or more; above 0 and below 1
        """
        if self.least is not None and self.most is not None:
            return f"from {self.least:,} to {self.most:,}"
        ends = {"of {:,} or more": self.least, "of {:,} or less": self.most, "above {:,}": self.above, "below {:,}": self.below}
        return " and ".join(words.format(end) for words, end in ends.items() if end is not None)

    def __get_pydantic_core_schema__(self, kind: Any, handler: Any) -> Any:
        """The schema of the number with these bounds."""
        ends = {"ge": self.least, "le": self.most, "gt": self.above, "lt": self.below}
        return handler(kind) | {name: end for name, end in ends.items() if end is not None}


DELTA: Final = 0.05
"""Default bound on the chance of a wrong verdict."""
MARGIN: Final = 0.02
"""Default difference of mean scores that does not matter."""

Count = Annotated[int, Within(least=1)]
Seed = Annotated[int, Within(least=0)]
Share = Annotated[float, Within(above=0, below=1)]
Portion = Annotated[float, Within(0, 1)]
Temperature = Annotated[float, Within(0, 10)] | None
"""None: the candidate's default."""


@dataclass(frozen=True, slots=True)
class ConfigField:
    """A field of a configuration: its type, bounds and default."""

    name: str
    default: Any
    says: str
    """The help of its option: its effect in a sentence."""
    metavar: str
    """Placeholder for its value in the help; empty: the usual one."""
    kind: type
    """Type of a value, or of each of several: int, float, bool, str or Path."""
    bounds: Within | None
    choices: tuple[str, ...]
    """None: any."""
    words: tuple[str, ...]
    """Words allowed as values besides this type, such as `all` for a number."""
    optional: bool
    """Whether None is allowed."""
    several: bool
    """Whether it is a tuple of values."""
    expert: bool
    """Whether it is no option of its own: the command line takes it by `--set`."""

    def problem_with(self, value: Any) -> BadInput | None:
        """Why it cannot have that value; None if it can."""
        if (value is None and self.optional) or value in self.words:
            return None
        if not self.several:
            return self._problem_with_one(value)
        if not isinstance(value, tuple):
            return BadInput(f"{self.name} is {value!r:.80}: give a tuple")
        return next(filter(None, map(self._problem_with_one, value)), None)

    def _problem_with_one(self, value: Any) -> BadInput | None:
        if self.choices:
            return None if value in self.choices else UnknownName(self.name.replace("_", " "), str(value), self.choices)
        if self.kind not in (int, float):
            return None if isinstance(value, self.kind) else BadInput(f"{self.name} is {value!r:.80}: give {_NOUN[self.kind]}")
        number = isinstance(value, int | (float if self.kind is float else int)) and not isinstance(value, bool)
        if number and (self.bounds is None or self.bounds.holds(value)):
            return None
        return BadInput(f"{self.name} is {value!r:.80}: give {self.wanted}")

    @property
    def wanted(self) -> str:
        """The allowed values, in words."""
        others = (*self.words, *(("none",) if self.optional else ()))
        return ", or ".join((f"{_NOUN[self.kind]}{f' {self.bounds}' if self.bounds else ''}", *others))


_NOUN = {int: "a whole number", float: "a number", bool: "true or false", str: "a text", Path: "a path"}


def setting(default: T, says: str, *, metavar: str = "", expert: bool = False) -> T:
    """Declare a field of a configuration: its default, and its help in a sentence.

    metavar: placeholder for its value in the command line's help; default: N for a whole number, X for another.
    expert: whether few users change it, so that the command line takes it by `--set NAME=VALUE` only.
    """
    declared: T = field(default=default, metadata={"says": says, "metavar": metavar, "expert": expert})
    return declared


def settings_of(config: type[DataclassInstance]) -> tuple[ConfigField, ...]:
    """The settings of a configuration, in order; other fields are left out."""
    return _settings_of(config)


@cache
def _settings_of(config: Any) -> tuple[ConfigField, ...]:
    hints = get_type_hints(config, include_extras=True)
    return tuple(
        _setting(field.name, field.default, field.metadata, hints[field.name]) for field in fields(config) if field.metadata
    )


def check(config: DataclassInstance) -> None:
    """Check that every setting of a configuration has an allowed value. Raises `BadInput`, `UnknownName`."""
    for entry in settings_of(type(config)):
        if problem := entry.problem_with(getattr(config, entry.name)):
            raise problem


@dataclass(frozen=True, slots=True)
class CheckedConfig:
    """A configuration whose settings are checked as it is made, and nothing else."""

    def __post_init__(self) -> None:
        check(self)


def _setting(name: str, default: Any, metadata: Any, hint: Any) -> ConfigField:
    bounds: Within | None = None
    optional = several = False
    words: tuple[str, ...] = ()
    while (origin := get_origin(hint)) in (Annotated, Union, UnionType, tuple):
        parts = get_args(hint)
        if origin is Annotated:
            bounds = next((within for within in parts[1:] if isinstance(within, Within)), bounds)
        several, optional = several or origin is tuple, optional or NoneType in parts
        if origin in (Union, UnionType) and get_origin(parts[0]) is not Literal:
            words = tuple(word for part in parts if get_origin(part) is Literal for word in get_args(part))
        hint = parts[0]
    choices = get_args(hint) if origin is Literal else ()
    kind = str if choices else hint
    says, metavar, expert = metadata["says"], metadata["metavar"], metadata["expert"]
    return ConfigField(name, default, says, metavar, kind, bounds, choices, words, optional, several, expert)
