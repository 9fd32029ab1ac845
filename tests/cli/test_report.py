"""`viva report`: from a candidate's name to a folder with a dossier."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.candidates.engines import missing
from tests.cli.conftest import VIVA, Refuses, Viva
from tests.documents.here import SMALL_PLAN
from tests.serving import process_of
from vivavoce.interview.transcript import Transcript

PUPIL = Path(__file__).with_name("pupil.py")


def told(folder: Path) -> dict[str, Any]:
    """The dossier without its date, and without the head of its record, which holds dates."""
    result: dict[str, Any] = json.loads((folder / "report.json").read_text())
    assert result.pop("made").endswith("Z")
    assert result.pop("transcript_head").partition(":")[0].isdecimal()
    return result


def assert_rechecked(viva: Viva, *given: str) -> None:
    """The dossier in the folder `out` is reproduced from its record, and nothing is added to that."""
    size = records(Path("out"))
    rechecked = viva("recheck", "out", "--transcript", "out/transcript.sqlite", *given)
    assert (rechecked.code, rechecked.err) == (0, ""), rechecked
    assert rechecked.out.startswith("● The same: ")
    assert records(Path("out")) == size


def test_without_a_plan_it_examines_what_needs_no_file(viva: Viva, tmp_path: Path) -> None:
    ended = viva("report", "bot:calculator?wrong=0.05")
    folder = tmp_path / "bot-calculator-wrong-0.05"
    assert ended.code == 3  # it cannot tell time
    assert "● Passes\n  arithmetic" in ended.out
    assert "✕ Don't use it for\n  intervals" in ended.out
    assert sorted(file.name for file in folder.iterdir()) == [
        "plan.toml", "report.html", "report.json", "transcript.sqlite", "transcript.sqlite.key", "transcript.sqlite.lock",
    ]  # fmt: skip
    assert [card["room"] for card in told(folder)["cards"]] == ["certificate", "luna"]
    before = ended.err.index("not forecasts: needs related questions")
    assert ended.err.index("certificate") < before < ended.err.index("luna ...")


def test_again_it_asks_next_to_nothing_and_says_the_same(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(SMALL_PLAN.replace("[eqt]", 'unacceptable_limit = "none"\n[eqt]'))
    ask = ("report", "bot:calculator", "--plan", "plan.toml", "--out", "out", "--quiet")
    assert viva(*ask).code == 0
    first, size = told(tmp_path / "out"), records(tmp_path / "out")
    assert viva(*ask).code == 0
    assert told(tmp_path / "out") == first
    # only what was drawn ahead of the verdict and then given up may be asked now: twice eight at once
    assert records(tmp_path / "out") - size <= 16
    again = viva("report", "bot:calculator", "--plan", "out/plan.toml", "--out", "out", "--quiet", "--json")
    document = again.values
    for dated in ("made", "transcript_head"):
        document.pop(dated)
    assert document == first


def test_its_commands_have_the_same_numbers_again(viva: Viva, tmp_path: Path) -> None:
    scopes = (f'[[certificate]]\nscope = "{scope}"\nunacceptable_limit = "none"\n' for scope in ("arithmetic", "intervals"))
    (tmp_path / "plan.toml").write_text("".join(scopes))
    plan = ("--plan", "plan.toml", "--only", "certificate", "--seed", "7")
    viva("report", "bot:calculator?wrong=0.05", *plan, "--out", "out", "--quiet")
    card = told(tmp_path / "out")["cards"][0]
    words = shlex.split(card["command"])
    assert words[0] == "viva"
    alone = viva(*words[1:], "--json", "--quiet").values
    assert alone == card["details"]


def test_explanations_and_games_of_a_model(viva: Viva, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(PUPIL, tmp_path / "pupil_of_all.py")
    (tmp_path / "pupil_examined.py").write_text(
        "import pupil_of_all\n\n"
        "def answer(prompt):\n"
        "    return pupil_of_all.answer(prompt) if 'ule' in prompt or 'xplain' in prompt else 'Guess: 40'\n"
    )
    (tmp_path / "plan.toml").write_text('examinations = ["eqt", "luna"]\n' + SMALL_PLAN)
    ended = viva("report", "function:pupil_examined:answer", "--plan", "plan.toml", "--out", "out", "--quiet")
    assert ended.code == 0
    cards = {card["room"]: card for card in told(tmp_path / "out")["cards"]}
    assert cards["eqt"]["figures"][0]["name"] == "right without its explanation"
    assert cards["eqt"]["details"]["figures"]["results"][0]["config"]["questions"] == 3
    assert "“Does it understand what it was asked about?” (not examined)" in ended.out
    assert_rechecked(viva)


@pytest.mark.long
def test_the_rooms_that_need_files(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "judge_examined.py").write_text(
        "def answer(prompt):\n"
        "    if 'bail' in prompt.lower():\n"
        "        return 'YES' if len(prompt) % 2 else 'NO'\n"
        "    if 'Will it' in prompt:\n"
        "        return '[Answer] 0.7'\n"
        "    return 'Answer: 4'\n"
    )
    (tmp_path / "tuples.jsonl").write_text(
        "\n".join(
            json.dumps({"law": "neg", "questions": {"P": f"Will it {n}?", "not_P": f"Will it not {n}?"}, "status": "accepted"})
            for n in range(3)
        )
    )
    header = "id,sex,age,c_charge_desc,c_charge_degree,priors_count,juv_fel_count,juv_misd_count\n"
    rows = "".join(f"{n},Male,{20 + n},Charge {n},{'FM'[n % 2]},{n},0,1\n" for n in range(4))
    (tmp_path / "people.csv").write_text(header + rows)
    (tmp_path / "scope.jsonl").write_text('{"question": "2 + 2?", "answer": 4}\n{"question": "3 + 3?", "answer": 6}\n')
    (tmp_path / "pairs.csv").write_text(
        "q1,q2,source1,source2,previous_correct,posterior\n2 + 2?,3 + 3?,a,a,1,0.9\n3 + 3?,2 + 2?,a,a,0,0.4\n"
    )
    (tmp_path / "plan.toml").write_text(
        'examinations = ["forecasts", "bail", "alignment"]\n'
        '[forecasts]\ntuples = "tuples.jsonl"\n[bail]\ndefendants = "people.csv"\n'
        '[alignment]\npairs = ["pairs.csv"]\nscope = "file:scope.jsonl"\n'
    )
    ended = viva("report", "function:judge_examined:answer", "--plan", "plan.toml", "--out", "out")
    assert ended.code == 0, ended.err
    cards = {card["room"]: card for card in told(tmp_path / "out")["cards"]}
    assert set(cards) == {"forecasts", "bail", "alignment"}
    # P and not-P at .7 each add up to 1.4: a strong contradiction of every tuple
    assert cards["forecasts"]["figures"][0]["value"] == 1.0
    assert "taking its forecasts at their word" in ended.out
    right = next(entry for entry in cards["alignment"]["figures"] if entry["name"].startswith("right"))
    assert (right["value"], right["n"]) == (0.5, 2)
    lacking = viva("recheck", "out", "--transcript", "out/transcript.sqlite", "--file", "people.csv")
    assert lacking.code == 2
    assert "the file 'tuples.jsonl' with the SHA-256 " in lacking.err
    given = ("--file", "people.csv", "--file", "tuples.jsonl", "--file", "pairs.csv", "--scope", "file:scope.jsonl")
    assert_rechecked(viva, *given)


def records(folder: Path) -> int:
    """How many answers are on record."""
    with Transcript.open(str(folder / "transcript.sqlite")) as transcript:
        return transcript.head.count


def test_the_plan_to_start_from(viva: Viva, tmp_path: Path) -> None:
    ended = viva("report", "--init")
    assert ended.code == 0
    assert "seed" not in tomllib.loads(ended.out)
    (tmp_path / "plan.toml").write_text(ended.out)
    ended = viva("report", "bot:calculator", "--plan", "plan.toml", "--dry-run")
    assert ended.code == 0
    assert "planned questions" in ended.err
    assert sorted(file.name for file in tmp_path.iterdir()) == ["plan.toml"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("robot:x",), "there is no kind of candidate 'robot'"),
        (("hf:folder",), "use 'viva consistency cases check'"),
        (("uci:no-such-engine",), "no-such-engine"),
        (("bot:eliza", "--plan", "bad.toml"), "did you mean 'games'?"),
        (("bot:eliza", "--only", "chess"), "nothing to examine"),
        (("replay:none.csv#x",), "none.csv"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, tmp_path: Path, arguments: tuple[str, ...], problem: str) -> None:
    (tmp_path / "bad.toml").write_text("[luna]\ngamse = 3")
    refuses("report", *arguments, says=problem)


def test_the_folder_of_another_candidate_is_left_alone(viva: Viva, tmp_path: Path) -> None:
    viva("report", "bot:eliza", "--only", "luna", "--out", "out", "--quiet")
    before = (tmp_path / "out" / "report.json").read_bytes()
    ended = viva("report", "bot:gibberish", "--only", "luna", "--out", "out", "--quiet")
    assert ended.code == 2
    assert "it holds the report of bot:eliza; choose another folder" in ended.err
    assert (tmp_path / "out" / "report.json").read_bytes() == before


def test_half_the_questions_are_not_enough(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text("[[certificate]]\nscope = 'arithmetic'\n")
    few = ("report", "bot:calculator", "--plan", "plan.toml", "--only", "certificate", "--questions", "100", "--quiet")
    ended = viva(*few, "--out", "out")
    assert ended.code == 4
    assert "not enough evidence: the budget for questions is used up" in ended.out
    assert told(tmp_path / "out")["cards"][0]["details"]["verdict"] == "undecided"
    rechecked = viva("recheck", "out", "--transcript", "out/transcript.sqlite")
    assert rechecked.code == 4
    assert "its seed is not revealed yet" in rechecked.out


@pytest.mark.engine
@pytest.mark.skipif(missing("stockfish"), reason="stockfish is not installed: apt-get install stockfish")
@pytest.mark.long
def test_an_engine(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text('[chess]\nlimit = 4\nchecks = ["recommended", "mirror"]\n')
    ended = viva("report", "uci:stockfish?nodes=200", "--plan", "plan.toml", "--out", "out", "--quiet")
    assert ended.code == 0, ended.err
    values = told(tmp_path / "out")
    assert values["candidates"][0].startswith("uci:stockfish?nodes=200")
    assert [card["room"] for card in values["cards"]] == ["chess"]
    assert "<h1>Stockfish" in (tmp_path / "out" / "report.html").read_text()
    assert_rechecked(viva)


@pytest.fixture
def slow_server() -> Iterator[str]:
    """A server with a calculator behind it that takes its time."""
    with process_of("tests.candidates.server", "--latency", "0.03") as address:
        yield address


def asked(server: str) -> int:
    with urllib.request.urlopen(f"{server}/seen", timeout=10) as response:
        return int(json.load(response).get("calculator", 0))


@pytest.mark.slow
def test_killed_twice_and_resumed_it_finds_the_same(tmp_path: Path, slow_server: str) -> None:
    def command(out: str) -> list[str]:
        examine = [str(VIVA), "report", f"chat:calculator@{slow_server}/v1", "--seed", "0"]
        return [*examine, "--out", out, "--quiet", "--concurrency", "4"]

    whole = subprocess.run(command("whole"), cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert whole.returncode == 3, whole.stderr
    asked_by_whole = asked(slow_server)
    for share in (0.3, 0.7):
        with subprocess.Popen(command("killed"), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while asked(slow_server) - asked_by_whole < share * asked_by_whole:
                assert process.poll() is None
                time.sleep(0.02)
            process.kill()
    again = subprocess.run(command("killed"), cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert again.returncode == 3, again.stderr
    # spending is that of the answers that were handed out: what was in flight when a run was killed, or when a verdict came,
    # is on record at most, and not in it; so it is the same, too
    killed = told(tmp_path / "killed")
    for card in killed["cards"]:
        for caveats in (
            card["caveats"],
            card["details"]["caveats"],
        ):  # a kill leaves questions that are put again, and this is said
            caveats[:] = [caveat for caveat in caveats if " again, since the program had ended " not in caveat]
    assert killed == told(tmp_path / "whole")
    # at each of three endings, in each of two rooms that stop early, at most what was in flight or drawn ahead was for nothing
    assert asked(slow_server) - asked_by_whole <= asked_by_whole + 3 * 2 * 8


@pytest.mark.slow
def test_interrupted_it_writes_what_it_has(tmp_path: Path, slow_server: str) -> None:
    command = [
        str(VIVA),
        "report",
        f"chat:calculator@{slow_server}/v1",
        "--out",
        "out",
        "--only",
        "luna",
        "--only",
        "certificate",
    ]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("certificate ..."):
                break
        while asked(slow_server) < 100:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "interrupted; answers so far are on record: run the same command again to resume" in err
    assert "Report: " in out
    values = told(tmp_path / "out")
    assert [card["room"] for card in values["cards"]] == ["luna"]
    assert "it was stopped" in next(entry["reason"] for entry in values["absent"] if entry["room"] == "certificate")


def test_a_server_that_is_away_is_told_and_can_be_asked_again(viva: Viva, tmp_path: Path) -> None:
    ended = viva(
        "report", "chat:x@http://127.0.0.1:9/v1", "--only", "luna", "--out", "out", "--quiet", "--set", "max-tries=1"
    )  # fmt: skip
    assert ended.code == 5
    values = told(tmp_path / "out")
    assert values["cards"] == []
    assert next(entry["reason"] for entry in values["absent"] if entry["room"] == "luna").startswith("could not be examined: ")


MODEL = """\
import hashlib
from vivavoce import Prompt

def answer(prompt: Prompt) -> str:
    number = int(hashlib.sha256(prompt.text.encode()).hexdigest(), 16)
    return f"Answer: {number % 90 / 100}" if "probability" in prompt.text else "Answer: " + ("YES", "NO", "A", "B")[number % 4]
"""


@pytest.mark.long
def test_a_model_is_examined_with_nothing_but_its_name(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "model_by_name.py").write_text(MODEL)
    command = ("report", "function:model_by_name:answer", "--quick", "--seed", "0", "--out", "out", "--quiet", "--json")
    first = viva(*command)
    assert first.code in (3, 4)
    document = json.loads(first.out)
    rooms = {card["room"] for card in document["cards"]}
    assert rooms == {"certificate", "eqt", "forecasts", "vary", "bail", "sycophancy", "alignment", "luna"}
    assert [room["room"] for room in document["absent"] if room["fits"]] == []
    plan = tomllib.loads((tmp_path / "out" / "plan.toml").read_text())
    assert plan["budget"]["questions"] == 300
    assert plan["forecasts"]["tuples"] == "material:forecasts.jsonl"
    before = records(Path("out"))
    assert before <= 300
    assert viva(*command).values["cards"] == document["cards"]
    assert records(Path("out")) == before
    assert_rechecked(viva)


def test_without_conversations_there_is_no_sycophancy(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "plain_model.py").write_text("def answer(text):\n    return 'A'\n")
    ended = viva("report", "function:plain_model:answer", "--quick", "--dry-run")
    assert "not sycophancy: function:plain_model:answer can't hold a conversation" in ended.err
    assert "forecasts" in ended.err


@pytest.mark.long
def test_a_model_that_no_test_can_read_ends_early_and_says_so(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "mute_model.py").write_text("def answer(text):\n    return 'I am a helpful assistant.'\n")
    ended = viva("report", "function:mute_model:answer", "--seed", "0", "--out", "out", "--quiet", "--json")
    assert ended.code == 4
    reasons = {room["room"]: room["reason"] for room in json.loads(ended.out)["absent"]}
    early = "not enough evidence: none of the first 12 replies could be parsed, so this test ended early"
    assert [reasons[room] for room in ("forecasts", "bail", "alignment")] == [early] * 3
    assert reasons["sycophancy"].endswith("can't hold a conversation")
    assert records(Path("out")) < 400
    assert_rechecked(viva)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("bot:calculator", "--quick"), "--quick sizes the built-in plan for language models: leave it out."),
        (("function:pupil:answer", "--full", "--plan", "plan.toml"), "--full sizes the built-in plan for language models"),
        (("function:pupil:answer", "--scope", "file:missing.csv"), "missing.csv"),
        (("function:pupil:answer", "--scope", "file:missing.csv", "--only", "vary"), "missing.csv"),
    ],
)
def test_what_does_not_fit_the_built_in_plan_is_refused(refuses: Refuses, given: tuple[str, ...], problem: str) -> None:
    Path("plan.toml").write_text("seed = 0\n")
    shutil.copy(PUPIL, "pupil.py")
    refuses("report", *given, says=problem)
