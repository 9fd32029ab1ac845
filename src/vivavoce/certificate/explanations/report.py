"""From what happened to what the certificate says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import ceil, fsum, log

import numpy as np

from vivavoce.certificate.course import Begun
from vivavoce.certificate.explanations.finding import Explained, Explanation, KnownExactly
from vivavoce.certificate.explanations.known import Enumerated
from vivavoce.certificate.explanations.protocol import ExplanationProtocol
from vivavoce.certificate.explanations.run import SystemRun
from vivavoce.certificate.explanations.sandbox.sandbox import what_holds
from vivavoce.certificate.finding import Certificate
from vivavoce.certificate.population import AsDrawn
from vivavoce.certificate.signed import as_asked
from vivavoce.certificate.verdict import Criterion, Verdict
from vivavoce.statistics.confidence_sequences import rate_below
from vivavoce.statistics.planning import rate_boundary


def report(
    protocol: ExplanationProtocol,
    offered: Sequence[Explanation],
    begun: Begun,
    *,
    requests: tuple[int, int],
    settings: Mapping[str, object],
    exhausted: str,
) -> Certificate:
    """The certificate on what was heard, with the part on explanations.

    requests: for explanations, and how many of the replies to them could not be read.
    exhausted: the budget that ended the questions, if one did.
    """
    run, interview, criterion = protocol.ledger.deciding, begun.interview, begun.own
    plain = run.certificate(interview.candidate.name, exhausted, interview.spending, begun.seed)
    explained = _explained(protocol, offered, criterion, requests, fixed=begun.terms.procedure == "fixed")
    if not isinstance(begun.population, AsDrawn):  # how many clean answers are enough hangs on the strata or weights
        explained = replace(explained, clean=None, clean_alone=None)
    found = replace(
        plain,
        criterion=criterion,
        caveats=(*plain.caveats, *explained.caveats),
        signature=replace(plain.signature, settings={**plain.signature.settings, "delta": criterion.delta, **settings}),
        explained=explained,
    )
    return as_asked(found, interview)


def _explained(
    protocol: ExplanationProtocol,
    offered: Sequence[Explanation],
    criterion: Criterion,
    requests: tuple[int, int],
    *,
    fixed: bool,
) -> Explained:
    ledger, run = protocol.ledger, protocol.ledger.deciding
    accepted = [one for one in offered if one.accepted]
    delta, known = ledger.delta_of(run), run.known
    return Explained(
        explanations=tuple(_with_answers(offered, run)),
        standing=run.standing,
        questions=run.answered,
        asked=protocol.taken + requests[0],
        requests=requests[0],
        delta=delta,
        processes=ledger.begun,
        most_processes=ledger.begun + ledger.left,
        clean=_clean(run, accepted[: run.standing], criterion, delta),
        clean_alone=clean_answers(
            criterion.ridiculous_limit, criterion.delta, known.units if known is not None and known.each_once else None
        ),
        first_fails=ledger.first is not ledger.latest and ledger.first.verdict is Verdict.FAIL,
        as_known=fixed,
        sandbox=what_holds().words if any(one.kind == "program" for one in offered) else "",
        unread=requests[1],
        known=_known(known, run.standing, criterion),
    )


def _known(known: Enumerated | None, standing: int, criterion: Criterion) -> KnownExactly | None:
    if known is None or not standing:
        return None
    grade, limit = known.required(criterion) if known.left else (None, None)
    return KnownExactly(
        questions=known.questions,
        share=known.share,
        score=known.score / known.weight if known.weight else None,
        ridiculous=known.ridiculous / known.weight if known.weight else None,
        required_score=grade,
        required_ridiculous=limit,
        decides=not known.left or known.certain(criterion) is not Verdict.UNDECIDED,
    )


def _with_answers(offered: Sequence[Explanation], run: SystemRun) -> Iterator[Explanation]:
    """With the number that each accepted one answered of what the verdict rests on: of a finite scope all that it covers."""
    number = 0
    for one in offered:
        beforehand = 0 if run.known is None else run.known.answered.get(number, 0)
        answered = run.answered_by[number] + beforehand
        yield replace(one, answered=answered) if one.accepted else one
        number += one.accepted


def _clean(run: SystemRun, standing: Sequence[Explanation], criterion: Criterion, delta: float) -> int | None:
    """Questions to the candidate, none answered ridiculously, after which the limit is shown to be kept."""
    known = run.known
    if criterion.ridiculous_limit is None:
        return None
    if known is None:
        alone = clean_answers(criterion.ridiculous_limit, delta, None)
        return ceil((alone or 0) * max(0.0, 1 - fsum(one.mass.value or 0.0 for one in standing)))
    if not known.left:
        return 0
    return clean_answers(known.criterion(criterion, delta).ridiculous_limit, delta, known.population) or 0


def clean_answers(limit: float | None, delta: float, population: int | None) -> int | None:
    """Answers without a ridiculous one after which `rate_below` reaches 1/delta; None without a limit.

    >>> clean_answers(0.00052, 0.05, None)
    6282
    """
    if limit is None:
        return None
    if population is None:
        return next(rate_boundary(limit, delta))
    enough = np.flatnonzero(rate_below(limit, population=population).update(np.zeros(population)) >= -log(delta) - 1e-9)
    return int(enough[0]) + 1 if enough.size else population
