"""A question as it is worded: its text and its options, and which option of the original each of them is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from vivavoce.interview.candidate import Exchange


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to put a question.

    >>> Wording("Largest?", ("Oslo", "Rome")).reordered((1, 0))
    Wording(text='Largest?', options=('Rome', 'Oslo'), places=(1, 0), before=())
    """

    text: str
    options: tuple[str, ...] = ()
    """Empty: the answer is free."""
    places: tuple[int, ...] = field(default=())
    """For each option its place in the original, from 0; empty: the original order."""
    before: tuple[Exchange, ...] = ()
    """What was said in the conversation before."""

    def original_place(self, place: int) -> int:
        """Where the option at this place stands in the original."""
        return self.places[place] if self.places else place

    def reordered(self, order: tuple[int, ...]) -> Wording:
        """The same with its options in that order of their present places."""
        return replace(self, options=tuple(self.options[i] for i in order), places=tuple(self.original_place(i) for i in order))


def in_words(wording: Wording) -> str:
    """The text of a wording with its options, and in brackets what was said before.

    >>> in_words(Wording("Largest?", ("Rome", "Oslo")))
    'Largest? (Rome / Oslo)'
    """
    text = f"{wording.text} ({' / '.join(wording.options)})" if wording.options else wording.text
    return " ".join([*(f"[{turn.asked} / {turn.replied}]" for turn in wording.before), text])
