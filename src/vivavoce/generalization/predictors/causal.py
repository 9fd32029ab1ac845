"""The predictor `causal`: a causal language model that answers 1 for a change, fine-tuned whole or by LoRA (`hu2022`).

It needs the extra `neural`. An adapter is saved without its base model, whose name and digest are saved instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from vivavoce.embeddings import neural
from vivavoce.embeddings.embedding import plain_text, read_json, write_json
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.json_values import to_json
from vivavoce.generalization.pairs import BeliefPair, Floats
from vivavoce.generalization.predictors import few_shot as prompt_texts
from vivavoce.generalization.predictors.base import EDGE, MOST_RANK, CausalConfig, Prompts, labels_of
from vivavoce.generalization.predictors.bert import OnStep, Stopwatch, TrainingPairs, steps_of, train

WEIGHTS: Final = "adapter.safetensors"


@dataclass(frozen=True, slots=True)
class Lora:
    """A LoRA adapter, trained instead of the whole model: two thin matrices for each of its matrices except the last."""

    base: str
    """Folder, package or name on the hub of the base model."""
    digest: str
    """SHA-256 of its files."""
    rank: int

    @staticmethod
    def from_json(saved: object, file: Path) -> Lora:
        """Read a saved adapter. Raises `BadFile`."""
        names = ("base", "digest", "rank")
        base, digest, rank = (saved.get(name) for name in names) if isinstance(saved, dict) else (None,) * 3
        if not (isinstance(base, str) and isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest)):
            raise BadFile(file, "does not name its adapter's base model with a digest: fit the predictor again")
        if type(rank) is not int or not 1 <= rank <= MOST_RANK:
            raise BadFile(file, f"has an adapter of rank {str(rank)[:20]}: fit the predictor again")
        return Lora(base, digest, rank)

    def base_folder(self, file: Path) -> Path:
        """The folder of the base model, which must be the one that the adapter was trained on. Raises `BadFile`."""
        try:
            folder = neural.model_folder(self.base, fetch=False)
        except BadInput as error:
            raise BadFile(file, f"the adapter's base model is not available: {error}") from None
        if neural.digest_of(folder) != self.digest:
            raise BadFile(file, f"its adapter was trained on another version of '{self.base[:200]}': fit the predictor again")
        return folder


def with_adapter(model: Any, lora: Lora) -> Any:
    """The model with an untrained adapter; only the adapter can be trained."""
    peft = neural.needed("peft")
    settings = peft.LoraConfig(
        task_type="CAUSAL_LM", r=lora.rank, lora_alpha=2 * lora.rank, lora_dropout=0.0, target_modules="all-linear"
    )
    return peft.get_peft_model(model, settings)


def write_adapter(model: Any, folder: Path) -> None:
    """Write the adapter's weights as safetensors."""
    weights = {
        name: weight.detach().cpu().contiguous()
        for name, weight in neural.needed("peft").get_peft_model_state_dict(model).items()
    }
    neural.needed("safetensors.torch").save_file(weights, folder / WEIGHTS)


def read_adapter(model: Any, lora: Lora, folder: Path) -> Any:
    """The model with the saved adapter. Raises `BadFile`.

    It does not use peft's reader, which accepts pickles and imports modules that a folder's configuration names.
    """
    adapted = with_adapter(model, lora)
    expected = neural.needed("peft").get_peft_model_state_dict(adapted)
    try:
        weights = neural.needed("safetensors.torch").load_file(folder / WEIGHTS)
    except Exception as error:  # the file is unreadable or malformed
        raise BadFile(folder / WEIGHTS, f"can't be read: {neural.in_one_line(error)}") from None
    if {name: tuple(weight.shape) for name, weight in weights.items()} != {
        name: tuple(w.shape) for name, w in expected.items()
    }:
        raise BadFile(folder / WEIGHTS, "is not the adapter of this model: fit the predictor again")
    neural.needed("peft").set_peft_model_state_dict(adapted, weights)
    return adapted.eval()


FILE: Final = "causal.json"
PROMPT: Final = """\
A person is finding out what an answering machine can do. First they asked it this:
<<<
{q1}
>>>
They learned that its answer was {graded}.

The person also has an opinion on whether the machine can answer this:
<<<
{q2}
>>>
Did what they learned change that opinion? Often two questions have nothing to do with each other, and the opinion stays.
Reply 1 if it changed, 0 if it stayed. Reply:"""
"""The prompt. The two questions and 'right' or 'wrong' are filled in, and 0 or 1 follows after a blank."""
_AT_ONCE: Final = 8
_KIND: Final = "AutoModelForCausalLM"


def _worded(pair: BeliefPair, q1: str, q2: str, prompts: Prompts) -> str:
    if prompts == "printed":
        return f"{prompt_texts.system_text()}\n\n{prompt_texts.printed(pair, q1, q2)}"
    return PROMPT.format(q1=q1, q2=q2, graded="right" if pair.previous_correct else "wrong")


class TokenizedPair(NamedTuple):
    """A pair as the model reads it."""

    tokens: list[int]
    """All tokens before the answer."""
    same: int
    """The token for the answer 0."""
    changed: int
    """The token for the answer 1."""


@dataclass(frozen=True, slots=True)
class CausalPredictor:
    """Predicts from a causal model's probabilities of 0 and 1 as its next token: the share of 1 in their sum."""

    model: Any
    tokenizer: Any
    max_length: int
    device: str = "cpu"
    lora: Lora | None = None
    """The trained adapter; None if the whole model was trained."""
    prompts: Prompts = "ours"
    """Words of the prompt."""

    def predict(self, pairs: Sequence[BeliefPair]) -> Floats:
        """The chance of a change, one per pair."""
        torch = neural.needed("torch")
        chances = np.zeros(len(pairs))
        inputs = [tokenized(pair, self.tokenizer, self.max_length, self.prompts) for pair in pairs]
        for indices in neural.by_length([len(pair.tokens) for pair in inputs], _AT_ONCE):
            rows = [inputs[index] for index in indices]
            with torch.inference_mode():
                same, changed = _logs(self.model, rows, self.device)
            chances[indices] = torch.sigmoid(changed.double() - same.double()).cpu().numpy()
        return np.clip(chances, EDGE, 1 - EDGE)

    def save(self, folder: Path) -> None:
        """Write model or adapter as safetensors, and the tokenizer."""
        if self.lora is None:
            self.model.save_pretrained(folder / "model")
        else:
            write_adapter(self.model, folder)
        self.tokenizer.save_pretrained(folder / "tokenizer")
        lora = None
        if self.lora is not None:  # make a folder's path absolute
            lora = to_json(replace(self.lora, base=str(neural.local_folder(self.lora.base) or self.lora.base)))
        words = {} if self.prompts == CausalConfig().prompts else {"prompts": self.prompts}
        write_json(folder / FILE, {"max_length": self.max_length, "lora": lora, **words})


def fit(
    pairs: Sequence[BeliefPair],
    *,
    teachers: Sequence[BeliefPair] = (),
    rng: np.random.Generator,
    config: CausalConfig = CausalConfig(),  # noqa: B008 -- frozen
    progress: OnStep | None = None,
) -> CausalPredictor:
    """Fine-tune the model. On a CPU with the same number of threads, the same pairs and state of `rng` give the same numbers.

    pairs: labels count by their weight.
    teachers: pairs whose `pred` counts as a soft label; `pairs` may then be empty.
    progress: called after each step.

    Source: Appendix C of `vafa2024`, which trains whole Llama-2 models of 7 and 13 billion weights. The prompt here is a
    different one, and only the answer is trained on.

    Raises `NotEnoughEvidence`, `MissingExtra`, `BadInput` for a model that is not available or can't be trained, and `BadFile`
    for one that can't be read.
    """
    if not config.model:
        raise BadInput("no causal model is named: give --model a folder or a name on the hub, such as meta-llama/Llama-2-7b-hf")
    labelled, labels, weights = labels_of(pairs, teachers)
    neural.check_device(config.device)
    if config.lora:
        neural.needed("peft")
    source = neural.model_folder(config.model)
    tokenizer = neural.read_tokenizer(source)
    seed = int(rng.integers(1 << 31))
    with neural.repeatable(seed):
        network = neural.read_model(source, _KIND)
        adapter = Lora(config.model, neural.digest_of(source), config.rank) if config.lora else None
        if adapter is not None:
            network = with_adapter(network, adapter)
        network.to(config.device)
        max_length = neural.room_of(network, tokenizer, config.max_length)
        inputs = [tokenized(pair, tokenizer, max_length, config.prompts) for pair in labelled]

        def logs(indices: list[int]) -> tuple[Any, Any]:
            return _logs(network, [inputs[index] for index in indices], config.device)

        examples = TrainingPairs([len(pair.tokens) for pair in inputs], labels, weights, logs)
        train(network, examples, training=config, seed=seed, watch=Stopwatch(steps_of(config, len(labelled)), progress))
    return CausalPredictor(network, tokenizer, max_length, config.device, adapter, config.prompts)


def load(folder: Path, *, device: str = "cpu") -> CausalPredictor:
    """Open a saved predictor. Raises `BadFile`, and `MissingExtra` without torch, transformers or (for an adapter) peft.

    An adapter's base model must be where it was, or in the hub's cache; it is not downloaded.
    """
    neural.check_device(device)
    file = folder / FILE
    saved = read_json(file)
    max_length = saved.get("max_length")
    if type(max_length) is not int or max_length < 1:
        raise BadFile(file, "does not say how many tokens the model reads: fit the predictor again")
    prompts = saved.get("prompts", "ours")
    if prompts not in ("ours", "printed"):
        raise BadFile(file, "does not say which prompt the model reads: fit the predictor again")
    tokenizer = neural.read_tokenizer(folder / "tokenizer")
    if saved.get("lora") is None:
        lora, model = None, neural.read_model(folder / "model", _KIND)
    else:
        lora = Lora.from_json(saved["lora"], file)
        model = read_adapter(neural.read_model(lora.base_folder(file), _KIND), lora, folder)
    if model.get_input_embeddings().num_embeddings < len(tokenizer):
        raise BadFile(file, "its tokenizer does not fit its model: fit the predictor again")
    return CausalPredictor(model.to(device), tokenizer, neural.room_of(model, tokenizer, max_length), device, lora, prompts)


def tokenized(pair: BeliefPair, tokenizer: Any, max_length: int, prompts: Prompts = "ours") -> TokenizedPair:
    """The pair as tokens; the longer question is cut until everything fits.

    Raises `BadInput` for a tokenizer in which 0 and 1 are not single tokens, and if there is no room for the questions.
    """
    q1, q2 = plain_text(pair.q1), plain_text(pair.q2)
    while True:
        prompt = _worded(pair, q1, q2, prompts)
        same, changed = (list(tokenizer(f"{prompt} {answer}")["input_ids"]) for answer in (0, 1))
        if len(same) <= max_length:
            break
        kept = int(max(len(q1), len(q2)) * max(0.1, min(0.9, max_length / len(same))))
        if kept < 10:
            raise BadInput(f"{max_length} tokens leave no room for the questions: give a larger max_length")
        q1, q2 = q1[:kept], q2[:kept]
    differ = [index for index, (first, second) in enumerate(zip(same, changed, strict=False)) if first != second]
    if len(same) != len(changed) or len(differ) != 1:
        raise BadInput("0 and 1 are not single tokens for this model's tokenizer: use another model")
    end = differ[0]  # some tokenizers add a token at the end of a text
    return TokenizedPair(same[:end], same[end], changed[end])


def _logs(model: Any, rows: Sequence[TokenizedPair], device: str) -> tuple[Any, Any]:
    """Log-probability of each answer as the next token.

    Rows are padded at their ends, which a causal model does not see from the token before.
    """
    torch = neural.needed("torch")
    ends = [len(row.tokens) - 1 for row in rows]
    wanted = sorted(set(ends))
    inputs = {
        "input_ids": neural.padded([row.tokens for row in rows], 0, device),
        "attention_mask": neural.padded([[1] * len(row.tokens) for row in rows], 0, device),
        "logits_to_keep": torch.tensor(
            wanted, device=device
        ),  # otherwise the logits of all tokens are computed, which take more memory than the model
        "use_cache": False,
    }
    given = neural.accepted(model.get_base_model() if hasattr(model, "get_base_model") else model, inputs)
    logits = model(**given).logits
    at = [wanted.index(end) for end in ends] if "logits_to_keep" in given else ends
    every = torch.arange(len(rows), device=device)
    logs = torch.log_softmax(logits[every, at].float(), dim=-1)
    return logs[every, [row.same for row in rows]], logs[every, [row.changed for row in rows]]
