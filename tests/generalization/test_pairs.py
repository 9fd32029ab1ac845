"""Pairs of questions, graded answers, their files, and how a question is known again."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadFile, UnknownName
from vivavoce.generalization.pairs import MOST_MODELS, BeliefPair, key_of, labelled, read_answers, read_pairs, write_pairs

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


@each_case(
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


def written(folder: Path, text: str, name: str = "answers.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@each_case(
    ("of_pair", "prompt"),
    [
        ("<b>Capital?<br></b>(A) Rome<br>(B) Oslo", " Capital?\n(A) Rome\n(B) Oslo\n Answer with a single letter. Answer:"),
        (
            "Does she?<br>Options:<br>- Yes<br>- No",
            "Does she?\nOptions:\n- Yes\n- No\n Answer with a single word, 'Yes'. It is: '",
        ),
        ("<b>2x - 1 < 10 if x > 0?<br></b>(A) a", "2x - 1 < 10 if x > 0?\n(A) a"),
        ("<b>Capital?<br>Options:<br></b>(A) Rome<br>(B) Oslo", "Capital?\n(A) Rome\n(B) Oslo"),
        ("Valid?<br>Options:<br>- valid<br>- invalid", "Valid?\n(A) valid\n(B) invalid"),
        ("Does she?<br>Options:<br>- Yes<br>- No", "Does she?\n(A) Yes\n(B) No"),
        ("Does Amberly tell the truth?", "Does Amberly tell the truth?\n(A) Yes\n(B) No"),
        ("not False is", "not False is\n(A) True\n(B) False"),
        ("Zach\xa0 shot", "Zach shot"),
        ("5 &lt; 6 &amp; 7", "5 < 6 & 7"),
        ("cafe\u0301", "caf\u00e9"),
    ],
)
def test_a_question_of_a_pair_and_its_prompt_have_one_key(of_pair: str, prompt: str) -> None:
    assert key_of(of_pair) == key_of(prompt)


@each_case(
    ("first", "other"),
    [
        ("1 2", "12"),
        ("x < 3", "x"),
        ("a", "A"),
        ("Answer with a single word.", ""),
        ("a<c>b", "ab"),
        ("Capital?\n(A) Rome\n(B) Oslo", "Capital?\n(A) Oslo\n(B) Rome"),
        ("Capital?\n(A) Rome\n(B) Oslo", "Capital?"),
        ("Is 5\n- 3 = 2?", "Is 5\n3 = 2?"),
        ("\nYes\nNo", ""),
    ],
)
def test_different_questions_have_different_keys(first: str, other: str) -> None:
    assert key_of(first) != key_of(other)


@given(st.text(max_size=200))
def test_a_key_is_its_own_key_unless_entities_are_nested(text: str) -> None:
    if "&" not in text and "<" not in text:
        assert key_of(key_of(text)) == key_of(text)


def test_cells_and_gaps(tmp_path: Path) -> None:
    answers = read_answers(written(tmp_path, "prompt,m,n\nq one,1,\nq  two,0.0,true\n\nq three,,\n"))
    assert answers.models == ("m", "n")
    assert answers.right == {"q one": (True, None), "q two": (False, True), "q three": (None, None)}
    assert answers.of("n") == {"q one": None, "q two": True, "q three": None}
    assert not answers.contradicting
    with pytest.raises(UnknownName, match="did you mean 'm'"):
        answers.of("mm")


def test_the_prompt_need_not_come_first_and_files_may_be_packed(tmp_path: Path) -> None:
    file = tmp_path / "answers.csv.gz"
    file.write_bytes(gzip.compress(b"m,prompt,n\n1,q,0\n"))
    assert read_answers(file).right == {"q": (True, False)}


def test_one_row_fills_what_another_leaves_and_contradictions_are_not_believed(tmp_path: Path) -> None:
    answers = read_answers(written(tmp_path, "prompt,m,n\nq,1,0\nq ,,1\nr,,1\nr,0,1\n"))
    # m: q from the first row, r from the second; n: q is 0 and 1, r is 1 twice
    assert answers.right == {"q": (True, None), "r": (False, True)}
    assert answers.contradicting == {"n": 1}


@each_case(
    ("text", "message"),
    [
        ("", "empty"),
        ("question,m\nq,1\n", "no column prompt"),
        ("prompt\nq\n", "0 models"),
        ("prompt,m,m\nq,1,0\n", "two columns are named 'm'"),
        ("prompt,m,\nq,1,0\n", "has 0 characters"),
        ("prompt,m\nq,2\n", "line 2: 'm' has '2'"),
        ("prompt,m\nq,nan\n", "write 1 for a right answer"),
        ("prompt,m\nq\n", "line 2: the row ends after 1 of 2 cells"),
        ("prompt,m\n ,1\n", "line 2: prompt is empty"),
        ("prompt,m\n", "no questions"),
        ("prompt,m\n\"q,1\n", "not a table"),
        ("prompt," + ",".join(f"m{n}" for n in range(MOST_MODELS + 1)) + "\n", "201 models"),
    ],
)  # fmt: skip
def test_files_that_are_no_answers(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadFile, match=message):
        read_answers(written(tmp_path, text))


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="No such file"):
        read_answers(tmp_path / "nowhere.csv")
    (tmp_path / "packed.csv.gz").write_bytes(b"not gzip")
    with pytest.raises(BadFile, match="gzip"):
        read_answers(tmp_path / "packed.csv.gz")
    (tmp_path / "latin.csv").write_bytes(b"prompt,m\n\xff,1\n")
    with pytest.raises(BadFile, match="UTF-8"):
        read_answers(tmp_path / "latin.csv")


def test_a_long_prompt_with_many_instructions_takes_no_time() -> None:
    # 100,000 characters; the key is made in one pass
    assert key_of("Answer with a single \n" * 4_500).count("single") == 4_499
    assert key_of("Options:" + "\n" * 90_000 + "x") == "Options: x"
    assert key_of("a\n- " * 25_000).count("a") == 25_000
