"""Where paraphrases come from: a writer, whose work a checker may look at, or a file that people have looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from vivavoce.consistency.legal.cases.judges import TOPIC
from vivavoce.consistency.legal.cases.prompts import check_prompt, paraphrase_prompt
from vivavoce.consistency.legal.cases.reading import REFUSED, read_paraphrases, read_verdict
from vivavoce.consistency.legal.cases.trials import Paraphrase
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.interview import Interview
from vivavoce.interview.replies import FILTERED, NO_ANSWER, broken_off

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
    """Puts facts in other words."""

    @property
    def title(self) -> str:
        """Who it is, in words."""
        ...

    async def paraphrases(self, fact: str, number: int) -> Written:
        """So many paraphrases of one fact."""
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

    async def paraphrases(self, fact: str, number: int) -> Written:
        """So many paraphrases of one fact; each of those that can be read is checked by itself."""
        said = await self._writer.ask(paraphrase_prompt(fact, number), topic=f"{TOPIC}/paraphrase")
        if isinstance(said, NoAnswer):
            return Written((Paraphrase(fact, "", NO_ANSWER),) * number)
        if broken_off(said) == FILTERED:
            return Written((Paraphrase(fact, "", REFUSED),) * number, said.usage)
        found = read_paraphrases(said.text, fact, number, whole=not broken_off(said))
        if self._checker is None:
            return Written(found, said.usage)
        checked = await asyncio.gather(*(self._checked(one, self._checker) for one in found))
        return Written(tuple(one for one, _ in checked), sum((usage for _, usage in checked), said.usage))

    async def _checked(self, paraphrase: Paraphrase, checker: Texts) -> tuple[Paraphrase, Usage]:
        if paraphrase.problem:
            return paraphrase, Usage()
        said = await checker.ask(check_prompt(paraphrase.fact, paraphrase.text), topic=f"{TOPIC}/check")
        if isinstance(said, NoAnswer):
            return replace(paraphrase, problem=UNCHECKED), Usage()
        verdict = read_verdict(said.text)
        problem = {"same": "", "different": DIFFERENT}.get(verdict or "", UNCHECKED)
        return replace(paraphrase, problem=problem, checked=not problem), said.usage


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

    async def paraphrases(self, fact: str, number: int) -> Written:
        """So many paraphrases of one fact."""
        known = self._paraphrases.get(fact, ())
        if not known and self._otherwise is not None:
            return await self._otherwise.paraphrases(fact, number)
        found = sorted(known, key=lambda one: bool(one.problem))[:number]
        return Written((*found, *(Paraphrase(fact, "", NOT_THERE) for _ in range(number - len(found)))))
