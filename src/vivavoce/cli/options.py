"""Kinds of numbers on the command line, refused with value and remedy where they are out of range."""

from __future__ import annotations

import math

import click


def share(text: str | float) -> float:
    """A number above 0 and below 1."""
    value = _number(text)
    if not 0 < value < 1:
        raise click.BadParameter(f"'{text}' is out of range: give a number above 0 and below 1, such as 0.05.")
    return value


def share_or_none(text: str | float) -> float | None:
    """A number above 0 and below 1, or "none"."""
    if str(text).strip().lower() == "none":
        return None
    value = _number(text)
    if not 0 < value < 1:
        raise click.BadParameter(f"'{text}' is out of range: give a number above 0 and below 1, such as 0.001, or none.")
    return value


def temperature(text: str) -> float | None:
    """A number from 0 to 10, or "none"."""
    if text.strip().lower() == "none":
        return None
    value = _number(text)
    if not 0 <= value <= 10:
        raise click.BadParameter(f"'{text}' is out of range: give a number from 0 to 10, or none.")
    return value


def amount(text: str | float) -> float:
    """A finite number above 0."""
    value = _number(text)
    if not 0 < value < math.inf:
        raise click.BadParameter(f"'{text}' is out of range: give a number above 0.")
    return value


def _number(text: str | float) -> float:
    """NaN, which is in no range, for what is no number."""
    try:
        return float(text)
    except ValueError:
        return math.nan
