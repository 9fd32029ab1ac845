"""The command `viva`: parse and call only."""

from vivavoce.cli.viva import main

__all__ = ["main"]
