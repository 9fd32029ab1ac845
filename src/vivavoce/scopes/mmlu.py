"""Scopes from the files of MMLU and MMLU-Pro: ``mmlu:FOLDER#task``, ``mmlu-pro:FILE#category``.

MMLU: one CSV file a task, named TASK_test.csv, in the folder or in its subfolder `test`; with the header
`question,choice0,choice1,choice2,choice3,answer` and the answer counted from 0, or without a header and the answer as a letter.
Worked examples (`?shots=5`) are the first of TASK_dev.csv, there or in a subfolder `dev`.
MMLU-Pro: JSON Lines with `question_id`, `question`, `options`, `answer` (a letter) and `category`. The question's id is
`question_id`, so answers recorded elsewhere are found by it; for MMLU it is the task and the number of the row. Worked
examples come from `validation.jsonl` or `validation.jsonl.gz` in the same folder, by category; their reasoning is not shown.
Sources: `hendrycks2021`, `wang2024mmlupro`.
"""

from __future__ import annotations

from pathlib import Path
from string import ascii_uppercase

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.errors import BadFile
from vivavoce.formats.lines import choose, json_lines, table_rows
from vivavoce.formats.wording import first_problem
from vivavoce.scopes.questions import MAX_OPTIONS, Question

_CHOICES = 4
_HEADER = ["question", *(f"choice{i}" for i in range(_CHOICES)), "answer"]
_SUFFIX = "_test.csv"
_DEV = "_dev.csv"
_VALIDATION = ("validation.jsonl", "validation.jsonl.gz")


def mmlu_questions(folder: Path, task: str = "") -> tuple[Question, ...]:
    """The questions of one task, or of all; raises `BadFile`, and `UnknownName` for a task that is not there."""
    files = _files(folder, "test", _SUFFIX)
    tasks = [choose("task", task, sorted(files))] if task else sorted(files)
    return tuple(question for name in tasks for question in _task(files[name], name))


def mmlu_examples(folder: Path, task: str = "") -> tuple[Question, ...]:
    """The questions of a task, or of all, that are for worked examples; raises `BadFile`."""
    files = _files(folder, "dev", _DEV)
    return tuple(question for name in sorted(files) if task in ("", name) for question in _task(files[name], name))


def _files(folder: Path, subfolder: str, suffix: str) -> dict[str, Path]:
    """The file of each task."""
    places = (folder, folder / subfolder)
    files = {file.name.removesuffix(suffix): file for place in places for file in place.glob(f"*{suffix}")}
    if not files:
        raise BadFile(folder, f"no file named TASK{suffix}, here or in a subfolder '{subfolder}'")
    return files


def _task(file: Path, task: str) -> list[Question]:
    questions: list[Question] = []
    for line, row in table_rows(file):
        if not questions and [cell.strip().lower() for cell in row] == _HEADER:
            continue
        if len(row) != len(_HEADER):
            raise BadFile(file, f"{len(row)} columns, must be {len(_HEADER)}: {', '.join(_HEADER)}", line=line)
        text, *options, answer = (cell.strip() for cell in row)
        letter = ascii_uppercase[int(answer)] if answer in {"0", "1", "2", "3"} else answer
        if letter not in ("A", "B", "C", "D"):
            raise BadFile(file, f"the answer is '{answer[:40]}', must be 0 to 3 or A to D", line=line)
        questions.append(Question(f"{task}/{len(questions) + 1}", text, tuple(options), (letter,), category=task))
    if not questions:
        raise BadFile(file, "holds no questions")
    return questions


class ProRow(BaseModel):
    """One line of an MMLU-Pro file."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    question_id: str
    question: str
    options: list[str] = Field(min_length=2, max_length=MAX_OPTIONS)
    answer: str
    category: str = ""


def mmlu_pro_questions(file: Path, category: str = "") -> tuple[Question, ...]:
    """The questions of one category, or of all; raises `BadFile`, and `UnknownName` for a category that is not there."""
    questions: list[Question] = []
    lines: dict[str, int] = {}
    for line, value in json_lines(file):
        try:
            row = ProRow.model_validate(value)
        except ValidationError as error:
            raise BadFile(file, first_problem(error), line=line) from error
        if lines.setdefault(row.question_id, line) != line:
            raise BadFile(file, f"question_id {row.question_id} is already on line {lines[row.question_id]}", line=line)
        if row.answer not in list(ascii_uppercase[: len(row.options)]):
            raise BadFile(file, f"answer '{row.answer[:40]}' is not the letter of one of {len(row.options)} options", line=line)
        questions.append(Question(row.question_id, row.question, tuple(row.options), (row.answer,), category=row.category))
    if not questions:
        raise BadFile(file, "holds no questions")
    if not category:
        return tuple(questions)
    choose("category", category, sorted({question.category for question in questions}))
    return tuple(question for question in questions if question.category == category)


def mmlu_pro_examples(file: Path, category: str = "") -> tuple[Question, ...]:
    """The questions of a category, or of all, that are for worked examples; raises `BadFile`."""
    beside = next((place for name in _VALIDATION if (place := file.with_name(name)).is_file()), None)
    if beside is None:
        raise BadFile(file, f"no {_VALIDATION[0]} in its folder: put the validation questions of MMLU-Pro there, as JSON Lines")
    return tuple(question for question in mmlu_pro_questions(beside) if category in ("", question.category))
