"""The alignment on its page, in its plots and in the terminal."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from tests.generalization.aligned import answers, pair, world
from tests.render.html_pages import assert_fits
from vivavoce.formats.wording import THIN
from vivavoce.generalization.align_finding import Alignment
from vivavoce.generalization.alignment import SetUp, align
from vivavoce.generalization.answers import Grade, key_of
from vivavoce.generalization.deployment import Above, Top
from vivavoce.generalization.pairs import Pair
from vivavoce.render.page import page
from vivavoce.render.pages.generalization.align import (
    alignment_body,
    differences,
    dominance_in_words,
    ranked,
    rules_in_use,
    shown_reversals,
    table,
    unused,
)
from vivavoce.render.plots.generalization.align import fits, short, thirds, used
from vivavoce.render.terminals.generalization.align import print_alignment

MADE = datetime(2025, 11, 20, tzinfo=UTC)
HOSTILE = "<script>alert(1)</script>{{ 7*7 }}\x1b[2J\u202e[red]" + "x" * 120


@pytest.fixture(scope="module")
def finding() -> Alignment:
    """Three models on 300 pairs; the best one does worse at 99%, as in the paper."""
    pairs, grades = world(300, np.random.default_rng(3), skills={"good": 0.85, "lab/fair": 0.5, "poor": 0.3})
    return align(pairs, answers(**grades), SetUp())


@pytest.fixture(scope="module")
def survey() -> Alignment:
    """People whose beliefs spread out, about a model and a person, with hostile names and questions."""
    rng = np.random.default_rng(4)
    pairs: list[Pair] = []
    grades: dict[str, dict[str, Grade]] = {"model": {}, "person": {}}
    for n in range(200):
        q1, q2 = f"{HOSTILE} first {n}", f"</dd><img src=x onerror=alert(1)> second {n}"
        for after in (True, False):
            belief = float(np.clip(rng.beta(4, 2) if after else rng.beta(2, 4), 0, 1))
            pairs.append(pair(q1, q2, after, posterior=round(belief, 2), prior=0.5, person=f"p{n}"))
        for who, skill in (("model", 0.8), ("person", 0.4)):
            grades[who] |= {key_of(q1): bool(rng.random() < skill), key_of(q2): bool(rng.random() < skill)}
    table = answers(**grades)
    return align(pairs, replace(table, models=(HOSTILE, "person")), SetUp(thresholds=(0.5,), people=("person",)))


def test_the_page_says_the_verdict_and_its_numbers(finding: Alignment) -> None:
    html = page([finding], made=MADE, version="0.1.0")
    assert "<title>What people expect of 3 models, and what they do</title>" in html
    assert "good answers most right, but at a threshold of 99% people&#39;s beliefs fit 1 of 2 other models better." in html
    for model in finding.models:
        for one in model.accuracy:
            assert f"<td>{one.value:.3f}<span>[" in html
    assert "lab/<wbr>fair" in html
    assert html.count("<svg") == 2
    assert "All beliefs are in one third (“uncertain”)" in html
    assert len(html) < 1_000_000
    assert not re.search("https?:", re.sub(r'xmlns(:xlink)?="[^"]*"', "", html))


def test_tables_are_in_the_order_of_right_answers_and_of_thresholds(finding: Alignment) -> None:
    assert [one.model for one in ranked(finding)] == ["good", "lab/fair", "poor"]
    (_, cells), *_ = table(finding, "accuracy")
    assert cells[1:] == tuple((f"{one.value:.3f}", cells[place + 1][1]) for place, one in enumerate(finding.models[0].accuracy))
    rows = differences(finding)
    assert [str(name) for name, _ in rows] == ["lab/<wbr>fair", "poor"]
    last = finding.comparisons[3].difference
    assert (finding.comparisons[3].second, finding.comparisons[3].threshold) == ("lab/fair", 0.99)
    assert last.value is not None
    assert rows[0][1][3][0] == f"−{abs(last.value):.3f}"
    assert rows[0][1][3][2].startswith("p\N{NO-BREAK SPACE}")


def test_rules_by_which_nobody_uses_anything_are_named_not_drawn(finding: Alignment) -> None:
    assert rules_in_use(finding) == ["above:0.5", "top:0.25"]
    assert unused(finding).endswith("believed above 90%; believed above 95%; believed above 99%.")
    plot = used(finding, "u")
    assert plot is not None
    assert "the 25% believed most, from " in plot.alt
    assert "Believed above 50%" not in plot.svg  # everything is used: nothing differs from all questions


def test_reversals_are_told_with_their_questions(finding: Alignment) -> None:
    assert {(one.better, one.worse) for one in shown_reversals(finding)} >= {("good", "poor")}
    told = alignment_body(finding, "s1")["reversals"]
    assert "Once people choose it does worse: weighted accuracy at a threshold of 9" in told[0]["told"]
    assert told[0]["evidence"][0]["came"].startswith("good wrong, ")
    assert dominance_in_words(finding).startswith(
        "Of 3 pairs of models one is better in 3, none of them by answering everything"
    )


def test_plots_say_what_they_show(finding: Alignment, survey: Alignment) -> None:
    plot = fits(finding, "f")
    assert plot is not None
    assert "at a threshold of 50% beliefs fit good best" in plot.alt
    assert "at a threshold of 99% beliefs fit poor best" in plot.alt
    assert thirds(finding, "t") is None
    third = thirds(survey, "t")
    assert third is not None
    assert third.alt.startswith("Right answers by what people believed (expected wrong, uncertain, expected right): people ")
    assert "onerror" not in third.svg


def test_strangers_words_are_escaped(survey: Alignment) -> None:
    html = page([survey], made=MADE, version="0.1.0")
    assert "<script" not in html
    assert "<img" not in html
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert "{{ 7*7 }}" in html
    stream = io.StringIO()
    print_alignment(survey, Console(file=stream, width=80, force_terminal=True))
    assert "\x1b[2J" not in stream.getvalue()
    assert "\u202e" not in stream.getvalue()


def test_the_terminal_has_the_same_numbers_within_eighty_columns(finding: Alignment) -> None:
    stream = io.StringIO()
    print_alignment(finding, Console(file=stream, width=80))
    out = stream.getvalue()
    for model in finding.models:
        for one in (*model.accuracy, *model.loss):
            assert f"{one.value:.3f}" in out
    *body, statement = out.rstrip().splitlines()
    assert statement == finding.statement
    assert max(map(len, body)) <= 80
    assert "\nNot shown" in out


def test_a_single_model_with_few_pairs() -> None:
    few = align(
        [Pair("a", "b", "t", "t", True, posterior=0.9)], answers(only={"a": True, "b": True}), SetUp(rules=(Above(0.5),))
    )
    html = page([few], made=MADE, version="0.1.0")
    assert "What people expect of only, and what they do" in html
    assert "(too little for an interval)" in html
    assert "There are no two models to compare." in html
    assert few.models[0].right.interval.lower == pytest.approx(0.025)  # Clopper and Pearson, one of one


def test_a_model_without_any_pair_stays_in_the_table() -> None:
    pairs, grades = world(30, np.random.default_rng(5), skills={"good": 0.9})
    found = align(pairs, answers(good=grades["good"], silent={"other": True}), SetUp(rules=(Top(0.5),)))
    html = page([found], made=MADE, version="0.1.0")
    assert "silent" in html
    assert "unknown" in html
    assert f"silent {30}".replace(",", THIN) in html


def test_short_names() -> None:
    assert short("a/b/") == "a/b/"
    assert len(short("y" * 100)) == 20


@pytest.mark.browser
def test_nothing_is_wider_than_the_window(tmp_path: Path, survey: Alignment) -> None:
    assert_fits(tmp_path, survey)
