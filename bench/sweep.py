"""A sweep over recorded answers of real models: 12 models in the 14 categories of MMLU-Pro, with certificates and tiers.

The 12 models are those of a table of recorded answers with the fewest that could not be read. The plan is written to a folder
and run by `viva compare --plan`. The truth is known up to what could not be read: a verdict is wrong if it stands against
the model's score on the whole category, whatever the answers that could not be read are worth.

    python bench/sweep.py $VIVA_DATA/mmlu_pro [--models 12] [--categories 14] [--out FOLDER]
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vivavoce.cli import main as viva

GRADE = 0.5
COLUMNS = ("question_id", "category", "answer")
Rows = Sequence[Mapping[str, str]]


def recorded(folder: Path) -> Rows:
    """The table of answers, a row a question, a column a model."""
    with gzip.open(folder / "predictions.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def chosen(rows: Rows, models: int) -> list[str]:
    """The models with the fewest answers that could not be read."""
    names = [name for name in rows[0] if name not in COLUMNS]
    return sorted(names, key=lambda name: sum(not row[name] for row in rows))[:models]


def plan_of(folder: Path, models: Sequence[str], categories: Sequence[str]) -> str:
    """The plan of the sweep."""
    absolute = folder.absolute()
    candidates = [f'    {{ candidate = "replay:{absolute}/predictions.csv.gz#{name}", name = "{name}" }},' for name in models]
    scopes = [f'    {{ scope = "mmlu-pro:{absolute}/questions.jsonl.gz#{name}", title = "{name}" }},' for name in categories]
    settings = ["seed = 0", "[certificate]", f"passing_grade = {GRADE}", 'unacceptable_limit = "none"', "[compare]"]
    return "\n".join(["candidates = [", *candidates, "]", "scopes = [", *scopes, "]", *settings, "together = true", ""])


def wrong(finding: Mapping[str, Any], rows: Rows) -> tuple[int, int]:
    """How many verdicts are wrong, and how many there are, by the figures of a sweep."""
    titles = {entry["scope"]: entry["title"] for entry in finding["scopes"]}
    models = {entry["name"]: entry["called"] for entry in finding["candidates"]}
    errors = Counter[bool]()
    for cell in finding["cells"]:
        model, of = models[cell["candidate"]], [row for row in rows if row["category"] == titles[cell["scope"]]]
        right, unread = sum(row[model] == row["answer"] for row in of), sum(not row[model] for row in of)
        if cell["verdict"] == "pass":
            errors[(right + unread) / len(of) < GRADE] += 1
        elif cell["verdict"] == "fail":
            errors[right / len(of) >= GRADE] += 1
    return errors[True], errors.total()


def summary(finding: Mapping[str, Any], rows: Rows) -> Iterator[str]:
    """Markdown of the figures of a sweep: tiers by scope, and what it took."""
    called = {entry["name"]: entry["called"] for entry in finding["candidates"]}
    titles = {entry["scope"]: entry["title"] for entry in finding["scopes"]}
    yield "| scope | tiers, the best first | pairs told apart | questions to each at most |"
    yield "| --- | --- | --- | --- |"
    for entry in (*finding["comparisons"], finding["overall"]):
        tiers = " > ".join(", ".join(called[name] for name in tier) for tier in entry["tiers"])
        apart = sum(pair["verdict"] in ("better", "worse") for pair in entry["pairs"])
        where = titles.get(entry.get("scope"), "all together")
        yield f"| {where} | {tiers} | {apart} of {len(entry['pairs'])} | {entry['questions']} |"
    verdicts = Counter(cell["verdict"] for cell in finding["cells"])
    errors, given = wrong(finding, rows)
    yield ""
    yield f"{dict(verdicts)}; {errors} of {given} verdicts wrong; {sum(cell['asked'] for cell in finding['cells'])} questions"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="holds predictions.csv.gz and questions.jsonl.gz")
    parser.add_argument("--models", type=int, default=12)
    parser.add_argument("--categories", type=int, default=14)
    parser.add_argument("--out", type=Path, help="where page, JSON and transcript are kept")
    given = parser.parse_args()
    rows = recorded(given.folder)
    categories = list(dict.fromkeys(row["category"] for row in rows))[: given.categories]
    with TemporaryDirectory() as folder:
        out = given.out or Path(folder) / "out"
        plan = Path(folder) / "plan.toml"
        plan.write_text(plan_of(given.folder, chosen(rows, given.models), categories), encoding="utf-8")
        began = time.process_time()
        code = viva(["compare", "--plan", str(plan), "--out", str(out), "--quiet"])
        if code:
            raise SystemExit(code)
        took = time.process_time() - began
        print("\n".join(summary(json.loads((out / "comparison.json").read_text(encoding="utf-8"))["figures"], rows)))
        print(f"{took:.0f} s of CPU")


if __name__ == "__main__":
    main()
