"""Oral examinations for AI systems: what does a candidate understand, and how sure may one be?"""

from importlib.metadata import version

__version__ = version("vivavoce")
