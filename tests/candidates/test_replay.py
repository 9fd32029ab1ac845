"""Recorded answers: every format, every way to be wrong, real recordings, and several answers to one question."""

from __future__ import annotations

import csv
import gc
import gzip
import io
import json
import os
from datetime import UTC, date, datetime, time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.certificate.candidates import interview
from tests.certificate.claims.unsure import of, tasks
from tests.each_case import each_case
from vivavoce.candidates import open_candidate
from vivavoce.candidates.earlier import open_baseline
from vivavoce.candidates.replay import RepeatedReplies, Replay, ReplayedAnswer, open_replay
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.gate import gate
from vivavoce.errors import BadFile, BadInput, CandidateMisconfigured, UnknownName
from vivavoce.interview.candidate import NoAnswer, Prompt, Recording, RepeatedRecording, Reply
from vivavoce.interview.transcript import Transcript

CSV = 'id,question_id,good,other\na,7,"Answer: (B), I\nthink",x\nb,8,,y\n'
TSV = "question_id\tgood\n7\tAnswer: C\n"
JSONL = '{"good": "first"}\n\n{"good": 2, "id": "x"}\n{"other": [1]}\n'


async def text_of(candidate: Replay | RepeatedReplies, question: str) -> str:
    return (await candidate.answer(Prompt("?", id=question))).text


@pytest.mark.parametrize("compressed", [False, True])
async def test_each_format_is_read(tmp_path: Path, compressed: bool) -> None:
    def write(name: str, text: str) -> str:
        file = tmp_path / (name + ".gz" * compressed)
        file.write_bytes(gzip.compress(text.encode(), mtime=0) if compressed else text.encode())
        return str(file)

    table = write("a.csv", "\ufeff" + CSV)
    assert await text_of(open_replay(f"{table}#good", ""), "a") == "Answer: (B), I\nthink"
    assert await text_of(open_replay(f"{table}#good", ""), "b") == ""
    assert await text_of(open_replay(f"{table}#other", "id=question_id"), "8") == "y"
    assert await text_of(open_replay(f"{write('a.tsv', TSV)}#good", ""), "7") == "Answer: C"


async def test_without_an_id_column_rows_are_numbered_from_one(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"good": "first"}\n\n{"good": 2}\n{"good": null}\n{"other": [1]}\n')
    candidate = open_replay(f"{file}#good", "")
    assert [await text_of(candidate, str(n)) for n in (1, 2, 3, 4)] == ["first", "2", "", ""]
    assert await text_of(open_replay(f"{file}#other", ""), "4") == "[1]"


async def test_an_answer_may_be_long(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(f"id,good\n1,{'x' * 300_000}\n")
    assert await text_of(open_replay(f"{file}#good", ""), "1") == "x" * 300_000


async def test_a_question_without_a_row_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(CSV)
    with pytest.raises(CandidateMisconfigured, match=r"a\.csv#good.*no answer to question 'zz'"):
        await text_of(open_replay(f"{tmp_path}/a.csv#good", ""), "zz")


def test_the_name_follows_the_content_and_not_the_folder(tmp_path: Path) -> None:
    names = []
    for folder, text in (("one", CSV), ("two", CSV), ("three", CSV + "c,9,,\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.csv").write_text(text)
        names.append(open_replay(f"{tmp_path}/{folder}/a.csv#good", "").name)
    assert names[0] == names[1] != names[2]
    assert str(tmp_path) not in names[0]
    with pytest.raises(BadFile, match="has changed"):
        open_replay(f"{tmp_path}/three/a.csv#good", names[0].partition("?")[2])


@each_case(
    ("name", "content", "error", "words"),
    [
        ("a.csv#goood", CSV, UnknownName, r"did you mean 'good'.*id, question_id, good, other"),
        ("a.csv", CSV, BadInput, r"needs a column.*id, question_id, good, other"),
        ("a.csv#good?id=nr", CSV, UnknownName, "no column of a.csv 'nr'"),
        ("a.csv#good?ids=id", CSV, UnknownName, "did you mean 'id'"),
        ("a.csv#good", CSV + "a,9,z,z\n", BadFile, r"line 5: the id 'a' is on line 2 already"),
        ("a.csv#good", CSV + ",9,z,z\n", BadFile, r"line 5: the id in column 'id' is missing"),
        ("a.csv#good", CSV + "c,9\n", BadFile, r"line 5: the row does not have 4 cells"),
        ("a.csv#good", CSV + "c,9,1,2,3\n", BadFile, r"line 5: the row does not have 4 cells"),
        ("a.csv#good", "id,good,good\n1,2,3\n", BadFile, r"line 1: two columns are named 'good'"),
        ("a.csv#good", 'id,good\n1,"open\n', BadFile, "is not a table"),
        ("a.csv#good", "id,good\n", BadFile, "holds no rows"),
        ("a.csv#good", "", BadFile, "holds no rows"),
        ("a.csv#good", b"id,good\n1,\xff\xfe\n", BadFile, r"line 2: not UTF-8"),
        ("a.csv.gz#good", b"not compressed", BadFile, "gzip data are damaged"),
        ("a.csv.gz#good", gzip.compress(CSV.encode(), mtime=0)[:-20], BadFile, "gzip data are damaged"),
        ("a.jsonl#good", '{"good": "x"}\n{"good": \n', BadFile, r"line 2: not JSON"),
        ("a.jsonl#good", '{"good": "x"}\n[1]\n', BadFile, r"line 2: each line must be a JSON object"),
        ("a.jsonl#good", "[" * 100_000, BadFile, r"line 1: .*more than 64 levels deep"),
        ("a.xlsx#good", "x", BadFile, r"\.csv, \.tsv, \.jsonl"),
        ("gone.csv#good", None, BadFile, "No such file"),
    ],
)
def test_what_cannot_be_read_is_told(
    tmp_path: Path, name: str, content: str | bytes | None, error: type[Exception], words: str
) -> None:
    target, _, query = name.partition("?")
    if content is not None:
        file = tmp_path / target.partition("#")[0]
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    gc.collect()  # or what other tests left is finalised while the parser is at the limit of recursion
    with pytest.raises(error, match=words):
        open_replay(f"{tmp_path}/{target}", query)


_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\ufeff"), max_size=20)


@settings(max_examples=50, deadline=None)
@given(rows=st.dictionaries(_TEXT.filter(bool), _TEXT, min_size=1, max_size=8))
async def test_what_was_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, rows: dict[str, str]) -> None:
    folder = tmp_path_factory.mktemp("rows")
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([("id", "said"), *rows.items()])
    (folder / "a.csv").write_bytes(text.getvalue().encode())
    (folder / "a.jsonl").write_text("".join(json.dumps({"id": key, "said": row}) + "\n" for key, row in rows.items()))
    for name in ("a.csv", "a.jsonl"):
        candidate = open_replay(f"{folder}/{name}#said", "")
        assert {key: await text_of(candidate, key) for key in rows} == rows


@pytest.fixture
def predictions() -> Path:
    file = Path(os.environ.get("VIVA_DATA", "not-given"), "mmlu_pro", "predictions.csv.gz")
    if not file.exists():
        pytest.skip("$VIVA_DATA names no folder with mmlu_pro/predictions.csv.gz")
    return file


@pytest.mark.data
async def test_real_recordings_are_read(predictions: Path) -> None:
    file = predictions
    with gzip.open(file, "rt") as stream:
        rows = list(csv.reader(stream))
    header, first = rows[0], rows[1]
    assert len(header) == 3 + 17
    for model, text in list(zip(header, first, strict=True))[3::8]:
        assert await text_of(open_replay(f"{file}#{model}", ""), first[0]) == text
    with pytest.raises(UnknownName, match="did you mean 'Yi-34B'"):
        open_replay(f"{file}#Yi-34b", "")


def test_the_home_folder_of_nobody_is_told() -> None:
    with pytest.raises(BadInput, match="in the home folder of an unknown user"):
        open_replay("~nobody-of-this-name/a.csv#good", "")


@pytest.mark.long
async def test_dates_and_times_in_a_typed_table_are_answers_in_iso_8601(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    row = {"date": date(2026, 1, 2), "time": time(3, 4), "both": [datetime(2026, 1, 2, 3, 4, tzinfo=UTC)]}
    parquet.write_table(pa.Table.from_pylist([row]), tmp_path / "dated.parquet")
    texts = [await text_of(open_replay(f"{tmp_path / 'dated.parquet'}#{column}", ""), "1") for column in row]
    assert texts == ["2026-01-02", "03:04:00", '["2026-01-02T03:04:00+00:00"]']


SCOPE = tasks(200)
GRADE = Criterion(0.7, None)


def recording(file: Path, right: float, times: int, *, column: str = "epoch", seed: int = 0) -> str:
    """Answers to all tasks, so many times, of which this share is right."""
    rng = np.random.default_rng(seed)
    lines = [f"id,{column},said"]
    for epoch in range(1, times + 1):
        lines += [f"{question.id},{epoch},Answer: {'AB'[int(rng.random() > right)]}" for question in SCOPE.questions]
    file.write_text("\n".join(lines), encoding="utf-8")
    return f"replay:{file}#said"


async def certified(name: str, draws: Draws | None, *, where: Transcript | None = None, questions: int = 150) -> Certificate:
    more = {} if where is None else {"transcript": where}
    asked = interview(open_candidate(name), **more)
    certificate = await certify(asked, SCOPE, GRADE, Composition(draws=draws), seed=3, questions=questions)
    assert isinstance(certificate, Certificate)
    return certificate


async def test_each_answer_is_one_draw_and_a_further_one_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,draw,x\nq,1 of 2,first\np,1 of 2,other\nq,2 of 2,second\n", encoding="utf-8")
    candidate = open_candidate(f"replay:{tmp_path / 'a.csv'}#x")
    assert isinstance(candidate, RepeatedReplies)
    assert isinstance(candidate, RepeatedRecording)
    assert isinstance(candidate, Recording)
    assert (candidate.times, candidate.recorded["q"]) == ({"q": 2, "p": 1}, "first")
    values: list[object] = [await candidate.answer_draw(Prompt("?", id="q"), draw) for draw in range(3)]
    assert values[:2] == [Reply("first"), Reply("second")]
    assert isinstance(values[2], NoAnswer)
    assert values[2].orphan


async def test_without_such_a_column_an_id_stands_there_once(tmp_path: Path) -> None:
    name = recording(tmp_path / "a.csv", 0.9, 2, column="number")
    with pytest.raises(BadFile, match="ids must be unique"):
        open_candidate(name)
    once = open_candidate(recording(tmp_path / "b.csv", 0.9, 1))
    assert not isinstance(once, RepeatedRecording)


@pytest.mark.parametrize(("right", "verdict"), [(0.95, Verdict.PASS), (0.4, Verdict.FAIL)])
async def test_a_recording_is_certified_by_its_epochs(tmp_path: Path, right: float, verdict: Verdict) -> None:
    name = recording(tmp_path / "a.csv", right, 3)
    certificate = await certified(name, Draws(3))
    assert certificate.verdict is verdict
    assert certificate.draws is not None
    assert certificate.draws.answers == 3 * certificate.questions


async def test_what_was_drawn_more_often_than_answered_may_be_worth_anything(tmp_path: Path) -> None:
    name = recording(tmp_path / "a.csv", 1.0, 1 + 1)
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        certificate = await certified(name, Draws(2, "all-right"), where=transcript, questions=400)
        again = await certified(name, Draws(2, "all-right"), where=transcript, questions=400)
    assert certificate.path == again.path
    assert certificate.draws is not None
    drawn_again = certificate.questions - certificate.draws.questions
    assert certificate.draws.unrecorded == certificate.replies.orphans == 2 * drawn_again
    assert not certificate.draws.unrecorded or any("are in no recording" in caveat for caveat in certificate.caveats)


async def test_no_verdict_rests_on_them() -> None:
    few = tasks(5)
    answers = {question.id: ["Answer: A"] for question in few.questions}
    candidate = RepeatedReplies(
        "replay:made.csv#up", {name: [ReplayedAnswer(Reply(text)) for text in answer] for name, answer in answers.items()}
    )
    certificate = await certify(interview(candidate), few, GRADE, Composition(draws=Draws(1)), seed=1, questions=2_000)
    assert isinstance(certificate, Certificate)
    assert certificate.verdict is Verdict.UNDECIDED  # all that is known is right, and of most draws nothing is known
    assert certificate.draws is not None
    assert certificate.draws.unrecorded == certificate.questions - 5


async def test_a_comparison_ends_where_recordings_have_no_further_answers() -> None:
    few = tasks(5)
    pair = [
        RepeatedReplies(
            f"replay:{name}.csv#up", {question.id: [ReplayedAnswer(Reply("Answer: A"))] for question in few.questions}
        )
        for name in ("new", "old")
    ]
    comparison = await compare([interview(entry) for entry in pair], few, ComparisonConfig(seed=1, draws=1, questions=2_000))
    assert comparison.verdict == "undecided"
    assert comparison.drawn is not None
    for drawn in comparison.drawn:
        assert 2 * drawn.unrecorded == comparison.questions + 1  # as soon as they are most of all


async def test_fewer_answers_than_draws_are_refused_and_several_without_draws(tmp_path: Path) -> None:
    name = recording(tmp_path / "a.csv", 0.9, 2)
    with pytest.raises(BadInput, match=r"fewer than 3 answers to 200 of 200 questions, such as '.*', which has 2"):
        await certified(name, Draws(3))
    with pytest.raises(BadInput, match=r"has several answers to a question: give '--draws N'"):
        await certified(name, None)
    pair = [interview(open_candidate(name)), interview(of(SCOPE, 0.9))]
    with pytest.raises(BadInput, match="fewer than 3 answers"):
        await compare(pair, SCOPE, ComparisonConfig(draws=3))
    with pytest.raises(BadInput, match="has several answers"):
        await gate(pair, SCOPE, GateConfig())


async def test_two_recordings_are_compared_by_draws(tmp_path: Path) -> None:
    names = [recording(tmp_path / f"{n}.csv", right, 4, seed=n) for n, right in enumerate((0.95, 0.5))]
    pair = [interview(open_candidate(name)) for name in names]
    comparison = await compare(pair, SCOPE, ComparisonConfig(draws=4, seed=1))
    assert comparison.pairs[0].verdict == "better"


async def test_a_comparison_ends_once_most_of_what_is_drawn_has_no_answers_left() -> None:
    few = tasks(5)
    document = {question.id: [ReplayedAnswer(Reply("Answer: A"))] for question in few.questions}
    pair = [interview(RepeatedReplies(f"replay:{name}.csv#a", document)) for name in "ab"]
    comparison = await compare(pair, few, ComparisonConfig(draws=1, seed=1))
    assert comparison.pairs[0].verdict == "undecided"
    assert 5 <= comparison.questions <= 11  # each is known once, and more than half of those drawn must have been drawn before


async def test_a_transcript_and_its_results_answer_as_often_as_their_candidate_did(tmp_path: Path) -> None:
    few = tasks(8)
    prompts = [few.prompt(question) for question in few.questions]
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        asked = interview(of(few, 0.5), transcript=transcript)
        for draw in (0, 1, 3):  # the run ended before the third answer was there
            for prompt in prompts:
                await asked.ask(prompt, draw=draw)
    once, several = (open_baseline(f"{tmp_path / 'run.sqlite'}", prompts, several=by) for by in (False, True))
    assert isinstance(several, RepeatedReplies)
    assert set(several.times.values()) == {4}
    assert several.name != once.name
    lost: object = await several.answer_draw(prompts[0], 2)
    assert isinstance(lost, NoAnswer)
    assert lost.orphan
    for draw in (0, 1, 3):
        known = await asked.ask(prompts[0], draw=draw)
        assert isinstance(known, Reply)
        assert (await several.answer_draw(prompts[0], draw)).text == known.text
