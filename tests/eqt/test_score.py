"""Figures by hand, answer consistency, what must not matter, and whether intervals cover what was planted."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.eqt.records import ROLES, answer, choice, concept_record, item, planted, record
from tests.papers.eqt_table1 import AVERAGES, MODELS, cells
from vivavoce.eqt.eqt_finding import finding_of
from vivavoce.eqt.record import Concept, ConceptRecord, EqtConfig, EqtRecord, Phrasing, QuestionRecord
from vivavoce.eqt.result import Figures
from vivavoce.eqt.score import acs, acs_rescaled, figures, jaccard, only_valid, questions_asked, score
from vivavoce.formats.interval import Estimate
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.statistics.clustered import mean_interval, share_interval

# Two concepts. Closed-book answers, key A (AC on the last):
#   one/1: A A A B   one/2: B B B B   two/1: A ? - A   two/2: AC A
HAND = record(
    [
        concept_record("one", [item(1, "A A A B"), item(2, "B B B B", opened="A")], "math"),
        concept_record("two", [item(1, "A ? - A", opened="B"), item(2, "CA A", opened="AC", key="AC")], "law"),
    ]
)


def values(figures: Figures) -> dict[str, float | None]:
    names = ("closed", "closed_originals", "partial", "open_book", "gap", "acs", "acs_rescaled", "unreadable")
    return {name: getattr(figures, name).value for name in names}


def test_figures_by_hand() -> None:
    whole = score(HAND).whole
    assert (whole.concepts, whole.questions) == (2, 4)
    assert values(whole) == pytest.approx(
        {
            "closed": 6 / 14,  # 3 + 0 + 2 + 1 of 4 + 4 + 4 + 2
            "closed_originals": 3 / 4,  # A, B, A, CA: all but the second
            "partial": 6.5 / 14,  # as above, and A for AC is half of it
            "open_book": 3 / 4,  # A, A, B, AC
            "gap": 0.0,  # 0, 1, -1, 0
            "acs": (3 / 4 + 1 + 3 / 4 + 1 / 2) / 4,  # distinct: 2 of 4, 1 of 4, 2 of 4 (A, nothing), 2 of 2
            "acs_rescaled": (2 / 3 + 1 + 2 / 3 + 0) / 4,
            "unreadable": 2 / 14,
        }
    )
    assert (whole.closed.n, whole.closed_originals.n, whole.gap.n, whole.acs.n) == (14, 4, 4, 4)


def test_intervals_are_by_concept() -> None:
    whole = score(HAND).whole
    hits = [1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0]
    by_concept = ["one"] * 8 + ["two"] * 6
    assert tuple(share_interval(hits, by_concept)) == pytest.approx((whole.closed.interval.lower, whole.closed.interval.upper))
    lower, upper = mean_interval([0, 1, -1, 0], ["one", "one", "two", "two"])
    assert (max(-1, lower), min(1, upper)) == pytest.approx((whole.gap.interval.lower, whole.gap.interval.upper))


def test_within_one_concept_intervals_are_by_question() -> None:
    concept = score(HAND).concepts[0]
    assert (concept.name, concept.concepts, concept.questions) == ("one", 1, 2)
    by_question = ["1"] * 4 + ["2"] * 4
    lower, upper = share_interval([1, 1, 1, 0, 0, 0, 0, 0], by_question)
    assert (concept.closed.interval.lower, concept.closed.interval.upper) == pytest.approx((lower, upper))
    # Both originals stand alone: Clopper and Pearson's for 1 of 2 is 1 - .975^(1/2) and its mirror.
    assert concept.closed_originals.interval.lower == pytest.approx(1 - 0.975**0.5)
    assert concept.closed_originals.interval.upper == pytest.approx(0.975**0.5)


def test_categories_and_concepts_stand_in_their_order() -> None:
    result = score(HAND)
    assert [category.name for category in result.categories] == ["math", "law"]
    assert [concept.name for concept in result.concepts] == ["one", "two"]
    assert result.categories[1].closed.value == 3 / 6


def test_what_could_not_be_read_is_wrong_and_counted_apart() -> None:
    result = score(HAND)
    assert result.parses == {"strict": 12, "unreadable": 1, "no answer": 1}
    assert result.unread == {"no option named": 1, "time-out": 1}
    assert result.not_asked == 0


def test_what_was_never_put_is_no_answer() -> None:
    result = score(record([concept_record("one", [item(1, "A . ."), item(2, ".", opened=None)])], planned=3, exhausted="calls"))
    assert result.whole.closed == replace(result.whole.closed, value=1.0, n=1)
    assert (result.not_asked, result.completed, result.planned, result.exhausted) == (3, 1, 3, "calls")
    assert (result.whole.acs.value, result.whole.acs.n) == (None, 0)  # one answer is neither consistent nor not
    assert (result.whole.open_book.n, result.whole.gap.n) == (1, 1)
    assert result.whole.gap.interval == Estimate(None, replace(result.whole.gap.interval, lower=-1.0, upper=1.0), 0).interval


def test_the_gap_pairs_questions_that_were_asked_both() -> None:
    concept_records = [concept_record("one", [item(1, "B", opened="A"), item(2, ".", opened="A"), item(3, "A", opened=None)])]
    whole = score(record(concept_records)).whole
    assert (whole.gap.value, whole.gap.n) == (1.0, 1)
    assert (whole.closed_originals.value, whole.open_book.value) == (0.5, 1.0)


def test_valid_figures_leave_out_faults_and_what_means_something_else() -> None:
    changed = Phrasing("Other?", answer("B"), same_meaning=False)
    good = item(1, "A A")
    concept_records = [
        concept_record("one", [replace(good, phrasings=(*good.phrasings, changed)), item(2, "B", key_check=answer("C"))])
    ]
    result = score(record(concept_records))
    assert (result.whole.closed.value, result.whole.closed.n) == (0.5, 4)
    assert (result.valid.closed.value, result.valid.closed.n, result.valid.questions) == (1.0, 2, 1)
    assert result.whole.acs.value == pytest.approx(1 - 1 / 3)
    assert result.valid.acs.value == 1.0


def test_nothing_at_all_is_no_number() -> None:
    result = score(record([ConceptRecord(Concept("one", "math"), None, "refused", ())], config=EqtConfig(questions=2)))
    assert set(values(result.whole).values()) == {None}
    assert result.no_explanation == {"refused": 1}
    assert (result.concepts[0].questions, result.categories[0].name) == (0, "math")
    assert score(record([])).whole.closed.value is None


@each_case(
    ("chosen", "key", "credit"),
    [("A", "A", 1), ("AB", "A", 1 / 2), ("B", "A", 0), ("AB", "BC", 1 / 3), ("", "A", 0), ("ABCD", "AB", 1 / 2)],
)
def test_partial_credit(chosen: str, key: str, credit: float) -> None:
    assert jaccard(choice(chosen), choice(key)) == pytest.approx(credit)


def test_visitors_are_paired_by_question() -> None:
    answers = {("one", 1): answer("A"), ("one", 2): answer("A"), ("two", 1): answer("-"), ("nowhere", 1): answer("A")}
    result = score(replace(HAND, visitors={"guest": answers}))
    # Right on one/1 and one/2, nothing on two/1, never asked two/2; the candidate: right, wrong, right.
    assert (result.visitors["guest"].value, result.ahead["guest"].value) == pytest.approx((2 / 3, 0.0))
    assert (result.visitors["guest"].n, result.ahead["guest"].n) == (3, 3)


def test_equal_values_are_no_certainty() -> None:
    whole = score(record([concept_record(f"c{n}", [item(1, "A A", opened="A")]) for n in range(10)])).whole
    # An event never seen in 10 concepts: 1 - .025^(1/10) = .3085.
    assert (whole.gap.value, whole.gap.interval.upper) == pytest.approx((0.0, 1 - 0.025**0.1))
    assert whole.acs.interval.lower == pytest.approx(1 - (1 - 0.025**0.1))
    assert whole.closed.interval.lower == pytest.approx(0.025**0.1)


def test_the_finding_is_json_and_signed() -> None:
    finding = finding_of([score(HAND, source="the concepts", digest="ab" * 32)])
    document = json.loads(json.dumps(finding.as_json(), allow_nan=False))
    assert [document[name] for name in ("kind", "format", "verdict", "candidates")] == ["eqt", 1, None, ["model"]]
    assert document["figures"]["results"][0]["whole"]["closed"]["value"] == pytest.approx(6 / 14)
    assert document["signature"].startswith("vivavoce ")
    assert "eqt · model · the concepts · scope abababababab · seed 0" in document["signature"]
    assert json.loads(finding.signature.line.split(" · ")[-1])["roles"] == ROLES


LETTERS = st.sampled_from(["A", "B", "AC", "ABCD", "?", "-", "."])
ITEMS = st.tuples(
    st.lists(LETTERS, min_size=1, max_size=4), LETTERS.filter(lambda text: text != "."), st.sampled_from(["A", "AC"])
)
SITTINGS = st.lists(st.lists(ITEMS, max_size=4), min_size=1, max_size=4)


def _built(rows: list[list[tuple[list[str], str, str]]], order: tuple[int, ...] = (0, 1, 2, 3)) -> EqtRecord:
    """A record of these questions with options moved to other places."""

    def moved(question_record: QuestionRecord) -> QuestionRecord:
        def of(chosen: frozenset[int] | None) -> frozenset[int] | None:
            return None if chosen is None else frozenset(order[index] for index in chosen)

        question = question_record.question
        assert question is not None
        assert question_record.open_book is not None
        options = tuple(question.options[order.index(index)] for index in range(4))
        return replace(
            question_record,
            question=MultipleChoice(question.stem, options, of(question.key) or frozenset()),
            phrasings=tuple(
                replace(p, answer=p.answer and replace(p.answer, chosen=of(p.answer.chosen))) for p in question_record.phrasings
            ),
            open_book=replace(question_record.open_book, chosen=of(question_record.open_book.chosen)),
            key_check=question_record.key_check
            and replace(question_record.key_check, chosen=of(question_record.key_check.chosen)),
        )

    return record(
        [
            concept_record(
                f"c{n}", [moved(item(i, " ".join(closed), opened, key)) for i, (closed, opened, key) in enumerate(of, 1)]
            )
            for n, of in enumerate(rows)
        ]
    )


def _close(entry: Figures, other: Figures) -> None:
    for name in values(entry):
        first, second = getattr(entry, name), getattr(other, name)
        assert first.value == pytest.approx(second.value)
        assert (first.interval.lower, first.interval.upper, first.n) == pytest.approx(
            (second.interval.lower, second.interval.upper, second.n), abs=1e-9
        )


@settings(max_examples=25)
@given(SITTINGS, st.permutations(range(4)))
def test_the_order_of_options_does_not_matter(answers: list[list[tuple[list[str], str, str]]], order: list[int]) -> None:
    before, after = score(_built(answers)), score(_built(answers, tuple(order)))
    _close(before.whole, after.whole)
    _close(before.valid, after.valid)


@settings(max_examples=25)
@given(SITTINGS, st.randoms())
def test_the_order_of_concepts_and_of_answers_does_not_matter(
    answers: list[list[tuple[list[str], str, str]]], random: object
) -> None:
    shuffled = [[([closed[0], *sorted(closed[1:], reverse=True)], opened, key) for closed, opened, key in of] for of in answers]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    _close(score(_built(answers)).whole, score(_built(shuffled)).whole)


@settings(max_examples=25)
@given(SITTINGS)
def test_every_value_lies_in_its_interval_and_every_interval_in_its_range(
    answers: list[list[tuple[list[str], str, str]]],
) -> None:
    result = score(_built(answers))
    for part in (result.whole, result.valid, *result.categories, *result.concepts):
        for name, value in values(part).items():
            interval = getattr(part, name).interval
            assert (-1.0 if name == "gap" else 0.0) <= interval.lower <= interval.upper <= 1.0
            assert value is None or interval.lower - 1e-9 <= value <= interval.upper + 1e-9
    assert finding_of([result]).statement
    assert finding_of([result]).caveats


def test_renaming_concepts_and_candidates_changes_no_figure() -> None:
    renamed = replace(
        HAND,
        roles=dict.fromkeys(ROLES, "another"),
        concept_records=tuple(
            replace(entry, concept=Concept(f"new {entry.concept.name}", "x")) for entry in HAND.concept_records
        ),
    )
    _close(score(HAND).whole, score(renamed).whole)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("concepts", "questions", "recall", "opened", "least"),
    [
        (20, 5, 0.6, 0.9, 0.93),
        (8, 5, 0.6, 0.9, 0.93),
        (40, 3, 0.85, 0.97, 0.93),
        (5, 20, 0.5, 0.8, 0.93),
        (2, 10, 0.6, 0.9, 0.93),
    ],
)
def test_intervals_cover_what_was_planted(concepts: int, questions: int, recall: float, opened: float, least: float) -> None:
    swerve, rounds = 0.1, 2_000
    right = recall * (1 - swerve) + (1 - recall) * swerve
    truth = {"closed": right, "closed_originals": right, "open_book": opened, "gap": opened - right}
    # Over 4 answers two are distinct unless all swerve or none does: acs is 1 or 3/4.
    truth["acs"] = 1 - (1 - swerve**4 - (1 - swerve) ** 4) / 4
    rng, covered = np.random.default_rng(4), dict.fromkeys(truth, 0)
    for _ in range(rounds):
        drawn = planted(rng, concepts=concepts, questions=questions, recall=recall, opened=opened, swerve=swerve)
        measured = figures("", only_valid(questions_asked(drawn), checked=True))
        for name, value in truth.items():
            covered[name] += value in getattr(measured, name).interval
    shares = {name: number / rounds for name, number in covered.items()}
    assert min(shares.values()) >= least, shares


CHOICES = st.lists(st.one_of(st.none(), st.frozensets(st.integers(0, 5))), min_size=1, max_size=12)
A, B, C, D = (frozenset([index]) for index in range(4))

# By hand: answers, distinct ones, 1 - (distinct - 1) / n, 1 - (distinct - 1) / (n - 1).
CASES: list[tuple[list[Choice | None], float, float]] = [
    ([A, A, A, A], 1.0, 1.0),
    ([A, A, A, B], 1 - 1 / 4, 1 - 1 / 3),
    ([A, A, B, B], 1 - 1 / 4, 1 - 1 / 3),
    ([A, B, C, C], 1 - 2 / 4, 1 - 2 / 3),
    ([A, B, C, D], 1 / 4, 0.0),
    ([A | C, C | A, A], 1 - 1 / 3, 1 - 1 / 2),
    ([None, None, None], 1.0, 1.0),  # always unreadable is one value
    ([A, None, None], 1 - 1 / 3, 1 - 1 / 2),
    ([A, B], 1 / 2, 0.0),
    ([frozenset(), None], 1 / 2, 0.0),  # "none of them" is an answer
]


@each_case(("answers", "printed", "rescaled"), CASES)
def test_consistency_by_hand(answers: list[Choice | None], printed: float, rescaled: float) -> None:
    assert acs(answers) == pytest.approx(printed)
    assert acs_rescaled(answers) == pytest.approx(rescaled)


@each_case("n", range(2, 12))
def test_the_floor_as_printed_is_one_over_n_and_not_0_as_the_paper_says(n: int) -> None:
    answers = [frozenset([index]) for index in range(n)]
    assert acs(answers) == pytest.approx(1 / n)
    assert acs_rescaled(answers) == 0


def test_one_answer_cannot_differ_and_none_has_no_score() -> None:
    assert (acs([A]), acs_rescaled([A])) == (1, None)
    assert (acs([]), acs_rescaled([])) == (None, None)


@each_case(("model", "average"), list(zip(MODELS, AVERAGES, strict=True)))
def test_the_papers_averages_follow_from_its_cells(model: str, average: float) -> None:
    column = [scores[MODELS.index(model)] for scores in cells().values()]
    assert len(column) == 14
    assert round(sum(column) / 14, 2) == average


@given(CHOICES, st.randoms())
def test_consistency_ignores_the_order_of_answers(answers: list[Choice | None], random: object) -> None:
    shuffled = list(answers)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert acs(shuffled) == acs(answers)
    assert acs_rescaled(shuffled) == acs_rescaled(answers)


@given(CHOICES, st.permutations(range(6)))
def test_consistency_ignores_the_order_of_options(answers: list[Choice | None], order: list[int]) -> None:
    moved = [None if answer is None else frozenset(order[index] for index in answer) for answer in answers]
    assert acs(moved) == acs(answers)
    assert acs_rescaled(moved) == acs_rescaled(answers)


@given(CHOICES)
def test_both_lie_within_their_bounds_and_agree_on_what_is_perfect(answers: list[Choice | None]) -> None:
    printed, rescaled = acs(answers), acs_rescaled(answers)
    assert printed is not None
    assert 1 / len(answers) - 1e-12 <= printed <= 1
    if rescaled is not None:
        assert 0 <= rescaled <= printed
        assert (rescaled == 1) == (printed == 1) == (len(set(answers)) == 1)
