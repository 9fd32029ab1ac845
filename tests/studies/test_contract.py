"""What studies of scopes share: contracts, helpers and sentences."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.render.html_pages import MOST_WORDS, words_of
from tests.studies.contract import contract_of, faulty_finding, sound_finding
from tests.studies.sentences import CASES, declared, finding_of, findings_of, sentences_of, templates
from tests.studies.sycophancy.planted import PlantedSycophant, scope
from vivavoce.formats.interval import Interval
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview, Monitor
from vivavoce.interview.results import ResultRows
from vivavoce.studies.conversations import ask_turns, generator_of
from vivavoce.studies.effects import LimitTest
from vivavoce.studies.presentation import limit_bar
from vivavoce.studies.scope_studies import COMMAND_NAMES, SCOPE_STUDIES, scope_study
from vivavoce.studies.scope_studies.sycophancy import SycophancyConfig
from vivavoce.studies.scope_subjects import conversed
from vivavoce.studies.study import Study, settings_in_signature

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


SUBJECTS = conversed(scope(5), SycophancyConfig())


def test_rows_of_results_stand_in_the_order_asked_with_what_is_right_and_the_score() -> None:
    interview = Interview(PlantedSycophant(), answers=Reply, monitor=Monitor(results=ResultRows()))
    prompts = [
        (subject, replace(subject.prompt, id=f"{subject.id}/{name}")) for subject in SUBJECTS for name in ("once", "again")
    ]
    turns = asyncio.run(ask_turns(interview, prompts, "study"))
    assert [turn.prompt.id for turn in turns] == [prompt.id for _, prompt in prompts]
    rows = [(row.id, row.expected, row.score) for row in interview.results.rows]
    assert rows == [(prompt.id, subject.expected, 1.0) for subject, prompt in prompts]


def test_a_reply_that_cannot_be_graded_has_no_score_in_its_row() -> None:
    class Rambler:
        name = "test:rambler"
        converses = True

        async def answer(self, question: Prompt, /) -> Reply:
            return Reply("Let us see what there is.", finish="length")

    interview = Interview(Rambler(), answers=Reply, monitor=Monitor(results=ResultRows()))
    asyncio.run(ask_turns(interview, [(subject, subject.prompt) for subject in SUBJECTS], "study"))
    assert [(row.outcome, row.score) for row in interview.results.rows] == [("cut off", None)] * len(SUBJECTS)


def test_each_name_draws_for_itself() -> None:
    def drawn(name: str, seed: int = 0) -> list[int]:
        return [int(generator_of(subject, name, seed).integers(10**9)) for subject in SUBJECTS]

    assert drawn("number") == drawn("number")
    assert not {*drawn("number")} & {*drawn("sentence"), *drawn("number", 1)}


def test_a_signature_has_the_limit_only_where_it_is_tested() -> None:
    plain, tested = (settings_in_signature(SycophancyConfig(flip_limit=limit)) for limit in (None, 0.1))
    assert {*tested} - {*plain} == {"flip_limit", "delta"}
    assert {*plain} == {"turn", "questions", "numpy"}
    assert plain["turn"] == ["sure", "wrong-answer", "bogus-explanation"]


def test_the_bar_of_a_limit_draws_the_bound_of_its_verdict() -> None:
    def tested(events: list[bool]) -> LimitTest:
        return LimitTest.of(events, [(n,) for n in range(len(events))], limit=0.05, delta=0.05)

    passed, failed, undecided = tested([False] * 64), tested([True] * 64), tested([False] * 8)
    assert (passed.verdict, failed.verdict, undecided.verdict) == ("pass", "fail", "undecided")
    [row] = limit_bar(passed).rows
    assert (row.interval, row.bound) == (Interval(0.0, 0.05), (0.05, "at most 5%"))
    assert limit_bar(passed).alt == "0%, shown: at most 5%; allowed 5%."
    [row] = limit_bar(failed).rows
    assert (row.interval.lower, row.interval.upper) == (failed.bound, 1.0)
    assert row.bound == (failed.bound, "above 94%")
    [row] = limit_bar(undecided).rows
    assert (row.interval, row.bound, undecided.shown) == (undecided.rate.interval, None, "")


STUDIES = pytest.mark.parametrize("study", declared().values(), ids=declared())
LONGEST = 25
RUNS = 400


@STUDIES
def test_no_sentence_has_more_than_25_words(study: Study[Any]) -> None:
    sentences = [part for text in sentences_of(study) for part in re.split(r"(?<=[.;:]) ", text)]
    assert not [sentence for sentence in sentences if len(sentence.split()) > LONGEST]


@pytest.mark.long
def test_no_sentence_of_the_other_findings_has_more_than_25_words() -> None:
    """An expression counts as one word. Questions that a judge is asked may be longer."""
    every = [re.sub(r"{[^{}]*}", "X", text) for texts in templates().values() for text in texts]
    assert len(every) > 700
    sentences = [part for text in every for part in re.split(r"(?<=[.;:?]) ", text) if not part.endswith("?")]
    assert not [sentence for sentence in sentences if len(sentence.split()) > LONGEST]


@STUDIES
def test_the_first_sentence_of_a_page_has_at_most_20_words(study: Study[Any]) -> None:
    firsts = [finding.reported("", "").banner[0] for finding in findings_of(study)]
    assert not [first for first in firsts if len(words_of(first)) > MOST_WORDS]


@pytest.mark.long
@STUDIES
def test_more_often_is_said_only_if_the_interval_shows_it(study: Study[Any]) -> None:
    """Under the null, with both rates 20%, at most 2.5% of headlines may say "more often", and three standard errors."""
    if study.sentence is not None:
        assert "more often" not in " ".join(sentences_of(study))
        return
    rng, accused = np.random.default_rng(0), 0
    for events, control in rng.binomial(CASES, 0.2, size=(RUNS, 2)):
        accused += " more often than " in finding_of(study, int(events), int(control)).headline.replace(
            "not significantly more", ""
        )
    assert accused <= RUNS * 0.025 + 3 * (RUNS * 0.025 * 0.975) ** 0.5
    assert " more often than " in finding_of(study, 30, 2).headline


@pytest.mark.long
def test_the_list_is_printed() -> None:
    command = [sys.executable, "-m", "tests.studies.sentences", "sycophancy"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.startswith("# sycophancy\n")
    assert "the model gives up" in printed


@pytest.mark.long
def test_the_list_has_the_sentences_of_certificates_and_comparisons() -> None:
    listed = templates()
    assert any(text.startswith("The guarantee is about the procedure") for text in listed["certificate/report/caveats"])
    assert any("{" in text for text in listed["certificate/comparison/finding"])
