"""The examination: search for contradictions, and draw at random beside it with as many calls."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from vivavoce.consistency.relations.score import NOWHERE, Source
from vivavoce.consistency.search.asker import Asker
from vivavoce.consistency.search.breeding import CHANGED, Breeder
from vivavoce.consistency.search.config import ContradictionSearchConfig, Method
from vivavoce.consistency.search.course import BATCH, Course
from vivavoce.consistency.search.evolve import at_random, by_archive
from vivavoce.consistency.search.finding import ContradictionSearch
from vivavoce.consistency.search.genome import Genome, Said, Space, changes_of
from vivavoce.consistency.search.settle import Settled
from vivavoce.consistency.search.summary import Contradiction, Run, Side
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.finding import Signature
from vivavoce.interview.interview import Interview
from vivavoce.version import __version__

TOPIC = "consistency/search"
SHOWN_NAME = 200
SAMPLE = 50
"""Attempts by which the length of prompts is estimated."""


@dataclass(slots=True)
class _Found:
    settled: Settled
    by: list[Method] = field(default_factory=list)


async def search(
    interview: Interview[Prompt, Reply], space: Space, config: ContradictionSearchConfig, source: Source = NOWHERE
) -> ContradictionSearch:
    """In which ways does a candidate contradict itself, and does a search find more of them than chance?

    Each method has the same budget of calls, in which a question counts that the other has asked, too. Raises what the
    interview raises; what was answered before is on record, and the same call takes the same course.
    """
    runs: list[Run] = []
    found: dict[Genome, _Found] = {}
    for method in config.methods:
        course, asker = await _run(method, interview, space, config)
        runs.append(_summary(method, course, asker))
        for shrunk, settled in course.confirmed.items():
            found.setdefault(shrunk, _Found(settled)).by.append(method)
    return ContradictionSearch(
        candidate=interview.candidate.name,
        title=space.title,
        law=space.law,
        cases=len(space.cases),
        genes=space.genes,
        config=config,
        runs=tuple(runs),
        contradictions=tuple(_contradiction(space, one) for one in found.values()),
        ended=interview.exhausted,
        spending=interview.spending,
        asked_so=(*space.caveats, *interview.caveats),
        signature=_signature(interview, space, config, source),
    )


async def _run(
    method: Method, interview: Interview[Prompt, Reply], space: Space, config: ContradictionSearchConfig
) -> tuple[Course, Asker]:
    # what is drawn at random is the same for both methods, until one of them knows more
    fresh, bred, choices = np.random.default_rng(config.seed).spawn(3)
    asker = Asker(interview, space, config.calls, topic=f"{TOPIC}/{method}")
    breeder = Breeder(space, fresh, bred)
    course = Course(space, asker, breeder, draws=config.confirm)
    if method == "random":
        await at_random(course, breeder)
    else:
        await by_archive(course, breeder, space, config.fresh, choices)
    return course, asker


def expected_calls(config: ContradictionSearchConfig) -> int:
    """How many calls there are at most; those that both methods make are made once."""
    return len(config.methods) * config.calls


def tokens_a_call(space: Space, config: ContradictionSearchConfig) -> float:
    """Of a prompt, roughly: one for four characters, over attempts drawn at random."""
    rng = np.random.default_rng(config.seed)
    breeder = Breeder(space, rng, rng)
    drawn = [genome for _ in range(SAMPLE) if (genome := breeder.fresh()) is not None]
    lengths = [len(one.prompt.text) + len(one.prompt.system) for genome in drawn for one in space.pose(genome)]
    return float(np.mean(lengths)) / 4 if lengths else 0.0


def _summary(method: Method, course: Course, asker: Asker) -> Run:
    return Run(
        method=method,
        calls=asker.spent,
        attempts=course.attempts,
        contradicting=course.contradicting,
        distinct=len(course.confirmed),
        patterns=len({shrunk.values for shrunk in course.confirmed}),
        refuted=len(course.refuted),
        unsettled=course.unsettled,
        unread=course.unread,
        course=tuple(course.points),
        exhausted=course.exhausted,
        replies=dict(asker.replies),
    )


def _contradiction(space: Space, found: _Found) -> Contradiction:
    shrunk, said = found.settled.shrunk, found.settled.said
    posed = space.pose(shrunk)
    return Contradiction(
        case=space.cases[shrunk.case],
        changes=changes_of(space.genes, shrunk),
        found_with=changes_of(space.genes, found.settled.found),
        sides=tuple(
            Side(one.label, one.shown, dict(Counter(map(_in_words, answers)).most_common()))
            for one, answers in zip(posed, said, strict=True)
        ),
        strength=min(space.strength(shrunk, combined) for combined in product(*(dict.fromkeys(one) for one in said))),
        by=tuple(found.by),
    )


def _in_words(said: Said) -> str:
    return said if isinstance(said, str) else f"{said:.4g}"


def _signature(
    interview: Interview[Prompt, Reply], space: Space, config: ContradictionSearchConfig, source: Source
) -> Signature:
    return Signature(
        __version__,
        "consistency/search",
        clipped(interview.candidate.name, SHOWN_NAME),
        clipped(source.title, SHOWN_NAME),
        source.digest,
        config.seed,
        {
            "method": config.method,
            "calls": config.calls,
            "cases": config.cases,
            "confirm": config.confirm,
            "fresh": config.fresh,
            "batch": BATCH,
            "changed": CHANGED,
            **space.settings,
            "numpy": np.__version__,  # its random streams may change from release to release
            **interview.settings,
        },
    )
