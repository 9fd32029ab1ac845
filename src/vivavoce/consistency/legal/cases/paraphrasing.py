"""Where paraphrases come from: a writer, whose work a checker may look at, or a file that people have looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from vivavoce.consistency.legal.cases.judges import TOPIC
from vivavoce.consistency.legal.cases.prompts import check_prompt, paraphrase_prompt
from vivavoce.consistency.legal.cases.trials import Paraphrase
from vivavoce.consistency.legal.cases.versions import paraphrases_in
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read

DIFFERENT: Final = "says something else, by the checker"
UNCHECKED: Final = "the checker cannot be read"
NOT_THERE: Final = "not in the file"

Texts = Interview[Prompt, Reply]


@dataclass(frozen=True, slots=True)
class Written:
    """As many paraphrases of one fact as were wanted, each a text or the reason why there is none."""

    paraphrases: tuple[Paraphrase, ...]
    usage: Usage = Usage()  # noqa: RUF009 - frozen


class Paraphraser(Protocol):
    """Paraphrases facts."""

    @property
    def title(self) -> str:
        """Who it is, in words."""
        ...

    @property
    def asked_so(self) -> tuple[str, ...]:
        """What a reader must know of how it was asked."""
        ...

    async def paraphrases(self, fact: str, number: int) -> Written:
        """This many paraphrases of one fact."""
        ...


class Writer:
    """A language model that writes them, and another one that says whether they state the same; or the same in both roles."""

    def __init__(self, writer: Texts, checker: Texts | None = None) -> None:
        self._writer = writer
        self._checker = checker

    @property
    def title(self) -> str:
        """Who it is, in words."""
        by = self._writer.candidate.name
        return by if self._checker is None else f"{by}, checked by {self._checker.candidate.name}"

    @property
    def asked_so(self) -> tuple[str, ...]:
        """What a reader must know of how both were asked."""
        return self._writer.caveats + (() if self._checker is None else self._checker.caveats)

    async def paraphrases(self, fact: str, number: int) -> Written:
        """This many paraphrases of one fact; each of those that can be read is checked by itself."""
        prompt = paraphrase_prompt(fact, number)
        said = await self._writer.ask(prompt, topic=f"{TOPIC}/paraphrase")
        found, usage = paraphrases_in(read(prompt, said), fact, number), usage_of(said)
        if self._checker is None:
            return Written(found, usage)
        checked = await asyncio.gather(*(self._checked(one, self._checker) for one in found))
        return Written(tuple(one for one, _ in checked), sum((more for _, more in checked), usage))

    async def _checked(self, paraphrase: Paraphrase, checker: Texts) -> tuple[Paraphrase, Usage]:
        if paraphrase.problem:
            return paraphrase, Usage()
        prompt = check_prompt(paraphrase.fact, paraphrase.text)
        said = await checker.ask(prompt, topic=f"{TOPIC}/check")
        judged = read(prompt, said).value
        problem = UNCHECKED if judged is None else "" if judged.passed else DIFFERENT
        return replace(paraphrase, problem=problem, checked=not problem), usage_of(said)


def usage_of(said: Reply | NoAnswer) -> Usage:
    """What an answer cost, with its further turn."""
    if isinstance(said, NoAnswer):
        return Usage()
    return said.usage + (said.further.usage if said.further else Usage())


class Prepared:
    """Paraphrases of a file; where it has none of a fact, a writer may be asked.

    There are as many of a fact as are wanted, the first ones that were not rejected; those that were rejected fill up the rest.
    """

    def __init__(
        self, paraphrases: Mapping[str, Sequence[Paraphrase]], name: str, *, otherwise: Paraphraser | None = None
    ) -> None:
        self._paraphrases = paraphrases
        self._name = name
        self._otherwise = otherwise

    @property
    def title(self) -> str:
        """Who it is, in words."""
        return self._name if self._otherwise is None else f"{self._name}, else {self._otherwise.title}"

    @property
    def asked_so(self) -> tuple[str, ...]:
        """What a reader must know of how the writer was asked."""
        return () if self._otherwise is None else self._otherwise.asked_so

    async def paraphrases(self, fact: str, number: int) -> Written:
        """This many paraphrases of one fact."""
        known = self._paraphrases.get(fact, ())
        if not known and self._otherwise is not None:
            return await self._otherwise.paraphrases(fact, number)
        found = sorted(known, key=lambda one: bool(one.problem))[:number]
        return Written((*found, *(Paraphrase(fact, "", NOT_THERE) for _ in range(number - len(found)))))
