"""`viva certify`: exit codes, output, records, designs, and several scopes."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva, in_full, wait_for_records
from vivavoce.interview.transcript import Transcript

QUICK = ("--scope", "arithmetic", "--unacceptable-limit", "none", "--quiet")
COUNTING = """
from pathlib import Path

def answer(text: str) -> str:
    with Path("asked.txt").open("a") as file:
        file.write(text.splitlines()[0] + "\\n")
    return "I cannot tell."
"""


def without_run(certificate: dict[str, object]) -> dict[str, object]:
    """What must not depend on whether a run was interrupted, or on the name of its record."""
    return {name: value for name, value in certificate.items() if name != "transcript_head"}


def test_understanding_is_exit_code_0_and_the_sentence_is_last(viva: Viva) -> None:
    ended = viva("certify", "--seed", "0", "bot:calculator", *QUICK)
    assert ended.code == 0
    assert "bot:calculator passes arithmetic: 100% correct (shown: at least " in ended.out.splitlines()[-1]
    assert ended.err == ""


def test_not_understanding_is_exit_code_3(viva: Viva) -> None:
    ended = viva("certify", "--seed", "0", "bot:calculator?wrong=0.9", *QUICK)
    assert ended.code == 3
    assert "bot:calculator?wrong=0.9 fails arithmetic: " in ended.out


def test_what_cannot_be_read_is_no_verdict_and_is_shown(viva: Viva, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ended = viva("certify", "--seed", "0", "bot:gibberish", *in_full(QUICK), "--html", str(page))
    assert ended.code == 4
    assert "Undecided" in ended.out
    assert "No reply could be graded" in ended.out
    assert "5 of the 12 replies that could not be graded" in ended.out
    assert "--set unreadable=wrong" in ended.out
    assert "5 of the 12 replies that could not be graded" in page.read_text()
    document = viva("certify", "--seed", "0", "bot:gibberish", *QUICK, "--json").values
    assert (document["verdict"], document["figures"]["score"]["mean_range"], len(document["figures"]["unread"])) == (
        "undecided",
        [0.0, 1.0],
        5,
    )
    assert {reply["outcome"] for reply in document["figures"]["unread"]} == {"unreadable"}


def test_what_cannot_be_read_may_count_as_wrong(viva: Viva) -> None:
    ended = viva("certify", "--seed", "0", "bot:gibberish", *QUICK, "--set", "unreadable=wrong", "--json")
    document = ended.values
    assert ended.code == 3
    assert document["verdict"] == "fail"
    assert document["figures"]["questions"] == 4  # as four wrong answers, see test_evidence
    assert "mean_range" not in document["figures"]["score"]
    assert '"unreadable": "wrong"' in document["signature"]


def test_no_conclusion_is_exit_code_4_and_says_why(viva: Viva) -> None:
    # not even three right answers can show more than a passing grade of .7: the best e-value is (1/.7)^3 = 2.9, below 20
    ended = viva("certify", "--seed", "0", "bot:calculator", *QUICK, "--questions", "3")
    assert ended.code == 4
    assert "Undecided" in ended.out


def test_json_alone_on_standard_output(viva: Viva) -> None:
    ended = viva("certify", "--seed", "0", "bot:calculator?wrong=0.1", *QUICK, "--seed", "5", "--json")
    certificate = ended.values
    assert ended.code == 0
    assert certificate["verdict"] == "pass"
    assert {"lower", "mean", "upper"} == set(certificate["figures"]["score"])
    assert {"lower", "rate", "upper"} <= set(certificate["figures"]["unacceptable"])
    assert (certificate["seed"], certificate["figures"]["delta"], certificate["figures"]["scope"]) == (5, 0.05, "arithmetic")
    assert certificate["candidates"][0].startswith("bot:calculator")
    assert certificate["figures"]["unreadable"] == 0


def test_what_is_on_record_is_not_asked_again(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "counting.py").write_text(COUNTING)
    command = ("certify", "--seed", "0", "function:counting:answer", *QUICK, "--transcript", "run.sqlite", "--json")
    first = viva(*command)
    assert first.err == ""
    asked = (tmp_path / "asked.txt").read_text().splitlines()
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        on_record = {json.loads(record.question)["text"].splitlines()[0] for record in transcript.records(topic="certificate")}
    assert on_record <= set(asked)
    again = viva(*command)
    assert without_run(again.values) == without_run(first.values)
    asked_again = (tmp_path / "asked.txt").read_text().splitlines()[len(asked) :]  # what was in flight at the verdict, if any
    assert not on_record & set(asked_again)


@pytest.mark.long
def test_interrupted_it_keeps_what_was_answered_and_goes_on_from_there(
    viva: Viva, tmp_path: Path, viva_copy: Callable[..., subprocess.Popen[str]]
) -> None:
    slow = ("certify", "--seed", "0", "bot:calculator?wrong=0.2&delay=0.2", *QUICK, "--json", "--transcript")
    process = viva_copy(*slow, "run.sqlite")
    wait_for_records(tmp_path / "run.sqlite", 20)
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert printed == ""
    assert errors == "viva: interrupted; answers so far are on record: run the same command again to resume\n"
    resumed, whole = (viva(*slow, name, "--concurrency", "64") for name in ("run.sqlite", "other.sqlite"))
    assert resumed.code == whole.code == 0
    assert without_run(json.loads(resumed.out)) == without_run(json.loads(whole.out))
    assert viva("transcript", "verify", "run.sqlite").code == 0


def test_a_candidate_out_of_reach_is_exit_code_5_with_the_remedy(viva: Viva) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound but not listening: every connection is refused
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        command = ("certify", "--seed", "0", f"chat:model@{address}", *QUICK, "--set", "max-tries=1")
        kept, lost = viva(*command, "--transcript", "run.sqlite"), viva(*command)
    assert (kept.code, kept.out, kept.err.count("\n")) == (5, "", 1)
    assert "run the same command again" in kept.err
    assert lost.code == 5
    assert "use --transcript FILE" in lost.err


def test_the_fixed_procedure_asks_exactly_so_many(viva: Viva) -> None:
    ended = viva("certify", "--seed", "0", "bot:calculator", *QUICK, "--set", "procedure=fixed", "--questions", "30", "--json")
    certificate = ended.values
    # KL bound by hand: all 30 right, lower bound exp(-ln(20)/30) = 0.905 > 0.7
    assert (ended.code, certificate["figures"]["questions"], certificate["figures"]["procedure"]) == (0, 30, "fixed")


def test_strata_have_a_table_and_go_on_where_they_stopped(viva: Viva, tmp_path: Path) -> None:
    command = (
        "certify", "--seed", "0", "bot:calculator?wrong=0.1", *QUICK, "--strata", "category", "--transcript", "run.sqlite",
    )  # fmt: skip
    stopped = viva(*command, "--questions", "4")
    assert stopped.code == 4
    ended = viva(*in_full(command), "--html", "page.html")
    assert ended.code == 0
    assert "stratum" in ended.out
    assert "Stratum" in (tmp_path / "page.html").read_text(encoding="utf-8")
    strata = viva(*command, "--json").values["figures"]["strata"]
    assert [stratum["name"] for stratum in strata] == ["+", "-", "*"]
    assert max(s["questions"] for s in strata) - min(s["questions"] for s in strata) <= 1  # a third each


def test_weights_say_beforehand_what_they_cost(viva: Viva, tmp_path: Path) -> None:
    lines = (json.dumps({"question": f"What is {i} + 1?", "answer": i + 1, "weight": 1 + 2 * (i % 2)}) for i in range(500))
    (tmp_path / "q.jsonl").write_text("\n".join(lines))
    command = (
        "certify", "--seed", "0", "bot:calculator", "--scope", "file:q.jsonl", "--unacceptable-limit", "0.05",
        "--set", "importance-weighting",
    )  # fmt: skip
    ended = viva(*command, "--questions", "20")
    assert ended.code == 4
    assert "counts 1.5 times its share" in ended.err
    assert "Within 20 questions no pass is possible" in ended.err
    assert viva(*command, "--json", "--quiet").values["figures"]["largest_weight"] == pytest.approx(1.5)  # 3 of a mean of 2


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("--strata", "category", "--set", "importance-weighting"), "leave out '--set importance-weighting'"),
        (("--set", "importance-weighting"), "no weights"),
        (("--explanations", "1", "--judge", "bot:eliza"), "graded by the scope's own rule"),
        (("--explanations", "1", "--strata", "category", "--set", "procedure=fixed", "--questions", "9"), "leave out --strata"),
    ],
)
def test_designs_that_do_not_go_together_are_refused(refuses: Refuses, given: tuple[str, ...], problem: str) -> None:
    refuses("certify", "--seed", "0", "bot:calculator", *QUICK, *given, says=problem)


TIRING = """
answered = 0

def right(text: str) -> str:
    global answered
    answered += 1
    left, sign, other = text.splitlines()[0].removeprefix("What is ").split("?")[0].split()
    return f"Answer: {eval(left + sign + other)}" if answered <= 60 else "Answer: 0"
"""
SUMS = (
    "--scope", "arithmetic?operations=+-&digits=2", "--unacceptable-limit", "none", "--quiet", "--seed", "2", "--concurrency",
    "1",
)  # fmt: skip


def test_one_that_tires_passes_unless_more_is_asked_of_it(viva: Viva, tmp_path: Path) -> None:
    for name in ("tiring", "rested"):
        (tmp_path / f"{name}.py").write_text(TIRING)
    passes = viva("certify", "--seed", "0", "function:tiring:right", *in_full(SUMS))
    assert passes.code == 0
    assert "After 12 questions" in passes.out
    assert "It assumes a fixed candidate" in " ".join(passes.out.split())
    assert "Change over time none to be seen" in " ".join(passes.out.split())
    output = viva(
        "certify", "--seed", "0", "function:rested:right", *in_full(SUMS), "--set", "min-questions=200", "--html", "page.html"
    )
    assert output.code == 3
    assert "1.00, then 0.0" in " ".join(output.out.split())
    page = (tmp_path / "page.html").read_text()
    assert "There is no verdict “pass” before 200 questions" in page
    assert "The scores did not come in random order" in page
    assert "1.00 in the first 60, 0.0" in page


def test_questions_spread_over_a_moment_are_resumed_at_no_time(viva: Viva) -> None:
    spread = ("--set", "min-questions=20", "--set", "over-hours=0.0002", "--transcript", "run.sqlite", "--json")
    first = viva("certify", "--seed", "0", "bot:calculator", *SUMS, *spread)
    again = viva("certify", "--seed", "0", "bot:calculator", *SUMS, *spread)
    assert first.code == again.code == 0
    assert without_run(first.values) == without_run(again.values)
    signature = first.values["signature"]
    assert '"at_least": 20' in signature
    assert '"spread_hours": 0.0002' in signature
    assert viva("transcript", "verify", "run.sqlite").code == 0


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--set", "over-hours=3"), "--set min-questions=N"),
        (("--set", "min-questions=20", "--questions", "10"), "at least 20 and at most 10"),
        (("--set", "min-questions=20", "--set", "procedure=fixed", "--questions", "30"), "leave out --set min-questions"),
        (("--set", "min-questions=20", "--scope", "intervals"), "for one scope"),
        (("--set", "min-questions=20", "--explanations", "1"), "never tire"),
    ],
)
def test_options_of_endurance_that_do_not_go_together_are_refused(
    refuses: Refuses, options: tuple[str, ...], problem: str
) -> None:
    refuses("certify", "bot:calculator", *QUICK, *options, says=problem)


def test_quiet_is_the_sentence_and_where_the_files_are(viva: Viva, tmp_path: Path) -> None:
    files = ("--transcript", "run.sqlite", "--html", "page.html")
    ended = viva("certify", "--seed", "0", "bot:calculator?wrong=0.1", *QUICK, *files)
    sentence, transcript, page = ended.out.splitlines()
    assert sentence.startswith("● bot:calculator?wrong=0.1 passes arithmetic: ")
    assert transcript.startswith("Transcript: run.sqlite, head ")
    assert transcript.endswith(" new")
    assert (page, ended.err) == ("Page: page.html", "")
    assert len(viva("certify", "--seed", "0", "bot:calculator?wrong=0.1", *in_full(QUICK), *files).out.splitlines()) > 10


PLUS, TIMES = "arithmetic?operations=+", "arithmetic?operations=*"
BRIEF = ("--unacceptable-limit", "none", "--quiet")
BOTH = ("--scope", PLUS, "--scope", TIMES, *BRIEF)


@pytest.mark.parametrize(
    ("candidate", "more", "code"),
    [
        ("bot:calculator", (), 0),
        ("bot:calculator", ("--scope", "intervals"), 3),  # it knows nothing of intervals
        ("bot:calculator", ("--questions", "4"), 4),
        ("bot:gibberish", ("--set", "correction=fwer"), 4),  # nothing of it can be read
        ("bot:gibberish", ("--set", "unreadable=wrong"), 3),
    ],
)
def test_the_exit_code_is_the_verdict_on_all(viva: Viva, candidate: str, more: tuple[str, ...], code: int) -> None:
    ended = viva("certify", "--seed", "0", candidate, *BOTH, *more)
    assert ended.code == code, ended.err
    assert f"{candidate}" in ended.out.splitlines()[-1]
    assert ended.err == ""


def test_json_of_many_alone_on_standard_output(viva: Viva) -> None:
    ended = viva("certify", "--seed", "0", "bot:calculator?wrong=0.1", *BOTH, "--seed", "5", "--json", "--html", "page.html")
    document = ended.values
    assert ended.code == 0
    assert document["figures"]["verdicts"] == {"pass": 2, "fail": 0, "undecided": 0}
    assert [scope["scope"] for scope in document["figures"]["scopes"]] == [PLUS, TIMES]
    assert (document["figures"]["many"], document["figures"]["delta"], document["seed"]) == ("fdr", 0.05, 5)
    assert "passes 2 of 2 scopes" in Path("page.html").read_text(encoding="utf-8")


def test_each_category_is_a_scope(viva: Viva, tmp_path: Path) -> None:
    lines = [
        {"question": f"What is {a} + {b}?", "answer": a + b, "category": "odd" if a % 2 else "even"}
        for a in range(20) for b in range(20)
    ]  # fmt: skip
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, lines)))
    ended = viva(
        "certify", "--seed", "0", "bot:calculator", "--scope", "file:q.jsonl", "--split-by", "category", *BRIEF, "--json"
    )
    document = ended.values
    assert ended.code == 0
    assert [scope["scope"] for scope in document["figures"]["scopes"]] == ["file:q.jsonl#even", "file:q.jsonl#odd"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--scope", "arithmetic", "--split-by", "category"), "endless"),
        (("--scope", PLUS, "--scope", PLUS), "name each scope once"),
        (("--scope", PLUS, "--scope", TIMES, "--set", "procedure=fixed", "--questions", "9"), "for one scope"),
        (("--scope", PLUS, "--scope", TIMES, "--strata", "category"), "same category"),
        (("--scope", PLUS, "--scope", "arithmatic"), "did you mean 'arithmetic'"),
    ],
)
def test_scopes_that_do_not_go_together_are_refused(refuses: Refuses, arguments: tuple[str, ...], problem: str) -> None:
    refuses("certify", "--seed", "0", "bot:calculator", *arguments, says=problem)


PLAIN = "question,answer\n" + "".join(f"What is {i} + 1?,{i + 1}\n" for i in range(80))
BOUNDED = "question,answer,unacceptable\n" + "".join(f"What is {i} + 1?,{i + 1},-7\n" for i in range(80))


@pytest.mark.parametrize(
    ("scope", "more", "limit"),
    [
        ("arithmetic", (), 0.01),
        ("plain.csv", (), None),
        ("bounded.csv", (), 0.01),
        ("plain.csv", ("--set", "zero-is-unacceptable"), 0.01),
        ("plain.csv", ("--unacceptable-limit", "0.2"), 0.2),
        ("arithmetic", ("--unacceptable-limit", "none"), None),
        ("plain.csv", ("--scope", "arithmetic"), 0.01),
    ],
)
def test_it_is_one_percent_unless_no_answer_can_be_unacceptable(
    viva: Viva, tmp_path: Path, scope: str, more: tuple[str, ...], limit: float | None
) -> None:
    (tmp_path / "plain.csv").write_text(PLAIN)
    (tmp_path / "bounded.csv").write_text(BOUNDED)
    where = f"file:{tmp_path / scope}" if scope.endswith(".csv") else scope
    ended = viva("certify", "bot:calculator", "--scope", where, *more, "--questions", "20", "--seed", "1", "--json")
    assert ended.values["figures"]["unacceptable_limit"] == limit


def test_an_examination_that_was_begun_keeps_its_own(viva: Viva, tmp_path: Path) -> None:
    asked = ("certify", "bot:calculator", "--scope", "arithmetic", "--transcript", str(tmp_path / "run.sqlite"), "--json")
    begun = viva(*asked, "--unacceptable-limit", "0.001", "--questions", "15").values
    assert (begun["verdict"], begun["figures"]["unacceptable_limit"]) == ("undecided", 0.001)
    went_on = viva(*asked, "--questions", "25").values
    assert (went_on["figures"]["unacceptable_limit"], went_on["attempt"]["number"], went_on["figures"]["questions"]) == (
        0.001,
        1,
        25,
    )
    refused = viva(*asked, "--unacceptable-limit", "0.01")
    assert refused.code == 2
    assert "unacceptable limit 0.001, now 0.01" in refused.err
    again = viva(*asked, "--new-attempt", "--questions", "15").values
    assert (again["figures"]["unacceptable_limit"], again["attempt"]["number"]) == (0.01, 2)


def test_an_examination_of_all_rooms_has_the_same_default(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "plain.csv").write_text(PLAIN)
    for scope, limit in ((f"file:{tmp_path / 'plain.csv'}", "none"), ("arithmetic", "0.01")):
        out = tmp_path / limit
        viva("report", "bot:calculator", "--scope", scope, "--only", "certificate", "--out", str(out), "--seed", "1", "-q")
        [card] = json.loads((out / "report.json").read_text())["cards"]
        assert f"--unacceptable-limit {limit} " in card["command"]
        assert 'unacceptable_limit = "usual"' in (out / "plan.toml").read_text()


def test_a_plan_tells_of_the_same_default(viva: Viva) -> None:
    assert viva("plan", "--score", "0.9", "--simulations", "10", "--json").values["figures"]["unacceptable_limit"] == 0.01
