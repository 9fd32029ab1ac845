"""Making tuples: base questions are drawn together, further statements proposed or composed, and then checked."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

import numpy as np

from vivavoce.consistency.forecasts.config import MakingConfig
from vivavoce.consistency.forecasts.making.faults import LONGEST, Fault, Kind, fault_in
from vivavoce.consistency.forecasts.making.pairing import groups
from vivavoce.consistency.forecasts.making.prompts import checking_prompt, writing_prompt
from vivavoce.consistency.forecasts.making.questions import BaseQuestion
from vivavoce.consistency.forecasts.making.recipes import Recipe, composed, composed_recipe, written_recipe
from vivavoce.consistency.forecasts.making.replies import Verdict, verdict_in, written_in
from vivavoce.consistency.forecasts.tuples import QuestionTuple
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview

BY_TEMPLATE = "composed by template"
UNCHECKED = "nobody checked it"
NOT_WRITTEN = "(not written)"
"""Stands in a rejected tuple for a statement that there is none of, so that each tuple has all statements of its law."""
LONGEST_ID = 200
"""Characters of a tuple's id; longer ones are digests."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A tuple on its way from base questions to an end."""

    recipe: Recipe
    base: Mapping[str, BaseQuestion]
    """By their names in the recipe."""
    statements: Mapping[str, str] = field(default_factory=dict)
    """What was written or composed."""
    fault: Fault | None = None
    """Why it is rejected; None if it is not."""
    vouched: str = ""
    """Who says that it is right; empty where nobody does."""
    unchecked: str = UNCHECKED
    """Why nobody does."""

    @property
    def id(self) -> str:
        """Unique among drafts: the law and the base questions."""
        names = (question.id.replace("%", "%25").replace("+", "%2B") for question in self.base.values())
        whole = f"{self.recipe.law}/{'+'.join(names)}"
        return whole if len(whole) <= LONGEST_ID else f"{self.recipe.law}/{hashlib.sha256(whole.encode()).hexdigest()}"

    def as_tuple(self) -> QuestionTuple:
        """The tuple as it is kept: accepted, proposed where nobody checked it, or rejected with the reason."""
        texts = {name: question.title for name, question in self.base.items()} | dict(self.statements)
        return QuestionTuple(
            law=self.recipe.law,
            questions={key: texts.get(key, "").strip()[:LONGEST] or NOT_WRITTEN for key in self.recipe.keys},
            id=self.id,
            base=tuple(question.id for question in self.base.values()),
            status="rejected" if self.fault else "accepted" if self.vouched else "proposed",
            reason=str(self.fault) if self.fault else self.vouched or self.unchecked,
        )


def begin(base: Sequence[BaseQuestion], config: MakingConfig, *, by_template: bool = False) -> list[Draft]:
    """The drafts of each law once, base questions drawn together for each by a seed of its own; by template they are composed.

    Raises `UnknownName` and `BadInput` for what cannot be made of these questions.
    """
    if config.limit is not None and config.limit < len(base):
        drawn = np.random.default_rng(config.seed).permutation(len(base))[: config.limit]
        base = [base[i] for i in sorted(drawn)]
    begun: list[Draft] = []
    for law in dict.fromkeys(config.laws):
        recipe = composed_recipe(law) if by_template else written_recipe(law, config)
        rng = np.random.default_rng([config.seed, *law.encode()])  # whichever other laws are made
        begun += drafts(recipe, groups(base, len(recipe.base), pairs=config.pairs, rng=rng, symmetric=recipe.symmetric))
    return compose(begun) if by_template else begun


def drafts(recipe: Recipe, grouped: Iterable[Sequence[BaseQuestion]]) -> list[Draft]:
    """The drafts of a recipe, one for each group of base questions; groups that cannot do are rejected at once."""
    begun = []
    for group in grouped:
        base = dict(zip(recipe.base, group, strict=True))
        begun.append(Draft(recipe, base, fault=fault_in({name: question.title for name, question in base.items()})))
    return begun


def compose(begun: Iterable[Draft]) -> list[Draft]:
    """The same drafts with their statements by template, without a model.

    >>> from vivavoce.consistency.forecasts.making.questions import BaseQuestion
    >>> from vivavoce.consistency.forecasts.making.recipes import composed_recipe
    >>> rain = BaseQuestion("1", "Will it rain in Oslo on 1 May 2030?")
    >>> [made] = compose(drafts(composed_recipe("neg"), [(rain,)]))
    >>> made.as_tuple().questions["not_P"]
    'Will the answer to this question be no: “Will it rain in Oslo on 1 May 2030?”?'
    """
    made = []
    for draft in begun:
        if draft.fault is None:
            statements = composed(draft.recipe, {name: question.title for name, question in draft.base.items()})
            draft = _with(draft, statements, vouched=BY_TEMPLATE)
        made.append(draft)
    return made


async def write(interview: Interview[Prompt, Reply], begun: Sequence[Draft]) -> list[Draft]:
    """The same drafts with the statements that a writer proposes, one question to the writer for each tuple.

    Structural faults are found here, so that nobody is asked to check a copy. When the budget runs out, what was not written is
    rejected with that reason. Raises what the interview raises; what was answered before is on record.
    """
    asked = [i for i, draft in enumerate(begun) if draft.fault is None]
    made = list(begun)
    prompts = (writing_prompt(begun[i].id, begun[i].recipe, begun[i].base) for i in asked)
    answered = 0
    async with aclosing(interview.ask_in_order(prompts, topic="consistency/make/write", all_wanted=True)) as answers:
        async for prompt, answer in answers:
            draft, written = begun[asked[answered]], written_in(prompt, answer)
            made[asked[answered]] = _with(draft, written.statements, fault=written.fault)
            answered += 1
    for i in asked[answered:]:
        made[i] = replace(made[i], fault=Fault(Kind.NOT_WRITTEN, f"the budget of {interview.exhausted} was used up"))
    return made


async def check(interview: Interview[Prompt, Reply], written: Sequence[Draft]) -> list[Draft]:
    """The same drafts, verified: each check of a recipe is a conversation of its own, and one that fails rejects the tuple.

    A verdict that cannot be read, or does not come, rejects, too. When the budget runs out, what was not yet fully checked
    stays without a voucher. Raises what the interview raises.
    """
    asked = [
        (i, number) for i, draft in enumerate(written) if draft.fault is None for number in range(len(draft.recipe.checks))
    ]
    verdicts: dict[int, list[Verdict]] = defaultdict(list)
    prompts = (_prompt(written[i], number) for i, number in asked)
    answered = 0
    async with aclosing(interview.ask_in_order(prompts, topic="consistency/make/check", all_wanted=True)) as answers:
        async for prompt, answer in answers:
            verdicts[asked[answered][0]].append(verdict_in(prompt, answer))
            answered += 1
    name = interview.candidate.name
    budget = f"{UNCHECKED}: the budget of {interview.exhausted} was used up"
    return [
        draft if draft.fault is not None else _judged(draft, verdicts[i], by=name, budget=budget)
        for i, draft in enumerate(written)
    ]


def checks_wanted(written: Iterable[Draft]) -> int:
    """How many questions a checker will be asked."""
    return sum(len(draft.recipe.checks) for draft in written if draft.fault is None)


def _with(draft: Draft, statements: Mapping[str, str], *, fault: Fault | None = None, vouched: str = "") -> Draft:
    """A draft with its statements, and the first fault that can be seen without a model."""
    texts = {name: question.title for name, question in draft.base.items()} | dict(statements)
    fault = fault or fault_in(texts, statements)
    return replace(draft, statements=dict(statements), fault=fault, vouched="" if fault else vouched)


def _prompt(draft: Draft, number: int) -> Prompt:
    one = draft.recipe.checks[number]
    return checking_prompt(f"{draft.id}/{number}", one, draft.base, draft.statements)


def _judged(draft: Draft, verdicts: Sequence[Verdict], *, by: str, budget: str) -> Draft:
    faults = [
        (verdict.fault, f"{', '.join(one.about)}{f': {verdict.reason}' if verdict.reason else ''}")
        for verdict, one in zip(verdicts, draft.recipe.checks, strict=False)
        if verdict.fault is not None
    ]
    for kind in (Kind.CHECK_FAILED, Kind.CHECK_UNREADABLE, Kind.CHECK_NO_ANSWER):
        if said := [detail for found, detail in faults if found is kind]:
            return replace(draft, fault=Fault(kind, "; ".join(said)), vouched="")
    if len(verdicts) < len(draft.recipe.checks):
        return replace(draft, unchecked=budget)
    accepted = f"accepted by the checker {by}"
    return replace(draft, vouched=f"{draft.vouched}; {accepted}" if draft.vouched else accepted)
