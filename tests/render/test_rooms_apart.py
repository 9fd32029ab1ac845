"""Pages load the plots of the room that they show, and no other room."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json, sys
from vivavoce.cli import main
assert main(["certify", "bot:timekeeper", "--scope", "intervals", "--quiet", "--html", sys.argv[1]]) == 0
print(json.dumps(sorted(name for name in sys.modules if name.startswith("vivavoce."))))
"""


@pytest.mark.long
def test_the_page_of_a_certificate_loads_no_other_room(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ended = subprocess.run([sys.executable, "-c", PROGRAM, page], capture_output=True, text=True, check=True)
    modules = json.loads(ended.stdout.splitlines()[-1])
    assert page.read_text(encoding="utf-8").count("<svg") == 2  # the evidence and the intervals
    assert "vivavoce.certificate.report.plots" in modules
    assert not [name for name in modules if name.split(".")[1] in {"consistency", "eqt", "generalization", "luna"}]
