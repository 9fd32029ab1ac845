"""`viva recheck` by a stranger: from a sealed export, signed or not, without the scope's file, with altered grades."""

from __future__ import annotations

import io
import json
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Refuses, Viva
from tests.cli.test_recheck import at
from vivavoce.cli import main
from vivavoce.interview.record import AskingRow, Chain, ChainHeads, Record, canonical_json, problem_with, record_digest
from vivavoce.interview.transcript import Transcript

Line = dict[str, Any]
CERTIFY = (
    "certify", "replay:answers.jsonl#answer", "--scope", "file:q.jsonl", "--unacceptable-limit", "none", "--quiet", "--json",
)  # fmt: skip


@contextmanager
def made_in(tmp_path_factory: pytest.TempPathFactory, name: str) -> Iterator[tuple[Path, Callable[..., str]]]:
    """A folder to work in, and `viva` without a fixture of one test: what it prints, if it ends with one of these codes."""

    def call(*arguments: str, codes: tuple[int, ...] = (0,)) -> str:
        out = io.StringIO()
        with redirect_stdout(out):
            assert main(arguments) in codes
        return out.getvalue()

    folder = tmp_path_factory.mktemp(name)
    rng = random.Random(name)  # the seed comes from it: the same at every run
    with chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.setattr("vivavoce.interview.transcript_opening.token_bytes", rng.randbytes)
        patch.setattr("vivavoce.interview.commitment.token_hex", lambda: rng.randbytes(32).hex())
        yield folder, call


def copied(made: Path) -> Line:
    """Its certificate; all its files now lie in the folder of the test."""
    shutil.copytree(made, Path.cwd(), dirs_exist_ok=True)
    result: Line = json.loads(Path("certificate.json").read_text())
    return result


@pytest.fixture(scope="module")
def made_certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nine of ten sums are right; the record is in `run.sqlite`, its export is in the same folder."""
    with made_in(tmp_path_factory, "certificate") as (folder, called):
        sums: list[Line] = [{"id": str(n), "question": f"What is {n} + 1?", "answer": n + 1} for n in range(300)]
        Path("q.jsonl").write_text("\n".join(map(json.dumps, sums)))
        documents = [
            {"id": entry["id"], "answer": f"Answer: {entry['answer'] if int(entry['id']) % 10 else 0}"} for entry in sums
        ]
        Path("answers.jsonl").write_text("\n".join(map(json.dumps, documents)))
        Path("certificate.json").write_text(called(*CERTIFY, "--transcript", "run.sqlite"))
        called("transcript", "export", "run.sqlite", "whole.jsonl", "--sealed")
    return folder


@pytest.fixture
def certificate(viva: Viva, made_certificate: Path) -> Line:
    """A copy of it in the folder of the test."""
    return copied(made_certificate)


def rechecked(viva: Viva, record: str, *more: str) -> tuple[int, Line]:
    ended = viva("recheck", "certificate.json", "--transcript", record, "--json", *more)
    assert ended.out, ended.err
    return ended.code, ended.values


def test_a_whole_export_gives_the_same_as_the_record_itself_also_without_the_questions(viva: Viva, certificate: Line) -> None:
    for record in ("run.sqlite", "whole.jsonl"):
        code, values = rechecked(viva, record, "--scope", "file:q.jsonl")
        assert (code, values["same"], values["differences"]) == (0, True, [])
        code, values = rechecked(viva, record)
        assert (code, values["same"], values["differences"]) == (4, False, [])
        assert (
            f"Grades taken as recorded: {certificate['figures']['questions']}, since the scope 'file:q.jsonl'"
            in values["statement"]
        )


def rechained(lines: list[Line]) -> str:
    """Chain records again, as anyone may; the head."""
    first, count = lines[0], int(lines[0]["records"].partition(":")[0])
    previous = "0" * 64
    for line in lines[1 : count + 1]:
        line["previous"] = previous
        line["digest"] = record_digest(Record(**line))
        previous = line["digest"]
    first["records"] = f"{count}:{previous}"
    return str(first["records"])


def with_an_altered_grade(file: Path) -> tuple[list[Line], int, float]:
    """The lines of an export in which the first answer is graded the other way; its record, and its right grade."""
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    (entry,) = (line for line in lines if line.get("topic") == "grades")
    book = json.loads(entry["answer"])
    right = book["grades"]["score"][0]
    book["grades"]["score"][0] = 1.0 - right
    entry["answer"] = canonical_json(book)
    return lines, book["grades"]["records"][0], right


def test_an_altered_grade_breaks_the_chain(viva: Viva, certificate: Line) -> None:
    lines, *_ = with_an_altered_grade(Path("whole.jsonl"))
    Path("altered.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    ended = viva("recheck", "certificate.json", "--transcript", "altered.jsonl", "--scope", "file:q.jsonl")
    assert ended.code == 5
    assert "was altered: its fields do not give its digest" in ended.err


def test_an_altered_grade_that_was_chained_again_is_named_where_it_can_be_graded(viva: Viva, certificate: Line) -> None:
    lines, seq, right = with_an_altered_grade(Path("whole.jsonl"))
    certificate["transcript_head"] = rechained(lines)
    Path("altered.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    Path("certificate.json").write_text(json.dumps(certificate))
    code, values = rechecked(viva, "altered.jsonl", "--scope", "file:q.jsonl")
    assert code == 3
    (difference,) = values["differences"]
    assert difference["path"] == "grades on record"
    assert difference["found"] == f"the grade of record {seq} is {1 - right:g} (answer), but {right:g} (answer) if graded again"
    # without the questions it cannot be graded again, and gives another certificate
    code, values = rechecked(viva, "altered.jsonl")
    assert code == 3
    assert {"figures.score.mean", "figures.score.lower"} <= {entry["path"] for entry in values["differences"]}


def test_the_chain_that_tests_make_again_is_the_one_that_is_verified(viva: Viva, certificate: Line) -> None:
    lines = [json.loads(line) for line in Path("whole.jsonl").read_text(encoding="utf-8").splitlines()]
    before = lines[0]["records"]
    assert rechained(lines) == before
    count = int(before.partition(":")[0])
    assert all(not problem_with(Record(**line)) for line in lines[1 : count + 1])
    chain = Chain(ChainHeads(), damage=AssertionError)  # type: ignore[arg-type]
    records = (Record(**line) for line in lines[1 : count + 1])
    rows = (AskingRow(**line) for line in lines[count + 1 :])
    chain.follow(records, rows, until=chain.heads)


@pytest.fixture(scope="module")
def made_by_people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate on essays that people graded; nine of ten are good."""
    with made_in(tmp_path_factory, "by_people") as (folder, called):
        essays = [{"id": str(n), "question": f"Why {n}?", "rubric": "Be right."} for n in range(200)]
        Path("essays.jsonl").write_text("\n".join(map(json.dumps, essays)))
        texts = (json.dumps({"id": str(n), "answer": f"Because of {n}."}) for n in range(200))
        Path("said.jsonl").write_text("\n".join(texts))
        grades = (f"{n},{0.25 if n % 10 == 0 else 1},{'yes' if n == 50 else ''}" for n in range(200))
        Path("grades.csv").write_text("id,score,unacceptable\n" + "\n".join(grades) + "\n")
        people = (
            "certify", "replay:said.jsonl#answer", "--scope", "file:essays.jsonl", "--unacceptable-limit", "none", "--quiet",
        )  # fmt: skip
        out = called(*people, "--json", "--grades", "grades.csv", "--transcript", "run.sqlite")
        Path("certificate.json").write_text(out)
        Path("grades.csv").unlink()
        called("transcript", "export", "run.sqlite", "whole.jsonl", "--sealed")
    return folder


@pytest.fixture
def by_people(viva: Viva, made_by_people: Path) -> Line:
    """A copy of it in the folder of the test."""
    return copied(made_by_people)


def test_peoples_grades_travel_with_the_record(viva: Viva, by_people: Line) -> None:
    code, values = rechecked(viva, "whole.jsonl", "--scope", "file:essays.jsonl")
    assert (code, values["same"], values["differences"]) == (0, True, [])
    code, values = rechecked(viva, "whole.jsonl")
    assert (code, values["differences"]) == (4, [])
    assert f"Grades taken as recorded: {by_people['figures']['questions']}" in values["statement"]


def test_a_figure_that_people_did_not_give_is_named(viva: Viva, by_people: Line) -> None:
    at("score", "mean", value=0.99)(by_people)
    Path("certificate.json").write_text(json.dumps(by_people))
    for arguments in (("whole.jsonl", "--scope", "file:essays.jsonl"), ("whole.jsonl",)):
        code, values = rechecked(viva, *arguments)
        assert (code, [entry["path"] for entry in values["differences"]]) == (3, ["figures.score.mean"])


@pytest.fixture(scope="module")
def made_dossier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dossier with a certificate; an export of its record is in the same folder."""
    with made_in(tmp_path_factory, "dossier") as (folder, called):
        Path("plan.toml").write_text(
            'examinations = ["certificate", "luna"]\n[[certificate]]\nscope = "arithmetic?operations=+"\n'
        )
        arguments = ("--plan", "plan.toml", "--seed", "1", "--quiet", "--out", "out")
        called("report", "bot:calculator?wrong=0.1", *arguments, codes=(0, 3))
        Path("certificate.json").write_bytes(Path("out/report.json").read_bytes())
        called("transcript", "export", "out/transcript.sqlite", "whole.jsonl", "--sealed")
    return folder


@pytest.fixture
def dossier(viva: Viva, made_dossier: Path) -> Path:
    """A copy of it in the folder of the test."""
    copied(made_dossier)
    return Path("certificate.json")


@pytest.mark.long
def test_a_dossier_is_rechecked_from_a_sealed_export(viva: Viva, dossier: Path) -> None:
    code, values = rechecked(viva, "whole.jsonl")
    assert (code, values["same"], values["differences"]) == (0, True, [])
    document = json.loads(dossier.read_text())
    at("cards", 0, "details", "figures", "score", "mean", value=0.99)(document)
    dossier.write_text(json.dumps(document))
    code, values = rechecked(viva, "whole.jsonl")
    assert (code, [entry["path"] for entry in values["differences"]]) == (3, ["cards[0].details.figures.score.mean"])


def test_an_altered_grade_behind_a_dossier_is_named(viva: Viva, dossier: Path) -> None:
    lines = [json.loads(line) for line in Path("whole.jsonl").read_text(encoding="utf-8").splitlines()]
    entry = next(line for line in lines if line.get("topic") == "grades")
    book = json.loads(entry["answer"])
    book["grades"]["score"][3] = 0.5
    entry["answer"] = canonical_json(book)
    document = json.loads(dossier.read_text())
    document["transcript_head"] = rechained(lines)
    dossier.write_text(json.dumps(document))
    Path("altered.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, values = rechecked(viva, "altered.jsonl")
    assert (code, [difference["path"] for difference in values["differences"]]) == (3, ["grades on record"])
    assert f"the grade of record {book['grades']['records'][3]} is 0.5 (answer)" in values["differences"][0]["found"]


SUMS = ("certify", "bot:calculator?wrong=0.1", "--scope", "arithmetic", "--unacceptable-limit", "none", "--quiet", "--json")
ON = ("--transcript", "run.sqlite")


@pytest.fixture
def keys(tmp_path: Path) -> tuple[str, str]:
    """The examiner's key, and another one."""
    pytest.importorskip("cryptography")
    from tests.interview.test_signing import private_file

    return str(private_file(tmp_path, "mine")), str(private_file(tmp_path, "other"))


def test_an_export_is_verified_by_whose_it_is(viva: Viva, keys: tuple[str, str]) -> None:
    mine, other = keys
    Path("certificate.json").write_text(viva(*SUMS, *ON).out)
    viva("transcript", "export", "run.sqlite", "sealed.jsonl.gz", "--sealed", "--sign", mine)
    assert viva("transcript", "verify", "sealed.jsonl.gz", "--signed-by", mine).code == 0
    refused = viva("transcript", "verify", "sealed.jsonl.gz", "--signed-by", other)
    assert (refused.code, "signed by another key" in refused.err) == (5, True)
    assert viva("recheck", "certificate.json", "--transcript", "sealed.jsonl.gz").code == 0


def test_an_export_that_was_changed_or_stripped_is_not_what_was_signed(viva: Viva, keys: tuple[str, str]) -> None:
    viva(*SUMS, *ON)
    viva("transcript", "export", "run.sqlite", "sealed.jsonl", "--sealed", "--sign", keys[0])
    lines = Path("sealed.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    Path("sealed.jsonl").write_text("\n".join([json.dumps(first | {"lines": first["lines"] - 1}), *lines[1:-1]]) + "\n")
    assert viva("transcript", "verify", "sealed.jsonl").code == 0
    output = viva("transcript", "verify", "sealed.jsonl", "--signed-by", keys[0])
    assert (output.code, "it is not signed" in output.err) == (5, True)
    Path("sealed.jsonl").write_text("\n".join([*lines[:-1], json.dumps({"note": 1})]) + "\n")
    assert "its last line is not a signature" in viva("transcript", "verify", "sealed.jsonl").err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("transcript", "export", "run.sqlite", "--sign", "mine"), "is for '--sealed'"),
        (("transcript", "verify", "run.sqlite", "--signed-by", "mine"), "is for a sealed export"),
        (("certify", "bot:eliza", "--scope", "intervals", "--set", f"head=1:{'0' * 64}"), "give '--transcript'"),
        (("certify", "bot:eliza", "--scope", "intervals", "--set", "head=x", *ON), "is not a head"),
        (("transcript", "export", "run.sqlite", "s.jsonl", "--sealed", "--sign", "nothing"), "nothing: cannot be read"),
    ],
)
def test_signatures_and_heads_that_do_not_fit_are_refused(
    refuses: Refuses, keys: tuple[str, str], arguments: tuple[str, ...], problem: str
) -> None:
    Transcript.open("run.sqlite").close()
    refuses(*arguments, says=problem)


@pytest.mark.parametrize("command", ["certify", "examine"])
def test_a_record_that_was_rolled_back_is_refused_by_a_later_head(viva: Viva, command: str) -> None:
    Path("plan.toml").write_text(
        "examinations = ['certificate']\n[[certificate]]\nscope = 'arithmetic?operations=+'\nunacceptable_limit = 'none'\n"
    )
    more = {
        "certify": (*SUMS, *ON, "--seed", "1"),
        "examine": ("report", "bot:calculator?wrong=0.1", "--plan", "plan.toml", "--out", "out", *ON, "--quiet"),
    }[command]
    viva(*more, "--questions", "5")
    with Transcript.open("run.sqlite") as transcript:
        earlier = str(transcript.head)
    shutil.copy("run.sqlite", "earlier.sqlite")
    viva(*more)
    with Transcript.open("run.sqlite") as transcript:
        later = str(transcript.head)
    assert later != earlier
    assert viva(*more, "--set", f"head={earlier}").code in (0, 3, 4)
    shutil.copy("earlier.sqlite", "run.sqlite")
    refused = viva(*more, "--set", f"head={later}")
    assert (refused.code, "it is cut off" in refused.err) == (5, True)
    other = f"{earlier.partition(':')[0]}:{'0' * 64}"
    assert "is not the expected one" in viva(*more, "--set", f"head={other}").err
    Path("run.sqlite").unlink()
    assert viva(*more, "--set", f"head={later}").code == 2
    assert not Path("run.sqlite").exists()
