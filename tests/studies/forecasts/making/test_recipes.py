import re
from collections.abc import Callable
from itertools import product

import pytest

from vivavoce.errors import BadInput, UnknownName
from vivavoce.laws.law import law_named
from vivavoce.studies.forecasting.config import MakingConfig
from vivavoce.studies.forecasting.making.recipes import (
    COMPOSED_LAWS,
    MADE_LAWS,
    composed,
    composed_recipe,
    written_recipe,
)

MEANINGS: dict[str, Callable[..., bool]] = {
    "not_P": lambda p: not p,
    "P_and_Q": lambda p, q: p and q,
    "P_or_Q": lambda p, q: p or q,
    "P_and_not_Q": lambda p, q: p and not q,
    "Q_and_not_P": lambda p, q: q and not p,
    "neither": lambda p, q: not p and not q,
    "P_and_Q_and_R": lambda p, q, r: p and q and r,
}
PHRASES: dict[str, Callable[..., bool]] = {
    "Will the answer to this question be no": lambda a: not a,
    "Will the answers to both of these questions be yes": lambda a, b: a and b,
    "Will the answers to both of these questions be no": lambda a, b: not a and not b,
    "Will the answer to at least one of these questions be yes": lambda a, b: a or b,
    "Will the answer to (a) be yes and the answer to (b) no": lambda a, b: a and not b,
    "Will the answers to all of these questions be yes": lambda a, b, c: a and b and c,
}
"""What the English says, read apart from the code."""


@pytest.mark.parametrize("law", COMPOSED_LAWS)
def test_what_is_composed_says_in_english_what_its_name_says(law: str) -> None:
    recipe = composed_recipe(law)
    document = composed(recipe, {"P": "Pp?", "Q": "Qq?", "R": "Rr?"})
    for key in document.keys() & MEANINGS.keys():
        phrase, _, about = document[key].partition(": ")
        quoted = re.findall(r"“(\w)\w\?”", about)
        for p, q, r in product([False, True], repeat=3):
            truth = {"P": p, "Q": q, "R": r}
            meant = [truth[name] for name in "PQR" if name in recipe.base]
            assert PHRASES[phrase](*(truth[name] for name in quoted)) == MEANINGS[key](*meant), key


def test_conditions_by_template() -> None:
    document = composed(composed_recipe("expected-evidence"), {"P": "Rain?", "Q": "Clouds?"})
    assert document == {
        "P_given_Q": "Given that the answer to “Clouds?” is yes: Rain?",
        "P_given_not_Q": "Given that the answer to “Clouds?” is no: Rain?",
    }
    document = composed(composed_recipe("cond-cond"), {"P": "A?", "Q": "B?", "R": "C?"})
    assert document["Q_given_P"] == "Given that the answer to “A?” is yes: B?"
    assert document["R_given_P_and_Q"] == "Given that the answers to “A?” and “B?” are both yes: C?"


def test_braces_in_a_question_stay_what_they_are() -> None:
    document = composed(composed_recipe("and"), {"P": "Will {Q} be {0.__class__}?", "Q": r"Will \1 {P}?"})
    assert document["P_and_Q"].endswith(r"(a) “Will {Q} be {0.__class__}?” (b) “Will \1 {P}?”?")


@pytest.mark.parametrize("law", MADE_LAWS)
def test_a_writer_s_tuple_has_the_statements_of_its_law(law: str) -> None:
    recipe = written_recipe(law, MakingConfig(paraphrases=5, statements=4))
    assert set(law_named(law, recipe.keys).keys) == set(recipe.keys)
    assert set(recipe.keys) <= {*recipe.base, *(part.key for part in recipe.parts)}
    checked = {name for check in recipe.checks for name in check.about}
    assert {part.key for part in recipe.parts} <= checked, "nothing is written that nobody checks"


@pytest.mark.parametrize("law", COMPOSED_LAWS)
def test_a_composed_tuple_has_the_statements_of_its_law(law: str) -> None:
    recipe = composed_recipe(law)
    assert set(law_named(law, recipe.keys).keys) == set(recipe.keys)


def test_what_cannot_be_composed_or_made_is_refused_with_the_remedy() -> None:
    with pytest.raises(BadInput, match="--writer CANDIDATE"):
        composed_recipe("paraphrase")
    with pytest.raises(BadInput, match="--template"):
        composed_recipe("chain")
    for unknown in (composed_recipe, written_recipe):
        with pytest.raises(UnknownName, match="did you mean 'neg'"):
            unknown("negg")


def test_more_statements_than_a_law_can_have_are_refused() -> None:
    with pytest.raises(BadInput, match="the limit is 16"):
        written_recipe("chain", MakingConfig(statements=16))
    assert len(written_recipe("exclusive", MakingConfig(statements=15)).keys) == 16
