"""A group of commands, none of which is imported before it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """Finds commands by name; `places` says where each is, as MODULE:NAME."""

    def __init__(self, *arguments: Any, places: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which they are needed."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in self._places:
            return None
        module, _, name = self._places[cmd_name].partition(":")
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)
        return command
