"""Scopes from files of benchmarks: ``mmlu:FOLDER#task``, ``mmlu-pro:FILE#category``, ``bbh:FOLDER#task``.

MMLU: one CSV file a task, named TASK_test.csv, in the folder or in its subfolder `test`; with the header
`question,choice0,choice1,choice2,choice3,answer` and the answer counted from 0, or without a header and the answer as a letter.
Worked examples (`?shots=5`) are the first of TASK_dev.csv, there or in a subfolder `dev`.

MMLU-Pro: JSON Lines with `question_id`, `question`, `options`, `answer` (a letter) and `category`. The question's id is
`question_id`, so answers recorded elsewhere are found by it; for MMLU it is the task and the number of the row. Worked
examples come from `validation.jsonl` or `validation.jsonl.gz` in the same folder, by category; their reasoning is not shown.

BIG-Bench Hard: one file TASK.json a task, ``{"examples": [{"input": ..., "target": ...}]}``. Options at the end of an input,
lettered or as a list, become the question's options, and so do "yes" and "no" (or "True" and "False") if one of them is
the target. Other targets are free answers: a number, words, brackets. A target that is not among its input's options is a free
answer too: in the published files three option lists are broken at commas, one is cut short. Ids are the task and the number of
the example. Worked examples (`?shots=3`) are the questions of `cot-prompts/TASK.txt` in the folder or next to it, with their
answers and without their reasoning.

Sources: `hendrycks2021`, `wang2024mmlupro`, `suzgun2022`.
"""

from __future__ import annotations

import re
from pathlib import Path
from string import ascii_uppercase

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.errors import BadFile
from vivavoce.formats.lines import choose, json_lines, table_rows, whole_json, whole_text
from vivavoce.formats.wording import first_problem
from vivavoce.interview.forms.plain import fold
from vivavoce.scopes.questions import MAX_OPTIONS, Match, Question

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
    """The worked examples of a task, or of all; raises `BadFile`."""
    files = _files(folder, "dev", _DEV)
    return tuple(question for name in sorted(files) if task in ("", name) for question in _task(files[name], name))


def _files(folder: Path, subfolder: str, suffix: str) -> dict[str, Path]:
    """The file of each task."""
    places = (folder, folder / subfolder)
    files = {file.name.removesuffix(suffix): file for path in places for file in path.glob(f"*{suffix}")}
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

    model_config = ConfigDict(defer_build=True, coerce_numbers_to_str=True)

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
    """The worked examples of a category, or of all; raises `BadFile`."""
    beside = next((path for name in _VALIDATION if (path := file.with_name(name)).is_file()), None)
    if beside is None:
        raise BadFile(file, f"no {_VALIDATION[0]} in its folder: put the validation questions of MMLU-Pro there, as JSON Lines")
    return tuple(question for question in mmlu_pro_questions(beside) if category in ("", question.category))


_PROMPTS = "cot-prompts"
_LETTERED = re.compile(r"\(([A-Z])\)\s?(.*)")
_PAIRS = (("Yes", "No"), ("True", "False"))


class BenchmarkExample(BaseModel):
    """One question of a task."""

    model_config = ConfigDict(defer_build=True)

    input: str = Field(min_length=1)
    target: str = Field(min_length=1)


class BenchmarkTask(BaseModel):
    """One file."""

    model_config = ConfigDict(defer_build=True)

    examples: list[BenchmarkExample] = Field(min_length=1)


def bbh_questions(folder: Path, task: str = "") -> tuple[Question, ...]:
    """The questions of one task, or of all; raises `BadFile`, and `UnknownName` for a task that is not there."""
    files = {file.stem: file for file in folder.glob("*.json")}
    if not files:
        raise BadFile(folder, "no file named TASK.json here")
    tasks = [choose("task", task, sorted(files))] if task else sorted(files)
    return tuple(
        _question(f"{name}/{number}", example, name)
        for name in tasks
        for number, example in enumerate(_examples(files[name]), start=1)
    )


def bbh_examples(folder: Path, task: str = "") -> tuple[Question, ...]:
    """The worked examples; raises `BadFile`."""
    places = (folder / _PROMPTS, folder.absolute().parent / _PROMPTS)
    files = {file.stem: file for path in places for file in path.glob("*.txt")}
    if not files:
        raise BadFile(folder, f"no file {_PROMPTS}/TASK.txt here or next to it: it holds the worked examples")
    return tuple(
        _question(f"{name}/example {number}", example, name)
        for name in sorted(files)
        if task in ("", name)
        for number, example in enumerate(_worked(whole_text(files[name])), start=1)
    )


def _worked(text: str) -> list[BenchmarkExample]:
    """The questions of a file of worked examples, each with what follows "the answer is"."""
    parts = (part.partition("\nA:") for part in text.replace("\r", "").split("\nQ:")[1:])
    rows = ((asked.strip(), worked.rpartition("answer is")[2].strip().removesuffix(".")) for asked, _, worked in parts)
    return [BenchmarkExample(input=asked, target=target) for asked, target in rows if asked and target]


def _examples(file: Path) -> list[BenchmarkExample]:
    value = whole_json(file)
    try:
        return BenchmarkTask.model_validate(value).examples
    except ValidationError as error:
        raise BadFile(file, first_problem(error)) from error


def _question(question_id: str, example: BenchmarkExample, task: str) -> Question:
    text, options = _parted(example.input)
    target = example.target.strip()
    if not options:
        options = next((pair for pair in _PAIRS if fold(target) in map(fold, pair)), ())
    letter = _letter(target, options)
    if letter:
        return Question(question_id, text, options, (letter,), category=task)
    # lists of words or brackets must match as a whole: one with the same ending is another answer
    match: Match | None = "exact" if len(target.split()) > 1 else None
    return Question(question_id, example.input.strip(), (), _spellings(target), category=task, match=match)


def _parted(text: str) -> tuple[str, tuple[str, ...]]:
    """The question, and the options at its end; none if they are not all lettered in order, or all listed by dashes."""
    question, _, block = text.rpartition("\nOptions:")
    lines = [line.strip() for line in block.splitlines() if line.strip()]
    if not question or not 2 <= len(lines) <= MAX_OPTIONS:
        return text.strip(), ()
    if all(line.startswith("- ") for line in lines):
        return question.strip(), tuple(line[2:].strip() for line in lines)
    matches = [m for line in lines if (m := _LETTERED.fullmatch(line))]
    if "".join(m[1] for m in matches) != ascii_uppercase[: len(lines)]:
        return text.strip(), ()
    return question.strip(), tuple(m[2].strip() for m in matches)


def _letter(target: str, options: tuple[str, ...]) -> str:
    """The letter of the option that a target names as "(B)" or by its text; empty if it names none."""
    letters = ascii_uppercase[: len(options)]
    named = [letter for letter, option in zip(letters, options, strict=True) if fold(option) == fold(target)]
    return next((letter for letter in letters if target == f"({letter})"), named[0] if named else "")


def _spellings(target: str) -> tuple[str, ...]:
    """A list of words may be written with commas, and brackets without spaces."""
    parts = target.split()
    if len(parts) < 2:
        return (target,)
    return (target, ", ".join(parts)) if any(part.isalnum() for part in parts) else (target, "".join(parts))
