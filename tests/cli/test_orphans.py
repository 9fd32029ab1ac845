"""A question that was never answered because the program ended: it is not asked again if the candidate may be the cause."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.examined import ENDED, examine, write_scope
from vivavoce.interview.commitment import COMMITTER
from vivavoce.interview.transcript import Transcript

MOST_RUNS = 30
HARD = 0.74
"""A passing grade for a candidate that knows 85%."""


def printed(folder: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((folder / "out").read_text())
    return result


@pytest.mark.long
def test_ending_the_program_instead_of_being_wrong_shows_nothing(tmp_path: Path) -> None:
    write_scope(tmp_path)
    codes = [examine(tmp_path, "quitter", "--questions", "22", grade=0.7)]
    while codes[-1] == ENDED and len(codes) < MOST_RUNS:  # as a shell loop would
        codes.append(examine(tmp_path, "quitter", "--questions", "22", grade=0.7))
    values = printed(tmp_path)
    assert codes[-1] == 4
    assert values["verdict"] == "undecided"
    assert values["figures"]["orphans"] == codes.count(ENDED) > 5
    assert any("None was asked again" in caveat for caveat in values["caveats"])
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        answers = [record for record in transcript.records() if record.kind == "answer" and record.candidate != COMMITTER]
        # what an examination would rest on that asked again: nothing but right answers, and more than the 9 that are enough
        assert len(answers) == values["figures"]["questions"] - values["figures"]["orphans"] > 9
        assert transcript.orphans == frozenset()
    assert values["figures"]["score"]["mean"] == len(answers) / values["figures"]["questions"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The finding if nothing is cut."""
    folder = tmp_path_factory.mktemp("whole")
    write_scope(folder)
    assert examine(folder, "unlucky", grade=HARD) == 0
    return printed(folder)


@pytest.mark.long
@pytest.mark.parametrize("power_cut_at", [10, 40])
def test_a_power_cut_costs_an_honest_candidate_few_questions(tmp_path: Path, whole: dict[str, Any], power_cut_at: int) -> None:
    write_scope(tmp_path)
    assert examine(tmp_path, "unlucky", grade=HARD, power_cut_at=power_cut_at) == -signal.SIGKILL
    assert examine(tmp_path, "unlucky", grade=HARD) == 0
    cut = printed(tmp_path)
    assert (whole["figures"]["orphans"], cut["figures"]["orphans"]) == (0, 1)
    # one wrong for one right: ln(.85/.74) + ln(.26/.15) = .69 less of evidence, of which a question yields K(.85, .74) = .035
    assert cut["figures"]["questions"] <= whole["figures"]["questions"] + 2 * 20
