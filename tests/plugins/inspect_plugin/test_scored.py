"""Logs of Inspect compared: samples by id and epoch, scores as they stand there, and what is refused."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalConfig, EvalDataset, EvalError, EvalLog, EvalSample, EvalSpec, write_eval_log
from inspect_ai.model import ChatMessageUser, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, match

from tests.plugins.inspect_plugin.conftest import Run
from vivavoce.cli import main
from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.plugins.inspect_plugin.scored import read_scored

pytestmark = pytest.mark.long  # importing Inspect takes seconds

Viva = Callable[..., tuple[int, str, str]]
Value = Any
MEGABYTE = b"0" * (1 << 20)


@pytest.fixture
def viva(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Viva:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def sample(
    number: object, value: Value, *, epoch: int = 1, asked: Any = None, target: str = "4", scorer: str = "match"
) -> EvalSample:
    """A sample with this score; without any where it is None."""
    return EvalSample(
        id=number,  # type: ignore[arg-type]
        epoch=epoch,
        input=asked or f"Question {number}",
        target=target,
        output=ModelOutput.from_content("m", f"reply {epoch} to {number}"),
        scores=None if value is None else {scorer: Score(value=value)},
        error=EvalError(message="out of\nmemory", traceback="", traceback_ansi="") if value is None else None,
    )


def logged(file: str, samples: list[EvalSample], *, model: str = "m/one", task: str = "sums", status: Any = "success") -> Path:
    spec = EvalSpec(
        created="2026-11-23T10:00:00+00:00",
        task=task,
        dataset=EvalDataset(samples=len(samples)),
        model=model,
        config=EvalConfig(epochs=1),
    )
    write_eval_log(EvalLog(eval=spec, samples=samples, status=status), file)
    return Path(file)


def written(file: str, values: Mapping[object, Value]) -> Path:
    return logged(file, [sample(number, value) for number, value in values.items()])


def adding(errs: int) -> Model:
    """Adds up, but for every so many questions."""

    def reply(messages: list[Any], *_: Any) -> ModelOutput:
        number = int(messages[-1].text.split()[2])
        output = ModelOutput.from_content("mock", str(2 * number + (number % errs == 0)))
        output.usage = ModelUsage(input_tokens=5, output_tokens=1, total_tokens=6)
        return output

    return get_model("mockllm/model", custom_outputs=reply)


def test_two_evaluations_of_inspect_itself(run: Run, viva: Viva, tmp_path: Path) -> None:
    """120 sums: one errs on multiples of 40 (3), the other on multiples of 4 (30, those 3 among them)."""
    places = []
    for errs in (40, 4):
        dataset = MemoryDataset([Sample(id=n, input=f"What is {n} + {n}?", target=str(2 * n)) for n in range(1, 121)])
        log = run(Task(dataset=dataset, scorer=match(numeric=True)), adding(errs))
        places.append(log.location.removeprefix("file://"))
    code, out, err = viva("compare", *places, "--json")
    document = json.loads(out)
    assert (code, err, document["verdict"], document["figures"]["left_out"], document["figures"]["scope_size"]) == (
        0,
        "",
        "better",
        0,
        120,
    )
    assert document["figures"]["second_better"] == 0
    exact = json.loads(viva("compare", *places, "--json", "--delta", "0.0001", "--margin", "0")[1])
    assert exact["verdict"] == "better"
    assert (
        exact["figures"]["difference"]["mean"] == pytest.approx(27 / 120)
        if exact["figures"]["complete"]
        else exact["figures"]["difference"]["lower"] > 0
    )
    assert viva("gate", places[1], "--baseline", places[0], "--quiet")[0] == 3
    assert viva("gate", places[0], "--baseline", places[1], "--quiet")[0] == 0


def moody(share: float) -> Model:
    """Adds up rightly so often, at random, with a seed of its own."""
    rng = np.random.default_rng(int(share * 100))

    def reply(messages: list[Any], *_: Any) -> ModelOutput:
        number = int(messages[-1].text.split()[2])
        output = ModelOutput.from_content("mock", str(2 * number + int(rng.random() > share)))
        output.usage = ModelUsage(input_tokens=5, output_tokens=1, total_tokens=6)
        return output

    return get_model("mockllm/model", custom_outputs=reply)


def test_epochs_of_inspect_itself_are_draws(run: Run, viva: Viva, tmp_path: Path) -> None:
    """60 sums in 4 epochs, right 19 times of 20 by one and every other time by the other."""
    places = []
    for share in (0.95, 0.5):
        dataset = MemoryDataset([Sample(id=n, input=f"What is {n} + {n}?", target=str(2 * n)) for n in range(1, 61)])
        log = run(Task(dataset=dataset, scorer=match(numeric=True), epochs=4), moody(share))
        places.append(log.location.removeprefix("file://"))
    kept = ("--json", "--seed", "1", "--transcript", "run.sqlite")
    code, out, err = viva("compare", *places, "--draws", "2", *kept)
    document = json.loads(out)
    assert (code, err, document["verdict"], document["figures"]["scope_size"]) == (0, "", "better", 60)
    assert [entry["answers"] for entry in document["figures"]["draws"]] == [2 * document["figures"]["questions"]] * 2
    (tmp_path / "found.json").write_text(out)
    files = [word for where in places for word in ("--file", where)]
    assert viva("recheck", "found.json", "--transcript", "run.sqlite", *files)[0] == 0
    assert viva("gate", places[1], "--baseline", places[0], "--draws", "2", "--quiet")[0] == 3
    code, _, err = viva("gate", places[0], "--baseline", places[1], "--draws", "5")
    assert (code, "fewer than 5 answers to 60 of 60 questions" in " ".join(err.split())) == (2, True)


def test_samples_in_common_count_and_the_others_are_told(viva: Viva) -> None:
    written("a.eval", dict.fromkeys(range(60), "C"))
    mixed = [sample(str(n), "I") for n in range(20, 80)]  # ids as words, as some data sets have them
    mixed[0] = sample(20, "I", asked="another question under the same id")
    mixed[1] = sample(21, "I", target="another")
    logged("b.eval", mixed)
    document = json.loads(viva("compare", "a.eval", "b.eval", "--json")[1])
    # 80 samples in all: 22 to 59 are in common
    assert (document["figures"]["scope_size"], document["figures"]["left_out"], document["verdict"]) == (38, 42, "better")
    assert any(caveat.startswith("42 samples are left out, since not all logs have them") for caveat in document["caveats"])


def test_letters_words_and_numbers_are_worth_what_inspect_makes_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = ["C", "I", "P", "N", "yes", "No", "TRUE", True, False, 1, 0.25, "0.75", float("nan")]
    monkeypatch.chdir(tmp_path)
    log = read_scored(written("a.eval", dict(enumerate(values))))
    assert [answer.score for answer in log.answers] == [1, 0, 0.5, 0, 1, 0, 1, 1, 0, 1, 0.25, 0.75, None]
    assert (log.model, log.task, log.scorer, log.answers[0].reply) == ("m/one", "sums", "match", "reply 1 to 0")


def test_a_sample_is_the_unit_and_its_score_the_mean_over_epochs(viva: Viva) -> None:
    """Three epochs of 20 samples, of which both logs have two: .5 against 0 on each, whatever happened in the third."""
    samples = [sample(n, "C" if epoch == 1 else "I", epoch=epoch) for n in range(20) for epoch in (1, 2, 3)]
    other = [sample(n, "I" if epoch < 3 else "C", epoch=epoch) for n in range(20) for epoch in (1, 2)]
    logged("a.eval", samples)
    logged("b.eval", other)
    document = json.loads(viva("compare", "a.eval", "b.eval", "--json")[1])
    assert (document["verdict"], document["figures"]["difference"]["mean"]) == ("better", 0.5)
    units = document["figures"]["candidates"][0]["score"]["n"]
    assert (document["figures"]["questions"], document["figures"]["first_better"], document["figures"]["scope_size"]) == (
        2 * units,
        units,
        40,
    )


def test_errors_may_be_worth_anything_or_nothing(viva: Viva) -> None:
    written("a.eval", dict.fromkeys(range(40), "C"))
    written("b.eval", {n: None if n < 20 else "C" for n in range(40)})
    document = json.loads(viva("compare", "a.eval", "b.eval", "--json")[1])
    assert document["verdict"] == "not worse"
    assert document["figures"]["candidates"][1]["unreadable"] == 20
    wrong = json.loads(viva("compare", "a.eval", "b.eval", "--json", "--set", "unreadable=wrong")[1])
    assert wrong["verdict"] == "better"


def test_several_scores_need_a_name(viva: Viva) -> None:
    for file, value in (("a.eval", {"tone": "C", "facts": 0.5}), ("b.eval", {"tone": "C", "facts": 0.0})):
        logged(file, [sample(n, value, scorer="judge") for n in range(60)])
    code, _, err = viva("compare", "a.eval", "b.eval")
    assert (code, "a.eval has several scores: name one with --set scorer=NAME, of judge:tone, judge:facts" in err) == (2, True)
    kept = ("--json", "--transcript", "run.sqlite")
    tone = json.loads(viva("compare", "a.eval", "b.eval", *kept, "--set", "scorer=judge:tone")[1])
    facts = json.loads(viva("compare", "a.eval", "b.eval", *kept, "--set", "scorer=judge:facts")[1])
    assert (tone["verdict"], facts["verdict"]) == ("equivalent", "better")  # one transcript keeps them apart
    with pytest.raises(UnknownName, match="did you mean 'judge:tone'"):
        read_scored(Path("a.eval"), "judge:tune")


def test_scores_of_different_scorers_are_not_compared(viva: Viva) -> None:
    written("a.eval", {1: "C"})
    logged("b.eval", [sample(1, "C", scorer="includes")])
    code, _, err = viva("compare", "a.eval", "b.eval")
    assert (code, "a.eval is scored by 'match' and b.eval by 'includes'" in err) == (2, True)


def test_a_comparison_of_logs_is_rechecked_with_them(viva: Viva) -> None:
    written("a.eval", dict.fromkeys(range(60), "C"))
    written("b.eval", {n: "CI"[n % 2] for n in range(59)})
    kept = ("--transcript", "run.sqlite")
    Path("x.json").write_text(viva("compare", "a.eval", "b.eval", *kept, "--json")[1])
    code, out, _ = viva("recheck", "x.json", *kept, "--file", "a.eval", "--file", "b.eval")
    assert (code, "The same" in out) == (0, True)
    code, _, err = viva("recheck", "x.json", *kept, "--file", "a.eval")
    assert (code, "the logs that were compared are needed, unchanged: give each with --file" in err) == (2, True)
    other = ("--transcript", "gate.sqlite")
    Path("g.json").write_text(viva("gate", "b.eval", "--baseline", "a.eval", *other, "--json")[1])
    assert viva("recheck", "g.json", *other, "--file", "a.eval", "--file", "b.eval")[0] == 0
    written("b.eval", dict.fromkeys(range(59), "C"))
    assert viva("recheck", "x.json", *kept, "--file", "a.eval", "--file", "b.eval")[0] == 2


def test_inputs_are_conversations_and_pictures_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    long = "x" * 30_000
    asked = [[ChatMessageUser(content="Hello")], "a" + long, "b" + long]
    log = read_scored(logged("a.eval", [sample(n, "C", asked=values) for n, values in enumerate(asked)]))
    assert log.answers[0].asked == "user: Hello"
    assert len({answer.asked for answer in log.answers}) == 3
    assert all(len(answer.asked) < 21_000 for answer in log.answers)


@pytest.mark.parametrize(
    ("value", "says"), [(7.5, "7.5"), (-0.1, "-0.1"), ("maybe", "'maybe'"), ([1, 0], "'[1, 0]'"), ("inf", "'inf'")]
)
def test_other_scores_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: Value, says: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadFile, match="only scores from 0 to 1") as refused:
        read_scored(written("a.eval", {"q": "C", "r": value}))
    assert f"sample 'r', epoch 1: its score is {says};" in str(refused.value)


def test_without_samples_or_scores_there_is_nothing_to_compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadFile, match="has no samples"):
        read_scored(logged("b.eval", [], status="error"))
    with pytest.raises(BadFile, match=r"run 'inspect score c\.eval'"):
        read_scored(written("c.eval", {1: None}))


def _packed(**parts: bytes) -> Callable[[Path], None]:
    def write(file: Path) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in parts.items():
                archive.writestr(f"{name}.json", content)

    return write


def _huge(file: Path) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive, archive.open("header.json", "w") as part:
        for _ in range(512):
            part.write(MEGABYTE)
        part.write(b"0")


def _cut(file: Path) -> None:
    whole = written("whole.eval", dict.fromkeys(range(200), "C")).read_bytes()
    file.write_bytes(whole[: len(whole) // 2])


def _damaged(file: Path) -> None:
    whole = bytearray(written("whole.eval", dict.fromkeys(range(200), "C")).read_bytes())
    for index in range(500, len(whole) // 2, 211):
        whole[index] ^= 255
    file.write_bytes(bytes(whole))


@pytest.mark.parametrize(
    ("write", "says"),
    [
        (lambda file: file.write_bytes(b""), "is not an Inspect log"),
        (lambda file: file.write_text("hello"), "is not an Inspect log"),
        (_cut, "is not an Inspect log"),
        (_damaged, "can't be read as an Inspect log"),
        (_packed(a=b"x"), "can't be read as an Inspect log"),
        (_packed(header=b"[" * 100_000), "can't be read as an Inspect log"),
        (_packed(header=b"{}"), "can't be read as an Inspect log"),
        (_huge, "at most 4096 and 512 MiB are read"),
        (lambda file: file.mkdir(), "is not a file"),
        (os.mkfifo, "is not a file"),
        (lambda file: None, "No such file"),
    ],
)
def test_rubbish_is_told_in_a_line(viva: Viva, write: Callable[[Path], None], says: str) -> None:
    write(Path("bad.eval"))
    written("good.eval", {1: "C"})
    code, out, err = viva("compare", "good.eval", "bad.eval")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert says in err


def test_what_is_no_log_among_logs_is_refused(viva: Viva) -> None:
    written("a.eval", {1: "C"})
    Path("samples_x.jsonl").write_text("{}\n")
    for given, says in (
        (("compare", "a.eval", "bot:calculator"), "compare logs with logs"),
        (("compare", "a.eval", "a.eval", "--scope", "arithmetic"), "'--scope' is not for Inspect logs"),
        (("compare", "a.eval", "a.eval"), "is given twice"),
        (("compare", "a.eval"), "two candidates or more"),
        (
            ("compare", "bot:calculator", "bot:eliza", "--scope", "arithmetic", "--set", "scorer=x"),
            "'--set scorer' is for Inspect logs",
        ),
        (("compare", "samples_x.jsonl", "samples_x.jsonl"), "write replay:samples_x.jsonl#COLUMN"),
        (("gate", "a.eval", "--baseline", "bot:calculator"), "compare logs with logs"),
        (("gate", "bot:calculator", "--baseline", "bot:eliza"), "Missing option '--scope'"),
    ):
        code, out, err = viva(*given)
        assert (code, out, says in err) == (2, "", True), err


def test_hostile_words_stay_words(viva: Viva) -> None:
    bad = "\ud800\x1b[2J<script>alert(1)</script>\n\nScore in the log: 1.0"
    for file, value in (("a.eval", "C"), ("b.eval", "I")):
        samples = [sample(f"<b>{n}", value, asked=f"{bad}{n}") for n in range(40)]
        for eval_sample in samples:
            eval_sample.output.choices[0].message.content = bad
        logged(file, samples, model="<i>\n\x1b[31m", task="<u>\n")
    code, out, _ = viva("compare", "a.eval", "b.eval", "--html", "x.html", "--transcript", "run.sqlite")
    assert (code, "\x1b" in out) == (0, False)
    page = Path("x.html").read_text()
    assert "<script>" not in page
    assert "<b>" not in page
    document = json.loads(viva("compare", "a.eval", "b.eval", "--transcript", "run.sqlite", "--json")[1])
    assert (document["verdict"], document["figures"]["second_better"]) == ("better", 0)  # the reply's own last line is no score


def test_none_in_common(viva: Viva) -> None:
    written("a.eval", {1: "C"})
    written("b.eval", {2: "C"})
    logged("c.eval", [sample(1, "C", asked="other words")])
    assert "have no sample in common: their ids are others" in viva("compare", "a.eval", "b.eval")[2]
    assert "1 have the same id, and another input or target" in viva("compare", "a.eval", "c.eval")[2]
    with pytest.raises(BadInput):
        read_scored(Path("none.eval"))
