"""Certificates on their page and in the terminal: alone, deployed, explained, graded, on many scopes."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from tests.render.conftest import HOSTILE, certificate, hostile_certificate, three_scopes
from tests.render.html_pages import MADE, Outline, assert_fits, assert_in_order, html_of, outline, printed
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Criterion, Stratum, Verdict
from vivavoce.certificate.claims.deployed import DeploymentCertificate
from vivavoce.certificate.claims.many_scopes_finding import short_names
from vivavoce.certificate.explanations.finding import Explanation, ExplanationFinding, KnownPart
from vivavoce.certificate.graders.grades import GradingReport, WaitingAnswer, agreement_of
from vivavoce.certificate.report.caveats import ReplyCounts
from vivavoce.certificate.report.numbers import overall, shown_of
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import THIN, percent_interval, score_interval
from vivavoce.interview.candidate import Usage
from vivavoce.interview.scope import Grade
from vivavoce.render.page import page
from vivavoce.scopes.unit_laws import BrokenLaws


def test_verdict_first_numbers_second_method_last(granted: Certificate) -> None:
    text = outline(granted).text
    order = [
        "passes arithmetic: 98% correct, 70% required",
        "shown: at least 97%",
        "What it got wrong",
        "Limits",
        "For statisticians",
        "Mean score",
        "The guarantee is on the procedure",
        "seed 7",
    ]
    assert_in_order(text, order)
    assert "0.98 (≥ 0.97), n = 6\N{NARROW NO-BREAK SPACE}282" in re.sub(r"\s+(?=n =)", " ", text)


def bar_of(html: str) -> tuple[str, str]:
    """What the first bar of a page says to a screen reader, and its parts."""
    match = re.search(r'<div class="bar [^"]*" role="img" aria-label="([^"]*)">(.*?)</div>', html)
    assert match
    return match[1], match[2]


def region_of(parts: str) -> tuple[float, float]:
    """From where to where a bar is filled, in percent of its width."""
    match = re.search(r'<span style="left:([\d.]+)%;width:([\d.]+)%">', parts)
    assert match
    return float(match[1]), float(match[1]) + float(match[2])


def test_the_bar_draws_the_bound_that_the_verdict_rests_on(granted: Certificate, refused: Certificate) -> None:
    shown = shown_of(granted, granted.criterion).score
    assert shown is not None
    spoken, parts = bar_of(html_of(granted))
    assert spoken == "98%, shown: at least 97%; required 70%."
    assert region_of(parts) == pytest.approx((100 * shown.value, 100), abs=0.1)
    assert re.search(r"<small class=below [^>]*>at least 97%</small>", parts)
    spoken, parts = bar_of(html_of(refused))
    assert "shown: below " in spoken
    assert region_of(parts)[0] == 0
    assert region_of(parts)[1] <= 100 * refused.criterion.passing_grade


def test_the_two_sided_interval_is_in_the_fold_for_statisticians(granted: Certificate) -> None:
    before, _, fold = outline(granted).text.partition("For statisticians")
    interval = score_interval(granted.score.interval)
    assert interval in fold
    assert interval not in before
    assert "two-sided" not in before


def test_without_a_verdict_the_bar_has_the_interval_and_no_bound(undecided: Certificate) -> None:
    spoken, parts = bar_of(html_of(undecided))
    assert f"interval {percent_interval(undecided.score.interval)}" in spoken
    assert "class=below" not in parts
    ends = undecided.score.interval
    assert region_of(parts) == pytest.approx((100 * ends.lower, 100 * ends.upper), abs=0.1)


def test_the_page_says_when_it_was_made_in_utc_and_by_which_version(granted: Certificate) -> None:
    elsewhere = MADE.astimezone(timezone(timedelta(hours=5)))
    assert "Vivavoce 0.1.0 on 2025-11-20T09:30:00Z" in Outline(page([granted], made=elsewhere, version="0.1.0")).text


def test_long_text_is_cut_and_says_so(refused: Certificate) -> None:
    html = html_of(refused)
    assert "more characters)" in html
    assert len(html) < 100_000  # three texts of 50,000 characters each are in the certificate


def test_nothing_runs(granted: Certificate) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html_of(granted))
    assert policy
    assert "default-src 'none'" in policy[1]
    assert "script-src" not in policy[1]  # so that default-src rules


def test_no_conclusion_says_what_is_missing(undecided: Certificate) -> None:
    text = outline(undecided).text
    assert "the budget of 400 questions is spent" in text
    assert "about 5\N{NARROW NO-BREAK SPACE}882 more questions" in text


def test_every_kind_of_certificate_has_a_page(fixed: Certificate, unlimited: Certificate) -> None:
    assert "not limited" in outline(unlimited).text
    assert outline(fixed).tags["svg"] == 2  # the score and the rate; no course of evidence
    assert "fixed in advance" in outline(fixed).text


@pytest.mark.long
def test_a_certificate_needs_no_extra_of_another_room() -> None:
    code = """
import sys
for extra in ("chess", "ribs", "inspect_ai", "distributed"):
    sys.modules[extra] = None  # importing it fails
import vivavoce.render.page, vivavoce.render.console, vivavoce.certificate.certificate
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_strata_have_a_table_of_their_own(granted: Certificate) -> None:
    stratified = outline(replace(granted, strata=(Stratum("<b>sums</b>", 0.75, 4712, 1, 0.98), Stratum("x", 0.25, 0, 0, None))))
    assert stratified.tags["table"] == outline(granted).tags["table"] + 1
    assert "<b>sums</b>" in stratified.text  # escaped: it is text, not a tag
    assert "the error is not divided among strata" in stratified.text
    assert "each once, whatever its weight" in outline(replace(granted, largest_weight=1.5)).text


def test_what_became_of_replies_has_rows_where_it_happened(granted: Certificate) -> None:
    plain = html_of(granted)
    late = html_of(replace(granted, replies=ReplyCounts(copied=4, after_turn=11)))
    for name, number in (("Copied from the prompt", 4), ("Read after a further turn", 11)):
        assert name not in plain
        assert f'<th scope="row">{name}</th><td>{number}</td>' in late
    assert "Cut off" not in late


def hostile_deployed() -> DeploymentCertificate:
    """Understood as a whole, not as people use it."""
    sides = (certificate(6282), hostile_certificate())
    whole, deployed = (replace(side, candidate=HOSTILE, scope="file:used.jsonl", scope_size=300) for side in sides)
    return DeploymentCertificate(whole, deployed, whole.criterion, 6282, (0.5, 0.3, 0.2), whole.signature)


def test_both_verdicts_stand_side_by_side() -> None:
    both = hostile_deployed()
    text = printed(both, width=120)
    assert "Pass as a whole; fail as used" in outline(both).text
    assert both.deployed.verdict is Verdict.FAIL
    assert text.index("pass") < text.index("fail")


def test_broken_laws_have_a_row_where_there_are_laws() -> None:
    both = hostile_deployed()
    assert "Broken laws" not in outline(both).text
    lawful = replace(
        both,
        whole=replace(both.whole, broken_laws=BrokenLaws(3, 40, 0)),
        deployed=replace(both.deployed, broken_laws=BrokenLaws(2, 14, 0)),
    )
    assert "Broken laws3 of 402 of 14of those that could be judged" in outline(lawful).text.replace("\n", "")
    line = next(line for line in printed(lawful, width=120).splitlines() if line.startswith("Broken laws"))
    assert "3 of 40" in line
    assert "2 of 14" in line


RIGHT = Explanation(
    source="request 1",
    kind="program",
    digest="ab" * 32,
    beginning="def covers(question): ...",
    characters=25,
    frozen_after=0,
    exact=False,
    checks=100_000,
    covered=50_000,
    wrong=0,
    unacceptable=0,
    mass=Estimate(0.5, Interval(0.497, 0.503), 100_000),
    failing=Estimate(0.0, Interval(0.0, 0.000074), 50_000),
    score=1.0,
    why_dropped="",
    failure="",
    answered=3_141,
)
STRANGE = replace(
    RIGHT,
    source=HOSTILE,
    beginning=HOSTILE[:1_500],
    characters=90_000,
    failure=HOSTILE,
    why_dropped="it fails too often",
    answered=0,
    score=None,
    covered=0,
)
EXPLAINED = ExplanationFinding(
    explanations=(RIGHT, STRANGE),
    standing=1,
    questions=3_141,
    asked=3_142,
    requests=1,
    delta=0.05,
    processes=1,
    most_processes=1,
    clean=3_141,
    clean_alone=6_282,
    first_fails=False,
    as_known=False,
    sandbox="seccomp, no network",
)


def hostile_explained() -> Certificate:
    """With the code of a stranger."""
    return replace(certificate(6282), explained=EXPLAINED, caveats=EXPLAINED.caveats)


@pytest.fixture
def with_explanations(granted: Certificate) -> Certificate:
    return replace(granted, explained=EXPLAINED, caveats=(*granted.caveats, *EXPLAINED.caveats))


def test_the_page_says_what_was_handed_over_and_what_it_saved(with_explanations: Certificate) -> None:
    text = " ".join(outline(with_explanations).text.split())
    for part in (
        "together with 1 procedure, passes arithmetic: 98% correct, 70% required",
        "shown: at least 97%",
        "3 141 of them answered by the candidate",
        "50% [49%, 51%]",
        "0 of 50 000 [0%, 7.4 in 100 000]",
        "set aside: it fails too often",
        "takes 3 141 questions to it",
        "without explanations 6 282: 3 140 saved, requests included",
        "def covers(question): ...",
        "behind: seccomp, no network.",
        "the verdict is for both together",
    ):
        assert part in text, part


def test_the_terminal_has_a_row_for_each(with_explanations: Certificate) -> None:
    lines = printed(with_explanations, width=160).splitlines()
    text = " ".join(" ".join(lines).split())
    parts = [line.split() for line in lines if line.startswith("  1 ")]  # the table stands in two parts
    assert [part[1:4] for part in parts] == [["program,", "request", "1"], ["3", "141", "accepted"]]
    assert "All of the error of 5% is the verdict's" in text
    assert lines[-1].startswith("● bot:calculator?errors=0.02, together with 1 procedure, passes arithmetic: 98% correct")


def test_where_the_error_was_shared_it_says_so(with_explanations: Certificate) -> None:
    shared = replace(
        with_explanations, explained=replace(EXPLAINED, delta=0.01, processes=2, most_processes=2, first_fails=True)
    )
    assert "From the error of 5%, the verdict gets 1%, as the explanations might have changed once; they did once." in " ".join(
        outline(shared).text.split()
    )
    assert "the candidate fails" in EXPLAINED.caveats[0] or "the candidate fails" in " ".join(shared.explained.caveats)  # type: ignore[union-attr]


def test_nothing_handed_over_is_said(granted: Certificate) -> None:
    none = replace(EXPLAINED, explanations=(), standing=0, sandbox="", clean=6_282)
    text = " ".join(printed(replace(granted, explained=none), width=160).split())
    assert "The candidate was asked once for procedures. 0 were handed over, 0 accepted." in text
    assert "1 more, requests included" in text
    assert "together" not in replace(granted, explained=none).headline
    assert granted.as_json().keys() == {key for key in replace(granted, explained=none).as_json() if key != "explained"}


def test_what_is_known_exactly_stands_on_page_and_terminal(granted: Certificate) -> None:
    known = KnownPart(1_200, 0.6, 0.95, 0.001, 0.325, 0.0235, decides=False)
    result = replace(granted, explained=replace(EXPLAINED, known=known))
    for text in (html_of(result), printed(result, width=160)):
        words = " ".join(text.split())
        assert "Known exactly: 1 200 questions of the scope (60%), mean score 0.95" in words.replace("\u202f", " ")
        assert "but no draws" not in words
    elsewhere = " ".join(printed(replace(granted, explained=EXPLAINED), width=160).split())
    assert "This saved calls of the candidate, but no draws" in elsewhere


PAIRS = [
    (Grade(0.8, False), Grade(1.0, False)),
    (Grade(0.3, True), Grade(0.0, True)),
    (Grade(0.5, False), Grade(0.5, True)),
] * 4
BOTH = GradingReport(
    judge="chat:judge",
    draws=3,
    judgements=600,
    unreadable=7,
    by_people=True,
    graded_by_people=12,
    judged_only=188,
    waiting=(WaitingAnswer("q1", "Why?", "Because."),),
    agreement=agreement_of(PAIRS),
    judge_spending=Usage(70_000, 6_000, 0.2),
)


def hostile_graded() -> Certificate:
    """By a judge with a stranger's words in its name."""
    return replace(certificate(6282), grading=replace(BOTH, judge=HOSTILE))


@pytest.fixture
def graded(granted: Certificate) -> Certificate:
    return replace(granted, grading=BOTH, caveats=BOTH.caveats)


def test_the_judge_its_draws_and_its_agreement_are_shown_in_both(graded: Certificate) -> None:
    for text in (html_of(graded), printed(graded, width=120)):
        for shown in ("chat:judge", "600 in all, 3 an answer", "(7 unreadable)", "12 (1 wait)", "188"):
            assert shown in text.replace("</span> <span>", " "), shown
        assert "Mean difference, the judge minus people" in text
        assert "n = 12" in text
        assert "Agreement beyond chance (Krippendorff" in text
        assert "Unacceptable by people: the judge agrees" in text


def test_the_method_says_why_a_biased_judge_does_no_harm(graded: Certificate) -> None:
    assert "is 0 on average, whatever its bias" in html_of(graded)
    alone = replace(graded, grading=GradingReport(judge="chat:judge", draws=1, judgements=5))
    assert "asked once about every answer" in html_of(alone)
    assert "whatever its bias" not in html_of(alone)


def test_without_graders_nothing_is_said_of_them(granted: Certificate) -> None:
    assert "Who graded" not in html_of(granted)
    assert "judge" not in printed(granted)


@pytest.mark.slow
def test_a_long_name_of_a_judge_fits_a_telephone(granted: Certificate, tmp_path: Path) -> None:
    judge = "chat:qwen2.5-coder-0.5b-instruct@http://127.0.0.1:8099/v1?max_tokens=200"
    assert_fits(tmp_path, replace(granted, grading=replace(BOTH, judge=judge)))


def test_verdicts_first_numbers_second_method_last() -> None:
    text = outline(three_scopes()).text
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
    assert "Of 1 210 answers, 10 don't count" in outline(three_scopes()).text.replace(THIN, " ")
    assert "count for nothing" not in outline(replace(three_scopes(), asked=1200)).text


def test_the_family_wise_rule_says_what_it_promises() -> None:
    text = outline(three_scopes("fwer")).text
    assert "one or more wrong verdicts, of either kind, at most 5% of the time" in text
    assert "e-BH" not in text


def test_the_plot_is_told_in_words() -> None:
    labels = [value for name, value in outline(three_scopes()).attributes if name == "aria-label"]
    assert "The evidence on each of 3 scopes at its end: pass 1; fail 1; undecided 1." in labels


@pytest.mark.parametrize("number", [1, 60])
def test_any_number_of_scopes_has_its_plot(number: int) -> None:
    scopes = three_scopes()
    many = replace(scopes, scopes=tuple(replace(scopes.scopes[i % 3], scope=f"file:{i}") for i in range(number)))
    assert outline(many).tags["svg"] == 1


def test_the_table_fits_a_narrow_terminal_and_the_sentence_is_last() -> None:
    text = printed(three_scopes())
    lines = text.splitlines()
    assert re.search(r"maths +✕ fail +0\.40 \(< 0\.45\) +0% \[0, 0\.9\] +400 of 1.234", text)
    assert (
        "passes 1 of 3 scopes and fails 1: 40% to 90% correct, 70% required; 0% unacceptable, at most 1% allowed" in lines[-1]
    )


def test_without_a_limit_unacceptable_answers_have_no_column() -> None:
    free = replace(three_scopes(), criterion=Criterion(0.7, None, 0.05))
    assert "unacceptable  " not in printed(free, width=100)
    assert "Unacceptable answers were not examined" in printed(free, width=100)


def test_names_that_begin_alike_are_told_by_their_ends() -> None:
    assert short_names(three_scopes().scopes) == ["law", "maths", "health"]
    scopes = three_scopes()
    others = ("arithmetic?digits=2", "file:a/b/c.jsonl", "intervals")
    mixed = replace(scopes, scopes=tuple(replace(r, scope=n) for r, n in zip(scopes.scopes, others, strict=True)))
    assert short_names(mixed.scopes) == ["arithmetic?digits=2", "file:c.jsonl", "intervals"]


def test_one_scope_that_fails_decides_the_whole() -> None:
    scopes = three_scopes()
    assert overall([scope.verdict for scope in scopes.scopes]) is Verdict.FAIL
    assert overall([scope.verdict for scope in replace(scopes, scopes=scopes.scopes[::2]).scopes]) is Verdict.UNDECIDED
    assert overall([scope.verdict for scope in replace(scopes, scopes=scopes.scopes[:1]).scopes]) is Verdict.PASS
