"""Settings of an Inspect task that is run as a scope."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vivavoce.settings import check, setting


@dataclass(frozen=True, slots=True)
class TaskConfig:
    """Settings for Inspect tasks only."""

    scorer: str | None = setting(
        None,
        "Use this score of an Inspect task; NAME:VALUE if it has values.",
        metavar="NAME",
        expert=True,
    )
    model_role: tuple[str, ...] = setting(
        (), "Use this model in a role, such as grader=openai/gpt-4o. Repeatable.", metavar="ROLE=MODEL", expert=True
    )
    trust_local: bool = setting(False, "Allow sandbox 'local': the candidate's tools act on this machine.", expert=True)
    log_dir: Path | None = setting(
        None, "Keep the log of a task in this folder. [default: INSPECT_LOG_DIR, or logs]", metavar="FOLDER", expert=True
    )

    def __post_init__(self) -> None:
        check(self)
