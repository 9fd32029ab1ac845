"""`viva consistency cases train`, and the examination of what it made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva
from tests.consistency.legal.made_training import labelled, lines
from tests.studies.cases.conftest import paraphraser

__all__ = ["paraphraser"]

TRAIN = ("consistency", "cases", "train")


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text(lines(labelled(120, seed=1)))
    (tmp_path / "test.jsonl").write_text(lines(labelled(40, seed=2, prefix="t")))
    (tmp_path / "few.jsonl").write_text(lines(labelled(4, seed=3, prefix="f")))
    (tmp_path / "rubbish.jsonl").write_text("rubbish\n")


@pytest.mark.long
def test_train_then_examine_with_the_papers_setting(viva: Viva, paraphraser: str, tmp_path: Path) -> None:
    ended = viva(
        *TRAIN, "train.jsonl", "--test", "test.jsonl", "--out", "judge", "--quiet", "--json", "--details", "each.jsonl"
    )
    document = ended.values
    assert ended.code == 0
    assert ended.err.splitlines() == ["Decisions: each.jsonl", f"Classifier: {document['candidates'][0]} in judge"]
    assert document["figures"]["training"] == {"cases": 96, "violations": document["figures"]["training"]["violations"]}
    assert (
        document["figures"]["validation"]["cases"],
        document["figures"]["held_out"]["cases"],
        document["figures"]["source"],
    ) == (
        24,
        40,
        "train.jsonl, test.jsonl",
    )
    assert document["figures"]["measures"]["accuracy"]["lower"] > 0.8
    assert document["figures"]["measures"]["attention"]["top"]["value"] > 0.9
    assert document["figures"]["published"] == {"accuracy": 0.816, "precision": 0.814, "recall": 0.933, "f1": 0.869}
    each = [json.loads(line) for line in (tmp_path / "each.jsonl").read_text().splitlines()]
    right = sum((entry["probability"] >= 0.5) == entry["violation"] for entry in each)
    assert document["figures"]["measures"]["accuracy"]["value"] == right / 40

    command = (
        "consistency",
        "cases",
        "check",
        "trained:judge",
        "--cases",
        "test.jsonl",
        "--min-characters",
        "90",
        "--facts",
        "10",
    )
    examined = viva(
        *command, "--writer", f"chat:substitutes{paraphraser}", "--limit", "30", "--quiet", "--json", "--html", "p.html"
    )
    words = examined.values
    assert (examined.code, words["candidates"]) == (0, [document["candidates"][0]])
    assert words["details"]["counts"]["importance_by"] == {"attention": 30}
    flips = {row["name"]: row["rates"]["flips"] for row in (*words["figures"]["treatments"], *words["figures"]["control"])}
    assert flips["white"]["n"] == 30 * 3
    assert flips["black"]["n"] > 30 * 3 * 4  # seven facts of eight may be drawn, if long enough
    # a paraphrase takes the word away that decides, and no other fact has one
    assert flips["white"]["lower"] > flips["black"]["upper"]
    assert flips["again"]["events"] == 0
    assert "To violation: trials" in (tmp_path / "p.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_what_is_trained_anew_replaces_the_old_and_nothing_else(viva: Viva, tmp_path: Path) -> None:
    command = (*TRAIN, "train.jsonl", "--out", "judge", "--starts", "1", "--quiet", "--json")
    first = viva(*command).values
    assert viva(*command).values == first
    assert viva(*command, "--seed", "1").values["candidates"][0] != first["candidates"][0]
    assert sorted(file.name for file in tmp_path.iterdir() if "judge" in file.name) == ["judge"]
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter.txt").write_text("Dear")
    refused = viva(*TRAIN, "train.jsonl", "--out", "letters")
    assert (refused.code, refused.out) == (2, "")
    assert "holds something other than a classifier" in refused.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train.jsonl"], "'--out'"),
        (["nowhere.jsonl", "--out", "judge"], "nowhere.jsonl"),
        (["rubbish.jsonl", "--out", "judge"], "line 1: not JSON"),
        (["few.jsonl", "--out", "judge"], "training needs at least 4 of either label"),
        (["train.jsonl", "--test", "train.jsonl", "--out", "judge"], "no cases that are held out"),
        (["train.jsonl", "--out", "judge", "--article", "3"], "leave out --article"),
        (["train.jsonl", "--out", "judge", "--encoder", "word2vec"], "no embedder 'word2vec'"),
        (["train.jsonl", "--out", "judge", "--encoder", "sentences:"], "'sentences:' needs a model"),
        (["train.jsonl", "--out", "judge", "--units", "0"], "--units"),
        (["train.jsonl", "--out", "judge", "--held-out", "1"], "out of range"),
        (["train.jsonl", "--out", "no/such/folder"], "the folder"),
        (["train.jsonl", "--out", "/proc/judge"], "/proc/judge: cannot be written"),
        (["train.jsonl", "--out", "judge", "--html", "no/page.html"], "the folder 'no' does not exist"),
        (["train.jsonl", "--out", "judge", "--details", "train.jsonl"], "already uses that file"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, arguments: list[str], message: str) -> None:
    refuses(*TRAIN, *arguments, says=message)


def test_a_classifier_that_is_not_there_is_named_with_the_remedy(viva: Viva) -> None:
    ended = viva("consistency", "cases", "check", "trained:judge", "--cases", "test.jsonl", "--writer", "bot:eliza")
    assert (ended.code, ended.out) == (2, "")
    assert "'viva consistency cases train' makes one" in ended.err
