"""Scopes from files: what is in them is what comes out, and what is wrong with them is named with its line."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from tests.each_case import each_case
from vivavoce.candidates import open_candidate
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.bounds import MAX_LINE_BYTES
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope, by_category
from vivavoce.scopes.question_rows import QuestionRow
from vivavoce.scopes.questions import Question

QUESTIONS = """\
{"id": "add-1", "question": "What is 1/2 + 1/4?", "answer": ["3/4", "0.75"], "category": "fractions", "unacceptable": ["2/6"]}
{"id": "cap-1", "question": "Capital of Italy?", "options": ["Milan", "Rome", "Oslo"], "answer": "B", "unacceptable": ["C"]}
{"id": "pnp-1", "question": "Is P equal to NP?", "options": ["Yes", "No"], "answer": "No", "idk_score": 0.9, "weight": 0.5}
{"id": "sq-1a", "question": "What is 7 times 7?", "answer": 49, "cluster": "seven squared"}
{"id": "sq-1b", "question": "What is 7 to the power of 2?", "answer": 49, "cluster": "seven squared"}
{"id": "riv-1", "question": "Which is longer?", "options": ["Don", "Ural"], "cluster": "rivers", "law": "different"}
{"id": "riv-2", "question": "Which is shorter?", "options": ["Don", "Ural"], "cluster": "rivers", "law": "different"}
"""


def opened(name: str) -> ListedScope:
    scope = open_scope(name)
    assert isinstance(scope, ListedScope)
    return scope


def test_each_column_is_read(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(QUESTIONS)
    fractions, capital, p_np, seven_a, seven_b, longer, shorter = opened(f"file:{file}").questions
    assert fractions == Question(
        "add-1", "What is 1/2 + 1/4?", (), ("3/4", "0.75"), category="fractions", unacceptable=("2/6",)
    )
    assert (capital.accepted, capital.unacceptable) == (("B",), ("C",))
    assert (p_np.accepted, p_np.dont_know_score, p_np.weight) == (("B",), 0.9, 0.5)
    assert seven_a.cluster == seven_b.cluster == "seven squared"
    assert longer.law == shorter.law == "different"
    assert longer.judged_by_law
    assert seven_a.numeric
    assert fractions.numeric
    scope = opened(f"file:{file}")
    assert scope.grade(fractions, Reply("Answer: 3/4")).score == 1
    assert scope.grade(p_np, Reply("Nobody knows. I don't know.")).score == 0.9


def test_parquet_holds_the_same_scope_as_json_lines(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [json.loads(line) for line in QUESTIONS.splitlines()]
    rows.append({"id": "met", "question": "Best?", "options": ["Iron", "Tin"], "scores": {"A": 1, "B": 0.5}, "example": False})
    (tmp_path / "same.jsonl").write_text("\n".join(map(json.dumps, rows)))
    # a column of Parquet has one type: all answers are lists of texts
    typed = [
        row | {"answer": list(map(str, TypeAdapter(QuestionRow).validate_python(row).get("answer", ()))) or None}
        for row in rows
    ]
    columns = {name: [row.get(name) for row in typed] for name in dict.fromkeys(name for row in rows for name in row)}
    parquet.write_table(pa.table(columns), tmp_path / "same.parquet")
    first, second = (opened(f"file:{tmp_path / name}") for name in ("same.jsonl", "same.parquet"))
    assert first.questions == second.questions
    assert first.digest == second.digest


def test_a_slip_in_parquet_is_told_with_its_row(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"question": ["What is 1 + 1?", None], "answer": [2, 3]}), tmp_path / "slip.parquet")
    with pytest.raises(BadFile, match=r"slip.parquet, line 2: no 'question'"):
        open_scope(f"file:{tmp_path / 'slip.parquet'}")
    with pytest.raises(BadInput, match=r"did you mean 'file:slip\.parquet'"):
        open_scope("slip.parquet")


def test_built_in_material_is_no_scope() -> None:
    with pytest.raises(BadInput, match="its scope is 'obvious'"):
        open_scope("material:obvious")


def test_tables_and_lines_say_the_same(tmp_path: Path) -> None:
    records = [
        {"id": "a", "question": 'Say "hi", or\nnot', "options": ["x", "y"], "answer": "y", "unacceptable": ["x"], "weight": 2},
        {"id": "b", "question": "7 + 1?", "answer": ["8", "eight"], "idk_score": 0.5, "category": "sums", "cluster": "c"},
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(json.dumps(r) for r in records) + "\n\n")
    header = "id,question,options,answer,unacceptable,weight,idk_score,category,cluster\r\n"
    rows = """a,"Say ""hi"", or\nnot",x|y,y,x,2,,,\r\nb,7 + 1?,,"[""8"", ""eight""]",,,0.5,sums,c\r\n"""
    (tmp_path / "q.csv").write_text("\ufeff" + header + rows, newline="")
    (tmp_path / "q.tsv").write_text(
        (header + rows).replace('8"", ""', '8""; ""').replace(",", "\t").replace(";", ","), newline=""
    )
    with gzip.open(tmp_path / "q.jsonl.gz", "wb") as packed:
        packed.write((tmp_path / "q.jsonl").read_bytes())
    digests = {opened(f"file:{tmp_path / name}").digest for name in ("q.jsonl", "q.csv", "q.jsonl.gz")}
    assert len(digests) == 1
    assert opened(f"file:{tmp_path / 'q.tsv'}").questions[1].accepted == ("8", "eight")


def test_ids_are_counted_where_there_are_none(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("question,answer\n1+1?,2\n\n2+2?,4\n")
    assert [q.id for q in opened(f"file:{tmp_path / 'q.csv'}").questions] == ["1", "2"]


GOOD = '{"id": "a", "question": "q?", "answer": "x"}\n'


@each_case(
    ("name", "content", "line", "says"),
    [
        ("q.jsonl", "", None, "no questions"),
        ("q.csv", "", None, "no questions"),
        ("q.csv", "question,answer\n", None, "no questions"),
        ("q.txt", GOOD, None, "must end in .jsonl"),
        ("q.jsonl", '{"question": "q?", "scores": "x=1|y=0.5"}', 1, "give each answer its score, as"),
        ("q.jsonl", GOOD + "{", 2, "not JSON"),
        ("q.jsonl", GOOD + "[1]", 2, "JSON object"),
        ("q.jsonl", GOOD + "[" * 100_000, 2, "more than 64 levels deep: make it flatter"),
        ("q.jsonl", '{"answer": ' + "9" * 5000 + "}", 1, "more than 308 digits: write it in quotation marks"),
        ("q.jsonl", GOOD + GOOD, 2, "id 'a' is already on line 1"),
        ("q.jsonl", '{"id": "2", "question": "q?", "answer": "x"}\n{"question": "q?", "answer": "x"}', 2, "already on line 1"),
        ("q.jsonl", '{"qestion": "q?", "answer": "x"}', 1, "unknown column 'qestion': did you mean 'question'?"),
        ("q.jsonl", '{"question": "q?", "answer": "x", "wieght": 2}', 1, "did you mean 'weight'?"),
        ("q.jsonl", '{"text": "q?", "answer": "x"}', 1, "no 'question': the columns are text, answer; write ?question=COLUMN"),
        ("q.jsonl", '{"question": "q?"}', 1, "no 'answer'"),
        ("q.jsonl", '{"question": "q?", "answer": []}', 1, "'answer'"),
        ("q.jsonl", '{"question": " ", "answer": "x"}', 1, "'question'"),
        ("q.jsonl", '{"question": "\\ud800", "answer": "x"}', 1, "'question'"),
        ("q.jsonl", '{"question": "q?", "answer": "C", "options": ["x", "y"]}', 1, "not an option: give a letter from A to B"),
        ("q.jsonl", '{"question": "q?", "answer": "A", "options": ["x", "y"], "unacceptable": ["z"]}', 1,
            "'unacceptable' is 'z'"),
        ("q.jsonl", '{"question": "q?", "answer": "A", "options": ["x", "X."]}', 1, "two options are the same"),
        ("q.jsonl", '{"question": "q?", "answer": "A", "options": ["x"]}', 1, "at least two"),
        ("q.jsonl", json.dumps({"question": "q?", "answer": "A", "options": [str(i) for i in range(27)]}), 1, "'options'"),
        ("q.jsonl", '{"question": "q?", "answer": "x", "weight": 0}', 1, "'weight' is '0': Input should be greater than 0"),
        ("q.jsonl", '{"question": "q?", "answer": "x", "weight": -1}', 1, "greater than 0"),
        ("q.jsonl", '{"question": "q?", "answer": "x", "weight": NaN}', 1, "finite"),
        ("q.jsonl", '{"question": "q?", "answer": "x", "weight": Infinity}', 1, "finite"),
        ("q.jsonl", '{"question": "q?", "answer": "x", "weight": 1e300}', 1, "less than or equal to 1000000000000000"),
        ("q.csv", "question,answer,weight\nq?,x,heavy\n", 2, "'weight' is 'heavy'"),
        ("q.jsonl", '{"question": "q?", "answer": "x", "idk_score": 2}', 1, "less than or equal to 1"),
        ("q.jsonl", '{"question": "q?", "answer": ["4"], "unacceptable": ["4.0"]}', 1, "both right and unacceptable"),
        ("q.jsonl", '{"question": "q?", "answer": "x", "idk_score": 1, "unacceptable": "I don\'t know"}', 1, "idk_score is 1"),
        ("q.csv", "question,answer\nq?,x,y\n", 2, "put those that contain ',' in quotation marks"),
        ("q.csv", "question,answer,answer\nq?,x,y\n", 1, "two columns are named 'answer'"),
        ("q.csv", 'question,answer\n"q?,x\n', 2, "not a table"),
        ("q.csv", 'question,answer\nq?,"[""x"", y]"\n', 2, "begins like a list, but is not a readable list, at 'y]'"),
        ("q.csv", f'question,answer\nq?,"[""x"", {5000 * "9"}]"\n', 2, "begins like a list"),
        ("q.csv", "question,answer\nq?,x\nr?,nan\n", 3, "an answer is 'nan', as pandas writes an empty cell"),
        ("q.jsonl", GOOD + '{"question": "r?", "answer": NaN}', 2, "as pandas writes an empty cell"),
        ("q.csv", "question,answer,cluster\nq?,x,nan\n", 2, "'cluster' is 'nan', as pandas writes an empty cell"),
        ("q.csv", "question,answer\nnan,x\n", 2, "'question' is 'nan'"),
        ("q.csv", 'question,answer\nhalf of 7?,"3,5"\n', 2, "so 3.5 would be wrong: write 3.5, or give 'match' exact"),
        ("q.csv", 'question,answer\nall?,"1.234,5"\n', 2, "write 1234.5"),
        ("q.csv", 'question,answer,match\nhalf of 7?,"3,5",number\n', 2, "write 3.5"),
        ("q.csv", "question,answer\nCapital?,Rome\ncapital?,Roma\n", 3, "asks the same with another right answer ('Roma', th"),
        ("q.csv", "question,options,answer\nq?,x|y,x\nq?,y|x,x\nq?,y|x,A\n", 4, "another right answer"),
        ("q.csv", "question,answer,weights\nq?,x,2\n", 2, "unknown column 'weights': did you mean 'weight'?"),
    ],
)  # fmt: skip
def test_bad_files_name_line_and_remedy(tmp_path: Path, name: str, content: str, line: int | None, says: str) -> None:
    file = tmp_path / name
    file.write_text(content)
    with pytest.raises(BadFile) as caught:
        open_scope(f"file:{file}")
    assert says in str(caught.value)
    assert caught.value.line == line
    assert caught.value.file == file
    assert len(str(caught.value)) < len(str(file)) + 400


@each_case(
    ("rows", "accepted", "reply"),
    [
        ("question,answer\nhalf of 7?,3.5\n", ("3.5",), "Answer: 3.5"),
        ('question,answer\nall?,"1,234"\n', ("1,234",), "Answer: 1234"),
        ('question,answer,match\nWhich two?,"3,5",exact\n', ("3,5",), "Answer: 3,5"),
        ("question,answer,match\n0/0 in JavaScript?,NaN,exact\n", ("NaN",), "Answer: NaN"),
        ('question,options,answer\nhalf of 7?,"3,5|2,5","3,5"\n', ("A",), "Answer: A"),
        ("question,answer\nCapital?,Rome|Roma\nCapital?,Roma|Rome\n", ("Rome", "Roma"), "Answer: Roma"),
        ("question,answer,points\nq?,x,nan\n", ("x",), "Answer: x"),
    ],
)
def test_neighbours_of_what_is_refused_are_right(tmp_path: Path, rows: str, accepted: tuple[str, ...], reply: str) -> None:
    (tmp_path / "q.csv").write_text(rows)
    scope = opened(f"file:{tmp_path / 'q.csv'}")
    assert scope.questions[0].accepted == accepted
    assert scope.grade(scope.questions[0], Reply(reply)).score == 1


def calculated() -> Interview[Prompt, Reply]:
    return Interview(open_candidate("bot:calculator"), answers=Reply)


def test_unknown_columns_are_named_in_every_verdict(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("question,answer,score,category\n1 + 1?,2,5,a\n2 + 2?,4,5,b\n")
    scope = opened(f"file:{tmp_path / 'q.csv'}")
    assert scope.ignored == ("score",)
    named = "Unknown columns of the file were ignored: “score”."
    parts = by_category([scope])
    assert named in asyncio.run(certify(calculated(), scope, Criterion(0.7, None))).caveats
    assert named in asyncio.run(certify(calculated(), parts, Criterion(0.7, None))).caveats
    (tmp_path / "q.csv").write_text("question,answer\n1 + 1?,2\n")
    alone = opened(f"file:{tmp_path / 'q.csv'}")
    assert not any("ignored" in caveat for caveat in asyncio.run(certify(calculated(), alone, Criterion(0.7, None))).caveats)


GIVEN = Question("a", "q?", accepted=("12",))


@each_case(
    ("changes", "says"),
    [
        ([{}, {}], "two questions have the id 'a'"),
        ([{"accepted": "12"}], "'accepted' is '12': give a tuple of texts"),
        ([{"accepted": (3,)}], "'accepted' is \\(3,\\): give a tuple of texts"),
        ([{"accepted": ["12"]}], "give a tuple of texts"),
        ([{"accepted": ()}], "no 'accepted' answer"),
        ([{"accepted": ("nan",)}], "pandas"),
        ([{"accepted": ("3,5",)}], "write 3.5"),
        ([{"accepted": ("C",), "options": ("x", "y")}], "which is not an option: give a letter from A to B"),
        ([{"accepted": ("A",), "options": ("x", "X.")}], "two options are the same"),
        ([{"unacceptable": ("12.0",)}], "both right and unacceptable"),
        ([{"match": "number", "accepted": ("x",)}], "'match' is number"),
        ([{"weight": float("nan")}], "'weight' is nan"),
        ([{"dont_know_score": 2.0}], "from 0 to 1"),
        ([{"text": " "}], "'text' is ' '"),
        ([{"id": 3}], "'id' is 3"),
        ([{}, {"id": "b", "accepted": ("13",)}], "question 'b' asks the same with another right answer"),
        ([], "at least one question"),
    ],
)
def test_questions_from_python_are_checked_as_those_of_a_file(changes: list[dict[str, object]], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        ListedScope("own", tuple(replace(GIVEN, **change) for change in changes))  # type: ignore[arg-type]
    again = replace(GIVEN, id="b", accepted=("12.0",))
    assert ListedScope("own", (GIVEN, again)).size == 2


def test_published_questions_are_left_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "fish_test.csv").write_text("q?,a,a,c,d,C\nq?,a,a,c,d,D\n")
    assert [question.accepted for question in opened(f"mmlu:{tmp_path}#fish").questions] == [("C",), ("D",)]


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_bytes(GOOD.encode() + b"\n" + '{"question": "Столица"}'.encode("cp1251"))
    with pytest.raises(BadFile, match="line 3: not UTF-8, and not clearly Windows-1252: save it as UTF-8"):
        open_scope(f"file:{tmp_path / 'q.jsonl'}")
    (tmp_path / "q.csv").write_bytes("question,answer\n".encode("utf-16-le"))
    with pytest.raises(BadFile, match="line 1: contains NUL bytes"):
        open_scope(f"file:{tmp_path / 'q.csv'}")
    (tmp_path / "q.jsonl").write_bytes(b'"' + b"x" * (MAX_LINE_BYTES + 1))
    with pytest.raises(BadFile, match="line 1: the line is longer than 4 MiB"):
        open_scope(f"file:{tmp_path / 'q.jsonl'}")


def test_damaged_gzip(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl.gz"
    packed = gzip.compress("".join(GOOD.replace('"a"', f'"{i}"') for i in range(1000)).encode())
    for damaged in (b"no gzip", packed[:-10], packed[:20] + b"\xff\xff\xff" + packed[23:]):
        file.write_bytes(damaged)
        with pytest.raises(BadFile, match="gzip data are damaged"):
            open_scope(f"file:{file}")


@pytest.mark.parametrize("name", ["support.csv", "data/support.jsonl.gz?match=any", "support.tsv"])
def test_a_file_without_its_kind_is_asked_back_with_it(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match=f"did you mean 'file:{re.escape(name)}'"):
        open_scope(name)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "support.csv").write_text("question,answer\n1 + 1?,2\n")
    assert opened("file:support.csv").size == 1


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="No such file"):
        open_scope(f"file:{tmp_path / 'none.jsonl'}")
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(BadFile, match="Is a directory"):
        open_scope(f"file:{tmp_path / 'folder.jsonl'}")
    for kind in ("mmlu", "bbh"):
        with pytest.raises(BadFile, match="no file named TASK"):
            open_scope(f"{kind}:{tmp_path / 'none'}")


def test_mmlu_with_and_without_a_header(tmp_path: Path) -> None:
    (tmp_path / "test").mkdir()
    (tmp_path / "test" / "birds_test.csv").write_text("question,choice0,choice1,choice2,choice3,answer\nq?,a,b,c,d,2\n")
    (tmp_path / "fish_test.csv").write_text('"q, r?",a,b,c,d,C\n')
    birds, fish = opened(f"mmlu:{tmp_path}").questions
    assert birds == Question("birds/1", "q?", ("a", "b", "c", "d"), ("C",), category="birds")
    assert fish == Question("fish/1", "q, r?", ("a", "b", "c", "d"), ("C",), category="fish")
    assert opened(f"mmlu:{tmp_path}#fish").questions == (fish,)
    with pytest.raises(UnknownName, match="no task 'fisch'; did you mean 'fish'"):
        open_scope(f"mmlu:{tmp_path}#fisch")
    for content, says in (("q?,a,b,c,C\n", "5 columns"), ("q?,a,b,c,d,E\n", "answer is 'E'"), ("", "no questions")):
        (tmp_path / "fish_test.csv").write_text(content)
        with pytest.raises(BadFile, match=says):
            open_scope(f"mmlu:{tmp_path}#fish")


def test_mmlu_pro_lines(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    row = {"question_id": 70, "question": "q?", "options": ["a", "b"], "answer": "B", "category": "law"}
    file.write_text(json.dumps(row))
    assert opened(f"mmlu-pro:{file}#law").questions == (Question("70", "q?", ("a", "b"), ("B",), category="law"),)
    with pytest.raises(UnknownName, match="no category 'low'; did you mean 'law'"):
        open_scope(f"mmlu-pro:{file}#low")
    bad = [(row | {"answer": "C"}, "not the letter"), (row | {"options": 3}, "'options'"), (row, "already on line 1")]
    for second, says in bad:
        file.write_text(f"{json.dumps(row | {'question_id': 70 if second is row else 1})}\n{json.dumps(second)}")
        with pytest.raises(BadFile, match=f"line 2: .*{says}"):
            open_scope(f"mmlu-pro:{file}")
    file.write_text("")
    with pytest.raises(BadFile, match="no questions"):
        open_scope(f"mmlu-pro:{file}")


@each_case(
    ("text", "target", "question", "options", "accepted"),
    [
        ("Which?\nOptions:\n(A) x\n(B) y", "(B)", "Which?", ("x", "y"), ("B",)),
        ("Which?\nOptions:\n- Yes\n- No ", "No", "Which?", ("Yes", "No"), ("B",)),
        ("not True is", "False", "not True is", ("True", "False"), ("B",)),
        ("Plausible?", "yes", "Plausible?", ("Yes", "No"), ("A",)),
        ("1 + 1 =", "2", "1 + 1 =", (), ("2",)),
        ("Sort: b a", "a b", "Sort: b a", (), ("a b", "a, b")),
        ("Close: [ (", ") ]", "Close: [ (", (), (") ]", ")]")),
        ("Which?\nOptions:\n(A) Monsters\n(B) Inc", "Monsters, Inc", "Which?\nOptions:\n(A) Monsters\n(B) Inc", (), None),
    ],
)  # fmt: skip
def test_bbh_examples(
    tmp_path: Path, text: str, target: str, question: str, options: tuple[str, ...], accepted: tuple[str, ...] | None
) -> None:
    (tmp_path / "task.json").write_text(json.dumps({"canary": "", "examples": [{"input": text, "target": target}]}))
    (read,) = opened(f"bbh:{tmp_path}#task").questions
    assert (read.id, read.text, read.options, read.category) == ("task/1", question, options, "task")
    assert read.accepted == accepted or (accepted is None and target in read.accepted)
    right = target if not options or not target.startswith("(") else f"**{target}**"
    assert opened(f"bbh:{tmp_path}").grade(read, Reply(f"Let me see.\nAnswer: {right}")).score == 1


@each_case(
    ("content", "says"),
    [
        ("{", "line 1: not JSON"),
        ("[]", "valid"),
        ('{"examples": []}', "'examples'"),
        ('{"examples": [{"input": "x"}]}', "examples.0.target"),
    ],
)  # fmt: skip
def test_bad_bbh_files(tmp_path: Path, content: str, says: str) -> None:
    (tmp_path / "task.json").write_text(content)
    with pytest.raises(BadFile, match=says):
        open_scope(f"bbh:{tmp_path}")
    with pytest.raises(UnknownName, match="did you mean 'task'"):
        open_scope(f"bbh:{tmp_path}#tusk")
