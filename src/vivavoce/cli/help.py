"""Help of commands: options in order of use, exit codes, and groups that import a command when it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from vivavoce.cli.endings import exit_codes


class Group(click.Group):
    """Lists its commands in the order in which they are defined; each tells its exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which they are needed."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; one that says nothing of exit codes has the usual ones."""
        command = super().get_command(ctx, cmd_name)
        if command is not None and not isinstance(command, click.Group):
            command.epilog = command.epilog or exit_codes()
        return command


class LazyGroup(Group):
    """Finds commands by name; `places` says where each is, as MODULE:NAME."""

    def __init__(self, *arguments: Any, places: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which they are needed."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        if cmd_name in self._places and cmd_name not in self.commands:
            module, _, name = self._places[cmd_name].partition(":")
            self.add_command(getattr(import_module(module), name), cmd_name)
        return super().get_command(ctx, cmd_name)
