"""Each study of scopes is named after its file, and has a contract that holds and a page with an example."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.studies.contract import contract_of, faulty_finding, sound_finding
from vivavoce.studies.scope_studies import COMMAND_NAMES, SCOPE_STUDIES, scope_study

ROOT = Path(__file__).parents[2]
EACH = pytest.mark.parametrize("name", SCOPE_STUDIES)


@EACH
def test_a_study_is_named_after_its_file(name: str) -> None:
    assert scope_study(name).study.kind == name


@EACH
def test_the_faulty_candidate_is_accused_and_the_sound_one_is_not(name: str) -> None:
    assert len(contract_of(name).rows) >= 40
    assert contract_of(name).faulty.name == "test:planted"
    faulty, sound = faulty_finding(name, 0.1), sound_finding(name)
    assert faulty.verdict_word == "fail"
    assert "more often than" in faulty_finding(name).headline
    assert "not significantly more often than" in sound.headline


@EACH
def test_a_page_in_the_menu_shows_the_command(name: str) -> None:
    command = f"$ viva consistency {COMMAND_NAMES[name]} "
    pages = [file.name for file in (ROOT / "docs").glob("*.md") if command in file.read_text("utf-8")]
    menu = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert any(f"- {page}\n" in menu for page in pages), f"write docs/{name}.md with an example, and name it in mkdocs.yml"


def test_a_study_without_a_contract_is_told_what_to_write() -> None:
    with pytest.raises(AssertionError, match=r"scope_studies/test_no_such\.py declares no contract: write CONTRACT = StudyC"):
        contract_of("no-such")
