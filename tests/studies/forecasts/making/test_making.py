"""What is begun: which laws, of which base questions, with how many statements."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vivavoce.errors import BadInput
from vivavoce.studies.forecasting.config import MakingConfig
from vivavoce.studies.forecasting.making.making import begin
from vivavoce.studies.forecasting.making.questions import BaseQuestion

BASE = [BaseQuestion(str(n), f"Will event {n} happen before 2031?") for n in range(30)]
CONFIG = MakingConfig(laws=("and", "neg", "and"), limit=8, seed=2)


def ids(config: MakingConfig, law: str) -> list[str]:
    return [draft.id for draft in begin(BASE, config) if draft.recipe.law == law]


def test_each_law_is_begun_once_with_the_same_questions_of_the_limit() -> None:
    drafts = begin(BASE, CONFIG)
    assert [draft.recipe.law for draft in drafts] == ["and"] * 8 + ["neg"] * 8
    alone, paired = ({question.id for draft in half for question in draft.base.values()} for half in (drafts[8:], drafts[:8]))
    assert alone == paired
    assert len(alone) == 8


def test_what_is_drawn_for_a_law_depends_on_the_seed_and_on_no_other_law() -> None:
    assert ids(CONFIG, "and") == ids(replace(CONFIG, laws=("and",)), "and")
    assert ids(CONFIG, "and") != ids(replace(CONFIG, seed=3), "and")


def test_a_limit_beyond_the_file_takes_all_in_their_order() -> None:
    assert ids(replace(CONFIG, limit=31), "neg") == [f"neg/{n}" for n in range(30)]


def test_a_writer_adds_as_many_statements_as_are_wanted_and_a_template_composes_them() -> None:
    config = MakingConfig(laws=("paraphrase", "chain"), paraphrases=2, statements=4, limit=1)
    assert [len(draft.recipe.keys) for draft in begin(BASE, config)] == [3, 5]  # and P
    (composed,) = begin(BASE, replace(config, laws=("neg",)), by_template=True)
    assert composed.as_tuple().status == "accepted"
    with pytest.raises(BadInput, match="'paraphrase' cannot be composed by template"):
        begin(BASE, config, by_template=True)
