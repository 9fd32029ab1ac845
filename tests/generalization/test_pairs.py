"""Pairs of questions and their files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadFile
from vivavoce.generalization.pairs import BeliefPair, labelled, read_pairs, write_pairs

PRACTICE = Path(os.environ.get("VIVA_DATA", "")) / "human_generalization" / "survey_practice.csv"
HEAD = "q1,q2,source1,source2,previous_correct,belief_change"
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0"), min_size=1, max_size=60).filter(str.strip)
SHARE = st.none() | st.floats(0, 1)
PAIRS = st.builds(
    BeliefPair,
    q1=TEXT, q2=TEXT, source1=st.sampled_from(["", "sums", "a, b"]), source2=st.just("s"), previous_correct=st.booleans(),
    belief_change=st.none() | st.booleans(), person=st.sampled_from(["", "p1"]), stage=st.none() | st.integers(0, 9),
    weight=st.just(0.0) | st.floats(1e-100, 1e6), prior=SHARE, posterior=SHARE, pred=SHARE,
)  # fmt: skip


@given(pairs=st.lists(PAIRS, min_size=1, max_size=5))
def test_what_is_written_is_read(pairs: list[BeliefPair], tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("pairs") / "pairs.csv"
    write_pairs(file, pairs)
    assert read_pairs(file) == pairs


def test_columns_without_a_value_are_left_out(tmp_path: Path) -> None:
    write_pairs(tmp_path / "pairs.csv", [BeliefPair("a?", "b?", "s", "s", True)])
    assert (tmp_path / "pairs.csv").read_text() == f"{HEAD}\na?,b?,s,s,1,\n"


def test_a_change_is_told_by_raw_beliefs_where_there_is_no_label() -> None:
    assert BeliefPair("a?", "b?", "s", "s", True, prior=0.4, posterior=0.4).changed is False
    assert BeliefPair("a?", "b?", "s", "s", True, prior=0.4, posterior=0.5).changed is True
    assert BeliefPair("a?", "b?", "s", "s", True, belief_change=False, prior=0.4, posterior=0.5).changed is False
    assert labelled([BeliefPair("a?", "b?", "s", "s", True, prior=0.4)]) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (f"{HEAD}\n", "no pairs"),
        ("q1,q2,source1\na,b,c\n", "no column source2"),
        ("q1,q2,source1,source2,q1\na,b,c,d,e\n", "two columns"),
        ("q1,q2,source1,source2\na,b,c,d\n", "'previous_correct' is missing"),
        (f"{HEAD}\na?,b?,s,s,1\n", "the row ends after 5 of 6 cells"),
        (f"{HEAD}\na?,b?,s,s,2,1\n", "previous_correct is '2'"),
        (f"{HEAD}\na?,b?,s,s,,1\n", "previous_correct is empty"),
        (f"{HEAD}\n,b?,s,s,1,1\n", "q1 has 0 characters"),
        (f"{HEAD},pred\na?,b?,s,s,1,1,nan\n", "pred is 'nan'"),
        (f"{HEAD},prior\na?,b?,s,s,1,1,1.5\n", "from 0 to 1"),
        (f"{HEAD},weight\na?,b?,s,s,1,1,-2\n", "0 or more"),
        (f"{HEAD},stage\na?,b?,s,s,1,1,1.5\n", "whole number"),
        (f"{HEAD},stage\na?,b?,s,s,1,1,1e300\n", "whole number up to 999999"),
        (f"{HEAD},weight\na?,b?,s,s,1,1,1e308\n", r"from 1e-100 to 1e\+100"),
        (f"{HEAD},weight\na?,b?,s,s,1,1,1e-320\n", "write 0, or a number"),
    ],
)
def test_rubbish_is_named_with_its_line(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text(text)
    with pytest.raises(BadFile, match=words):
        read_pairs(file)


@pytest.mark.parametrize(("name", "right"), [("correct_sample.csv", True), ("incorrect_sample.csv", False)])
def test_files_named_after_what_was_shown(name: str, right: bool, tmp_path: Path) -> None:
    (tmp_path / name).write_text("q1,q2,source1,source2,pred\na?,b?,s,s,0.25\n")
    assert read_pairs(tmp_path / name) == [BeliefPair("a?", "b?", "s", "s", right, pred=0.25)]


@pytest.mark.data
@pytest.mark.skipif(not PRACTICE.is_file(), reason="$VIVA_DATA does not name the research data folder")
def test_the_published_pairs() -> None:
    # The 246 published of 492 test pairs: on all of them 42.9% changed, .332 after a right and .527 after a wrong answer.
    pairs = read_pairs(PRACTICE)
    assert len(pairs) == 246
    assert sum(bool(pair.changed) for pair in pairs) / 246 == pytest.approx(0.429, abs=0.05)
    for right, share in ((True, 0.332), (False, 0.527)):
        some = [bool(pair.changed) for pair in pairs if pair.previous_correct == right]
        assert sum(some) / len(some) == pytest.approx(share, abs=0.08)
