"""Results as `.eval_results/*.yaml` of a model's repository on a Hugging Face hub, which its page and leaderboards read.

One entry a verdict: the mean score from 0 to 1, and in the notes what stands behind it. There is no `verifyToken`: that is
the hub's own.
"""

from __future__ import annotations

import json
from datetime import date
from typing import Final

from vivavoce.certificate.claims import ClaimFinding, ClaimResult
from vivavoce.certificate.report.bounds import in_figures
from vivavoce.certificate.scopes.hf_eval import PLACE
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.wording import count, score, score_interval
from vivavoce.version import __version__

PREFIX: Final = "hf-eval:"


def place_of(scope: str) -> tuple[str, str, str]:
    """The data set, the commit and the task of a scope. Raises `BadInput` for one that is no task of a benchmark.

    >>> place_of("hf-eval:me/capitals@0123456789abcdef0123456789abcdef01234567#choice")
    ('me/capitals', '0123456789abcdef0123456789abcdef01234567', 'choice')
    """
    found = PLACE.fullmatch(scope.removeprefix(PREFIX)) if scope.startswith(PREFIX) else None
    if found is None or not found["task"]:
        raise BadInput(f"'{scope[:120]}' is no task of a benchmark on a hub: write {PREFIX}OWNER/NAME@COMMIT#TASK")
    return found["name"], found["commit"], found["task"]


def eval_results(finding: ClaimFinding, *, made: date, source: str = "") -> str:
    """The YAML of a finding on tasks of benchmarks.

    Parameters
    ----------
    made: the day of the examination.
    source: where its record can be seen.

    Raises `NotEnoughEvidence` where nothing was asked, and what `place_of` raises.
    """
    return "".join(_entry(one, finding, made, source) for one in finding.claims)


def _entry(one: ClaimResult, finding: ClaimFinding, made: date, source: str) -> str:
    name, commit, task = place_of(one.scope)
    if one.score.value is None:
        raise NotEnoughEvidence(f"no question of '{one.scope[:120]}' has an answer: there is no mean score to publish")
    lines = [
        "- dataset:",
        f"    id: {_quoted(name)}",
        f"    task_id: {_quoted(task)}",
        f"    revision: {_quoted(commit)}",
        f"  value: {round(one.score.value, 6)!r}",
        f"  date: {_quoted(made.isoformat())}",
        *(["  source:", f"    url: {_quoted(source)}"] if source else []),
        f"  notes: {_quoted(notes(one, finding))}",
    ]
    return "\n".join(lines) + "\n"


def notes(one: ClaimResult, finding: ClaimFinding) -> str:
    """What stands behind the number, in sentences for whoever reads it on a leaderboard."""
    criterion = finding.criterion
    size = "an endless scope" if one.scope_size is None else f"{count(one.scope_size)}"
    said = [f"Mean score from 0 to 1 over {count(one.questions)} of {size} questions"]
    if one.complete:
        said.append("all of them, so nothing of it is left to chance")
    else:
        level = f"{100 * (1 - criterion.delta):g}%"
        said.append(f"drawn at random until a sequential test ended, {level} interval {score_interval(one.score.interval)}")
    parts = [", ".join(said) + "."]
    if one.score_range is not None:
        at_most = score(one.score_range.upper)
        parts.append(f"Replies that could not be read count as wrong here; at most the mean is {at_most}.")
    figures = in_figures(one, criterion)
    parts.append(f"Verdict: {one.verdict.word}, {figures}; wrong at most {100 * criterion.delta:g}% of the time.")
    return " ".join(parts) + f" Vivavoce {__version__}."


def _quoted(text: str) -> str:
    """A text as YAML has it between quotation marks."""
    return json.dumps(text.encode(errors="replace").decode(), ensure_ascii=False)
