"""Debian's Chromium, driven by Playwright, and the pages that it opens."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.site import LiveSite, ScriptlessBrowser
from tests.web.survey_bots import CLOSING

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS: dict[str, Any] = {"executable_path": CHROMIUM, "args": ["--no-sandbox", "--disable-gpu"]}
PHONE = {"width": 390, "height": 844}
TARGET = 44
"""Pixels that a finger needs."""
SMALL = f"""() => [...document.querySelectorAll('a, button, input:not([type=hidden]), textarea, summary, select')]
  .filter((one) => one.getClientRects().length && !one.closest('p:not(.buttons, .tick), li > p, .skip, .quiet, dd'))
  .map((one) => [one, (one.closest('.tick, .who label') ?? one).getBoundingClientRect()])
  .filter(([one, box]) => !one.classList.contains('skip') && box.height < {TARGET} - 0.5)
  .map(([one, box]) => `${{one.tagName}} ${{one.id || one.innerText}} ${{box.width}} x ${{box.height}}`)"""
FOCUSED = """() => {
  const one = document.activeElement;
  return [one.type === 'range' ? 'slider' : (one.labels?.[0] ?? one).innerText, getComputedStyle(one).outlineStyle];
}"""
Place = tuple[str, ScriptlessBrowser | None, str]
"""Name of a page, who is there, and its path."""


@contextmanager
def started_playwright() -> Iterator[Any]:
    """Playwright's own server. Skips the test where that or Chromium is absent."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: apt install chromium")
    with api.sync_playwright() as started:
        yield started


@contextmanager
def opened(
    chromium: Chromium, site: LiveSite, who: ScriptlessBrowser | None = None, *, but: tuple[str, ...] = (), **options: Any
) -> Iterator[Page]:
    """A page of its own context, as phone unless told otherwise; what the browser complains of fails the test.

    Parameters
    ----------
    but: of what it may complain, by words of it.
    """
    context: BrowserContext = chromium.new_context(**{"base_url": site.url, "viewport": PHONE} | options)
    context.set_default_timeout(60_000)
    _be(context, site, who)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if is_complaint(message) else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def dismissed(dialog: Dialog) -> None:
        complaints.append(f"dialog {dialog.message}")
        dialog.dismiss()

    page.on("dialog", dismissed)
    page.on("request", lambda request: None if request.url.startswith(site.url) else complaints.append(request.url))
    yield page
    close(context)
    assert not [complaint for complaint in complaints if not any(words in complaint for words in but)]


def close(what: BrowserContext | Chromium) -> None:
    """Close it: Playwright gives Chromium all the time that there is, and once it never answered."""
    with suppress(TimeoutError):
        what._sync(asyncio.wait_for(what._impl_obj.close(None), CLOSING))


def is_complaint(message: ConsoleMessage) -> bool:
    """Whether the browser found a fault; a form that is shown again is none, though its status is one of an error."""
    return message.type in ("error", "warning") and "status of 422" not in message.text


def each_page(chromium: Chromium, site: LiveSite, places: Iterable[Place], **options: Any) -> Iterator[tuple[str, Page]]:
    """Every page as a phone, opened one after the other by whoever may see it; also pages that say that something is wrong.

    It is one page that changes hands: to begin a new one takes longer than what is looked at.
    """
    context = chromium.new_context(**{"base_url": site.url, "viewport": PHONE} | options)
    page = context.new_page()
    for name, who, path in places:
        context.clear_cookies()
        _be(context, site, who)
        page.goto(path)
        yield name, page
    close(context)


def check_fits(page: Page, name: str, *widths: int) -> None:
    """At these widths nothing reaches over the edge, and nothing is too small for a finger."""
    for width in widths:
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
        assert page.evaluate(SMALL) == [], (name, width)


def check_axe(page: Page, name: str, scheme: str = "light") -> None:
    """Axe finds no fault. Where it is dark, colours alone are looked at: nothing else differs."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed").Axe()
    result = axe.run(page, options={"runOnly": ["color-contrast"]} if scheme == "dark" else None).response["violations"]
    assert not result, (name, [(entry["id"], [node["html"] for node in entry["nodes"]][:3]) for entry in result])


def tab_to(page: Page, name: str) -> None:
    """Go by the tabulator to what has this label or these words, or to a range, which is called 'slider'."""
    for _ in range(40):
        page.keyboard.press("Tab")
        words, outline = page.evaluate(FOCUSED)
        assert outline != "none", words  # where the focus is can be seen
        if name in words:
            return
    raise AssertionError(f"no {name}")


def _be(context: BrowserContext, site: LiveSite, who: ScriptlessBrowser | None) -> None:
    cookies = who.client.cookies.items() if who is not None else ()
    context.add_cookies([{"name": name, "value": value, "url": site.url} for name, value in cookies])
