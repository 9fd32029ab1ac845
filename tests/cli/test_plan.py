"""`viva plan`: questions, power and money of a certificate and of a comparison, and plans that cannot be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import Refuses, Viva
from tests.papers.understanding_tables import TABLE_1, TABLE_2, TABLE_3, TABLE_4
from vivavoce.certificate.comparison.config import ComparisonPlanConfig
from vivavoce.certificate.comparison.evidence import PairedEvidence, PairStatement
from vivavoce.certificate.comparison.plan import Answers, plan_comparison
from vivavoce.errors import BadInput

FEW = ("--simulations", "200")
FIRST = ("--delta", str(0.05 / 0.95))
"""A first attempt has 95% of it: 5%."""


def test_the_lengths_are_those_of_the_exact_boundary(viva: Viva) -> None:
    planned = viva("plan", "--unacceptable-limit", "0.00052", "--score", "0.95", *FEW, *FIRST, "--json").values
    # the exact boundary at w0 = .5, worked out with another program: 6,282 clean answers, or 13,640 with one unacceptable
    assert planned["figures"]["questions_with_unacceptable_answers"] == [6282, 13640, 18141, 22238, 26034]
    assert planned["figures"]["forecasts"][0]["questions"]["median"] >= 6282


def test_the_paper_s_tables(viva: Viva) -> None:
    ended = viva("plan", "--paper")
    for table in (TABLE_1, TABLE_2, TABLE_3, TABLE_4):
        for row in table.strip().splitlines():
            assert row in " ".join(ended.out.split())
    tables = viva("plan", "--paper", "--json").values["figures"]["tables"]
    assert [len(each["rows"]) for each in tables] == [6, 6, 7, 7]


def test_a_test_length_gives_the_limit(viva: Viva) -> None:
    planned = viva("plan", "--test-length", "100", "--score", "0.95", *FEW, "--json").values
    assert round(planned["figures"]["unacceptable_limit"], 8) == 0.00051280  # 1 - .95^(1/100), by hand


def test_money_is_price_times_questions(viva: Viva) -> None:
    command = ("plan", "--score", "0.95", "--unacceptable-limit", "none", *FEW, "--price", "0.5")
    forecast = viva(*command, "--json").values["figures"]["forecasts"][0]
    assert abs(forecast["money"] - 0.5 * forecast["questions"]["mean"]) < 1e-9
    assert "money" in viva(*command).out


def test_every_assumption_has_a_row_and_chances_add_up(viva: Viva) -> None:
    ended = viva("plan", "--score", "0.5", "--score", "0.95", "--unacceptable", "0", "--unacceptable", "0.02", *FEW, "--json")
    forecasts = ended.values["figures"]["forecasts"]
    assert len(forecasts) == 4
    for forecast in forecasts:
        assert abs(sum(chance["chance"] for chance in forecast["chances"].values()) - 1) < 1e-9
    assert forecasts[0]["chances"]["fail"]["chance"] > 0.9
    assert len(viva("plan", "--score", "0.5", *FEW).out.splitlines()) < 10


def test_shares_above_one_are_refused(refuses: Refuses) -> None:
    refuses("plan", "--score", "0.9", "--unacceptable", "0.2", says="add up")


DROP = ("plan", "--compare", "--drop", "0.05", "--score", "0.88")


def planned(viva: Viva, *arguments: str) -> dict[str, Any]:
    ended = viva("plan", "--compare", *arguments, *FEW, "--json")
    assert (ended.code, ended.err) == (0, "")
    result: dict[str, Any] = ended.values["figures"]
    return result


def test_power_questions_and_money(viva: Viva) -> None:
    values = planned(viva, *DROP[2:], "--discordance", "0.1", "--size", "1319", "--questions", "500", "--price", "0.5")
    (row,) = values["forecasts"]
    assert values["goal"] == "worse"
    assert values["attempt_delta"] == pytest.approx(0.0475)  # 95% for the first attempt
    assert row["power"]["lower"] <= row["power"]["chance"] <= row["power"]["upper"]
    assert row["power"]["chance"] == row["chances"]["worse"]["chance"] > 0.9
    assert sum(entry["chance"] for entry in row["chances"].values()) == pytest.approx(1)
    assert row["only_baseline_right"] * 1319 == pytest.approx(99)  # 66 more than the 33 that only the new one has right
    assert row["only_new_right"] * 1319 == pytest.approx(33)
    median = row["questions"]["median"]
    assert median["lower"] <= median["value"] <= median["upper"] < row["questions"]["p90"]["value"] <= 500
    assert row["money"] == pytest.approx(2 * 0.5 * row["questions"]["mean"])  # both candidates are paid


def test_a_range_goes_from_the_least_to_the_most_that_is_possible(viva: Viva) -> None:
    values = planned(viva, *DROP[2:], "--questions", "200")
    shares = [row["discordance"] for row in values["forecasts"]]
    # of 12% wrong answers of the baseline all may be right with the new one, which then has 17% more wrong: .12 + .17
    assert (shares[0], shares[-1]) == (pytest.approx(0.05), pytest.approx(0.29))
    assert len(shares) == 6
    assert shares == sorted(shares)
    powers = [row["power"]["chance"] for row in values["forecasts"]]
    assert powers == sorted(powers, reverse=True)
    assert values["forecasts"][-1]["questions"]["median"] == {"value": None, "lower": None, "upper": None}


def test_a_better_candidate_is_the_mirror_of_a_worse_one(viva: Viva) -> None:
    rows = [
        planned(viva, "--drop", drop, "--score", score, "--discordance", "0.2", "--questions", "300")["forecasts"][0]
        for drop, score in (("0.1", "0.7"), ("-0.1", "0.6"))
    ]
    assert rows[0]["only_baseline_right"] == pytest.approx(rows[1]["only_new_right"])
    assert rows[0]["chances"]["worse"]["chance"] == pytest.approx(rows[1]["chances"]["better"]["chance"], abs=0.08)


def test_all_questions_asked_is_exact(viva: Viva) -> None:
    arguments = (*DROP[2:], "--discordance", "0.2", "--size", "60")
    (row,) = planned(viva, *arguments)["forecasts"]
    assert row["power"]["chance"] == pytest.approx(1, abs=0.06)
    (cut,) = planned(viva, *arguments, "--questions", "30")["forecasts"]
    assert cut["power"]["chance"] < 0.2
    text = viva(*DROP, "--discordance", "0.2", "--size", "60", *FEW).out
    assert "on these questions is known exactly" in text
    assert "Early: before all are asked." in text
    assert "known exactly" not in viva(*DROP, "--discordance", "0.2", "--size", "60", "--questions", "30", *FEW).out


def test_it_says_when_nothing_can_be_shown(viva: Viva) -> None:
    ended = viva(*DROP, "--discordance", "0.1", "--size", "9", *FEW)
    assert ended.code == 2
    assert "no scope of this size can show it, even if all of its questions are asked" in ended.err
    (row,) = planned(viva, *DROP[2:], "--discordance", "0.1", "--questions", "5")["forecasts"]
    assert row["power"]["chance"] == 0
    text = viva(*DROP, "--discordance", "0.1", "--questions", "5", *FEW).out
    assert "Within 5 questions, 'worse' can't be shown, even if all evidence for it came first." in text
    assert "8 questions would show 'worse'" in viva(*DROP, "--discordance", "0.1", *FEW).out


def test_what_would_be_wrong_to_find(viva: Viva) -> None:
    def wrong(*arguments: str) -> list[str]:
        result: list[str] = planned(viva, "--score", "0.8", "--discordance", "0.1", "--questions", "20", *arguments)[
            "wrong_verdicts"
        ]
        return result

    assert wrong("--drop", "0.05") == ["better", "equivalent", "not worse"]
    assert wrong("--drop", "0.01") == ["better"]
    assert wrong("--drop", "-0.05") == ["worse", "equivalent"]
    assert wrong("--drop", "0") == ["better", "worse"]
    words = viva(*DROP, "--questions", "20", *FEW).out
    assert "a finding of 'better', 'equivalent' or 'not worse' would be wrong: at most 5% of the time" in words


def test_equal_within_the_margin_is_found(viva: Viva) -> None:
    (row,) = planned(
        viva, "--drop", "0", "--score", "0.8", "--discordance", "0.05", "--margin", "0.1", "--size", "1000"
    )["forecasts"]  # fmt: skip
    assert row["chances"]["equivalent"]["chance"] > 0.9
    assert row["wrong"]["chance"] < 0.1


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--compare", "--drop", "0.9", "--score", "0.88"), "the new candidate's mean score would be -0.02"),
        (("--compare", "--drop", "-0.2", "--score", "0.88"), "the new candidate's mean score would be 1.08"),
        ((*DROP[1:], "--discordance", "0.04"), "it lies from 0.05 to 0.29"),
        ((*DROP[1:], "--discordance", "0.3"), "it lies from 0.05 to 0.29"),
        (("--compare", "--drop", "0", "--score", "0.8", "--margin", "0"), "a plan needs a drop or a margin"),
        (("--compare", "--drop", "2", "--score", "0.8"), "give a number from -1 to 1"),
        (("--compare", "--drop", "0.05"), "needs one '--score'"),
        (("--compare", "--score", "0.8", "--score", "0.9"), "needs one '--score'"),
        (("--compare", "--score", "0.8", "--unacceptable", "0.1"), "'--unacceptable' is for a certificate's plan"),
        (("--drop", "0.05"), "'--drop' needs '--compare'"),
        (("--score", "0.8", "--margin", "0.05"), "'--margin' needs '--compare'"),
    ],
)
def test_plans_that_cannot_be_are_refused(refuses: Refuses, arguments: tuple[str, ...], problem: str) -> None:
    refuses("plan", *arguments, says=problem)


def test_the_same_seed_says_the_same(viva: Viva) -> None:
    command = (*DROP, "--discordance", "0.1", "--questions", "100", *FEW, "--json")
    assert viva(*command).out == viva(*command).out
    assert viva(*command).out != viva(*command, "--seed", "1").out


@pytest.mark.long
def test_the_plan_does_as_the_comparison_does() -> None:
    """150 comparisons, question by question, of candidates of whom "worse", "equivalent" and undecided all happen."""
    config = ComparisonPlanConfig(drop=0.1, score=0.5, discordance=0.2, margin=0.15, questions=100, size=200)
    row = plan_comparison(config).rows[0]
    rng, verdicts, ended = np.random.default_rng(3), [], []
    base = np.repeat([-1.0, 1.0, 0.0], [30, 10, 160])
    for _ in range(150):
        evidence = PairedEvidence([(0, 1)], margin=0.15, delta=0.0475, population=200)
        for d in rng.permutation(base)[:100]:
            scores = np.array([max(d, 0.0), max(-d, 0.0)])
            evidence.take(scores, scores)
            if evidence.settled[0]:
                break
        made = evidence.made[0]
        verdicts.append("worse" if made[PairStatement.WORSE] else "equivalent" if made[2:].all() else "other")
        ended.append(int(evidence.n[0]))
    for verdict in ("worse", "equivalent"):
        chance = row.chances[verdict].value
        assert chance is not None
        assert verdicts.count(verdict) / 150 == pytest.approx(chance, abs=0.16)  # four standard errors
    assert np.mean(ended) == pytest.approx(row.mean, rel=0.06)


def test_whole_questions_of_a_scope() -> None:
    for size in range(10, 60):
        for share in (0.1, 0.3, 0.7, 1.0):
            answers = Answers.assumed(0.1, share, size)
            lost, won = answers.counts
            assert lost - won == round(size * 0.1)
            assert 0 <= won <= lost <= lost + won <= size
            assert abs(answers.discordance - share) * size <= 2


def test_no_scope_of_a_question_shows_less_than_one() -> None:
    with pytest.raises(BadInput, match="less than half a question of 10"):
        plan_comparison(ComparisonPlanConfig(drop=0.04, size=10))
