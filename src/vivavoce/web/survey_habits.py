"""How bots take a survey, and what each of them remembers of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from vivavoce.generalization.survey.plan import SurveyStep


class Habit(StrEnum):
    """How a bot takes a survey."""

    CAREFUL = "careful"
    KEYS = "uses keys alone"
    UNSENT = "comes by itself"
    """No platform has sent it."""
    FAILS_ONCE = "fails once"
    FAILS = "fails twice"
    RELOADS = "reloads"
    BACK = "goes back"
    TWICE = "sends all twice"
    TABS = "has two tabs"
    RETURNS = "closes the browser"
    MOVES = "changes the browser"
    WITHDRAWS = "withdraws"
    REGRETS = "withdraws at the end"
    DECLINES = "declines"
    STOPS = "stops"


ENDS: Final = {Habit.FAILS: SurveyStep.FAILED} | dict.fromkeys(
    (Habit.WITHDRAWS, Habit.REGRETS, Habit.DECLINES), SurveyStep.WITHDRAWN
)
"""Where each habit leads, if not to the end of the survey; who stops is nowhere."""
IN_PREVIEWS: Final = (Habit.CAREFUL, Habit.KEYS, Habit.FAILS_ONCE, Habit.FAILS, Habit.RELOADS, Habit.WITHDRAWS)
"""Those that need nothing to be kept."""


@dataclass(slots=True)
class Said:
    """What a bot saw and said at one place."""

    place: int
    question: str
    """Without the marks of its data set, as pages show it."""
    before: int
    """In percent, here and below."""
    other: str = ""
    shown: str = ""
    right: bool | None = None
    """Whether the shown answer is, as the page says."""
    earlier: int | None = None
    """What the page says that the bot had said before."""
    after: int | None = None
    why: str = ""


@dataclass(slots=True)
class Played:
    """A bot, and how it went."""

    habit: Habit
    participant: str | None
    """What the bot calls itself, in the way of the platform."""
    said: list[Said] = field(default_factory=list)
    end: str = ""
    """The step at which it ended; empty where it stopped."""
    code: str = ""
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)
