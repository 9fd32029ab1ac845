"""Files of made questions, of rejected ones, and the summary that counts them by kind and by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from vivavoce.documents.kinds import KINDS
from vivavoce.documents.writing import QuestionDraft, QuestionRejection
from vivavoce.formats.wording import count, numbered
from vivavoce.report.blocks import Caveats, Column, Items, Report, ReportRow, ReportSection, ReportTable
from vivavoce.report.cells import TableCell, count_cell
from vivavoce.scopes.made_questions import UNCHECKED, MakingRecord

_NOT_DONE: Final = (QuestionRejection.NOT_WRITTEN, QuestionRejection.UNCHECKED)


@dataclass(frozen=True, slots=True)
class KindTally:
    """Counts of the draws of one kind."""

    drawn: int
    kept: int

    @property
    def rejected(self) -> int:
        """How many were rejected."""
        return self.drawn - self.kept

    json_keys = "drawn kept rejected"


@dataclass(frozen=True)
class MadeQuestions:
    """All drafts of a run."""

    drafts: Sequence[QuestionDraft]
    writer: str
    checker: str
    """Its name, or `none`."""
    documents: int
    passages: int
    seed: int
    exhausted: str = ""
    """The limit of the budget that ended the questions; empty if none did."""
    asked_so: tuple[str, ...] = ()
    """Caveats on how writer and checker were asked."""

    json_keys = "writer checker documents passages seed exhausted drawn kept kinds reasons caveats"

    @cached_property
    def decided(self) -> Sequence[QuestionDraft]:
        """The drafts that were written, and checked if they had to be: all, unless the budget ran out."""
        return [draft for draft in self.drafts if draft.fault is None or draft.fault.reason not in _NOT_DONE]

    @property
    def drawn(self) -> int:
        """How many draws were decided."""
        return len(self.decided)

    @property
    def kept(self) -> int:
        """How many questions the file has."""
        return sum(draft.fault is None for draft in self.drafts)

    @property
    def record(self) -> MakingRecord:
        """How the questions were made, for each row."""
        return MakingRecord(
            writer=self.writer,
            checker=self.checker,
            documents=self.documents,
            drawn=self.drawn,
            kept=self.kept,
            reviewed=0,
        )

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the question file."""
        made = self.record.model_dump(exclude_none=True)
        return [{**draft.row, **_origin(draft), "made": made} for draft in self.drafts if draft.fault is None]

    @property
    def rejected_rows(self) -> list[dict[str, Any]]:
        """The rejected questions with their reasons."""
        return [
            {
                "id": draft.id,
                "reason": str(draft.fault),
                "question": draft.text,
                "answer": list(draft.answers),
                "category": draft.draw.kind.name,
                **_origin(draft),
            }
            for draft in self.drafts
            if draft.fault is not None
        ]

    @property
    def kinds(self) -> Mapping[str, KindTally]:
        """Counts by kind."""
        drawn = Counter(draft.draw.kind.name for draft in self.decided)
        kept = Counter(draft.draw.kind.name for draft in self.decided if draft.fault is None)
        return {kind.name: KindTally(drawn[kind.name], kept[kind.name]) for kind in KINDS}

    @property
    def reasons(self) -> Mapping[str, int]:
        """Numbers of rejected questions by reason, most frequent first."""
        return dict(Counter(draft.fault.reason.value for draft in self.drafts if draft.fault).most_common())

    @property
    def finished(self) -> bool:
        """Whether every draw was decided, and some questions were kept."""
        return not self.exhausted and self.kept > 0

    @property
    def statement(self) -> str:
        """The result in one sentence."""
        ended = f" The budget of {self.exhausted} ran out before the end." if self.exhausted else ""
        return (
            f"{count(self.kept)} of {numbered(self.drawn, 'question')} kept, {count(self.drawn - self.kept)} rejected.{ended}"
        )

    @property
    def caveats(self) -> tuple[str, ...]:
        """Sentences on what kept questions do not guarantee, and on how writer and checker were asked."""
        sentences = (
            "No one has reviewed the questions. People find faults that models miss: 'viva make review' reads their sheets.",
            "No model checked the questions: some have wrong answers, or can be answered without the documents."
            if self.checker == UNCHECKED
            else "The writer checked itself, so it may repeat its own mistakes: name another model as --checker."
            if self.checker == self.writer
            else "A checker makes mistakes, too: read a sample of kept and of rejected questions.",
        )
        return (*sentences, *self.asked_so)

    def report(self) -> Report:
        """A report with the counts of each kind, and of each reason for rejections."""
        kinds = [*self.kinds.items()]
        reasons = tuple(f"{count(number)}: {reason}" for reason, number in self.reasons.items())
        total = KindTally(self.drawn, self.kept)
        return Report(
            kind="Questions about documents",
            title=f"Questions about {numbered(self.documents, 'document')}, written by {self.writer}",
            headline=self.statement,
            blocks=(
                ReportTable(
                    tuple(map(Column, ("Kind", "Drawn", "Kept", "Rejected"))),
                    tuple(_row(name, tally) for name, tally in kinds),
                    foot=(_row("all", total),),
                ),
                Caveats(self.caveats),
                ReportSection("Rejected", (Items(reasons),) if reasons else ()),
            ),
            statement=self.statement,
        )


def _row(name: str, tally: KindTally) -> ReportRow:
    return ReportRow(TableCell(name), tuple(map(count_cell, (tally.drawn, tally.kept, tally.rejected))))


def _origin(draft: QuestionDraft) -> dict[str, str]:
    passage = draft.draw.passage
    return {"passage": passage.text, "document": passage.where, "difficulty": draft.difficulty}
