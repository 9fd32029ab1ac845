"""What a dialogue changed: the comparison of the candidate after it with itself before, and the dialogue."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.report import shown
from vivavoce.examination.teaching.dialogue import Dialogue
from vivavoce.formats.wording import clipped, count, exactly, name_of
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Block, Caveats, Pairs, Report, Section
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported

SHOWN: Final = 2_000
"""Characters of a turn on a page."""
ONE_DIALOGUE: Final = "It holds for this dialogue, word for word: another one with the same teacher may do more, or less."
LENGTH: Final = (
    "Any long conversation before a question may change answers: to see what this one did, compare it with one about something "
    "else."
)
TOLD: Final = "The teacher saw no question that was asked later, but may have told what is right of questions like them."
ENDLESS: Final = (
    "The teacher may have told what is right of questions like those that were asked; as the scope has no end, it may by "
    "chance have been shown one of them."
)


@dataclass(frozen=True, slots=True, repr=False)
class TeachingFinding(Reported):
    """A paired certificate of what a dialogue changed."""

    comparison: Comparison
    """The first is the candidate after the dialogue, the second the same before it."""
    candidate: str
    dialogue: Dialogue

    @property
    def signature(self) -> Signature:
        """The comparison's."""
        return self.comparison.signature

    @property
    def name(self) -> str:
        """The candidate's, as readers are told it."""
        return name_of(self.candidate)

    @property
    def headline(self) -> str:
        """What the dialogue changed, in a sentence."""
        pair, margin = self.comparison.pairs[0], self.comparison.config.margin
        turns = f"{count(len(self.dialogue.exchanges))} turn{'' if len(self.dialogue.exchanges) == 1 else 's'}"
        after = f"After a dialogue of {turns} with {name_of(self.dialogue.teacher)}"
        on = f"on {self.comparison.on}"
        if pair.difference.value is None:
            return f"{after}, nothing was asked {on}."
        said = {
            "better": f"{self.name} is better {on}",
            "worse": f"{self.name} is worse {on}",
            "equal": f"{self.name} is the same {on}, up to {exactly(margin, '')}",
            "no worse": f"{self.name} is no worse {on} by {exactly(margin, '')} or more",
            "no conclusion": f"there is no conclusion on what has changed for {self.name} {on}",
        }[pair.verdict]
        return f"{after}, {said}: the difference of its mean scores is {shown(pair, margin)}."

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.comparison.basis}"

    @property
    def caveats(self) -> tuple[str, ...]:
        """What it does not show."""
        broken = f"The dialogue ended early: {self.dialogue.broken_off}." if self.dialogue.broken_off else ""
        told = ENDLESS if self.comparison.scope_size is None else TOLD
        return (*filter(None, (broken, ONE_DIALOGUE, LENGTH, told)), *self.comparison.caveats)

    def report(self) -> Report:
        """The comparison's, with the dialogue behind its numbers."""
        found = self._named.report()
        blocks = [Caveats(self.caveats) if isinstance(block, Caveats) else block for block in found.blocks]
        place = next((number for number, block in enumerate(blocks) if isinstance(block, Caveats)), len(blocks))
        return replace(
            found,
            kind="Before and after a dialogue",
            title=f"{self.name}, before and after a dialogue",
            headline=clipped(self.headline, 600),
            blocks=(*blocks[:place], self._said, *blocks[place:]),
            statement=self.statement,
        )

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; `comparison` is what `viva compare --json` prints."""
        return {
            "statement": self.statement,
            "verdict": self.comparison.verdict,
            "candidate": self.candidate,
            "teacher": self.dialogue.teacher,
            "dialogue": [{"teacher": one.asked, "candidate": one.replied} for one in self.dialogue.exchanges],
            "broken_off": self.dialogue.broken_off or None,
            "shown_to_teacher": list(self.dialogue.shown),
            "caveats": list(self.caveats),
            "comparison": self.comparison.as_json(),
            "signature": self.signature.line,
        }

    @property
    def _named(self) -> Comparison:
        """The comparison with candidates that are told apart at a glance."""
        titles = (f"{self.name}, after", f"{self.name}, before")
        return replace(
            self.comparison,
            candidates=tuple(replace(one, title=title) for one, title in zip(self.comparison.candidates, titles, strict=True)),
        )

    @property
    def _said(self) -> Block:
        turns = [
            pair
            for number, one in enumerate(self.dialogue.exchanges, start=1)
            for pair in ((f"Teacher, {number}", clipped(one.asked, SHOWN)), ("Candidate", clipped(one.replied, SHOWN)))
        ]
        shown = f"The teacher was shown the questions {', '.join(clipped(name, 40) for name in self.dialogue.shown)}."
        return Section("The dialogue", (*paragraphs(shown), Pairs(tuple(turns))))
