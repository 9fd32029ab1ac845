import hashlib

import pytest

from vivavoce.consistency.forecasts.prompts import VARIANTS, Kind, forecast_prompt
from vivavoce.consistency.forecasts.reading import read_forecast
from vivavoce.errors import UnknownName
from vivavoce.interview.candidate import Reply

QUESTION = "Will it snow in Rome in 2040?"


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_worked_example_is_what_is_wanted(kind: Kind, variant: str) -> None:
    prompt = forecast_prompt(QUESTION, kind, variant=variant)  # type: ignore[arg-type]
    (example,) = prompt.shown
    assert example.asked.startswith("Question: ")
    assert len(example.replied.splitlines()) > 3  # it thinks before it answers
    # read with the eye: 0.35 for the Martian rocks, 7 countries on the Moon
    assert read_forecast(Reply(example.replied), kind).value == (0.35 if kind is Kind.PROBABILITY else 7)
    assert prompt.system.splitlines()[-1] == ("[Answer] 0.5" if kind is Kind.PROBABILITY else "[Answer] 50")
    assert prompt.text == f"Question: {QUESTION}"
    assert prompt.temperature == 0


def test_variants_say_what_to_derive_and_show_it() -> None:
    plain, opposite, canonical = (forecast_prompt(QUESTION, variant=variant) for variant in VARIANTS)
    assert len({plain.system, opposite.system, canonical.system}) == 3
    assert opposite.shown[0].replied.startswith("Opposite question: ")
    assert canonical.shown[0].replied.startswith("Canonical question: ")
    assert "Opposite" not in plain.shown[0].replied + canonical.shown[0].replied
    assert forecast_prompt(QUESTION, Kind.QUANTITY, variant="opposite") == forecast_prompt(QUESTION, Kind.QUANTITY)


def test_a_question_is_named_by_its_digest() -> None:
    # hashlib on the question alone, so that anybody can make a file of recorded answers
    assert forecast_prompt(QUESTION).id == hashlib.sha256(QUESTION.encode()).hexdigest()[:16]
    assert forecast_prompt("lone \ud800 half").id == hashlib.sha256(b"lone ? half").hexdigest()[:16]


def test_the_temperature_may_be_the_candidates_own() -> None:
    assert forecast_prompt(QUESTION, temperature=None).temperature is None


def test_a_variant_that_there_is_not_is_named() -> None:
    with pytest.raises(UnknownName, match="did you mean 'opposite'"):
        forecast_prompt(QUESTION, variant="oposite")  # type: ignore[arg-type]
