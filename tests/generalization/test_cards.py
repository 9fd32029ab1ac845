"""Cards with several answers: drawn, written, read, asked; hostile files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.certificate.by_batch import ByBatch
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.generalization.card_asking import ask_cards, card_prompt
from vivavoce.generalization.cards import Card, Seen, draw_cards, read_cards, write_cards
from vivavoce.generalization.pairs import Pair, Question
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview

PAIRS = [Pair(f"a{n}?", f"b{n}?", f"s{n % 3}", f"s{n % 3}", previous_correct=n % 2 == 0) for n in range(30)]
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1, max_size=30).filter(
    lambda text: text.strip()
)


def test_each_card_stands_there_with_each_answer_alone_and_with_all() -> None:
    drawn = draw_cards(PAIRS, cards=10, answers=3, rng=np.random.default_rng(0))
    assert len(drawn) == 40
    for place in range(0, 40, 4):
        *alone, whole = drawn[place : place + 4]
        assert [card.seen[0] for card in alone] == list(whole.seen)
        assert {card.name for card in drawn[place : place + 4]} == {whole.name}
        assert {one.source for one in whole.seen} == {whole.question.source}  # the same task has enough
        assert whole.question.text not in {one.text for one in whole.seen}
    assert drawn == draw_cards(PAIRS, cards=10, answers=3, rng=np.random.default_rng(0))


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(NotEnoughEvidence, match="30 cards"):
        draw_cards(PAIRS, cards=31, answers=2, rng=np.random.default_rng(0))
    with pytest.raises(NotEnoughEvidence, match="no cards"):
        draw_cards(PAIRS[:2], cards=1, answers=3, rng=np.random.default_rng(0))
    with pytest.raises(BadInput):
        draw_cards(PAIRS, cards=1, answers=1, rng=np.random.default_rng(0))


BELIEF = st.none() | st.floats(0, 1)


@given(
    st.lists(
        st.tuples(TEXT, st.lists(st.tuples(TEXT, st.booleans()), min_size=1, max_size=4, unique_by=lambda one: one[0]), BELIEF),
        min_size=1,
        max_size=4,
    )
)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, given: list[tuple[str, list[tuple[str, bool]], float | None]]
) -> None:
    cards = [
        Card(str(place), Question(text, "s"), tuple(Seen(one, "t", right) for one, right in seen), "ann", belief, belief)
        for place, (text, seen, belief) in enumerate(given)
    ]
    file = tmp_path_factory.mktemp("cards") / "cards.csv"
    write_cards(file, cards)
    assert read_cards(file) == cards


HEAD = "card,q2,prior,posterior,q1_1,previous_correct_1,q1_2,previous_correct_2\n"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("1,x?,.5,1.5,a?,1,,", "posterior is 1.5"),
        ("1,x?,nan,.5,a?,1,,", "prior is 'nan'"),
        ("1,x?,.5,.5,a?,maybe,,", "previous_correct_1 is 'maybe'"),
        ("1,x?,.5,.5,a?,1,a?,0", "a question twice"),
        ("1,x?,.5,.5,,,,", "shows an answer"),
        (",x?,.5,.5,a?,1,,", "no 'card'"),
        ("1,,.5,.5,a?,1,,", "q2 has 0 characters"),
    ],
)
def test_what_is_no_card(tmp_path: Path, row: str, problem: str) -> None:
    file = tmp_path / "cards.csv"
    file.write_text(HEAD + row + "\n")
    with pytest.raises(BadFile, match=problem) as error:
        read_cards(file)
    assert error.value.line == 2


class Believer:
    """Says 50% before, and 10 points more for each right answer shown; now and then nothing that can be read."""

    name = "believer"

    async def answer(self, prompt: Prompt, /) -> Reply:
        right, wrong = (prompt.text.count(f"Its answer was {word}.") for word in ("correct", "wrong"))
        return Reply("who knows" if "b7?" in prompt.text else f"Answer: {50 + 10 * right - 10 * wrong}%")


async def test_cards_are_asked_and_what_cannot_be_read_is_counted() -> None:
    drawn = draw_cards(PAIRS, cards=30, answers=2, rng=np.random.default_rng(1))
    found = await ask_cards(Interview(Believer(), answers=Reply), drawn, people=2)
    assert found.unread == 2 * 3
    assert {card.person for card in found.cards} == {"believer/1", "believer/2"}
    for card in found.cards:
        assert card.prior == 0.5
        assert card.posterior == pytest.approx(0.5 + sum(0.1 if one.right else -0.1 for one in card.seen))


async def test_by_batch_all_cards_are_asked_at_once() -> None:
    drawn = draw_cards(PAIRS, cards=30, answers=2, rng=np.random.default_rng(1))
    by_batch = ByBatch(Believer())
    found = await ask_cards(Interview(by_batch, answers=Reply), drawn, people=2)
    assert by_batch.batches == [2 * 2 * len(drawn), 12]  # the further turns of what cannot be read
    assert (len(found.cards), found.unread) == (2 * len(drawn), 0)


async def test_a_budget_ends_it_without_an_error() -> None:
    drawn = draw_cards(PAIRS, cards=4, answers=2, rng=np.random.default_rng(1))
    found = await ask_cards(Interview(Believer(), answers=Reply, budget=Budget(questions=9), concurrency=1), drawn, people=1)
    assert len(found.cards) + found.unread == 4
    assert found.exhausted


def test_no_belief_is_in_a_prompt() -> None:
    card = Card("1", Question("x?"), (Seen("a?", "", True),), "ann", 0.123, 0.877)
    for shown in (True, False):
        prompt = card_prompt(card, shown=shown)
        assert not any(word in f"{prompt.text}{prompt.system}" for word in ("123", "877", "ann\n", "12.3"))
