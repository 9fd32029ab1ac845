"""Files of cases, measures, and the training of judges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.consistency.legal.made_training import labelled, training
from tests.each_case import each_case
from vivavoce.consistency.config import TrainingConfig
from vivavoce.consistency.legal.case_files import LabelledCase, read_cases, read_labelled
from vivavoce.consistency.legal.training import DecidedCase, Training, divided, f1, fit_head, labels_of, measured, share, train
from vivavoce.consistency.legal.trials import LegalCase, published
from vivavoce.embeddings.set_classifier import AttentionHead, Sets, loss_and_gradient
from vivavoce.errors import BadFile, NotEnoughEvidence

ECTHR = {
    "case_id": "001-59587",
    "case_no": ["32967/96"],
    "title": "CASE OF A v. B",
    "judgment_date": "2001-07-17",
    "facts": ["8. The first applicant is a company.", "9. In 1990 it bought a plant."],
    "applicants": ["A"],
    "defendants": ["B"],
    "allegedly_violated_articles": ["6", "P1-1"],
    "violated_articles": ["6"],
    "court_assessment_references": {"6": [30]},
    "silver_rationales": [1],
    "gold_rationales": [],
}
ECHR = {
    "ITEMID": "001-83979",
    "LANGUAGEISOCODE": "ENG",
    "RESPONDENT": "ROU",
    "TEXT": ["5. The applicant was born in 1945.", "6. He lives in Deva."],
    "VIOLATED_ARTICLES": ["6", "1"],
    "NON_VIOLATED_ARTICLES": [],
}


def written(folder: Path, *records: dict[str, Any]) -> Path:
    file = folder / "cases.jsonl"
    file.write_text("\n".join(map(json.dumps, records)))
    return file


def test_the_form_of_ecthr(tmp_path: Path) -> None:
    file = written(tmp_path, ECTHR, {**ECTHR, "case_id": "001-2", "violated_articles": [], "gold_rationales": [0]})
    first, second = read_labelled(file)
    assert (first.case.id, len(first.case.facts), first.violation, first.decisive) == ("001-59587", 2, True, (1,))
    assert (second.violation, second.decisive) == (False, (0,))
    assert [labelled_case.violation for labelled_case in read_labelled(file, "P1-1")] == [False, False]
    assert [case.id for case in read_cases(file)] == ["001-59587", "001-2"]
    none = {**ECTHR, "silver_rationales": [2]}  # points to no fact
    assert read_labelled(written(tmp_path, none))[0].decisive == ()


def test_the_form_of_echr_a_folder_with_a_case_a_file(tmp_path: Path) -> None:
    (tmp_path / "EN_train").mkdir()
    (tmp_path / "EN_train" / "001-83979.json").write_text(json.dumps(ECHR, indent=1))
    (tmp_path / "EN_train" / "001-1.json").write_text(json.dumps({**ECHR, "ITEMID": "001-1", "VIOLATED_ARTICLES": []}))
    cases = read_labelled(tmp_path / "EN_train")
    assert [(case.case.id, case.violation) for case in cases] == [("001-1", False), ("001-83979", True)]
    assert read_cases(tmp_path / "EN_train")[0].facts == tuple(ECHR["TEXT"])


def test_the_form_of_lexglue_and_our_own(tmp_path: Path) -> None:
    file = written(tmp_path, {"text": ["One.", "Two."], "labels": [3]}, {"text": ["One.", "Three."], "labels": []})
    assert [(case.case.id, case.violation) for case in read_labelled(file)] == [("1", True), ("2", False)]
    with pytest.raises(BadFile, match="line 1: 'labels' has numbers of classes"):
        read_labelled(file, "3")
    own = written(tmp_path, {"id": 7, "facts": ["a", "b"], "violation": 1, "decisive": [1, 0, 1]})
    assert [(case.case.id, case.violation, case.decisive) for case in read_labelled(own)] == [("7", True, (0, 1))]


@each_case(
    ("record", "message"),
    [
        ({"facts": ["a"]}, "does not give the judgment"),
        ({"facts": ["a"], "allegedly_violated_articles": ["3"]}, "only alleged violations"),
        ({"facts": ["a"], "violation": "yes"}, "'violation' is 'yes': give true or false"),
        ({"facts": ["a"], "violation": 2}, "'violation' is '2'"),
        ({"facts": ["a"], "violated_articles": "3"}, "give a list of articles"),
        ({"facts": ["a"], "violation": True, "decisive": [1]}, "from 0 to 0"),
        ({"facts": ["a"], "violation": True, "decisive": [True]}, "must be a list of numbers of facts"),
        ({"facts": ["a"], "violation": True, "decisive": "0"}, "must be a list of numbers of facts"),
        ({"TEXT": "one long text", "violation": True}, "'TEXT' must be a list of texts"),
        ({"case_id": "", "facts": ["a"], "violation": True}, "'case_id' is ''"),
        ({"facts": ["\ud800"], "violation": True}, "half a surrogate pair"),
        ({"facts": [""], "violation": True}, "must be a text that is not empty"),
    ],
)
def test_what_is_no_labelled_case_is_an_error_with_its_line(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    file = written(tmp_path, {"facts": ["first"], "violation": False}, record)
    with pytest.raises(BadFile, match=r"cases\.jsonl, line 2: ") as error:
        read_labelled(file)
    assert message in str(error.value)


def test_an_article_is_not_known_of_a_mere_violation(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="leave out --article"):
        read_labelled(written(tmp_path, {"facts": ["a"], "violation": True}), "3")


@each_case(
    ("text", "message"),
    [
        ("[]", "must be a JSON object"),
        ("{", "not JSON"),
        ("[" * 100_000, "more than 64 levels deep"),
        ('{"TEXT": []}', "'TEXT'"),
    ],
)
def test_a_file_of_a_folder_that_is_no_case_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(BadFile, match=r"a\.json") as error:
        read_labelled(tmp_path)
    assert message in str(error.value)


def test_an_empty_folder_and_ids_that_are_there_twice(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="has no cases"):
        read_labelled(tmp_path)
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps(ECHR))
    with pytest.raises(BadFile, match=r"b\.json: id '001-83979' occurs twice"):
        read_labelled(tmp_path)


def decided(pairs: list[tuple[bool, float]]) -> list[DecidedCase]:
    return [DecidedCase(str(i), truth, p, facts=4, top=1, top_fact="") for i, (truth, p) in enumerate(pairs)]


def test_by_hand() -> None:
    # 3 violations found, 1 missed; 2 others taken for one, 4 not: accuracy 7/10, precision 3/5, recall 3/4, F1 6/9
    pairs = [(True, 0.9)] * 3 + [(True, 0.1)] + [(False, 0.5)] * 2 + [(False, 0.49)] * 4
    measures = measured(decided(pairs), 0.5)
    assert (measures.true_positives, measures.false_negatives, measures.false_positives, measures.true_negatives) == (
        3,
        1,
        2,
        4,
    )
    assert measures.accuracy.value == 0.7
    assert measures.violation.precision.value == 3 / 5
    assert measures.violation.recall.value == 3 / 4
    assert measures.violation.f1.value == pytest.approx(6 / 9)
    assert measures.no_violation.precision.value == 4 / 5
    assert measures.no_violation.recall.value == 4 / 6
    assert measures.no_violation.f1.value == pytest.approx(8 / 11)
    assert measures.macro_f1.value == pytest.approx((6 / 9 + 8 / 11) / 2)
    assert (measures.majority, measures.violations, measures.attention) == (0.6, 4, None)
    exact = scipy.stats.binomtest(7, 10).proportion_ci(0.95)
    assert (measures.accuracy.interval.lower, measures.accuracy.interval.upper) == pytest.approx((exact.low, exact.high))


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=40), st.floats(0.1, 0.9))
def test_the_numbers_are_those_of_scikit_learn(pairs: list[tuple[bool, float]], threshold: float) -> None:
    from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score  # type: ignore[import-untyped]

    measures = measured(decided(pairs), threshold)
    truth, flags = [yes for yes, _ in pairs], [p >= threshold for _, p in pairs]
    assert measures.accuracy.value == pytest.approx(accuracy_score(truth, flags))
    for of, label in ((measures.violation, True), (measures.no_violation, False)):
        for ours, theirs in ((of.precision, precision_score), (of.recall, recall_score), (of.f1, f1_score)):
            expected = theirs(truth, flags, pos_label=label, zero_division=np.nan)
            if ours.value is None:
                assert np.isnan(expected)
            else:
                assert ours.value == pytest.approx(expected)
                assert ours.value in ours.interval
    if measures.macro_f1.value is not None:
        assert measures.macro_f1.value in measures.macro_f1.interval


def test_the_papers_own_numbers_fit_together() -> None:
    """F1 is the harmonic mean of precision and recall (Table 15)."""
    paper = published("measures")
    harmonic = 2 * paper["precision"] * paper["recall"] / (paper["precision"] + paper["recall"])
    assert round(harmonic, 3) == paper["f1"]
    assert (paper["accuracy"], *published("training").values(), *published("flips").values()) == (
        0.816,
        7,
        64,
        0.001,
        0,
        0.5,
        0.07,
    )


def test_nothing_observed_is_no_number() -> None:
    measures = measured(decided([(False, 0.1), (False, 0.2)]), 0.5)
    assert (measures.violation.recall.value, measures.violation.f1.value, measures.macro_f1.value) == (None, None, None)
    assert measures.violation.recall.interval.upper == 1.0
    assert share(0, 0).n == 0


def test_the_interval_of_f1_covers() -> None:
    """Cases whose F1 is 2*.4/(2*.4+.1+.1) = .8 in truth; 95% intervals miss it in 5% of 2,000 rounds at most."""
    rng = np.random.default_rng(0)
    cells = rng.multinomial(120, [0.4, 0.1, 0.1, 0.4], 2_000)
    missed = sum(0.8 not in f1(*map(int, row[:3])).interval for row in cells)
    assert missed / 2_000 < 0.05 + 3 * (0.05 * 0.95 / 2_000) ** 0.5


def test_attention_by_hand() -> None:
    cases = [
        DecidedCase("a", True, 0.9, facts=4, top=1, top_fact="", decisive=(1, 2), on_decisive=0.75),
        DecidedCase("b", False, 0.9, facts=5, top=0, top_fact="", decisive=(3,), on_decisive=0.25),
        DecidedCase("c", False, 0.9, facts=5, top=0, top_fact=""),
    ]
    attention = measured(cases, 0.5).attention
    assert attention is not None
    assert (attention.top.value, attention.top.n, attention.weight.value) == (0.5, 2, 0.5)
    assert (attention.top_violation.value, attention.top_none.value) == (1.0, 0.0)
    assert attention.chance == pytest.approx((2 / 4 + 1 / 5) / 2)


def test_a_planted_rule_is_learnt_and_attention_falls_on_the_planted_fact() -> None:
    measures = measured(training(200).decided, 0.5)
    assert measures.accuracy.interval.lower > 0.9
    assert measures.attention is not None
    assert measures.attention.top.interval.lower > 0.9
    assert measures.attention.weight.interval.lower > 0.8
    assert measures.attention.chance == 1 / 8  # one planted fact of eight


@pytest.mark.long
def test_turned_over_labels_cannot_be_learnt() -> None:
    """Labels drawn by a coin have nothing to do with the facts, so neither has accuracy."""
    rng = np.random.default_rng(3)
    cases = [LabelledCase(case.case, bool(rng.integers(2)), case.decisive) for case in labelled(200, seed=4)]
    config = TrainingConfig(starts=1, steps=100, units=8, dimensions=50)
    measures = measured(train(divided(cases, None, None, config), config).decided, 0.5)
    assert 0.5 in measures.accuracy.interval


def test_the_minimum_of_a_loss_is_where_its_gradient_vanishes() -> None:
    rng = np.random.default_rng(0)
    sets = Sets.of([rng.standard_normal((int(n), 4)) for n in rng.integers(1, 6, 60)])
    truth = rng.integers(0, 2, 60).astype(float)
    fitted = fit_head((sets, truth), (sets, truth), TrainingConfig(units=3, starts=2))
    assert all(search.converged for search in fitted.searches)
    _, gradient = loss_and_gradient(fitted.head, sets, truth, fitted.chosen.penalty)
    assert float(np.abs(gradient).max()) < 1e-3
    losses = [search.training_loss for search in fitted.searches[:4]]
    assert losses == sorted(losses, reverse=True)  # the smaller the penalty, the closer the fit
    assert fitted.chosen.validation_loss == min(search.validation_loss for search in fitted.searches)


@pytest.mark.long
def test_the_same_seed_gives_the_same_head() -> None:
    cases = labelled(60)

    def trained(seed: int) -> Training:
        config = TrainingConfig(starts=2, steps=60, units=8, dimensions=50, seed=seed)
        return train(divided(cases, None, None, config), config)

    first, again = trained(1), trained(1)
    assert np.array_equal(first.fitted.head.numbers, again.fitted.head.numbers)
    assert first.decided == again.decided
    assert not np.array_equal(first.fitted.head.numbers, trained(2).fitted.head.numbers)


def test_parts_are_disjoint_and_repeated_cases_are_left_out_and_counted() -> None:
    cases = labelled(60)
    copy = LabelledCase(LegalCase("another id", cases[0].case.facts), cases[0].violation)
    renamed = LabelledCase(LegalCase(cases[1].case.id, ("Something else.",)), True)
    division = divided(cases, None, [copy, renamed, *labelled(5, seed=9, prefix="t")], TrainingConfig())
    assert (len(division.training), len(division.validation), len(division.held_out)) == (48, 12, 5)
    assert division.repeated == 2
    drawn = divided(cases, None, None, TrainingConfig())
    parts = (drawn.training, drawn.validation, drawn.held_out)
    assert [len(part) for part in parts] == [36, 9, 15]
    assert len({case.case.id for part in parts for case in part}) == 60
    named = divided(cases, labelled(4, seed=8, prefix="d"), labelled(5, seed=9, prefix="t"), TrainingConfig())
    assert len(named.training) == 60


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ([case for case in labelled(60) if case.violation], "training needs at least 4 of either label"),
        (labelled(6), "training needs at least 4 of either label"),
    ],
)
def test_too_little_is_said(cases: list[LabelledCase], message: str) -> None:
    with pytest.raises(NotEnoughEvidence, match=message):
        divided(cases, None, None, TrainingConfig())


def test_a_part_without_cases_is_said() -> None:
    cases = labelled(60)
    with pytest.raises(NotEnoughEvidence, match=r"no cases for the test: .* all 60 are in an earlier set: give other"):
        divided(cases, None, cases, TrainingConfig())
    with pytest.raises(NotEnoughEvidence, match="no cases for the test: give more cases, a larger share of them, or"):
        divided(cases, None, None, TrainingConfig(held_out=0.001))
    with pytest.raises(NotEnoughEvidence, match="no cases to choose the penalty"):
        divided(cases, cases, labelled(5, seed=9, prefix="t"), TrainingConfig())


def test_labels_are_numbers_in_order() -> None:
    assert labels_of(labelled(4)).tolist() == [0.0, 1.0, 0.0, 1.0]


def test_the_gradient_of_scipys_own_check() -> None:
    rng = np.random.default_rng(5)
    sets = Sets.of([rng.standard_normal((n, 3)) for n in (1, 4, 2)])
    truth = np.array([1.0, 0.0, 1.0])
    head = AttentionHead.from_numbers(rng.standard_normal(2 * 3 + 2 + 2 + 3 + 1), 3, 2)

    def loss(numbers: np.ndarray) -> float:
        return loss_and_gradient(AttentionHead.from_numbers(numbers, 3, 2), sets, truth, 0.1)[0]

    def gradient(numbers: np.ndarray) -> np.ndarray:
        return loss_and_gradient(AttentionHead.from_numbers(numbers, 3, 2), sets, truth, 0.1)[1]

    assert scipy.optimize.check_grad(loss, gradient, head.numbers) < 1e-6
