"""Replies are read by forms alone: no pattern is applied to one anywhere else."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import vivavoce

SOURCE: Final = Path(vivavoce.__file__).parent
OF_OTHER_THINGS: Final = {
    "candidates/bots/calculator.py": "prompts",
    "candidates/bots/chatterbots.py": "prompts",
    "candidates/bots/timekeeper.py": "prompts",
    "candidates/chat/candidate.py": "addresses and error messages",
    "candidates/chat/reply.py": "error messages",
    "candidates/chat/server_errors.py": "error messages",
    "candidates/human.py": "names of people",
    "certificate/explanations/procedures.py": "programs in a reply, which are run and not read",
    "certificate/design/history.py": "names of candidates",
    "studies/variations/writing.py": "files that people have edited",
    "luna/players.py": "questions, which it likens to each other",
    "examination/recheck/sweep.py": "places in documents",
    "examination/recheck/consistency.py": "names of candidates",
    "scopes/listed_and_endless.py": "addresses of files",
    "eqt/concept_extraction.py": "the name of a concept in a reply without a form",
    "eqt/pipeline.py": "options that name positions",
    "interview/reading.py": "the marks of thoughts, before a form reads the reply",
}
"""Modules that know replies and apply patterns, but to other things."""
REPLIES: Final = {"Reply", "NoAnswer", "heard"}


def names_imported(tree: ast.Module) -> set[str]:
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return {alias.name for node in nodes for alias in node.names}


def readers(source: Path) -> set[str]:
    """Modules outside the forms that import `re` and know replies."""
    result = set()
    for file in source.rglob("*.py"):
        name, text = file.relative_to(source).as_posix(), file.read_text(encoding="utf-8")
        if name.startswith("interview/forms/") or "import re" not in text or not any(word in text for word in REPLIES):
            continue  # to take it apart is slow
        imported = names_imported(ast.parse(text))
        if "re" in imported and imported & REPLIES:
            result.add(name)
    return result


def test_no_pattern_is_applied_to_a_reply_outside_the_forms() -> None:
    assert readers(SOURCE) <= OF_OTHER_THINGS.keys(), "read it by a form (vivavoce.interview.forms)"


def test_a_reader_of_its_own_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "room.py").write_text("import re\nfrom vivavoce.interview import Reply\n", encoding="utf-8")
    (tmp_path / "other.py").write_text("import re\n", encoding="utf-8")
    assert readers(tmp_path) == {"room.py"}
