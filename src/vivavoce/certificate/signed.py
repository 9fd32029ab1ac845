"""The signature of an examination of this room."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from vivavoce import __version__
from vivavoce.certificate.finding import Criterion
from vivavoce.interview.finding import Signature


def signed(
    examination: str, candidate: str, *, scope: str, digest: str, criterion: Criterion, seed: int, **settings: object
) -> Signature:
    """What the numbers rest on: the criterion, and what else was settled before the first question.

    >>> signed("certificate", "bot:x", scope="sums", digest="ab" * 32, criterion=Criterion(), seed=0).settings["delta"]
    0.05
    """
    return Signature(
        version=__version__,
        examination=examination,
        candidate=candidate,
        scope=scope,
        scope_digest=digest,
        seed=seed,
        # numpy's random streams may change from release to release
        settings=asdict(criterion) | settings | {"numpy": np.__version__},
    )
