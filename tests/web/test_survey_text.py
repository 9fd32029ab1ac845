from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadInput
from vivavoce.generalization.survey.plan import Answerer, CompletionCodes, SurveyPlan
from vivavoce.web.pages.survey_texts import TEXTS, VERSION
from vivavoce.web.pages.survey_views import percent, plain


@pytest.mark.parametrize("told", ["machine", "either"])
@pytest.mark.parametrize("own", [True, False])
def test_the_consent_says_once_whether_answers_are_asked_for(told: Answerer, own: bool) -> None:
    plan = SurveyPlan("trust", "Trust", CompletionCodes("OK1", "NO1", "OUT1"), told=told, own_answers=own)
    task = TEXTS[VERSION].shown(plan)[0][1]
    assert ("You need not know any answers yourself." in task) is not own
    assert ("you answer the question yourself" in task) is own
    assert "  " not in task


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<b>One?<br></b>(A) x<BR />(B) y", "One?\n(A) x\n(B) y"),
        ("<b>Find it:<br>Options:<br></b>(A) Babe", "Find it:\nOptions:\n(A) Babe"),
        ("a < b and b > c", "a < b and b > c"),
        ("Which of <a>, <p> and <br > ends a line?", "Which of <a>, <p> and\n ends a line?"),
        ("10<sup>3</sup>", "10<sup>3</sup>"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("<b onclick=alert(1)>x</b>", "<b onclick=alert(1)>x"),
        ("<<b>b>x", "<b>x"),  # shown as it stands, and escaped there
        ("1\r\n2\r3\x00\x1b[31m", "1\n2\n3  [31m"),
        ("<br><br><br>far<br><br><br><br>below<br>", "far\n\nbelow"),
        ("&lt;b&gt; &amp;", "&lt;b&gt; &amp;"),
    ],
)
def test_marks_of_the_data_set_are_taken_away_and_all_else_stays(written: str, shown: str) -> None:
    assert plain(written) == shown


@given(st.text())
def test_plain_text_has_no_marks_of_its_own_and_no_unseen_letters(text: str) -> None:
    name = plain(text)
    assert not any(ord(letter) < 32 and letter not in "\n\t" for letter in name)
    if "<" not in text:
        assert "<" not in name


@given(st.integers(0, 100))
def test_percents_are_read_as_people_write_them(number: int) -> None:
    eastern = str(number).translate({ord("0") + digit: ord("٠") + digit for digit in range(10)})
    for text in (str(number), f" {number} %", f"{number}%", eastern):
        assert percent(text) == number


@pytest.mark.parametrize(
    "text", ["", " ", "-1", "101", "1e1", "62.5", "0x10", "²", "nan", "1 2", "%", "9" * 5_000, "10\x00", "+5"]
)
def test_what_is_no_percent_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="whole number from 0 to 100"):
        percent(text)
