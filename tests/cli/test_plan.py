import pytest

from tests.cli.conftest import Refuses, Viva

FEW = ("--simulations", "200")
FIRST = ("--delta", str(0.05 / 0.9))
"""A first attempt has nine tenths of it: 5%."""


def test_the_lengths_are_those_of_the_exact_boundary(viva: Viva) -> None:
    planned = viva("plan", "--ridiculous-limit", "0.00052", "--score", "0.95", *FEW, *FIRST, "--json").values
    # the exact boundary at w0 = .5, worked out with another program: 6,282 clean answers, or 13,640 with one ridiculous
    assert planned["figures"]["questions_with_ridiculous_answers"] == [6282, 13640, 18141, 22238, 26034]
    assert planned["figures"]["forecasts"][0]["questions"]["median"] >= 6282


def test_a_test_length_gives_the_limit(viva: Viva) -> None:
    planned = viva("plan", "--test-length", "100", "--score", "0.95", *FEW, "--json").values
    assert round(planned["figures"]["ridiculous_limit"], 8) == 0.00051280  # 1 - .95^(1/100), by hand


def test_money_is_price_times_questions(viva: Viva) -> None:
    command = ("plan", "--score", "0.95", "--ridiculous-limit", "none", *FEW, "--price", "0.5")
    forecast = viva(*command, "--json").values["figures"]["forecasts"][0]
    assert abs(forecast["money"] - 0.5 * forecast["questions"]["mean"]) < 1e-9
    assert "money" in viva(*command).out


def test_every_assumption_has_a_row_and_chances_add_up(viva: Viva) -> None:
    ended = viva("plan", "--score", "0.5", "--score", "0.95", "--ridiculous", "0", "--ridiculous", "0.02", *FEW, "--json")
    forecasts = ended.values["figures"]["forecasts"]
    assert len(forecasts) == 4
    for forecast in forecasts:
        assert abs(sum(chance["chance"] for chance in forecast["chances"].values()) - 1) < 1e-9
    assert forecasts[0]["chances"]["fail"]["chance"] > 0.9
    assert len(viva("plan", "--score", "0.5", *FEW).out.splitlines()) < 10


def test_shares_above_one_are_refused(refuses: Refuses) -> None:
    refuses("plan", "--score", "0.9", "--ridiculous", "0.2", says="add up")


@pytest.mark.long
def test_strata_and_weights_have_their_price(viva: Viva) -> None:
    command = ("plan", "--ridiculous-limit", "0.00052", "--score", "0.95", *FEW, *FIRST)
    planned = viva(*command, "--strata", "0.5,0.3,0.15,0.05", "--largest-weight", "4", "--json").values
    assert planned["figures"]["clean_answers_with_strata"] == 6135  # by another program 6,167
    # 4 times 6,282, but for the curvature of the logarithm
    assert abs(planned["figures"]["clean_answers_with_largest_weight"] / (4 * 6282) - 1) < 0.001
    assert "no pass is possible" in viva(*command, "--largest-weight", "4").out


def test_strata_that_are_no_shares_are_refused_before_anything_is_simulated(
    refuses: Refuses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vivavoce.certificate.plan.estimate_power", None)  # to call it would be an error
    refuses("plan", "--strata", "0.5,0.6", *FEW, says="add up to 1")
    refuses("plan", "--strata", "half", *FEW, says="with commas")
    refuses("plan", "--strata", "0.5,0.5", "--ridiculous-limit", "none", *FEW, says="set one")
