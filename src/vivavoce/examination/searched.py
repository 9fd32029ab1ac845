"""Where contradictions are searched: the questions of a scope, or defendants."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from vivavoce.studies.config import VaryConfig
from vivavoce.consistency.legal.bail.defendants import read_defendants
from vivavoce.consistency.relations.score import Source
from vivavoce.consistency.search.config import ContradictionSearchConfig
from vivavoce.consistency.search.spaces.bail import Defendants, defendants_space
from vivavoce.consistency.search.spaces.varied import VariedQuestions, kinds_of
from vivavoce.examination.varied import Varied, subjects_of
from vivavoce.formats.lines import file_digest

OF_QUESTIONS: Final = ("order", "typos", "context", "persona")
"""Kinds that are combined where none are named."""


def among_questions(
    scope: Varied, title: str, vary: Sequence[str] | None, config: ContradictionSearchConfig
) -> tuple[VariedQuestions, Source]:
    """The questions that the scope draws by the seed, under these kinds of variation. Raises what `kinds_of` raises."""
    kinds = kinds_of(OF_QUESTIONS if vary is None else vary)
    subjects = subjects_of(scope, VaryConfig(questions=config.cases, seed=config.seed))
    return VariedQuestions(subjects, kinds, config.seed), Source(title, scope.digest)


def among_defendants(file: Path, config: ContradictionSearchConfig) -> tuple[Defendants, Source]:
    """Records of defendants. Raises `BadFile`."""
    space = defendants_space(read_defendants(file), cases=config.cases, seed=config.seed)
    return space, Source(file.name, file_digest(file))
