"""Help texts: first options or all; groups that import a command when needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Final

import click

from vivavoce.cli.endings import SeveralErrors, exit_codes
from vivavoce.cli.names import COMMANDS, FILE, SETTING_OF, SETTINGS, is_scope, read_settings, shown_setting
from vivavoce.cli.options import SET, ExpertOption
from vivavoce.cli.output import check_outputs
from vivavoce.errors import BadInput, UnknownName, VivavoceError

SHORT: Final = 12
"""Options in the help of a command that has more; `--help-all` shows them all."""
NEVER_HIDDEN: Final = (
    "passing_grade", "unacceptable_limit", "flip_limit", "delta", "transcript", "seed", "again", "judge",
)  # fmt: skip
"""Parameters that a verdict depends on."""
USUAL: Final = ("money", "html", "out")
"""Other parameters that a first run needs."""
RARE: Final = ("results", "concurrency", "cluster", "junit", "markdown", "assignments")
"""Parameters that a first run does not need."""


_HEAD: Final = f"Settings: {SET} NAME=VALUE, or in {FILE}"
_ALL: Final = "vivavoce.help-all"


def _show_all(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        context.meta[_ALL] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()


class Command(click.Command):
    """A command with exit codes in its help; with more than `SHORT` options, `--help` lists those of first use.

    first: parameters that `--help` lists before others of this command, by name.
    heads: heads of `--help-all`, each with its options by their longest names; other options come last, as "Options".
    """

    def __init__(
        self, *arguments: Any, first: Sequence[str] = (), heads: Mapping[str, Sequence[str]] | None = None, **settings: Any
    ) -> None:
        super().__init__(*arguments, **settings)
        self.epilog = self.epilog or exit_codes()
        self._first, self._heads = first, heads or {}
        self._settings = {option.key: option for option in self.params if isinstance(option, ExpertOption)}
        if self._settings:
            self.params.insert(self.params.index(next(iter(self._settings.values()))), _set_option())
        self._help_all = click.Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            help="Show all options and exit.",
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options and arguments. Raises `SeveralErrors` if more than one of them has a wrong value."""
        given = self._with_scope_option(ctx, self._with_defaults(ctx, self._with_settings(args)))
        try:
            left = super().parse_args(ctx, list(given))
            self._say_defaults(ctx)
            return left
        except (click.UsageError, BadInput) as error:
            errors = self._wrong_values(ctx, given)
            raise SeveralErrors(errors) if len(errors) > 1 else error from None

    def invoke(self, ctx: click.Context) -> Any:
        """Check the output files, run the command, and exit with the code that it returns."""
        check_outputs(ctx)
        if code := super().invoke(ctx):
            ctx.exit(code)

    def _with_settings(self, args: list[str]) -> list[str]:
        """Make each `--set NAME=VALUE` (or `--NAME VALUE`) one word. Raises `UnknownName`, `UsageError`."""
        words: list[str] = []
        left = iter(args)
        for word in left:
            name, equals, assignment = word.partition("=")
            if word == "--" or (name == SET and not self._settings):
                return [*words, word, *left]
            if name == SET:
                assignment = assignment if equals else next(left, "")
                words += self._set(assignment) if assignment else [word]
            elif name.removeprefix("--") in self._settings and not any(name in option.opts for option in self._own()):
                is_flag = self._settings[name[2:]].is_flag
                value = assignment if equals else "true" if is_flag else next(left, None)
                words += self._set(name[2:] if value is None else f"{name[2:]}={value}")
            else:
                words.append(word)
        return words

    def _set(self, assignment: str) -> list[str]:
        """The words of a setting's value, none for a flag that is false."""
        name, equals, value = assignment.partition("=")
        name = name.strip().replace("_", "-")
        setting = self._settings.get(name)
        if setting is None:
            if any(f"--{name}" in option.opts for option in self._own()):
                raise click.UsageError(f"'{name}' is an option: write '--{name}' without '{SET}'.")
            raise UnknownName("setting", name, self._settings)
        if setting.is_flag:
            if value not in ("", "true", "false"):
                raise click.UsageError(f"'{SET} {name}={value[:80]}': give true or false.")
            return [] if value == "false" else [setting.opts[0]]
        if not equals:
            raise click.UsageError(f"'{SET} {name}' lacks a value: write '{SET} {name}=VALUE'.")
        return [f"{setting.opts[0]}={value}"]

    def _with_defaults(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The same arguments; what `viva.toml` sets becomes a default of this context."""
        words = _words_of(ctx)
        if " ".join(words) in COMMANDS or self._settings:
            settings = read_settings()
            shared = settings.defaults(" ".join(words), [parameter.name for parameter in self.params], args)
            own = settings.own_defaults(words, {key: option for option in self._own() if (key := _key(option))})
            if shared or own:
                ctx.default_map, ctx.meta[SETTINGS] = {**shared, **own}, settings.source
        return args

    def _say_defaults(self, ctx: click.Context) -> None:
        """Print which values came from `viva.toml`."""
        if SETTINGS in ctx.meta and not (ctx.resilient_parsing or ctx.params.get("quiet")):
            keys = {option.name: _key(option) for option in self._own()} | SETTING_OF
            file = {name: value for name, value in (ctx.default_map or {}).items() if _is_from_file(ctx, name)}
            values = {keys[name]: ctx.params.get(name, value) for name, value in file.items()}
            typed = {name: value[0] if isinstance(value, tuple) else value for name, value in values.items()}
            if values:
                click.echo(f"viva: from {ctx.meta[SETTINGS]}: {', '.join(map(shown_setting, typed, typed.values()))}", err=True)

    def _with_scope_option(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Turn `MODEL SCOPE` into `MODEL --scope SCOPE`. SCOPE alone is possible if the model has a default; after several
        models, the last name may be the scope.
        """
        scope = next((option for option in self._own() if "--scope" in option.opts), None)
        models = (param for param in self.params if isinstance(param, click.Argument) and param.type.name == "candidate")
        model = next(models, None)
        if scope is None or model is None or ctx.resilient_parsing:
            return args
        defaults, words = ctx.default_map or {}, self._words(ctx, args, model)
        if model.nargs == 1:
            has_scope = len(words) == 2 or (len(words) == 1 and model.name in defaults and scope.name not in defaults)
        else:
            has_scope = len(words) > 1 and scope.name not in defaults and is_scope(words[-1])
        if not has_scope or scope.name in self._raw(ctx, args)[0]:
            return args
        for index in (index for index in reversed(range(len(args))) if args[index] == words[-1]):
            rest = [*args[:index], *args[index + 1 :]]
            if self._words(ctx, rest, model) == words[:-1]:  # else it is the value of an option
                return [*rest, "--scope", words[-1]]
        return args

    def _words(self, ctx: click.Context, args: list[str], model: click.Argument) -> list[str]:
        """The arguments that are no options and no values of options."""
        values, left = self._raw(ctx, args)
        typed = values.get(model.name or "")
        return [*([typed] if isinstance(typed, str) else typed if isinstance(typed, tuple) else ()), *left]

    def _raw(self, ctx: click.Context, args: list[str]) -> tuple[Mapping[str, Any], list[str]]:
        """The values by parameter, and the arguments left over; nothing for a command line that can't be parsed."""
        try:
            values, left, _ = self.make_parser(ctx).parse_args(args=list(args))
        except click.UsageError:
            return {}, list(args)
        return values, left

    def _wrong_values(self, ctx: click.Context, args: list[str]) -> list[click.ClickException | VivavoceError]:
        """The errors of all parameters; none if the arguments can't be assigned to them."""
        try:
            values, left, order = self.make_parser(ctx).parse_args(args=args)
        except click.UsageError:
            return []
        errors: list[click.ClickException | VivavoceError] = []
        for param in click.core.iter_params_for_processing(order, self.get_params(ctx)):
            try:
                _, left = param.handle_parse_result(ctx, values, left)
            except (click.UsageError, BadInput) as error:
                errors.append(error)
        return errors

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """All parameters, with `--help-all` if `--help` does not list all options."""
        given = super().get_params(ctx)
        return [*given, self._help_all] if len(self._listed()) > SHORT else given

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of first use, or all under their heads."""
        listed = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        left = {max(option.opts, key=len): option for option in listed}
        settings = {_HEAD: [left.pop(option.opts[0]) for option in self._settings.values()]}
        heads: dict[str, Sequence[click.Option]] = {}
        if _ALL in ctx.meta:
            heads = {head: [left.pop(name) for name in names if name in left] for head, names in self._heads.items()}
        elif hidden := set(self._listed()) - set(self.first_options):
            left = {name: option for name, option in left.items() if option not in hidden}
        settings = settings if _ALL in ctx.meta else {}
        for head, options in {**heads, "Options": list(left.values()), **settings}.items():
            if lines := [line for option in options if (line := option.get_help_record(ctx)) is not None]:
                with formatter.section(head):
                    formatter.write_dl(lines)

    @property
    def first_options(self) -> list[click.Option]:
        """The options that `--help` lists, in their order: the required ones, those of verdicts, and the first ones."""
        options = self._listed()
        named = {option.name: option for option in options}
        ranked = (
            *(option for option in options if option.required),
            *(named[name] for name in (*NEVER_HIDDEN, *self._first, *USUAL) if name in named),
            *(option for option in options if option.name not in RARE),
        )
        chosen = list(dict.fromkeys(ranked))[:SHORT]
        return [option for option in options if option in chosen]

    def _own(self) -> list[click.Option]:
        return [option for option in self.params if isinstance(option, click.Option)]

    def _listed(self) -> list[click.Option]:
        return [option for option in self._own() if not isinstance(option, ExpertOption)]


def _set_option() -> click.Option:
    return click.Option(
        [SET, "assignments"],
        multiple=True,
        expose_value=False,
        metavar="NAME=VALUE",
        help="Change one of the settings that --help-all lists. Repeatable.",
    )


def _key(option: click.Option) -> str:
    """The name of an option in `viva.toml`."""
    return max(option.opts, key=len).removeprefix(SET).strip().removeprefix("--").replace("-", "_")


def _words_of(ctx: click.Context) -> list[str]:
    """The words that call a command, without the program's name."""
    return [] if ctx.parent is None else [*_words_of(ctx.parent), ctx.info_name or ""]


def _is_from_file(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is click.core.ParameterSource.DEFAULT_MAP


def command(name: str | None = None, **settings: Any) -> Callable[[Callable[..., Any]], Command]:
    """A decorator that makes a function a command, with the settings of `Command`."""
    return click.command(name, cls=Command, **settings)


class CommandGroup(click.Group):
    """Lists its commands in the order of their definition, and names the nearest one to a misspelt name."""

    command_class = Command

    def __init__(self, *arguments: Any, former: Mapping[str, str] | None = None, **settings: Any) -> None:
        """former: other names that people try, each with the words of the command that is meant."""
        super().__init__(*arguments, **settings)
        self._former = former or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of their definition."""
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names. Raises `click.UsageError` with the nearest name there is."""
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand:
            paths = dict(self._paths(ctx))
            nearest = get_close_matches(args[0], paths, n=1, cutoff=0.6)
            known = f"commands are {', '.join(self.list_commands(ctx))}."
            advice = f"did you mean '{paths[nearest[0]]}'?" if nearest else known
            raise click.UsageError(f"there is no command '{args[0][:80]}': {advice}", ctx) from None

    def _paths(self, ctx: click.Context) -> Iterator[tuple[str, str]]:
        """Each command's name with all words that call it; groups come first, so a group's own commands take precedence."""
        names = self.list_commands(ctx)
        for name in names:
            group = self.get_command(ctx, name)
            if isinstance(group, CommandGroup):
                yield from group._paths(click.Context(group, info_name=name, parent=ctx))
        words = {**self._former, **{name: name for name in names}}
        yield from ((name, f"{ctx.command_path} {command}") for name, command in words.items())


class LazyGroup(CommandGroup):
    """Imports a command when it is needed.

    places: the MODULE:NAME of each command.
    summaries: what the help says of the commands, under heads, so that it imports none; empty: the first words of their help.
    """

    def __init__(
        self,
        *arguments: Any,
        places: Mapping[str, str],
        summaries: Mapping[str, Mapping[str, str]] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self._places, self._summaries = places, summaries or {}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with their summaries."""
        if not self._summaries:
            super().format_commands(ctx, formatter)
        for head, rows in self._summaries.items():
            with formatter.section(head):
                formatter.write_dl(list(rows.items()))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of their definition."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        if cmd_name in self._places and cmd_name not in self.commands:
            module, _, name = self._places[cmd_name].partition(":")
            self.add_command(getattr(import_module(module), name), cmd_name)
        return super().get_command(ctx, cmd_name)
