"""Commands of the documentation that take minutes: benches, validity studies, and some of `viva`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.here import STUDIES
from tests.documents.reading import DOCUMENTS, ROOT, commands, mentioned, steps
from tests.documents.running import LACKING, run, unable

TYPED = [
    command
    for document in DOCUMENTS
    for command in [*mentioned(document), *(line for step in steps(document) for line in commands(step.command))]
    if command.startswith(STUDIES)
]
TIME_OUT = 3_600


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("command", sorted(set(TYPED)))
def test_long_commands_end_well_and_say_something(command: str, tmp_path: Path) -> None:
    if unable(command):
        pytest.skip(f"it {LACKING}".replace("need", "needs"))
    assert run(command, ROOT if command.startswith("python ") else tmp_path, time_out=TIME_OUT).stdout.strip()
