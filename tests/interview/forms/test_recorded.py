"""Replies of real models, and where replies are read."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vivavoce
from tests.interview.forms.instances import FORMS_BY_NAME, form_named, noted
from vivavoce.certificate.explanations.procedures import request
from vivavoce.consistency.legal.paraphrasing import HEADING, paraphrases_in
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.forms.form import Outcome, ParsedReply
from vivavoce.interview.forms.prose import Proposal, Proposals, copied_share, repeats
from vivavoce.interview.forms.written_question import WrittenQuestion
from vivavoce.interview.forms.written_texts import Rewording, Rewordings
from vivavoce.interview.reading import COPIED, WAS_READ, read, unread_caveats_of
from vivavoce.luna.messages import questions_prompt
from vivavoce.scopes import open_scope

FOLDER: Final = Path(__file__).parents[2] / "replies"
LEAST: Final = 400
LEAST_WITHOUT: Final = 100
"""Replies in which a person reads no answer."""


@dataclass(frozen=True)
class RecordedReply:
    """A reply of a real model, and what a person reads in it."""

    where: str
    form: str
    prompt: Prompt
    reply: Reply
    person: Any

    @property
    def reader(self) -> Any:
        """What the form reads."""
        assert self.prompt.form is not None
        reading = read(self.prompt, self.reply)
        if reading.outcome is Outcome.DONT_KNOW:
            return reading.outcome.value
        if isinstance(self.prompt.form, Rewordings):
            return self._versions(reading, self.prompt.form.number)
        return noted(self.prompt.form, reading.value)

    def _versions(self, reading: ParsedReply[Any], number: int) -> list[int] | None:
        """Those that can be used: a text given twice is no second version."""
        fact = self.prompt.text.split(f"{HEADING}\n")[1].split("\n\n")[0]
        value = enumerate(paraphrases_in(reading, fact, number), start=1)
        return [index for index, version in value if not version.problem] or None


def recorded() -> Iterator[RecordedReply]:
    """All of them."""
    for file in sorted(FOLDER.glob("*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            document = json.loads(line)
            prompt = Prompt(
                document["prompt"], document.get("system", ""), form=form_named(document["form"], document["settings"])
            )
            reply = Reply(document["reply"], finish=document.get("finish", ""))
            yield RecordedReply(f"{file.name}:{number}", document["form"], prompt, reply, document["person"])


@pytest.fixture(scope="module")
def replies() -> list[RecordedReply]:
    return list(recorded())


def test_there_are_enough_of_every_form(replies: list[RecordedReply]) -> None:
    assert len(replies) >= LEAST
    assert sum(reply.person is None for reply in replies) >= LEAST_WITHOUT
    assert {reply.form for reply in replies} == set(FORMS_BY_NAME)


def test_nothing_is_read_wrongly(replies: list[RecordedReply]) -> None:
    wrong = {
        reply.where: (reply.reader, reply.person)
        for reply in replies
        if reply.reader is not None and reply.reader != reply.person
    }
    assert wrong == {}


def test_what_a_person_can_read_is_read(replies: list[RecordedReply]) -> None:
    """But for replies that were cut off: they may have had more to say, so they are never read."""
    readable = [reply for reply in replies if reply.person is not None and reply.reply.finish != "length"]
    missed = {entry.where: entry.person for entry in readable if entry.reader is None}
    assert len(missed) <= 0.02 * len(readable), missed


words = st.lists(st.text("abcdefgh", min_size=1, max_size=6), min_size=9, max_size=30).map(" ".join)


@given(words, words)
def test_the_share_is_of_runs_of_eight_words(text: str, other: str) -> None:
    assert copied_share(text, [text.upper()]) == 1
    assert copied_share(text, [other, f"{other} {text}"]) == 1
    assert 0 <= copied_share(text, [other]) <= 1


def test_half_of_a_reply() -> None:
    """Of 16 words there are nine runs of eight; those within the first twelve words are five."""
    task = "one two three four five six seven eight nine ten eleven twelve"
    assert copied_share(f"{task} and then no more", [task]) == pytest.approx(5 / 9)


def test_a_few_words_may_well_stand_in_a_task() -> None:
    assert not repeats("photosynthesis", "Write a question on photosynthesis and its use.")
    assert repeats("its use in the leaf", "Write a question on photosynthesis and its use in the leaf.")


def test_the_sentences_of_a_task_are_no_questions() -> None:
    prompt = questions_prompt("1")
    points = prompt.text.split(". ")[1:4]
    assert prompt.form is not None
    reading = prompt.form.read_fields({"questions": [*points, "Why?", "How?"]})
    assert reading.outcome is Outcome.COPIED
    assert prompt.form.read_fields({"questions": ["Who?", "When?", "Why?", "How?", "Where?"]}).value


def test_copies_are_told_where_more_than_a_tenth_are_some() -> None:
    assert unread_caveats_of({}) == unread_caveats_of({WAS_READ: 9, COPIED: 1}) == ()
    (caveat,) = unread_caveats_of({WAS_READ: 8, COPIED: 2})
    assert "may not have understood what it was asked" in caveat


def test_what_is_wanted_is_no_statement() -> None:
    form = Proposals(("not_P",), told="- not_P: The exact opposite of P: whatever happens, one of the two is answered yes")
    copy = "The exact opposite of P: whatever happens, one of the two is answered yes"
    assert form.read_fields({"not_P": copy}).outcome is Outcome.COPIED
    assert form.read(f"[Statement not_P] {copy}").outcome is Outcome.COPIED
    for written in ("Will it stay dry?", "“Will it stay dry?”", '**"Will it stay dry?"**'):
        assert form.read(f"[Statement not_P] {written}").value == Proposal({"not_P": "Will it stay dry?"})


def test_names_of_fields_are_no_options() -> None:
    fields = {"exam_question": "What is Ax = b?", "right_answers": ["An equation", "wrong_answers"], "wrong_answers": ["A sum"]}
    assert WrittenQuestion(3, 2).read_fields(fields).outcome is Outcome.COPIED


def test_the_original_within_other_words_is_no_rewording() -> None:
    original = "Which of the following statements is true about eigenvalues?"
    reading = Rewording(original).read(f"Paraphrase: The statement “{original}” is true if the correct answer is C.")
    assert reading.problem == "repeats the original"


def test_the_example_with_another_import_is_no_program_of_ones_own() -> None:
    scope = open_scope("arithmetic")
    form = request(scope.name, [], most=1).form
    assert form is not None
    example = form.example  # type: ignore[attr-defined]  # a form of programs
    changed = example.replace("import re", "from re import compile")
    assert changed != example
    assert form.read(f"```python\n{changed}\n```").problem == "the example alone"


SOURCE: Final = Path(vivavoce.__file__).parent
OF_OTHER_THINGS: Final = {
    "candidates/bots.py": "prompts",
    "candidates/chat/candidate.py": "addresses and error messages",
    "candidates/human.py": "names of people",
    "certificate/design/history.py": "names of candidates",
    "studies/variations/writing.py": "files that people have edited",
    "luna/players.py": "questions, which it likens to each other",
    "examination/recheck/sweep.py": "places in documents",
    "examination/recheck/consistency.py": "names of candidates",
    "scopes/listed_and_endless.py": "addresses of files",
    "eqt/concept_extraction.py": "the name of a concept in a reply without a form",
    "documents/writing.py": "questions that a form has read",
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
    assert readers(SOURCE) == OF_OTHER_THINGS.keys(), "read it by a form (vivavoce.interview.forms)"


def test_a_reader_of_its_own_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "room.py").write_text("import re\nfrom vivavoce.interview.candidate import Reply\n", encoding="utf-8")
    (tmp_path / "other.py").write_text("import re\n", encoding="utf-8")
    assert readers(tmp_path) == {"room.py"}
