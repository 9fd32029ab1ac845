"""`--results FILE`: a row a question, whatever is examined; the same whether answers were asked for or came from the record."""

from __future__ import annotations

import csv
import json
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.candidates.engines import needs_stockfish
from tests.cli.conftest import Refuses, Viva, wait_for_records
from tests.cli.consistency.test_bail import JUDGE as BAIL_JUDGE
from tests.studies.bail.judges import made_up
from vivavoce.interview.transcript import Transcript
from vivavoce.studies.defendants.counterfactuals import COLUMNS as DEFENDANTS

COLUMNS = ["id", "question", "reply", "read as", "expected", "score", "outcome", "seconds", "tokens"]
CERTIFY = ("--unacceptable-limit", "none", "--seed", "0", "--quiet", "--json")
ALL = ("--passing-grade", "0.5")
"""With which nothing is decided by fewer than all of a few questions."""
QUESTIONS = """\
{"id": "a", "question": "Say one.", "answer": "1"}
{"id": "b", "question": "Say two.", "answer": "2"}
{"id": "c", "question": "Say three.", "answer": "3"}
{"id": "d", "question": "Say four.", "answer": "4"}
{"id": "e", "question": "Say five.", "answer": ["5", "five"]}
"""
CANDIDATE = '''\
"""Right, wrong, unreadable, a copy, and no answer at all."""

REPLIES = {"Say one": "Answer: 1", "Say two": "Answer: 7", "Say three": "Well, well.", "Say five": "Answer: 5"}


def answer(prompt):
    if "Say four" in prompt:
        raise ValueError("the line is dead")
    if "Say three" in prompt and COPIES:
        return prompt.rpartition("\\n\\n")[2]
    return next(reply for word, reply in REPLIES.items() if word in prompt)


COPIES = False
'''


def rows(file: str) -> list[dict[str, Any]]:
    """The rows of a file of results in JSON Lines."""
    return [json.loads(line) for line in Path(file).read_text().splitlines()]


@pytest.fixture
def words(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A candidate by its words, under a name of its own for each test: once imported, a module stays."""
    name = "words_" + "".join(letter if letter.isalnum() else "_" for letter in request.node.name)
    (tmp_path / f"{name}.py").write_text(CANDIDATE)
    (tmp_path / "five.jsonl").write_text(QUESTIONS)
    return name


def test_every_kind_of_outcome_has_its_row(viva: Viva, words: str) -> None:
    ended = viva("certify", f"function:{words}:answer", "--scope", "file:five.jsonl", *CERTIFY, *ALL, "--results", "r.jsonl")
    values = {row["id"]: row for row in rows("r.jsonl")}
    assert list(values["a"]) == COLUMNS
    assert "Rows: 5 in r.jsonl" in ended.err
    document = {name: (row["read as"], row["score"], row["outcome"]) for name, row in values.items()}
    # by hand, from the replies of CANDIDATE; what can't be graded has no score
    assert document.pop("d")[:2] == ("", 0.0)
    assert document == {
        "a": ("1", 1.0, "answer"), "b": ("7", 0.0, "answer"), "c": ("", None, "unreadable"), "e": ("5", 1.0, "answer"),
    }  # fmt: skip
    assert values["d"]["outcome"].startswith("no answer: ")
    assert "the line is dead" in values["d"]["outcome"]
    assert values["d"]["reply"] == ""
    assert values["c"]["reply"] == "Well, well."
    assert values["e"]["expected"] == "5 or five"
    assert values["b"]["question"].splitlines()[0] == "Say two."
    assert "Answer:" in values["b"]["question"].splitlines()[-1]  # as asked, with how to end the reply
    finding = ended.values
    outcomes = Counter(row["outcome"].partition(":")[0] for row in values.values())
    assert outcomes == {
        "answer": 3,
        "unreadable": finding["figures"]["unreadable"],
        "no answer": finding["figures"]["no_answers"],
    }
    assert finding["figures"]["unreadable"] == finding["figures"]["no_answers"] == 1
    # (1 + 0 + 0 + 0 + 1) / 5: the finding's mean is the mean of the lower ends
    assert sum(row["score"] or 0 for row in values.values()) / 5 == finding["figures"]["score"]["mean"] == 0.4


def test_a_copy_is_told_from_what_cannot_be_read(viva: Viva, words: str, tmp_path: Path) -> None:
    file = tmp_path / f"{words}.py"
    file.write_text(file.read_text().replace("COPIES = False", "COPIES = True"))
    ended = viva("certify", f"function:{words}:answer", "--scope", "file:five.jsonl", *CERTIFY, *ALL, "--results", "r.jsonl")
    assert Counter(row["outcome"] for row in rows("r.jsonl"))["copied"] == ended.values["figures"]["copied"] == 1


def test_scores_have_the_mean_of_the_finding(viva: Viva) -> None:
    ended = viva("certify", "bot:calculator?wrong=0.2", "--scope", "arithmetic", *CERTIFY, "--results", "r.jsonl")
    finding, document = ended.values, rows("r.jsonl")
    assert len(document) == finding["figures"]["questions"]
    mean = sum(row["score"] for row in document) / len(document)
    assert mean == pytest.approx(finding["figures"]["score"]["mean"], abs=1e-9)
    assert all((row["read as"] == row["expected"]) == (row["score"] == 1) for row in document)


def test_a_resumed_run_writes_the_same_bytes(viva: Viva) -> None:
    asked = ("certify", "bot:calculator?wrong=0.2", "--scope", "arithmetic", *CERTIFY, "--transcript", "run.sqlite")
    for form in ("csv", "jsonl"):
        viva(*asked, "--results", f"first.{form}")
        viva(*asked, "--results", f"second.{form}")
        assert Path(f"first.{form}").read_bytes() == Path(f"second.{form}").read_bytes()


def test_without_a_conclusion_or_a_budget_what_was_answered_is_written(viva: Viva) -> None:
    ended = viva("certify", "bot:calculator", "--scope", "arithmetic", "--questions", "3", *CERTIFY, "--results", "r.jsonl")
    assert (ended.code, len(rows("r.jsonl"))) == (4, 3)
    ended = viva("certify", "bot:gibberish", "--scope", "arithmetic", *CERTIFY, "--results", "r.jsonl")
    assert {row["outcome"] for row in rows("r.jsonl")} == {"unreadable"}
    assert len(rows("r.jsonl")) == ended.values["figures"]["unreadable"]


@pytest.mark.long
def test_stopped_by_hand_it_writes_what_was_answered(viva_copy: Callable[..., subprocess.Popen[str]], tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import time\n\ndef answer(prompt):\n    time.sleep(0.05)\n    return 'Answer: 1'\n")
    (tmp_path / "q.jsonl").write_text("".join(f'{{"id": "{n}", "question": "q{n}?", "answer": "1"}}\n' for n in range(400)))
    process = viva_copy(
        "certify", "function:slow:answer", "--scope", "file:q.jsonl", "--seed", "0", "--transcript", "run.sqlite",
        "--results", "r.jsonl", "--set", "procedure=fixed", "--questions", "400",
    )  # fmt: skip
    wait_for_records(tmp_path / "run.sqlite", 6)
    process.send_signal(signal.SIGINT)
    _, text = process.communicate(timeout=60)
    assert process.returncode == 130, text
    values = rows(str(tmp_path / "r.jsonl"))
    assert 1 <= len(values) < 400
    assert {(row["reply"], row["score"]) for row in values} == {("Answer: 1", 1.0)}


def test_of_several_scopes_each_row_names_its_own(viva: Viva) -> None:
    scopes = ("--scope", "arithmetic?operations=+", "--scope", "intervals")
    ended = viva("certify", "bot:calculator", *scopes, *CERTIFY, "--results", "r.jsonl")
    values = rows("r.jsonl")
    assert list(values[0]) == ["scope", *COLUMNS]
    scored = Counter(row["scope"] for row in values if row["score"] is not None)
    document = {scope["scope"]: scope["questions"] for scope in ended.values["figures"]["scopes"]}
    assert scored == document
    assert all(row["outcome"] != "answer" for row in values if row["scope"] == "intervals")  # it knows numbers alone


def test_scores_of_people_and_of_a_judge(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "essays.jsonl").write_text(
        "".join(f'{{"id": "q{n}", "question": "Tell me about {n}.", "rubric": "Anything."}}\n' for n in range(3))
    )
    (tmp_path / "grades.csv").write_text("id,score,unacceptable\nq0,0.25,no\nq1,1,no\nq2,0.5,no\n")
    arguments = ("--scope", "file:essays.jsonl", "--grades", "grades.csv", *CERTIFY, *ALL, "--transcript", "run.sqlite")
    viva("certify", "bot:eliza", *arguments, "--results", "r.jsonl")
    assert {row["id"]: row["score"] for row in rows("r.jsonl")} == {"q0": 0.25, "q1": 1.0, "q2": 0.5}
    viva("transcript", "export", "run.sqlite", "exported.jsonl")  # which has the grades that the record holds
    assert {row["id"]: row["score"] for row in rows("exported.jsonl")} == {"q0": 0.25, "q1": 1.0, "q2": 0.5}


def test_scores_of_a_judge(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "essays.jsonl").write_text('{"id": "q", "question": "Tell me.", "rubric": "Anything."}\n')
    (tmp_path / "grader_in_rows.py").write_text(
        "def answer(prompt):\n    return 'Reason: Fine.\\nScore: 7\\nUnacceptable: no'\n"
    )
    judge = ("--judge", "function:grader_in_rows:answer")
    ended = viva("certify", "bot:eliza", "--scope", "file:essays.jsonl", *judge, *CERTIFY, "--results", "r.jsonl")
    # 7 of 10 points; the judge's own replies are no rows
    assert [(row["id"], row["score"]) for row in rows("r.jsonl")] == [("q", 0.7)]
    assert ended.values["figures"]["score"]["mean"] == 0.7


def test_a_budget_of_tokens_ends_the_rows_where_it_ends_the_questions(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "paid.py").write_text(
        "from vivavoce.interview.candidate import Reply, Usage\n\n"
        "def answer(prompt):\n    return Reply('Answer: 1', Usage(6, 4))\n"
    )
    asked = (
        "certify", "function:paid:answer", "--scope", "arithmetic", "--set", "tokens=50", "--concurrency", "1", "--json", "-q",
    )  # fmt: skip
    ended = viva(*asked, "--set", "procedure=fixed", "--questions", "20", "--seed", "0", "--results", "r.jsonl")
    values = rows("r.jsonl")
    assert (ended.code, len(values)) == (4, ended.values["figures"]["questions"])
    assert {row["tokens"] for row in values} == {10}  # 6 and 4
    assert 5 <= len(values) < 20


def test_answers_that_wait_for_people_have_no_score(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "essays.jsonl").write_text('{"id": "q", "question": "Tell me.", "rubric": "Anything."}\n')
    arguments = ("--scope", "file:essays.jsonl", "--sheet", "sheet.csv", *CERTIFY)
    viva("certify", "bot:eliza", *arguments, "--results", "r.jsonl")
    assert [(row["id"], row["score"], row["outcome"]) for row in rows("r.jsonl")] == [("q", None, "answer")]


def test_deployed_and_explained_certificates_have_rows(viva: Viva, tmp_path: Path) -> None:
    lines = (f'{{"id": "{n}", "question": "What is {n} + {n}?", "answer": "{2 * n}", "weight": {n}}}\n' for n in range(1, 30))
    (tmp_path / "used.jsonl").write_text("".join(lines))
    ended = viva("certify", "bot:calculator", "--scope", "file:used.jsonl", "--deployed", *CERTIFY, "--results", "r.jsonl")
    assert len(rows("r.jsonl")) == ended.values["figures"]["asked"]
    assert {row["score"] for row in rows("r.jsonl")} == {1.0}


def test_a_pupil_is_expected_to_name_the_key(viva: Viva, tmp_path: Path) -> None:
    shutil.copy(Path(__file__).with_name("pupil.py"), tmp_path / "pupil_in_rows.py")
    small = ("--concepts", "math", "--limit", "2", "--questions", "10", "--paraphrases", "1", "--quiet", "--json")
    asked = ("eqt", "function:pupil_in_rows:answer", *small, "--transcript", "run.sqlite", "--results")
    ended = viva(*asked, "r.jsonl")
    [result], document = ended.values["figures"]["results"], rows("r.jsonl")
    assert len(document) == result["calls"]
    closed = [row for row in document if "/answer " in row["id"]]
    # it remembers five rules of ten, and its answers to a paraphrase are the same
    assert len(closed) == 40
    assert sum(row["score"] for row in closed) / 40 == result["whole"]["closed"]["value"] == 0.5
    assert all((row["read as"] == row["expected"]) == (row["score"] == 1) for row in closed)
    assert [index for index, row in enumerate(document) if row["id"].endswith("/explanation")] == [0, len(document) // 2]
    viva(*asked, "again.jsonl")
    assert Path("again.jsonl").read_bytes() == Path("r.jsonl").read_bytes()


def test_of_several_pupils_each_row_names_its_own(viva: Viva, tmp_path: Path) -> None:
    shutil.copy(Path(__file__).with_name("pupil.py"), tmp_path / "pupils_in_rows.py")
    small = ("--concepts", "math", "--limit", "1", "--questions", "2", "--paraphrases", "0", "--quiet", "--json", "--cross")
    both = ("function:pupils_in_rows:answer", "function:pupils_in_rows:forgetful")
    viva("eqt", *both, *small, "--results", "r.jsonl")
    values = rows("r.jsonl")
    assert list(values[0]) == ["candidate", *COLUMNS]
    assert {row["candidate"] for row in values} == set(both)
    unknown = [row for row in values if row["candidate"] == both[1] and "/answer " in row["id"]]
    assert {(row["score"], row["outcome"], row["read as"]) for row in unknown} == {(0.0, "I don't know", "I don't know")}


def test_bail_has_a_row_a_record(viva: Viva, tmp_path: Path) -> None:
    counting = """
def counting(text):
    with open("asked.txt", "a") as file:
        file.write("x")
    return consistent(text)
"""
    (tmp_path / "bail_in_rows.py").write_text(BAIL_JUDGE + counting)
    with (tmp_path / "defendants.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(DEFENDANTS)
        for defendant in made_up(4):
            r = defendant.record
            numbers = (r.priors, r.juvenile_felonies, r.juvenile_misdemeanours)
            table.writerow((defendant.id, r.sex, r.age, r.charge, r.degree.value, *numbers))
    asked = ("--defendants", "defendants.csv", "--quiet", "--control", "0", "--limit", "4")
    viva("consistency", "bail", "function:bail_in_rows:counting", *asked, "--results", "r.jsonl")
    values = rows("r.jsonl")
    assert len(values) == len(Path("asked.txt").read_text())
    assert {row["read as"] for row in values} == {"YES", "NO"}
    assert all(row["reply"] == f"[Answer] {row['read as']}" and row["score"] is None for row in values)
    viva("consistency", "bail", "function:bail_in_rows:rambling", *asked, "--results", "r.jsonl")
    assert Counter(row["outcome"] for row in rows("r.jsonl")) == {"unreadable": len(values)}


def test_cases_have_a_row_a_version(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "judge_in_rows.py").write_text("def probability(facts):\n    return 0.75 if 'x' in ''.join(facts) else 0.25\n")
    facts = ["A first fact.", "A second one, which is long enough.", "A third one, which is long as well."]
    lines = [{"id": f"c{n}", "facts": [*facts, "xy"[n]]} for n in range(2)]
    (tmp_path / "cases.jsonl").write_text("\n".join(map(json.dumps, lines)))
    known = [{"fact": fact, "paraphrase": f"{fact} Again {n}."} for fact in facts[1:] for n in (1, 2, 3)]
    (tmp_path / "known.jsonl").write_text("\n".join(map(json.dumps, known)))
    asked = (
        "--cases", "cases.jsonl", "--paraphrases-file", "known.jsonl", "--min-characters", "10", "--quiet", "--box", "white",
    )  # fmt: skip
    viva("consistency", "cases", "check", "function:judge_in_rows:probability", *asked, "--results", "r.jsonl")
    values = rows("r.jsonl")
    # a case: as it is, without the second or the third fact, three wordings of one of these, and once more
    first = [row["id"].removeprefix("c0/") for row in values[:7]]
    assert first[:3] == ["as it is", "without fact 2", "without fact 3"]
    (other,) = {name.removesuffix(f" {n}") for n, name in enumerate(first[3:6], 1)}
    assert other in ("fact 2 in other words", "fact 3 in other words")  # neither is more important: one is drawn
    assert first[6] == "asked again 1"
    assert [row["id"].partition("/")[0] for row in values] == 7 * ["c0"] + 7 * ["c1"]
    assert [row["read as"] for row in values] == 7 * ["0.75"] + 7 * ["0.25"]
    assert values[0]["question"].splitlines()[0] == "A first fact."


def test_a_model_that_judges_cases_is_read_like_any_other(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(
        "".join(f'{{"id": "c{n}", "facts": ["One.", "Two, long enough {n}."]}}\n' for n in "12")
    )
    (tmp_path / "known.jsonl").write_text('{"fact": "Two, long enough 1.", "paraphrase": "Long enough."}\n')
    asked = ("--cases", "cases.jsonl", "--paraphrases-file", "known.jsonl", "--min-characters", "5", "--quiet")
    viva("consistency", "cases", "check", "bot:eliza", *asked, "--results", "r.jsonl")
    pairs = [(row["id"], row["read as"], row["outcome"]) for row in rows("r.jsonl")]
    assert pairs == [("c1/as it is", "", "unreadable"), ("c2/as it is", "", "unreadable")]
    assert "How probable is it" in rows("r.jsonl")[0]["question"]


def test_a_rule_has_a_row_an_input(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"inputs": ["3 + 4", "4 + 3"], "relation": "same"}\n')
    asked = ("--table", "pairs.jsonl", "--task", "What is it?", "--quiet", "--results")
    viva("consistency", "rules", "bot:calculator", *asked, "r.jsonl")
    values = rows("r.jsonl")
    assert [row["question"].splitlines()[2] for row in values] == ["3 + 4", "4 + 3"]
    assert all(row["score"] is None and row["expected"] == "" for row in values)


@pytest.mark.parametrize("batch", [(), ("--batch",)])
def test_a_function_that_is_called_has_a_row_an_input_too(viva: Viva, tmp_path: Path, batch: tuple[str, ...]) -> None:
    (tmp_path / f"price{len(batch)}.py").write_text(
        "def price(parcel):\n"
        "    if isinstance(parcel, list):\n        return [price(entry) for entry in parcel]\n"
        "    return 4 + 2 * parcel['kg']\n"
    )
    (tmp_path / "pairs.jsonl").write_text('{"inputs": [{"kg": 1}, {"kg": 2}], "relation": "at most"}\n')
    asked = ("--table", "pairs.jsonl", *batch, "--quiet", "--results", "r.jsonl")
    ended = viva("consistency", "rules", f"function:price{len(batch)}:price", *asked)
    assert ended.code == 0, ended
    pairs = [(row["question"], row["reply"], row["read as"], row["outcome"]) for row in rows("r.jsonl")]
    assert pairs == [('{"kg": 1}', "6", "6", "answer"), ('{"kg": 2}', "8", "8", "answer")]  # by hand: 4 + 2 kg


def test_a_function_that_raises_has_rows_without_a_reply(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"inputs": ["a", 2], "relation": "same"}\n')
    viva("consistency", "rules", "function:operator:neg", "--table", "pairs.jsonl", "--quiet", "--results", "r.jsonl")
    first, second = rows("r.jsonl")
    assert (first["reply"], second["reply"]) == ("", "-2")
    assert first["outcome"].startswith("no answer: raised TypeError: bad operand type")


def test_forecasts_have_a_row_a_reply(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "seer.py").write_text("def answer(prompt):\n    return '[Answer] 0.3'\n")
    tuples = {"law": "neg", "questions": {"P": "Will it rain?", "not_P": "Will it stay dry?"}}
    (tmp_path / "tuples.jsonl").write_text(json.dumps(tuples))
    asked = ("--tuples", "tuples.jsonl", "--control", "0", "--repeats", "2", "--quiet", "--json", "--results", "r.jsonl")
    viva("consistency", "forecasts", "ask", "function:seer:answer", *asked)
    assert [(row["read as"], row["outcome"]) for row in rows("r.jsonl")] == 4 * [("0.3", "answer")]


@needs_stockfish
def test_chess_has_a_row_a_position(viva: Viva, tmp_path: Path) -> None:
    fens = ["5rk1/p4qbp/3p4/2pN1n1P/2Qp2p1/1P6/P1P2PP1/1K2R2R w - - 2 29", "8/8/4k3/8/8/3KP3/8/8 w - - 0 1"]
    (tmp_path / "some.epd").write_text("\n".join(fens))
    asked = ("--check", "mirror", "--positions", "some.epd", "--limit", "2", "--quiet", "--transcript", "run.sqlite")
    for file in ("r.jsonl", "again.jsonl"):
        ended = viva("consistency", "chess", "check", "uci:stockfish?nodes=300", *asked, "--results", file)
        assert ended.code == 0, ended.err
    values = rows("r.jsonl")
    assert [row["id"] for row in values] == ["1", "2", "3", "4"][: len(values)]
    assert {fen for fen in fens if fen in {row["question"] for row in values}}
    assert all(float(row["read as"]) == json.loads(row["reply"])["q"] for row in values)
    assert Path("again.jsonl").read_bytes() == Path("r.jsonl").read_bytes()


@pytest.mark.long
def test_a_whole_examination_names_room_and_scope(viva: Viva) -> None:
    asked = ("report", "bot:calculator", "--out", "out", "--seed", "0", "--quiet", "--json", "--results")
    viva(*asked, "r.jsonl")
    viva(*asked, "again.jsonl")
    values = rows("r.jsonl")
    assert list(values[0]) == ["examination", "scope", *COLUMNS]
    assert {"certificate", "luna"} <= {row["examination"] for row in values}
    assert {row["scope"] for row in values if row["examination"] == "certificate"} == {"arithmetic", "intervals"}
    assert Path("again.jsonl").read_bytes() == Path("r.jsonl").read_bytes()
    with Transcript.open("out/transcript.sqlite") as transcript:
        answers = sum(record.candidate == "bot:calculator" for record in transcript.records())
    assert len(values) <= answers


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("r.xlsx", "ends in none of .csv, .jsonl and .parquet"),
        ("rows", "ends in none of .csv, .jsonl and .parquet"),
        ("no/r.csv", "the folder 'no' does not exist"),
        ("five.jsonl", "this command already uses that file"),
        ("page.csv", "this command already uses that file"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused(refuses: Refuses, words: str, file: str, message: str) -> None:
    arguments = ("--scope", "file:five.jsonl?match=exact", "--transcript", "run.sqlite", "--html", "page.csv")
    refuses("certify", f"function:{words}:answer", *arguments, "--results", file, says=message)


def test_a_file_that_is_there_is_replaced_and_others_beside_it_are_left_alone(viva: Viva, words: str) -> None:
    Path("R.CSV").write_text("what was there")
    viva("certify", f"function:{words}:answer", "--scope", "file:five.jsonl", *CERTIFY, "--results", "R.CSV")
    assert Path("R.CSV").read_bytes().startswith('\ufeff"id","question"'.encode())
    assert sorted(file.name for file in Path().iterdir() if not file.name.startswith("__")) == sorted(
        ["R.CSV", "five.jsonl", f"{words}.py"]
    )


def test_a_file_that_cannot_be_written_any_more_does_not_cost_the_finding(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    (tmp_path / "remover.py").write_text(
        "import shutil\n\ndef answer(prompt):\n    shutil.rmtree('gone', ignore_errors=True)\n    return 'Answer: 1'\n"
    )
    ended = viva("certify", "function:remover:answer", "--scope", "arithmetic", *CERTIFY, "--results", "gone/r.csv")
    assert ended.code == 2
    assert ended.values["verdict"] == "fail"
    assert "gone/r.csv: cannot be written: No such file or directory" in ended.err


def test_a_run_that_never_began_leaves_what_was_there(refuses: Refuses) -> None:
    Path("r.csv").write_text("what was there")
    refuses("certify", "bot:nobody", "--scope", "arithmetic", "--results", "r.csv", says="nobody")


def test_without_the_library_parquet_is_refused_with_the_remedy(refuses: Refuses, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce.formats.records.find_spec", lambda name: None)
    says = "'pyarrow' is not installed: pip install 'vivavoce[parquet]'"
    refuses("certify", "bot:calculator", "--scope", "arithmetic", "--results", "r.parquet", says=says)
