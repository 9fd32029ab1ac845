"""Passages lose no word and no order, cut no table, and are drawn by their words."""

from __future__ import annotations

from collections import Counter

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.documents.reading import (
    FEWEST,
    KINDS,
    MOST,
    DocumentBlock,
    DocumentPassage,
    QuestionMakingConfig,
    SourceDocument,
    draws,
    passages,
)
from vivavoce.errors import BadInput

WORDS = st.integers(1, 40).flatmap(lambda number: st.just(" ".join(f"w{index}" for index in range(number))))
SENTENCES = st.lists(WORDS.map(lambda words: f"{words}."), min_size=1, max_size=20)
BLOCKS = st.one_of(
    SENTENCES.map(lambda sentences: DocumentBlock("text", " ".join(sentences))),
    SENTENCES.map(lambda sentences: DocumentBlock("text", "\n".join(sentences))),
    st.integers(1, 400).map(lambda number: DocumentBlock("text", "word " * number)),
    st.tuples(WORDS, st.integers(1, 3)).map(lambda given: DocumentBlock("heading", *given)),
    st.lists(WORDS, min_size=1, max_size=30).map(lambda rows: DocumentBlock("table", "\n".join(f"{row} | x" for row in rows))),
    st.integers(1, 9).map(lambda number: DocumentBlock("page", str(number))),
)


@given(st.lists(BLOCKS, max_size=25))
def test_no_word_is_lost_and_no_table_is_cut(blocks: list[DocumentBlock]) -> None:
    shown = [block for block in blocks if block.kind != "page"]
    made = passages([SourceDocument("a.txt", tuple(blocks))])
    assert [word for passage in made for word in passage.text.split()] == [
        word for block in shown for word in block.text.split()
    ]
    for block in shown:
        if block.kind == "table":
            assert any(block.text in passage.text for passage in made)


@given(st.lists(BLOCKS.filter(lambda block: block.kind in ("text", "page")), max_size=25))
def test_passages_of_text_have_some_120_to_250_words(blocks: list[DocumentBlock]) -> None:
    lengths = [passage.words for passage in passages([SourceDocument("a.txt", tuple(blocks))])]
    assert all(length <= MOST for length in lengths)
    assert all(length >= FEWEST for length in lengths[:-1])


@pytest.mark.parametrize(
    "text", ["返品は三十日以内です。" * 300, "ร้านรับคืนสินค้าภายในสามสิบวัน" * 300, "x" * 50_000, "送料は500円です。 " * 300]
)
def test_texts_without_spaces_are_cut_and_lose_no_character(text: str) -> None:
    made = passages([SourceDocument("a.txt", (DocumentBlock("text", text),))])
    assert "".join("".join(passage.text.split()) for passage in made) == "".join(text.split())
    assert all(FEWEST <= passage.words <= MOST for passage in made[:-1])
    assert max(len(passage.text) for passage in made) <= 40 * MOST


def test_a_heading_begins_a_passage_and_is_its_place() -> None:
    text = DocumentBlock("text", "word " * 130)
    blocks = (
        DocumentBlock("heading", "Returns"),
        text,
        DocumentBlock("heading", "Rules", 2),
        DocumentBlock("heading", "Food", 3),
        text,
    )
    after = (DocumentBlock("heading", "Fees", 2), text)
    made = passages([SourceDocument("a.md", (*blocks, *after))])
    assert [(passage.where, passage.text.split("word")[0].split()) for passage in made] == [
        ("a.md, Returns", ["Returns"]),
        ("a.md, Returns › Rules", ["Rules", "Food"]),
        ("a.md, Returns › Fees", ["Fees"]),
    ]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    sentence = "This sentence has ten words and it ends right here. "
    made = passages([SourceDocument("a.txt", (DocumentBlock("text", sentence * 60),))])
    assert [passage.words for passage in made] == [250, 250, 100]
    assert all(passage.text.endswith("here.") for passage in made)


def test_lines_within_a_sentence_are_joined() -> None:
    text = "The customer pays\nthe postage.\nFood is excepted:\n- bread\n- milk"
    [passage] = passages([SourceDocument("a.pdf", (DocumentBlock("page", "4"), DocumentBlock("text", text)))])
    assert (passage.text, passage.location) == ("The customer pays the postage.\nFood is excepted:\n- bread\n- milk", "page 4")


def test_a_table_that_is_too_large_is_refused() -> None:
    with pytest.raises(BadInput, match=r"'a\.md' has a table of 3,001 words, and at most 3,000 fit: split it"):
        passages([SourceDocument("a.md", (DocumentBlock("table", "word " * 3_001),))])


def sized(*words: int) -> list[DocumentPassage]:
    return [DocumentPassage(f"{number}.txt", "", "word " * number) for number in words]


def test_passages_are_drawn_by_their_words_and_kinds_in_turn() -> None:
    drawn = draws(sized(100, 200, 300) + sized(400) * 1_000, QuestionMakingConfig(questions=20_000, seed=5))
    counts = Counter(draw.kind.name for draw in drawn)
    assert set(counts) == {kind.name for kind in KINDS}
    assert max(counts.values()) - min(counts.values()) <= 1
    few = draws(sized(100, 200, 300) * 100, QuestionMakingConfig(questions=6_000, seed=5))
    by_words = Counter(draw.passage.words for draw in few)
    assert scipy.stats.chisquare([by_words[100], by_words[200], by_words[300]], [1_000, 2_000, 3_000]).pvalue > 0.01


def test_kinds_and_passages_are_independent() -> None:
    drawn = draws(sized(100, 200, 300) * 100, QuestionMakingConfig(questions=6_000, seed=1))
    counts = Counter((draw.kind.name, draw.passage.words) for draw in drawn)
    table = [[counts[kind.name, words] for words in (100, 200, 300)] for kind in KINDS]
    assert scipy.stats.chi2_contingency(table).pvalue > 0.01


def test_a_longer_run_and_another_seed() -> None:
    there = sized(100, 200, 300)
    short, longer, other = (draws(there, QuestionMakingConfig(number, seed)) for number, seed in ((20, 0), (60, 0), (60, 1)))
    assert longer[:20] == short
    assert other != longer


def test_too_few_passages_are_told_with_the_remedy() -> None:
    says = "41 questions need at least 3 passages of some 120 words, and there are 2: add documents, or draw at most 40"
    with pytest.raises(BadInput, match=says):
        draws(sized(100, 200), QuestionMakingConfig(questions=41))
