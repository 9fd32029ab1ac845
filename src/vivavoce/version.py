"""The version of the program that is installed, as in every signature."""

from importlib.metadata import version

__version__ = version("vivavoce")
