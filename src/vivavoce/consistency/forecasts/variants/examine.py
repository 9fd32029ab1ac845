"""The examination: the same tuples in several ways, one after the other, and the matrix of ways and laws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from vivavoce.consistency.forecasts.asked import Asked, forecaster_of
from vivavoce.consistency.forecasts.asking import ask_forecasts
from vivavoce.consistency.forecasts.each import score_each
from vivavoce.consistency.forecasts.score import tally
from vivavoce.consistency.forecasts.tuples import QuestionTuple
from vivavoce.consistency.forecasts.variants.effects import effects
from vivavoce.consistency.forecasts.variants.finding import AskedWay, VariantMatrix
from vivavoce.consistency.forecasts.variants.way import Way
from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.finding import Signature
from vivavoce.interview.interview import Interview
from vivavoce.version import __version__

TOPIC: Final = "consistency/variants"
LONGEST_NAME: Final = 200


async def ask_in_ways(
    interviews: Sequence[Interview[Prompt, Reply]], tuples: Sequence[QuestionTuple], ways: Sequence[Way]
) -> list[Asked]:
    """What is forecast in each way, in their order; an interview for each.

    What two ways put word for word alike, such as the first question of a conversation, is asked once where they share a
    transcript. Raises what the interviews raise.
    """
    return [
        await ask_forecasts(interview, tuples, way.config, way.instructions, topic=f"{TOPIC}/{way.label}")
        for interview, way in zip(interviews, ways, strict=True)
    ]


def matrix(
    candidate: str,
    ways: Sequence[Way],
    asked: Sequence[Asked],
    forecasters: Sequence[str],
    *,
    source: str = "",
    digest: str = "",
    seed: int = 0,
) -> VariantMatrix:
    """Ways by laws, each way against the first.

    Parameters
    ----------
    candidate: who was asked, for readers.
    ways, asked: how, and what came of it, in one order; the first way is what the others are compared with.
    forecasters: names of who was asked in each of them.
    source, digest: of the file of tuples.
    seed: of the tests that flip signs at random.

    Raises `NotEnoughEvidence` where no tuple was asked in full.
    """
    rows = [replace(row, forecaster=way.label) for way, one in zip(ways, asked, strict=True) for row in one.rows]
    if not rows:
        raise NotEnoughEvidence("no tuple was asked in full: give a larger budget")
    scored = score_each(rows)
    names = [forecaster_of(name, way.config, way.instructions) for name, way in zip(forecasters, ways, strict=True)]
    said = tuple(dict.fromkeys(sentence for one in asked for sentence in one.asked_so))
    found = tally(scored, source=source, digest=digest, compare=(), seed=seed, settings=MappingProxyType({}), asked_so=said)
    settings: dict[str, object] = {
        "variants": [way.label for way in ways],
        "instructions": {way.label: way.instructions.digest[:16] for way in ways if way.instructions is not None},
        **{name: value for one in asked for name, value in one.settings.items() if name != "together"},
    }
    title = clipped(candidate, LONGEST_NAME)
    return VariantMatrix(
        candidate=candidate,
        ways=tuple(
            AskedWay(
                way.label,
                name,
                "" if way.instructions is None else way.instructions.digest,
                len(one.rows),
                one.planned,
                way.config.together,
            )
            for way, one, name in zip(ways, asked, names, strict=True)
        ),
        found=found,
        effects=effects(scored, [way.label for way in ways], rng=np.random.default_rng(seed)),
        signature=Signature(__version__, "consistency/variants", title, clipped(source, LONGEST_NAME), digest, seed, settings),
    )
