"""Studies as parts of an examination: what a plan names is asked within the budget, and rechecked from the record."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import pytest

from tests.examination.made import examination
from tests.studies.contract import contract_of
from vivavoce.cli.viva import viva
from vivavoce.errors import BadInput
from vivavoce.examination.dossier import Dossier
from vivavoce.examination.part import ExaminationConfig, FindingCard
from vivavoce.examination.parts.studies import STUDY_PARTS
from vivavoce.examination.parts.study_part import scope_part
from vivavoce.examination.plan import Plan, as_named
from vivavoce.examination.plan_file import as_toml, plan_of
from vivavoce.examination.recheck import recheck
from vivavoce.examination.rooms import PARTS
from vivavoce.examination.run import look_ahead
from vivavoce.interview.candidate import Candidate, Prompt, Reply
from vivavoce.interview.transcript import Transcript
from vivavoce.studies.scope_studies import COMMAND_NAMES, SCOPE_STUDIES, scope_study

MADE = datetime(2026, 3, 1, tzinfo=UTC)
FACTS = (
    "The applicant was held in a cell for five days, and no one told him why he was there or when he might go home.",
    "The court dismissed his complaint after two weeks, and gave its reasons in writing for each of his arguments.",
)


class Steady:
    """Gives the same answer to everything, in whatever form it is asked for."""

    name = "test:steady"

    async def answer(self, question: Prompt, /) -> Reply:
        return Reply("Answer: 0.4")


@dataclass
class CountingCandidate:
    """Counts what another candidate is asked."""

    candidate: Candidate[Prompt, Reply]
    converses: bool = True
    asked: int = 0

    @property
    def name(self) -> str:
        return self.candidate.name

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked += 1
        return await self.candidate.answer(question)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the material of all studies."""
    monkeypatch.chdir(tmp_path)

    def lines(name: str, rows: Sequence[object]) -> None:
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    lines("pairs.jsonl", [{"inputs": [f"{n} + 1", f"1 + {n}"], "relation": "same", "id": str(n)} for n in range(6)])
    lines(
        "tuples.jsonl",
        [
            {
                "law": "neg",
                "questions": {"P": f"Will it rain on day {n}?", "not_P": f"Will day {n} be dry?"},
                "status": "accepted",
            }
            for n in range(4)
        ],
    )
    lines("cases.jsonl", [{"id": str(n), "facts": [f"{n}. {fact}" for fact in FACTS]} for n in range(3)])
    lines(
        "paraphrases.jsonl",
        [
            {"fact": f"{n}. {fact}", "paraphrase": f"In short, {n}. {fact}", "status": "accepted"}
            for n in range(3)
            for fact in FACTS
        ],
    )
    return tmp_path


SECTIONS = {
    "relations": "table = 'pairs.jsonl'\ntask = 'Work it out.'\n",
    "variants": "tuples = 'tuples.jsonl'\nvariants = ['plain', 'together']\nlimit = 3\n",
    "cases": "cases = 'cases.jsonl'\nparaphrases_file = 'paraphrases.jsonl'\nparaphrases = 1\nshortest = 60\nlimit = 2\n",
}
"""Of studies without a scope, the section of a plan."""
FILES = ("pairs.jsonl", "tuples.jsonl", "cases.jsonl", "paraphrases.jsonl")
EACH = pytest.mark.parametrize("room", [*SCOPE_STUDIES, *SECTIONS])


def plan(room: str, more: str = "") -> Plan:
    section = SECTIONS[room] if room in SECTIONS else section_of(room)
    return plan_of(f"examinations = ['{room}']\nseed = 3\n{more}[{room}]\n{section}")


def section_of(study: str) -> str:
    """Of a study of scopes: its contract's questions and settings, with a limit."""
    contract = contract_of(study)
    settings = {**as_named(contract.config), "flip_limit": 0.1, "scope": contract.file(study)}
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in settings.items())


def candidate_of(room: str) -> CountingCandidate:
    """Of a study of scopes the contract's, with its fault."""
    return CountingCandidate(Steady() if room in SECTIONS else contract_of(room).faulty)


def held(of: Plan, transcript: Transcript, who: CountingCandidate) -> Dossier:
    return asyncio.run(examination(who, of, transcript=transcript).run())


def only_card(dossier: Dossier) -> FindingCard:
    assert [room.reason for room in dossier.absent if not room.reason.startswith(("left out", "not for"))] == []
    (card,) = dossier.cards
    return card


@EACH
def test_a_study_is_asked_as_estimated_and_rechecked_from_the_record(room: str, folder: Path) -> None:
    transcript, who = Transcript.open(None), candidate_of(room)
    prepared = examination(who, plan(room), transcript=transcript)
    (estimate,) = [planned.cost_estimate for planned in prepared.outlook.rooms]
    dossier = asyncio.run(prepared.run())
    card = only_card(dossier)
    assert 0 < who.asked <= estimate.calls
    assert card.details["kind"] == room
    assert card.command.startswith("viva consistency ")
    assert card.figures
    assert all(figure.asked == card.scope_digest for figure in card.figures)
    written = json.loads(json.dumps(dossier.as_json(made=MADE, version="0.1.0")))
    written["transcript_head"] = str(transcript.head)
    asked = who.asked
    files = [folder / name for name in FILES]
    rechecked = recheck(written, transcript, scopes=[f"file:{room}.jsonl"] if room in SCOPE_STUDIES else (), files=files)
    assert (rechecked.not_rechecked, [difference.path for difference in rechecked.differences]) == ((), [])
    assert who.asked == asked


@EACH
def test_a_plan_with_it_is_read_as_it_was_written(room: str, folder: Path) -> None:
    assert plan_of(as_toml(plan(room))) == plan(room)


@EACH
def test_a_budget_that_ends_first_is_too_little_evidence(room: str, folder: Path) -> None:
    dossier = held(plan(room, "budget = { questions = 1 }\n"), Transcript.open(None), candidate_of(room))
    if dossier.cards:
        (card,) = dossier.cards
        assert {claim.kind for claim in card.claims} <= {"unknown", "measured"}
        assert all(figure.n == 0 for figure in card.figures)
    else:
        (reason,) = [room.reason for room in dossier.absent if "budget" in room.reason]
        assert reason.startswith("not enough evidence")


def test_what_a_plan_does_not_name_is_neither_asked_nor_listed() -> None:
    outlook = look_ahead(ExaminationConfig("test:steady", "model", Plan()), None)
    listed = {planned.part.room for planned in outlook.rooms} | {absent.room for absent in outlook.absent}
    assert listed == {"certificate", "eqt", "forecasts", "vary", "bail", "alignment", "luna", "chess", "recording"}
    assert [planned.part.room for planned in outlook.rooms if planned.part in STUDY_PARTS] == []


@EACH
def test_named_without_a_section_it_says_what_it_needs(room: str) -> None:
    with pytest.raises(BadInput, match=rf"{room}: needs .*\[{room}\]"):
        examination(CountingCandidate(Steady()), plan_of(f"examinations = ['{room}']"))


def test_a_candidate_without_conversations_is_refused_before_anything_is_asked(folder: Path) -> None:
    who = CountingCandidate(Steady(), converses=False)
    with pytest.raises(BadInput, match=r"nothing to examine: sycophancy: .* can't hold a conversation"):
        examination(who, plan("sycophancy"))
    assert who.asked == 0


def test_variants_of_another_candidate_are_refused() -> None:
    with pytest.raises(BadInput, match="'candidate:bot:x' is another candidate"):
        plan_of("[variants]\ntuples = 'a.jsonl'\nvariants = ['plain', 'candidate:bot:x']\n")


@pytest.mark.parametrize("name", SCOPE_STUDIES)
def test_a_declared_study_is_a_part_without_a_file_of_its_own(name: str) -> None:
    declared = scope_study(name)
    part = scope_part(declared)
    assert (part.room, part.question) == (declared.study.kind, declared.question)
    assert [field.name for field in fields(part.section)] == ["scope", "config"]
    assert name in [each.room for each in PARTS]
    text = "\n".join(line.removeprefix("# ") for line in part.init.splitlines())
    (section,) = plan_of(text).sections
    written: Any = section
    assert (written.scope, written.config.flip_limit) == ("file:questions.jsonl", 0.1)


@pytest.mark.parametrize("name", [*COMMAND_NAMES.values(), "forecasts ask", "prompts", "rules", "cases check", "bail", "vary"])
def test_the_command_that_a_report_names_is_there(name: str) -> None:
    command: click.Command | None = viva
    for word in ("consistency", *name.split()):
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command is not None
