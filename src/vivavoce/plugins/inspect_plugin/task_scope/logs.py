"""One log for one examination, even if it was stopped: samples in unfinished logs move into the finished one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from inspect_ai.log import EvalLog, EvalSample, read_eval_log, read_eval_log_sample_summaries, recompute_metrics, write_eval_log

KEY: Final = "vivavoce"
"""Key in a log's metadata for the examination."""
REMOTE: Final = "://"

About = Mapping[str, str]
"""Identifies an examination: candidate, scope, its digest, and the place of its record."""


def folder_of(log_dir: Path | None) -> str:
    """The folder of Inspect's logs: the given one, otherwise Inspect's own default."""
    usual = os.environ.get("INSPECT_LOG_DIR") or "logs"
    if log_dir is None and REMOTE in usual:
        return usual
    return str((log_dir or Path(usual)).expanduser().absolute())


def unfinished(folder: str, about: About) -> tuple[Path, ...]:
    """The logs of stopped runs of this examination, oldest first; none without a record, or in a remote folder."""
    if not about.get("record") or REMOTE in folder:
        return ()
    return tuple(file for file in sorted(Path(folder).glob("*.eval")) if _is_of(file, about))


def last_epochs(files: Sequence[Path]) -> Mapping[str, int]:
    """Runs of each sample in these logs, by its id."""
    result: dict[str, int] = {}
    for file in files:
        for summary in read_eval_log_sample_summaries(str(file)):
            result[str(summary.id)] = max(result.get(str(summary.id), 0), summary.epoch)
    return result


def joined(finished: EvalLog, files: Sequence[Path]) -> None:
    """Put the samples of unfinished logs before those of the finished one, update its metrics, and remove those logs."""
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


def _is_of(file: Path, about: About) -> bool:
    try:
        header = read_eval_log(str(file), header_only=True)
    except Exception:  # the reader may raise anything for another file in that folder
        return False
    return header.status != "success" and (header.eval.metadata or {}).get(KEY) == dict(about)
