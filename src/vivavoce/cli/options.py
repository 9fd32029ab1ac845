"""Options that several commands share, numbers with bounds, and options made from the settings of a configuration."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields
from difflib import get_close_matches
from functools import reduce
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import click

from vivavoce.settings import ConfigField, Within, settings_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from _typeshed import DataclassInstance

    from vivavoce.interview.record import Head
    from vivavoce.interview.sealed_transcript import PublicKey, SigningKey


Command = TypeVar("Command", bound=Callable[..., Any])
Values = TypeVar("Values", bound="DataclassInstance")
Name = TypeVar("Name", bound=str)

SMALLEST = 1e-12
"""A share closer to 0 or 1 than this is a typing error."""
LARGEST = 1e12
"""Upper bound on seconds, money and other amounts."""
MOST_DIGITS = 12
"""Most digits of a count."""
SET: Final = "--set"
"""The option that takes settings."""
FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


class _KnownFile(click.Path):
    """A file that exists, or built-in material such as `material:defendants.csv`."""

    def __init__(self, *, dir_okay: bool = False, short_names: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(exists=True, dir_okay=dir_okay, path_type=Path)
        self.short_names = short_names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Its path."""
        value = self.short_names.get(value, value)
        if isinstance(value, str) and value.startswith("material:"):
            from vivavoce.formats.lines import expanded

            value = expanded(value)
        return super().convert(value, param, ctx)


class _OutputFile(click.Path):
    """A file to write; refuses one that can't be written before any question is paid for."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Its path."""
        file: Any = super().convert(value, param, ctx)
        if param is not None:
            check_writable(param.opts[0], file)
        return file


def check_writable(option: str, file: Path) -> None:
    """Refuse a file that can't be written."""
    folder = file.parent
    if not folder.is_dir():
        raise click.UsageError(f"{option} {file}: the folder '{folder}' does not exist; create it first.")
    if file.is_dir() or not os.access(file if file.exists() else folder, os.W_OK):
        raise click.UsageError(f"{option} {file}: can't be written; choose another place.")


OUTPUT: Final = _OutputFile(dir_okay=False, path_type=Path)
"""The type of an output file, which the command must not use otherwise."""
KNOWN_FILE = _KnownFile()
KNOWN_PATH = _KnownFile(dir_okay=True)
BENCHMARK = _KnownFile(short_names={"mmlu-pro": "material:mmlu_pro.csv"})


class Choice(click.Choice[str]):
    """One of several words; an error names the nearest."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """The problem, and what to write instead."""
        known = list(map(str, self.choices))
        nearest = get_close_matches(str(value), known, n=1)
        meant = f"; did you mean '{nearest[0]}'?" if nearest else "."
        return f"'{str(value)[:80]}' is not one of {', '.join(known)}{meant}"


class WholeNumber(click.IntRange):
    """A whole number in a range; an error says which numbers are allowed."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Its placeholder in the help."""
        return "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number. Raises `click.BadParameter`."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            of_any_size = "" if self.min is None else f" of {self.min:,} or more"
            bounds = of_any_size if self.max is None else f" from {self.min or 0:,} to {self.max:,}"
            self.fail(f"'{str(value)[:80]}' is out of range: give a whole number{bounds}.", param, ctx)


class ExpertOption(click.Option):
    """An option that few users need: the command line takes it as `--set NAME=VALUE`, and `viva.toml` by its name.

    >>> ExpertOption(["--timeout", "time_out"]).opts
    ['--set timeout']
    """

    def __init__(self, names: Sequence[str], **settings: Any) -> None:
        option, parameter = names[0], names[-1].removeprefix("--").replace("-", "_")
        super().__init__([f"{SET} {option.removeprefix('--')}", parameter], **settings)
        self.key: Final = option.removeprefix("--")

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The text for `--set`, and the help."""
        record = super().get_help_record(ctx)
        if record is None:
            return None
        value = record[0].removeprefix(self.opts[0]).strip() or "true"
        return f"{self.key}={value}", record[1]


def within(text: str | float, lowest: float, highest: float, wanted: str) -> float:
    """A number in that range, ends included, and not NaN. `wanted` is what the error tells the user to give."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not lowest <= value <= highest:
        share_of = _percent(str(text)) if highest <= 1 else None
        meant = "" if share_of is None or not lowest <= share_of <= highest else f" For {share_of * 100:g}% write {share_of:g}."
        raise click.BadParameter(f"'{str(text)[:80]}' is out of range: give {wanted}.{meant}")
    return value


def _percent(text: str) -> float | None:
    """A percentage as a share, with its sign or from 2 without it; None for anything else."""
    number = text.strip().removesuffix("%")
    try:
        value = float(number)
    except ValueError:
        return None
    return value / 100 if number != text.strip() or value >= 2 else None


def share(text: str | float) -> float:
    """A number above 0 and below 1."""
    return within(text, SMALLEST, 1 - SMALLEST, "a number above 0 and below 1, such as 0.05")


def share_or_none(text: str | float) -> float | None:
    """A number above 0 and below 1, or "none"."""
    wanted = "a number above 0 and below 1, such as 0.01, or none"
    return None if _is_none(text) else within(text, SMALLEST, 1 - SMALLEST, wanted)


def limit(text: str | float) -> float | Literal["usual"] | None:
    """A number above 0 and below 1, "none", or "usual" for the default."""
    return "usual" if str(text).strip().lower() == "usual" else share_or_none(text)


def portion(text: str | float) -> float:
    """A number from 0 to 1."""
    return within(text, 0, 1, "a number from 0 to 1, such as 0.63")


def difference(text: str | float) -> float:
    """A number from -1 to 1."""
    return within(text, -1, 1, "a number from -1 to 1, such as 0.05")


def fraction(text: str | float) -> float:
    """A number above 0 and up to 1."""
    return within(text, SMALLEST, 1, "a number above 0, and at most 1")


def temperature(text: str) -> float | None:
    """A number from 0 to 10, or "none"."""
    return None if _is_none(text) else within(text, 0, 10, "a number from 0 to 10, or none")


def amount(text: str | float) -> float:
    """A number above 0."""
    return within(text, SMALLEST, LARGEST, f"a number above 0, and at most {LARGEST:g}")


def count(text: str | int) -> int:
    """A whole number above 0."""
    return _whole(text, "a whole number above 0")


def count_or_all(text: str | int) -> int | Literal["all"]:
    """A whole number above 0, or "all"."""
    return "all" if str(text).strip() == "all" else _whole(text, "a whole number above 0, or all")


def head(text: str, option: str) -> Head:
    """The head of a transcript, as `viva transcript verify` prints it; `option` is named in errors."""
    from vivavoce.interview.record import Head

    count, _, digest = text.partition(":")
    if (
        not (count.isascii() and count.isdecimal() and len(count) < 19)
        or len(digest) != 64
        or not set(digest) <= set("0123456789abcdef")
    ):
        raise click.BadParameter(
            f"'{text[:80]}' is not a head: give COUNT:DIGEST as 'viva transcript verify' prints it.", param_hint=option
        )
    return Head(int(count), digest)


def names(text: str) -> tuple[str, ...]:
    """The names in a comma-separated list."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def checks_among(known: Sequence[Name]) -> Callable[[click.Context, click.Parameter, Sequence[str]], tuple[Name, ...]]:
    """A callback for comma-separated checks, each once and in the usual order; `all` stands for all of them."""

    def chosen(_: click.Context, __: click.Parameter, given: Sequence[str]) -> tuple[Name, ...]:
        wanted = {name for text in given for name in names(text)}
        for name in sorted(wanted - {*known, "all"}):
            raise click.BadParameter(f"'{name}' is not a check: give {', '.join(known)} or all, several with commas.")
        return tuple(check for check in known if "all" in wanted or check in wanted)

    return chosen


def together(*several: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options as one decorator, listed in this order."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(several), command)


def taken_out(given: dict[str, Any], kind: type[Values]) -> Values:
    """Pop the fields of a dataclass from the command's options, and build it; fields without an option keep defaults."""
    return kind(**{field.name: given.pop(field.name) for field in fields(kind) if field.name in given})


def pool(workers: int) -> AbstractContextManager[Executor | None]:
    """A pool of this many processes; None for a single one."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return nullcontext() if workers == 1 else ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def seed(draws: str) -> Callable[[Command], Command]:
    """`--seed`, with its help text."""
    return click.option("--seed", type=WholeNumber(min=0), metavar="N", default=0, show_default=True, help=draws)


def _shown(text: str) -> str:
    from vivavoce.formats.wording import problem_with_name

    if problem := problem_with_name(text):
        raise click.BadParameter(f"{problem}.")
    return text


def _earlier_head(text: str) -> Head:
    return head(text, f"{SET} head")


def _signing_key(text: str) -> SigningKey:
    from vivavoce.interview.sealed_transcript import signing_key

    return signing_key(Path(text))


def _public_key(text: str) -> PublicKey:
    from vivavoce.interview.sealed_transcript import public_key

    return public_key(Path(text))


_JSON: Final = "vivavoce.json"


def _keep_json(context: click.Context, _: click.Parameter, given: bool) -> None:
    context.meta[_JSON] = given


def wants_json() -> bool:
    """Whether the running command has `--json`."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_JSON))


def titled(scopes: Sequence[str], titles: Sequence[str]) -> dict[str, str]:
    """Each title by its scope, without folders. Raises `UsageError` unless each scope has a title of its own."""
    from vivavoce.certificate.claims.claim import brief

    if titles and len(titles) != len(scopes):
        raise click.UsageError(
            f"{len(titles)} '--set title' for {len(scopes)} '--scope': give one for each scope, in their order, or none."
        )
    if len(set(titles)) < len(titles):
        raise click.UsageError("two scopes have the same '--set title': give each its own.")
    result = dict(zip(map(brief, scopes), titles, strict=False))
    if len(result) < len(titles):
        raise click.UsageError("two scopes are files with the same name: rename one, so that '--set title' fits one scope.")
    return result


HEAD = click.option(
    "--head",
    cls=ExpertOption,
    type=_earlier_head,
    metavar="COUNT:DIGEST",
    help="Refuse a transcript that was rolled back behind this earlier head.",
)
SIGN = click.option(
    "--sign",
    type=_signing_key,
    metavar="KEY",
    help="With '--sealed': sign its heads with this private key (Ed25519; PEM or OpenSSH).",
)
SIGNED_BY = click.option(
    "--signed-by", "signer", type=_public_key, metavar="KEY", help="Require a signature by this public key."
)
NAME = click.option("--name", cls=ExpertOption, type=_shown, metavar="NAME", help="Show this name for the candidate.")
TITLE = click.option(
    "--title",
    "titles",
    cls=ExpertOption,
    type=_shown,
    multiple=True,
    metavar="TITLE",
    help="Show this name for the scope; with several scopes, one for each.",
)
AGAIN = click.option(
    "--new-attempt",
    "again",
    is_flag=True,
    help="Start a new attempt, with a smaller share of delta; all attempts are listed.",
)
MAX_AGE = click.option(
    "--max-age",
    type=lambda text: within(text, 0, LARGEST, "a number of days, such as 0.5 or 30"),
    metavar="DAYS",
    help="Start a new attempt with new answers if the recorded one is older.",
)
JSON = click.option("--json", is_flag=True, expose_value=False, callback=_keep_json, help="Print JSON only.")
QUIET = click.option("-q", "--quiet", is_flag=True, help="Print one sentence and the files; no progress, no tables.")
PROCESSES = click.option(
    "--workers",
    type=WholeNumber(1, 256),
    metavar="N",
    default=1,
    show_default=True,
    help="Processes; results do not depend on it.",
)


def _whole(text: str | int, wanted: str) -> int:
    given = str(text).strip()
    if not (given.isascii() and given.isdecimal() and len(given) <= MOST_DIGITS and int(given) > 0):
        raise click.BadParameter(f"'{given[:80]}' is out of range: give {wanted}.")
    return int(given)


def _is_none(text: str | float) -> bool:
    return str(text).strip().lower() == "none"


Kind = Callable[[Any], Any]

NUMBERS: Final[Mapping[tuple[Within | None, bool], Kind]] = {
    (None, False): float,
    (Within(above=0, below=1), False): share,
    (Within(above=0, below=1), True): share,
    (Within(0, 1), False): portion,
    (Within(0, 1), True): portion,
    (Within(above=0, most=1), False): fraction,
    (Within(0, 10), True): temperature,
    (Within(above=0), False): amount,
    (Within(above=0), True): amount,
}
"""Parsers of real numbers by their bounds, and by whether None is allowed."""


METAVARS: Final[Mapping[type, str]] = {int: "N", float: "X", str: "TEXT", Path: "FILE"}


def config_options(
    config: type[DataclassInstance], *, only: Sequence[str] = (), **odd: Mapping[str, Any]
) -> Callable[[Command], Command]:
    """An option for each setting of a configuration, in the order of its fields.

    only: the settings to make options of, in this order; empty: all.
    odd: exceptions by setting: `option` (names such as `--bare/--explain-game` or `--money --budget`), or arguments of
        `click.option`.
    """
    settings = {setting.name: setting for setting in settings_of(config)}
    return together(*(_option(settings[name], **odd.get(name, {})) for name in only or settings))


def names_of_options(*configs: type[DataclassInstance]) -> tuple[str, ...]:
    """The names of the options that these configurations get by default.

    >>> from vivavoce.studies.config import ForecastsConfig
    >>> names_of_options(ForecastsConfig)[:1]
    ('--limit',)
    """
    return tuple(_dashed(setting.name) for config in configs for setting in settings_of(config))


def _dashed(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _option(setting: ConfigField, **odd: Any) -> Callable[[Command], Command]:
    dashed = _dashed(setting.name)
    name = odd.pop("option", f"{dashed}/--no-{dashed[2:]}" if setting.default is True else dashed)
    usual: dict[str, Any] = {"help": setting.says}
    if setting.default is not None and setting.default is not False:
        usual |= {"default": setting.default, "show_default": setting.default not in ("", ())}
    if setting.several:
        usual["multiple"] = True
    if setting.kind is bool:
        usual |= {"is_flag": True, **({"default": None} if setting.default is None else {})}
    elif setting.choices:
        usual |= {"type": Choice(setting.choices), "metavar": setting.metavar or None}
    elif "type" in odd:
        usual["metavar"] = setting.metavar or METAVARS[setting.kind]
    else:
        usual |= _of_kind(setting)
    if setting.expert:
        usual["cls"] = ExpertOption
    return click.option(*name.split(), setting.name, **{**usual, **odd})


def _of_kind(setting: ConfigField) -> dict[str, Any]:
    """Type and metavar of a number, a text or a file; numbers that may be "none" are parsed from text."""
    metavar = setting.metavar or METAVARS[setting.kind]
    if setting.kind is str:
        return {"metavar": metavar}
    if setting.kind is Path:
        return {"type": FOLDER if metavar == "FOLDER" else FILE, "metavar": metavar}
    if setting.kind is int:
        return {"type": _whole_number(setting.bounds), "metavar": metavar}
    none = setting.optional and setting.default is not None
    values: dict[str, Any] = {
        "type": NUMBERS.get((setting.bounds, setting.optional)) or _between(setting.bounds),
        "metavar": setting.metavar or (f"{metavar}|none" if none else metavar),
    }
    return values | ({"default": f"{setting.default:g}"} if none else {})


def _between(bounds: Within | None) -> Any:
    """A number with both bounds. Raises `KeyError` for other bounds, which must be in `NUMBERS`."""
    if bounds is None or bounds.least is None or bounds.most is None:
        raise KeyError(bounds)
    least, most = bounds.least, bounds.most
    return lambda text: within(text, least, most, f"a number from {least:g} to {most:g}")


def _whole_number(bounds: Within | None) -> Any:
    if bounds is None:
        return int
    if bounds == Within(least=1):
        return count
    least, most = (None if end is None else int(end) for end in (bounds.least, bounds.most))
    return WholeNumber(least, most)
