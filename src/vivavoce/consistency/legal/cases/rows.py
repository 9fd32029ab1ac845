"""What every judgement was about, for its row in a file of results."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.consistency.legal.cases.trials import LegalCase
from vivavoce.interview.classifier import Case, Judgement
from vivavoce.interview.results import Heard, Mark


class Versions:
    """Which version of which case each question was.

    >>> from vivavoce.interview.candidate import Usage
    >>> from vivavoce.interview.notation import Settled
    >>> versions = Versions()
    >>> whole = LegalCase("7", ("She is a teacher.", "She was held."))
    >>> versions.note("asked", 0, whole, 0, Case(("She is a teacher.", "She was detained.")), paraphrase=1)
    >>> [mark.id for mark in versions.marks([Heard("bot:x", Settled(Judgement(0.5), Usage()), asked="asked")])]
    ['7/fact 2 in other words 1']
    """

    def __init__(self) -> None:
        self._known: dict[tuple[object, int], list[tuple[tuple[int, ...], str]]] = {}

    def note(self, question: object, draw: int, whole: LegalCase, place: int, case: Case, *, paraphrase: int) -> None:
        """A question that is put, and the case that it is on.

        Parameters
        ----------
        place: of the case among all.
        paraphrase: which wording of the fact that differs, from 1; 0 where none is in other words.
        """
        kind, version = _version(whole.facts, case.facts, draw, paraphrase)
        self._known.setdefault((question, draw), []).append(((place, *kind), f"{whole.id}/{version}"))

    def marks(self, heard: Sequence[Heard]) -> list[Mark]:
        """Case by case: as it is, without a fact, in other words, and asked again."""
        left = {key: sorted(known) for key, known in self._known.items()}
        return [self._mark(one, left) for one in heard]

    @staticmethod
    def _mark(heard: Heard, left: dict[tuple[object, int], list[tuple[tuple[int, ...], str]]]) -> Mark:
        order, name = left[heard.asked, heard.draw].pop(0)
        answer = heard.settled.answer
        read_as = f"{answer.probability:.12g}" if isinstance(answer, Judgement) else None
        return Mark(id=name, read_as=read_as, order=order)


def _version(whole: Sequence[str], facts: Sequence[str], draw: int, paraphrase: int) -> tuple[tuple[int, ...], str]:
    """Where the version stands among those of its case, and what it is."""
    if len(facts) == len(whole) and not paraphrase:
        return ((3, draw), f"asked again {draw}") if draw else ((0,), "as it is")
    number = next((place for place, fact in enumerate(facts) if fact != whole[place]), len(facts))
    if len(facts) < len(whole):
        return (1, number), f"without fact {number + 1}"
    return (2, number, paraphrase), f"fact {number + 1} in other words {paraphrase}"
