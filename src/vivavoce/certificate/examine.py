"""The examination: draw questions, ask them, stop as soon as the evidence is enough."""

from __future__ import annotations

from contextlib import aclosing
from typing import get_args

import numpy as np

from vivavoce.certificate.endurance import Endurance
from vivavoce.certificate.evidence import check_terms
from vivavoce.certificate.finding import Certificate, Criterion, Procedure, answers_topic
from vivavoce.certificate.gradebook import Gradebook, grades_taken
from vivavoce.certificate.importance_weighting import ImportanceWeighting
from vivavoce.certificate.questions import Question
from vivavoce.certificate.register import begin, design_name, ended, terms_of, within
from vivavoce.certificate.rows import in_order, marks_of
from vivavoce.certificate.run import Run
from vivavoce.certificate.score import Unreadable
from vivavoce.certificate.signed import as_asked
from vivavoce.certificate.strata import Strata
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Scope


async def certify(
    interview: Interview[Prompt, Reply],
    scope: Scope[Question],
    criterion: Criterion,
    *,
    seed: int | None = None,
    procedure: Procedure = "sequential",
    questions: int | None = None,
    design: Strata | ImportanceWeighting | None = None,
    unreadable: Unreadable = "interval",
    again: bool = False,
    endurance: Endurance = Endurance(),  # noqa: B008 -- frozen
) -> Certificate:
    """Does this candidate understand this scope, with error at most delta?

    Parameters
    ----------
    seed: of the order in which questions are drawn. None draws one, and has the transcript commit to it before the first
        question; one that is given is for examples and studies, and the finding says so.
    procedure: `sequential` looks after every answer and stops at the first sufficient evidence; `fixed` is Procedure 4.1 of
        `leytonbrown2024`: it asks exactly `questions` questions and looks once.
    questions: at most this many (sequential), or this many (fixed, where it must be given). A cluster is never cut in two.
    design: `strata_of(scope)` asks its strata in proportion and tests without splitting delta among them;
        `importance_weighting_of(scope)` asks each question once and counts it by its weight. None: as the scope draws. For the
        sequential procedure alone.
    unreadable: what a reply is worth that cannot be read: anything from 0 to 1, so that no verdict rests on it, or `wrong`.
    again: begin another attempt, at what is left of delta, although the transcript holds one (see `attempts`).
    endurance: what is asked of a candidate that may tire. "Does not understand" may come at any time.

    The guarantee: P(a verdict is given and is wrong) <= delta for every fixed candidate, whatever the interview's budget and
    whenever it is interrupted, for all attempts on record together; this one has its share of delta. It needs
    answers in drawn order, which `Interview.ask_in_order` keeps. When all of a finite scope has been asked the verdict is
    exact.

    Raises what the interview raises; what was answered before is on record, and the same call goes on from there. Raises
    `OtherTerms` where the transcript holds an examination of this candidate on this scope that is not the same.
    """
    check_terms(criterion, questions, [scope])
    if procedure not in get_args(Procedure):
        raise BadInput(f"no procedure '{procedure}'; there are {' and '.join(get_args(Procedure))}")
    if questions is None and procedure == "fixed":
        raise BadInput("the fixed procedure needs its number of questions in advance: --questions N")
    if design is not None and procedure == "fixed":
        raise BadInput("the fixed procedure has neither strata nor evenly drawn weights: it looks once, as in the paper")
    endurance.check(procedure, questions)
    terms = terms_of(
        "certificate",
        interview,
        [scope],
        criterion,
        procedure=procedure,
        questions=questions if procedure == "fixed" else None,
        design=design_name(design),
        unreadable=unreadable,
        seed=seed,
        **endurance.settings,
    )
    attempt = await begin(interview, terms, again=again)
    own = within(criterion, attempt)
    run = Run(scope, own, procedure, limit=questions, design=design, unreadable=unreadable, endurance=endurance)
    prompts = run.prompts((design or scope).draw(np.random.default_rng(attempt.seed.number)))
    times = await endurance.times(interview, scope, seed=attempt.seed.number, questions=questions)
    interview.results.mark_by(lambda heard: in_order(heard, marks_of(run.taken, scope=scope.name)))
    async with aclosing(interview.ask_in_order(prompts, topic=answers_topic(scope.name), times=times)) as answers:
        async for _, answer in answers:
            run.take(answer)
            if run.over:
                break
    found = as_asked(
        run.certificate(interview.candidate.name, interview.exhausted, interview.spending, attempt.seed.number), interview
    )
    grades = grades_taken(run.taken, interview.handed_out, scope, design, interview.exhausted)
    return await ended(interview, found, criterion, attempt, book=Gradebook(grades=grades))
