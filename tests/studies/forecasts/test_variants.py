"""Ways to ask against laws: what is planted to mend and to harm is found, and nothing else."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.studies.forecasts.forecasters import probability_tuples
from tests.studies.forecasts.listeners import Listener, deaf_metric, negations
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence, UnknownName
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.studies.comparisons import adjusted
from vivavoce.studies.forecasting.config import ForecastsConfig, VariantsConfig
from vivavoce.studies.forecasting.counting import ForecastFinding, by_law, comparisons_of
from vivavoce.studies.forecasting.forecast_files import Row
from vivavoce.studies.forecasting.prompts import forecast_prompt
from vivavoce.studies.forecasting.scoring import score_each
from vivavoce.studies.forecasting.tuples import QuestionTuple
from vivavoce.studies.forecasting.ways import AskedWay, read_instructions, way_named, ways_of
from vivavoce.studies.study import Source
from vivavoce.studies.variants import ask, compare_ways

BASE = ForecastsConfig(repeats=1, control=0)
NEGATIONS = negations(30)
BAYES = [
    replace(question_tuple, base=(question_tuple.id,))
    for question_tuple in probability_tuples(30)
    if question_tuple.law == "bayes"
]
PARAPHRASES = [question_tuple for question_tuple in probability_tuples(12) if question_tuple.law == "paraphrase"]


def ways(tmp_path: Path, *names: str) -> list[AskedWay]:
    (tmp_path / "mend.txt").write_text("Mind every word of the question: MENDS it. It HARMS nothing.")
    given = tuple(name.replace("mend.txt", str(tmp_path / "mend.txt")) for name in names)
    return ways_of(VariantsConfig(given), BASE)


def found(tuples: list[QuestionTuple], of: list[AskedWay], who: Listener | None = None) -> ForecastFinding:
    listener = who or Listener(mends="MENDS", harms="HARMS")

    async def examined() -> ForecastFinding:
        with Transcript.open(None) as transcript:
            interviews = [Interview(listener, answers=Reply, transcript=transcript) for _ in of]
            asked = await ask(interviews, tuples, of)
        return compare_ways(listener.name, of, asked, [listener.name] * len(of), source=Source("made"), seed=0)

    return asyncio.run(examined())


def test_what_mends_negation_is_found_to_harm_bayes(tmp_path: Path) -> None:
    of = ways(tmp_path, "plain", "instructions:mend.txt", "together")
    made = found([*NEGATIONS, *BAYES, *PARAPHRASES], of)
    effect = {(comparison.first, comparison.treatment): comparison for comparison in made.comparisons}
    assert {key: comparison.verdict for key, comparison in effect.items()} == {
        ("mend.txt", "neg"): "better",
        ("mend.txt", "bayes"): "worse",
        ("mend.txt", "paraphrase"): "undecided",
        ("together", "neg"): "better",
        ("together", "bayes"): "undecided",
        ("together", "paraphrase"): "undecided",
    }
    # by hand: alone it gives p twice; with the instructions, and in one conversation, the metric is 0
    true = -float(np.mean(deaf_metric(NEGATIONS)))
    strong = -float(np.mean([gap > 0.2 for gap in deaf_metric(NEGATIONS)]))
    for variant in ("mend.txt", "together"):
        comparison = effect[variant, "neg"]
        assert comparison.difference.value == pytest.approx(true, abs=1e-5)
        assert comparison.rate.value == pytest.approx(strong)
        assert comparison.difference.interval.lower < true < comparison.difference.interval.upper < 0
    assert not any("other words" in caveat for caveat in made.caveats)
    assert made.headline == (
        "Asked by mend.txt, test:listener contradicts itself less on Negation and more on Bayes' rule than by plain. "
        "Asked by together, test:listener contradicts itself less on Negation than by plain."
    )


def test_the_finding_as_json(tmp_path: Path) -> None:
    made = found([*NEGATIONS, *BAYES], ways(tmp_path, "plain", "instructions:mend.txt"))
    values = json.loads(json.dumps(made.as_json(), allow_nan=False))
    assert (values["kind"], values["candidates"]) == ("variants", ["test:listener"])
    assert [variant["variant"] for variant in values["details"]["ways"]] == ["plain", "mend.txt"]
    assert len(values["details"]["ways"][1]["instructions"]) == 64
    assert [(value["subject"], value["name"]) for value in values["figures"]["treatments"]] == [
        ("plain", "neg"), ("plain", "bayes"), ("mend.txt", "neg"), ("mend.txt", "bayes"),
    ]  # fmt: skip
    compared = values["figures"]["comparisons"]
    assert [(entry["first"], entry["second"], entry["treatment"], entry["verdict"]) for entry in compared] == [
        ("mend.txt", "plain", "neg", "better"), ("mend.txt", "plain", "bayes", "worse"),
    ]  # fmt: skip


def test_the_same_way_twice_makes_no_difference() -> None:
    """Two labels, one way: whatever chance there is in the replies is the only difference, and there is none."""
    made = found(NEGATIONS, [AskedWay("one", BASE), AskedWay("two", BASE)])
    (comparison,) = made.comparisons
    assert (comparison.verdict, comparison.difference.value, comparison.rate.value) == ("undecided", 0.0, 0.0)
    assert made.headline == "No significant difference between 2 ways to ask test:listener on Negation."


def test_a_way_that_was_not_reached_is_said() -> None:
    listener = Listener()

    async def examined() -> ForecastFinding:
        from vivavoce.interview.budget import Budget, SharedBudget

        of, shared = [AskedWay("one", BASE), AskedWay("two", BASE)], SharedBudget(Budget(questions=40))
        interviews = [Interview(listener, answers=Reply, concurrency=1, budget=shared.share()) for _ in of]
        asked = await ask(interviews, negations(15), of)
        return compare_ways("x", of, asked, ["x", "x"])

    made = asyncio.run(examined())
    assert "two: 5 of 15 tuples were asked." in made.statement
    assert made.comparisons[0].n == 5


def test_p_values_are_adjusted_for_all_comparisons() -> None:
    """Holm's rule by hand: the k-th smallest of m is multiplied by m - k + 1, and never falls below the one before."""
    rng = np.random.default_rng(3)
    shifts = {"a": 0.2, "b": 0.2, "c": 0.17, "d": 0.1, "e": 0.25}
    rows = [
        Row(variant, "neg", {"P": 0.5, "not_P": 0.5 + min(0.5, max(0.0, float(rng.normal(shift, 0.1))))}, f"{n}")
        for variant, shift in shifts.items()
        for n in range(24)
    ]
    pairs = [(variant, "a") for variant in "bcde"]
    made = adjusted(comparisons_of(by_law(score_each(rows)), pairs, rng=np.random.default_rng(0))[1])
    ranked = sorted(made, key=lambda comparison: comparison.p or 0)
    least = 0.0
    for rank, comparison in enumerate(ranked):
        assert comparison.p is not None
        least = max(least, min(1.0, comparison.p * (len(ranked) - rank)))
        assert comparison.p_adjusted == pytest.approx(least)
    assert [comparison.first for comparison in made] == ["b", "c", "d", "e"]


def test_names_of_ways(tmp_path: Path) -> None:
    (tmp_path / "a+b.txt").write_text(" Be careful. \n")
    variant = way_named(f"together+instructions:{tmp_path / 'a+b.txt'}", BASE)
    assert (variant.label, variant.config.together) == ("together+a+b.txt", True)
    assert variant.instructions is not None
    assert variant.instructions.text == "Be careful."
    assert way_named("candidate:chat:m@http://h/v1?a=1+2", BASE).candidate == "chat:m@http://h/v1?a=1+2"
    assert way_named("together+opposite", BASE).config.variant == "opposite"
    with pytest.raises(UnknownName, match="no variant 'opposit'; did you mean 'opposite'"):
        way_named("opposit", BASE)
    with pytest.raises(BadInput, match="two variants are called 'plain'"):
        ways_of(VariantsConfig(("plain", "plain")), BASE)
    with pytest.raises(BadInput, match="at least two"):
        VariantsConfig(("plain",))
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(BadFile, match="the instructions are empty"):
        read_instructions(tmp_path / "empty.txt")
    (tmp_path / "long.txt").write_text("x" * 30_000)
    with pytest.raises(BadFile, match="more than 20000 characters"):
        read_instructions(tmp_path / "long.txt")


def test_instructions_stand_in_place_of_ours_and_change_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Be careful.")
    own = read_instructions(tmp_path / "a.txt")
    ours, theirs = forecast_prompt("Will it?"), forecast_prompt("Will it?", instructions=own)
    assert theirs.system == "Be careful."
    assert (theirs.text, theirs.shown, theirs.form, theirs.id) == (ours.text, ours.shown, ours.form, ours.id)
    printed = forecast_prompt("Will it?", instructions=own, wording="printed")
    assert (printed.system, printed.text) == ("Be careful.", forecast_prompt("Will it?", wording="printed").text)


def test_nothing_asked_is_not_enough() -> None:
    with pytest.raises(NotEnoughEvidence):
        found([], [AskedWay("one", BASE), AskedWay("two", BASE)])
