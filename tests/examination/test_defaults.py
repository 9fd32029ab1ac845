"""The plan of a report without a plan file: complete, readable again, and within its number of calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.examination.defaults import EXTENTS, Size, default_plan
from vivavoce.examination.part import ExaminationConfig
from vivavoce.examination.parts.certificate import CertificatePlan
from vivavoce.examination.plan_file import as_toml, plan_of
from vivavoce.examination.run import look_ahead

SIZES = pytest.mark.parametrize("size", EXTENTS)


@SIZES
def test_the_plan_in_the_folder_is_the_plan(size: Size) -> None:
    assert plan_of(as_toml(default_plan(size))) == default_plan(size)


@SIZES
def test_every_test_of_a_language_model_is_in_it_and_fits_into_the_budget(size: Size) -> None:
    outlook = look_ahead(ExaminationConfig("chat:m@http://127.0.0.1:1/v1", "model", default_plan(size)), None)
    rooms = {planned.part.room for planned in outlook.rooms}
    assert rooms == {"certificate", "eqt", "forecasts", "vary", "bail", "sycophancy", "luna"}
    budget = EXTENTS[size].calls
    assert budget is None or sum(planned.cost_estimate.calls for planned in outlook.rooms) <= budget


def test_scopes_of_ones_own_are_varied_instead_of_the_built_in_ones() -> None:
    plan = default_plan("quick", ("arithmetic",))
    assert plan.sections_of(CertificatePlan) == ()
    assert {section.scope for section in plan.sections if hasattr(section, "scope")} == {"arithmetic"}


def test_questions_that_only_a_judge_can_compare_are_not_varied(tmp_path: Path) -> None:
    file = tmp_path / "support.jsonl"
    file.write_text('{"question": "Write a poem.", "rubric": "Does it rhyme?"}\n')
    rooms = [type(section).__name__ for section in default_plan("quick", (f"file:{file}",)).sections]
    assert "VaryPlan" not in rooms
    assert rooms == ["EqtPlan", "LunaPlan"]


def test_of_some_tests_there_are_no_other_sections() -> None:
    assert [type(section).__name__ for section in default_plan("quick", only=("bail",)).sections] == ["BailPlan"]
