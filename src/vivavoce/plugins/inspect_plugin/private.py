"""Private functions of Inspect that have no public counterpart, as of 0.3.285. If a version of Inspect moves one, only this
file breaks, and its test says so.

- `load_tasks`: makes the tasks of `FILE.py@TASK` or `PACKAGE/TASK` as `inspect eval` does, in the file's folder, with
  its place noted for sandboxes. The public `registry_create` knows no files.
- `parse_cli_args`: reads `a=1` as `inspect eval -T a=1` does.
- `registry_lookup`: whether an installed package has a task, and the function behind it, of whose file the digest is.
- `registry_params`: which arguments a task took; Inspect passes over the others.
- `init_display_type`: `eval_async` has no argument by which it shows nothing, `eval` has.
- `PrerequisiteError`: shown by `inspect eval` as one line, anything else with its traceback.
"""

from __future__ import annotations

from inspect_ai._eval.loader import load_tasks
from inspect_ai._util.config import parse_cli_args
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.registry import registry_lookup, registry_params
from inspect_ai.util._display import init_display_type

__all__ = [
    "PrerequisiteError",
    "init_display_type",
    "load_tasks",
    "parse_cli_args",
    "registry_lookup",
    "registry_params",
]
