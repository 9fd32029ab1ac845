"""Graded answers, and how a question is known again."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadFile, UnknownName
from vivavoce.generalization.answers import MOST_MODELS, key_of, read_answers


def written(folder: Path, text: str, name: str = "answers.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
