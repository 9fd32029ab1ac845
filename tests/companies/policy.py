"""Writes policies from compact rules: documents in three formats, and the facts that they state, as questions with answers.

A rule is a sentence about one of several items (bikes, offices, materials) with questions about it. `PolicyDocument` collects
the blocks of a document and its facts; each fact names the sentences or table rows that state it, word for word.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Item = Mapping[str, Any]
"""Fields of what a rule is about; `name` is among them, and `Name` is added with a capital."""
Words = str | Callable[[Item, int], str]
"""A template with fields in braces, of which `n` is a number of the case, or a function of the item and `n`."""
FactKind = Literal["fact", "comparison", "condition", "exception", "calculation", "not answered here"]
KINDS: tuple[FactKind, ...] = ("fact", "comparison", "condition", "exception", "calculation", "not answered here")


@dataclass(frozen=True, slots=True)
class PolicyFact:
    """A question that a document answers, or leaves open."""

    id: str
    document: str
    section: str
    kind: FactKind
    question: str
    answer: str
    """Empty if the documents do not answer it."""
    others: tuple[str, ...]
    """Other spellings of the answer."""
    wrong: str
    """What someone says who reads the wrong row, overlooks the exception, miscalculates or invents."""
    evidence: tuple[str, ...]
    """Sentences or rows of tables (with " | " between cells) that state it, word for word; for a question that is not
    answered the sentence that comes closest."""
    in_table: bool = False
    about: str = ""
    """The item's name; empty for a rule about none."""

    def is_stated_in(self, passage: str) -> bool:
        """Whether a passage, with the headings above it, has all of the evidence and names the item."""
        return self.about.lower() in passage.lower() and all(text in passage for text in self.evidence)

    @property
    def row(self) -> dict[str, Any]:
        """The row of a question file."""
        answers = [self.answer, *self.others] if self.answer else ["I don't know"]
        idk = 0.01 if self.answer else 1
        return {"id": self.id, "question": self.question, "answer": answers, "idk_score": idk, "category": self.kind}


@dataclass(frozen=True, slots=True)
class Ask:
    """A question about a rule. `cases` are the values of `n` for which it is asked."""

    kind: FactKind
    question: Words
    answer: Words = ""
    wrong: Words = ""
    """Empty: the answer for the next item, or for the next case."""
    others: tuple[str, ...] = ()
    cases: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """A sentence about each item, in one of several wordings in turn, and questions about it."""

    wordings: tuple[str, ...]
    asks: tuple[Ask, ...] = ()


def rule(*wordings: str, asks: Sequence[Ask] = ()) -> PolicyRule:
    """A rule with these wordings."""
    return PolicyRule(wordings, tuple(asks))


def filled(words: Words, item: Item, n: int = 0) -> str:
    """The words about an item.

    >>> filled("{Name} costs {fee} euros.", {"name": "the lock", "fee": 4})
    'The lock costs 4 euros.'
    """
    if callable(words):
        return words(item, n)
    name = str(item.get("name", ""))
    return words.format(**item, Name=name[:1].upper() + name[1:], n=n)


@dataclass(slots=True)
class PolicyDocument:
    """A document of a company and its facts. The ending of its name decides on the format: md, html, docx or txt."""

    name: str
    title: str
    blocks: list[tuple[int, str | list[tuple[str, ...]]]] = field(default_factory=list)
    """Level 1 to 3 and text of a heading; level 0 and a paragraph or the rows of a table."""
    facts: list[PolicyFact] = field(default_factory=list)
    _section: str = ""

    def __post_init__(self) -> None:
        self.heading(self.title, 1)

    def heading(self, text: str, level: int = 2) -> None:
        self._section = text
        self.blocks.append((level, text))

    def text(self, *rules: PolicyRule | str) -> None:
        """A paragraph of rules that are about no item."""
        self._paragraph([entry if isinstance(entry, PolicyRule) else rule(entry) for entry in rules], [{}], 0)

    def items(self, items: Sequence[Item], *rules: PolicyRule, heading: str = "") -> None:
        """A paragraph about each item, under its own heading if a template for it is given."""
        for index in range(len(items)):
            if heading:
                self.heading(filled(heading, items[index]), 3)
            self._paragraph(rules, items, index)

    def _paragraph(self, rules: Iterable[PolicyRule], items: Sequence[Item], index: int) -> None:
        sentences = []
        for each in rules:
            sentence = filled(each.wordings[index % len(each.wordings)], items[index])
            sentences.append(sentence)
            self._ask(each.asks, items, index, (sentence,))
        self.blocks.append((0, " ".join(sentences)))

    def table(self, items: Sequence[Item], columns: Mapping[str, Words], *asks: Ask) -> None:
        """A table with a row for each item."""
        rows = [tuple(columns), *(tuple(filled(words, item) for words in columns.values()) for item in items)]
        self.blocks.append((0, rows))
        for index, row in enumerate(rows[1:]):
            self._ask(asks, items, index, (" | ".join(row),), in_table=True)

    def compare(self, items: Sequence[Item], key: str, question: str) -> None:
        """Ask which of two items of a table or list, `a` and `b`, has more of something; equal ones are left out."""
        by_name = {str(item["name"]): item for item in items}
        stated = {name: self._stating(str(item[key]), name) for name, item in by_name.items()}
        pairs = [(a, b) for a in by_name for b in by_name if a < b and by_name[a][key] != by_name[b][key]]
        for a, b in pairs:
            more, less = sorted((a, b), key=lambda name: by_name[name][key], reverse=True)
            self._add("comparison", question.format(a=a, b=b), more, less, stated[a] + stated[b])

    def _stating(self, value: str, name: str) -> tuple[str, ...]:
        """The shortest sentence or row about an item that has the value."""
        stating = [text for fact in self.facts if fact.about == name for text in fact.evidence if value in text]
        return (min(stating, key=len),)

    def _ask(
        self, asks: Iterable[Ask], items: Sequence[Item], index: int, evidence: tuple[str, ...], *, in_table: bool = False
    ) -> None:
        item = items[index]
        for ask in asks:
            for case, n in enumerate(ask.cases):
                answer = filled(ask.answer, item, n)
                wrong = filled(ask.wrong, item, n) or self._mistaken(ask, items, index, case)
                others = tuple(filled(other, item, n) for other in ask.others)
                self._add(
                    ask.kind, filled(ask.question, item, n), answer, wrong, evidence, others, in_table, item.get("name", "")
                )

    @staticmethod
    def _mistaken(ask: Ask, items: Sequence[Item], index: int, case: int) -> str:
        right = filled(ask.answer, items[index], ask.cases[case])
        others = [filled(ask.answer, item, ask.cases[case]) for item in (*items[index + 1 :], *items[:index])]
        others += [filled(ask.answer, items[index], n) for n in (*ask.cases[case + 1 :], *ask.cases[:case])]
        return next((other for other in others if other != right), "")

    def _add(
        self,
        kind: FactKind,
        question: str,
        answer: str,
        wrong: str,
        evidence: tuple[str, ...],
        others: tuple[str, ...] = (),
        in_table: bool = False,
        about: str = "",
    ) -> None:
        number = f"{self.name}/{len(self.facts) + 1}"
        fact = PolicyFact(number, self.name, self._section, kind, question, answer, others, wrong, evidence, in_table, about)
        self.facts.append(fact)

    @property
    def words(self) -> int:
        """The number of words."""
        texts = [
            content if isinstance(content, str) else " ".join(" ".join(row) for row in content) for _, content in self.blocks
        ]
        return sum(len(text.split()) for text in texts)

    def write(self, folder: Path) -> Path:
        """Write the document into a folder, and return the file."""
        file = folder / self.name
        if file.suffix == ".docx":
            _write_word(file, self.blocks)
        else:
            render = {".md": _markdown, ".html": _page, ".txt": _plain}[file.suffix]
            file.write_text("\n\n".join(render(level, content) for level, content in self.blocks) + "\n", encoding="utf-8")
        return file


def _markdown(level: int, content: str | list[tuple[str, ...]]) -> str:
    if isinstance(content, str):
        return f"{'#' * level} {content}" if level else content
    rows = [f"| {' | '.join(row)} |" for row in content]
    return "\n".join([rows[0], f"|{'---|' * len(content[0])}", *rows[1:]])


def _page(level: int, content: str | list[tuple[str, ...]]) -> str:
    if isinstance(content, str):
        tag = f"h{level}" if level else "p"
        return f"<{tag}>{html.escape(content, quote=False)}</{tag}>"
    rows = ["".join(f"<td>{html.escape(cell, quote=False)}</td>" for cell in row) for row in content]
    return "\n".join(["<table>", *(f"<tr>{row}</tr>" for row in rows), "</table>"])


def _plain(level: int, content: str | list[tuple[str, ...]]) -> str:
    if isinstance(content, str):
        return content.upper() if level else content
    return "\n".join(" | ".join(row) for row in content)


def _write_word(file: Path, blocks: Iterable[tuple[int, str | list[tuple[str, ...]]]]) -> None:
    import docx

    document = docx.Document()
    for level, content in blocks:
        if isinstance(content, str) and level:
            document.add_heading(content, level=level)
        elif isinstance(content, str):
            document.add_paragraph(content)
        else:
            table = document.add_table(rows=0, cols=len(content[0]))
            for row in content:
                for cell, text in zip(table.add_row().cells, row, strict=True):
                    cell.text = text
    document.save(str(file))


@dataclass(frozen=True, slots=True)
class Company:
    """A made-up company with its documents."""

    name: str
    documents: tuple[PolicyDocument, ...]

    @property
    def facts(self) -> tuple[PolicyFact, ...]:
        """The facts of all documents, each question once."""
        return tuple({fact.question: fact for document in self.documents for fact in document.facts}.values())

    def write(self, folder: Path) -> list[Path]:
        """Write all documents into a folder."""
        return [document.write(folder) for document in self.documents]
