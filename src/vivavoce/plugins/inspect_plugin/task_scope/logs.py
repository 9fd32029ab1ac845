"""One log for one examination, however often it was stopped: what unfinished logs hold goes into the one that is finished."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from inspect_ai.log import EvalLog, EvalSample, read_eval_log, read_eval_log_sample_summaries, recompute_metrics, write_eval_log

from vivavoce.errors import BadFile
from vivavoce.interview.candidate import Usage
from vivavoce.plugins.inspect_plugin.task_scope.scores import used_together

KEY: Final = "vivavoce"
"""Where a log's metadata say of what examination it is."""
REMOTE: Final = "://"

About = Mapping[str, str]
"""What tells one examination from any other: candidate, scope, its digest, and where its record is."""


def folder_of(log_dir: Path | None) -> str:
    """Where Inspect is to keep its logs: the folder that was given, else what Inspect itself would take."""
    usual = os.environ.get("INSPECT_LOG_DIR") or "logs"
    if log_dir is None and REMOTE in usual:
        return usual
    return str((log_dir or Path(usual)).expanduser().absolute())


def unfinished(folder: str, about: About) -> tuple[Path, ...]:
    """The logs of runs of this examination that were stopped, oldest first; none of one without a record, and none far away."""
    if not about.get("record") or REMOTE in folder:
        return ()
    return tuple(file for file in sorted(Path(folder).glob("*.eval")) if _is_of(file, about))


def last_epochs(files: Sequence[Path]) -> Mapping[str, int]:
    """How often each sample was run in these logs, by its id."""
    result: dict[str, int] = {}
    for file in files:
        for summary in read_eval_log_sample_summaries(str(file)):
            result[str(summary.id)] = max(result.get(str(summary.id), 0), summary.epoch)
    return result


def joined(finished: EvalLog, files: Sequence[Path]) -> None:
    """Put the samples of unfinished logs before those of the finished one, with metrics of all, and remove those logs."""
    if finished.status != "success" or not files:
        return
    log = read_eval_log(finished.location)
    earlier = [read_eval_log(str(file)) for file in files]
    samples: list[EvalSample] = [sample for eval_log in (*earlier, log) for sample in eval_log.samples or ()]
    log.samples = samples
    log.eval.dataset.samples = len(samples)
    log.eval.dataset.sample_ids = list(dict.fromkeys(sample.id for sample in samples))
    log.stats.started_at = earlier[0].stats.started_at or log.stats.started_at
    log.stats.model_usage = {}
    for sample in samples:
        for model, used in sample.model_usage.items():
            log.stats.model_usage[model] = log.stats.model_usage[model] + used if model in log.stats.model_usage else used
    recompute_metrics(log)
    write_eval_log(log, finished.location)
    for file in files:
        file.unlink()


def costs_of(file: Path) -> list[Usage]:
    """What all models of each sample used, at the prices that Inspect knows. Raises `BadFile` for what is no log."""
    try:
        return [used_together(summary.model_usage) for summary in read_eval_log_sample_summaries(str(file))]
    except Exception as error:  # a file that is none may make its reader raise anything
        raise BadFile(file, f"is no log of Inspect that can be read ({type(error).__name__})") from None


def _is_of(file: Path, about: About) -> bool:
    try:
        header = read_eval_log(str(file), header_only=True)
    except Exception:  # a stranger's file in that folder may make its reader raise anything
        return False
    return header.status != "success" and (header.eval.metadata or {}).get(KEY) == dict(about)
