"""The notebook of the documentation, run as one, in a kernel of its own."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.documents.reading import ROOT

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytestmark = pytest.mark.slow
PAGE = ROOT / "docs" / "notebook.md"
CELL = re.compile(r"^```ipython\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], Path]:
    """The cells with their outputs, and the folder in which they ran."""
    folder = tmp_path_factory.mktemp("notebook")
    cells = [nbformat.v4.new_code_cell(code) for code in CELL.findall(PAGE.read_text(encoding="utf-8"))]
    notebook = nbformat.v4.new_notebook(cells=cells)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}})
    client.execute(env=environment)
    return notebook.cells, folder


def shown(cell: Any) -> dict[str, Any]:
    """What the last output of a cell is, by its kinds."""
    data: dict[str, Any] = cell.outputs[-1].data
    return data


def test_names_alone_show_a_certificate(ran: tuple[list[Any], Path]) -> None:
    assert "calculator passes arithmetic: 100% correct" in shown(ran[0][0])["text/html"]


def test_ten_lines_lead_from_a_data_frame_to_a_finding(ran: tuple[list[Any], Path]) -> None:
    first = ran[0][1]
    assert len([line for line in first.source.splitlines() if line.strip()]) <= 10
    html = shown(first)["text/html"]
    assert '<div class="vivavoce">' in html
    assert "shown: at least " in html
    assert "<svg" in html
    assert "<script" not in html


def test_a_plot_is_a_picture_and_rows_are_a_data_frame(ran: tuple[list[Any], Path]) -> None:
    plot, frame = ran[0][2:4]
    assert len(shown(plot)["image/png"]) > 10_000
    assert "Mean score" in shown(frame)["text/html"]


def test_a_finding_is_saved_as_page_values_words_and_table(ran: tuple[list[Any], Path]) -> None:
    folder = ran[1]
    assert "<!doctype html>" in (folder / "squares.html").read_text(encoding="utf-8")
    assert json.loads((folder / "squares.json").read_text(encoding="utf-8"))["verdict"] == "pass"
    assert "# " in (folder / "squares.md").read_text(encoding="utf-8")
    assert "Mean score" in (folder / "squares.csv").read_text(encoding="utf-8")


def test_a_candidate_below_the_passing_grade_is_refused_as_the_page_says(ran: tuple[list[Any], Path]) -> None:
    table = shown(ran[0][5])["text/plain"]
    assert "fail" in table
    assert re.search(r"fail\s+20\s", table)


def test_forecasts_that_contradict_each_other_are_told_from_those_that_do_not(ran: tuple[list[Any], Path]) -> None:
    assert "careful" in shown(ran[0][6])["text/html"]
