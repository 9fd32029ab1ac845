"""The command `viva`: parses arguments and calls the library."""

from vivavoce.cli.viva import main

__all__ = ["main"]
