"""The whole alignment as a finding."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.generalization.alignment.aligned import answers, pair, world
from vivavoce.errors import NotEnoughEvidence, UnknownName
from vivavoce.generalization.alignment.human_alignment import HumanAlignment, align
from vivavoce.generalization.answers import GradedAnswers
from vivavoce.generalization.config import AlignConfig
from vivavoce.generalization.pairs import BeliefPair


def made(n: int = 80, **setup: object) -> HumanAlignment:
    pairs, grades = world(n, np.random.default_rng(1), skills={"good": 0.8, "fair": 0.5})
    return align(pairs, answers(**grades), AlignConfig(**setup), source="pairs.csv", digest="ab" * 32)  # type: ignore[arg-type]


def test_a_stranger_finds_the_numbers() -> None:
    document = json.loads(json.dumps(made().as_json(), allow_nan=False))
    model = document["figures"]["models"]["good"]
    assert set(model["accuracy"]) == {"0.5", "0.9", "0.95", "0.99"}
    assert set(model["accuracy"]["0.5"]) == {"value", "lower", "upper", "n"}
    assert model["accuracy"]["0.5"]["n"] == model["pairs"] == 80
    assert model["cross_entropy"]["0.99"]["value"] > 0
    assert (model["unanswered"], model["unseen"], model["contradicting"]) == (0, 0, 0)
    assert document["figures"]["thresholds"][1] == {"threshold": 0.9, "alpha": pytest.approx(9)}
    # two models, two measures, four thresholds
    assert len(document["figures"]["differences"]) == 8
    assert set(document["figures"]["differences"][0]) == {
        "first",
        "second",
        "measure",
        "threshold",
        "difference",
    }
    assert set(document["figures"]["differences"][0]["difference"]) == {"value", "lower", "upper", "n", "p"}
    assert document["figures"]["models"]["good"]["deployment"]["above:0.99"]["performance"]["value"] is None
    assert document["figures"]["models"]["good"]["deployment"]["top:0.25"]["used_for"] == pytest.approx(0.25)
    assert document["figures"]["models"]["fair"]["calibration"]["thirds"]["0.3-0.7"]["share"]["n"] == 80
    assert document["figures"]["dominance"]["compared"] == 1
    assert document["figures"]["beliefs"] == {"prior": 0.629, "after_right": 0.663, "after_wrong": 0.551, "estimated": None}
    assert document["signature"].startswith("vivavoce ")
    assert "scope abababababab" in document["signature"]


def test_the_same_seed_gives_the_same_finding() -> None:
    assert made().as_json() == made().as_json()
    other = made(seed=1)
    assert other.models[0].accuracy[0.5].value == made().models[0].accuracy[0.5].value
    assert other.models[0].accuracy[0.5].interval != made().models[0].accuracy[0.5].interval


def test_the_statement_names_the_best_and_what_it_loses() -> None:
    alignment = made(n=400)
    assert alignment.best.model == "good"
    assert alignment.statement.startswith(
        "good answers most right, but at a threshold of 99% people's beliefs fit the other model"
    )
    assert "it makes the fewest mistakes" in alignment.statement
    human_alignment = made(models=("fair",))
    assert human_alignment.headline.startswith("People's beliefs fit fair with a weighted accuracy of 0.")
    few = made(n=8)
    assert "beliefs fit no other model significantly better at any threshold" in few.headline


def test_caveats_say_what_was_made_and_what_is_missing() -> None:
    pairs, grades = world(60, np.random.default_rng(1), skills={"good": 0.8, "fair": 0.5})
    del grades["fair"]["second 0"], grades["fair"]["first 1"]
    table = answers(**grades)
    alignment = align([*pairs, pair("x", "y", True)], GradedAnswers(table.models, table.right, {"good": 1}), AlignConfig())
    text = " ".join(alignment.caveats)
    assert "three averages, from the published study. The averages are 0.629 before" in text
    assert "at a threshold of 90% no model would be used" in text
    assert "60 pairs, those without graded answers to both questions are left out: fair 2." in text
    assert "different grades count as not answered: good 1." in text
    assert "1 row holds no belief" in text
    assert "a bootstrap over 60 sets of pairs" in text
    assert "comparisons were made" not in text  # too few for one to show a reversal by chance
    assert "of Student" not in text
    few = align(pairs[:10], table, AlignConfig())
    assert "Student's t" in " ".join(few.caveats)


def raw_survey() -> tuple[list[BeliefPair], GradedAnswers]:
    pairs = [
        pair(f"a{n}", f"b{n}", after, prior=0.5, posterior=0.8 if after else 0.2, person=f"p{n % 20}")
        for n in range(100)
        for after in (True, False)
    ]
    grades = {f"a{n}": n % 3 > 0 for n in range(100)} | {f"b{n}": n % 3 > 0 for n in range(100)}
    return pairs, answers(ann=grades, bob=grades | {"b1": False}, model=grades | {"b4": False})


def test_raw_beliefs_are_taken_as_they_are_and_averages_from_them() -> None:
    pairs, table = raw_survey()
    alignment = align([*pairs, pair("a0", "b1", False, pred=1.0)], table, AlignConfig())
    assert alignment.sources == {"said by people": 200, "from a predicted change": 1}
    assert (alignment.beliefs.prior, alignment.beliefs.after_right, alignment.beliefs.after_wrong) == pytest.approx(
        (0.5, 0.8, 0.2)
    )
    assert alignment.estimated is not None
    assert "from the raw beliefs" in " ".join(alignment.caveats)
    only = align(pairs, table, AlignConfig())
    assert "Beliefs are from the people who were asked" in only.caveats[0]
    # a person and its 15 pairs belong together; 20 persons of ten rows each are twenty sets
    assert (only.sets, only.drawn_again) == (20, True)
    given = align(pairs, table, AlignConfig(beliefs={"prior": 0.4}))
    assert given.beliefs.prior == 0.4
    assert given.given


def test_people_and_machines_are_pooled() -> None:
    pairs, table = raw_survey()
    alignment = align(pairs, table, AlignConfig(people=("ann", "bob"), models=("model",)))
    assert [model_alignment.model for model_alignment in alignment.models] == ["model", "ann", "bob"]
    people, machines = alignment.pooled
    # the first question tells the second for ann: 67 of 100 expected right are right, and one fewer for bob
    assert people.shares[2].n == 2 * 66
    assert people.shares[2].value == pytest.approx((66 + 65) / 132)
    assert machines.who == "machines"
    assert machines.shares[2].value == pytest.approx(65 / 66)
    assert set(alignment.as_json()["figures"]["pooled"]) == {"people", "machines"}


def test_models_and_rules_are_chosen() -> None:
    alignment = made(models=("fair",), thresholds=(0.5,), rules=("top:0.5",))
    assert [model_alignment.model for model_alignment in alignment.models] == ["fair"]
    assert alignment.rules == ("top:0.5",)
    assert alignment.comparisons == ()
    with pytest.raises(UnknownName, match="did you mean 'fair'"):
        made(models=("fairy",))


def test_pairs_and_answers_that_have_nothing_in_common() -> None:
    pairs, grades = world(3, np.random.default_rng(1), skills={"m": 1.0})
    with pytest.raises(NotEnoughEvidence, match="none of 3 pairs has both questions among the 1 answered ones"):
        align(pairs, answers(m={"other": True}), AlignConfig())
    with pytest.raises(NotEnoughEvidence, match="pairs after wrong ones"):
        align([entry for entry in pairs if not entry.previous_correct], answers(**grades), AlignConfig())
    with pytest.raises(NotEnoughEvidence, match="has weight 0"):
        align([replace(entry, weight=0.0) for entry in pairs], answers(**grades), AlignConfig())


def test_hostile_names_stay_within_bounds() -> None:
    pairs, grades = world(30, np.random.default_rng(1), skills={"m": 0.5, "n": 0.4})
    table = answers(**grades)
    name = "<script>\x1b[2J" + "x" * 180
    alignment = align(pairs, replace(table, models=(name, "n")), AlignConfig())
    assert len(alignment.statement) < 500
    assert "\x1b" not in alignment.statement
