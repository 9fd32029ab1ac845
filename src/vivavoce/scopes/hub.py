"""Scopes from data sets of a Hugging Face hub: ``hf:OWNER/NAME@COMMIT#SPLIT`` (extra `datasets`).

The files of the commit are fetched into the hub's cache, and read from there from then on, without a network. No code of a data
set is run: a data set with a script instead of data files is refused. `HF_ENDPOINT`, `HF_HOME`, `HF_TOKEN` and `HF_HUB_OFFLINE`
have their usual meaning.

Departures from the library `datasets`: which files are in a split is read from the `configs` of the README, or else from the
names of files and folders alone (`train`, `validation` or `test` as a word of the path, or a usual variant); data in `.json`,
pictures and sound are not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from glob import escape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any, Final

from vivavoce.errors import BadInput, MissingExtra
from vivavoce.formats.bounds import MAX_BYTES
from vivavoce.formats.lines import choose
from vivavoce.scopes.column_names import AS_THEY_ARE, ColumnNames
from vivavoce.scopes.question_file import FORMATS, ParsedQuestions, Records, numbered_questions, read_records

README: Final = "README.md"
DATA: Final = tuple(form for form in FORMATS if form != ".json")
"""Suffixes of data files; `.json` files mostly describe them."""
LONGEST_README: Final = 1 << 20
USUAL: Final = {
    "train": {"train", "training"},
    "validation": {"validation", "valid", "val", "dev"},
    "test": {"test", "testing", "eval", "evaluation"},
}
"""Words in paths that identify a split."""
ADDRESS: Final = r"(?P<name>[\w.-]+(?:/[\w.-]+)?)@(?P<commit>[0-9a-f]{40})"
"""A pattern: a data set at a commit."""
_PLACE = re.compile(ADDRESS + r"(?:#(?P<split>[\w.-]+))?")
_FRONT = re.compile(r"---\r?\n(.*?\r?\n)---(?:\r?\n|$)", re.DOTALL)
_WORDS = re.compile(r"[a-z]+")

Splits = dict[str, list[str]]
"""The files of each split, by their paths."""


def read_hub(address: str, *, match: str | None = None, config: str = "", names: ColumnNames = AS_THEY_ARE) -> ParsedQuestions:
    """The questions of a split, and its unused columns.

    Parameters
    ----------
    address: `OWNER/NAME@COMMIT#SPLIT`; the split may be left out where there is only one.
    match: the rule for free answers.
    names: the meaning of its columns.
    config: its configuration, if there are several without a default.

    Raises `BadInput` if it cannot be fetched, and for rows that are not questions, with the number of the row.
    """
    try:
        return numbered_questions(_records(address, names, config), match=match, names=names)
    except BadInput as error:
        raise BadInput(f"hf:{address}: {error}") from None


def _records(where: str, names: ColumnNames, config: str) -> Records:
    """The records of all files of a split, counted as rows."""
    match = _PLACE.fullmatch(where)
    if not match:
        raise BadInput("write hf:OWNER/NAME@COMMIT#SPLIT, with the 40 digits of the commit: branches and tags move")
    fetched = Repository(match["name"], match["commit"]).split(match["split"] or "", config)
    parts = [read_records(file, names) for file in fetched]
    columns = tuple(dict.fromkeys(column for part in parts for column in part.columns))
    rows = list(enumerate((row for part in parts for _, row in part.rows), 1))
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return Records(fetched[0], columns, rows, are_cells=all(part.are_cells for part in parts), notes=notes)


class Repository:
    """One commit of a data set, in the cache or behind the network; raises `BadInput` and `MissingExtra`."""

    def __init__(self, name: str, commit: str) -> None:
        for package in ("huggingface_hub", "pyarrow"):
            if find_spec(package) is None:
                raise MissingExtra(package, extra="datasets")
        self._name, self._commit = name, commit
        self._hub: Any = import_module("huggingface_hub")
        self._folder = self._download([README])
        tree = self._hub.get_cached_repo_tree(name, repo_type="dataset", revision=commit)
        self.sizes: dict[str, int] = {file.path: file.size for file in tree if ".." not in PurePosixPath(file.path).parts}

    def front(self) -> Mapping[str, Any]:
        """The YAML header of the README; empty without one."""
        return front_of(self._folder / README) if README in self.sizes else {}

    def split(self, name: str, config: str = "") -> list[Path]:
        """The cached files of a split; an empty name means the only one."""
        files = splits_of(self.front(), list(self.sizes), config)
        return self.fetch(files[split_named(name, files)])

    def fetch(self, files: Sequence[str]) -> list[Path]:
        """The cached paths of files."""
        size = sum(self.sizes[file] for file in files)
        if size > MAX_BYTES:
            raise BadInput(f"the split has {size >> 20:,} MiB: more than {MAX_BYTES >> 30} GiB is not read")
        folder = self._download(files)
        return [folder / file for file in files]

    def _download(self, files: Sequence[str]) -> Path:
        errors: Any = import_module("huggingface_hub.errors")
        try:
            return Path(
                self._hub.snapshot_download(
                    self._name, repo_type="dataset", revision=self._commit, allow_patterns=[escape(file) for file in files]
                )
            )
        except errors.RevisionNotFoundError:
            problem = f"there is no commit {self._commit}: see its history"
        except errors.RepositoryNotFoundError:
            problem = "there is no such data set, or it is private or gated: set HF_TOKEN to a token that may read it"
        except errors.HFValidationError:
            problem = f"'{self._name}' is not a name of a data set: write OWNER/NAME of letters, digits, '-', '_' and '.'"
        except (errors.LocalEntryNotFoundError, errors.HfHubHTTPError, OSError) as error:
            problem = f"cannot be fetched, and is not in the cache ({type(error.__cause__ or error).__name__})"
        raise BadInput(problem) from None


def front_of(readme: Path) -> Mapping[str, Any]:
    """The YAML header of a README; empty without one. Raises `BadInput`."""
    if not readme.is_file() or readme.stat().st_size > LONGEST_README:
        return {}
    yaml: Any = import_module("yaml")
    match = _FRONT.match(readme.read_text(encoding="utf-8", errors="replace"))
    try:
        front = yaml.safe_load(match[1]) if match else {}
    except yaml.YAMLError as error:
        raise BadInput(f"the head of its README is not YAML: {str(error)[:200]}") from None
    return front if isinstance(front, Mapping) else {}


def split_named(name: str, files: Splits) -> str:
    """The split of that name, or the only one. Raises `BadInput` and `UnknownName`."""
    wanted = name or (next(iter(files)) if len(files) == 1 else "")
    if not wanted:
        raise BadInput(f"name a split after '#': {', '.join(files)}")
    return choose("split", wanted, tuple(files))


def splits_of(front: Mapping[str, Any], paths: Sequence[str], config: str = "") -> Splits:
    """The files of each split, in the order of their names.

    Parameters
    ----------
    front: the header of the README, whose `configs` assigns files to splits.
    paths: all files.
    config: the configuration; empty: the only or the default one.

    Raises `BadInput` if there are none, and `UnknownName`.

    >>> splits_of({}, ["README.md", "data/test-00001-of-00002.parquet", "data/test-00000-of-00002.parquet", "dev.csv"])
    {'validation': ['dev.csv'], 'test': ['data/test-00000-of-00002.parquet', 'data/test-00001-of-00002.parquet']}
    >>> head = {"configs": [{"config_name": "law", "data_files": [{"split": "test", "path": "law/*.jsonl"}]}]}
    >>> splits_of(head, ["law/a.jsonl", "medicine/a.jsonl"])
    {'test': ['law/a.jsonl']}
    """
    data = sorted(path for path in paths if path.lower().removesuffix(".gz").endswith(DATA))
    configs = _configs(front)
    if configs:
        usual = next((name for name, (_, is_usual) in configs.items() if is_usual), "default")
        name = config or (next(iter(configs)) if len(configs) == 1 else usual)
        if not config and name not in configs:
            raise BadInput(f"name one of its configurations, as ?config=NAME: {', '.join(configs)[:1000]}")
        patterns = configs[choose("configuration", name, tuple(configs))][0]
        splits = {
            split: [path for path in data if any(pattern.match(path) for pattern in of)] for split, of in patterns.items()
        }
    elif config:
        raise BadInput(f"it names no configurations: leave out config={config[:80]}")
    else:
        words = {path: set(_WORDS.findall(path.lower())) for path in data}
        splits = {split: [path for path in data if words[path] & known] for split, known in USUAL.items()}
        if not any(splits.values()):
            splits = {"train": data}
    result = {split: of for split, of in splits.items() if of}
    if not result:
        raise BadInput(f"it has no data files of a supported kind: {', '.join(DATA)}")
    return result


def _configs(front: Mapping[str, Any]) -> dict[str, tuple[dict[str, list[re.Pattern[str]]], bool]]:
    """The patterns of each configuration's splits, and whether it is the default; invalid entries are left out."""
    translated: Any = import_module("fsspec.utils").glob_translate
    result = {}
    for entry in front.get("configs") or ():
        if not isinstance(entry, Mapping) or not isinstance(entry.get("config_name"), str):
            continue
        files = entry.get("data_files")
        parts = files if isinstance(files, list) and all(isinstance(part, Mapping) for part in files) else [{"path": files}]
        patterns: dict[str, list[re.Pattern[str]]] = {}
        for part in parts:
            results = part.get("path")
            wanted = [path for path in (results if isinstance(results, list) else [results]) if isinstance(path, str)]
            patterns.setdefault(str(part.get("split", "train")), []).extend(re.compile(translated(path)) for path in wanted)
        result[entry["config_name"]] = (patterns, entry.get("default") is True)
    return result
