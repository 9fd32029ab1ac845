"""Several candidates next to each other, each examined on its own explanations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from vivavoce.eqt.comparison_finding import EqtComparison
from vivavoce.eqt.finding import ExplainQueryTest
from vivavoce.errors import BadInput
from vivavoce.interview.finding import Signature
from vivavoce.version import __version__


def compare_candidates(findings: Sequence[ExplainQueryTest]) -> EqtComparison:
    """The findings side by side, with who answers whose questions where they were asked others' (Table 1 of `asgari2025`).

    Raises `BadInput` for fewer than two findings, or two of one candidate.
    """
    if len(findings) < 2:
        raise BadInput(f"{len(findings)} result: give at least two to compare")
    twice = [name for name, times in Counter(one.candidate for one in findings).items() if times > 1]
    if twice:
        raise BadInput(f"two results are of '{twice[0][:80]}': give one a candidate")
    scopes = dict.fromkeys(one.signature.scope for one in findings)
    digests = {one.signature.scope_digest for one in findings}
    seeds = {one.signature.seed for one in findings}
    return EqtComparison(
        tuple(findings),
        Signature(
            __version__,
            "explain-query-test, compared",
            f"{len(findings)} candidates",
            next(iter(scopes)) if len(scopes) == 1 else f"{len(scopes)} lists of concepts",
            digests.pop() if len(digests) == 1 else "",
            seeds.pop() if len(seeds) == 1 else 0,
            {one.candidate: dict(one.signature.settings) | {"seed": one.signature.seed} for one in findings},
        ),
    )
