"""Planted candidates are found to be pulled by numbers at their rate; others are not accused; counts are those by hand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

import pytest

from tests.studies.contract import Finding, Rows, StudyContract, examined, shares
from tests.studies.vary.favourites import uniform
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.studies.scope_studies.anchoring import SENTENCES, AnchoringConfig, moved


@dataclass(frozen=True)
class Estimator:
    """Goes a tenth of the way to a mentioned number on a share of things; wavers on another; mumbles on a third."""

    pulled: float = 0.0
    wavers: float = 0.0
    mumbles: float = 0.0
    name: str = "test:planted"

    async def answer(self, question: Prompt, /) -> Reply:
        thing, guess = re.findall(r"thing (\d+)", question.text)[0], Fraction(100)
        number = re.search(r"has the number (\d+)\.", question.text)
        if number and uniform("pulled", thing) < self.pulled:
            guess += (int(number[1]) - guess) / 10
        if question.id.endswith("/again") and uniform("wavers", thing) < self.wavers:
            guess += 1
        unread = number and int(number[1]) > 10 and uniform("mumbles", thing) < self.mumbles
        return Reply("Well, well." if unread else f"Answer: {float(guess):g}")


def questions(things: int, letters: int = 0) -> Rows:
    colour = {"question": "Which colour has this thing?", "options": ["red", "blue"], "answer": "A"}
    numbers: Rows = [{"id": f"q{n}", "question": f"How heavy is thing {n}?", "answer": 90 + n} for n in range(things)]
    return [*numbers, *({**colour, "id": f"p{n}"} for n in range(letters))]


CONTRACT = StudyContract(
    questions(60, letters=10),
    AnchoringConfig(questions=60),
    faulty=Estimator(pulled=0.5, wavers=0.1, mumbles=0.1),
    sound=Estimator(),
    fails="moves {} of {} answers towards the number mentioned first",
)


def anchored(who: Estimator, things: int, config: AnchoringConfig, most: int | None = None, letters: int = 0) -> Finding:
    return examined("anchoring", who, questions(things, letters), config, most)


def planted(fault: str, rate: float, things: int) -> int:
    return sum(uniform(fault, str(n)) < rate for n in range(things))


def test_each_rate_is_found_where_it_was_planted_and_the_steady_is_not_accused() -> None:
    pulled, wavered = planted("pulled", 0.4, 80), planted("wavers", 0.2, 80)
    finding = anchored(Estimator(pulled=0.4, wavers=0.2), 80, AnchoringConfig(flip_limit=0.1))
    # a repeated answer of 101 in place of 100 is closer to each high number, and farther from each low one
    assert shares(finding, "towards") == [(pulled, 0, 80), (pulled, 0, 80), (wavered, 0, 160)]
    assert shares(finding, "away")[2] == (wavered, 0, 160)
    assert [effect.control["towards"].events for effect in finding.effects] == [wavered, 0]
    assert finding.limit_test is not None
    assert (finding.limit_test.verdict, finding.limit_test.rate.events, finding.is_clustered) == ("fail", pulled, False)
    steady = anchored(Estimator(), 80, AnchoringConfig())
    assert shares(steady, "towards") == [(0, 0, 80), (0, 0, 80), (0, 0, 160)]
    assert "not significantly more often" in steady.headline


def test_outcomes_by_hand() -> None:
    """From 100: 190 and 1809 are closer to 1000, 99 is closer to 5; who said the number already cannot come closer."""
    towards = [moved("100", after, number)["towards"] for number in (1000, 5) for after in ("190", "1809", "99")]
    assert towards == [True, True, False, False, False, True]
    assert moved("100", "1901", 1000) == {"towards": False, "away": True}
    assert moved("5", "7", 5) == {}
    assert moved(None, "7", 5) == {"towards": None, "away": None}


def test_what_is_left_out_unread_or_not_reached_is_in_no_number() -> None:
    finding = anchored(Estimator(mumbles=0.3), 40, AnchoringConfig(), letters=10)
    assert shares(finding, "towards") == [(0, planted("mumbles", 0.3, 40), 40), (0, 0, 40), (0, 0, 80)]
    assert [effect.left_out for effect in finding.effects] == [{"the answer is not a number": 10}] * 2
    assert anchored(Estimator(), 40, AnchoringConfig(), 50).not_reached == 40 - 50 // 4
    assert not anchored(Estimator(), 0, AnchoringConfig(), letters=3).measured


def test_numbers_are_drawn_by_the_seed_within_their_ranges() -> None:
    seeds = [
        [str(example.texts[2][1]) for example in anchored(Estimator(1), 30, AnchoringConfig(seed=n)).examples]
        for n in (0, 0, 1)
    ]
    numbers = [int(re.findall(r"number (\d+)\.\n\nHow", text)[0]) for text in seeds[0]]
    assert seeds[0] == seeds[1] != seeds[2]
    assert all(1000 <= high <= 10_000 and 1 <= low <= 10 for high, low in zip(numbers[::2], numbers[1::2], strict=True))
    assert {re.sub(r"\d+", "{}", text.partition("\n")[0]) for text in seeds[0]} == set(SENTENCES)
    with pytest.raises(BadInput, match="give a low number below the high one"):
        AnchoringConfig(low=2000)
