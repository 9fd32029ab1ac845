"""Help of commands: options in order of use, exit codes, and groups that import a command when it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from vivavoce.cli.endings import exit_codes


class CommandGroup(click.Group):
    """Lists its commands in the order of their definition, and adds exit codes to their help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of their definition."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, with the usual exit codes if it lists none."""
        command = super().get_command(ctx, cmd_name)
        if command is not None and not isinstance(command, click.Group):
            command.epilog = command.epilog or exit_codes()
        return command


class LazyGroup(CommandGroup):
    """Imports a command when it is needed; `places` has the MODULE:NAME of each."""

    def __init__(self, *arguments: Any, places: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of their definition."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        if cmd_name in self._places and cmd_name not in self.commands:
            module, _, name = self._places[cmd_name].partition(":")
            self.add_command(getattr(import_module(module), name), cmd_name)
        return super().get_command(ctx, cmd_name)
