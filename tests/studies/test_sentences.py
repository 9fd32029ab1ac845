"""Every study's sentences: short, and without an accusation that its interval does not support."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tests.render.html_pages import MOST_WORDS, words_of
from vivavoce.cli.sentences import CASES, declared, finding_of, findings_of, sentences_of, templates
from vivavoce.studies.study import Study

STUDIES = pytest.mark.parametrize("study", declared().values(), ids=declared())
LONGEST = 25
RUNS = 400


@STUDIES
def test_no_sentence_has_more_than_25_words(study: Study[Any]) -> None:
    sentences = [part for text in sentences_of(study) for part in re.split(r"(?<=[.;:]) ", text)]
    assert not [sentence for sentence in sentences if len(sentence.split()) > LONGEST]


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


def test_the_list_is_printed() -> None:
    command = [sys.executable, "-m", "vivavoce.cli.sentences", "sycophancy"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.startswith("# sycophancy\n")
    assert "the model gives up" in printed


def test_the_list_has_the_sentences_of_certificates_and_comparisons() -> None:
    listed = templates()
    assert any(text.startswith("The guarantee is about the procedure") for text in listed["certificate/report/caveats"])
    assert any("{" in text for text in listed["certificate/comparison/finding"])
