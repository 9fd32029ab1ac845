"""Questions about the same documents by the same writer, made here and by DeepEval: what is kept, and at how many calls.

`python bench/made_questions.py [--peer VENV] [--questions 120] [--json]` serves a stand-in for a model, which knows the facts
of a made-up company (`tests/companies`). Of its questions, a tenth each have a wrong answer, point at a text that readers do
not see, or ask what no document answers and invent an answer. As a checker it makes no mistakes. DeepEval's `Synthesizer` gets
the passages that are cut here, with its own defaults, and is left out if the virtual environment does not have it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

POINTING = "According to the passage, "
IDK = "I don't know"


@dataclass(frozen=True, slots=True)
class Row:
    """What one tool kept of the questions that it asked for."""

    tool: str
    version: str
    drawn: int
    kept: int
    duplicates: int
    wrong: int
    """With a wrong answer."""
    unanswerable: int
    """With an invented answer."""
    pointing: int
    calls: int


@cache
def facts() -> dict[str, Any]:
    """The facts of one company by their questions."""
    from tests.companies import companies

    return {fact.question: fact for fact in companies()[0].facts}


def fact_in(text: str) -> Any:
    """The fact whose question is in a prompt; None without any."""
    return facts().get(max((question for question in facts() if question in text), key=len, default=""))


def proposals(text: str, chance: random.Random, kinds: Sequence[str], number: int) -> list[str]:
    """Questions of these kinds about the facts that a text states, and about some that none states."""
    stated = [fact for fact in facts().values() if fact.kind in kinds and fact.is_stated_in(text)]
    unstated = [fact for fact in facts().values() if not fact.answer]
    written = []
    for fact in chance.sample(stated, min(number, len(stated))):
        if chance.random() < 0.1 and fact.answer:
            fact = chance.choice(unstated)
        written.append(chance.choices([fact.question, f"{POINTING}{fact.question}"], [9, 1])[0])
    return written


def answer_to(fact: Any) -> str:
    """The writer's answer: wrong for a tenth of the facts, and made up for those that no document states."""
    return str(fact.answer) if fact.answer and random.Random(fact.id).random() > 0.1 else str(fact.wrong)


def written_here(text: str, chance: random.Random) -> str:
    """The reply to a prompt of `viva make questions`."""
    from vivavoce.documents.reading import KINDS

    if "Write question number" in text:
        kinds = [kind.name for kind in KINDS if kind.asked in text]
        for question in proposals(text, chance, kinds, 1):
            answer = f"[Statement answer] {answer_to(fact_in(question))}\n[Statement other_answers] none\n"
            needed = answer if "other_answers" in text else ""
            return f"[Statement question] {question}\n{needed}[Statement difficulty] easy"
        return "[Cannot] There is nothing of the kind."
    if "Is this the only right answer" in text:
        return "Reason: The passage has no other.\nAnswer: YES"
    fact = fact_in(text)
    return f"Answer: {fact.answer if fact and fact.answer and fact.is_stated_in(text) else IDK}"


def written_for_peer(text: str, chance: random.Random) -> str:
    """The reply to a prompt of DeepEval, by the key that it asks for."""
    asked = re.findall(r"'(data|score|rewritten_input)' key", text)
    fact = fact_in(text.rpartition("Query:")[2] if "'score'" in text else text)
    if asked[:1] == ["score"] or "'score' keys" in text:
        return json.dumps(
            {"feedback": "It refers to a passage." if POINTING in text else "Clear.", "score": 1 - 0.8 * (POINTING in text)}
        )
    if asked[:1] == ["rewritten_input"]:
        return json.dumps({"rewritten_input": fact.question})
    if asked[:1] == ["data"]:
        number = re.search(r"Max Goldens Per Context:\s*(\d+)", text) or re.search(r"generate (\d+) data points", text)
        assert number
        kinds = ["fact", "comparison", "condition", "exception", "calculation"]
        return json.dumps({"data": [{"input": question} for question in proposals(text, chance, kinds, int(number[1]))]})
    if "Generated Response:" in text:
        return answer_to(fact)
    return str(fact.question)  # an evolution that changes nothing


@contextmanager
def served() -> Iterator[tuple[str, list[int]]]:
    """The address of the stand-in, and a list with the number of its replies."""
    calls = [0]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
            text = next(message["content"] for message in messages if message["role"] == "user")
            chance = random.Random(text)
            here = any(message["role"] == "system" for message in messages) or "Answer:" in text.splitlines()[-1]
            reply = "ready" if "the word ready" in text else (written_here if here else written_for_peer)(text, chance)
            calls[0] += "the word ready" not in text
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            body = json.dumps(
                {"id": "0", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
            )
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", calls
    finally:
        server.shutdown()


def row_of(tool: str, version: str, drawn: int, kept: Sequence[tuple[str, str]], calls: int) -> Row:
    """Count the faults of kept questions with their answers."""
    plain = [question.removeprefix(POINTING) for question, _ in kept]
    pairs = [(facts()[question], answer) for question, (_, answer) in zip(plain, kept, strict=True)]
    return Row(
        tool, version, drawn, len(kept),
        duplicates=len(plain) - len(set(plain)),
        wrong=sum(bool(fact.answer) and answer not in (fact.answer, *fact.others) for fact, answer in pairs),
        unanswerable=sum(not fact.answer and answer != IDK for fact, answer in pairs),
        pointing=sum(question.startswith(POINTING) for question, _ in kept),
        calls=calls,
    )  # fmt: skip


def here(folder: Path, questions: int, address: str, calls: list[int]) -> Row:
    """What `viva make questions` keeps."""
    from vivavoce import __version__

    out = folder / "questions.jsonl"
    command = [sys.executable, "-m", "vivavoce", "make", "questions", str(folder / "documents"), "--out", str(out), "--quiet"]
    command += ["--writer", f"chat:m@{address}", "--questions", str(questions)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return row_of("viva", __version__, questions, [(row["question"], row["answer"][0]) for row in rows], calls[0])


def peer(python: Path, folder: Path, questions: int, address: str, calls: list[int]) -> Row | None:
    """What DeepEval keeps; None if it is not there."""
    from vivavoce.documents.reading import passages, read_documents

    version = "import importlib.metadata; print(importlib.metadata.version('deepeval'))"
    known = subprocess.run([python, "-c", version], check=False, capture_output=True, text=True) if python.exists() else None
    if known is None or known.returncode:
        return None
    cut = [passage.marked for passage in passages(read_documents([folder / "documents"]))]
    each = -(-questions // len(cut))
    asked = {"contexts": [[text] for text in cut], "each": each, "address": address}
    before = calls[0]
    ended = subprocess.run(
        [python, __file__, "--as-peer"], input=json.dumps(asked), check=True, capture_output=True, text=True, cwd=folder
    )
    kept = json.loads(ended.stdout.splitlines()[-1])
    return row_of("DeepEval", known.stdout.strip(), each * len(cut), [tuple(pair) for pair in kept], calls[0] - before)


def as_peer() -> None:
    """Run DeepEval on the contexts of standard input, and print its questions with answers."""
    from deepeval.models import LocalModel
    from deepeval.synthesizer import Synthesizer
    from deepeval.synthesizer.config import FiltrationConfig

    asked = json.load(sys.stdin)
    model = LocalModel(model="m", api_key="none", base_url=asked["address"])
    synthesizer = Synthesizer(model=model, filtration_config=FiltrationConfig(critic_model=model), max_concurrent=4)
    goldens = asyncio.run(
        synthesizer.a_generate_goldens_from_contexts(asked["contexts"], max_goldens_per_context=asked["each"])
    )
    print()
    print(json.dumps([(golden.input, golden.expected_output) for golden in goldens]))


def main() -> None:
    """Make, count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", type=Path, metavar="VENV", help="virtual environment with deepeval")
    parser.add_argument("--questions", type=int, default=120)
    parser.add_argument("--json", action="store_true", dest="as_json")
    parser.add_argument("--as-peer", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.as_peer:
        as_peer()
        return
    from tests.companies import companies

    with tempfile.TemporaryDirectory() as name, served() as (address, calls):
        folder = Path(name)
        (folder / "documents").mkdir()
        companies()[0].write(folder / "documents")
        rows = [here(folder, options.questions, address, calls)]
        if options.peer is not None:
            made = peer(options.peer.absolute() / "bin" / "python", folder, options.questions, address, calls)
            rows += [made] if made else []
            if made is None:
                print(f"{options.peer} has no deepeval: left out", file=sys.stderr)
    if options.as_json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
    names = list(asdict(rows[0]))
    for line in (names, *(list(asdict(row).values()) for row in rows)):
        print("  ".join(f"{value!s:<12}" for value in line))


if __name__ == "__main__":
    main()
