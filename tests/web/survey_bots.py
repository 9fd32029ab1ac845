"""Simulated respondents that take a survey in a browser; `python -m tests.web.survey_bots URL BOTS` runs them."""

from __future__ import annotations

import asyncio
import random
import re
import secrets
import shutil
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from vivavoce.generalization.survey.plan import CHECK_QUESTIONS, SurveyStep

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page


class Habit(StrEnum):
    """A bot's way of taking a survey."""

    CAREFUL = "careful"
    KEYS = "uses keys alone"
    UNSENT = "comes by itself"
    """Not sent by a platform."""
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
"""The end that each habit leads to, other than the end of the survey; nowhere for those who stop."""
IN_PREVIEWS: Final = (Habit.CAREFUL, Habit.KEYS, Habit.FAILS_ONCE, Habit.FAILS, Habit.RELOADS, Habit.WITHDRAWS)
"""Habits that work without stored data."""


@dataclass(slots=True)
class SurveyAnswer:
    """The card and the answers of a bot at one position."""

    place: int
    question: str
    """The question as pages show it, without the marks of its data set."""
    before: int
    """In percent, here and below."""
    other: str = ""
    shown: str = ""
    right: bool | None = None
    """Whether the page says that the shown answer is right."""
    earlier: int | None = None
    """The page's words about the bot's earlier belief."""
    after: int | None = None
    why: str = ""


@dataclass(slots=True)
class SimulatedRespondent:
    """A bot and the outcome of its survey."""

    habit: Habit
    participant: str | None
    """The bot's name in the platform's form."""
    said: list[SurveyAnswer] = field(default_factory=list)
    end: str = ""
    """The step at which it ended; empty if it stopped."""
    code: str = ""
    problems: list[str] = field(default_factory=list)


CLOSING: Final = 30.0
"""Seconds to close a window, or all of them."""


async def text(page: Page, selector: str) -> str:
    """The visible text, line by line."""
    lines = page.locator(f"{selector} .line")
    if await lines.count():
        return "\n".join(await lines.all_text_contents())
    return (await page.locator(selector).inner_text()).strip()


async def follow(page: Page, selector: str, *, by_key: bool = False) -> None:
    """Press the button or link that leads to another page."""
    async with page.expect_navigation():
        if by_key:
            await page.locator(selector).focus()
            await page.keyboard.press("Enter")
        else:
            await page.locator(selector).click()


async def close(what: BrowserContext | Browser) -> None:
    """Playwright itself would wait forever for a browser that does not respond."""
    with suppress(TimeoutError):
        async with asyncio.timeout(CLOSING):
            await what.close()


PHONE: Final = {"width": 390, "height": 844}
MOST_STEPS: Final = 600
"""Pages that a bot opens before it reports that it goes round in circles."""
_PAGE: Final = re.compile(r"/(consent|how|checks|end|declined)$|/(ends)/\w+$|/pairs/(\d+)/(own|before|after)$")
_TWICE: Final = """async () => {
  const form = document.querySelector('form');
  const send = () => fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
  await Promise.all([send(), send()]);
}"""


async def rehearse(
    address: str,
    habits: Sequence[Habit],
    *,
    at_once: int = 4,
    seed: int = 0,
) -> list[SimulatedRespondent]:
    """Have one bot for each habit take the survey at an address, a few at a time, in Chromium or else Playwright's browser.

    address: of an open survey, which stores the bots' answers, or of a preview with its key.
    """
    from playwright.async_api import async_playwright

    if urlsplit(address).path.endswith("/preview"):
        habits = [habit if habit in IN_PREVIEWS else Habit.CAREFUL for habit in habits]
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    turns = asyncio.Semaphore(at_once)

    async def one(browser: Browser, habit: Habit, number: int) -> SimulatedRespondent:
        async with turns:
            return await _Bot(browser, address, habit, random.Random(f"{seed} {number}")).play()

    async with async_playwright() as started:
        browser = await started.chromium.launch(executable_path=program)
        try:
            return list(await asyncio.gather(*(one(browser, habit, number) for number, habit in enumerate(habits))))
        finally:
            await close(browser)


class _Bot:
    """One bot while it takes the survey."""

    def __init__(self, browser: Browser, address: str, habit: Habit, rng: random.Random) -> None:
        where = urlsplit(address)
        self._browser, self._rng, self._habit = browser, rng, habit
        self._preview = where.path.rstrip("/").endswith("/preview")
        self._base = where._replace(path=where.path.rstrip("/"), query="", fragment="").geturl()
        # not from the seed: bots of another rehearsal are other people
        name = None if habit is Habit.UNSENT or self._preview else secrets.token_hex(12)
        platform = {} if name is None else {"PROLIFIC_PID": name, "STUDY_ID": "rehearsal", "SESSION_ID": secrets.token_hex(12)}
        query = urlencode(dict(parse_qsl(where.query)) | platform)
        self._entry = f"{self._base}?{query}" if query else self._base
        self.played = SimulatedRespondent(habit, name)
        self._moment = rng.randint(1, 2)  # the position of actions that happen once
        self._done: set[str] = set()

    async def play(self) -> SimulatedRespondent:
        """Take the survey, from the platform's link to the end."""
        from playwright.async_api import Error

        context, page = await self._open()
        try:
            await page.goto(self._entry)
            for _ in range(MOST_STEPS):
                context, page, goes_on = await self._step(context, page)
                if not goes_on:
                    break
            else:
                self.played.problems.append("it went round in circles")
        except Error as error:
            self.played.problems.append(f"at {urlsplit(page.url).path}: {error.message.splitlines()[0]}")
        await close(context)
        expected = "" if self._habit is Habit.STOPS else str(ENDS.get(self._habit, SurveyStep.DONE))
        if self.played.end != expected:
            self.played.problems.append(f"it ended at '{self.played.end}', not at '{expected}'")
        return self.played

    async def _open(self, state: Any = None) -> tuple[BrowserContext, Page]:
        context = await self._browser.new_context(viewport=PHONE, storage_state=state)  # type: ignore[arg-type]
        context.set_default_timeout(30_000)
        return context, await self._tab(context)

    async def _tab(self, context: BrowserContext) -> Page:
        page = await context.new_page()

        def heard(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                self.played.problems.append(message.text)

        page.on("console", heard)
        page.on("pageerror", lambda error: self.played.problems.append(str(error)))
        return page

    async def _step(self, context: BrowserContext, page: Page) -> tuple[BrowserContext, Page, bool]:
        """Do what the page asks for, in the bot's own way; returns the page that opens, and whether there is more to do."""
        match = _PAGE.search(urlsplit(page.url).path)
        kind = next(filter(None, (match[1], match[2], match[4])), "") if match else ""
        index = int(match[3]) if match and match[3] else 0
        if index:
            self._moment = min(self._moment, int(await page.locator("progress").get_attribute("max") or "2") // 2)
        if self._habit is Habit.RELOADS:
            await page.reload()
        if kind in ("end", "ends", "declined"):
            return await self._at_end(context, page)
        declines = kind == "consent" and self._habit is Habit.DECLINES
        if declines or (index == self._moment and self._once(Habit.WITHDRAWS)):
            await self._withdraw(page)
            return context, page, True
        if index == self._moment and kind == "after":
            if self._habit is Habit.STOPS:
                return context, page, False
            if self._once(Habit.RETURNS) or self._once(Habit.MOVES):
                context, page = await self._leave_and_return(context)
                return context, page, True
        steps: dict[str, Callable[[Page, int], Awaitable[None]]] = {
            "consent": self._consent, "how": self._how, "checks": self._checks, "own": self._own, "before": self._before,
            "after": self._after,
        }  # fmt: skip
        if kind not in steps:
            self.played.problems.append(f"unknown page: {urlsplit(page.url).path}")
            return context, page, False
        await steps[kind](page, index)
        return context, page, True

    def _once(self, habit: Habit) -> bool:
        """Whether this bot has this habit and has not acted on it yet."""
        does = self._habit is habit and habit not in self._done
        if does:
            self._done.add(habit)
        return does

    async def _consent(self, page: Page, _: int) -> None:
        await page.check("#adult")
        await page.check("#agree")
        await self._send(page)

    async def _how(self, page: Page, _: int) -> None:
        await follow(page, "main a.button")

    async def _checks(self, page: Page, _: int) -> None:
        tries = int(await page.locator("input[name=tries]").input_value())
        wrong = self._habit is Habit.FAILS or (self._habit is Habit.FAILS_ONCE and tries == 0)
        for number, check in enumerate(CHECK_QUESTIONS):
            options = [option for option in check.options if option != check.right]
            chosen = self._rng.choice(options) if wrong and number == 0 else check.right
            await page.check(f"#{check.id}-{chosen}")
        await self._send(page)

    async def _own(self, page: Page, index: int) -> None:
        await page.fill("#own", str(self._rng.randint(0, 100)))
        await self._send(page, index)

    async def _before(self, page: Page, index: int) -> None:
        question = await text(page, "#question")
        answer = SurveyAnswer(index, question, await self._choose(page))
        await self._send(page, index)
        self.played.said.append(answer)
        if self._habit is Habit.BACK:
            await self._go_back(page)

    async def _after(self, page: Page, index: int) -> None:
        answer = self.played.said[-1]
        answer.other, answer.shown = await text(page, "#other"), await text(page, "#shown")
        answer.right = "right" in await text(page, ".card:not(.more) > .graded")
        answer.earlier = int(await page.locator("#belief").get_attribute("data-earlier") or "-1")
        if (answer.place, answer.earlier, answer.question) != (index, answer.before, await text(page, "#question")):
            self.played.problems.append(f"at place {index} the page shows something else than what the bot saw and said before")
        stays = self._rng.random() < 0.5
        after = await self._choose(page, answer.before if stays else None)
        if await page.locator("#why").count() and self._rng.random() < 0.5:
            answer.why = f"because {self._rng.getrandbits(40):x}\nsecond line"
            await page.fill("#why", answer.why)
        await self._send(page, index)
        answer.after = after

    async def _choose(self, page: Page, belief: int | None = None) -> int:
        """Choose a number: by keys, by a tap on the slider, or by writing it."""
        slider, box = page.get_by_role("slider"), page.locator("#belief")
        if self._habit is Habit.KEYS:
            await slider.focus()
            for key in ("Home", *("PageUp",) * self._rng.randint(0, 9), *("ArrowRight",) * self._rng.randint(0, 9)):
                await page.keyboard.press(key)
        elif belief is None and self._rng.random() < 0.5:
            size = await slider.bounding_box()
            assert size is not None
            await slider.click(position={"x": self._rng.uniform(0, size["width"]), "y": size["height"] / 2})
        else:
            await box.fill(str(self._rng.randint(0, 100) if belief is None else belief))
        return int(await box.input_value())

    async def _send(self, page: Page, index: int = 0) -> None:
        """Send the page's form; careless bots send it more than once."""
        other = None
        if self._habit is Habit.TABS:
            other = await self._tab(page.context)
            await other.goto(page.url)
        if self._habit is Habit.TWICE:
            await page.evaluate(_TWICE)
        await follow(page, "main form button", by_key=self._habit is Habit.KEYS)
        if other is not None:
            if index and await other.locator("#belief").count():
                await other.fill("#belief", str(self._rng.randint(0, 100)))
                await follow(other, "main form button")
            await other.close()

    async def _go_back(self, page: Page) -> None:
        """Go back to an earlier answer and change it, if the browser allows it."""
        await page.go_back()
        match = _PAGE.search(urlsplit(page.url).path)
        if match and match[4] == "before" and await page.locator("#belief").count():
            await page.fill("#belief", str(self._rng.randint(0, 100)))
            await follow(page, "main form button")

    async def _withdraw(self, page: Page) -> None:
        await page.goto(f"{self._base}/withdraw")
        await follow(page, "main form button")
        self.played.said.clear()

    async def _leave_and_return(self, context: BrowserContext) -> tuple[BrowserContext, Page]:
        """Close the browser, and come back with its cookies or with another browser."""
        remembered = await context.storage_state() if self._habit is Habit.RETURNS else None
        await close(context)
        context, page = await self._open(remembered)
        await page.goto(self._base if remembered else self._entry)
        return context, page

    async def _at_end(self, context: BrowserContext, page: Page) -> tuple[BrowserContext, Page, bool]:
        if self._once(Habit.REGRETS):
            await self._withdraw(page)
            return context, page, True
        if "came again" not in self._done and not self._preview and "/declined" not in page.url:
            self._done.add("came again")  # the same person again finds the same end
            await page.goto(self._entry)
            return context, page, True
        self.played.end = await page.locator("[data-end]").get_attribute("data-end") or ""
        self.played.code = await text(page, ".code code")
        return context, page, False


if __name__ == "__main__":
    respondents = asyncio.run(rehearse(sys.argv[1], list(islice(cycle(Habit), int(sys.argv[2])))))
    sys.exit("\n".join(f"{bot.habit}: {problem}" for bot in respondents for problem in bot.problems) or None)
