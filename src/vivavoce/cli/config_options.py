"""Options of the command line that follow from the configuration of a room, and the configuration that follows from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.options import Command
from vivavoce.settings import Setting, Within, settings_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Kind = Callable[[Any], Any]

NUMBERS: Final[Mapping[tuple[Within | None, bool], Kind]] = {
    (None, False): float,
    (Within(above=0, below=1), False): options.share,
    (Within(above=0, below=1), True): options.share,
    (Within(0, 1), False): options.portion,
    (Within(0, 1), True): options.portion,
    (Within(above=0, most=1), False): options.fraction,
    (Within(0, 10), True): options.temperature,
    (Within(above=0), False): options.amount,
    (Within(above=0), True): options.amount,
}
"""Kinds of numbers with a fraction by their bounds, and whether there may be none."""


METAVARS: Final[Mapping[type, str]] = {int: "N", float: "X", str: "TEXT", Path: "FILE"}


def config_options(
    config: type[DataclassInstance], *, only: Sequence[str] = (), **odd: Mapping[str, Any]
) -> Callable[[Command], Command]:
    """An option for each setting of a configuration; the help lists them in the order of its fields.

    only: the settings that have one, in this order; all if none are named.
    odd: what is otherwise for a setting, by its name: `option` (its name, as in `--bare/--explain-game`), or what
        `click.option` takes.
    """
    settings = {one.name: one for one in settings_of(config)}
    return options.together(*(_option(settings[name], **odd.get(name, {})) for name in only or settings))


def names_of_options(*configs: type[DataclassInstance]) -> tuple[str, ...]:
    """The options of these configurations as they are written, where none of them has another name.

    >>> from vivavoce.studies.forecasting.config import ForecastsConfig
    >>> names_of_options(ForecastsConfig)[:1]
    ('--limit',)
    """
    return tuple(_dashed(one.name) for config in configs for one in settings_of(config))


def _dashed(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _option(one: Setting, **odd: Any) -> Callable[[Command], Command]:
    dashed = _dashed(one.name)
    name = odd.pop("option", f"{dashed}/--no-{dashed[2:]}" if one.default is True else dashed)
    usual: dict[str, Any] = {"help": one.says}
    if one.default is not None and one.default is not False:
        usual |= {"default": one.default, "show_default": one.default not in ("", ())}
    if one.several:
        usual["multiple"] = True
    if one.kind is bool:
        usual |= {"is_flag": True, **({"default": None} if one.default is None else {})}
    elif one.choices:
        usual |= {"type": click.Choice(one.choices), "metavar": one.metavar or None}
    elif "type" in odd:
        usual["metavar"] = one.metavar or METAVARS[one.kind]
    else:
        usual |= _of_kind(one)
    return click.option(name, one.name, **{**usual, **odd})


def _of_kind(one: Setting) -> dict[str, Any]:
    """Type and metavar of a number, a text or a file; numbers that may be none begin as a text."""
    metavar = one.metavar or METAVARS[one.kind]
    if one.kind is str:
        return {"metavar": metavar}
    if one.kind is Path:
        return {"type": options.FOLDER if metavar == "FOLDER" else options.FILE, "metavar": metavar}
    if one.kind is int:
        return {"type": _whole(one.bounds), "metavar": metavar}
    none = one.optional and one.default is not None
    found: dict[str, Any] = {
        "type": NUMBERS.get((one.bounds, one.optional)) or _between(one.bounds),
        "metavar": one.metavar or (f"{metavar}|none" if none else metavar),
    }
    return found | ({"default": f"{one.default:g}"} if none else {})


def _between(bounds: Within | None) -> Any:
    """A number with both ends. Raises `KeyError` for other bounds, whose kind stands in `NUMBERS`."""
    if bounds is None or bounds.least is None or bounds.most is None:
        raise KeyError(bounds)
    return click.FloatRange(bounds.least, bounds.most)


def _whole(bounds: Within | None) -> Any:
    if bounds is None:
        return int
    if bounds == Within(least=1):
        return options.count
    least, most = (None if end is None else int(end) for end in (bounds.least, bounds.most))
    return click.IntRange(least, most)
