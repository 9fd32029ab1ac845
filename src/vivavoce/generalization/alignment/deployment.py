"""The questions that people use a model for, its performance on them (equation 2 of `vafa2024`), and scope files of them.

People use a model for questions that they believe it can answer. h(x|f) is the distribution of the questions x that they use
model f for, after they saw it answer another question. The human-deployed performance is the sum of h(x|f) t(x, f(x)), with
t = 1 for a right answer. `vafa2024` leaves open how beliefs become h; a `UseRule` is one possibility.

A scope file of these questions with their weights lets you certify a model on the questions that people will ask it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isfinite
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final

import numpy as np

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.lines import write_whole
from vivavoce.formats.tables import read_table
from vivavoce.formats.wording import percent
from vivavoce.generalization.alignment.measures import BelievedPairs, GradedModel
from vivavoce.generalization.alignment.resampling import IndependentSets, Ratio
from vivavoce.generalization.pairs import Floats, key_of, plain

NEXT_TO_NOTHING: Final = 1e-4
"""Weight of a question that people would not use the model for; used questions have weight 1 on average."""


@dataclass(frozen=True, slots=True)
class AboveThreshold:
    """Use for every question with a belief above a threshold, equally."""

    threshold: float

    def __post_init__(self) -> None:
        if not 0 <= self.threshold < 1:
            raise BadInput(f"above:{self.threshold}: give a threshold from 0 to below 1")

    @property
    def name(self) -> str:
        return f"above:{self.threshold:g}"

    def uses(self, beliefs: Floats, weights: Floats) -> Floats:
        return (beliefs > self.threshold).astype(np.float64)


@dataclass(frozen=True, slots=True)
class TopShare:
    """Use for the share of questions with the highest beliefs; equal beliefs at its edge are used in part."""

    share: float

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise BadInput(f"top:{self.share}: give a share above 0 and at most 1")

    @property
    def name(self) -> str:
        return f"top:{self.share:g}"

    def uses(self, beliefs: Floats, weights: Floats) -> Floats:
        room = self.share * float(weights.sum())
        used = np.zeros(beliefs.size)
        for value in np.unique(beliefs)[::-1]:
            here = beliefs == value
            size = float(weights[here].sum())
            if room <= 0:
                break
            used[here] = min(1.0, room / size) if size > 0 else 0.0
            room -= size
        return used


@dataclass(frozen=True, slots=True)
class ProportionalUse:
    """Use for every question, in proportion to the belief."""

    @property
    def name(self) -> str:
        return "proportional"

    def uses(self, beliefs: Floats, weights: Floats) -> Floats:
        return beliefs.copy()


UseRule = AboveThreshold | TopShare | ProportionalUse
"""How much people use a model for a question, given their belief.

`uses` gives one number per belief, 0 or above, of which only proportions matter; `weights` is how many each belief represents.
"""
FORMS: Final = "above:T, top:SHARE or proportional"


def rule_named(name: str) -> UseRule:
    """The rule with this name. Raises `BadInput`.

    >>> rule_named("top:0.1"), rule_named("above:.6").name
    (TopShare(share=0.1), 'above:0.6')
    """
    kind, _, number = name.strip().partition(":")
    if kind == "proportional" and not number:
        return ProportionalUse()
    try:
        value = float(number)
    except ValueError:
        value = float("nan")
    if kind not in ("above", "top") or not isfinite(value):
        raise BadInput(f"unknown rule '{name[:40]}': give {FORMS}, such as above:0.6")
    return AboveThreshold(value) if kind == "above" else TopShare(value)


def rule_in_words(rule: str) -> str:
    """The questions that people use a model for, as a phrase.

    >>> rule_in_words("above:0.6"), rule_in_words("top:0.25"), rule_in_words("proportional")
    ('believed above 60%', 'the 25% believed most', 'in proportion to belief')
    """
    kind, _, value = rule.partition(":")
    if kind == "above":
        return f"believed above {percent(float(value))}"
    return f"the {percent(float(value))} believed most" if kind == "top" else "in proportion to belief"


def rule_as_heading(rule: str) -> str:
    """The same as a heading.

    >>> rule_as_heading("above:0.6")
    'Believed above 60%'
    """
    words = rule_in_words(rule)
    return words[0].upper() + words[1:]


@dataclass(frozen=True, slots=True)
class ModelUse:
    """A model's performance on the questions that people use it for by a rule."""

    performance: Estimate
    """Without a value if people use it for nothing."""
    used_for: float | None
    """The share of questions that it is used for; None without any question."""
    highest_belief: float | None


def performance_in_use(believed: BelievedPairs, model: GradedModel, rule: UseRule) -> Ratio:
    """The human-deployed performance by a rule, as sums over pairs of questions."""
    h = _uses(believed, model.used, rule)
    return believed.summed(h * model.right, h)


def model_use(believed: BelievedPairs, model: GradedModel, rule: UseRule, sets: IndependentSets) -> ModelUse:
    """The human-deployed performance with its interval, and how much the model is used."""
    beliefs, weights = believed.beliefs[model.used], believed.weights[model.used]
    if not weights.sum() > 0:
        return ModelUse(Estimate(None, Interval(0.0, 1.0), 0), None, None)
    used = rule.uses(beliefs, weights)
    share = float((np.minimum(used, 1.0) * weights).sum() / weights.sum())
    return ModelUse(sets.share(performance_in_use(believed, model, rule)), share, float(beliefs.max()))


@dataclass(frozen=True, slots=True)
class UsedQuestion:
    """A question that people use a model for."""

    key: str
    question: str
    task: str
    weight: float
    """h(x|f) times the number of such questions: 1 on average."""


def used_questions(believed: BelievedPairs, model: GradedModel, rule: UseRule) -> tuple[UsedQuestion, ...]:
    """h(x|f): the questions that people use a model for, with their weights, the most used first.

    It depends on the model's answers to the first questions of pairs only, not on its answers to these questions.
    Raises `NotEnoughEvidence` if they use it for nothing.
    """
    h = _uses(believed, model.shown, rule) * believed.weights
    total: dict[str, float] = {}
    texts: dict[str, tuple[str, str]] = {}
    for row, unit, share in zip(believed.rows, believed.unit, h, strict=True):
        if share > 0:
            key = believed.keys[unit][1]
            total[key] = total.get(key, 0.0) + float(share)
            texts.setdefault(key, (row.q2, row.source2))
    if not total:
        raise NotEnoughEvidence(_nothing(believed, model, rule))
    mean = fsum(total.values()) / len(total)
    return tuple(
        UsedQuestion(key, *texts[key], weight / mean)
        for key, weight in sorted(total.items(), key=lambda item: (-item[1], item[0]))
    )


def unused_questions(believed: BelievedPairs, used: Sequence[UsedQuestion]) -> tuple[UsedQuestion, ...]:
    """The other questions of the pairs, with a tiny weight, so that a scope of all questions can be certified too."""
    known = {question.key for question in used}
    rest: dict[str, UsedQuestion] = {}
    for row, unit in zip(believed.rows, believed.unit, strict=True):
        key = believed.keys[unit][1]
        if key not in known:
            rest.setdefault(key, UsedQuestion(key, row.q2, row.source2, NEXT_TO_NOTHING))
    return tuple(rest[key] for key in sorted(rest))


def effective_number(weights: Sequence[float]) -> float:
    """Kish's effective number of questions.

    >>> effective_number([1, 1, 1, 1]), round(effective_number([10, 1, 1]), 2)
    (4.0, 1.41)
    """
    array = np.asarray(weights, dtype=float)
    return float(array.sum() ** 2 / (array @ array))


def _uses(believed: BelievedPairs, counted: np.ndarray[Any, np.dtype[np.bool_]], rule: UseRule) -> Floats:
    """h of each row; 0 for rows that do not count."""
    uses = np.zeros(len(believed.rows))
    uses[counted] = rule.uses(believed.beliefs[counted], believed.weights[counted])
    return uses


def _nothing(believed: BelievedPairs, model: GradedModel, rule: UseRule) -> str:
    name = model.model[:60]
    if not model.shown.any():
        return f"no pair shows {name}'s result on its first question: give its answers to the questions of the pairs"
    highest = believed.beliefs[model.shown].max()
    return f"by {rule.name} people use {name} for nothing (highest belief {highest:.3f}): give a lower threshold, or top:0.1"


_ANSWERS: Final = (("q1", "answer1"), ("q2", "answer2"))
"""Questions and their right answers: columns of a file of pairs, as in the files of `vafa2024`."""
_LETTERED = re.compile(r"\(([A-Z])\) ?(.*)")
_OPTIONS: Final = "Options:"


@dataclass(frozen=True, slots=True)
class ScopeOfUse:
    """The rows of a scope file of questions that people use a model for."""

    rows: tuple[Mapping[str, Any], ...]
    left_out: int
    """Questions without a known right answer."""
    share: float
    """Share of the distribution h that is in the file."""


def right_answers(files: Iterable[Path]) -> dict[str, str]:
    """Right answers by key of the question, from the columns answer1 and answer2 of files of pairs. Raises `BadFile`."""
    answers: dict[str, str] = {}
    for file in files:
        table = read_table(file)
        columns = [(question, answer) for question, answer in _ANSWERS if {question, answer} <= set(table.names)]
        for _, row in table.rows:
            answers |= {key_of(row[question]): row[answer].strip() for question, answer in columns if row[answer].strip()}
    return answers


def scope_rows(used: Iterable[UsedQuestion], known: Mapping[str, Mapping[str, Any] | str]) -> ScopeOfUse:
    """Rows of a scope file as `file:FILE` reads them, the most used first.

    Parameters
    ----------
    known: by key of a question its right answer, or a row of a scope file, in which only the weight is replaced.
    """
    rows: list[Mapping[str, Any]] = []
    left_out, total, kept = 0, 0.0, 0.0
    for question in used:
        total += question.weight
        answer = known.get(question.key)
        if answer is None:
            left_out += 1
            continue
        row = {"id": f"q{len(rows) + 1}", **_row(question, answer)} if isinstance(answer, str) else dict(answer)
        rows.append(row | {"weight": question.weight})
        kept += question.weight
    return ScopeOfUse(tuple(rows), left_out, kept / total if total else 0.0)


def write_scope(file: Path, written: ScopeOfUse) -> None:
    """Write JSON Lines. Raises `BadFile`."""
    write_whole(file, "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in written.rows))


def _row(question: UsedQuestion, answer: str) -> dict[str, Any]:
    """A row from a question of pairs; lettered options become a list if the answer is one of their letters."""
    lines = [line.strip() for line in plain(question.question).splitlines() if line.strip()]
    start = next((index for index, line in enumerate(lines) if line.startswith("(A)")), len(lines))
    options = _options(lines[start:])
    stem = lines[:start]
    category: dict[str, Any] = {"category": question.task} if question.task else {}
    if (
        stem
        and len(options) > 1
        and answer in ascii_uppercase[: len(options)]
        and len({*map(_folded, options)}) == len(options)
    ):
        text = "\n".join(stem[:-1] if stem[-1] == _OPTIONS and len(stem) > 1 else stem)
        return {"question": text, "options": options, "answer": answer, **category}
    return {"question": "\n".join(lines), "answer": answer, **category}


def _options(lines: list[str]) -> list[str]:
    """The texts of options (A), (B), ...; a line without a letter continues the option before. Empty if out of order."""
    options: list[str] = []
    for line in lines:
        match = _LETTERED.fullmatch(line)
        if match and match[1] == ascii_uppercase[len(options) % 26] and len(options) < 26:
            options.append(match[2].strip())
        elif match or not options:
            return []
        else:
            options[-1] = f"{options[-1]} {line}".strip()
    return options if all(options) else []


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
