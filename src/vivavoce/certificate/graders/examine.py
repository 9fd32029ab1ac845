"""The examination whose answers a judge grades, or people, or both."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import numpy as np

from vivavoce.certificate.endurance import Endurance
from vivavoce.certificate.evidence import check_terms
from vivavoce.certificate.finding import Certificate, Criterion, answers_topic
from vivavoce.certificate.graders.annotation import Annotation, Block, Graders, terms_of_grading
from vivavoce.certificate.graders.in_order import graded_in_order
from vivavoce.certificate.graders.places import private_places, refuse_old_rule
from vivavoce.certificate.importance_weighting import ImportanceWeighting
from vivavoce.certificate.questions import Question
from vivavoce.certificate.register import begin, design_name, ended, terms_of, within
from vivavoce.certificate.rows import in_order
from vivavoce.certificate.signed import as_asked
from vivavoce.certificate.strata import Strata
from vivavoce.certificate.unit_laws import refuse_laws
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Scope


async def certify_graded(
    interview: Interview[Prompt, Reply],
    scope: Scope[Question],
    criterion: Criterion,
    graders: Graders,
    *,
    seed: int | None = None,
    questions: int | None = None,
    design: Strata | ImportanceWeighting | None = None,
    ahead: int = 16,
    again: bool = False,
    endurance: Endurance = Endurance(),  # noqa: B008 -- frozen
) -> Certificate:
    """Does this candidate understand this scope, if these graders score its answers? Sequential, with error at most delta.

    As `certify`, with these differences. All answers go to the graders, whatever the scope's own rule would say, unless some of
    its questions have a rubric and others do not: then the rule grades the others (see `Graders`). An answer that did not come
    scores 0 without anybody. Grades are taken in drawn order as well: an answer that waits for people's grade ends the
    evidence there, and later ones count only once it is graded, since those that people happen to have graded are no fair
    sample. The examination goes on asking until `graders.batch` answers wait, so that people have something to do, and the
    finding holds them (`Grading.waiting`). The same call with more grades goes on from the record.

    With a judge and people both, the guarantee is on people's grades: see `graders.predicted`. Then `questions` counts all that
    are asked, the finding's `questions` those that people graded, and there is no `design`. Which answers they grade is drawn
    in private, block by block, whatever the seed, when the judge has graded the whole block (`graders.places`). With a judge
    alone the guarantee is on the judge's grades, which is a caveat of the finding.

    again: see `certify`. Another judge, rubric or share of people's grades is another attempt.
    endurance: as for `certify`; with a judge and people both, `at_least` counts questions that people graded.
    ahead: answers that are being graded at once at most; the judge's budget may be overrun by this many, with people by twice
    as many and a block.

    Raises what the interviews raise, and `BadInput` for a record begun when people graded exactly every so many answers.
    """
    check_terms(criterion, questions)
    refuse_laws(scope, "graders")
    if design is not None and graders.both:
        raise BadInput("a judge and people together have neither strata nor evenly drawn weights: leave one of them out")
    endurance.check("sequential", questions)
    transcript, name, judge = interview.transcript, interview.candidate.name, graders.judge
    if graders.both and judge is not None and not again:
        await refuse_old_rule(transcript, candidate=name, scope=scope.name, judge=judge.name, judging=judge.topic)
    terms = terms_of(
        "certificate",
        interview,
        [scope],
        criterion,
        design=design_name(design),
        seed=seed,
        **endurance.settings,
        **terms_of_grading(graders, scope),
    )
    attempt = await begin(interview, terms, again=again)
    annotation = Annotation(scope, within(criterion, attempt), graders, questions, design, endurance)
    places = None
    if graders.both:
        places = await private_places(
            transcript,
            candidate=name,
            scope=scope.name,
            digest=annotation.scope.digest,
            attempt=attempt.held,
            further=graders.further,
        )
    asked = annotation.prompts((design or annotation.scope).draw(np.random.default_rng(attempt.seed.number)))
    times = await endurance.times(interview, scope, seed=attempt.seed.number, questions=questions)
    interview.results.mark_by(lambda heard: in_order(heard, annotation.marks, over=annotation.over))
    answers = interview.ask_in_order(asked, topic=answers_topic(scope.name), times=times)
    async with aclosing(answers), aclosing(graded_in_order(answers, annotation.mark, ahead=ahead)) as marked:
        if places is None:
            async for mark in marked:
                if annotation.take(mark):
                    break
        else:
            await _take_blocks(annotation, annotation.blocks(marked, places), ahead=-(-ahead // (graders.further + 1)))
    found = annotation.certificate(interview, attempt.seed.number, commitment="" if places is None else places.secret.digest)
    found = as_asked(found, interview, *(() if graders.judge is None else (graders.judge.interview,)))
    secret = None if places is None else places.secret
    return await ended(interview, found, criterion, attempt, book=annotation.book(interview), places=secret)


async def _take_blocks(annotation: Annotation, blocks: AsyncGenerator[tuple[int, Block], None], *, ahead: int) -> None:
    """Have people grade what is theirs of this many blocks at once, and take the blocks in drawn order."""
    async with aclosing(blocks), aclosing(graded_in_order(blocks, annotation.shown, ahead=ahead)) as shown:
        async for block in shown:
            if annotation.take_block(block):
                return
