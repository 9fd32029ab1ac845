"""A command whose help lists its options under heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click


class HeadedCommand(click.Command):
    """Lists options under heads, in their order; those that are under none come last, as "Options".

    heads: for each head its options by their longest names.
    """

    def __init__(self, *arguments: Any, heads: Mapping[str, Sequence[str]], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.heads = heads

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write all options, head by head."""
        left = {max(option.opts, key=len): option for option in self.get_params(ctx) if isinstance(option, click.Option)}
        heads = [(head, [left.pop(name) for name in names if name in left]) for head, names in self.heads.items()]
        for head, options in (*heads, ("Options", list(left.values()))):
            if lines := [line for option in options if (line := option.get_help_record(ctx)) is not None]:
                with formatter.section(head):
                    formatter.write_dl(lines)
