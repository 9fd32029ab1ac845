"""The version of the installed program, as in every signature."""

from importlib.metadata import version

__version__ = version("vivavoce")
