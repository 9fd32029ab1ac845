"""Sweeps that are held: what is known of bots, what a budget and a failure leave, and that it does not matter who examines."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.examination.made import CalculatorsAway, sweeping_of, swept
from vivavoce.certificate.attempts.attempt import PAIRS
from vivavoce.certificate.attempts.log import attempts
from vivavoce.certificate.claims.claim import Verdict
from vivavoce.errors import BadInput, OtherTerms
from vivavoce.examination.sweep.run import LocalCellRunner, Sweep
from vivavoce.formats.wording import share
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.transcript import Transcript
from vivavoce.report.figures import IntervalRows

CANDIDATES = 'candidates = ["bot:calculator", { candidate = "bot:calculator?wrong=0.4", name = "Sloppy" }, "bot:timekeeper"]\n'
SCOPES = 'scopes = ["arithmetic?digits=2", "intervals"]\nseed = 0\n'
LIMITS = "[certificate]\nunacceptable_limit = 'none'\nquestions = 200\n"
COMPARED = "[compare]\nquestions = 60\n"
PLAN = CANDIDATES + SCOPES + LIMITS + COMPARED


@cache
def plain_sweep() -> Sweep:
    """What a sweep of `PLAN` finds, whatever else is on record."""
    return swept(PLAN)


def told(finding: Sweep) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(json.dumps(finding.as_json(), allow_nan=False))
    return result


def tier_of_each(finding: Sweep) -> dict[str, list[str]]:
    """By candidate what its report says on both scopes."""
    (tiers,) = [table for table in finding.report().tables if table.name.startswith("Tier of each")]
    return {row.head.text: [cell.text for cell in row.cells[:2]] for row in tiers.rows}


class TimedCandidate:
    """Right on so many of ten numbers, each after a time of its own; counts what it is sent."""

    def __init__(self, name: str, right: int) -> None:
        self.name = name
        self.sent: Counter[str] = Counter()
        self._right, self._rng = right, random.Random(name)

    async def answer(self, question: Prompt, /) -> Reply:
        self.sent[question.text] += 1
        await asyncio.sleep(0.002 + 0.004 * self._rng.random())
        number = int(question.id)
        return Reply(f"Answer: {number if number % 10 < self._right else 0}")


@pytest.mark.long
def test_no_question_is_sent_twice_whichever_cells_ask_it(tmp_path: Path) -> None:
    file = tmp_path / "numbers.csv"
    rows = [f"{n},Say {n}.,{n},{'odd' if n % 2 else 'even'}" for n in range(1, 201)]
    file.write_text("\n".join(["id,question,answer,category", *rows]))
    names = ", ".join(f"'bot:calculator?seed={index}'" for index in range(3))
    plan = f"candidates = [{names}]\nscopes = ['file:{file}']\nsplit_by = 'category'\nseed = 0\n"
    sweeping = sweeping_of(plan + LIMITS + COMPARED, Transcript.open(None))
    candidates = [TimedCandidate(f"bot:{right}", right) for right in (9, 6, 7)]
    for entrant, candidate in zip(sweeping.examiner.plan.entrants, candidates, strict=True):
        sweeping.examiner.opened[entrant.candidate] = candidate
    finding = asyncio.run(sweeping.run(LocalCellRunner(sweeping.examiner)))
    assert not finding.swept.unfinished
    assert [result.verdict for key, result in finding.swept.results.items() if key[0] == 0] == [Verdict.PASS, Verdict.PASS]
    assert [max(candidate.sent.values()) for candidate in candidates] == [1, 1, 1]


def test_verdicts_and_tiers_are_those_that_are_known_of_the_bots() -> None:
    finding = plain_sweep()
    verdicts = {key: result.verdict for key, result in finding.swept.results.items()}
    good, bad = Verdict.PASS, Verdict.FAIL
    # the calculator knows sums alone, the timekeeper intervals alone; .6 of sloppy sums is below .7, though not by much
    assert [verdicts[who, scope] for who in (0, 2) for scope in (0, 1)] == [good, bad, bad, good]
    assert verdicts[1, 0] is not good
    assert finding.swept.comparisons[0].tiers == ((0,), (1,), (2,))
    assert finding.swept.comparisons[1].tiers == ((2,), (0, 1))
    assert finding.swept.called == ("calculator", "Sloppy", "timekeeper")
    assert tier_of_each(finding) == {"calculator": ["1", "2"], "Sloppy": ["2", "2"], "timekeeper": ["3", "1"]}


@pytest.mark.long
def test_who_is_told_apart_from_nobody_is_said_to_be_first_for_want_of_evidence() -> None:
    unread = CANDIDATES.replace('"bot:timekeeper"]', '"bot:timekeeper", "bot:eliza"]')
    finding = swept(unread + SCOPES + LIMITS + "[compare]\nquestions = 150\n")
    page = str(finding.report())
    # no reply of eliza can be read: it may be right always, or never
    assert [3 in finding.swept.comparisons[scope].tiers[0] for scope in (0, 1)] == [True, True]
    assert "(placed in tier 1 by default): eliza (arithmetic?digits=2, intervals)." in page
    assert any(entry.get("hidden") for entry in told(finding)["figures"]["comparisons"][0]["pairs"])
    assert "want of evidence" not in str(plain_sweep().report())
    assert tier_of_each(finding) == {
        "calculator": ["1", "2"], "Sloppy": ["2", "2"], "timekeeper": ["3", "1"], "eliza": ["–", "–"],
    }  # fmt: skip
    scores = next(figure.data for figure in finding.report().figures if isinstance(figure.data, IntervalRows))
    marks = {(row.label, row.group): (row.text, row.least, row.most) for row in scores.rows}
    assert marks["eliza", "intervals"] == ("between 0.00 and 1.00", 0.0, 1.0)
    assert marks["calculator", "intervals"] == ("0.00", 0.0, 0.0)


@pytest.mark.long
def test_the_page_says_how_delta_is_divided_among_scopes() -> None:
    """By `rule = "any"` each comparison has its part of delta; by "share" each has all of it."""
    short = LIMITS.replace("200", "20")
    for more, part, sentence in (
        ("", 1 / 2, "The δ of comparisons is divided equally among two scopes, on each among pairs by closed testing."),
        ("rule = 'share'\n", 1, "It bounds the average share of wrong ones on each scope, not"),
    ):
        finding = swept(CANDIDATES + SCOPES + short + COMPARED + more)
        assert sentence in str(finding.report())
        # 95% are for the first attempt
        assert [comparison.delta for comparison in finding.swept.comparisons.values()] == pytest.approx(
            [0.05 * part * 0.95] * 2
        )
    alone = swept(CANDIDATES + SCOPES.replace(', "intervals"', "") + short + COMPARED)
    assert "The δ of comparisons is divided among pairs by closed testing." in str(alone.report())


def test_a_limit_on_unacceptable_answers_that_stands_in_the_way_is_named() -> None:
    finding = swept(CANDIDATES + SCOPES + LIMITS.replace("'none'", "0.01"))
    calculator, sloppy = (finding.swept.results[who, 0] for who in (0, 1))
    assert calculator.result is not None
    assert (calculator.verdict, calculator.result.score.value) == (Verdict.UNDECIDED, 1.0)
    # 200 answers, none unacceptable: 1% has not been shown at any level below .99 ** 200 = .134
    upper = calculator.result.unacceptable.interval.upper
    assert 0.01 < upper < 0.04
    assert (
        calculator.why
        == f"the evidence of 200 questions is not sufficient: up to {share(upper)} of the answers may be unacceptable"
    )
    assert "may be unacceptable" not in sloppy.why  # its score alone is in the way
    page = str(finding.report())
    assert "Required: a mean score of 0.70, and unacceptable answers to at most 1% of the questions" in page
    assert "Unacceptable" in page
    assert "unacceptable answers" not in str(plain_sweep().report())


@pytest.mark.long
def test_the_same_sweep_over_its_record_asks_nothing_and_finds_the_same() -> None:
    with Transcript.open(None) as transcript:
        first = swept(PLAN, transcript)
        head, new = transcript.head, transcript.origins["new"]
        assert told(swept(PLAN, transcript, concurrency=1)) == told(first)
        assert (transcript.head, transcript.origins["new"]) == (head, new)


def test_a_comparison_asks_what_certificates_have_not() -> None:
    scope = 'scopes = ["arithmetic?digits=1&operations=+"]\nseed = 0\n'  # so few sums that they come again and again
    plan = CANDIDATES + scope + LIMITS
    with Transcript.open(None) as transcript:
        swept(plan, transcript)
        before = transcript.origins["new"]
        swept(plan + COMPARED, transcript)
        asked = transcript.origins["new"] - before
    compared = swept(plan + COMPARED).swept.comparisons[0]
    assert asked < sum(candidate.questions for candidate in compared.candidates)


@pytest.mark.parametrize("budget", ["budget = { questions = 90 }\n", "budget = { questions = 9 }\n"])
def test_a_budget_is_kept_and_who_is_fast_does_not_matter(budget: str) -> None:
    plan = CANDIDATES + SCOPES + budget + LIMITS + COMPARED
    findings = [told(swept(plan, concurrency=concurrency)) for concurrency in (1, 7)]
    assert findings[0] == findings[1]
    finding = swept(plan)
    assert sum(outcome.questions for outcome in finding.swept.outcomes) <= finding.swept.plan.plan.budget.budget.questions  # type: ignore[operator]
    whys = {result.why for result in finding.swept.results.values() if result.verdict is Verdict.UNDECIDED}
    assert whys == {"budget: its part of the questions is used up"}


def test_what_is_left_over_goes_to_cells_that_are_short_of_it() -> None:
    plan = CANDIDATES + SCOPES + LIMITS
    enough = sum(outcome.questions for outcome in swept(plan).swept.outcomes)
    tight = swept(CANDIDATES + SCOPES + f"budget = {{ questions = {enough + 40} }}\n" + LIMITS)
    longest = max(outcome.questions for outcome in tight.swept.outcomes)
    assert longest > (enough + 40) // 6  # more than an equal part


def test_a_candidate_that_is_away_ends_nothing_and_is_asked_next_time(monkeypatch: pytest.MonkeyPatch) -> None:
    calculators = CalculatorsAway("wrong")
    calculators.put_in(monkeypatch)
    with Transcript.open(None) as transcript:
        first = swept(PLAN, transcript)
        assert {first.swept.label(outcome.cell) for outcome in first.swept.failed} == {
            "Sloppy on arithmetic?digits=2",
            "Sloppy on intervals",
            "comparison of 3 on arithmetic?digits=2",
            "comparison of 3 on intervals",
        }
        assert "connection refused" in first.swept.failed[0].reason
        assert first.swept.results[0, 0].verdict is Verdict.PASS
        calculators.away = False
        second = swept(PLAN, transcript)
    assert not second.swept.failed
    assert told(second) == told(plain_sweep())


def test_what_is_on_record_of_a_candidate_that_is_away_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = LIMITS.replace("questions = 200", "questions = 5")
    with Transcript.open(None) as transcript:
        swept(CANDIDATES + 'scopes = ["intervals"]\nseed = 0\n' + limits, transcript)
        CalculatorsAway().put_in(monkeypatch)
        sweep = swept(CANDIDATES + 'scopes = ["arithmetic", "intervals"]\nseed = 0\n' + limits, transcript)
    missing = {sweep.swept.label(outcome.cell) for outcome in sweep.swept.failed}
    assert missing == {"calculator on arithmetic", "Sloppy on arithmetic"}
    assert sweep.swept.results[0, 1].questions == 5


def test_another_plan_is_another_attempt() -> None:
    with Transcript.open(None) as transcript:
        swept(CANDIDATES + SCOPES + LIMITS, transcript)
        with pytest.raises(OtherTerms, match=r"passing grade 0\.7, now 0\.8"):
            swept(CANDIDATES + SCOPES + LIMITS + "passing_grade = 0.8\n", transcript)
        # one more candidate is none
        assert len(swept(CANDIDATES.replace("[", '["bot:eliza", ', 1) + SCOPES + LIMITS, transcript).swept.names) == 4


@pytest.mark.long
def test_one_more_candidate_is_another_attempt_of_the_comparisons_that_is_counted() -> None:
    with Transcript.open(None) as transcript:
        for plan, number in ((PLAN, 1), (more := PLAN.replace("[", '["bot:eliza", ', 1), 2), (more, 2)):
            swept(plan, transcript)
            held = attempts(transcript, PAIRS)
            assert [attempt.number for attempt in held[-2:]] == [number, number]  # on each of the two scopes
        assert len(held) == 4


def test_all_scopes_together_are_the_differences_themselves_once_everything_was_asked(tmp_path: Any) -> None:
    rng, rows, files = np.random.default_rng(2), [], []
    for scope, size in (("a", 30), ("b", 50)):
        questions = [{"id": f"{scope}{n}", "question": f"{scope} {n}?", "answer": "1"} for n in range(size)]
        (tmp_path / f"{scope}.jsonl").write_text("\n".join(map(json.dumps, questions)))
        files.append(f"file:{tmp_path}/{scope}.jsonl")
        rows += [(question["id"], int(rng.random() < 0.55), int(rng.random() < 0.5)) for question in questions]
    (tmp_path / "answers.csv").write_text("id,x,y\n" + "\n".join(f"{i},{x},{y}" for i, x, y in rows))
    candidates = ", ".join(f'"replay:{tmp_path}/answers.csv#{name}"' for name in "xy")
    plan = f"candidates = [{candidates}]\nscopes = {files}\nseed = 0\n[compare]\nmargin = 0.0\n"
    assert swept(plan).swept.overall is None
    with Transcript.open(None) as transcript:
        together = swept(plan + "together = true\n", transcript).swept.overall
        assert transcript.origins["new"] <= 2 * len(rows)  # nothing was asked twice
    assert together is not None
    exact = sum(int(x) - int(y) for _, x, y in rows) / len(rows)
    [pair] = together.pairs
    assert together.scope_size == len(rows)
    assert pair.difference.value == pytest.approx(exact, abs=1 / len(rows))  # the last questions cannot change who is better
    assert exact in pair.difference.interval


def test_endless_scopes_cannot_be_put_together() -> None:
    with pytest.raises(BadInput, match="'arithmetic\\?digits=2' is endless"):
        swept(PLAN + "together = true\n")


@pytest.mark.parametrize(("options", "is_told"), [("", True), ("?deterministic=yes", False)])
def test_of_models_that_may_answer_differently_a_list_is_about_these_answers(
    options: str, is_told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sweep_pupil.py").write_text("def answer(text):\n    return 'Answer: 7'\n")
    (tmp_path / "list.jsonl").write_text(
        "".join(f'{{"id": "q{n}", "question": "Say {n}.", "answer": {n}}}\n' for n in range(9))
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    sweep = swept(f"candidates = ['function:sweep_pupil:answer{options}']\nscopes = ['file:{tmp_path}/list.jsonl']\nseed = 0\n")
    assert any("about these answers" in caveat for caveat in sweep.caveats) is is_told
