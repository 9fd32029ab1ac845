"""Commands of the documentation that need torch, with tiny networks in place of large ones."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.candidates.tiny_bert import needs_neural
from tests.documents.here import NETWORKS, Here
from tests.documents.reading import DOCUMENTS, commands, steps
from tests.documents.running import run, script
from tests.generalization.predictors.tiny_models import planted_pairs, tiny_bert, tiny_causal
from vivavoce.generalization.pairs import write_pairs

pytestmark = needs_neural

HERE = Here(
    before={"viva": f'viva() {{ "{sys.executable}" -m vivavoce "$@"; }}\n'},
    instead={
        "--predictor bert --out": "--predictor bert --model ./my-bert --members 2 --out",
        "--device cuda": "--device cpu --quiet",
        "./my-llama": "./my-llama --epochs 1 --quiet",
    },
)


def test_networks_are_fitted_and_looked_at(tmp_path: Path) -> None:
    tiny_bert(tmp_path / "my-bert")
    tiny_causal(tmp_path / "my-llama", "llama")
    write_pairs(tmp_path / "pairs.csv", planted_pairs(60, seed=1))
    write_pairs(tmp_path / "held-out.csv", planted_pairs(40, seed=2))
    written = (step for document in DOCUMENTS for step in steps(document))
    (step,) = (step for step in written if any(command.startswith(NETWORKS) for command in commands(step.command)))
    assert [text for text in HERE.instead if text not in step.command] == []
    output = run(script(step, HERE, SERVER="", PORT="0"), tmp_path).stdout
    assert '"auc"' in output
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} >= {"bert-model", "causal-model", "boosted"}
