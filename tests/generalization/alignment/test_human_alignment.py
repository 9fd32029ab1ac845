"""The whole alignment as a finding, its dominance and its calibration."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.generalization.alignment.aligned import answers, pair, seen, sets_of, world
from vivavoce.errors import NotEnoughEvidence, UnknownName
from vivavoce.generalization.alignment.deployment import AboveThreshold, ProportionalUse, performance_in_use
from vivavoce.generalization.alignment.human_alignment import HumanAlignment, align
from vivavoce.generalization.alignment.measures import GradedModel, believed_pairs, graded_model
from vivavoce.generalization.alignment.model_alignment import (
    SHOWN,
    THIRDS,
    Dominance,
    accuracies,
    calibration,
    dominance,
    dominates,
    performances,
    pooled,
)
from vivavoce.generalization.config import AlignConfig
from vivavoce.generalization.pairs import BeliefPair, Beliefs, GradedAnswers
from vivavoce.statistics.clustered import share_interval


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
    assert set(document["figures"]["differences"][0]) == {"first", "second", "measure", "threshold", "difference"}
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


N = 60


def appendix_b() -> tuple[Dominance, list[GradedModel]]:
    """The construction of Appendix B on 60 pairs: the better model answers every first question right and is trusted with what
    it gets wrong; the other answers them wrong and is trusted with the first half alone, which both get right."""
    rows = []
    for n in range(N):
        easy = n < N // 2
        rows += [
            pair(f"a{n}", f"b{n}", True, posterior=0.1 if easy else 0.9),
            pair(f"a{n}", f"b{n}", False, posterior=0.9 if easy else 0.1),
        ]
    people = believed_pairs(rows, Beliefs())
    seconds = {f"b{n}": n < N // 2 for n in range(N)}
    better = graded_model(people, {f"a{n}": True for n in range(N)} | seconds | {f"b{N - 1}": True}, "better")
    worse = graded_model(people, {f"a{n}": False for n in range(N)} | seconds, "worse")
    sets = sets_of(people)
    return dominance(people, [worse, better], accuracies([0.5]) + performances([AboveThreshold(0.5)]), sets), [better, worse]


def test_appendix_b() -> None:
    comparison, _ = appendix_b()
    assert (comparison.compared, comparison.ordered, comparison.made) == (1, 1, 2)
    assert comparison.dominating == (("better", "worse"),)
    by = {reversal.by: reversal for reversal in comparison.reversals}
    used = by["above:0.5"]
    # the better one is used for the 30 hard questions and gets the last one right, the other for the 30 easy ones
    assert used.chosen.value == pytest.approx(1 / 30 - 1)
    assert (used.better, used.worse, used.dominates, used.beyond_chance) == ("better", "worse", True, True)
    assert used.overall.value == pytest.approx(1 / 60)
    assert len(used.evidence) == SHOWN
    assert all(not evidence.right[0] for evidence in used.evidence)
    assert used.evidence[0].beliefs == (0.9, 0.1)
    assert by["accuracy:0.5"].chosen.value is not None


def test_better_on_average_is_told_from_dominating() -> None:
    rows = [pair(f"a{n}", f"b{n}", True, posterior=0.7) for n in range(N)]
    people = believed_pairs(rows, Beliefs())
    firsts = {f"a{n}": True for n in range(N)}
    more = graded_model(people, firsts | {f"b{n}": n > 0 for n in range(N)}, "more")
    fewer = graded_model(people, firsts | {f"b{n}": n < N // 2 for n in range(N)}, "fewer")
    comparison = dominance(people, [more, fewer], performances([ProportionalUse()]), sets_of(people))
    # `more` fails b0, which `fewer` gets right; 59 against 30 of 60
    assert (comparison.ordered, comparison.dominating, comparison.reversals) == (1, (), ())


def test_models_without_common_pairs_are_not_compared() -> None:
    people = believed_pairs([pair("a", "b", True, posterior=0.5), pair("c", "d", True, posterior=0.5)], Beliefs())
    model, other = graded_model(people, {"a": True, "b": True}, "one"), graded_model(people, {"c": True, "d": False}, "other")
    comparison = dominance(people, [model, other], accuracies([0.5]), sets_of(people))
    assert (comparison.compared, comparison.ordered) == (0, 0)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12))
def test_who_dominates_is_at_least_as_good_under_any_fixed_distribution(answers: list[tuple[bool, bool]]) -> None:
    rows = [pair(f"a{n}", f"b{n}", True, posterior=0.5) for n in range(len(answers))]
    people = believed_pairs(rows, Beliefs())
    firsts = {f"a{n}": True for n in range(len(answers))}
    model, other = (
        graded_model(people, firsts | {f"b{n}": two[which] for n, two in enumerate(answers)}, str(which)) for which in (0, 1)
    )
    strictly = dominates(people, model, other)
    assert not (strictly and dominates(people, other, model))
    assert not dominates(people, model, model)
    assert strictly == (all(a or not b for a, b in answers) and any(a and not b for a, b in answers))
    if strictly:  # equal beliefs use both models alike: a fixed distribution (equation 4)
        assert (performance_in_use(people, model, ProportionalUse()).value or 0) > (
            performance_in_use(people, other, ProportionalUse()).value or 0
        )


def test_the_ends_belong_to_the_outer_thirds() -> None:
    # equation (10): uncertain is .30 < b < .70
    rows = [pair("a", f"b{n}", True, posterior=b) for n, b in enumerate((0.0, 0.3, 0.31, 0.69, 0.7, 1.0))]
    people, model = seen(rows, {"a": True} | {f"b{n}": n in (1, 2, 4, 5) for n in range(6)})
    assert [third.holds(people).tolist() for third in THIRDS] == [
        [True, True, False, False, False, False],
        [False, False, True, True, False, False],
        [False, False, False, False, True, True],
    ]
    result = calibration(people, model, sets_of(people))
    # one of two, one of two, two of two; mean beliefs .15, .5, .85
    assert [share.value for share in result.shares] == [0.5, 0.5, 1.0]
    assert [third.belief for third in result.thirds.values()] == pytest.approx([0.15, 0.5, 0.85])
    assert [share.n for share in result.shares] == [2, 2, 2]
    assert list(result.thirds) == ["0-0.3", "0.3-0.7", "0.7-1"]


def test_every_belief_is_in_one_third_and_an_empty_third_has_no_value() -> None:
    rows = [pair(f"a{n}", f"b{n}", True, posterior=n / 100) for n in range(0, 101, 5)]
    people, model = seen(rows, {f"a{n}": True for n in range(0, 101, 5)} | {f"b{n}": True for n in range(0, 101, 5)})
    assert (np.sum([third.holds(people) for third in THIRDS], axis=0) == 1).all()
    people, model = seen(rows[:3], {f"a{n}": True for n in (0, 5, 10)} | {f"b{n}": False for n in (0, 5, 10)})
    low, middle, high = calibration(people, model, sets_of(people)).shares
    assert (low.value, middle.value, high.value) == (0.0, None, None)
    assert (middle.n, middle.interval.lower, middle.interval.upper) == (0, 0.0, 1.0)


def test_people_together_are_a_sample_of_people() -> None:
    rng = np.random.default_rng(4)
    rows = [pair(f"a{n}", f"b{n}", True, posterior=0.9) for n in range(60)]
    people = believed_pairs(rows, Beliefs())
    # eight persons of very different skill
    persons = []
    for number in range(8):
        grades = {f"a{n}": True for n in range(60)} | {f"b{n}": bool(rng.random() < number / 7) for n in range(60)}
        persons.append(graded_model(people, grades, f"person {number}"))
    together = pooled("people", people, persons, sample=True, rng=np.random.default_rng(0), confidence=0.95).shares[2]
    assert together.n == 480
    assert together.value == pytest.approx(np.mean([model.right.mean() for model in persons]))
    # as wide as eight persons of skill 0 to 1 make it, far wider than 480 answers would be
    alike = share_interval(np.repeat([True, False], 240), [()] * 480)
    assert together.interval.upper - together.interval.lower > 4 * (alike.upper - alike.lower)
    estimate = pooled("people", people, persons[:1], sample=True, rng=np.random.default_rng(0), confidence=0.95).shares[2]
    assert (estimate.n, estimate.interval.lower, estimate.interval.upper) == (60, 0.0, 1.0)
    # as machines that are named they are all that is spoken of: the questions alone are a sample
    named = pooled("machines", people, persons, sample=False, rng=np.random.default_rng(0), confidence=0.95).shares[2]
    assert named.value == pytest.approx(together.value)
    assert named.interval.upper - named.interval.lower < 2 * (alike.upper - alike.lower)
