"""Scopes from a hub: a server on loopback that speaks its protocol, then none at all."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.each_case import each_case
from tests.late_import import LateImport
from vivavoce.errors import BadInput, UnknownName
from vivavoce.scopes import open_scope
from vivavoce.scopes.hub import splits_of

pytest.importorskip("huggingface_hub")
pa, parquet = LateImport("pyarrow"), LateImport("pyarrow.parquet")

COMMIT = "0123456789abcdef0123456789abcdef01234567"
HEAD = """---
license: mit
configs:
- config_name: main
  data_files:
  - split: train
    path: main/train-*
  - split: test
    path: main/test-*
- config_name: socratic
  data_files:
  - split: test
    path: [socratic/*.jsonl]
---
# Sums in words
"""


def table(rows: list[dict[str, Any]]) -> bytes:
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.Table.from_pylist(rows), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def sums(numbers: range) -> list[dict[str, Any]]:
    return [{"question": f"What is {n} times 7?", "answer": f"{n} * 7 is {7 * n}\n#### {7 * n}"} for n in numbers]


@cache
def words_set() -> dict[str, bytes]:
    return {
        "README.md": HEAD.encode(),
        "main/train-00000-of-00001.parquet": table(sums(range(90, 92))),
        "main/test-00001-of-00002.parquet": table(sums(range(4, 6))),
        "main/test-00000-of-00002.parquet": table(sums(range(1, 4))),
        "socratic/test.jsonl": json.dumps({"question": "Why?", "answer": "So."}).encode(),
        "load.py": b"raise SystemExit('run')",
    }


def choices(name: str, texts: list[str], labels: list[str], key: str) -> dict[str, Any]:
    return {
        "id": name,
        "question": f"Which one floats ({name})?",
        "choices": {"text": texts, "label": labels},
        "answerKey": key,
    }


@cache
def arc_set() -> dict[str, bytes]:
    return {
        "data/validation.parquet": table(
            [choices("x1", ["Lead", "Cork"], ["1", "2"], "2"), choices("x2", ["Cork", "Lead"], ["A", "B"], "A")]
        ),
        "data/test.parquet": table([choices("x3", ["Lead", "Cork"], ["A", "B"], "C")]),
    }


MMLU = {"test.csv": b"q,a,b,right,subject\nCapital of Italy?,Milan,Rome,1,capitals\nCapital of Peru?,Lima,Cusco,0,capitals\n"}


@dataclass
class Hub:
    """A hub with some data sets, each at one commit."""

    sets: Mapping[str, Mapping[str, bytes]]
    asked: list[str] = field(default_factory=list)
    address: str = ""

    def answer(self, path: str) -> tuple[int, bytes, dict[str, str]]:
        """Status, content and headers."""
        parts = unquote(urlsplit(path).path).strip("/").split("/")
        tree, name = parts[:2] == ["api", "datasets"], "/".join(parts[2:4] if parts[0] == "api" else parts[1:3])
        if name not in self.sets:
            return 404, b"", {"X-Error-Code": "RepoNotFound"}
        rest = parts[4:] if tree else parts[3:]
        if rest[1] != COMMIT:
            return 404, b"", {"X-Error-Code": "RevisionNotFound"}
        files = self.sets[name]
        if tree:
            listed = [{"type": "file", "path": at, "size": len(of), "oid": oid(of)} for at, of in files.items()]
            return 200, json.dumps(listed).encode(), {"Content-Type": "application/json"}
        if (file := "/".join(rest[2:])) not in files:
            return 404, b"", {"X-Error-Code": "EntryNotFound"}
        return 200, files[file], {"X-Repo-Commit": COMMIT, "ETag": f'"{oid(files[file])}"'}


def oid(content: bytes) -> str:
    return hashlib.sha1(content, usedforsecurity=False).hexdigest()


@contextmanager
def serving(sets: Mapping[str, Mapping[str, bytes]]) -> Iterator[Hub]:
    """A hub on loopback, as long as the block lasts."""
    hub = Hub(sets)

    class HubHandler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hub.asked.append(f"{self.command} {self.path}")
            status, content, headers = hub.answer(self.path)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        do_HEAD = do_GET  # noqa: N815 -- its name is given

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), HubHandler) as server:
        hub.address = f"http://127.0.0.1:{server.server_address[1]}"
        Thread(target=server.serve_forever, daemon=True).start()
        yield hub
        server.shutdown()


READ = """
import json, sys, time
time.sleep = lambda seconds: None  # between its tries the hub's library waits for 23 seconds in all
from vivavoce.scopes import open_scope
from vivavoce.errors import BadInput
for name in sys.argv[1:]:
    try:
        scope = open_scope(name)
    except BadInput as error:
        print(json.dumps(str(error)))
    else:
        questions = [
            [question.id, question.text, list(question.options), list(question.accepted), question.category]
            for question in scope.questions
        ]
        print(json.dumps([questions, scope.digest, list(scope.ignored)]))
"""


def opened(folder: Path, address: str, *names: str) -> list[Any]:
    """What scopes hold, or why they cannot be opened; in a process of its own, as the hub's library reads its settings once."""
    settings = {"HF_ENDPOINT": address, "HF_HOME": str(folder / "cache"), "HF_HUB_DISABLE_TELEMETRY": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", READ, *names],
        env={**os.environ, **settings}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.long
def test_a_split_is_fetched_once_and_then_read_without_a_network(tmp_path: Path) -> None:
    name = f"hf:openai/gsm8k@{COMMIT}#test?config=main&after=%23%23%23%23"
    with serving({"openai/gsm8k": words_set()}) as hub:
        (first,) = opened(tmp_path, hub.address, name)
    questions, _, ignored = first
    assert [(text, accepted) for _, text, _, accepted, _ in questions] == [
        (f"What is {n} times 7?", [str(7 * n)]) for n in range(1, 6)
    ]
    assert not ignored
    fetched = {word.rpartition("/")[2] for word in hub.asked if word.startswith("GET /datasets/")}
    assert fetched == {"README.md", "test-00000-of-00002.parquet", "test-00001-of-00002.parquet"}
    assert not [word for word in hub.asked if "load.py" in word]
    assert opened(tmp_path, hub.address, name) == [first], "nobody is there any more"


@pytest.mark.long
def test_columns_have_their_own_names(tmp_path: Path) -> None:
    with serving({"allenai/ai2_arc": arc_set(), "me/capitals": MMLU}) as hub:
        arc, wrong, capitals = opened(
            tmp_path,
            hub.address,
            f"hf:allenai/ai2_arc@{COMMIT}#validation?options=choices&answer=answerKey",
            f"hf:allenai/ai2_arc@{COMMIT}#test?options=choices&answer=answerKey",
            f"hf:me/capitals@{COMMIT}?question=q&options=a,b&answer=right&first=0",
        )
    assert [entry[:4] for entry in arc[0]] == [
        ["x1", "Which one floats (x1)?", ["Lead", "Cork"], ["B"]],
        ["x2", "Which one floats (x2)?", ["Cork", "Lead"], ["A"]],
    ]
    assert wrong.endswith("row 1: 'answer' is 'C', which is not one of the labels A, B")
    assert [(capital[2], capital[3]) for capital in capitals[0]] == [(["Milan", "Rome"], ["B"]), (["Lima", "Cusco"], ["A"])]
    assert capitals[2] == ["subject"]


@pytest.mark.long
def test_what_cannot_be_fetched_is_told_with_the_remedy(tmp_path: Path) -> None:
    with serving({"openai/gsm8k": words_set()}) as hub:
        results = opened(
            tmp_path,
            hub.address,
            f"hf:openai/none@{COMMIT}",
            f"hf:openai/gsm8k@{COMMIT[::-1]}",
            "hf:openai/gsm8k@main",
            f"hf:openai/gsm8k@{COMMIT}?config=main",
            f"hf:openai/gsm8k@{COMMIT}",
            f"hf:openai/gsm8k@{COMMIT}?config=mian",
            f"hf:openai/gsm8k@{COMMIT}#tset?config=main",
            f"hf:openai/gsm8k@{COMMIT}#test?config=main&answer=label",
            f"hf:openai/gsm8k@{COMMIT}?config=socratic&first=2",
        )
    for problem, wanted in zip(
        results,
        [
            "there is no such data set, or it is private or gated: set HF_TOKEN",
            "there is no commit 7654",
            "branches and tags move",
            "name a split after '#': train, test",
            "name one of its configurations, as ?config=NAME: main, socratic",
            "did you mean 'main'",
            "did you mean 'test'",
            "no column 'label': there are question, answer",
            "first=2: the number of the first option is 0 or 1",
        ],
        strict=True,
    ):
        assert wanted in problem
    (problem,) = opened(tmp_path / "other", hub.address, f"hf:openai/gsm8k@{COMMIT}#test?config=main")
    assert "cannot be fetched, and is not in the cache" in problem


@pytest.mark.long
def test_a_file_that_is_missing_from_the_cache_is_never_left_out_in_silence(tmp_path: Path) -> None:
    name = f"hf:openai/gsm8k@{COMMIT}#test?config=main&after=%23%23%23%23"
    with serving({"openai/gsm8k": words_set()}) as hub:
        opened(tmp_path, hub.address, name)
    (lost,) = (tmp_path / "cache").rglob("test-00001-of-00002.parquet")
    lost.unlink()
    (problem,) = opened(tmp_path, hub.address, name)
    assert "cannot be fetched, and is not in the cache" in problem


CONVERT = """
import sys, time
time.sleep = lambda seconds: None
from vivavoce.cli import main
sys.exit(main())
"""


def converted(folder: Path, address: str, *arguments: str) -> tuple[list[dict[str, Any]], str]:
    """The rows that `viva import` writes, and what it says on standard error."""
    settings = {"HF_ENDPOINT": address, "HF_HOME": str(folder / "cache"), "HF_HUB_DISABLE_TELEMETRY": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", CONVERT, "import", *arguments],
        env={**os.environ, **settings}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    return [json.loads(line) for line in ran.stdout.splitlines()], ran.stderr


@pytest.mark.long
def test_a_task_file_names_a_data_set_at_a_commit(tmp_path: Path) -> None:
    pytest.importorskip("re2")
    task = tmp_path / "task.yaml"
    task.write_text(
        "dataset_path: openai/gsm8k\ndataset_name: main\ntest_split: test\nfewshot_split: train\nnum_fewshot: 1\n"
        'doc_to_text: "Q: {{question}}\\nA:"\ndoc_to_target: "{{answer.split(\'####\')[-1].strip()}}"\n'
    )
    with serving({"openai/gsm8k": words_set()}) as hub:
        rows, _ = converted(tmp_path, hub.address, "lm-eval", str(task), "--revision", COMMIT)
        _, unnamed = converted(tmp_path, hub.address, "lm-eval", str(task))
        _, lost = converted(tmp_path, hub.address, "lm-eval", str(task), "--revision", COMMIT[::-1])
    assert [row["question"] for row in rows] == [
        f"Q: What is 90 times 7?\nA: 630\n\nQ: What is {n} times 7?\nA:" for n in range(1, 6)
    ]
    assert "line 1: 'openai/gsm8k' is a data set of a hub: name its commit, by --revision and 40 digits" in unnamed
    assert "line 1: openai/gsm8k: there is no commit 7654" in lost


@pytest.mark.long
def test_a_benchmark_names_its_own_task_and_split(tmp_path: Path) -> None:
    task = {
        "id": "words", "split": "test", "field_spec": {"input": "q", "target": "b"},
        "solvers": [{"name": "generate"}], "scorers": [{"name": "includes"}],
    }  # fmt: skip
    benchmark = {"name": "x", "evaluation_framework": "inspect-ai", "tasks": [task]}
    with serving({"me/capitals": {**MMLU, "eval.yaml": json.dumps(benchmark).encode()}, "me/bare": MMLU}) as hub:
        rows, text = converted(tmp_path, hub.address, "hf-eval", f"me/capitals@{COMMIT}", "--task", "words")
        _, bare = converted(tmp_path, hub.address, "hf-eval", f"me/bare@{COMMIT}")
    assert [(row["question"], row["rule"]["targets"]) for row in rows] == [
        ("Capital of Italy?", ["Rome"]), ("Capital of Peru?", ["Cusco"]),
    ]  # fmt: skip
    assert "Rows: 2 questions, 0 refused" in text
    assert f"me/bare@{COMMIT} has no eval.yaml: name its columns yourself, as --scope hf:OWNER/NAME@COMMIT#SPLIT" in bare


def configs(**files: str) -> dict[str, Any]:
    return {"configs": [{"config_name": name, "data_files": of} for name, of in files.items()]}


@each_case(
    ("front", "paths", "config", "wanted"),
    [
        ({}, ["a/b.parquet", "c.csv"], "", {"train": ["a/b.parquet", "c.csv"]}),
        ({}, ["training/0.jsonl.gz", "latest.csv"], "", {"train": ["training/0.jsonl.gz"]}),
        (configs(default="x/*.csv"), ["x/1.csv", "x/y/2.csv"], "", {"train": ["x/1.csv"]}),
        (configs(only="x/**"), ["x/1.csv", "x/y/2.csv"], "", {"train": ["x/1.csv", "x/y/2.csv"]}),
        (configs(a="a.csv", default="b.csv"), ["a.csv", "b.csv"], "", {"train": ["b.csv"]}),
        (configs(a="a.csv", b="b.csv"), ["a.csv", "b.csv"], "a", {"train": ["a.csv"]}),
        ({"configs": [{"config_name": "a"}, {"config_name": "b", "data_files": "b.csv", "default": True}]},
            ["a.csv", "b.csv"], "", {"train": ["b.csv"]}),
        ({"configs": "rubbish"}, ["a.csv"], "", {"train": ["a.csv"]}),
        ({"configs": [1, {"config_name": 2}]}, ["a.csv"], "", {"train": ["a.csv"]}),
    ],
)  # fmt: skip
def test_which_files_are_in_which_split(front: dict[str, Any], paths: list[str], config: str, wanted: dict[str, Any]) -> None:
    assert splits_of(front, paths, config) == wanted


@each_case("name", ["a..b/c", "--a/b", "a/b-", "a" * 97])
def test_a_name_that_no_hub_has_is_refused_with_the_remedy(name: str) -> None:
    with pytest.raises(BadInput, match=r"is not a name of a data set: write OWNER/NAME"):
        open_scope(f"hf:{name}@{COMMIT}#test")


def test_what_has_no_data_is_refused() -> None:
    with pytest.raises(BadInput, match="no data files of a supported kind"):
        splits_of({}, ["README.md", "load.py", "pictures/1.png"])
    with pytest.raises(BadInput, match="it names no configurations"):
        splits_of({}, ["a.csv"], "main")
    with pytest.raises(UnknownName, match="did you mean 'law'"):
        splits_of({"configs": [{"config_name": "law", "data_files": "a.csv"}]}, ["a.csv"], "lwa")
