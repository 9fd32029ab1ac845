"""Templates, and the format of numbers and times in them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from vivavoce.formats.wording import capital, counted, in_words
from vivavoce.version import __version__


def render(template: str, **values: Any) -> str:
    """A page; every value in it is escaped."""
    return environment().get_template(f"{template}.html.j2").render(values)


@cache
def environment() -> Environment:
    """The templates of the site."""
    made = Environment(
        loader=PackageLoader("vivavoce.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"rating": rating, "moment": moment, "day": day, "apart": apart, "span": span, "sentence": sentence}
    made.filters |= {"grouped": grouped, "counted": counted, "in_words": in_words, "points": points}
    made.globals |= {"static": static, "zip": zip, "version": __version__}
    return made


@cache
def static(name: str) -> str:
    """The address of one of the site's files, which changes when the file does.

    >>> static("site.css").startswith("/static/site.css?")
    True
    """
    digest = sha256((files("vivavoce.web") / "static" / name).read_bytes()).hexdigest()
    return f"/static/{name}?{digest[:12]}"


def rating(value: float | None) -> str:
    """A rating or a guess: at most one decimal.

    >>> rating(84.0), rating(6.44), rating(-0.0), rating(None)
    ('84', '6.4', '0', '–')
    """
    return "–" if value is None else f"{value:z.1f}".removesuffix(".0")


def points(value: float) -> str:
    """The points of a judgement, rounded.

    >>> points(84.0), points(-156.0), points(1.0)
    ('84 points', '−156 points', '1 point')
    """
    shown = f"{value:z.0f}"
    return f"{shown.replace('-', '−')} point{'' if shown == '1' else 's'}"


def grouped(value: int) -> str:
    """A whole number with thin spaces between thousands.

    >>> grouped(12345)
    '12\u2009345'
    """
    return f"{value:,}".replace(",", "\u2009")


def apart(first: float, second: float) -> str:
    """The difference of two numbers in words, as shown.

    >>> apart(81, 84), apart(50, 50.04)
    ('3 away', 'exactly right')
    """
    distance = rating(abs(round(first, 1) - round(second, 1)))
    return "exactly right" if distance == "0" else f"{distance} away"


def moment(value: datetime) -> str:
    """A time in UTC for the `datetime` attribute of a `time` element."""
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def day(value: datetime) -> str:
    """The day of a time.

    >>> day(datetime(2026, 6, 4, tzinfo=UTC))
    '4 June 2026'
    """
    return f"{value.astimezone(UTC).day} {value.astimezone(UTC):%B %Y}"


def span(value: timedelta) -> str:
    """A time span in words, roughly.

    >>> span(timedelta(days=2, hours=23)), span(timedelta(hours=30)), span(timedelta(minutes=1)), span(timedelta(seconds=5))
    ('3 days', '30 hours', '1 minute', 'a moment')
    """
    seconds = value.total_seconds()
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= 1.5 * size:
            return f"{round(seconds / size)} {name}s"
    return "1 minute" if seconds >= 30 else "a moment"


def sentence(text: str) -> str:
    """An error's words as a sentence.

    >>> sentence("question 3 is empty")
    'Question 3 is empty.'
    """
    text = text.strip()
    return capital(text) + ("" if text.endswith((".", "?", "!")) else ".")
