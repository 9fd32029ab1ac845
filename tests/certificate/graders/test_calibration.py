"""The calibration of a judge: its agreement with people, its biases, and what rests on it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import hypot, sqrt
from pathlib import Path

import numpy as np
import pytest
import scipy

from tests.certificate.graders.graded import RIGHT, WRONG, PointsJudge, interview
from tests.each_case import each_case
from vivavoce.certificate.graders.calibration import CalibrationResult, calibrate, read_calibration
from vivavoce.certificate.graders.grades import FLOOR, GradingReport, JudgeCalibration
from vivavoce.certificate.graders.judge import RUBRIC, CandidateJudge
from vivavoce.certificate.graders.people import PersonsGrade, SheetReply, read_sheet
from vivavoce.certificate.report.method import calibration_table
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.formats.json_values import to_json
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.scopes.questions import Question
from vivavoce.statistics.agreement import krippendorff_alpha

Row = tuple[str, str, float, float | None]
"""A question, the reply, people's score and the judge's; None: its words cannot be read."""


class KnownJudge:
    """Gives each reply its score."""

    name = "chat:m@http://h/v1"

    def __init__(self, scores: Mapping[str, float | None]) -> None:
        self.scores = scores
        self.prompts: list[str] = []

    async def answer(self, prompt: Prompt, /) -> Reply:
        self.prompts.append(prompt.text)
        score = self.scores[prompt.text.split("<answer")[1].split("\n")[1]]
        return Reply("Hm." if score is None else f"Score: {10 * score:g}\nUnacceptable: no")


def reply(question: str, answer: str, score: float, *, candidate: str = "", rubric: str = "") -> SheetReply:
    return SheetReply(PersonsGrade(question, answer, score, False), f"Why {question}?", answer, rubric, candidate)


def calibrated(rows: Sequence[Row], candidates: Sequence[str] = ()) -> CalibrationResult:
    named = candidates or [""] * len(rows)
    replies = [reply(q, text, score, candidate=name) for (q, text, score, _), name in zip(rows, named, strict=True)]
    judge = CandidateJudge(interview(KnownJudge({text: given for _, text, _, given in rows})))
    return asyncio.run(calibrate(judge, replies))


def test_alpha_of_krippendorffs_example() -> None:
    meg, owen = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]  # krippendorff2011, section A: alpha is .095
    calibration = calibrated([(f"q{n}", f"r{n}", score, given) for n, (score, given) in enumerate(zip(meg, owen, strict=True))])
    assert calibration.known.alpha == pytest.approx(0.095, abs=5e-4)
    assert (calibration.replies, calibration.questions, calibration.known.answers, calibration.unreadable) == (10, 10, 10, 0)
    assert calibration.verdict == ("fail" if calibration.known.upper < FLOOR else "undecided")


def test_copies_of_answers_to_the_same_questions_add_nothing() -> None:
    # resampling whole questions, three equal answers to each weigh as one does
    rng = np.random.default_rng(5)
    first, second = np.round(rng.random((2, 15)), 1)
    once = krippendorff_alpha(first, second)
    thrice = krippendorff_alpha(np.repeat(first, 3), np.repeat(second, 3), [f"q{n // 3:02}" for n in range(45)])
    assert (thrice.interval.lower, thrice.interval.upper) == pytest.approx((once.interval.lower, once.interval.upper))
    independent = krippendorff_alpha(np.repeat(first, 3), np.repeat(second, 3)).interval
    assert independent.upper - independent.lower < thrice.interval.upper - thrice.interval.lower


LONG = "x" * 50
ROWS: Sequence[Row] = [
    *((f"a{n}", f"short {n}", 0.5, 0.5 + error) for n, error in enumerate((0.0, 0.1, -0.1, 0.2))),
    *((f"b{n}", f"{LONG}{n}", 0.5, 0.5 + error) for n, error in enumerate((0.2, 0.3, 0.4, 0.5))),
]


def half_width(errors: Sequence[float]) -> float:
    """Of Student's interval for a mean."""
    return float(scipy.stats.t.ppf(0.975, len(errors) - 1)) * float(np.std(errors, ddof=1)) / sqrt(len(errors))


def test_mean_error_and_bias_by_length_by_hand() -> None:
    calibration = calibrated(ROWS)
    assert calibration.agreement is not None
    # .0 + .1 - .1 + .2 = .2 on short replies, 1.4 on long ones: .05 and .35 on average, .2 over all eight
    assert calibration.agreement.difference.value == pytest.approx(0.2)
    ends = calibration.agreement.difference.interval
    assert ends.upper - 0.2 == pytest.approx(half_width([0.0, 0.1, -0.1, 0.2, 0.2, 0.3, 0.4, 0.5]))
    bias = calibration.long_replies
    assert (bias.replies, bias.others) == (4, 4)
    assert bias.difference.value == pytest.approx(0.3)
    half = hypot(half_width([0.0, 0.1, -0.1, 0.2]), half_width([0.2, 0.3, 0.4, 0.5]))
    assert (bias.difference.interval.lower, bias.difference.interval.upper) == pytest.approx((0.3 - half, 0.3 + half))
    assert bias.difference.interval.lower > 0


def test_bias_for_its_own_replies() -> None:
    own = "chat:m@http://h/v1?temperature=0"  # the judge's model under other settings
    calibration = calibrated(ROWS, ["other"] * 4 + [own] * 3 + [""])
    assert (calibration.own_replies.replies, calibration.own_replies.others) == (3, 4)
    assert calibration.own_replies.difference.value == pytest.approx(0.3 - 0.05)


def test_too_little_data_is_named() -> None:
    calibration = calibrated([("a", "same", 0.5, 0.5)])
    assert (calibration.known.alpha, calibration.verdict) == (None, "undecided")
    assert calibration.headline.startswith("Unknown whether chat:m@http://h/v1 agrees with people: it needs two graded replies")
    unparsed = replace(calibration, replies=3, unreadable=3)
    assert unparsed.headline.endswith("agrees with people: 3 of 3 judgements can't be parsed.")
    assert calibration.own_replies.difference.value is None
    assert calibration.long_replies.difference.value is None
    table = calibration_table(calibration)
    cells = {row.head.text: row.cells[0].text for row in table.rows}
    assert cells["Error: its own replies minus others’"] == "unknown: 0 and 0 replies"
    with pytest.raises(NotEnoughEvidence, match="fill in 'score'"):
        asyncio.run(calibrate(CandidateJudge(interview(KnownJudge({}))), []))


def test_unread_judgements_are_not_zero() -> None:
    rows = [(f"q{n}", f"r{n}", float(n % 2), float(n % 2)) for n in range(20)]
    whole = calibrated(rows)
    some = calibrated([*rows, *((f"u{n}", f"u{n}", 1.0, None) for n in range(4))])
    assert (some.unreadable, some.replies, some.known.answers) == (4, 24, 20)
    assert whole.known.alpha == some.known.alpha == 1
    # the four may all be 0 where people give 1: as if they had been graded so
    worst = calibrated([*rows, *((f"u{n}", f"u{n}", 1.0, 0.0) for n in range(4))])
    assert some.known.lower == worst.known.lower < whole.known.lower
    nothing = calibrated([("q", "r", 1.0, None)])
    assert (nothing.agreement, nothing.verdict) == (None, "undecided")
    assert nothing.known == JudgeCalibration(0, None, -1.0, 1.0)


def test_the_judge_sees_the_rubric_and_no_grade() -> None:
    candidate = KnownJudge({"It scatters.": 1.0})
    judge = CandidateJudge(interview(candidate), rubric="the general rubric")
    asyncio.run(calibrate(judge, [reply("sky", "It scatters.", 0.125, rubric="10: scattering", candidate="bot:secret")]))
    [text] = candidate.prompts
    assert "10: scattering" in text
    assert not any(word in text for word in ("the general rubric", "0.125", "bot:secret"))
    scope = {"sky": Question("sky", "Why sky?", accepted=("Rayleigh",), rubric="10: Rayleigh scattering")}
    asyncio.run(calibrate(judge, [reply("sky", "It scatters.", 1.0, rubric="10: scattering")], scope))
    assert "10: Rayleigh scattering" in candidate.prompts[1]
    assert "<expected" in candidate.prompts[1]
    with pytest.raises(BadInput, match="'sea' of the sheet is not in the scope"):
        asyncio.run(calibrate(judge, [reply("sea", "It scatters.", 1.0)], scope))


def test_a_budget_ends_it_with_what_was_judged() -> None:
    judge = CandidateJudge(interview(PointsJudge(), concurrency=1, budget=Budget(money=0.035)))  # a judgement costs .01
    replies = [reply(f"q{n}", RIGHT if n % 2 else WRONG, n % 2) for n in range(40)]
    calibration = asyncio.run(calibrate(judge, replies))
    assert calibration.exhausted == "money"
    assert 3 <= calibration.replies == calibration.known.answers < 40


def test_equal_replies_are_judged_once() -> None:
    candidate = KnownJudge({"yes": 1.0})
    replies = [reply("q", "yes", score, candidate=name) for name, score in (("a", 1.0), ("b", 0.5))]
    calibration = asyncio.run(calibrate(CandidateJudge(interview(candidate)), replies))
    assert (len(candidate.prompts), calibration.replies, calibration.questions) == (1, 2, 1)


def test_a_sheet_is_read(tmp_path: Path) -> None:
    sheet = tmp_path / "graded.csv"
    sheet.write_text("id,question,answer,score,candidate\nq,Why?,'=1+1,0.5,bot:a\nq,Why?,=1+1,1,bot:b\nr,And?,no,,bot:a\n")
    first, second = read_sheet(sheet)
    assert (first.answer, first.graded.score, first.candidate, first.rubric) == ("=1+1", 0.5, "bot:a", "")
    assert first.place == second.place
    for text, says in (
        ("id,question,score\nq,Why?,1\n", "no column answer"),
        ("id,question,answer,score\nq,,yes,1\n", "no 'question'"),
        ("id,question,answer,score\nq,Why?,yes,1\nq,Why?,yes,0\n", "graded on line 2 already"),
        ("id,question,answer,score\nq,Why?,yes,7\n", "give a number from 0 to 1"),
    ):
        sheet.write_text(text)
        with pytest.raises(BadFile, match=says):
            read_sheet(sheet)


def test_a_calibration_file_is_of_one_judge(tmp_path: Path) -> None:
    file = tmp_path / "calibration.json"
    calibration = calibrated(ROWS)
    file.write_text(json.dumps(to_json(calibration)))
    judge = CandidateJudge(interview(KnownJudge({})))
    assert read_calibration(file, judge) == calibration.known
    for other, says in (
        (CandidateJudge(interview(KnownJudge({})), rubric="another"), "another rubric"),
        (CandidateJudge(interview(KnownJudge({})), draws=3), "another number of judgements"),
    ):
        with pytest.raises(BadFile, match=says):
            read_calibration(file, other)
    assert judge.rubric == RUBRIC
    wrong: list[object] = [
        {"kind": "calibration"},
        {**to_json(calibration), "agreement": {"answers": 1, "krippendorff_alpha": {}}},
        [],
    ]
    for damaged in wrong:
        file.write_text(json.dumps(damaged))
        with pytest.raises(BadFile, match="not a calibration"):
            read_calibration(file, judge)


@each_case(
    ("known", "name"),
    [
        (None, "m"),
        (JudgeCalibration(90, 0.8, FLOOR, 0.9), "m"),
        (JudgeCalibration(90, 0.8, 0.6669, 0.9), "m (too little agreement with people: α may be 0.66, at least 0.667 needed)"),
        (JudgeCalibration(9, 0.1, -0.301, 0.5), "m (too little agreement with people: α may be −0.31, at least 0.667 needed)"),
        (JudgeCalibration(1, None, -1.0, 1.0), "m (its agreement with people is unknown)"),
    ],
)
def test_a_doubtful_judge_is_named_in_headlines(known: JudgeCalibration | None, name: str) -> None:
    report = GradingReport("m", draws=1, by_judge=3, calibration=known)
    assert report.judge_in_headline() == name
    assert ("no one graded the judge" in report.caveats[0]) is (known is None)
    assert JudgeCalibration.of_settings({} if known is None else {"judge_calibration": to_json(known)}) == known
    assert replace(report, by_people=True).judge_alone is False
