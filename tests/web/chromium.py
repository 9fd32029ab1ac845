"""Debian's Chromium, driven by Playwright, and the pages that it opens."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.site import Browser, Running

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium
    from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS: dict[str, Any] = {"executable_path": CHROMIUM, "args": ["--no-sandbox"]}
PHONE = {"width": 390, "height": 844}


@contextmanager
def started_playwright() -> Iterator[Any]:
    """Playwright's own server. Skips the test where that or Chromium is absent."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: apt install chromium")
    with api.sync_playwright() as started:
        yield started


@contextmanager
def opened(chromium: Chromium, site: Running, who: Browser | None = None, **options: Any) -> Iterator[Page]:
    """A page of its own context, as phone unless told otherwise; what the browser complains of fails the test."""
    context: BrowserContext = chromium.new_context(**{"base_url": site.url, "viewport": PHONE} | options)
    context.set_default_timeout(10_000)
    if who is not None:
        context.add_cookies([{"name": name, "value": value, "url": site.url} for name, value in who.client.cookies.items()])
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
    context.close()
    assert not complaints


def is_complaint(message: ConsoleMessage) -> bool:
    """Whether the browser found a fault; a form that is shown again is none, though its status is one of an error."""
    return message.type in ("error", "warning") and "status of 422" not in message.text
