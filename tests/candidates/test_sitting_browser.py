"""The page of a sitting in a real browser: on a telephone, by keyboard, without scripts, after a kill."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.chromium import OPTIONS, PHONE, SMALL, check_axe, close, started_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.long, pytest.mark.browser]

OPTIONS_SHOWN = ["Lyon", "Paris", "x" * 90]
ROWS = [
    {"id": "cap", "question": "Which <b>city</b>?", "options": OPTIONS_SHOWN, "answer": "B", "idk_score": 0.1},
    {"id": "sum", "question": "What is 2 + 2?", "answer": 4},
]
NEXT = "first => document.querySelector('h1').innerText !== first && document.querySelector('#answer')"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started_playwright() as playwright:
        chromium = playwright.chromium.launch(**OPTIONS)
        yield chromium
        close(chromium)


@contextmanager
def seated(viva: Path, folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The examination, and where the person goes."""
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    command = ["certify", "human:p07?serve=0", "--scope", f"file:{folder / 'q.jsonl'}", "--seed", "0", "--json", "--quiet"]
    with subprocess.Popen(
        [viva, *command, "--transcript", str(folder / "t.sqlite")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr
            found = re.search(r"http://\S+", process.stderr.readline())
            assert found
            yield process, found[0]
        finally:
            process.kill()
            process.communicate()


def page_of(browser: Browser, address: str, *, scripts: bool = True) -> Page:
    options: dict[str, Any] = {"viewport": PHONE, "java_script_enabled": scripts}
    context = browser.new_context(**options)
    context.set_default_timeout(30_000)
    page: Page = context.new_page()
    page.goto(address)
    focused(page)
    return page


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_by_keyboard_alone(browser: Browser, viva_begun: Path, tmp_path: Path, scripts: bool) -> None:
    with seated(viva_begun / "viva", tmp_path) as (process, address):
        page = page_of(browser, address, scripts=scripts)
        enter(page)
        for _ in ROWS:
            page.wait_for_selector("#answer")
            assert page.locator("h1 b").count() == 0, "what is in a question is no markup"
            answer(page, scripts=scripts)
            enter(page)
        page.wait_for_selector("text=last question")
        close(page.context)
        out, _ = process.communicate(timeout=30)
        assert process.returncode == 0
        assert json.loads(out)["questions"] == 2


def enter(page: Page) -> None:
    """Send the page's form, and wait for the next page with its focus: a key that is pressed before goes nowhere."""
    with page.expect_navigation():
        page.keyboard.press("Enter")
    focused(page)


def focused(page: Page) -> None:
    if page.locator("[autofocus]").count():
        page.wait_for_selector("[autofocus]:focus")


def answer(page: Page, *, scripts: bool) -> None:
    """Type, or choose, without sending it."""
    if not page.locator("fieldset").count():
        page.keyboard.type("4")
    elif scripts:
        page.keyboard.press("b")
    else:
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowDown")


def test_it_fits_a_telephone_and_axe_finds_no_fault(browser: Browser, viva_begun: Path, tmp_path: Path) -> None:
    with seated(viva_begun / "viva", tmp_path) as (_, address):
        page = page_of(browser, address)
        looked_at(page)
        enter(page)
        for _ in ROWS:
            page.wait_for_selector("#answer")
            looked_at(page)
            answer(page, scripts=True)
            enter(page)
        page.wait_for_selector("text=last question")
        close(page.context)


def looked_at(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate(SMALL) == []
    check_axe(page, page.inner_text("h1"))


def test_loaded_anew_and_gone_on_with_after_a_kill(browser: Browser, viva_begun: Path, tmp_path: Path) -> None:
    with seated(viva_begun / "viva", tmp_path) as (process, address):
        page = page_of(browser, address)
        page.click("text=I agree, begin")
        page.wait_for_selector("#answer")
        first = page.inner_text("h1")
        page.reload()
        assert page.inner_text("h1") == first
        if page.locator("#typed").count():
            page.fill("#typed", "4")
            page.reload()
            assert page.input_value("#typed") == "4", "what was typed is kept"
        else:
            page.check("input[value=B]")
        page.click("button:has-text('Answer')")
        page.wait_for_function(NEXT, arg=first)
        second = page.inner_text("h1")
        process.kill()
    with seated(viva_begun / "viva", tmp_path) as (process, address):
        page.goto(address)
        page.click("text=I agree, begin")
        page.wait_for_selector("#answer")
        assert page.inner_text("h1") == second
        assert "Question 2 of about 2" in page.inner_text("main")
        page.click("text=Stop here")
        page.wait_for_selector("text=You stopped here")
        close(page.context)
        _, err = process.communicate(timeout=30)
        assert process.returncode == 5
        assert "run the same command again" in err
