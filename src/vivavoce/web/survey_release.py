"""Exports a survey: its answers as files, with a description of each column."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.json_values import to_json
from vivavoce.formats.lines import writing
from vivavoce.generalization.survey.plan import CHECK_QUESTIONS, SurveyPlan
from vivavoce.version import __version__
from vivavoce.web.pages.survey_texts import TEXTS, WORDS
from vivavoce.web.release import CODEBOOK, QUOTING, safe
from vivavoce.web.store.surveys import (
    ExportedAnswer,
    PairLabel,
    Survey,
    SurveyCounts,
    answers_by_card,
    consents,
    counts,
    exported_answers,
    majority_labels,
)

Graded = Callable[[str, str], bool | None]
"""Whether an own answer to a question, in the words of its card, is right; None if that is unknown."""


def own_answers_graded(plan: SurveyPlan, scope: str | None = None) -> Graded:
    """The grading of own answers; there is no grade for an unparsed answer, or for a question that is not in the scope.

    scope: the scope of the survey, if it has moved.

    The questions are drawn again as they were. Raises `BadInput` where the scope cannot be opened.
    """
    import numpy as np

    from vivavoce.generalization.config import SurveyConfig
    from vivavoce.generalization.survey.cards import draw_questions, wording
    from vivavoce.interview.candidate import Reply
    from vivavoce.interview.forms.form import Outcome
    from vivavoce.scopes import open_scope

    made = plan.source
    if made is None:
        raise BadInput(f"the survey '{plan.slug}' does not name the scope of its questions")
    opened: Any = open_scope(scope or made.scope)
    config = SurveyConfig(questions=made.questions, longest=made.longest, seed=made.seed)
    drawn: list[Any] = draw_questions(opened, config, np.random.default_rng([made.seed, 0]))
    questions = {wording(question): question for question in drawn}

    def graded(question: str, answer: str) -> bool | None:
        known = questions.get(question)
        if known is None:
            return None
        grade = opened.grade(known, Reply(answer))
        if grade.outcome is Outcome.DONT_KNOW:
            return False
        return bool(grade.score == 1) if grade.outcome is Outcome.ANSWER else None

    return graded


PAIRS: Final = "pairs.csv"
LABELS: Final = "majority.csv"
WHOLE: Final = "survey.json"

_PAIR: Final = {
    "q1": "The question whose answer was shown.",
    "q2": "The question that the beliefs are about.",
    "source1": "Task of the first question.",
    "source2": "Task of the second.",
    "previous_correct": "1 if the shown answer is right, as graded; respondents saw this.",
}
_SAID: Final = {
    "person": "A pseudonym of the respondent: the same in all rows of this export, and another one in the next.",
    "stage": "Stage of the survey when its cards were made; may be empty.",
    "weight": "Number of pairs in the pool that the pair represents: 1 / its chance of being chosen, up to a factor.",
    "prior": "0 to 1: how sure the respondent was beforehand that q2 is answered correctly.",
    "posterior": "0 to 1: how sure the respondent was afterwards. Empty if the respondent stopped in between.",
    "place": "Position of the pair among those of this respondent, from 1.",
    "finished": "1 if the respondent finished the survey.",
    "by": "machine or person: who gave the shown answer.",
    "seconds_before": "Seconds from showing the pair to the first number, including pauses.",
    "seconds_after": "Seconds from the first number to the second, including pauses.",
    "shown": "The answer that was shown.",
    "why": "The respondent's words about the change, or about no change; may be empty.",
}
FURTHER: Final = {
    "own_answer": "What the respondent answered to q2 themselves, before the first number; empty if that was not asked.",
    "own_right": "1 if that is right by the rules of the scope, else 0; empty if it could not be graded.",
}
"""Columns of pairs that only some surveys have."""
COLUMNS: Final[dict[str, dict[str, str]]] = {
    PAIRS: {**_PAIR, "belief_change": "1 if the two numbers differ, else 0; empty where there is only one.", **_SAID},
    LABELS: {
        **_PAIR,
        "belief_change": "1 if most respondents changed their number, 0 if most did not; empty where they are divided, or "
        "fewer than two.",
        "stage": _SAID["stage"],
        "weight": _SAID["weight"],
        "answers": "How many respondents answered the pair.",
        "changed": "How many of them changed their number.",
    },
}
"""The columns of each table, in words."""
_TIMES: Final = ("seconds_before", "seconds_after")


@dataclass(frozen=True, slots=True)
class SurveyExportCounts:
    """Counts of an export."""

    answers: int
    """Answers with both beliefs."""
    respondents: int
    """The respondents who gave them."""
    begun_only: int
    """Answers with the first belief only."""
    counts: SurveyCounts
    pairs: int
    """Cards of the survey."""
    enough: int
    """Cards with as many answers as requested."""
    divided: int | None
    """Pairs without a majority; None if none was requested."""
    ungraded: int | None = None
    """Own answers that could not be graded; None if none were requested."""


def write_survey(
    folder: Path,
    c: Connection,
    survey: Survey,
    *,
    now: datetime,
    majority: bool = False,
    times: bool = True,
    graded: Graded | None = None,
) -> SurveyExportCounts:
    """Write all files to a new or empty folder.

    Parameters
    ----------
    majority: also write each pair's majority label, for a test stage.
    graded: grades participants' own answers; None leaves the column empty.
    times: whether to write answer times, by which anyone with a platform's own times might recognise a person.

    Raises `BadFile`.
    """
    answers = list(exported_answers(c, survey))
    labels = majority_labels(answers) if majority else None
    by_card = answers_by_card(c, survey)
    both = sum(exported_answer.pair.belief_change is not None for exported_answer in answers)
    rows = [_row(answer, graded) for answer in answers]
    result = SurveyExportCounts(
        answers=both,
        respondents=len(
            {exported_answer.pair.person for exported_answer in answers if exported_answer.pair.belief_change is not None}
        ),
        begun_only=len(answers) - both,
        counts=counts(c, survey),
        pairs=len(by_card),
        enough=sum(number >= survey.plan.answers_each for number in by_card.values()),
        divided=None if labels is None else sum(pair_label.pair.belief_change is None for pair_label in labels),
        ungraded=sum(row["own_right"] is None for row in rows) if survey.plan.own_answers else None,
    )
    columns = [name for name in (*COLUMNS[PAIRS], *(FURTHER if survey.plan.own_answers else ())) if times or name not in _TIMES]
    text = codebook(survey, result, consents(c, survey), now=now, columns=columns)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadFile(folder, "this folder is not empty: name another one")
        _table(folder / PAIRS, columns, rows)
        if labels is not None:
            _table(folder / LABELS, list(COLUMNS[LABELS]), [_label_row(label) for label in labels])
        whole_rows = [_as_json(exported_answer, row, columns) for exported_answer, row in zip(answers, rows, strict=True)]
        whole = {"survey": _about(survey), **to_json(result), "rows": whole_rows}
        (folder / WHOLE).write_text(json.dumps(whole, allow_nan=False, indent=1) + "\n", encoding="ascii")
        (folder / CODEBOOK).write_text(text, encoding="utf-8", errors="backslashreplace")
    return result


def codebook(
    survey: Survey, counts: SurveyExportCounts, versions: Mapping[str, int], *, now: datetime, columns: Sequence[str]
) -> str:
    """The codebook: files, numbers of respondents, and the texts that they read."""
    plan, people = survey.plan, counts.counts
    lines = [
        "# Codebook",
        "",
        f"Survey '{plan.title}' ({plan.slug}) of belief changes (Vafa et al. 2024), written by Vivavoce {__version__} on "
        f"{now.astimezone(UTC):%Y-%m-%d}. Each respondent gets {plan.pairs_each} of {counts.pairs} pairs of questions. They "
        "say how sure they are that the second is answered correctly, see an answer to the first, and say it again. The page "
        "says "
        + ("that a machine answers." if plan.told == "machine" else "that a machine or a person answers, but not which."),
        "",
        f"{people.begun} began: {people.done} finished, {people.failed} did not pass the questions on the task, "
        f"{people.withdrawn} withdrew, {people.unfinished} stopped early or have not finished yet. "
        f"There are {counts.answers} answers of {counts.respondents} respondents, and {counts.begun_only} with the first "
        f"number alone. {counts.enough} of {counts.pairs} pairs have {plan.answers_each} answers or more.",
        "",
        "Only respondents who agreed and have not withdrawn are in here. Pseudonyms are random and kept nowhere; the order of "
        "persons is random too. Platforms' names for participants are not in here. Respondents may have written anything into "
        "`why`. "
        "With `seconds_...` anyone with a platform's times might recognise a person: check before you publish.",
        "",
        "Tables are CSV in UTF-8. A cell of `shown`, `why` or `own_answer` has one more apostrophe in front if a spreadsheet "
        "would run it as a formula, or if it begins with one. Questions are as they were asked.",
    ]
    files = {PAIRS: columns} | ({} if counts.divided is None else {LABELS: list(COLUMNS[LABELS])})
    for file, names in files.items():
        lines += ["", f"## {file}", "", "| column | what it is |", "| --- | --- |"]
        lines += [f"| `{name}` | {(COLUMNS[file] | FURTHER)[name]} |" for name in names]
    lines += [
        "",
        f"## {WHOLE}",
        "",
        f"The same as {PAIRS} under `rows`, texts as they were written; and how many came to which end.",
    ]
    return "\n".join([*lines, *_texts(plan, versions)]) + "\n"


def _texts(plan: SurveyPlan, versions: Mapping[str, int]) -> list[str]:
    """The texts that respondents read."""
    words = WORDS[plan.told]
    lines = ["", "## What respondents read", ""]
    lines += [f"> {text}\n>" for text in (words.before, words.shown, words.asked, words.after)]
    lines += [f"> {check.text} ({' / '.join(check.options.values())})\n>" for check in CHECK_QUESTIONS]
    for version, number in versions.items():
        lines += ["", f"{number} agreed to version {version} of the text:", ""]
        if version in TEXTS:
            lines += [f"> {heading}: {text}\n>" for heading, text in TEXTS[version].shown(plan)]
    return lines


def _table(file: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    with file.open("x", encoding="utf-8", errors="backslashreplace", newline="") as opened:
        table = csv.writer(opened, lineterminator="\n", quoting=QUOTING)
        table.writerow(columns)
        table.writerows([_cell(row[name]) for name in columns] for row in rows)


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return "" if value is None else value


def _row(answer: ExportedAnswer, graded: Graded | None) -> dict[str, Any]:
    names = [*COLUMNS[PAIRS], *FURTHER]
    row = {name: getattr(answer.pair, name) for name in names if hasattr(answer.pair, name)}
    row |= {name: getattr(answer, name) for name in names if hasattr(answer, name)}
    right = graded(answer.pair.q2, answer.own) if graded and answer.own else None
    row |= {"own_right": right, "own_answer": safe(answer.own)}
    return row | {name: safe(getattr(answer, name)) for name in ("shown", "why")}


def _label_row(label: PairLabel) -> dict[str, Any]:
    return {name: getattr(label.pair, name, None) for name in COLUMNS[LABELS]} | {
        "answers": label.answers,
        "changed": label.changed,
    }


def _as_json(answer: ExportedAnswer, row: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """Texts as they were written."""
    written = {"shown": answer.shown, "why": answer.why, "own_answer": answer.own}
    return {name: written.get(name, row[name]) for name in columns}


def _about(survey: Survey) -> dict[str, Any]:
    """Codes are left out: anyone who knows them can claim to have taken part."""
    plan = survey.plan
    names = ("slug", "title", "pairs_each", "ask_why", "told", "answers_each")
    about = {name: getattr(plan, name) for name in names}
    return about | ({"own_answers": True} if plan.own_answers else {})
