"""Findings on many scopes on the page and in the terminal."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.render.html_pages import assert_in_order, outline, printed
from tests.render.many_scopes_findings import three
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.many_scopes_finding import short_names
from vivavoce.certificate.report.numbers import overall
from vivavoce.formats.wording import THIN


def test_verdicts_first_numbers_second_method_last() -> None:
    text = outline(three()).text
    text = text[text.index("1 of 3 passed") :]  # what comes before is style
    verdicts = ["1 of 3 passed", "passes 1 of 3 scopes; fails maths; undecided on health.", "law400", "maths400", "health400"]
    assert_in_order(text, [*verdicts, "What it got wrong", "Limits", "For statisticians", "seed 7"])
    assert "40% correct, 70% required; shown: below 45%" in text
    assert "0% unacceptable, 1% allowed" in text
    assert "add up to at most 5%" in text
    # 3 / .05 = 60 for a single verdict, 1 / .05 = 20 if all get the same
    assert "That is 60 for a single verdict and 20 if all" in text


def test_answers_that_came_too_late_are_told() -> None:
    # 3 scopes of 400 questions each, and 1210 answers
    assert "Of 1 210 answers 10 don't count" in outline(three()).text.replace(THIN, " ")
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
    scopes = three()
    many = replace(scopes, scopes=tuple(replace(scopes.scopes[i % 3], scope=f"file:{i}") for i in range(number)))
    assert outline(many).tags["svg"] == 1


def test_the_table_fits_a_narrow_terminal_and_the_sentence_is_last() -> None:
    text = printed(three())
    lines = text.splitlines()
    assert re.search(r"maths +✕ fail +0\.40 \(< 0\.45\) +0% \[0, 0\.9\] +400 of 1.234", text)
    assert (
        "passes 1 of 3 scopes and fails 1: 40% to 90% correct, 70% required; 0% unacceptable, at most 1% allowed" in lines[-1]
    )


def test_without_a_limit_unacceptable_answers_have_no_column() -> None:
    free = replace(three(), criterion=Criterion(0.7, None, 0.05))
    assert "unacceptable  " not in printed(free, width=100)
    assert "Unacceptable answers were not examined" in printed(free, width=100)


def test_names_that_begin_alike_are_told_by_their_ends() -> None:
    assert short_names(three().scopes) == ["law", "maths", "health"]
    scopes = three()
    others = ("arithmetic?digits=2", "file:a/b/c.jsonl", "intervals")
    mixed = replace(scopes, scopes=tuple(replace(r, scope=n) for r, n in zip(scopes.scopes, others, strict=True)))
    assert short_names(mixed.scopes) == ["arithmetic?digits=2", "file:c.jsonl", "intervals"]


def test_one_scope_that_fails_decides_the_whole() -> None:
    scopes = three()
    assert overall([scope.verdict for scope in scopes.scopes]) is Verdict.FAIL
    assert overall([scope.verdict for scope in replace(scopes, scopes=scopes.scopes[::2]).scopes]) is Verdict.UNDECIDED
    assert overall([scope.verdict for scope in replace(scopes, scopes=scopes.scopes[:1]).scopes]) is Verdict.PASS
