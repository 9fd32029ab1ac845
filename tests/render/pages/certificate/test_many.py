"""Findings on many scopes on the page and in the terminal."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.console import Console

from tests.render.conftest import HOSTILE
from tests.render.html_pages import Outline, outline
from tests.render.many_scopes_findings import hostile, three
from vivavoce.certificate.claim import Criterion, Verdict
from vivavoce.certificate.report.numbers import overall
from vivavoce.certificate.several.many_scopes_finding import ManyScopes, short_names
from vivavoce.formats.wording import THIN
from vivavoce.render.console import print_report
from vivavoce.render.page import page

MADE = datetime(2025, 11, 20, 9, 30, tzinfo=UTC)


def printed(finding: ManyScopes, width: int = 100) -> str:
    file = io.StringIO()
    print_report(finding.report(), Console(file=file, width=width))
    return file.getvalue()


def test_verdicts_first_numbers_second_method_last() -> None:
    text = outline(three()).text
    text = text[text.index("1 of 3 passed") :]  # what comes before is style
    order = ["1 of 3 passed", "passes 1 of 3 scopes and fails 1: 40% to 90% correct", "law", "maths", "health",
             "What it got wrong", "Limits", "For statisticians", "seed 7"]  # fmt: skip
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert "a mean score of at least 0.70, and ridiculous answers to at most 1%" in text
    assert "add up to at most 5%" in text
    # 3 / .05 = 60 for a verdict that stands alone, 1 / .05 = 20 where all get the same
    assert "That is 60 for a verdict that stands alone and 20 where all" in text


def test_answers_that_came_too_late_are_told() -> None:
    # 3 scopes of 400 questions each, and 1210 answers
    assert "Of 1 210 answers 10 count for nothing" in outline(three()).text.replace(THIN, " ")
    assert "count for nothing" not in outline(replace(three(), asked=1200)).text


def test_the_family_wise_rule_says_what_it_promises() -> None:
    text = outline(three("fwer")).text
    assert "one or more wrong verdicts, of either kind, at most 5% of the time" in text
    assert "e-BH" not in text


def test_the_plot_is_told_in_words() -> None:
    labels = [value for name, value in outline(three()).attributes if name == "aria-label"]
    assert "The evidence on each of 3 scopes at its end: pass 1; fail 1; undecided 1." in labels


@pytest.mark.parametrize("number", [1, 60])
def test_any_number_of_scopes_has_its_plot(number: int) -> None:
    found = three()
    many = replace(found, scopes=tuple(replace(found.scopes[i % 3], scope=f"file:{i}") for i in range(number)))
    assert outline(many).tags["svg"] == 1


def test_hostile_text_stays_text() -> None:
    html = page([hostile(HOSTILE)], made=MADE, version="0.1.0")
    seen = Outline(html)
    assert seen.tags["script"] == seen.tags["img"] == 0
    assert not any(name.startswith("on") for name, _ in seen.attributes)
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert "\x1b" not in printed(hostile(HOSTILE))
    assert len(html) < 200_000
    html.encode()


def test_same_finding_same_bytes() -> None:
    assert page([three()], made=MADE, version="1") == page([three()], made=MADE, version="1")


def test_the_table_fits_a_narrow_terminal_and_the_sentence_is_last() -> None:
    text = printed(three(), width=80)
    lines = text.splitlines()
    assert all(len(line) <= 80 for line in lines[:-1])
    assert re.search(r"maths +✕ fail +0\.40 \(< 0\.45\) +0% \[0, 0\.9\] +400 of 1.234", text)
    assert "passes 1 of 3 scopes and fails 1: 40% to 90% correct, 70% required; 0% ridiculous, at most 1% allowed" in lines[-1]


def test_without_a_limit_ridiculous_answers_have_no_column() -> None:
    free = replace(three(), criterion=Criterion(0.7, None, 0.05))
    assert "ridiculous  " not in printed(free)
    assert "Ridiculous answers were not examined" in printed(free)


def test_names_that_begin_alike_are_told_by_their_ends() -> None:
    assert short_names(three().scopes) == ["law", "maths", "health"]
    found = three()
    others = ("arithmetic?digits=2", "file:a/b/c.jsonl", "intervals")
    mixed = replace(found, scopes=tuple(replace(r, scope=n) for r, n in zip(found.scopes, others, strict=True)))
    assert short_names(mixed.scopes) == ["arithmetic?digits=2", "file:c.jsonl", "intervals"]


def test_one_scope_that_fails_decides_the_whole() -> None:
    found = three()
    assert overall([scope.verdict for scope in found.scopes]) is Verdict.FAIL
    assert overall([scope.verdict for scope in replace(found, scopes=found.scopes[::2]).scopes]) is Verdict.UNDECIDED
    assert overall([scope.verdict for scope in replace(found, scopes=found.scopes[:1]).scopes]) is Verdict.PASS
