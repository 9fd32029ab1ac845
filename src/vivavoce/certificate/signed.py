"""The signature of an examination of this room."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np

from vivavoce.certificate.finding import Certificate
from vivavoce.certificate.verdict import Criterion, brief
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Signature
from vivavoce.version import __version__


def signed(
    examination: str, candidate: str, *, scope: str, digest: str, criterion: Criterion, seed: int, **settings: object
) -> Signature:
    """What the numbers rest on: the criterion, and what else was settled before the first question.

    The scope is named without the folders of its file, which would reveal details of the examiner's machine; the digest says
    which it is.

    >>> signed("certificate", "bot:x", scope="sums", digest="ab" * 32, criterion=Criterion(), seed=0).settings["delta"]
    0.05
    """
    return Signature(
        version=__version__,
        examination=examination,
        candidate=candidate,
        scope=" + ".join(map(brief, scope.split(" + "))),
        scope_digest=digest,
        seed=seed,
        # numpy's random streams may change from release to release
        settings=asdict(criterion) | settings | {"numpy": np.__version__},
    )


def as_asked(found: Certificate, interview: Interview[Prompt, Reply], *further: str) -> Certificate:
    """The certificate with how its candidate was asked: in the signature, and what a reader must know of it as caveats; and
    where the budget ended.

    further: caveats of others that it rests on, such as the judge.
    """
    told = dict.fromkeys((*interview.manner, *further))
    signature = replace(found.signature, settings={**found.signature.settings, **interview.settings})
    return replace(found, caveats=(*found.caveats, *told), signature=signature, ended=interview.ended)
