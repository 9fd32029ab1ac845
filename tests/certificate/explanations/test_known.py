"""The part of a finite scope that procedures answer is known exactly, and the rest alone is drawn."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.certificate.candidates import Expert, certified, scope
from tests.certificate.explanations.test_audit import PRODUCTS, SMALL, SUMS
from tests.certificate.explanations.test_examine import ReformedCandidate
from tests.each_case import each_case
from vivavoce.candidates.bots import Calculator, Errors
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.evidence.sequential import exact_verdict
from vivavoce.certificate.explanations.examine import Procedures
from vivavoce.certificate.explanations.finding import KnownPart, summary
from vivavoce.certificate.explanations.known import EnumeratedUnits, RateAlone, from_rulings, run_whole
from vivavoce.certificate.explanations.procedures import AnswerTable, Kind, ProcedureAnswer, RuledUnit
from vivavoce.certificate.explanations.sandbox.program_reply import ProgramReply
from vivavoce.certificate.explanations.sandbox.sandbox import SandboxEnded
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import EndlessScope, ListedScope
from vivavoce.scopes.questions import Question


def letters(wanted: Sequence[int], *, right: Callable[[int], bool] = lambda number: True) -> AnswerTable:
    return AnswerTable("letters", {f"Question {i}, version 0?": "A" if right(i) else "B" for i in wanted})


def weighted(listed: ListedScope) -> ListedScope:
    """Questions of odd number weigh three times as much."""
    return ListedScope("weighted", tuple(replace(q, weight=3.0 if int(q.id) % 2 else 1.0) for q in listed.questions))


def known_of(certificate: Certificate) -> KnownPart:
    assert certificate.explained is not None
    assert certificate.explained.known is not None
    return certificate.explained.known


def left(number: int) -> tuple[RuledUnit, ...]:
    return tuple(RuledUnit((question,), (None,)) for question in scope(number).questions)


def stratum(known: int, rest: int, *, score: float, unacceptable: float = 0.0) -> EnumeratedUnits:
    """So many questions known with these sums, and others that are left, all of one weight."""
    return EnumeratedUnits(
        known + rest, left(rest), score, unacceptable, known, known, {0: known}, (1.0,) * rest, each_once=True
    )


def test_what_the_rest_must_keep() -> None:
    # of 100 questions 60 are known, 50 of them right and 1 unacceptable: for .7 and .03 the other 40 need 20, and may have 2
    assert stratum(60, 40, score=50, unacceptable=1).required(Criterion(0.7, 0.03)) == pytest.approx((0.5, 0.05))


@each_case(
    ("score", "unacceptable", "limit", "verdict"),
    [
        (70, 0, None, Verdict.PASS),  # 70 of 100 are right already
        (69, 0, None, Verdict.UNDECIDED),
        (70, 0, 0.3, Verdict.PASS),  # 20 are left, and 30 may be unacceptable
        (70, 0, 0.19, Verdict.UNDECIDED),  # 20 are left, and 19 may be
        (40, 0, None, Verdict.FAIL),  # with all 20 others 60
        (50, 0, None, Verdict.UNDECIDED),  # with all others right 70
        (70, 4, 0.03, Verdict.FAIL),
        (70, 3, 0.03, Verdict.UNDECIDED),  # if none of the others is
    ],
)
def test_what_is_certain_whatever_the_rest_scores(
    score: float, unacceptable: float, limit: float | None, verdict: Verdict
) -> None:
    assert stratum(80, 20, score=score, unacceptable=unacceptable).certain(Criterion(0.7, limit)) is verdict


@given(
    grades=st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=12),
    grade=st.sampled_from([0.25, 0.5, 0.7, 0.9]),
    limit=st.sampled_from([None, 0.1, 0.3, 0.5]),
    weights=st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=12, max_size=12),
)
def test_the_rest_keeps_what_it_must_if_and_only_if_the_whole_does(
    grades: list[tuple[bool, float]], grade: float, limit: float | None, weights: list[float]
) -> None:
    """Scores of 0 are unacceptable here. All is counted by hand over all questions, against the part and the rest."""
    whole = Criterion(grade, limit)
    kept = [w for w, (covered, _) in zip(weights, grades, strict=False) if not covered]
    known = [(w, s) for w, (covered, s) in zip(weights, grades, strict=False) if covered]
    if not kept:
        return
    part = EnumeratedUnits(
        units=len(grades),
        left=left(len(kept)),
        score=sum(w * s for w, s in known),
        unacceptable=sum(w for w, s in known if s == 0),
        weight=sum(w for w, _ in known),
        questions=len(known),
        answered={0: len(known)},
        weights=tuple(kept),
        each_once=False,
    )
    total = sum(weights[: len(grades)])
    rest = [(w, s) for w, (covered, s) in zip(weights, grades, strict=False) if not covered]
    mean = sum(w * s for w, (_, s) in zip(weights, grades, strict=False)) / total
    rate = sum(w for w, (_, s) in zip(weights, grades, strict=False) if s == 0) / total
    truth = exact_verdict(mean, rate, whole)
    of_rest = sum(w * s for w, s in rest) / sum(kept), sum(w for w, s in rest if s == 0) / sum(kept)
    least, most = part.required(whole)
    keeps = of_rest[0] >= least - 1e-9 and (most is None or of_rest[1] <= most + 1e-9)
    assert keeps == (truth is Verdict.PASS)
    assert part.certain(whole) in (truth, Verdict.UNDECIDED)
    assert (part.score_of_all(of_rest[0]), part.rate_of_all(of_rest[1])) == pytest.approx((mean, rate))


def test_where_any_score_is_enough_unacceptable_answers_alone_are_tested() -> None:
    # 80 right of 100 reach .7; 5 of the 20 left may be unacceptable, and wrong ones may all be
    known, whole = stratum(80, 20, score=80), Criterion(0.7, 0.05)
    test = known.test(whole, 0.05)
    assert isinstance(test, RateAlone)
    assert test.update(np.zeros(20), np.zeros(20)) is Verdict.PASS
    assert test.n < 20
    failing = known.test(whole, 0.05)
    assert failing.update(np.zeros(20), np.ones(20)) is Verdict.FAIL


async def test_what_is_decided_before_anything_is_asked_is_not_asked() -> None:
    """80 of 100 are right by the table, .7 is the grade: the others may say what they want."""
    table = letters(range(80))
    certificate = await certified(Expert(0.0), scope(100), Criterion(0.7, None), Procedures(given=(table,)), seed=0)
    assert (certificate.verdict, certificate.questions) == (Verdict.PASS, 0)
    assert (certificate.score.interval.lower, certificate.score.interval.upper) == pytest.approx((0.8, 1.0))
    assert certificate.basis.startswith("The answers of its procedures decide")
    assert known_of(certificate).decides
    # with one right answer less by the table it has to be asked
    fewer = await certified(Expert(0.0), scope(100), Criterion(0.7, None), Procedures(given=(letters(range(69)),)), seed=0)
    assert (fewer.verdict, fewer.questions > 0) == (Verdict.FAIL, True)


async def test_a_rest_of_one_question_is_asked_once() -> None:
    for score, verdict in ((1.0, Verdict.PASS), (0.0, Verdict.FAIL)):
        certificate = await certified(
            Expert(score), scope(10), Criterion(0.95, None), Procedures(given=(letters(range(9)),)), seed=0
        )
        assert (certificate.verdict, certificate.questions, certificate.complete) == (verdict, 1, True)


async def test_weights_are_drawn_from_the_rest_alone() -> None:
    """Odd numbers weigh 3 of 4, and the table knows these: the rest is a quarter, and must reach (.8 - .75) / .25 = .2."""
    listed = weighted(scope(200))
    criterion, table = Criterion(0.8, None), letters(range(1, 200, 2))
    alone = await certified(Expert(1.0), listed, criterion, seed=0)
    certificate = await certified(Expert(1.0), listed, criterion, Procedures(given=(table,)), seed=0)
    known = known_of(certificate)
    assert (known.questions, known.share, known.score) == pytest.approx((100, 0.75, 1.0))
    assert known.required_score == pytest.approx(0.2)
    assert certificate.verdict is Verdict.PASS
    assert certificate.explained is not None
    # all that was drawn was asked; each right answer multiplies the e-value by at most 1 / g: ln(1 / .0475) / ln 5 = 2
    assert ceil(log(1 / 0.0475) / log(5)) <= certificate.questions == certificate.explained.questions <= 5
    assert certificate.questions < alone.questions / 2
    assert certificate.score.interval.lower >= 0.75


async def test_a_generated_scope_with_few_questions_is_run_whole() -> None:
    criterion = Criterion(0.7, 0.02)
    alone = await certified(Calculator(Errors()), SMALL, criterion, seed=0)
    certificate = await certified(Calculator(Errors()), SMALL, criterion, Procedures(given=(PRODUCTS,), checks=500), seed=0)
    known = known_of(certificate)
    assert (known.questions, known.share, known.required_unacceptable) == pytest.approx((100, 0.5, 0.04))
    assert certificate.explained is not None
    assert certificate.questions == certificate.explained.questions < 0.52 * alone.questions
    both = await certified(Expert(0.0), SMALL, criterion, Procedures(given=(PRODUCTS, SUMS), checks=500), seed=0)
    assert (both.verdict, both.questions) == (Verdict.PASS, 0)
    assert both.score.value == pytest.approx(1.0)


async def test_what_is_wrong_in_the_part_counts_against_the_whole() -> None:
    """Ten products of 200 questions are unacceptable, 5% by count; five checks overlook them, the run of all does not."""
    lying = AnswerTable("lying", dict(PRODUCTS.answers) | {f"What is 9 * {b}?": "1000000" for b in range(10)})
    plan = Procedures(given=(lying,), checks=5)
    certificates = [await certified(Calculator(Errors()), SMALL, Criterion(0.7, 0.02), plan, seed=seed) for seed in range(4)]
    standing = [certificate for certificate in certificates if certificate.explained and certificate.explained.standing]
    assert standing
    for certificate in standing:
        assert (certificate.verdict, certificate.questions) == (Verdict.FAIL, 0)
        assert known_of(certificate).unacceptable == pytest.approx(0.1)
        # nothing was asked: 10 of 200 questions are known to be unacceptable, and more in all if others are
        assert re.search(r": above \d(\.\d+)?% unacceptable, at most 2% allowed\.", certificate.headline)


def test_arithmetic_lists_what_it_draws() -> None:
    """There are 100 sums and 90 quotients, since the divisor is not 0; half of what is drawn are sums."""
    small = open_scope("arithmetic?digits=1&operations=+/")
    assert isinstance(small, EndlessScope)
    assert small.listing is not None
    listed = list(small.listing())
    weights = {operation: sum(w for q, w in listed if q.category == operation) for operation in "+/"}
    assert len(listed) == 190
    assert weights == pytest.approx({"+": 1.0, "/": 1.0})
    rng = np.random.default_rng(0)
    texts = {question.text for question, _ in listed}
    drawn = [next(small.draw(rng))[0].text for _ in range(300)]
    assert set(drawn) <= texts
    assert getattr(open_scope("arithmetic?digits=3"), "listing", "") is None


@dataclass
class FailingProcedure:
    """A procedure that answers the first hundred questions in its audit, and is ended at the tenth when all is run."""

    source: str = "test:fails"
    kind: Kind = "program"
    digest: str = "0" * 64
    text: str = ""
    runs: int = 0

    def rulings(self, questions: Sequence[Question]) -> tuple[ProgramReply, ...]:
        self.runs += 1
        replies = tuple(ProgramReply(int(q.id) < 100, "A" if int(q.id) < 100 else "") for q in questions)
        if self.runs > AUDIT_RUNS:
            raise SandboxEnded("wall time", "more than 20 seconds", before=replies[:10])
        return replies


AUDIT_RUNS = 5
"""One over all questions, one over half of them in another order, three over one each."""


async def test_what_is_ended_in_the_one_run_has_given_wrong_answers() -> None:
    """The set is what the run made it: ten answers, and 190 questions to which it gave none. Nothing is run once more."""
    fails = FailingProcedure()
    certificate = await certified(Expert(1.0), scope(200), Criterion(0.7, None), Procedures(given=(fails,)), seed=0)
    assert fails.runs == AUDIT_RUNS + 1
    known = known_of(certificate)
    assert known.questions >= 190
    assert known.score is not None
    assert known.score < 0.06
    assert certificate.verdict is Verdict.FAIL


async def test_a_process_that_begins_later_has_a_part_of_its_own() -> None:
    """Unacceptable on products with a 9 until it hands over how to multiply: from then on half of the scope is known."""
    certificate = await certified(
        ReformedCandidate(), SMALL, Criterion(0.7, 0.02), Procedures(ask=1, again=2, checks=500), seed=0
    )
    part = certificate.explained
    assert part is not None
    assert (certificate.verdict, part.processes, part.standing, part.first_fails) == (Verdict.PASS, 2, 1, True)
    known = known_of(certificate)
    assert (known.questions, known.required_score, known.required_unacceptable) == pytest.approx((100, 0.4, 0.04))
    # delta is shared as ever, and nothing from before the explanation counts: sums alone, none of them unacceptable
    assert part.delta == pytest.approx(0.0475 * 0.25 / (1 + 1 / 4 + 1 / 9))
    assert (certificate.unacceptable_count, certificate.questions) == (0, part.questions)
    assert part.explanations[0].answered == 100
    # with a limit of .04, none unacceptable: at least ln(1 / .0083) / -ln(1 - .04) = 117 draws of sums, where .02 takes 237
    assert 117 <= certificate.questions < 150


def test_one_that_is_added_is_run_on_all_and_the_beginning_stays_what_it_was() -> None:
    whole = run_whole(SMALL, [], np.random.default_rng(0), more=True)
    assert whole is not None
    beginning = whole.known
    assert (beginning.questions, len(beginning.left)) == (0, 200)
    draws = iter(whole)
    assert next(draws).answers == (None,)
    whole.add(PRODUCTS)
    assert (beginning.questions, whole.known.questions, len(whole.known.left)) == (0, 100, 100)
    later = [next(draws) for _ in range(200)]
    products = [pair for pair in later if pair.unit[0].category == "*"]
    # still drawn, for the system of the beginning, and known to the later one
    assert 60 < len(products) < 140
    assert all(product.known(1)[0] is not None and product.known(0) == (None,) for product in products)


def test_a_cluster_that_is_covered_in_part_is_left_to_be_drawn() -> None:
    listed = scope(3, copies=2)
    covered = ProcedureAnswer(0, Reply("Answer: A"))
    drawn = [RuledUnit(unit, (covered, covered if i else None)) for i, unit in enumerate(listed.units)]
    units = from_rulings(listed, drawn)
    assert (units.questions, len(units.left), units.weight) == (4, 1, 2.0)


async def test_laws_over_clusters_are_refused() -> None:
    lawful = open_scope("arithmetic?digits=1&laws=commute")
    with pytest.raises(BadInput, match="laws"):
        await certified(Expert(1.0), lawful, Criterion(0.7, None), Procedures(given=(SUMS,)), seed=0)


def test_a_scope_without_an_end_is_not_run_whole() -> None:
    rng = np.random.default_rng(0)
    assert run_whole(open_scope("arithmetic?digits=3"), [PRODUCTS], rng) is None
    assert run_whole(SMALL, [], rng) is None  # nothing covers anything: drawn as ever
    assert run_whole(SMALL, [PRODUCTS], rng) is not None


class ProductTable(AnswerTable):
    """Knows all products by working them out."""

    def __init__(self) -> None:
        super().__init__("multiplies", {"all": "all"})

    def rulings(self, questions: Sequence[Question]) -> tuple[ProgramReply, ...]:
        covers = [q.category == "*" for q in questions]
        return tuple(ProgramReply(c, q.accepted[0] if c else "") for c, q in zip(covers, questions, strict=True))


async def test_page_and_json_say_what_is_known_or_that_no_draws_were_saved() -> None:
    @dataclass
    class FlawlessExpert(Expert):
        async def answer(self, prompt: Prompt, /) -> Reply:
            return Reply("Answer: A")

    listed = await certified(
        FlawlessExpert(1.0), scope(100), Criterion(0.7, None), Procedures(given=(letters(range(50)),)), seed=0
    )
    assert listed.explained is not None
    text = " ".join(summary(listed.explained, questions=listed.questions, delta=listed.delta))
    assert "Known exactly: 50 questions of the scope (50%), mean score 1.00, unacceptable answers 0%." in text
    assert "their mean score must reach 0.40." in text
    values = json.loads(json.dumps(listed.as_json()))["figures"]["explained"]["known_exactly"]
    assert (values["questions"], values["required_score"]) == (50, pytest.approx(0.4))
    endless = await certified(
        Calculator(Errors()),
        open_scope("arithmetic?operations=+*"),
        Criterion(0.7, None),
        Procedures(given=(ProductTable(),), checks=500),
        seed=0,
    )
    assert endless.explained is not None
    assert endless.explained.known is None
    own = endless.questions - endless.explained.questions
    text = " ".join(summary(endless.explained, questions=endless.questions, delta=endless.delta))
    assert f"The procedures answered {own} of the {endless.questions} questions drawn. This saved calls" in text
    assert "no draws" in text
