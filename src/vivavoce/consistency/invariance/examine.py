"""The examination: each question as it is, the same again, and its variants; does the answer stay the same?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vivavoce.consistency.forecasts.outcomes import WAS_READ, outcome_of
from vivavoce.consistency.invariance.clusters import Ask, Cluster, asks, variations
from vivavoce.consistency.invariance.config import SAME, InvarianceConfig
from vivavoce.consistency.invariance.finding import InvarianceFinding
from vivavoce.consistency.invariance.judging import judge
from vivavoce.consistency.invariance.score import Heard, control_rate, flips, robustness, summaries
from vivavoce.consistency.invariance.summary import Judgements
from vivavoce.consistency.relations.score import NOWHERE, Source
from vivavoce.errors import BadInput
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.finding import Signature
from vivavoce.interview.interview import Interview
from vivavoce.interview.posing import holds_conversation, posed
from vivavoce.interview.reading import read
from vivavoce.interview.replies import heard as heard_words
from vivavoce.interview.scope import unknowable
from vivavoce.version import __version__

TOPIC: Final = "consistency/invariance"
SHOWN_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the questions come from, and who wrote what was not made by program."""

    source: Source = NOWHERE
    population: int | None = None
    """Units in all that can be varied, where each is drawn once and their number is known."""
    writer: str = ""
    """Empty where nobody wrote."""
    checker: str = ""
    """Empty where nobody checked."""
    said_of_writing: tuple[str, ...] = ()
    """What a reader must know of how writer and checker were asked."""


async def ask(
    interview: Interview[Prompt, Reply],
    clusters: Sequence[Cluster],
    config: InvarianceConfig,
    origin: Origin = Origin(),
    *,
    judging: Interview[Prompt, Reply] | None = None,
) -> InvarianceFinding:
    """On which share of questions does the answer flip under variations that must not matter?

    All questions and variants are fixed before the first is asked. When the interview's budget runs out, questions that were
    not asked with all their variants are left out. Raises what the interviews raise, and `BadInput` for turns before a question
    where the candidate does not hear them.

    judging: with whoever decides whether two open answers say the same; None: they are compared as texts.
    """
    if "turn" in config.vary and not holds_conversation(interview.candidate):
        raise BadInput(f"{interview.candidate.name} hears the question alone, not what was said before: leave out 'turn'")
    heard: list[Heard] = []
    replies: Counter[str] = Counter()
    coming = iter(clusters)
    wanted: list[Ask] = []
    answers: list[tuple[Ask, str | None]] = []
    cluster = None
    async with aclosing(interview.ask_in_order(_prompts(clusters, config.variants), topic=TOPIC, all_wanted=True)) as answered:
        async for prompt, answer in answered:
            if not wanted:
                cluster = next(coming)
                wanted = list(asks(cluster, config.variants))
            assert cluster is not None
            answers.append((wanted[len(answers)], _said(cluster, wanted[len(answers)], prompt, answer, replies)))
            if len(answers) == len(wanted):
                heard.append(Heard(cluster, tuple(answers)))
                wanted, answers = [], []
    if judging is None:
        return _finding(interview, heard, replies, config, origin, asked_for=len(clusters))
    heard, judgements = await judge(judging, heard)
    found = _finding(interview, heard, replies, config, origin, asked_for=len(clusters))
    return _judged(found, judging, judgements)


def expected_questions(clusters: Iterable[Cluster], config: InvarianceConfig) -> int:
    """How many questions `ask` will put, those on record among them."""
    return sum(1 + config.variants + sum(map(len, cluster.variants.values())) for cluster in clusters)


def expected_tokens(clusters: Iterable[Cluster], config: InvarianceConfig) -> int:
    """Tokens of all prompts, roughly: one for four characters."""
    return sum(len(posed(prompt).text) for prompt in _prompts(clusters, config.variants)) // 4


def _prompts(clusters: Iterable[Cluster], number: int) -> Iterator[Prompt]:
    return (one.prompt for cluster in clusters for one in asks(cluster, number))


def _judged(found: InvarianceFinding, judging: Interview[Prompt, Reply], judgements: Judgements) -> InvarianceFinding:
    """The finding with who judged."""
    name = judging.candidate.name
    source = {"judge_source": judging.settings["source"]} if "source" in judging.settings else {}
    signature = replace(found.signature, settings={**found.signature.settings, "judge": name, **source})
    asked_so = tuple(dict.fromkeys((*found.asked_so, *judging.caveats)))
    return replace(found, judge=name, judgements=judgements, asked_so=asked_so, signature=signature)


def _said(cluster: Cluster, one: Ask, prompt: Prompt, answer: Reply | NoAnswer, replies: Counter[str]) -> str | None:
    """What an answer says; None for what cannot be read, admits ignorance, or met a fault that may have been heard."""
    if prompt.form is None:
        words, problem = heard_words(answer)
        replies[problem or WAS_READ] += 1
        return None if problem or unknowable(answer) is not None else words
    reading = read(prompt, answer)
    replies[outcome_of(reading)] += 1
    if reading.value is None or unknowable(answer) is not None:
        return None
    return cluster.subject.said(one.wording, reading.value)


def _finding(
    interview: Interview[Prompt, Reply],
    heard: Sequence[Heard],
    replies: Counter[str],
    config: InvarianceConfig,
    origin: Origin,
    *,
    asked_for: int,
) -> InvarianceFinding:
    kinds = variations(config)
    settings = {"vary": list(config.vary), "variants": config.variants, "questions": config.questions, "numpy": np.__version__}
    settings |= {} if config.law == SAME else {"law": config.law}
    claim = {} if config.flip_limit is None else {"flip_limit": config.flip_limit, "delta": config.delta}
    writing = {name: who for name, who in (("writer", origin.writer), ("checker", origin.checker)) if who}
    limit = config.flip_limit
    return InvarianceFinding(
        candidate=interview.candidate.name,
        scope=origin.source.title,
        variants=config.variants,
        kinds=summaries(heard, kinds),
        control=control_rate(heard),
        robustness=None if limit is None else robustness(heard, limit=limit, delta=config.delta, population=origin.population),
        flips=flips(heard, kinds),
        not_reached=asked_for - len(heard),
        several_in_a_unit=len({each.cluster.subject.unit for each in heard}) < len(heard),
        free_texts=sum(each.cluster.subject.free_text for each in heard),
        replies={name: number for name, number in replies.items() if number},
        writer=origin.writer,
        checker=origin.checker,
        law=config.law,
        asked_so=(*origin.said_of_writing, *interview.caveats),
        signature=Signature(
            __version__,
            "consistency/invariance",
            clipped(interview.candidate.name, SHOWN_NAME),
            clipped(origin.source.title, SHOWN_NAME),
            origin.source.digest,
            config.seed,
            {**settings, **claim, **writing, **interview.settings},
        ),
    )
