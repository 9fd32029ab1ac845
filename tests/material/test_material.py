"""The built-in questions and data: complete, consistent, and readable by the commands that they are for."""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest

from vivavoce.eqt.files import read_benchmark
from vivavoce.errors import UnknownName
from vivavoce.formats.lines import expanded
from vivavoce.generalization.pairs import BeliefPair, read_pairs
from vivavoce.generalization.predictors.model_store import fit_predictor, open_predictor
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.studies.config import BailConfig
from vivavoce.studies.defendants.decisions import cases_of, open_dataset
from vivavoce.studies.forecasting.forecast_files import read_tuples, tuple_as_json
from vivavoce.studies.forecasting.making.series import shipped_tuples

DATA = Path(os.environ.get("VIVA_DATA", "")) / "human_generalization"
ENDS = (date(2028, 1, 1), date(2045, 12, 31))


def entries(name: str) -> list[Mapping[str, Any]]:
    return [json.loads(line) for line in expanded(f"material:{name}.jsonl").read_text("utf-8").splitlines()]


def words(text: str) -> str:
    return " ".join(text.casefold().split())


def test_an_unknown_name_gets_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"did you mean 'defendants\.csv'"):
        expanded("material:defendant.csv")


def test_there_are_twenty_base_questions_in_each_of_ten_fields() -> None:
    base = entries("forecasts_base")
    fields = Counter(entry["field"] for entry in base)
    assert len(base) == len({entry["id"] for entry in base}) == 200
    assert set(fields.values()) == {20}
    assert len(fields) == 10


def test_each_base_question_is_dated_and_has_a_rule_that_decides_it() -> None:
    for entry in entries("forecasts_base"):
        assert ENDS[0] <= date.fromisoformat(entry["resolves"]) <= ENDS[1], entry["id"]
        texts = [entry["question"], entry["negation"], *entry["paraphrases"], entry["consequence"]]
        assert len(entry["paraphrases"]) == 2
        assert len(set(map(words, texts))) == 5, entry["id"]
        assert all(text.endswith("?") and len(text) <= 300 for text in texts), entry["id"]
        assert len(entry["body"]) > 20


def test_the_tuples_are_what_the_questions_give() -> None:
    """`python -m vivavoce.studies.forecasting.making.series` writes the file."""
    shipped = read_tuples(expanded("material:forecasts.jsonl"))
    assert list(map(tuple_as_json, shipped)) == list(map(tuple_as_json, shipped_tuples()))
    assert len({made.id for made in shipped}) == len(shipped)
    assert {made.status for made in shipped} == {"accepted"}


def test_all_laws_of_the_paper_have_tuples() -> None:
    laws = Counter(made.law for made in shipped_tuples())
    ten = ("neg", "paraphrase", "and", "or", "and-or", "but", "cond", "cond-cond", "consequence", "expected-evidence")
    assert all(laws[law] >= 40 for law in ten)
    assert laws["increasing"] + laws["decreasing"] == 30
    assert (laws["partition"], laws["chain"]) == (30, 40)


def test_what_is_decided_by_a_date_is_left_out() -> None:
    day = date(2033, 6, 30)
    dates = {entry["id"]: date.fromisoformat(entry["resolves"]) for entry in entries("forecasts_base")}
    left = shipped_tuples(day)
    assert 0 < len(left) < len(shipped_tuples())
    assert all(dates[name] > day for made in left for name in made.base if name in dates)


def test_obvious_questions_are_a_scope_of_ten_categories() -> None:
    scope = open_scope("obvious")
    assert isinstance(scope, ListedScope)
    assert scope.population == 300
    assert set(Counter(question.category for question in scope.questions).values()) == {30}
    assert len({words(question.text) for question in scope.questions}) == 300


def test_right_letters_of_obvious_questions_are_balanced() -> None:
    letters = Counter(entry["answer"] for entry in entries("obvious") if "options" in entry)
    assert set(letters) == set("ABCD")
    assert max(letters.values()) <= 1.3 * min(letters.values())


def test_variants_of_obvious_questions_keep_the_number_of_options_and_change_the_words() -> None:
    questions = {entry["id"]: entry for entry in entries("obvious") if "options" in entry}
    kinds = Counter[str]()
    for made in read_tuples(expanded("material:obvious_variants.jsonl")):
        kind, _, name = made.id.partition("/")
        (own, *options), (text, *others) = (made.questions[key].split("\n") for key in ("P", "para_P"))
        assert (own, options) == (questions[name]["question"], lettered(questions[name]["options"]))
        assert [option[:4] for option in others] == ["(A) ", "(B) ", "(C) ", "(D) "]
        assert len(set(others)) == 4
        assert words(text) != words(own)
        assert kind != "paraphrase" or others == options
        kinds[kind] += 1
    assert kinds["paraphrase"] == len(questions) == 200
    assert [kinds[f"translate:{language}"] for language in ("de", "fr", "es")] == [195, 195, 194]


def lettered(options: list[str]) -> list[str]:
    return [f"({letter}) {option}" for letter, option in zip("ABCD", options, strict=True)]


def test_the_model_of_beliefs_is_the_one_fitted_to_the_published_pairs() -> None:
    """`viva people predict fit survey_practice.csv --predictor stacked-logistic --out beliefs` writes it."""
    predictor, about = open_predictor(expanded("material:beliefs"))
    assert (about.predictor, about.n, about.changed, about.taught) == ("stacked-logistic", 246, 109, 0)
    biology, law = ("Which organ pumps blood?", "mmlu_anatomy"), ("What is a tort?", "mmlu_professional_law")
    near = BeliefPair(biology[0], "Which organ filters blood?", biology[1], biology[1], previous_correct=False)
    far = BeliefPair(biology[0], law[0], biology[1], law[1], previous_correct=False)
    chances = predictor.predict([near, far])
    assert chances[0] > 2 * chances[1]
    if not DATA.is_dir():
        pytest.skip("$VIVA_DATA does not name the research data folder")
    again = fit_predictor("stacked-logistic", read_pairs(DATA / "survey_practice.csv"), rng=np.random.default_rng(0))
    assert again.predict([near, far]) == pytest.approx(chances, rel=1e-6)


def test_accuracies_on_mmlu_pro_are_those_of_the_published_replies() -> None:
    shipped = {(entry.model, entry.category): entry for entry in read_benchmark(expanded("material:mmlu_pro.csv"))}
    assert len(shipped) == 17 * 14
    replies = DATA.parent / "mmlu_pro" / "predictions.csv.gz"
    if not replies.is_file():
        pytest.skip("$VIVA_DATA does not name the research data folder")
    for counted in read_benchmark(replies):
        entry = shipped[counted.model, counted.category]
        assert counted.interval is not None
        assert entry.interval is not None
        assert (entry.accuracy, entry.interval.lower, entry.interval.upper, *(entry.halves or ())) == pytest.approx(
            (counted.accuracy, counted.interval.lower, counted.interval.upper, *(counted.halves or ())), abs=5e-5
        )


def test_defendants_have_about_the_shares_of_the_real_ones() -> None:
    """ProPublica's 7,214 defendants: 81% men, 65% felonies, 34.8 years and 3.5 earlier crimes on average."""
    file = expanded("material:defendants.csv")
    with file.open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 150
    assert mean(row["sex"] == "Male" for row in rows) == pytest.approx(0.81, abs=0.05)
    assert mean(row["c_charge_degree"] == "F" for row in rows) == pytest.approx(0.65, abs=0.06)
    assert mean(int(row["age"]) for row in rows) == pytest.approx(34.8, abs=3)
    assert mean(int(row["priors_count"]) for row in rows) == pytest.approx(3.5, abs=0.5)
    assert len(cases_of(open_dataset(Path(file)), BailConfig(limit=150))) == 150


def test_cases_come_in_both_directions_with_a_fact_that_decides() -> None:
    cases = entries("cases")
    assert Counter(case["direction"] for case in cases) == {"violation": 30, "no violation": 30}
    assert all(6 <= len(case["facts"]) <= 9 and 0 <= case["decisive"] < len(case["facts"]) for case in cases)
