"""The rows that a task of lm-evaluation-harness is about: files in its folder, or a data set of a hub at a commit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from vivavoce.certificate.scopes.hub import Repository
from vivavoce.certificate.scopes.lm_eval.task import Task
from vivavoce.certificate.scopes.read import check_fields
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.bounds import MOST_ROWS
from vivavoce.formats.records import beside, records
from vivavoce.formats.yaml_file import Source

BUILDERS: Final = ("json", "csv", "parquet", "arrow")
"""What `dataset_path` says where the data are files."""
COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_KWARGS: Final = ("data_files", "field", "revision", "streaming", "cache_dir", "keep_in_memory", "num_proc")
_REFUSED: Final = {
    "trust_remote_code": "no code of a data set is run here: leave it out",
    "data_dir": "name files as data_files",
    "name": "write it as dataset_name",
    "split": "name splits as test_split and the like",
    "token": "set HF_TOKEN",
}

Rows = list[dict[str, Any]]


def rows_of(source: Source, task: Task, split: str, revision: str | None) -> Rows:
    """The rows of a split. Raises `BadFile`."""
    kwargs = task.dataset_kwargs or {}
    check_fields(source, kwargs, _KWARGS, _REFUSED, where=("dataset_kwargs",))
    try:
        if task.dataset_path in BUILDERS:
            files = _files(source, kwargs.get("data_files"), split)
            field = str(kwargs.get("field") or "")
        else:
            files, field = _fetched(source, task, split, revision or str(kwargs.get("revision") or "")), ""
        found = [row for file in files for _, row in records(file, field=field)]
    except BadFile:
        raise
    except BadInput as error:
        raise source.wrong(f"{task.dataset_path}: {error}", "dataset_path") from None
    if not 0 < len(found) <= MOST_ROWS:
        raise source.wrong(
            f"the split '{split[:80]}' has {len(found):,} rows: there must be 1 to {MOST_ROWS:,}", "dataset_path"
        )
    return found


def _files(source: Source, named: Any, split: str) -> Sequence[Path]:
    """The files of a split: files that are named without splits are all of the split `train`, as in the library `datasets`."""
    where = ("dataset_kwargs", "data_files")
    splits = named if isinstance(named, dict) else {"train": named} if named else {}
    if not splits:
        raise source.wrong(
            "'dataset_kwargs' names no data_files, such as data_files: {test: questions.jsonl}", "dataset_kwargs"
        )
    if split not in splits:
        there = ", ".join(splits)
        raise source.wrong(f"no data_files for the split '{split[:80]}', only for {there[:200]}", *where)
    listed = splits[split] if isinstance(splits[split], list) else [splits[split]]
    try:
        return [beside(source.file, str(one)) for one in listed]
    except BadFile as error:
        raise source.wrong(error.problem, *where) from None


def _fetched(source: Source, task: Task, split: str, commit: str) -> Sequence[Path]:
    if task.dataset_path.startswith((".", "/", "~")) or task.dataset_path.count("/") > 1 or "\\" in task.dataset_path:
        raise source.wrong(
            f"'dataset_path' is '{task.dataset_path[:80]}': write {', '.join(BUILDERS)} and the files as "
            "dataset_kwargs.data_files, or OWNER/NAME of a hub",
            "dataset_path",
        )
    if not COMMIT.fullmatch(commit):
        raise source.wrong(
            f"'{task.dataset_path[:80]}' is a data set of a hub: name its commit behind the file, ?revision= and 40 digits, "
            "or as dataset_kwargs.revision, since branches and tags move",
            "dataset_path",
        )
    return Repository(task.dataset_path, commit).split(split, task.dataset_name or "")
