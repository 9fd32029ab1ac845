"""`viva people predict fit`, `predict`, `evaluate` and `influential` as a user calls them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.candidates.conftest import seen as seen
from tests.candidates.conftest import server as server
from tests.cli.conftest import Viva
from vivavoce.generalization.pairs import BeliefPair, read_pairs, write_pairs

HEADER = "q1,q2,source1,source2,previous_correct,belief_change\n"


def made(n: int, seed: int = 0) -> list[BeliefPair]:
    """Beliefs change within a task more often, and after a wrong answer."""
    rng = np.random.default_rng(seed)
    pairs = []
    for k in range(n):
        right, first, second = bool(rng.random() < 0.5), *rng.choice(["sums", "books"], 2)
        chance = 0.2 + 0.4 * (first == second) + 0.2 * (not right)
        pairs.append(BeliefPair(f"{first} {k}?", f"{second} {k}!", first, second, right, bool(rng.random() < chance)))
    return pairs


@pytest.fixture
def files(viva: Viva) -> Viva:
    """Pairs to train on, others to test on, a teacher's, and some without labels."""
    write_pairs(Path("train.csv"), made(80))
    write_pairs(Path("test.csv"), made(60, seed=1))
    write_pairs(Path("bare.csv"), [BeliefPair(p.q1, p.q2, p.source1, p.source2, p.previous_correct) for p in made(10, seed=2)])
    taught = [BeliefPair(p.q1, p.q2, p.source1, p.source2, p.previous_correct, pred=0.5) for p in made(30, seed=3)]
    write_pairs(Path("teacher.csv"), taught)
    return viva


def test_from_pairs_to_a_model_to_predictions_to_an_evaluation(files: Viva) -> None:
    from sklearn.metrics import log_loss, roc_auc_score  # type: ignore[import-untyped]

    ended = files("people", "predict", "fit", "train.csv", "--predictor", "previous-task", "--out", "model")
    assert ended.code == 0
    changed = sum(bool(pair.changed) for pair in made(80))
    assert f"Fitted 'previous-task' on 80 pairs, in {changed} of which the belief changed" in ended.out
    assert "Fewer than 100 pairs" in ended.out
    assert "It does not look at the questions" in ended.out

    ended = files("people", "predict", "apply", "model", "test.csv")
    rows = list(csv.DictReader(ended.out.splitlines()))
    assert list(rows[0]) == [*HEADER.strip().split(","), "pred"]
    chances = [float(row["pred"]) for row in rows]
    labels = [int(row["belief_change"]) for row in rows]
    assert files("people", "predict", "apply", "model", "test.csv", "--out", "predicted.csv").out == ""
    assert [pair.pred for pair in read_pairs(Path("predicted.csv"))] == chances

    ended = files("people", "predict", "evaluate", "model", "test.csv", "--json", "--html", "page.html")
    document = ended.values
    assert document["figures"]["auc"]["overall"] == pytest.approx(roc_auc_score(labels, chances))
    assert document["figures"]["nll"]["overall"] == pytest.approx(log_loss(labels, chances))
    assert set(document["figures"]["auc"]) == set(document["figures"]["nll"]) == {"overall", "right", "wrong"}
    lower, upper = document["figures"]["intervals"]["auc"]["overall"]
    assert lower < document["figures"]["auc"]["overall"] < upper
    assert document["figures"]["in_sample"] is False
    assert "Page: page.html" in ended.err
    assert "ROC" in Path("page.html").read_text() or "AUC" in Path("page.html").read_text()

    ended = files("people", "predict", "evaluate", "model", "train.csv")
    assert ended.code == 0
    assert "of training pairs: " in ended.out.replace("\n", " ")


def test_a_model_is_refitted_to_the_last_bit_and_says_how_it_came_to_be(files: Viva) -> None:
    for model in ("one", "two"):
        arguments = (
            "--predictor",
            "embeddings",
            "--dimensions",
            "4",
            "--trees",
            "20",
            "--teacher",
            "teacher.csv",
            "--seed",
            "5",
        )
        ended = files("people", "predict", "fit", "train.csv", "test.csv", *arguments, "--out", model, "--json")
        about = ended.values
        assert (about["n"], about["taught"], about["seed"]) == (140, 30, 5)
        assert about["options"] == {"dimensions": 4, "trees": 20}
        assert [entry["file"] for entry in about["training"]] == ["train.csv", "test.csv"]
        assert any("teacher" in note for note in about["notes"])
    for file in Path("one").iterdir():
        assert file.read_bytes() == (Path("two") / file.name).read_bytes()
    name, two = (files("people", "predict", "apply", model, "test.csv").out for model in ("one", "two"))
    assert name == two


def test_columns_of_one_s_own_stay_and_pred_is_replaced(files: Viva) -> None:
    files("people", "predict", "fit", "train.csv", "--predictor", "previous", "--out", "model")
    text = 'id,q1,q2,source1,source2,pred\n7,"a, ""b""?",=c?,s,t,0.123\n\n8,"two\nlines?",d?,s,t,\n'
    Path("correct_mine.csv").write_text(text)
    ended = files("people", "predict", "apply", "model", "correct_mine.csv", "--out", "out.csv")
    assert ended.code == 0
    rows = list(csv.DictReader(Path("out.csv").read_text().splitlines(keepends=True)))
    assert [row["id"] for row in rows] == ["7", "8"]
    assert [row["q1"] for row in rows] == ['a, "b"?', "two\nlines?"]
    assert {row["previous_correct"] for row in rows} == {"1"}  # as the old name said; the new one does not
    assert "0.123" not in Path("out.csv").read_text()
    assert len(read_pairs(Path("out.csv"))) == 2


def test_a_table_with_semicolons_or_tabs_is_predicted_as_it_is_read(files: Viva) -> None:
    assert files("people", "predict", "fit", "train.csv", "--predictor", "previous-task", "--out", "model").code == 0
    text = Path("test.csv").read_text()
    asked = files("people", "predict", "apply", "model", "test.csv").out
    for name, delimiter in (("excel.csv", ";"), ("table.tsv", "\t")):
        Path(name).write_text(text.replace(",", delimiter))
        assert files("people", "predict", "apply", "model", name).out == asked


def test_telling_pairs_from_questions_and_from_pairs(files: Viva) -> None:
    files("people", "predict", "fit", "train.csv", "--predictor", "previous-task", "--out", "model")
    Path("questions.jsonl").write_text(
        "".join(json.dumps({"question": f"{n}?", "category": "ab"[n % 2]}) + "\n" for n in range(9))
    )
    ended = files("people", "predict", "influential", "model", "questions.jsonl", "--pairs", "30", "--top", "2", "--json")
    document = ended.values
    assert (document["figures"]["n"], len(document["figures"]["highest_right"])) == (30, 2)
    pair = document["figures"]["highest_right"][0]["pair"]
    assert pair["source1"] == pair["source2"]
    assert document["figures"]["after_wrong"]["value"] > document["figures"]["after_right"]["value"]
    assert (
        ended.out
        == files("people", "predict", "influential", "model", "questions.jsonl", "--pairs", "30", "--top", "2", "--json").out
    )
    ended = files("people", "predict", "influential", "model", "test.csv", "--html", "page.html")
    assert ended.code == 0
    assert "Wrong answers that change the belief" in ended.out
    assert ended.out.rstrip().endswith("Page: page.html")


def test_a_language_model_is_asked_and_what_it_said_is_kept(
    files: Viva, server: str, seen: Callable[[], dict[str, int]]
) -> None:
    candidate = f"chat:predict@{server}/v1"
    fitted = files(
        "people", "predict", "fit", "train.csv", "--predictor", "few-shot", "--candidate", candidate, "--out", "model"
    )
    assert fitted.code == 0
    assert "Nothing has been asked yet" in fitted.out
    before = seen().get("predict", 0)
    asking = ("--candidate", candidate, "--transcript", "run.sqlite")
    ended = files("people", "predict", "evaluate", "model", "test.csv", *asking, "--json")
    document = ended.values
    # the server gives .79 after a wrong answer and .125 after a right one: within each all are tied
    assert (document["figures"]["auc"]["right"], document["figures"]["auc"]["wrong"]) == (0.5, 0.5)
    assert document["figures"]["notes"] == ["Predicted by the log-probabilities of 0 and 1: 60 replies."]
    assert document["transcript_head"]
    asked = seen()["predict"] - before
    # one without log-probabilities goes before; for it a temperature is probed, then tokens and log-probabilities together
    assert asked == 60 + 1 + 2
    again = files("people", "predict", "apply", "model", "test.csv", *asking, "--quiet")
    assert {round(float(row["pred"]), 4) for row in csv.DictReader(again.out.splitlines())} == {0.125, 0.7895}
    assert again.err.startswith("Predicted by the log-probabilities")
    assert seen()["predict"] - before == asked


@pytest.mark.parametrize("lines", [(), ("--candidate", "chat:predict@http://localhost:1/v1")])
def test_nobody_is_asked_whom_only_the_folder_names(
    files: Viva, server: str, seen: Callable[[], dict[str, int]], lines: tuple[str, ...]
) -> None:
    candidate = f"chat:predict-plain@{server}/v1"
    files("people", "predict", "fit", "train.csv", "--predictor", "few-shot", "--candidate", candidate, "--out", "model")
    for command in ("evaluate", "apply", "influential"):
        ended = files("people", "predict", command, "model", "test.csv", *lines)
        assert ended.code == 2
        assert f"confirm with --candidate '{candidate}'" in ended.err
    assert "predict-plain" not in seen()


def test_where_no_reply_can_be_read_the_exit_code_says_so(files: Viva, server: str) -> None:
    candidate = f"chat:predict-rambles@{server}/v1"
    options = ("--predictor", "few-shot", "--candidate", candidate, "--way", "sampling", "--samples", "1", "--out", "model")
    assert files("people", "predict", "fit", "train.csv", *options).code == 0
    ended = files("people", "predict", "evaluate", "model", "test.csv", "--candidate", candidate)
    assert ended.code == 4
    assert "60 replies were neither 0 nor 1." in ended.out
    ended = files("people", "predict", "apply", "model", "bare.csv", "--candidate", candidate)
    assert ended.code == 4
    assert "10 of 10 pairs have the base rate" in ended.err


def test_one_kind_of_labels_gives_no_conclusion(files: Viva) -> None:
    files("people", "predict", "fit", "train.csv", "--predictor", "previous", "--out", "model")
    Path("one.csv").write_text(HEADER + "".join(f"{n}?,{n}!,a,b,{n % 2},1\n" for n in range(8)))
    ended = files("people", "predict", "evaluate", "model", "one.csv")
    assert ended.code == 4
    assert "every belief changed in 8 pairs" in ended.out
    ended = files("people", "predict", "fit", "one.csv", "--predictor", "embeddings", "--out", "one")
    assert ended.code == 0
    assert "it has learnt only one outcome" in ended.out


def test_one_error_one_line_with_its_remedy(files: Viva) -> None:
    files("people", "predict", "fit", "train.csv", "--predictor", "previous", "--out", "model")
    Path("home").mkdir()
    Path("home/letter.txt").write_text("dear")
    fit = ("people", "predict", "fit", "train.csv", "--predictor")
    for arguments, problem in (
        ((*fit, "previous", "--out", "home"), "home contains something other than a predictor"),
        ((*fit, "previous", "--out", "no/where"), "create it first"),
        ((*fit, "previous", "--out", "new", "--epochs", "3"), "--epochs is not for --predictor previous"),
        ((*fit, "embeddings", "--out", "new", "--embedder", "word2vec"), "there is no embedder 'word2vec'"),
        ((*fit, "embeddings", "--out", "new", "--depth", "99"), "depth is 99: give a whole number from 1 to 12"),
        ((*fit, "bert", "--out", "new", "--learning-rate", "2"), "out of range: give a number above 0, and at most 1"),
        ((*fit, "few-shot", "--out", "new"), "give it with --candidate"),
        ((*fit, "few-shot", "--out", "new", "--candidate", "chatt:x"), "there is no kind of candidate 'chatt'"),
        ((*fit, "few-shot", "--out", "new", "--candidate", "bot:eliza", "--shots", "99"), "80 labelled pairs"),
        ((*fit, "guess", "--out", "new"), "'guess' is not one of"),
        ((*fit, "previous", "--out", "new", "--teacher", "test.csv"), "there is no column 'pred': a teacher's file needs it"),
        (("people", "predict", "fit", "bare.csv", "--predictor", "previous", "--out", "new"), "no pair has a change of belief"),
        (("people", "predict", "evaluate", "model", "bare.csv"), "none of 10 pairs has a change of belief"),
        (("people", "predict", "evaluate", "home", "test.csv"), "not a predictor (it has no predictor.json)"),
        (("people", "predict", "evaluate", "nowhere", "test.csv"), "no predictor"),
        (("people", "predict", "apply", "model", "test.csv", "--out", "test.csv"), "already uses that file"),
        (("people", "predict", "apply", "model", "test.csv", "--transcript", "run.sqlite"), "this one asks no model"),
        (("people", "predict", "influential", "model", "home/letter.txt"), "has no questions"),
    ):
        ended = files(*arguments)
        assert (ended.code, ended.out) == (2, ""), arguments
        assert problem in ended.err, ended.err
        assert ended.err.count("\n") == 1
    assert sorted(file.name for file in Path("model").iterdir()) == ["cells.json", "predictor.json"]
    assert not Path("new").exists()


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("p.csv", b"", "empty"),
        ("p.csv", HEADER.encode(), "no pairs below"),
        ("p.csv", b"q1,q2,source1,source2\na,b,c,d\n", "'previous_correct' is missing"),
        ("p.csv", b"q1,q2,source1\na,b,c\n", "no column source2"),
        ("p.csv", HEADER.encode() + b"a,b,c,d,1,NaN\n", "line 2: belief_change is 'NaN'"),
        ("p.csv", HEADER.replace("belief_change", "prior").encode() + b"a,b,c,d,1,nan\n", "prior is 'nan'"),
        ("p.csv", HEADER.encode() + b"a,b,c,d,2,1\n", "previous_correct is '2'"),
        ("p.csv", HEADER.encode() + b"a,b,c,d,,1\n", "previous_correct is empty"),
        ("p.csv", HEADER.encode() + b" ,b,c,d,1,1\n", "q1 has 1 characters"),
        ("p.csv", HEADER.encode() + b"a," + b"x" * 100_001 + b",c,d,1,1\n", "q2 has 100001 characters"),
        ("p.csv", HEADER.encode(), "longer than 4 MiB"),
        ("p.csv", HEADER.encode() + b"a,b,c,d,1,1,1\n", "7 cells under 6 columns"),
        ("p.csv", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xfe", "not UTF-8"),
        ("p.csv.gz", b"\x1f\x8b\x08rubbish", "gzip"),
        ("nowhere.csv", None, "No such file"),
    ],
)
def test_rubbish_is_told_with_file_and_line(files: Viva, name: str, content: bytes | None, problem: str) -> None:
    if content is not None:
        longer = 5 << 20 if problem == "longer than 4 MiB" else 0
        Path(name).write_bytes(content + b"x" * longer)
    files("people", "predict", "fit", "train.csv", "--predictor", "previous", "--out", "model")
    for arguments in (
        ("fit", name, "--predictor", "stacked-logistic", "--out", "new"),
        ("fit", "train.csv", "--predictor", "previous", "--teacher", name, "--out", "new"),
        ("apply", "model", name),
        ("evaluate", "model", name),
    ):
        ended = files("people", "predict", *arguments)
        assert (ended.code, ended.out) == (2, "")
        assert problem in ended.err, ended.err
        assert name in ended.err
        assert ended.err.count("\n") == 1
        assert len(ended.err) < 400
    assert not Path("new").exists()
