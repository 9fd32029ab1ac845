"""Writes paraphrases of facts, and checks them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from vivavoce.consistency.legal.trials import TOPIC, Paraphrase
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.forms.form import Outcome, ParsedReply
from vivavoce.interview.forms.judgements import ReasonedYesNo
from vivavoce.interview.forms.prose import REFUSED, begins_with_refusal
from vivavoce.interview.forms.written_texts import Rewordings
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import FILTERED, NO_ANSWER, read

LONGEST_RATIO, LONGEST_EXTRA = 3, 200
"""A paraphrase has at most three times the characters of its fact plus 200; a longer one adds content."""
SHORTEST_RATIO: Final = 4
"""A paraphrase has at least a quarter of the fact's characters; a shorter one omits content."""

MISSING: Final = "missing"
EMPTY: Final = "empty"
IDENTICAL: Final = "identical to the fact"
REPEATED: Final = "identical to another"
TOO_LONG: Final = "too long"
TOO_SHORT: Final = "too short"
GAP: Final = "with a gap to be filled in"
HEADING: Final = "Fact:"
"""The heading of the fact in the prompt; a weak model repeats it."""


def paraphrases_in(reading: ParsedReply[Mapping[int, str]], fact: str, number: int) -> tuple[Paraphrase, ...]:
    """The requested number of paraphrases, each as text or with the reason why there is none.

    >>> from vivavoce.interview.forms.written_texts import Rewordings
    >>> reading = Rewordings(4).read("[1] B a.\\n[2] a  b.\\n[3] b A.")
    >>> [paraphrase.problem or paraphrase.text for paraphrase in paraphrases_in(reading, "A b.", 4)]
    ['B a.', 'identical to the fact', 'identical to another', 'missing']
    """
    versions = reading.value
    if versions is None:
        return (Paraphrase(fact, "", _why_none(reading)),) * number
    paraphrases: list[Paraphrase] = []
    taken = {_folded(fact)}
    for i in range(1, number + 1):
        version = _bare(versions.get(i, ""), fact)
        problem = _problem(version, fact, taken) if i in versions else MISSING
        taken.add(_folded(version))
        paraphrases.append(Paraphrase(fact, version if len(version) <= _longest(fact) else "", problem))
    return tuple(paraphrases)


def _why_none(reading: ParsedReply[Any]) -> str:
    match reading.outcome:
        case Outcome.NO_ANSWER:
            return NO_ANSWER
        case Outcome.COPIED | Outcome.CUT_OFF:
            return reading.outcome.value
    return REFUSED if reading.problem == FILTERED else reading.problem


def _problem(version: str, fact: str, taken: set[str]) -> str:
    if not version:
        return EMPTY
    if _folded(version) in taken:
        return IDENTICAL if _folded(version) == _folded(fact) else REPEATED
    if len(version) > _longest(fact):
        return TOO_LONG
    if "[" in version and "[" not in fact:
        return GAP
    if begins_with_refusal(version) and not begins_with_refusal(fact):
        return REFUSED
    return TOO_SHORT if len(version) * SHORTEST_RATIO < len(fact) else ""


def _longest(fact: str) -> int:
    return LONGEST_RATIO * len(fact) + LONGEST_EXTRA


def _bare(version: str, fact: str) -> str:
    """The version without the prompt's heading, and without quotation marks that the fact does not have."""
    version = version.removeprefix(HEADING).strip()
    if len(version) > 1 and version[0] + version[-1] in ('""', "“”", "''") and fact[:1] != version[0]:
        return version[1:-1].strip()
    return version


def _folded(text: str) -> str:
    """The text for comparison: case, white space and a final full stop are ignored."""
    return " ".join(text.casefold().split()).rstrip(".")


VERDICT: Final = ReasonedYesNo()
_WRITE: Final = "You reword sentences from legal documents without changing what they say."
_VERSIONS: Final = """\
Reword the fact below; number of versions: {number}, no two alike.
A version states all that the fact states and nothing besides, keeps its names, numbers and dates (also a number at its
beginning), and is as formal as the fact.

"""
_CHECK: Final = "You compare two sentences from legal documents. Style does not matter to you, only what is stated."


def paraphrase_prompt(fact: str, number: int) -> Prompt:
    """The prompt for this many paraphrases of one fact, all in one reply.

    >>> print(paraphrase_prompt("She was held for three days.", 2).text)
    Reword the fact below; number of versions: 2, no two alike.
    A version states all that the fact states and nothing besides, keeps its names, numbers and dates (also a number at its
    beginning), and is as formal as the fact.
    <BLANKLINE>
    Fact:
    She was held for three days.
    """
    return Prompt(f"{_VERSIONS.format(number=number)}{HEADING}\n{fact}", _WRITE, form=Rewordings(number))


def check_prompt(fact: str, paraphrase: str) -> Prompt:
    """The prompt that asks whether a fact and its paraphrase state the same."""
    return Prompt(
        f"First:\n{fact}\n\nSecond:\n{paraphrase}\n\n"
        "Does the second state everything that the first states, and nothing that the first does not?",
        _CHECK,
        form=VERDICT,
    )


DIFFERENT: Final = "says something else, by the checker"
UNCHECKED: Final = "the checker cannot be read"
NOT_THERE: Final = "not in the file"

Texts = Interview[Prompt, Reply]


@dataclass(frozen=True, slots=True)
class WrittenParaphrases:
    """The requested number of paraphrases of one fact, each as text or with the reason why there is none."""

    paraphrases: tuple[Paraphrase, ...]
    usage: Usage = Usage()  # noqa: RUF009 - frozen


class ParaphraseWriter:
    """A language model that writes paraphrases, with a checker (possibly the same model) that compares their meaning."""

    def __init__(self, writer: Texts, checker: Texts | None = None) -> None:
        self._writer = writer
        self._checker = checker

    @property
    def title(self) -> str:
        """Its name in reports."""
        by = self._writer.candidate.name
        return by if self._checker is None else f"{by}, checked by {self._checker.candidate.name}"

    @property
    def asked_so(self) -> tuple[str, ...]:
        """Caveats about how writer and checker were asked."""
        return self._writer.caveats + (() if self._checker is None else self._checker.caveats)

    async def paraphrases(self, fact: str, number: int) -> WrittenParaphrases:
        """Write this many paraphrases of one fact; each one that can be parsed is checked separately."""
        prompt = paraphrase_prompt(fact, number)
        reply = await self._writer.ask(prompt, topic=f"{TOPIC}/paraphrase")
        paraphrases, usage = paraphrases_in(read(prompt, reply), fact, number), usage_of(reply)
        if self._checker is None:
            return WrittenParaphrases(paraphrases, usage)
        checked = await asyncio.gather(*(self._checked(paraphrase, self._checker) for paraphrase in paraphrases))
        return WrittenParaphrases(tuple(paraphrase for paraphrase, _ in checked), sum((more for _, more in checked), usage))

    async def _checked(self, paraphrase: Paraphrase, checker: Texts) -> tuple[Paraphrase, Usage]:
        if paraphrase.problem:
            return paraphrase, Usage()
        prompt = check_prompt(paraphrase.fact, paraphrase.text)
        reply = await checker.ask(prompt, topic=f"{TOPIC}/check")
        judged = read(prompt, reply).value
        problem = UNCHECKED if judged is None else "" if judged.passed else DIFFERENT
        return replace(paraphrase, problem=problem, checked=not problem), usage_of(reply)


def usage_of(reply: Reply | NoAnswer) -> Usage:
    """The cost of an answer, including its follow-up."""
    if isinstance(reply, NoAnswer):
        return Usage()
    return reply.usage + (reply.further.usage if reply.further else Usage())


class PreparedParaphrases:
    """Paraphrases from a file; a writer may supply those of facts that the file lacks.

    The first paraphrases that were not rejected are used. Rejected ones fill up the requested number.
    """

    def __init__(
        self, paraphrases: Mapping[str, Sequence[Paraphrase]], name: str, *, otherwise: Paraphraser | None = None
    ) -> None:
        self._paraphrases = paraphrases
        self._name = name
        self._otherwise = otherwise

    @property
    def title(self) -> str:
        """Its name in reports."""
        return self._name if self._otherwise is None else f"{self._name}, else {self._otherwise.title}"

    @property
    def asked_so(self) -> tuple[str, ...]:
        """Caveats about how the writer was asked."""
        return () if self._otherwise is None else self._otherwise.asked_so

    async def paraphrases(self, fact: str, number: int) -> WrittenParaphrases:
        """Get this many paraphrases of one fact."""
        known = self._paraphrases.get(fact, ())
        if not known and self._otherwise is not None:
            return await self._otherwise.paraphrases(fact, number)
        paraphrases = sorted(known, key=lambda paraphrase: bool(paraphrase.problem))[:number]
        return WrittenParaphrases((*paraphrases, *(Paraphrase(fact, "", NOT_THERE) for _ in range(number - len(paraphrases)))))


Paraphraser = ParaphraseWriter | PreparedParaphrases
"""A source of paraphrases."""
