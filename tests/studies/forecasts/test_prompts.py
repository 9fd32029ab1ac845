import hashlib

import pytest

from vivavoce.errors import UnknownName
from vivavoce.interview.candidate import Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.reading import read
from vivavoce.interview.requests import full_prompt
from vivavoce.studies.forecasting.config import Variant
from vivavoce.studies.forecasting.prompts import PROBABILITIES, VARIANTS, ForecastKind, forecast_prompt

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


@pytest.mark.parametrize("kind", ForecastKind)
@pytest.mark.parametrize("variant", VARIANTS)
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


@pytest.mark.parametrize("kind", ForecastKind)
@pytest.mark.parametrize("variant", VARIANTS)
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
