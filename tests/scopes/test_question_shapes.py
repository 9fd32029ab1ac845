"""Files as people have them: options, answers and numbers in their many shapes, each with a neighbour that stays as it is."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.workbooks import DATE, FORMULA, TIME, error, number, sheet, write_workbook
from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.candidate import Reply
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.options import Options, letter_of, options_of
from vivavoce.scopes.questions import Question, prompt


def opened(file: Path, behind: str = "") -> ListedScope:
    scope = open_scope(f"file:{file}{behind}")
    assert isinstance(scope, ListedScope)
    return scope


def table(folder: Path, *rows: list[str]) -> Path:
    file = folder / "q.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return file


def read(folder: Path, *rows: list[str], behind: str = "") -> tuple[Question, ...]:
    return opened(table(folder, *rows), behind).questions


def read_json(folder: Path, *records: dict[str, Any], behind: str = "") -> tuple[Question, ...]:
    file = folder / "q.jsonl"
    file.write_text("\n".join(map(json.dumps, records)))
    return opened(file, behind).questions


@each_case(
    "options",
    [
        ["Milan", "Rome"],
        {"A": "Milan", "B": "Rome"},
        {"text": ["Milan", "Rome"], "label": ["A", "B"]},
        [{"label": "A", "text": "Milan"}, {"label": "B", "text": "Rome"}],
        [{"id": "A", "content": "Milan"}, {"id": "B", "content": "Rome"}],
        "Milan|Rome",
        "['Milan', 'Rome']",
        "['Milan' 'Rome']",
        '["Milan", "Rome"]',
        "('Milan', 'Rome')",
        "{'A': 'Milan', 'B': 'Rome'}",
        "{'text': array(['Milan', 'Rome'], dtype=object), 'label': array(['A', 'B'], dtype=object)}",
        "A. Milan\nB. Rome",
        "(A) Milan|(B) Rome",
    ],
)
def test_options_in_any_shape_are_the_same_question(tmp_path: Path, options: Any) -> None:
    wanted = Question("1", "Capital of Italy?", ("Milan", "Rome"), ("B",))
    assert read_json(tmp_path, {"question": wanted.text, "options": options, "answer": "B"}) == (wanted,)
    if isinstance(options, str):
        assert read(tmp_path, ["question", "options", "answer"], [wanted.text, options, "B"]) == (wanted,)


@each_case(
    "answer",
    [
        "B",
        "b",
        "(B)",
        "b)",
        "[B]",
        "B.",
        "B. Rome",
        "(B) Rome",
        "B: rome",
        "B - Rome",
        "Option B",
        "Answer: B",
        "rome",
        " Rome. ",
    ],
)
def test_an_option_is_named_as_people_name_it(answer: str) -> None:
    assert letter_of(answer, Options(("Milan", "Rome", "Oslo"))) == "B"


@each_case("answer", ["B. Milan", "D", "(D)", "Bern", "B or C", "", "BB", "Be"])
def test_what_names_no_option_is_refused(answer: str) -> None:
    with pytest.raises(BadInput, match="which is not an option: give a letter from A to C, or its text"):
        letter_of(answer, Options(("Milan", "Rome", "Oslo")))


def test_a_letter_that_is_another_options_text_is_asked_back() -> None:
    blood = Options(("O", "A", "B", "AB"))
    with pytest.raises(
        BadInput, match=r"both the letter of option 1 and the text of option 2: write a letter in brackets, such as '\(A\)'"
    ):
        letter_of("A", blood)
    assert (letter_of("(A)", blood), letter_of("AB", blood), letter_of("O", blood)) == ("A", "D", "A")
    assert letter_of("B", Options(("A", "B", "C"))) == "B"


TEXTS = st.lists(
    st.text("abcdefghijklmnop ", min_size=3, max_size=9).filter(str.strip), min_size=2, max_size=6, unique_by=str.strip
)


@given(TEXTS.flatmap(lambda texts: st.tuples(st.just(texts), st.integers(0, len(texts) - 1))))
def test_letter_text_label_and_number_agree(case: tuple[list[str], int]) -> None:
    texts, index = case
    options = options_of(texts)
    letter = "ABCDEF"[index]
    assert letter_of(texts[index], options) == letter_of(letter.lower(), options) == letter
    assert letter_of(index, options, first="0") == letter_of(str(index + 1), options, first="1") == letter
    labelled = options_of([{"label": f"L{n}", "text": text} for n, text in enumerate(texts)])
    assert letter_of(f"l{index}", labelled) == letter


def test_columns_of_options_end_where_they_are_empty(tmp_path: Path) -> None:
    head = ["question", "A", "B", "C", "answer"]
    first, second = read(tmp_path, head, ["Capital?", "Milan", "Rome", "", "B"], ["Largest?", "x", "y", "z", "C"])
    assert (first.options, first.accepted, second.accepted) == (("Milan", "Rome"), ("B",), ("C",))
    with pytest.raises(BadFile, match="line 2: option 2 is empty, but a later one is not"):
        read(tmp_path, head, ["Capital?", "Milan", "", "Rome", "C"])
    with pytest.raises(BadFile, match="line 2: 'answer' is 'C', which is not an option"):
        read(tmp_path, head, ["Capital?", "Milan", "Rome", "", "C"])
    (named,) = read(tmp_path, ["question", "option_a", "option_b", "answer"], ["Capital?", "Milan", "Rome", "option_b"])
    assert named.accepted == ("B",)


def test_numbers_of_options_count_from_where_only_they_fit(tmp_path: Path) -> None:
    head = ["question", "options", "answer"]
    assert [question.accepted for question in read(tmp_path, head, ["q?", "x|y", "1"], ["r?", "x|y", "0"])] == [("B",), ("A",)]
    assert [question.accepted for question in read(tmp_path, head, ["q?", "x|y", "1"], ["r?", "x|y", "2"])] == [("A",), ("B",)]
    assert read(tmp_path, head, ["q?", "2|1", "1"], behind="?first=none")[0].accepted == ("B",), "the text of an option"
    with pytest.raises(
        BadFile, match=r"line 2: .* counted from 0 or from 1: write \?first=0 or \?first=1 after the file's name"
    ):
        read(tmp_path, head, ["q?", "x|y", "1"])
    assert read(tmp_path, head, ["q?", "x|y", "1"], behind="?first=0")[0].accepted == ("B",)
    assert "counted from 0: no other count fits" in opened(table(tmp_path, head, ["r?", "x|y", "0"])).notes[0]


@each_case("pair", ["True|False", "Yes|No", "wahr|falsch", "entailment|not_entailment", "plausible|implausible"])
@each_case("numbers", [(1, 0), (1, 1), ("1", "0"), (1.0, 0.0)])
def test_0_and_1_may_be_truth_values(tmp_path: Path, pair: str, numbers: tuple[Any, Any]) -> None:
    affirms, denies = pair.split("|")
    rows = [{"question": f"{n}?", "options": [affirms, denies], "answer": number} for n, number in enumerate(numbers)]
    with pytest.raises(BadFile, match=f"line 1: 'answer' is .*, which may mean '{affirms}', or be .* write the option's text"):
        read_json(tmp_path, *rows)
    if numbers[1] in (0, "0"):
        assert [question.accepted for question in read_json(tmp_path, *rows, behind="?first=0")] == [("B",), ("A",)]
        turned = [row | {"options": [denies, affirms]} for row in rows]
        assert [question.accepted for question in read_json(tmp_path, *turned)] == [("B",), ("A",)], "both mean the same"
    elsewhere = {"question": "Capital?", "options": ["Milan", "Rome"], "answer": 2}
    if numbers == (1, 1):
        assert [question.accepted for question in read_json(tmp_path, *rows, elsewhere)] == [("A",), ("A",), ("B",)]


def test_0_and_1_in_columns_that_affirm_and_deny_are_asked_back(tmp_path: Path) -> None:
    rows = ["question", "A", "B", "label"], ["Is 4 even?", "yes", "no", "1"], ["Is 3 even?", "yes", "no", "0"]
    with pytest.raises(BadFile, match=r"line 2: 'answer' is 1, which may mean 'yes'.*add \?first=0 or \?first=1 to the file"):
        read(tmp_path, *rows)


@each_case(
    ("marks", "accepted"),
    [
        ([0, 0, 0, 1], ("D",)),
        ([1, 0, 0, 0], ("A",)),
        ([0.0, 1.0, 0.0, 0.0], ("B",)),
        ([False, False, True, False], ("C",)),
        ([1, 0, 0, 1], ("A", "D")),
        ("[0 0 0 1]", ("D",)),
        ("[0, 0, 1, 0]", ("C",)),
        ("[0. 1. 0. 0.]", ("B",)),
    ],
)
def test_a_list_of_0_and_1_marks_the_options_that_are_right(tmp_path: Path, marks: Any, accepted: tuple[str, ...]) -> None:
    row = {"question": "Capital of Italy?", "options": ["Milan", "Oslo", "Bern", "Rome"], "answer": marks}
    assert read_json(tmp_path, row)[0].accepted == accepted
    labelled = {"text": ["Milan", "Oslo", "Bern", "Rome"], "label": ["1", "2", "3", "4"]}
    assert read_json(tmp_path, row | {"options": labelled})[0].accepted == accepted
    if isinstance(marks, str):
        assert read(tmp_path, ["question", "options", "answer"], ["q?", "Milan|Oslo|Bern|Rome", marks])[0].accepted == accepted


def test_a_list_that_marks_nothing_or_repeats_a_number_is_refused(tmp_path: Path) -> None:
    row = {"question": "Capital of Italy?", "options": ["Milan", "Oslo", "Bern", "Rome"], "answer": [0, 0, 0, 0]}
    with pytest.raises(BadFile, match="line 1: 'answer' is 0, 0, 0, 0, which marks no option as right"):
        read_json(tmp_path, row)
    with pytest.raises(BadFile, match=r"line 1: .* marks every option as right"):
        read_json(tmp_path, row | {"answer": [1, 1, 1, 1]})
    with pytest.raises(BadFile, match="line 1: 'answer' is 0, 0, 1, with the number of an option twice"):
        read_json(tmp_path, row | {"answer": [0, 0, 1]})
    assert read_json(tmp_path, row | {"answer": [0, 3]})[0].accepted == ("A", "D"), "numbers of options"
    digits = {"question": "Bits?", "options": ["0", "1"], "answer": ["1"]}
    assert read_json(tmp_path, digits)[0].accepted == ("B",)


def test_a_number_that_is_a_text_and_another_ones_number_is_asked_back(tmp_path: Path) -> None:
    head = ["question", "options", "answer"]
    row = ["How many?", "42|1|2|3", "2"]
    with pytest.raises(BadFile, match=r"line 2: 'answer' is 2, which is the text of one option .*\?first=none .*\?first=0 or"):
        read(tmp_path, head, row)
    document = {"?first=none": "C", "?first=0": "C", "?first=1": "B"}
    assert {behind: read(tmp_path, head, row, behind=behind)[0].accepted[0] for behind in document} == document
    assert read(tmp_path, head, row, ["And?", "5|42|7|8", "42"])[0].accepted == ("C",), "other rows show texts"
    assert read(tmp_path, head, row, ["And?", "x|y|z", "0"], ["Then?", "x|y|z", "1"])[0].accepted == ("C",), "numbers from 0"
    assert read(tmp_path, head, row, ["And?", "x|y|z", "3"])[0].accepted == ("B",), "numbers from 1"
    for itself, letter in (("0|1|2", "C"), ("1|2|3", "B")):
        assert read(tmp_path, head, ["How many?", itself, "2"])[0].accepted == (letter,), "its text is its number"


@each_case(
    ("cell", "accepted"),
    [
        ("['Rome', 'Roma']", ("Rome", "Roma")),
        ("['Rome' 'Roma']", ("Rome", "Roma")),
        ("('Rome', 'Roma')", ("Rome", "Roma")),
        ("Rome|Roma", ("Rome", "Roma")),
        ("[42]", ("42",)),
        ("–5", ("–5",)),
        ("\u200b42", ("42",)),
        ("４２", ("４２",)),
        ('="42"', ("42",)),
        ("$1,000", ("$1,000",)),
        ("3/4", ("3/4",)),
        ("50%", ("50%",)),
        ("0.10000000149011612", ("0.1",)),
        ("[0, 1)", ("[0, 1)",)),
        ('{"a": 1}', ('{"a": 1}',)),
        ("(a) and (b)", ("(a) and (b)",)),
        ("TRUE", ("TRUE",)),
        ("None", ("None",)),
        ("2024-03-04", ("2024-03-04",)),
        ("(x-5)", ("(x-5)",)),
        ("####", ("####",)),
        ("Answer: 42", ("42",)),
        ("x = 42", ("42",)),
        (r"$\boxed{42}$", ("42",)),
        (r"\frac{3}{4}", ("3/4",)),
        ("Answer: Rome", ("Answer: Rome",)),
    ],
)
def test_free_answers(tmp_path: Path, cell: str, accepted: tuple[str, ...]) -> None:
    assert read(tmp_path, ["question", "answer"], ["q?", cell])[0].accepted == accepted
    (exact,) = read(tmp_path, ["question", "answer"], ["q?", "3/4"], behind="?match=exact")
    assert exact.accepted == ("3/4",), "the user's word"


@pytest.mark.parametrize(("cell", "replies"), [("3/4", ["0.75", "3/4"]), ("50%", ["50%", "50", "0.5"]), ("–5", ["-5", "−5"])])
def test_each_way_to_write_such_a_number_is_right(tmp_path: Path, cell: str, replies: list[str]) -> None:
    scope = opened(table(tmp_path, ["question", "answer"], ["q?", cell]))
    for reply in replies:
        assert scope.grade(scope.questions[0], Reply(f"Answer: {reply}")).score == 1, reply
    assert scope.grade(scope.questions[0], Reply("Answer: 0.55")).score == 0


@each_case(
    ("cell", "problem"),
    [
        ("#REF!", "as a spreadsheet writes a value that it cannot work out"),
        ("=A2*2", "a formula that was not worked out"),
        ("=6*7", "a formula that was not worked out"),
        ("4-Mar", "a date that a spreadsheet may have made of a fraction"),
        ("Mar-04", "a date that a spreadsheet may have made of a fraction"),
        ("€1.234,50", "has a decimal comma, so 1234.50 would be wrong"),
        ("[Rome, Roma]", r"may be a list or a text: separate several values by '\|'"),
        ("[1, 2]", "may be a list or a text"),
        ("['Rome', 'Roma'", "begins like a list, but is a list that is never closed"),
        ("['Rome' ... 'Roma']", "cut off"),
        ("\u200b", "no 'answer'"),
        ("(5)", "which accountants write for -5: write -5, or 5"),
        ("($5.00)", "which accountants write for -5.00: write -5.00, or 5.00"),
        ("5-", "which accountants write for -5"),
        ("Err:502", "as a spreadsheet writes a value that it cannot work out"),
        ("-1.#IND", "that it cannot work out"),
        ("1.#QNAN", "that it cannot work out"),
        ("#######", "that it cannot work out"),
        ("#N/A N/A", "that it cannot work out"),
        ("2024-03-04 00:00:00", "a date that a spreadsheet may have made of a fraction"),
        ("N/A", "as programs write an empty cell"),
        ("NULL", "as programs write an empty cell"),
        ("(blank)", "as programs write an empty cell"),
        ("NAN", "as pandas writes an empty cell"),
    ],
)
def test_answers_that_no_one_wrote_so_are_refused(tmp_path: Path, cell: str, problem: str) -> None:
    with pytest.raises(BadFile, match=f"line 2: .*{problem}"):
        read(tmp_path, ["question", "answer"], ["q?", cell])


def test_an_error_value_is_refused_in_any_column_that_is_read(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="line 2: 'question' is '#N/A'"):
        read(tmp_path, ["question", "answer"], ["#N/A", "x"])
    with pytest.raises(BadFile, match="line 2: 'options' is '#REF!'"):
        read(tmp_path, ["question", "A", "B", "answer"], ["q?", "#REF!", "y", "B"])
    quiz = ["Which one is shown for a name that is not known?", "#NAME?|#REF!", "A"]
    assert read(tmp_path, ["question", "options", "answer"], quiz)[0].options == ("#NAME?", "#REF!")


def test_an_empty_cell_among_answers_is_refused(tmp_path: Path) -> None:
    head = ["question", "answer"]
    for cell in ("None", "NA"):
        with pytest.raises(BadFile, match=f"line 3: an answer is '{cell}', as programs write an empty cell"):
            read(tmp_path, head, ["q?", "Rome"], ["r?", cell])
        assert len(read(tmp_path, head, ["q?", "Rome"], ["r?", cell], behind="?match=exact")) == 2
    with pytest.raises(
        BadFile, match=r"line 1: 'answer': inf is not a finite number or is too large: write it in quotation marks"
    ):
        read_json(tmp_path, {"question": "Limit of 1/x at 0?", "answer": float("inf")})


def test_points_that_may_part_thousands_are_asked_back(tmp_path: Path) -> None:
    file = tmp_path / "q.csv"
    file.write_text("question;answer\nGrams in a kilogram?;1.000\n")
    with pytest.raises(BadFile, match=r"line 2: the answer '1\.000' may be 1000, .*: write 1000 or 1, or give 'match' exact"):
        opened(file)
    assert opened(file, "?match=exact").questions[0].accepted == ("1.000",)
    file.write_text("question;answer\nMetres in a mile?;1609.344\nA half?;0.5\nMass?;1.008\n")
    assert [question.accepted for question in opened(file).questions] == [("1609.344",), ("0.5",), ("1.008",)], "decimal points"
    file.write_text("question;answer\nMetres in a mile?;1.609\n")
    with pytest.raises(BadFile, match=r"line 2: the answer '1\.609' may be 1609, .*: write 1609 or 1\.6090, or give"):
        opened(file)
    head = ["question", "answer"]
    with pytest.raises(BadFile, match=r"line 2: the answer '2\.000' may be 2000"):
        read(tmp_path, head, ["q?", "2.000"])
    assert read(tmp_path, head, ["q?", "2.000"], ["r?", "0.500"])[0].accepted == ("2.000",), "decimals with three places"
    assert read(tmp_path, head, ["q?", "1.609"])[0].accepted == ("1.609",), "commas stand between cells"


def test_a_table_in_markdown_is_read_without_its_rule(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("| question | answer |\n|:---|---:|\n| 6 * 7? | 42 |\n| 7 * 7? | 49 |\n")
    assert [(question.text, question.accepted) for question in opened(tmp_path / "q.csv").questions] == [
        ("6 * 7?", ("42",)),
        ("7 * 7?", ("49",)),
    ]


@each_case("options", [["A)21", "B)42"], ["(a) 21", "(b) 42"], ["1. 21", "2. 42"], ["1)21", "2)42"], ["[1] 21", "[2] 42"]])
def test_options_lose_the_marks_of_their_places(tmp_path: Path, options: list[str]) -> None:
    row = {"question": "6 * 7?", "options": options}
    mark = re.sub(r"\W", "", row["options"][1])[0]
    for answer in (mark, f"({mark})", row["options"][1], "42"):
        (question,) = read_json(tmp_path, row | {"answer": answer})
        assert (question.options, question.accepted) == (("21", "42"), ("B",)), answer


def test_options_with_marks_out_of_order_are_refused(tmp_path: Path) -> None:
    row = {"question": "Capital?", "answer": "A"}
    for options in (["B. Milan", "A. Rome"], ["2) Milan", "1) Rome"]):
        with pytest.raises(BadFile, match=r"line 1: .*the options begin with ., ., out of order: leave these out, or put them"):
            read_json(tmp_path, row | {"options": options})
    initials = read_json(tmp_path, row | {"options": ["J. Smith", "A. Jones"], "answer": "A. Jones"})
    assert initials[0].options == ("J. Smith", "A. Jones")
    assert read_json(tmp_path, row | {"options": ["1.5 m", "2.5 m"]})[0].options == ("1.5 m", "2.5 m")


def test_a_second_column_with_another_right_option_is_refused(tmp_path: Path) -> None:
    rows = [{"question": f"{n}?", "options": ["x", "y", "z"], "answer": "ABC"[n], "answer_index": n} for n in range(3)]
    assert len(read_json(tmp_path, *rows)) == 3
    assert len(read_json(tmp_path, *(row | {"answer_index": n} for n, row in enumerate(rows, 1)))) == 3, "counted from 1"
    with pytest.raises(BadFile, match="line 3: 'answer_index' is 0, but the answer is option C: correct one of them"):
        read_json(tmp_path, *rows[:2], rows[2] | {"answer_index": 0})


def test_promptfoos_table_is_sent_to_its_converter(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="line 1: '__expected' is promptfoo's column of assertions: name this file in"):
        read(tmp_path, ["question", "__expected"], ["Capital of Italy?", "contains: Rome"])


def test_truth_values_are_options(tmp_path: Path) -> None:
    records = [
        {"question": "Is 2 even?", "options": ["True", "False"], "answer": True},
        {"question": "Is 3 even?", "options": ["Yes", "No"], "answer": False},
        {"question": "Is 4 even?", "answer": True},
    ]
    assert [question.accepted for question in read_json(tmp_path, *records)] == [("A",), ("B",), ("True",)]


def test_answers_of_gsm8k_stand_behind_their_mark(tmp_path: Path) -> None:
    worked = ["6*7=<<6*7=42>>42\n#### 42", "It is\n#### 1,000"]
    scope = opened(table(tmp_path, ["question", "answer"], *(["q?" * n, text] for n, text in enumerate(worked, 1))))
    assert [question.accepted for question in scope.questions] == [("42",), ("1,000",)]
    assert scope.notes == ("Answers were read from behind their last “####”, which each of them has.",)
    with pytest.raises(BadFile, match="line 4: 'answer' has no '####' with an answer behind it, as other rows have"):
        read(tmp_path, ["question", "answer"], ["q?", worked[0]], ["r?", "43"])
    headings = read(tmp_path, ["question", "answer"], ["Fourth heading?", "####"], ["Second?", "##"])
    assert [question.accepted for question in headings] == [("####",), ("##",)]


def test_chat_messages_are_asked_as_they_are(tmp_path: Path) -> None:
    asked = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": [{"type": "text", "text": "6 times 7?"}]},
    ]
    (question,) = read_json(tmp_path, {"input": asked, "ideal": ["42", "forty-two"]})
    put = prompt(question)
    assert (put.system, put.conversation) == ("Be brief.", (("user", "Hi"), ("assistant", "Hello."), ("user", "6 times 7?")))
    assert question.accepted == ("42", "forty-two")
    with pytest.raises(BadFile, match=r"line 1: 'question' is .* the last one of the user"):
        read_json(tmp_path, {"input": asked[:3], "ideal": "42"})


def test_numbers_of_columns_with_types_are_as_they_were_written(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"question": ["A tenth?", "Two?"], "answer": pa.array([0.1, 2.0], pa.float32())}
    parquet.write_table(pa.table(columns), tmp_path / "q.parquet")
    assert [question.accepted for question in opened(tmp_path / "q.parquet").questions] == [("0.1",), ("2.0",)]
    assert read_json(tmp_path, {"question": "q?", "answer": 0.1 + 0.2})[0].accepted == ("0.3",)
    frame = [{"question": "q?", "options": np.array(["x", "y"]), "answer": "B"}]
    scope = open_scope(frame, name="frame")
    assert isinstance(scope, ListedScope)
    assert scope.questions[0].options == ("x", "y")


@each_case("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_same_table_in_any_encoding_is_the_same_scope(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "q.csv").write_bytes("Frage;Antwort\r\nWo ist die größte Brücke?;Köln\r\n".encode(encoding))
    scope = opened(tmp_path / "q.csv", "?question=Frage&answer=Antwort")
    assert [(question.text, question.accepted) for question in scope.questions] == [("Wo ist die größte Brücke?", ("Köln",))]
    pair = ("The file is not UTF-8 and was read as Windows-1252, with words such as “größte”.",)
    assert scope.notes == (pair if encoding == "cp1252" else ())


def test_columns_without_a_name_are_named_only_if_they_hold_something(tmp_path: Path) -> None:
    assert opened(table(tmp_path, ["question", "answer", ""], ["q?", "x", ""])).ignored == ()
    assert opened(table(tmp_path, ["", "question", "answer"], ["0", "q?", "x"])).ignored == ("",)


@pytest.mark.parametrize("text", ['[{"question": "q?", "answer": 42}]', '{"data": [{"question": "q?", "answer": 42}]}'])
def test_a_list_in_json_is_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "q.json").write_text(text)
    assert opened(tmp_path / "q.json").questions == (Question("1", "q?", accepted=("42",)),)


@each_case("asks", ["Select all that apply: which are prime?", "Choose two primes.", "Markieren Sie alle richtigen Zahlen."])
def test_one_right_option_is_not_enough_if_the_question_asks_for_all(tmp_path: Path, asks: str) -> None:
    with pytest.raises(BadFile, match="line 1: the question asks for several options"):
        read_json(tmp_path, {"question": asks, "options": ["2", "4", "5"], "answer": ["A", "C"]})
    assert read_json(tmp_path, {"question": asks, "options": ["2", "4", "6"], "answer": "A"})[0].accepted == ("A",)


def test_several_right_options_are_noted(tmp_path: Path) -> None:
    scope = opened(table(tmp_path, ["question", "A", "B", "C", "answer"], ["Which is prime?", "2", "4", "5", "A|C"]))
    assert scope.notes[-1] == "1 question has several right options: a reply is right if it names one of them."


def test_a_tolerance_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="line 1: 'Tolerance': question files have no tolerance"):
        read(tmp_path, ["question", "answer", "Tolerance"], ["q?", "5", "0.1"])


def test_a_workbook_is_read_as_a_table_is(tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    rows = sheet(["Question", "A", "B", "answer"], ["6 * 7?", number(42), number("0.30000000000000004"), "a"])
    scope = opened(write_workbook(tmp_path / "q.xlsx", {"Questions": rows, "Notes": sheet(["n"])}), "?sheet=Questions")
    assert [(question.options, question.accepted) for question in scope.questions] == [(("42", "0.3"), ("A",))]
    with pytest.raises(BadInput, match=r"sheet=Q: only a workbook \(\.xlsx\) has sheets"):
        opened(table(tmp_path, ["question", "answer"], ["q?", "x"]), "?sheet=Q")


@each_case(
    ("cell", "problem"),
    [
        (number(46085, DATE), "'answer' is the date or time 2026-03-04, which a spreadsheet makes of 3/4"),
        (number(0.5, TIME), "'answer' is the date or time 12:00:00"),
        (error("#REF!"), "an answer is '#REF!'"),
        (FORMULA, "an answer is '#VALUE!'"),
        ("", "no 'answer'"),
    ],
)
def test_cells_of_a_workbook_that_no_one_wrote_so_are_refused(tmp_path: Path, cell: str, problem: str) -> None:
    pytest.importorskip("python_calamine")
    file = write_workbook(tmp_path / "q.xlsx", {"Q": sheet(["question", "answer"], ["q?", "x"], ["r?", cell])})
    with pytest.raises(BadFile, match=f"line 3: {re.escape(problem)}"):
        opened(file)
