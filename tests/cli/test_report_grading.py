"""Certificates of `viva report` with a judge, with several answers to each question, and with what others answered."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Viva
from tests.each_case import each_case
from vivavoce.errors import BadFile
from vivavoce.examination.plan_file import digest_of_plan, plan_of, values_of
from vivavoce.interview.transcript import Transcript

SHOP = r"""
import re


def answer(text: str) -> str:
    if "Why" in text:
        return "Because of gravity."
    match = re.search(r"What is (\d+) \+ 1", text)
    return f"Answer: {int(match[1]) + 1}" if match else "I don't know"


def judge(text: str) -> str:
    points = 8 if "10: short" in text else 10
    return f"Score: {points if 'gravity' in text.split('<answer')[1] else 0}\nUnacceptable: no"
"""
BOT, JUDGE = "function:shop:answer", "function:shop:judge"
EXAMINE = ("report", BOT, "--only", "certificate", "--seed", "0", "--out", "out")
SCOPE = ("--scope", "file:mixed.jsonl")


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    """A candidate and a judge, a file with 30 sums and 10 questions with a rubric, and one with sums alone."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "shop", raising=False)
    (tmp_path / "shop.py").write_text(SHOP)
    sums = [{"question": f"What is {n} + 1?", "answer": n + 1} for n in range(30)]
    why = [{"question": f"Why does it fall, case {n}?", "rubric": "10: the cause"} for n in range(10)]
    (tmp_path / "mixed.jsonl").write_text("\n".join(map(json.dumps, (*sums, *why))))
    (tmp_path / "sums.jsonl").write_text("\n".join(map(json.dumps, sums)))


def dossier(folder: Path) -> dict[str, Any]:
    """As it was written."""
    result: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return result


def assert_the_same(viva: Viva, *given: str) -> None:
    rechecked = viva("recheck", "out", "--transcript", "out/transcript.sqlite", *given)
    assert rechecked.out.startswith("● The same: "), rechecked


def test_a_rubric_needs_a_judge_and_what_it_judges_is_in_the_answer(viva: Viva, tmp_path: Path) -> None:
    refused = viva(*EXAMINE, *SCOPE)
    assert (refused.code, refused.out) == (2, "")
    assert "question '31' of file:mixed.jsonl has a rubric but no answer: name a judge with --judge MODEL, or" in refused.err
    ahead = viva(*EXAMINE, *SCOPE, "--judge", JUDGE, "--dry-run")
    assert "~50" in ahead.err  # 40 questions, and 10 judgements
    assert "~10 of them to the judge" in " ".join(ahead.err.split())
    ended = viva(*EXAMINE, *SCOPE, "--judge", JUDGE)
    assert ended.code == 0
    assert f"Passes\n  file:mixed.jsonl, by the judgement of {JUDGE} (these answers): " in ended.out
    [card] = dossier(tmp_path / "out")["cards"]
    grading = card["details"]["figures"]["grading"]
    assert grading["graded_by_rule"] + grading["graded_by_judge"] == card["details"]["figures"]["questions"]
    assert card["command"].startswith(f"viva certify {BOT} --scope file:mixed.jsonl --judge {JUDGE} ")
    assert_the_same(viva, *SCOPE)
    # the command on the card gives the same certificate from the same record
    words = card["command"].split()[1:]
    again = viva(*words, "--transcript", "out/transcript.sqlite", "--json").values
    assert again["statement"] == card["details"]["statement"]
    assert {name: again["figures"][name] for name in ("score", "path", "grading")} == {
        name: card["details"]["figures"][name] for name in ("score", "path", "grading")
    }


@pytest.mark.long
def test_several_scopes_have_one_certificate_each_where_a_judge_grades(viva: Viva, tmp_path: Path) -> None:
    several = (*SCOPE, "--scope", "file:sums.jsonl", "--scope", "arithmetic?operations=+", "--judge", JUDGE)
    titles = ("--set", "title=Shop", "--set", "title=Sums", "--set", "title=More sums")
    ended = viva(*EXAMINE, *several, *titles, "--questions", "100")
    assert ended.code in (0, 3, 4)
    judged, others = dossier(tmp_path / "out")["cards"]
    assert (judged["details"]["figures"]["title"], judged["details"]["figures"]["grading"]["judge"]) == ("Shop", JUDGE)
    assert [other["title"] for other in others["details"]["figures"]["scopes"]] == ["Sums", "More sums"]
    assert [claim["words"].partition(": ")[0] for claim in (*judged["claims"], *others["claims"])] == [
        f"Shop, by the judgement of {JUDGE} (these answers)",
        "Sums",
        "More sums",
    ]
    plan = (tmp_path / "out/plan.toml").read_text()
    assert plan.count("judge = ") == 1
    assert viva("report", BOT, "--plan", "out/plan.toml", "--out", "out", "--questions", "100").code == ended.code


def test_a_judge_without_a_rubric_to_judge_by_is_refused(viva: Viva) -> None:
    assert "no '--scope' has any" in viva(*EXAMINE, "--scope", "file:sums.jsonl", "--judge", JUDGE).err
    assert "'--judge' is for the questions of a '--scope'" in viva(*EXAMINE, "--judge", JUDGE).err
    assert viva(*EXAMINE, *SCOPE, "--judge", JUDGE, "--dry-run").code == 0


PLAN = '[[certificate]]\nscope = "file:../mixed.jsonl"\njudge = "function:shop:judge"\n'


@pytest.mark.parametrize(("rubric", "mean"), [("", 1.0), ("short.txt", 0.8), ('10: short, and \\"right\\"', 0.8)])
def test_a_plan_gives_a_rubric_to_questions_that_have_none(viva: Viva, tmp_path: Path, rubric: str, mean: float) -> None:
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans/short.txt").write_text("10: short\n0: long\n")
    answered = [{"question": f"Why {n}? Say it.", "answer": "gravity"} for n in range(20)]
    (tmp_path / "mixed.jsonl").write_text("\n".join(map(json.dumps, answered)))
    given = f'rubric = "{rubric}"\n' if rubric else ""
    (tmp_path / "plans/plan.toml").write_text(f"examinations = ['certificate']\n{PLAN}{given}")
    assert viva("report", BOT, "--plan", "plans/plan.toml", "--seed", "0", "--out", "out").code == 0
    details = dossier(tmp_path / "out")["cards"][0]["details"]["figures"]
    # every question has an accepted answer and none a rubric: the judge grades all of them, as 'viva certify' does
    assert details["grading"]["graded_by_judge"] == details["questions"]
    assert "graded_by_rule" not in details["grading"]
    assert details["score"]["mean"] == pytest.approx(mean)
    files = ("--file", "plans/short.txt") if rubric == "short.txt" else ()
    assert_the_same(viva, *SCOPE, *files)
    if files:
        missing = viva("recheck", "out", "--transcript", "out/transcript.sqlite", *SCOPE)
        assert "'short.txt'" in missing.err
    assert viva("report", BOT, "--plan", "out/plan.toml", "--out", "out").code == 0  # paths in it lead to the same file


def test_a_plan_with_a_rubric_and_nobody_to_use_it_is_refused(viva: Viva, tmp_path: Path) -> None:
    for text, words in (
        (PLAN.replace("judge = ", "rubric = "), "'rubric' needs a judge"),
        (PLAN.replace("function:shop:judge", "shop"), "'shop' has no kind of candidate"),
        (PLAN + 'rubric = "none.txt"\n', "none.txt"),
    ):
        (tmp_path / "plan.toml").write_text(text.replace("../", ""))
        ended = viva("report", BOT, "--plan", "plan.toml", "--dry-run")
        assert (ended.code, words in ended.err) == (2, True), ended
    (tmp_path / "plan.toml").write_text(PLAN.replace("../", ""))
    assert viva("report", BOT, "--plan", "plan.toml", "--dry-run").code == 0


def test_a_candidate_that_judges_itself_is_told_as_by_certify(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.replace("../", "").replace("shop:judge", "shop:answer"))
    viva("report", BOT, "--plan", "plan.toml", "--only", "certificate", "--out", "out", "--seed", "0")
    assert "The judge is the candidate itself." in dossier(tmp_path / "out")["cards"][0]["caveats"]


def test_judgements_count_toward_the_budget(viva: Viva, tmp_path: Path) -> None:
    """The budget of 12 questions is for both; without the judge's share the same seed asks 12 questions."""
    ended = viva(*EXAMINE, *SCOPE, "--judge", JUDGE, "--questions", "12")
    assert ended.code == 4
    details = dossier(tmp_path / "out")["cards"][0]["details"]["figures"]
    assert "the budget for questions is used up" in details["why_not"]
    grading = details["grading"]
    assert details["questions"] + grading["judgements"] <= 12
    with Transcript.open(tmp_path / "out/transcript.sqlite") as transcript:
        names = [record.candidate.partition("@")[0] for record in transcript.records()]
    asked = {name: names.count(name) for name in (BOT, JUDGE)}
    assert 12 <= asked[BOT] + asked[JUDGE] <= 14  # what was under way is overrun by two judgements at most
    assert asked[JUDGE] > 0
    rechecked = viva("recheck", "out", "--transcript", "out/transcript.sqlite", *SCOPE)
    assert rechecked.out.startswith(("● The same: ", "◆ Not all of the report")), rechecked


def test_certificates_with_a_judge_are_rechecked_from_the_command_line(viva: Viva, tmp_path: Path) -> None:
    certify = ("certify", BOT, *SCOPE, "--judge", JUDGE, "--unacceptable-limit", "none", "--seed", "0", "--json")
    for more, files in (((), ()), (("--rubric", "10: short"), ("--file", "words.txt"))):
        transcript = f"t{len(more)}.sqlite"
        (tmp_path / "words.txt").write_text("10: short")
        (tmp_path / "c.json").write_text(viva(*certify, *more, "--transcript", transcript).out)
        document = json.loads((tmp_path / "c.json").read_text())
        assert document["verdict"] == "pass"
        assert "by_rule" in document["signature"]
        again = viva("recheck", "c.json", "--transcript", transcript, *SCOPE, *files)
        assert again.out.startswith("● The same: "), again
    document["figures"]["grading"]["graded_by_rule"] += 1
    (tmp_path / "c.json").write_text(json.dumps(document))
    altered = viva("recheck", "c.json", "--transcript", "t2.sqlite", *SCOPE, "--file", "words.txt")
    assert "grading.graded_by_rule" in altered.out


def test_a_judge_whose_code_has_changed_is_another_judge(viva: Viva, tmp_path: Path) -> None:
    certify = ("certify", BOT, *SCOPE, "--judge", JUDGE, "--seed", "0", "--transcript", "t.sqlite", "--quiet")
    assert viva(*certify).code == 0
    (tmp_path / "shop.py").write_text(SHOP.replace("else 0", "else 1"))
    del sys.modules["shop"]
    changed = viva(*certify)
    assert changed.code == 2
    assert "judge source" in changed.err
    assert viva(*certify, "--new-attempt").code == 0


def test_people_are_shown_answers_to_rubrics_alone(viva: Viva, tmp_path: Path) -> None:
    certify = ("certify", BOT, *SCOPE, "--unacceptable-limit", "none", "--seed", "0", "--transcript", "t.sqlite")
    waits = viva(*certify, "--sheet", "sheet.csv")
    assert waits.code == 4
    assert "Sheet: sheet.csv, 10 answers to grade" in waits.out
    exported = viva("people", "grade", "export", "t.sqlite", *SCOPE, "--out", "export.csv")
    assert "10 answers written" in exported.out
    rows = (tmp_path / "sheet.csv").read_text(encoding="utf-8-sig").replace('"",""', '"1","no"')
    (tmp_path / "sheet.csv").write_text(rows)
    done = viva(*certify, "--grades", "sheet.csv", "--html", "page.html")
    assert done.code == 0
    assert "graded by rule, " in done.out
    assert "Graded by rule" in done.out
    page = (tmp_path / "page.html").read_text()
    assert '<th scope="row">Graded by rule</th>' in page
    assert '<th scope="row">Graded by people</th>' in page
    (tmp_path / "c.json").write_text(viva(*certify, "--grades", "sheet.csv", "--json").out)
    again = viva("recheck", "c.json", "--transcript", "t.sqlite", *SCOPE)
    assert again.out.startswith("● The same: "), again


@pytest.mark.long
def test_a_judge_and_people_together_are_rechecked(viva: Viva, tmp_path: Path) -> None:
    certify = (
        "certify",
        BOT,
        *SCOPE,
        "--unacceptable-limit",
        "none",
        "--judge",
        JUDGE,
        "--seed",
        "0",
        "--transcript",
        "t.sqlite",
    )
    waits = viva(*certify, "--sheet", "sheet.csv", "--set", "batch=1000", "--questions", "300", "--set", "judge-only=1")
    assert waits.code == 4
    rows = (tmp_path / "sheet.csv").read_text(encoding="utf-8-sig").replace('"",""', '"1","no"')
    (tmp_path / "sheet.csv").write_text(rows)
    done = viva(*certify, "--grades", "sheet.csv", "--questions", "300", "--set", "judge-only=1", "--json")
    assert done.code == 0, done
    document = done.values
    grading = document["figures"]["grading"]
    assert grading["graded_by_rule"] + grading["graded_by_people"] == document["figures"]["questions"]
    assert grading["judged_only"] + grading["ruled_only"] == document["figures"]["questions"]
    (tmp_path / "c.json").write_text(done.out)
    again = viva("recheck", "c.json", "--transcript", "t.sqlite", *SCOPE, "--file", "sheet.csv")
    assert again.out.startswith("● The same: "), again


PUPIL = r"""
from collections import Counter

ASKED = Counter()


def answer(text: str) -> str:
    ASKED[text] += 1
    number = int(text.split()[2])
    return f"Answer: {number + 1 + (ASKED[text] % 10 == number % 10)}"
"""
PUPIL_BOT = "function:pupil:answer"
SUMS_SECTION = "[[certificate]]\nscope = 'file:next.jsonl'\nunacceptable_limit = 'none'\n"


@pytest.fixture(autouse=True)
def pupil(tmp_path: Path, viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who errs once in ten times; sums, and who else was asked them."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "pupil", raising=False)
    (tmp_path / "pupil.py").write_text(PUPIL)
    (tmp_path / "next.jsonl").write_text(
        "\n".join(json.dumps({"id": f"q{n}", "question": f"What is {n} + 1?", "answer": n + 1}) for n in range(120))
    )
    (tmp_path / "others.csv").write_text("id,other\n" + "".join(f"q{n},{n + 1 + (n % 4 == 0)}\n" for n in range(120)))


def examined(viva: Viva, tmp_path: Path, more: str, *options: str) -> dict[str, Any]:
    (tmp_path / "plan.toml").write_text(SUMS_SECTION + more)
    ended = viva("report", PUPIL_BOT, "--plan", "plan.toml", "--only", "certificate", "--seed", "0", "--out", "out", *options)
    assert ended.code in (0, 3, 4), ended.err
    result: dict[str, Any] = json.loads((tmp_path / "out" / "report.json").read_text())
    files = ("--scope", "file:next.jsonl", "--file", "others.csv")
    again = viva("recheck", "out", "--transcript", "out/transcript.sqlite", *files)
    assert again.out.startswith("● The same: "), again
    return result


def test_several_answers_to_each_question(viva: Viva, tmp_path: Path) -> None:
    [card] = examined(viva, tmp_path, "draws = 4\ndraws_claim = 'all-right'\nquestions = 60\n")["cards"]
    draws = card["details"]["figures"]["draws"]
    assert (draws["number"], draws["claim"], draws["answers"]) == (4, "all-right", 4 * card["details"]["figures"]["questions"])
    assert "--set draws-claim=all-right --draws 4" in card["command"]


def test_what_others_answered(viva: Viva, tmp_path: Path) -> None:
    [card] = examined(viva, tmp_path, "history = ['others.csv']\n")["cards"]
    assert card["details"]["figures"]["history"]["others"] == 1
    assert "--history others.csv" in card["command"]


def test_each_stands_by_itself_beside_others(viva: Viva, tmp_path: Path) -> None:
    more = "draws = 2\nquestions = 30\n[[certificate]]\nscope = 'arithmetic?operations=+'\n"
    more += "unacceptable_limit = 'none'\nquestions = 30\n"
    (tmp_path / "plan.toml").write_text(SUMS_SECTION + more)
    ahead = viva("report", PUPIL_BOT, "--plan", "plan.toml", "--only", "certificate", "--dry-run")
    assert "~90" in ahead.err  # 30 sums twice, and 30 others once


def test_what_is_missing_changes_no_digest_and_what_is_there_does() -> None:
    plain = plan_of("[[certificate]]\nscope = 'arithmetic'")
    digests = {
        digest_of_plan(plan_of(f"[[certificate]]\nscope = 'arithmetic'\n{more}"))
        for more in ("", "draws = 2", "draws = 3", "draws = 3\ndraws_claim = 'all-right'", "history = ['a.csv']")
    }
    assert len(digests) == 5
    [section] = values_of(plain)["certificate"]
    assert {name for name, value in section.items() if value is not None} == {
        "scope", "passing_grade", "unacceptable_limit", "delta", "questions"
    }  # fmt: skip


@each_case(
    ("more", "reason"),
    [
        ("draws = 0", "greater than or equal to 1"),
        ("draws_claim = 'mean'", "give '--draws N'"),
        ("draws = 2\ndraws_claim = 'share'", "needs '--set reliability=R'"),
        ("draws = 2\nhistory = ['a.csv']", "leave out one of them"),
        ("history = []", "at least 1 item"),
    ],
)
def test_what_cannot_be_meant_is_refused(more: str, reason: str) -> None:
    with pytest.raises(BadFile, match=reason):
        plan_of(f"[[certificate]]\nscope = 'arithmetic'\n{more}")


def test_a_plan_names_a_judge_that_agrees_too_little_with_people(viva: Viva, tmp_path: Path) -> None:
    rows = (f"e{n},Why {n}?,Because of {'gravity' if n % 2 else 'it'} {n}.,{n % 3 / 2}\n" for n in range(40))
    (tmp_path / "graded.csv").write_text("id,question,answer,score\n" + "".join(rows))
    (tmp_path / "plans").mkdir()
    assert viva("people", "calibrate", JUDGE, "--sheet", "graded.csv", "--out", "plans/judge.json", "--quiet").code == 3
    (tmp_path / "plans/plan.toml").write_text(f"examinations = ['certificate']\n{PLAN}calibration = 'judge.json'\n")
    assert viva("report", BOT, "--plan", "plans/plan.toml", "--seed", "0", "--out", "out").code == 0
    card = dossier(tmp_path / "out")["cards"][0]
    assert f"by the judgement of {JUDGE} (too little agreement with people: α may be " in card["claims"][0]["words"]
    assert "--set calibration=" in card["command"]
    assert_the_same(viva, *SCOPE, "--file", "plans/judge.json")
    (tmp_path / "plan.toml").write_text("[[certificate]]\nscope = 'file:mixed.jsonl'\ncalibration = 'plans/judge.json'\n")
    assert "'calibration' needs a judge" in viva("report", BOT, "--plan", "plan.toml", "--dry-run").err
