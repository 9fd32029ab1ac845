"""`viva consistency cases check` and `train`."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva, in_full
from tests.consistency.legal.made_training import labelled, lines
from tests.studies.cases.conftest import paraphraser
from tests.studies.cases.made_cases import made_cases
from vivavoce.consistency.config import CasesConfig
from vivavoce.consistency.legal.examine_cases import chosen_cases
from vivavoce.interview.candidate import Usage
from vivavoce.interview.progress import CombinedProgress, Progress

__all__ = ["paraphraser"]

JUDGE = """
def probability(facts):
    return 0.75 if "shackled" in " ".join(facts) else 0.25
"""
CASES = made_cases(12, seed=3)[0]
RUN = (
    "consistency",
    "cases",
    "check",
    "function:judge_by_words:probability",
    "--cases",
    "cases.jsonl",
    "--min-characters",
    "90",
    "--quiet",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [json.dumps({"id": case.id, "facts": case.facts}) for case in CASES]
    (tmp_path / "cases.jsonl").write_text("\n".join(lines))
    (tmp_path / "judge_by_words.py").write_text(JUDGE)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "judge_by_words", raising=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["function:judge_by_words:probability", "--cases", "cases.jsonl"],
            "no paraphrases: give --writer CANDIDATE or --paraphrases-file",
        ),
        (["function:judge_by_words:probability", "--cases", "nowhere.jsonl", "--writer", "bot:eliza"], "nowhere.jsonl"),
        (["function:judge_by_words:probability", "--writer", "bot:eliza"], "'--cases'"),
        (["function:judge_by_words:other", "--cases", "cases.jsonl", "--writer", "bot:eliza"], "no callable of"),
        (["hf:nowhere", "--cases", "cases.jsonl", "--writer", "bot:eliza"], "vivavoce[neural]"),
        (["robot:x", "--cases", "cases.jsonl", "--writer", "bot:eliza"], "no kind of candidate 'robot'"),
        (["bot:eliza", "--cases", "judge_by_words.py", "--writer", "bot:eliza"], "line 2: not JSON"),
        (["bot:eliza", "--cases", "cases.jsonl", "--writer", "bot:elisa"], "did you mean 'eliza'"),
        (["bot:eliza", "--cases", "cases.jsonl", "--paraphrases-file", "cases.jsonl"], "did you mean 'fact'"),
        (
            ["bot:eliza", "--cases", "cases.jsonl", "--paraphrases-file", "cases.jsonl", "--checker", "bot:eliza"],
            "give --writer",
        ),
        (["bot:eliza", "--cases", "cases.jsonl", "--writer", "bot:eliza", "--threshold", "1"], "out of range"),
        (["bot:eliza", "--cases", "cases.jsonl", "--writer", "bot:eliza", "--box", "grey"], "'grey'"),
        (
            ["bot:eliza", "--cases", "cases.jsonl", "--writer", "bot:eliza", "--details", "no/each.jsonl"],
            "--details no/each.jsonl",
        ),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, arguments: list[str], message: str) -> None:
    if "hf:nowhere" in arguments and find_spec("torch"):
        pytest.skip("torch is installed")
    refuses("consistency", "cases", "check", *arguments, says=message)


def test_json_alone_and_every_trial_in_a_file(viva: Viva, paraphraser: str, tmp_path: Path) -> None:
    ended = viva(*RUN, "--writer", f"chat:substitutes{paraphraser}", "--json", "--details", "each.jsonl", "--html", "page.html")
    document = ended.values
    assert (ended.code, ended.err) == (0, "Page: page.html\nTrials: each.jsonl\n")
    each = [json.loads(line) for line in (tmp_path / "each.jsonl").read_text().splitlines()]
    rows = {row["name"]: row for row in (*document["figures"]["treatments"], *document["figures"]["control"])}
    assert list(rows) == ["black", "white", "again"]
    for box, row in rows.items():
        trials = [entry for entry in each if entry["box"] == box]
        assert row["n"] == len(trials)
        assert row["rates"]["flips"]["least"] == sum(trial["flip"] for trial in trials) / len(trials)
        assert row["estimates"]["mean_shift"]["value"] == pytest.approx(
            sum(abs(trial["shift"]) for trial in trials) / len(trials)
        )
    # six violations, whose deciding fact is found by leaving it out; all three versions flip each
    assert rows["white"]["rates"]["flips_from_violation"]["least"] == 1.0
    assert document["details"]["counts"]["importance_by"] == {"leave-one-out": 12}
    assert sum(document["details"]["pairs"][name] for name in ("both", "white_only", "black_only", "neither")) == 12
    assert "<del>shackled</del>" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_what_is_read_is_never_written_over(viva: Viva) -> None:
    ended = viva(*RUN, "--writer", "bot:eliza", "--details", "cases.jsonl")
    assert (ended.code, ended.out) == (2, "")
    assert "already uses that file" in ended.err


def test_nothing_to_compare_is_exit_code_4(viva: Viva) -> None:
    ended = viva(*RUN, "--writer", "bot:eliza")
    assert ended.code == 4
    assert ended.out.splitlines()[-1].startswith("Nothing was compared")


def test_the_sentence_is_last(viva: Viva, paraphraser: str) -> None:
    checker = ("--checker", f"chat:compares{paraphraser}", "--limit", "5")
    ended = viva(*in_full(RUN), "--writer", f"chat:substitutes{paraphraser}", *checker)
    assert ended.code == 0
    assert ended.out.splitlines()[-1].startswith("function:judge_by_words:probability changes its decision on ")
    assert "intervals are wide" in ended.out


def test_people_review_the_paraphrases_and_bring_them_back(viva: Viva, paraphraser: str, tmp_path: Path) -> None:
    first = viva(*RUN, "--writer", f"chat:substitutes{paraphraser}", "--json", "--export-paraphrases", "review.jsonl")
    assert first.err.startswith("Paraphrases: ")
    lines = [json.loads(line) for line in (tmp_path / "review.jsonl").read_text().splitlines()]
    assert {line["status"] for line in lines} == {"proposed"}
    for i, line in enumerate(lines):
        line["status"] = "accepted" if i % 3 else "rejected"
    (tmp_path / "review.jsonl").write_text("\n".join(map(json.dumps, lines)))
    document = viva(*RUN, "--paraphrases-file", "review.jsonl", "--json").values
    counts = document["details"]["counts"]
    assert counts["paraphrases"] == counts["checked"] == len(lines) * 2 // 3
    assert counts["problems"] == {"rejected in review": len(lines) // 3}
    assert document["details"]["paraphraser"] == "review.jsonl"
    again = first.values
    assert [row["numbers"]["cases"] for row in document["figures"]["treatments"]] == [
        row["numbers"]["cases"] for row in again["figures"]["treatments"]
    ]


def test_a_language_model_as_a_judge(viva: Viva, paraphraser: str) -> None:
    command = (
        "consistency",
        "cases",
        "check",
        f"chat:judges{paraphraser}",
        "--cases",
        "cases.jsonl",
        "--min-characters",
        "90",
        "--limit",
        "4",
    )
    ended = viva(*command, "--writer", f"chat:substitutes{paraphraser}", "--json", "--claim", "The arrest was unlawful.")
    document = ended.values
    assert document["candidates"][0] == f"chat:judges{paraphraser}"
    assert document["figures"]["treatments"][1]["n"] == 12
    assert '"claim": "The arrest was unlawful."' in document["signature"]
    refused = viva(*command, "--writer", f"chat:substitutes{paraphraser}", "--importance", "attention")
    assert (refused.code, refused.out) == (2, "")
    assert "--importance leave-one-out" in refused.err


def test_a_limit_draws_cases_in_the_order_of_the_file() -> None:
    every = tuple(CASES)
    some = chosen_cases(every, CasesConfig(limit=5, seed=0))
    assert len(some) == 5
    assert list(some) == [case for case in every if case in some]
    assert chosen_cases(every, CasesConfig(limit=12, seed=0)) is chosen_cases(every, CasesConfig(limit=None, seed=0)) is every
    assert len({chosen_cases(every, CasesConfig(limit=5, seed=seed)) for seed in range(20)}) > 10


def test_several_interviews_are_one_line() -> None:
    progress: list[Progress] = []
    together = CombinedProgress(progress.append, expected=100)
    function, other = together.one(), together.one()
    function(Progress(4, 3, 1, 1, 2, 1, Usage(1, 2, 0.5), 10.0, None))
    other(Progress(10, 8, 0, 0, 0, 2, Usage(10, 20, 1.0), 4.0, None))
    assert progress[-1] == Progress(14, 11, 1, 1, 2, 3, Usage(11, 22, 1.5), 10.0, 100)


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
    ) == (24, 40, "train.jsonl, test.jsonl")
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
    assert sorted(file.name for file in tmp_path.iterdir() if "judge" in file.name) == ["judge", "judge_by_words.py"]
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "letter.txt").write_text("Dear")
    refused = viva(*TRAIN, "train.jsonl", "--out", "letters")
    assert (refused.code, refused.out) == (2, "")
    assert "contains something other than a classifier" in refused.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train.jsonl"], "'--out'"),
        (["nowhere.jsonl", "--out", "judge"], "nowhere.jsonl"),
        (["rubbish.jsonl", "--out", "judge"], "line 1: not JSON"),
        (["few.jsonl", "--out", "judge"], "training needs at least 4 of either label"),
        (["train.jsonl", "--test", "train.jsonl", "--out", "judge"], "no cases for the test"),
        (["train.jsonl", "--out", "judge", "--article", "3"], "leave out --article"),
        (["train.jsonl", "--out", "judge", "--encoder", "word2vec"], "no embedder 'word2vec'"),
        (["train.jsonl", "--out", "judge", "--encoder", "sentences:"], "'sentences:' needs a model"),
        (["train.jsonl", "--out", "judge", "--units", "0"], "--units"),
        (["train.jsonl", "--out", "judge", "--held-out", "1"], "out of range"),
        (["train.jsonl", "--out", "no/such/folder"], "the folder"),
        (["train.jsonl", "--out", "/proc/judge"], "/proc/judge: cannot be written"),
        (["train.jsonl", "--out", "judge", "--details", "train.jsonl"], "already uses that file"),
    ],
)
def test_mistakes_in_training_are_refused(refuses: Refuses, arguments: list[str], message: str) -> None:
    refuses(*TRAIN, *arguments, says=message)


def test_a_classifier_that_is_not_there_is_named_with_the_remedy(viva: Viva) -> None:
    ended = viva("consistency", "cases", "check", "trained:judge", "--cases", "test.jsonl", "--writer", "bot:eliza")
    assert (ended.code, ended.out) == (2, "")
    assert "'viva consistency cases train' makes one" in ended.err
