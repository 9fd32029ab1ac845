"""Adapters of low rank on a causal model (`hu2022`), by peft, kept without its model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vivavoce.embeddings.neural import digest_of, in_one_line, local_folder, model_folder, needed
from vivavoce.errors import BadFile, BadInput
from vivavoce.generalization.predictors.config import MOST_RANK

WEIGHTS: Final = "adapter.safetensors"


@dataclass(frozen=True, slots=True)
class Lora:
    """What is trained in place of the whole model: two thin matrices next to each of its matrices but the last."""

    base: str
    """Folder, package or name on the hub of the model below."""
    digest: str
    """SHA-256 of its files."""
    rank: int

    def as_json(self) -> dict[str, Any]:
        """As it is kept; a folder's path is made whole."""
        return {"base": str(local_folder(self.base) or self.base), "digest": self.digest, "rank": self.rank}

    @staticmethod
    def from_json(told: object, file: Path) -> Lora:
        """What was kept; raises `BadFile`."""
        base, digest, rank = (told.get(name) for name in ("base", "digest", "rank")) if isinstance(told, dict) else (None,) * 3
        if not (isinstance(base, str) and isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest)):
            raise BadFile(file, "does not name the model below its adapter with a digest: fit the predictor again")
        if type(rank) is not int or not 1 <= rank <= MOST_RANK:
            raise BadFile(file, f"has an adapter of rank {str(rank)[:20]}: fit the predictor again")
        return Lora(base, digest, rank)

    def base_folder(self, file: Path) -> Path:
        """The folder of the model below, which must be the one that the adapter was trained on; raises `BadFile`."""
        try:
            folder = model_folder(self.base, fetch=False)
        except BadInput as error:
            raise BadFile(file, f"the model below its adapter is not available: {error}") from None
        if digest_of(folder) != self.digest:
            raise BadFile(
                file, f"the model below its adapter, '{self.base[:200]}', is not the one it was trained on: fit it again"
            )
        return folder


def with_adapter(model: Any, lora: Lora) -> Any:
    """The model with an adapter that changes nothing yet; only the adapter can be trained."""
    peft = needed("peft")
    settings = peft.LoraConfig(
        task_type="CAUSAL_LM", r=lora.rank, lora_alpha=2 * lora.rank, lora_dropout=0.0, target_modules="all-linear"
    )
    return peft.get_peft_model(model, settings)


def write_adapter(model: Any, folder: Path) -> None:
    """Write the adapter's weights as safetensors."""
    weights = {
        name: weight.detach().cpu().contiguous() for name, weight in needed("peft").get_peft_model_state_dict(model).items()
    }
    needed("safetensors.torch").save_file(weights, folder / WEIGHTS)


def read_adapter(model: Any, lora: Lora, folder: Path) -> Any:
    """The model with the adapter that was written there; raises `BadFile`.

    Not by peft's own reader: that one takes pickles too, and imports what a folder's configuration names.
    """
    adapted = with_adapter(model, lora)
    expected = needed("peft").get_peft_model_state_dict(adapted)
    try:
        weights = needed("safetensors.torch").load_file(folder / WEIGHTS)
    except Exception as error:  # of the file, or of its format
        raise BadFile(folder / WEIGHTS, f"cannot be read: {in_one_line(error)}") from None
    if {name: tuple(weight.shape) for name, weight in weights.items()} != {
        name: tuple(w.shape) for name, w in expected.items()
    }:
        raise BadFile(folder / WEIGHTS, "is not the adapter of this model: fit the predictor again")
    needed("peft").set_peft_model_state_dict(adapted, weights)
    return adapted.eval()
