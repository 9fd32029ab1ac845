"""What bots do with the pages of a real browser."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page

CLOSING: Final = 30.0
"""Seconds to close a window, or all of them."""


async def text(page: Page, selector: str) -> str:
    """What stands there, line by line."""
    lines = page.locator(f"{selector} .line")
    if await lines.count():
        return "\n".join(await lines.all_text_contents())
    return (await page.locator(selector).inner_text()).strip()


async def follow(page: Page, selector: str, *, by_key: bool = False) -> None:
    """Press what leads to another page."""
    async with page.expect_navigation():
        if by_key:
            await page.locator(selector).focus()
            await page.keyboard.press("Enter")
        else:
            await page.locator(selector).click()


async def close(what: BrowserContext | Browser) -> None:
    """Playwright itself would wait forever for a browser that does not answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(CLOSING):
            await what.close()
