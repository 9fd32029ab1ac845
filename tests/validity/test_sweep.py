"""A sweep over recorded answers of real models: how many verdicts are wrong, where the truth is known."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from bench.sweep import chosen, plan_of, recorded, wrong
from vivavoce.cli import main

pytestmark = pytest.mark.slow

DATA = Path(os.environ.get("VIVA_DATA", "")) / "mmlu_pro"
CATEGORIES = ("law", "history", "philosophy", "psychology")


@pytest.mark.data
@pytest.mark.skipif(not os.environ.get("VIVA_DATA") or not DATA.is_dir(), reason="needs $VIVA_DATA/mmlu_pro")
@pytest.mark.parametrize("seeds", [1, pytest.param(5, marks=pytest.mark.study)])
def test_hardly_any_verdict_on_recorded_models_is_wrong(seeds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = recorded(DATA)
    plan = plan_of(DATA, chosen(rows, 12), CATEGORIES).partition("[compare]")[0]
    given = errors = 0
    for seed in range(seeds):
        Path("plan.toml").write_text(plan.replace("seed = 0", f"seed = {seed}"), encoding="utf-8")
        assert main(["compare", "--plan", "plan.toml", "--out", f"out-{seed}", "--quiet"]) == 0
        document = json.loads(Path(f"out-{seed}/comparison.json").read_text(encoding="utf-8"))
        now, verdicts = wrong(document["figures"], rows)
        errors, given = errors + now, given + verdicts
    assert given > seeds * 12 * 3  # most of the 48 cells get a verdict
    assert errors / given <= 0.05
