"""Several scopes as one, without some tasks and without long questions: ``pool:FILE.toml``, ``pool:FOLDER``.

A file says which:

    scopes = ["mmlu:mmlu", "bbh:bbh"]       # places from the file's folder on
    without = ["dyck_languages"]            # categories that are left out
    longest = 750                           # characters of a question with its lettered options

A folder holds the folders `mmlu` and `bbh`, and is the pool of 79 tasks of `vafa2024` (appendix A): all 57 of MMLU, and 22 of
BIG-Bench Hard, without those that it found hard to understand for people, up to 750 characters. The paper counts 16,347
questions; here are 16,445. Counted as in its published files, where the line "Options:" is part of a question, 16,439 are short
enough, of which 16,332 differ. `docs/appendix/question-files.md` says what else was tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import whole_toml
from vivavoce.formats.wording import first_problem
from vivavoce.scopes.questions import Question

Opened = Callable[[str], Sequence[Question]]
"""The questions of a scope by its name."""


class Pool(BaseModel):
    """The contents of a pool file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scopes: tuple[str, ...] = Field(min_length=1, max_length=1_000)
    without: tuple[str, ...] = ()
    longest: Annotated[int, Field(ge=1)] | None = None
    """None: of any length."""


PAPERS: Final = Pool(
    scopes=("mmlu:mmlu", "bbh:bbh"),
    without=(
        "boolean_expressions",
        "dyck_languages",
        "salient_translation_error_detection",
        "word_sorting",
        "geometric_shapes",
    ),
    longest=750,
)
"""Appendix A of `vafa2024` leaves out DROP, too, which is no task in the files of BIG-Bench Hard."""


def pool_questions(path: Path, opened: Opened) -> tuple[Question, ...]:
    """The questions of a pool, in the order of its scopes.

    Raises `BadFile` for an invalid file, for an unknown category to leave out, and for two questions with one id.
    """
    pool, folder = (PAPERS, path) if path.is_dir() else (_read(path), path.parent)
    questions: list[Question] = []
    for name in pool.scopes:
        questions += opened(_moved(name, folder, path))
    tasks = {question.category for question in questions}
    if unknown := [name for name in pool.without if name not in tasks]:
        raise BadFile(path, f"leaves out '{unknown[0][:80]}', which none of its scopes has as a category")
    kept = [
        question
        for question in questions
        if question.category not in pool.without and length(question) <= (pool.longest or length(question))
    ]
    ids: set[str] = set()
    for question in kept:
        if question.id in ids:
            raise BadFile(path, f"two of its scopes have a question with the id '{question.id[:80]}'")
        ids.add(question.id)
    if not kept:
        raise BadFile(path, "leaves no questions: leave out fewer")
    return tuple(kept)


def length(question: Question) -> int:
    """Characters of a question with its options, each on a line with its letter.

    >>> length(Question("q", "2 + 2?", ("3", "4"), ("B",))), len("2 + 2?\\n(A) 3\\n(B) 4")
    (18, 18)
    """
    return len(question.text) + sum(len("\n(A) ") + len(option) for option in question.options)


def _read(file: Path) -> Pool:
    try:
        return Pool.model_validate(whole_toml(file))
    except ValidationError as error:
        raise BadFile(file, first_problem(error)) from error


def _moved(name: str, folder: Path, path: Path) -> str:
    """The name of a scope whose files are looked for from that folder on."""
    kind, colon, where = name.partition(":")
    if kind == "pool":
        raise BadFile(path, f"'{name[:80]}' is a pool itself: name its scopes instead")
    if not colon or not where:
        raise BadInput(f"'{name[:80]}' is not a scope with a file: a pool combines scopes such as mmlu:FOLDER and file:FILE")
    return name if kind == "hf" or Path(where).is_absolute() else f"{kind}:{folder / where}"
