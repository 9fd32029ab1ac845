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
from vivavoce.studies.forecasting.config import ForecastsConfig, VariantsConfig
from vivavoce.studies.forecasting.scoring import score_each
from vivavoce.studies.forecasting.prompts import forecast_prompt
from vivavoce.studies.forecasting.forecast_files import Row
from vivavoce.studies.forecasting.tuples import QuestionTuple
from vivavoce.consistency.forecasts.variants.effects import effects
from vivavoce.consistency.forecasts.variants.examine import ask_in_ways, matrix
from vivavoce.consistency.forecasts.variants.finding import VariantMatrix
from vivavoce.studies.forecasting.ways import Way, read_instructions, way_named, ways_of
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence, UnknownName
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript

BASE = ForecastsConfig(repeats=1, control=0)
NEGATIONS = negations(30)
BAYES = [replace(one, base=(one.id,)) for one in probability_tuples(30) if one.law == "bayes"]
PARAPHRASES = [one for one in probability_tuples(12) if one.law == "paraphrase"]


def ways(tmp_path: Path, *names: str) -> list[Way]:
    (tmp_path / "mend.txt").write_text("Mind every word of the question: MENDS it. It HARMS nothing.")
    given = tuple(name.replace("mend.txt", str(tmp_path / "mend.txt")) for name in names)
    return ways_of(VariantsConfig(given), BASE)


def found(tuples: list[QuestionTuple], of: list[Way], who: Listener | None = None) -> VariantMatrix:
    listener = who or Listener(mends="MENDS", harms="HARMS")

    async def ask() -> VariantMatrix:
        with Transcript.open(None) as transcript:
            interviews = [Interview(listener, answers=Reply, transcript=transcript) for _ in of]
            asked = await ask_in_ways(interviews, tuples, of)
        return matrix(listener.name, of, asked, [listener.name] * len(of), source="made", seed=0)

    return asyncio.run(ask())


def test_what_mends_negation_is_found_to_harm_bayes(tmp_path: Path) -> None:
    of = ways(tmp_path, "plain", "instructions:mend.txt", "together")
    made = found([*NEGATIONS, *BAYES, *PARAPHRASES], of)
    effect = {(one.variant, one.law): one for one in made.effects}
    assert {place: one.word for place, one in effect.items()} == {
        ("mend.txt", "neg"): "mended",
        ("mend.txt", "bayes"): "harmed",
        ("mend.txt", "paraphrase"): "not shown",
        ("together", "neg"): "mended",
        ("together", "bayes"): "not shown",
        ("together", "paraphrase"): "not shown",
    }
    # by hand: alone it gives p twice; with the instructions, and in one conversation, the metric is 0
    true = -float(np.mean(deaf_metric(NEGATIONS)))
    strong = -float(np.mean([gap > 0.2 for gap in deaf_metric(NEGATIONS)]))
    for variant in ("mend.txt", "together"):
        one = effect[variant, "neg"]
        assert one.mean.value == pytest.approx(true, abs=1e-5)
        assert one.strong.value == pytest.approx(strong)
        assert one.mean.interval.lower < true < one.mean.interval.upper < 0
    assert not any("other words" in caveat for caveat in made.caveats)
    assert made.headline == (
        "Asked by mend.txt, test:listener contradicts itself less on Negation, and more on Bayes' rule, than by plain. "
        "Asked by together, test:listener contradicts itself less on Negation than by plain."
    )


def test_the_matrix_as_json(tmp_path: Path) -> None:
    made = found([*NEGATIONS, *BAYES], ways(tmp_path, "plain", "instructions:mend.txt"))
    told = json.loads(json.dumps(made.as_json(), allow_nan=False))
    assert [one["variant"] for one in told["variants"]] == ["plain", "mend.txt"]
    assert len(told["variants"][1]["instructions"]) == 64
    assert [(one["variant"], one["law"]) for one in told["cells"]] == [
        ("plain", "neg"), ("plain", "bayes"), ("mend.txt", "neg"), ("mend.txt", "bayes"),
    ]  # fmt: skip
    first, *_, last = told["cells"]
    assert first["against_first"] is None
    assert last["against_first"]["effect"] == "harmed"
    assert {"value", "lower", "upper", "n"} <= set(first["mean"])
    assert (told["comparisons"], told["adjusted"], told["level"]) == (2, "holm", 0.05)


def test_the_same_way_twice_makes_no_difference() -> None:
    """Two labels, one way: whatever chance there is in the replies is the only difference, and there is none."""
    made = found(NEGATIONS, [Way("one", BASE), Way("two", BASE)])
    (one,) = made.effects
    assert (one.word, one.mean.value, one.strong.value) == ("not shown", 0.0, 0.0)
    assert "is not shown to contradict itself less or more on Negation than by one" in made.headline


def test_a_way_that_was_not_reached_is_said() -> None:
    listener = Listener()

    async def ask() -> VariantMatrix:
        from vivavoce.interview.budget import Budget, SharedBudget

        of, shared = [Way("one", BASE), Way("two", BASE)], SharedBudget(Budget(questions=40))
        interviews = [Interview(listener, answers=Reply, concurrency=1, budget=shared.share()) for _ in of]
        asked = await ask_in_ways(interviews, negations(15), of)
        return matrix("x", of, asked, ["x", "x"])

    made = asyncio.run(ask())
    assert any("two 5 of 15 tuples were asked" in caveat for caveat in made.caveats)
    assert made.effects[0].n == 5


def test_p_values_are_adjusted_for_all_comparisons() -> None:
    """Holm's rule by hand: the k-th smallest of m is multiplied by m - k + 1, and never falls below the one before."""
    rng = np.random.default_rng(3)
    shifts = {"a": 0.2, "b": 0.2, "c": 0.17, "d": 0.1, "e": 0.25}
    rows = [
        Row(way, "neg", {"P": 0.5, "not_P": 0.5 + min(0.5, max(0.0, float(rng.normal(shift, 0.1))))}, f"{n}")
        for way, shift in shifts.items()
        for n in range(24)
    ]
    made = effects(score_each(rows), tuple(shifts), rng=np.random.default_rng(0))
    ranked = sorted(made, key=lambda one: one.p or 0)
    least = 0.0
    for rank, one in enumerate(ranked):
        assert one.p is not None
        least = max(least, min(1.0, one.p * (len(ranked) - rank)))
        assert one.p_adjusted == pytest.approx(least)
    assert [one.variant for one in made] == ["b", "c", "d", "e"]


def test_names_of_ways(tmp_path: Path) -> None:
    (tmp_path / "a+b.txt").write_text(" Be careful. \n")
    way = way_named(f"together+instructions:{tmp_path / 'a+b.txt'}", BASE)
    assert (way.label, way.config.together) == ("together+a+b.txt", True)
    assert way.instructions is not None
    assert way.instructions.text == "Be careful."
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
        found([], [Way("one", BASE), Way("two", BASE)])
