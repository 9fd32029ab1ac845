"""A failing case of a table fails its test and is named, and the cases after it are tried."""

import subprocess
import sys
from pathlib import Path

CASES = """
from tests.each_case import each_case

@each_case("number, square", [(2, 4), (3, 8), (4, 16), (5, 24)])
def test_squares(number, square):
    print(f"tried {number}")
    assert number**2 == square

@each_case("number", [1, 2])
async def test_waits(number):
    assert number == 1
"""


def test_each_failing_case_is_reported_and_all_are_tried(tmp_path: Path) -> None:
    file = tmp_path / "test_cases.py"
    file.write_text(CASES)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto", str(file)]
    root = Path(__file__).parent.parent
    run = subprocess.run(command, capture_output=True, text=True, cwd=root, check=False, timeout=120)
    assert run.returncode == 1, run.stdout
    assert "{'number': 3, 'square': 8}" in run.stdout
    assert "{'number': 5, 'square': 24}" in run.stdout
    assert "{'number': 2}" in run.stdout
    assert "tried 4" in run.stdout
    assert "'number': 4" not in run.stdout
