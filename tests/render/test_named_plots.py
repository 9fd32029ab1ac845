"""The data of each figure names the function that draws it, and a page loads the plots of no other room."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import vivavoce

PROGRAM = """
import json, sys
from vivavoce.cli import main
assert main(["certify", "bot:timekeeper", "--scope", "intervals", "--quiet", "--html", sys.argv[1]]) == 0
print(json.dumps(sorted(name for name in sys.modules if name.startswith("vivavoce."))))
"""


def named() -> Iterator[tuple[str, str]]:
    """Each class that names its plot, and what it names, by the source of the package."""
    for file in Path(vivavoce.__file__).parent.rglob("*.py"):
        for kind in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for field in kind.body if isinstance(kind, ast.ClassDef) else ():
                match field:
                    case ast.AnnAssign(target=ast.Name(id="plot"), value=ast.Constant(value=str(place))):
                        assert isinstance(kind, ast.ClassDef)
                        yield kind.name, place


def test_each_figure_names_a_function_that_draws_its_kind_of_data() -> None:
    plots = list(named())
    assert len({where for _, where in plots}) == len(plots) >= 6
    for kind, where in plots:
        module, _, function = where.partition(":")
        assert getattr(import_module(module), function).__annotations__["data"] == kind


@pytest.mark.long
def test_the_page_of_a_certificate_loads_no_other_room(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ended = subprocess.run([sys.executable, "-c", PROGRAM, page], capture_output=True, text=True, check=True)
    modules = json.loads(ended.stdout.splitlines()[-1])
    assert page.read_text(encoding="utf-8").count("<svg") == 3  # the score, the evidence and the rate
    assert {"vivavoce.render.line_plots", "vivavoce.render.row_plots"} <= set(modules)
    assert not [name for name in modules if name.split(".")[1] in {"consistency", "eqt", "generalization", "luna"}]
