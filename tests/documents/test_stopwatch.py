"""A new user has a verdict on questions of their own by few commands: those of the README and of the first guide, word by word.

The program of the clone runs in the Python of the tests, which stands in for the installation by `pip install .`.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.documents.reading import ROOT, steps
from tests.documents.running import run

MOST_COMMANDS = 5
INSTALL = "pip install ."
GUIDE = "docs/howto/own-questions.md"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of this repository; a copy of its folder where there is no repository."""
    folder = tmp_path_factory.mktemp("clone") / "vivavoce"
    if (ROOT / ".git").exists():
        subprocess.run(["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), folder], check=True, timeout=60)
    else:
        for name in ("src", "docs"):
            shutil.copytree(ROOT / name, folder / name)
        shutil.copy(ROOT / "README.md", folder)
    return folder


@pytest.mark.long
def test_from_the_clone_to_the_page_it_takes_few_commands(clone: Path, tmp_path: Path) -> None:
    readme = (clone / "README.md").read_text(encoding="utf-8")
    assert f"`{INSTALL}` in this folder" in readme
    assert f"]({GUIDE})" in readme
    program = steps(clone / GUIDE)
    last = next(number for number, step in enumerate(program) if any("report.html" in line for line in step.prints))
    typed = ["git clone", INSTALL]
    for step in program[: last + 1]:
        run(f"export PYTHONPATH={clone / 'src'}\n{step.command}", tmp_path)
        if not step.command.startswith("cat > "):  # a file that the reader saves
            typed.append(step.command)
    assert len(typed) <= MOST_COMMANDS, typed
    page = (tmp_path / "support" / "report.html").read_text(encoding="utf-8")
    assert "file:support.csv" in page
    assert "100% correct" in page
