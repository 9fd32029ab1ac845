"""Prompts, and ways to ask against each other."""

from __future__ import annotations

import asyncio
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.each_case import each_case
from tests.studies.forecasts.forecasters import probability_tuples
from tests.studies.forecasts.listeners import Listener, deaf_metric, negations
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence, UnknownName
from vivavoce.interview.candidate import Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read
from vivavoce.interview.requests import full_prompt
from vivavoce.interview.transcript import Transcript
from vivavoce.studies.comparisons import adjusted
from vivavoce.studies.config import ForecastsConfig, Variant, VariantsConfig
from vivavoce.studies.forecasting.counting import ForecastFinding, by_law, comparisons_of
from vivavoce.studies.forecasting.forecast_files import QuestionTuple, Row
from vivavoce.studies.forecasting.planning import AskedWay, read_instructions, way_named, ways_of
from vivavoce.studies.forecasting.prompts import PROBABILITIES, VARIANTS, ForecastKind, forecast_prompt
from vivavoce.studies.forecasting.scoring import score_each
from vivavoce.studies.study import Source
from vivavoce.studies.variants import ask, compare_ways

QUESTION = "Will it snow in Rome in 2040?"


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_worked_example_is_what_is_wanted(variant: Variant) -> None:
    prompts = [forecast_prompt(f"Will event {n} happen?", variant=variant) for n in range(300)]
    examples = {prompt.shown[0].replied: prompt for prompt in prompts}
    assert len(examples) == len(PROBABILITIES) == 12
    values: list[float] = []
    for replied, prompt in examples.items():
        assert prompt.form is not None
        assert prompt.shown[0].asked.startswith("Question: ")
        assert len(replied.splitlines()) > 3  # it thinks before it answers
        values.append(prompt.form.read(replied).value or 0.0)
        # the percentage in words is that of the last line
        assert f"{values[-1]:.0%}" in replied
        assert full_prompt(prompt).text == f"{prompt.text}\n\n{prompt.form.instruction}"
    # all over (0, 1), and no two alike
    assert sorted(values) == sorted(worked.probability for worked in PROBABILITIES)
    assert {int(4 * value) for value in values} == {0, 1, 2, 3}
    assert len(set(values)) == 12


def test_quantities_have_examples_of_their_own() -> None:
    prompts = [forecast_prompt(f"How many of kind {n}?", ForecastKind.QUANTITY) for n in range(100)]
    values = {prompt.form.read(prompt.shown[0].replied).value for prompt in prompts if prompt.form is not None}
    assert values == {7, 8900, 6130, 11}  # read with the eye


def test_equal_questions_are_shown_one_example() -> None:
    assert forecast_prompt(QUESTION) == forecast_prompt(QUESTION, temperature=0)


@each_case("kind", ForecastKind)
@each_case("variant", VARIANTS)
def test_a_worked_example_said_back_is_a_copy_and_no_instruction_is_a_forecast(kind: ForecastKind, variant: Variant) -> None:
    prompt = forecast_prompt(QUESTION, kind, variant=variant)
    copied = read(prompt, Reply(prompt.shown[0].replied))
    assert (copied.outcome, copied.value) == (Outcome.COPIED, None)
    after = read(prompt, Reply(prompt.shown[0].replied, further=Reply("0.25")))
    assert (after.value, after.after_turn) == (0.25, True)
    for text in (prompt.system, full_prompt(prompt).text):
        for piece in (text, *text.splitlines(), *text.split(". ")):
            assert read(prompt, Reply(piece or "-")).value is None, piece


def test_variants_say_what_to_derive_and_show_it() -> None:
    plain, opposite, canonical = (forecast_prompt(QUESTION, variant=variant) for variant in VARIANTS)
    assert len({plain.system, opposite.system, canonical.system}) == 3
    assert opposite.shown[0].replied.startswith("Opposite question: ")
    assert canonical.shown[0].replied.startswith("Canonical question: ")
    assert "Opposite" not in plain.shown[0].replied + canonical.shown[0].replied
    assert forecast_prompt(QUESTION, ForecastKind.QUANTITY, variant="opposite") == forecast_prompt(
        QUESTION, ForecastKind.QUANTITY
    )


def test_a_question_is_named_by_its_digest() -> None:
    # hashlib on the question alone, so that anybody can make a file of recorded answers
    assert forecast_prompt(QUESTION).id == hashlib.sha256(QUESTION.encode()).hexdigest()[:16]
    assert forecast_prompt("lone \ud800 half").id == hashlib.sha256(b"lone ? half").hexdigest()[:16]


def test_the_temperature_may_be_the_candidates_own() -> None:
    assert forecast_prompt(QUESTION, temperature=None).temperature is None


def test_a_variant_that_there_is_not_is_named() -> None:
    with pytest.raises(UnknownName, match="did you mean 'opposite'"):
        forecast_prompt(QUESTION, variant="oposite")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("variant", "example", "value", "wording"),
    [
        ("plain", "[Q] Will China’s CO2 emissions peak before 2030?", 0.9, "consider multiple views"),
        (
            "opposite",
            "[Q] Will over half of the US Senate be women in 2035?",
            0.1,
            "you should derive the opposite of the question",
        ),
        (
            "canonical",
            "[Q] By 2035, will women occupy more than 50% of the seats in the US Senate?",
            0.1,
            "derive the *canonical* version of the question",
        ),
    ],
)
def test_printed_prompts_are_those_of_the_boxes(variant: Variant, example: str, value: float, wording: str) -> None:
    # read in boxes 1, 3 and 4 with the eye
    prompt = forecast_prompt(QUESTION, variant=variant, wording="printed")
    assert prompt.form is not None
    assert full_prompt(prompt).text == f"[Q] {QUESTION}"
    assert wording in prompt.system
    assert prompt.system.endswith("produce the final numerical answer in the last line, like this: [Answer] 0.5")
    assert prompt.shown[0].asked == example
    assert prompt.form.read(prompt.shown[0].replied).value == value
    assert prompt.shown[0].replied.splitlines()[-1] == f"[Answer] {value}"


@each_case("kind", ForecastKind)
@each_case("variant", VARIANTS)
def test_a_printed_prompt_said_back_is_no_forecast(kind: ForecastKind, variant: Variant) -> None:
    prompt = forecast_prompt(QUESTION, kind, variant=variant, wording="printed")
    assert read(prompt, Reply(prompt.shown[0].replied)).outcome == Outcome.COPIED
    for text in (prompt.system, full_prompt(prompt).text):
        for piece in (text, *text.splitlines(), *text.split(". ")):
            assert read(prompt, Reply(piece or "-")).value is None, piece
    assert read(prompt, Reply("It hardly ever snows there.\n[Answer] 0.05")).value == 0.05


def test_the_printed_prompt_for_quantities_is_that_of_box_2() -> None:
    prompt = forecast_prompt("How many?", ForecastKind.QUANTITY, variant="opposite", wording="printed")
    assert prompt.form is not None
    assert prompt.form.read(prompt.shown[0].replied).value == 67
    assert prompt.system.endswith("like this: [Answer] 50.")
    assert prompt == forecast_prompt("How many?", ForecastKind.QUANTITY, wording="printed")


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
