"""A tiny BERT that is trained here, saved and opened again as a classifier of cases."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.candidates.tiny_bert import needs_neural, train
from tests.studies.cases.made_cases import made_cases
from vivavoce.candidates.classifiers import open_classifier
from vivavoce.errors import BadInput, UnknownName
from vivavoce.interview.candidate_kinds import CaseJudgement, FactCase

pytestmark = needs_neural

CASES, PLANTED = made_cases(40, seed=5)


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny-bert"
    train(folder)
    return folder


@pytest.fixture
def copy(bert: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(bert, tmp_path / "copy"))


def opened(folder: Path, query: str = "") -> Any:
    return open_classifier(f"hf:{folder}{query}")


async def judged(folder: Path, case: FactCase, query: str = "") -> CaseJudgement:
    classifier = opened(folder, query)
    judgement: CaseJudgement = await classifier.answer(case)
    await classifier.close()
    return judgement


async def test_it_decides_as_it_was_trained_and_the_pipeline_agrees(bert: Path) -> None:
    other = pytest.importorskip("transformers").pipeline("text-classification", model=str(bert), top_k=None, device="cpu")
    classifier = opened(bert)
    right = 0
    for i, case in enumerate(CASES):
        judgement = await classifier.answer(FactCase(case.facts))
        scores = {entry["label"]: entry["score"] for entry in other([" ".join(case.facts)])[0]}
        assert judgement.probability == pytest.approx(scores["VIOLATION"], abs=1e-5)
        assert judgement.importance is None
        right += (judgement.probability >= 0.5) == bool(i % 2)
    assert right >= 38
    await classifier.close()


async def test_attention_is_that_of_the_model_by_facts(bert: Path) -> None:
    """The same number, by words instead of places in the text: each word is a token here."""
    torch, transformers = (pytest.importorskip(name) for name in ("torch", "transformers"))
    case = CASES[1]
    model = transformers.AutoModelForSequenceClassification.from_pretrained(bert, attn_implementation="eager")
    tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
    lengths = [len(tokenizer(fact, add_special_tokens=False)["input_ids"]) for fact in case.facts]
    with torch.inference_mode():
        layers = model(**tokenizer(" ".join(case.facts), return_tensors="pt"), output_attentions=True).attentions
    for layer in (-1, -2):
        row = layers[layer][0].mean(dim=0)[0, 1:-1]
        means = [float(part.mean()) for part in torch.split(row, lengths)]
        importance = (await judged(bert, FactCase(case.facts, weigh=True), f"?layer={layer}")).importance
        assert importance == pytest.approx(means, abs=1e-6)
    sums = (await judged(bert, FactCase(case.facts, weigh=True), "?pool=sum")).importance
    assert sums is not None
    assert sum(sums) < 1  # the rest goes to the first and the last token
    assert sums == pytest.approx([float(part.sum()) for part in torch.split(layers[-1][0].mean(dim=0)[0, 1:-1], lengths)])


async def test_an_answer_does_not_depend_on_what_was_asked_before(bert: Path) -> None:
    classifier = opened(bert)
    first = await classifier.answer(FactCase(CASES[0].facts, weigh=True))
    await classifier.answer(FactCase(CASES[1].facts))
    assert await classifier.answer(FactCase(CASES[0].facts, weigh=True)) == first
    assert (await classifier.answer(FactCase(CASES[0].facts))).probability == first.probability
    await classifier.close()


async def test_facts_without_room_are_unread_and_have_no_importance(bert: Path) -> None:
    whole = await judged(bert, FactCase(CASES[1].facts, weigh=True))
    assert whole.unread == 0
    half = await judged(bert, FactCase(CASES[1].facts, weigh=True), "?max_length=60")
    # 58 tokens for words and marks: the first two facts have 25 or so each, the third is cut
    assert half.unread == 6
    assert half.importance is not None
    assert half.importance[-1] == 0.0
    assert half.importance[0] > 0


@pytest.mark.parametrize("join", ["newline", "separator"])
async def test_facts_can_be_joined_otherwise(bert: Path, join: str) -> None:
    judgement = await judged(bert, FactCase(CASES[1].facts, weigh=True), f"?join={join}")
    assert judgement.importance is not None
    assert len(judgement.importance) == len(CASES[1].facts)
    assert all(weight > 0 for weight in judgement.importance)


async def test_the_positive_label_is_the_second_or_the_one_that_is_named(bert: Path) -> None:
    violation = (await judged(bert, FactCase(CASES[1].facts))).probability
    none = (await judged(bert, FactCase(CASES[1].facts), "?positive=NONE")).probability
    assert violation + none == pytest.approx(1)
    with pytest.raises(UnknownName, match="did you mean 'VIOLATION'"):
        opened(bert, "?positive=VIOLATIO")


def test_the_name_holds_the_weights_and_opens_the_same_again(bert: Path, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = opened(bert).name
    assert name.startswith("hf:tiny-bert?positive=VIOLATION&weights=")
    monkeypatch.chdir(bert.parent)
    assert open_classifier(name).name == name
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(config | {"layer_norm_eps": 1e-9}))
    digest = opened(copy).name.rpartition("weights=")[2]
    assert digest not in name
    with pytest.raises(BadInput, match="leave out 'weights='"):
        opened(copy, "?weights=" + name.rpartition("weights=")[2])


def test_more_labels_need_a_choice(tmp_path: Path) -> None:
    train(tmp_path / "three", rounds=1, labels=("A", "B", "C"))
    with pytest.raises(BadInput, match=r"3 labels: name the one that counts, such as \?positive=A"):
        opened(tmp_path / "three")
    assert "positive=C" in opened(tmp_path / "three", "?positive=C").name


def test_a_model_without_a_trained_head_is_refused(copy: Path) -> None:
    safetensors = pytest.importorskip("safetensors.torch")
    weights = safetensors.load_file(copy / "model.safetensors")
    safetensors.save_file(
        {name: w for name, w in weights.items() if not name.startswith("classifier")}, copy / "model.safetensors"
    )
    with pytest.raises(BadInput, match=r"not a trained classifier, as its weights lack classifier\.bias"):
        opened(copy)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "config.json").unlink(), "is not a folder with a model"),
        (lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"), "pickled weights could run code"),
        (lambda folder: (folder / "model.safetensors").write_bytes(b"{}" * 9), "cannot be loaded"),
        (lambda folder: (folder / "config.json").write_text("{"), "cannot be loaded"),
        (lambda folder: (folder / "tokenizer.json").write_text("{}"), "cannot be loaded"),
    ],
)
def test_a_spoilt_folder_is_one_line_with_the_remedy(copy: Path, spoil: Any, message: str) -> None:
    spoil(copy)
    with pytest.raises(BadInput, match=message) as caught:
        opened(copy)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("query", ["?layer=7", "?layer=x", "?pool=max", "?join=tab", "?max_length=1", "?device=nowhere"])
def test_an_impossible_option_is_refused_before_anything_is_asked(bert: Path, query: str) -> None:
    with pytest.raises(BadInput):
        opened(bert, query)


def test_code_of_the_folder_is_never_run(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text())
    (copy / "evil.py").write_text("open('was-run', 'w')\nclass Model: pass\n")
    auto = {"AutoModelForSequenceClassification": "evil.Model", "AutoConfig": "evil.Model"}
    (copy / "config.json").write_text(json.dumps(config | {"auto_map": auto, "model_type": "evil"}))
    with pytest.raises(BadInput, match="cannot be loaded"):
        opened(copy)
    assert not (copy / "was-run").exists()
    assert not Path("was-run").exists()


def test_it_needs_no_network_and_says_nothing(bert: Path) -> None:
    code = (
        "import socket\n"
        "def refuse(*_): raise SystemExit('the network was asked for')\n"
        "socket.getaddrinfo = socket.create_connection = refuse\n"
        "from vivavoce.candidates.classifiers import open_classifier\n"
        "from vivavoce.interview.candidate_kinds import Case\n"
        f"open_classifier('hf:{bert}').judge(Case(('One.', 'Two.')))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env={**os.environ})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
