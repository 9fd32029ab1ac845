"""The default limit on unacceptable answers: one for all commands, none if no answer can be; a started one stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Viva

PLAIN = "question,answer\n" + "".join(f"What is {i} + 1?,{i + 1}\n" for i in range(80))
BOUNDED = "question,answer,unacceptable\n" + "".join(f"What is {i} + 1?,{i + 1},-7\n" for i in range(80))


@pytest.mark.parametrize(
    ("scope", "more", "limit"),
    [
        ("arithmetic", (), 0.01),
        ("plain.csv", (), None),
        ("bounded.csv", (), 0.01),
        (
            "plain.csv",
            (
                "--set",
                "zero-is-unacceptable",
            ),
            0.01,
        ),
        ("plain.csv", ("--unacceptable-limit", "0.2"), 0.2),
        ("arithmetic", ("--unacceptable-limit", "none"), None),
        ("plain.csv", ("--scope", "arithmetic"), 0.01),
    ],
)
def test_it_is_one_percent_unless_no_answer_can_be_unacceptable(
    viva: Viva, tmp_path: Path, scope: str, more: tuple[str, ...], limit: float | None
) -> None:
    (tmp_path / "plain.csv").write_text(PLAIN)
    (tmp_path / "bounded.csv").write_text(BOUNDED)
    where = f"file:{tmp_path / scope}" if scope.endswith(".csv") else scope
    ended = viva("certify", "bot:calculator", "--scope", where, *more, "--questions", "20", "--seed", "1", "--json")
    assert ended.values["figures"]["unacceptable_limit"] == limit


def test_an_examination_that_was_begun_keeps_its_own(viva: Viva, tmp_path: Path) -> None:
    asked = ("certify", "bot:calculator", "--scope", "arithmetic", "--transcript", str(tmp_path / "run.sqlite"), "--json")
    begun = viva(*asked, "--unacceptable-limit", "0.001", "--questions", "15").values
    assert (begun["verdict"], begun["figures"]["unacceptable_limit"]) == ("undecided", 0.001)
    went_on = viva(*asked, "--questions", "25").values
    assert (went_on["figures"]["unacceptable_limit"], went_on["attempt"]["number"], went_on["figures"]["questions"]) == (
        0.001,
        1,
        25,
    )
    refused = viva(*asked, "--unacceptable-limit", "0.01")
    assert refused.code == 2
    assert "unacceptable limit 0.001, now 0.01" in refused.err
    again = viva(*asked, "--new-attempt", "--questions", "15").values
    assert (again["figures"]["unacceptable_limit"], again["attempt"]["number"]) == (0.01, 2)


def test_an_examination_of_all_rooms_has_the_same_default(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "plain.csv").write_text(PLAIN)
    for scope, limit in ((f"file:{tmp_path / 'plain.csv'}", "none"), ("arithmetic", "0.01")):
        out = tmp_path / limit
        viva("report", "bot:calculator", "--scope", scope, "--only", "certificate", "--out", str(out), "--seed", "1", "-q")
        [card] = json.loads((out / "report.json").read_text())["cards"]
        assert f"--unacceptable-limit {limit} " in card["command"]
        assert 'unacceptable_limit = "usual"' in (out / "plan.toml").read_text()


def test_a_plan_tells_of_the_same_default(viva: Viva) -> None:
    assert viva("plan", "--score", "0.9", "--simulations", "10", "--json").values["figures"]["unacceptable_limit"] == 0.01
