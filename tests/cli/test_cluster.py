"""`--cluster`: what is printed is what one machine prints, but for a part `run`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.candidates.cluster.conftest import address as address
from tests.candidates.cluster.conftest import local as local
from tests.cli.conftest import Refuses, Viva

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
NAME = "bot:calculator?wrong=0.2&unreadable=0.05"
CERTIFY = ("certify", NAME, "--scope", "arithmetic", "--questions", "40", "--seed", "1", "--json", "--quiet")
COMPARE = ("compare", NAME, "bot:calculator", "--scope", "arithmetic", "--questions", "20", "--seed", "1", "--json", "--quiet")


@pytest.mark.parametrize("command", [CERTIFY, COMPARE], ids=["certify", "compare"])
def test_the_same_but_for_the_run(viva: Viva, address: str, command: tuple[str, ...], tmp_path: Path) -> None:
    here = viva(*command)
    there = viva(*command, "--cluster", address, "--transcript", "run.sqlite")
    assert there.err == ""
    document = there.values
    run = document.pop("run")
    assert (there.code, json.dumps(document)) == (here.code, json.dumps(here.values))
    assert list(run) == ["seconds", "workers", "questions", "spending", "answers", "transcript_head"]
    assert run["workers"] == {"seen": 2, "lost": 0, "refused": {}}
    assert run["questions"]["answered"] == run["answers"]["new"] > 10 > run["answers"]["asked_again"] == 0

    (tmp_path / "found.json").write_text(there.out)
    assert viva("recheck", "found.json", "--transcript", "run.sqlite").code == 0
    # without a cluster it resumes, and has nothing left to ask
    again = viva(*command, "--transcript", "run.sqlite").values
    assert again.pop("transcript_head") == run["transcript_head"]
    assert again == document


def test_a_head_in_the_run_is_rechecked(viva: Viva, address: str, tmp_path: Path) -> None:
    values: dict[str, Any] = viva(*CERTIFY, "--cluster", address, "--transcript", "run.sqlite").values
    values["run"]["transcript_head"] = f"3:{'0' * 64}"
    (tmp_path / "found.json").write_text(json.dumps(values))
    rechecked = viva("recheck", "found.json", "--transcript", "run.sqlite")
    assert (rechecked.code, "transcript_head" in rechecked.out) == (3, True)


def test_how_it_went_is_said(viva: Viva, address: str) -> None:
    text = viva(*(word for word in CERTIFY if word != "--quiet"), "--cluster", address, "--set", "rate=1000").err
    assert "Cluster: 2 workers; " in text


def test_a_rate_without_a_cluster_and_a_wrong_address_are_refused(refuses: Refuses) -> None:
    refuses(*CERTIFY, "--set", "rate=3", says="give '--cluster ADDRESS'")
    refuses(*CERTIFY, "--cluster", "nonsense://x", says="is not an address of a Dask scheduler")


@pytest.mark.parametrize("transcript", ["cluster", "here"])
def test_of_several_scopes_the_number_in_flight_is_told_and_rechecked(
    viva: Viva, address: str, transcript: str, tmp_path: Path
) -> None:
    scopes = ("--scope", "arithmetic?operations=+", "--scope", "intervals", "--seed", "1")
    how = ("--cluster", address) if transcript == "cluster" else ("--concurrency", "3")
    output = viva("certify", "bot:calculator?wrong=1", *scopes, "--json", "--quiet", *how, "--transcript", "run.sqlite")
    (tmp_path / "found.json").write_text(output.out)
    assert f'\\"in_flight\\": {4 if transcript == "cluster" else 3}' in output.out
    rechecked = viva("recheck", "found.json", "--transcript", "run.sqlite")
    assert rechecked.code == 0, rechecked.out


def test_where_nothing_could_be_dealt_it_is_said(viva: Viva, address: str, tmp_path: Path) -> None:
    """Nobody is asked, so the scheduler is not even looked for."""
    made = (
        "consistency",
        "forecasts",
        "make",
        "--template",
        "How many by {}?",
        "--values",
        "2030,2040,2050",
        "--law",
        "increasing",
    )
    output = viva(*made, "--out", "series.jsonl", "--quiet", "--cluster", "tcp://127.0.0.1:1")
    assert (output.code, output.err.count("'--cluster' had no effect: workers can't compute the answers")) == (0, 1)
    assert "no effect" not in viva(*CERTIFY, "--cluster", address).err
    (tmp_path / "answers.csv").write_text("id,x\n1,3\n2,4\n")
    recorded = viva("certify", "replay:answers.csv#x", *CERTIFY[2:], "--cluster", address)
    assert "viva: replay:answers.csv#x?sha256=" in recorded.err
    assert " is asked from here: workers have nothing to compute for it" in recorded.err
    assert "no effect" not in recorded.err


@pytest.mark.long
def test_a_dossier_tells_what_the_run_was(viva: Viva, address: str, tmp_path: Path) -> None:
    """Everything but `run` equals the result of one machine, and the page says it in a line at its foot."""
    command = ("report", NAME, "--scope", "arithmetic", "--only", "certificate", "--seed", "1", "--questions", "30", "--quiet")
    here = viva(*command, "--out", "here")
    there = viva(*command, "--out", "there", "--cluster", address)
    alone, document = (json.loads((tmp_path / folder / "report.json").read_text()) for folder in ("here", "there"))
    run = document.pop("run")
    assert (there.code, list(alone)[-1]) == (here.code, "transcript_head")
    assert [name for name in alone if name != "transcript_head"] == list(document)
    assert document == {name: alone[name] for name in document} | {"made": document["made"]}
    assert list(run) == ["seconds", "workers", "questions", "spending", "answers", "transcript_head"]
    assert run["questions"]["answered"] == run["answers"]["new"] > 10
    page = (tmp_path / "there" / "report.html").read_text(encoding="utf-8")
    assert f"new · Cluster: 2 workers; {run['answers']['new']} answers in " in page
    assert "Cluster" not in (tmp_path / "here" / "report.html").read_text(encoding="utf-8")

    rechecked = viva("recheck", "there", "--transcript", "there/transcript.sqlite")
    assert (rechecked.code, rechecked.err) == (0, ""), rechecked
    assert viva("diff", "here/report.json", "there/report.json").code == 0
    viva(*command, "--out", "there")  # it goes on without a cluster, and has nothing left to ask
    again = json.loads((tmp_path / "there" / "report.json").read_text())
    assert again.pop("transcript_head") == run["transcript_head"]
    assert again == document | {"made": again["made"]}
