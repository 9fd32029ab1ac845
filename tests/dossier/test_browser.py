"""The page as a browser has it."""

import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vivavoce.certificate.finding import Certificate
from vivavoce.dossier.page import write_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: apt-get install chromium"),
]

FRAME = """<!doctype html><iframe id=page src="{page}" style="width:{width}px;height:3000px;border:0"></iframe><script>
addEventListener("load", () => {{
  const inside = document.getElementById("page").contentDocument;
  const wide = [...inside.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > {width} + 0.5);
  document.title = JSON.stringify([inside.documentElement.scrollWidth, wide.map(e => e.tagName), inside.scripts.length,
    inside.querySelectorAll("svg text").length]);
}});
</script>"""


def chromium(folder: Path, *arguments: str) -> str:
    """Run Chromium without a window; returns what it prints."""
    assert CHROMIUM
    options = (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--hide-scrollbars",
    )
    more = (
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={folder / 'profile'}",
        "--allow-file-access-from-files",
    )
    done = subprocess.run((CHROMIUM, *options, *more, *arguments), capture_output=True, text=True, timeout=100, check=True)
    return done.stdout


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_window(tmp_path: Path, refused: Certificate, width: int) -> None:
    # the hostile certificate: words of 50,000 letters without a blank
    write_page(tmp_path / "page.html", [refused], made=datetime(2025, 11, 20, tzinfo=UTC), version="0.1.0")
    (tmp_path / "frame.html").write_text(FRAME.format(page="page.html", width=width))
    shown = chromium(tmp_path, "--dump-dom", f"file://{tmp_path}/frame.html")
    title = shown[shown.index("<title>") + 7 : shown.index("</title>")]
    assert title.startswith(f"[{width},[],0,"), title
    assert int(title.rstrip("]").rsplit(",", 1)[1]) > 10  # the plots are there, their words as text
