"""Pages of examinations on a candidate's own explanations: one candidate, several, and beside a benchmark."""

import re
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.render.conftest import HOSTILE
from tests.render.eqt_findings import (
    CATEGORIES,
    EXPLANATION,
    ONE_OF_EACH,
    benchmark_comparison,
    comparison,
    record,
    result,
    result_of_nothing,
    result_with_every_line,
    shown,
)
from tests.render.html_pages import assert_in_order, html_of, outline, plain, unheaded
from vivavoce.eqt.benchmark import BenchmarkComparison
from vivavoce.eqt.benchmark import compare_with_benchmark as compare
from vivavoce.eqt.eqt_finding import EqtFinding, finding_of
from vivavoce.eqt.files import Accuracy
from vivavoce.eqt.record import Concept, ParsedAnswer, Phrasing
from vivavoce.eqt.report.benchmark import ranks
from vivavoce.eqt.report.candidate import quality_lines, readings
from vivavoce.eqt.report.parts import points, points_interval
from vivavoce.eqt.report.sentences import headline_of
from vivavoce.eqt.result import EqtResult, ExampleQuestion
from vivavoce.eqt.score import score as scored
from vivavoce.formats.interval import Interval
from vivavoce.formats.wording import count, percent, percent_interval, score, score_interval, signed, signed_interval
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.report.blocks import InFull, ReportTable


def spaced(html: str) -> str:
    """Plain text with every blank alike."""
    return plain(html).replace("\N{NO-BREAK SPACE}", " ")


def page_of(finding: EqtResult) -> str:
    """The page of one candidate."""
    return html_of(finding_of([finding]))


def hostile() -> EqtFinding:
    """Everything that comes from elsewhere tries to break out of the page."""
    asked = record(HOSTILE, categories=("math", HOSTILE), concepts=2)
    question = MultipleChoice(HOSTILE, (HOSTILE,) * 10, frozenset({0, 9}))
    odd = replace(
        ONE_OF_EACH,
        question=question,
        problem=HOSTILE,
        phrasings=(
            Phrasing(HOSTILE, ParsedAnswer(None, "unreadable", HOSTILE)),
            Phrasing(None, None, problem=HOSTILE),
            *[Phrasing(HOSTILE, ParsedAnswer(frozenset({0}), "strict"), same_meaning=False)] * 200,
        ),
        pointing=HOSTILE,
    )
    first, second, *others = asked.concept_records
    concept_records = (
        replace(first, concept=Concept(HOSTILE, "math"), explanation=HOSTILE, items=(*first.items, odd)),
        replace(second, explanation=None, problem=HOSTILE, items=()),
        *others,
    )
    visits = {HOSTILE + "2": {(HOSTILE, 1): ParsedAnswer(frozenset({0}), "strict")}}
    eqt_record = replace(asked, concept_records=concept_records, exhausted=HOSTILE, planned=10, visitors=visits)
    eqt_result = scored(eqt_record, source=HOSTILE)
    told_of = (ExampleQuestion(Concept(HOSTILE, HOSTILE), HOSTILE, odd, HOSTILE), *eqt_result.examples)
    return finding_of([replace(eqt_result, examples=told_of)])


def test_the_sentence_first_then_the_gap_figures_worth_questions_caveats_and_the_method_last() -> None:
    eqt_result = result_with_every_line()
    text = spaced(page_of(eqt_result))
    order = [
        "without them, and",
        "Right without its explanation",
        "For example",
        "The difference is the comprehension gap",
        "Limits",
        "Original wordings. Lines are",
        "Right without the explanation",
        "By category",
        "Question quality",
        "Others on the same questions",
        "Replies and cost",
        "How this was found",
        "seed 7",
    ]
    assert_in_order(text, order)
    assert headline_of(eqt_result) in spaced(outline(finding_of([eqt_result])).text)


@pytest.mark.parametrize("made", [result, result_with_every_line], ids=["one", "every line"])
def test_the_tables_have_the_numbers_of_the_finding(made: Callable[[], EqtResult]) -> None:
    eqt_result = made()
    text = spaced(page_of(eqt_result))
    for figures in (eqt_result.whole, eqt_result.valid):
        for name in ("closed", "closed_originals", "partial", "open_book", "unreadable"):
            share = getattr(figures, name)
            assert f"{shown(figures, name, percent)} {percent_interval(share.interval)}, n = {count(share.n)}" in text
        assert f"{shown(figures, 'gap', points)} {points_interval(figures.gap.interval)}, n = {figures.gap.n}" in text
        for agreement in (figures.acs, figures.acs_rescaled):
            assert f"{score(agreement.value or 0)} {score_interval(agreement.interval)}, n = {agreement.n}" in text
    for figures in (*eqt_result.categories, *eqt_result.concepts):
        if figures.questions:
            shares = " ".join(
                f"{shown(figures, name, percent)} {percent_interval(getattr(figures, name).interval)}"
                for name in ("closed", "closed_originals", "open_book")
            )
            assert f"{figures.name} {figures.questions} question" in text
            assert f"{shares} {shown(figures, 'gap', points)} {points_interval(figures.gap.interval)}" in text


def test_differences_are_in_points_with_ends_rounded_outwards() -> None:
    assert points(0.256) == "26"
    assert points(-0.014) == "−1"
    assert points_interval(Interval(0.1001, 0.2999)) == "[10, 30]"
    assert points_interval(Interval(0.1099, 0.2901)) == "[10, 30]"
    assert points_interval(Interval(-1.0, 1.0)) == "[−100, 100]"


def test_what_the_questions_are_worth_stands_in_plain_lines() -> None:
    eqt_result = result_with_every_line()
    # 2 categories of 4 concepts with 5 questions; of the first one question and the one with everything wrong are left, the
    # second has no explanation: 3 and 5 were never asked for, so that 32 are there.
    lines = dict(quality_lines(eqt_result.validity, checked=True))
    assert lines["32 of 40 questions were written with options and a key"] == 0.8
    text = " ".join(lines)
    for number, words in (
        (eqt_result.validity.pointing, "at a text that the reader can't see"),
        (eqt_result.validity.not_self_contained, "be understood alone"),
        (eqt_result.validity.duplicates, "the same as an earlier one"),
        (eqt_result.validity.paraphrases_changed, "something else, says the checker"),
        (eqt_result.validity.valid, "none of these faults"),
    ):
        assert re.search(rf"\b{number} of \d+ (questions|paraphrases) [\w']+ {words}", text)
    assert "1 of 32 questions points at a text" in text  # the number decides how the verb ends
    assert all(line in spaced(page_of(eqt_result)) for line in lines)


def test_what_nobody_checked_is_not_told_as_if_it_had_been() -> None:
    asked = record(categories=("math",))
    bare = tuple(
        replace(
            concept_record, items=tuple(replace(item, key_check=None, self_contained=None) for item in concept_record.items)
        )
        for concept_record in asked.concept_records
    )
    eqt_result = scored(replace(asked, config=replace(asked.config, checks=False), concept_records=bare))
    text = " ".join(line for line, _ in quality_lines(eqt_result.validity, checked=False))
    assert "understood alone" not in text
    assert "keys" not in text
    assert "Keys, and whether wordings mean the same, were not checked." in spaced(page_of(eqt_result))


def test_keys_that_the_budget_left_unchecked_are_told() -> None:
    asked = record(categories=("math",))
    first = asked.concept_records[0]
    bare = replace(first, items=tuple(replace(item, key_check=None) for item in first.items))
    eqt_result = scored(replace(asked, concept_records=(bare, *asked.concept_records[1:])))
    left = sum(item.question is not None for item in first.items)
    text = " ".join(line for line, _ in quality_lines(eqt_result.validity, checked=True))
    assert f"{left} of {eqt_result.validity.written} keys were not checked" in text


def test_consistency_is_explained_with_its_own_numbers() -> None:
    eqt_result = result()
    # a question and three paraphrases: each further answer costs 1/4, and 1/4 is left
    text = spaced(page_of(eqt_result))
    assert "in 4 wordings" in text
    assert "takes off 0.25: 0.25 is left" in text
    assert (
        f"The mean is {score(eqt_result.whole.acs.value or 0)}, rescaled {score(eqt_result.whole.acs_rescaled.value or 0)}."
        in text
    )
    single = result(categories=("math",), paraphrases=0)
    assert "No question was answered in more than one wording" in spaced(page_of(single))


def test_a_question_in_full_with_its_key_its_wordings_and_all_answers() -> None:
    text = spaced(page_of(result_with_every_line()))
    start = text.index("For example")
    shown = text[start : text.index("Limits", start)]
    for part in (
        "Trees math · everything",
        "Which of these are properties of every tree with n vertices?",
        "A It has n − 1 edges. ✓ right B It holds exactly one cycle. C Any two vertices are joined by one path. ✓ right D It",
        "Without the explanation, original wording A partly right",
        "Without the explanation, wording 2 A tree on n vertices always …? A, C right",
        "wording 3, means something else, says the checker What holds for all trees? not parsed: no option named",
        "Without the explanation, wording 4 is missing: empty",
        "With the explanation A, C right",
        "It points at a text that the reader can't see: “according to the passage”.",
        "It can't be understood alone, says the checker.",
        "It asks the same as question 1 of the concept.",
        "With the explanation, the checker answers A, B, not A, C.",
    ):
        assert part in shown
    assert f"({count(len(EXPLANATION) - 2000)} more characters)" in shown


def test_an_answer_that_is_missing_is_told_as_such() -> None:
    odd = replace(ONE_OF_EACH, phrasings=(Phrasing("Which?", None),), open_book=ParsedAnswer(None, "no answer", "time-out"))
    eqt_result = replace(result(categories=("math",)), examples=(ExampleQuestion(Concept("Trees"), "", odd, "why"),))
    text = spaced(page_of(eqt_result))
    assert "original wording not asked" in text
    assert "With the explanation no answer: time-out" in text


def test_how_replies_were_read_adds_up() -> None:
    eqt_result = result()
    in_full, _ = readings(eqt_result.parses, eqt_result.validity.parses, eqt_result.after_turn)
    assert isinstance(in_full, InFull)
    (table,) = in_full.blocks
    assert isinstance(table, ReportTable)
    messages = [row.cells[0].text for row in table.rows]
    assert [int(answers.split()[0]) for answers in messages if answers != "none"][1:] == [
        eqt_result.parses.get(parse, 0)
        for parse in ("lenient", "does not know", "unreadable", "copied", "cut off", "no answer")
    ]
    shares = [float(answers.split("(")[1].rstrip("%)")) for answers in messages]
    assert sum(shares) == pytest.approx(100, abs=1)
    assert "Answers that could not be used: no option named" in spaced(page_of(eqt_result))


def test_who_did_what_and_what_it_took() -> None:
    text = spaced(page_of(result_with_every_line()))
    for part in (
        "Explains the concepts openai:model-a",
        "Writes questions and keys openai:model-w",
        "Checks questions and keys openai:model-c",
        "Concepts 8 of 10",
        f"Calls {count(2461)}",
        f"Tokens {count(310_000)} sent, {count(120_500)} received",
        "Money 1.23",
        "Ended by money",
        "Concepts without an explanation: refused 1.",
    ):
        assert part in text
    assert "Explains, asks, answers and checks openai:model-a" in spaced(page_of(result()))


def test_visitors_stand_beside_the_candidate() -> None:
    eqt_result = result_with_every_line()
    visit, ahead = eqt_result.visitors["openai:model-v"], eqt_result.ahead["openai:model-v"]
    line = (
        f"openai:model-v {percent(visit.value or 0)} {percent_interval(visit.interval)}, n = {visit.n} "
        f"{points(ahead.value or 0)} {points_interval(ahead.interval)}, n = {ahead.n}"
    )
    assert line in spaced(page_of(eqt_result))


def test_where_nothing_was_asked_nothing_is_claimed() -> None:
    text = spaced(page_of(result_of_nothing()))
    assert "No result:" in text
    assert text.count("unknown n = 0") == 16
    assert "Original wordings. Lines are" not in text
    assert "0%" in text  # of questions that were written
    assert "Right without the explanation all wordings; exactly the right options unknown" in text


@pytest.mark.long
def test_all_built_in_concepts_fit_into_a_megabyte() -> None:
    html = page_of(result(concepts=20))
    assert len(html.encode()) < 400_000
    assert plain(html).count("Natural selection, part ") >= 14 * 5


@pytest.mark.long
def test_a_file_of_thousands_of_concepts_is_cut_and_says_so() -> None:
    eqt_result = result()
    many = tuple(replace(eqt_result.concepts[0], name=f"concept {index}") for index in range(10_000))
    classes = tuple(replace(eqt_result.categories[0], name=f"category {index}") for index in range(1_000))
    begun = time.process_time()
    html = page_of(replace(eqt_result, concepts=many, categories=classes))
    assert time.process_time() - begun < 10
    assert len(html.encode()) < 1_000_000
    text = spaced(html)
    assert f"Shown: 400 of {count(10_000)} concepts; the JSON has all of them." in text
    assert f"Shown: 24 of {count(1000)} categories; the JSON has all of them." in text


def page(comparison: BenchmarkComparison) -> str:
    return html_of(finding_of([], benchmark=comparison))


def test_table_one_has_categories_down_and_candidates_across() -> None:
    compared = comparison(5)
    text = spaced(html_of(compared))
    for index, category in enumerate(CATEGORIES):
        cells = [eqt_result.categories[index] for eqt_result in compared.results]
        accuracy = " ".join(
            f"{shown(figures, 'closed', percent)} {percent_interval(figures.closed.interval)}" for figures in cells
        )
        agreement = " ".join(f"{score(figures.acs.value or 0)} {score_interval(figures.acs.interval)}" for figures in cells)
        assert f"{category} {accuracy}" in text
        assert f"{category} {agreement}" in text
    whole = " ".join(
        f"{score(eqt_result.whole.acs.value or 0)} {score_interval(eqt_result.whole.acs.interval)}"
        for eqt_result in compared.results
    )
    assert f"All questions {whole}" in text


def test_the_candidates_stand_beside_one_another() -> None:
    compared = comparison(3)
    text = spaced(html_of(compared))
    for number, eqt_result in enumerate(compared.results, 1):
        gap = eqt_result.whole.gap
        assert f"{number} · {eqt_result.candidate} " in text
        assert f"{shown(eqt_result.whole, 'gap', points)} {points_interval(gap.interval)} n = {gap.n}" in text
        assert f"{eqt_result.validity.valid} of {eqt_result.validity.written}" in text
    assert text.index("Of 3 candidates") < text.index("Limits") < text.index("All questions")


def test_the_matrix_says_who_answers_whose_questions() -> None:
    compared = comparison(3, ("math", "law"))
    html = unheaded(html_of(compared))
    part = html[html.index("Who answers whose questions") : html.index("How this was found")]
    assert len(re.findall(r'<td class="b\d own">', part)) == 3
    assert part.count("its own") == 3
    assert part.count("not asked") == 2  # the last candidate answered no one else's questions
    text = spaced(part)
    for eqt_result in compared.results:
        for visit in eqt_result.visitors.values():
            assert f"{percent(visit.value or 0)} {percent_interval(visit.interval)} n = {visit.n}" in text
    for tint, share in re.findall(r'<td class="b(\d)[^"]*">([\d.]+)%', part):
        assert int(tint) == sum(float(share) >= bound for bound in (20, 40, 60, 80))
    assert "All of these" not in text


def test_a_full_matrix_has_the_mean_of_each_column() -> None:
    compared = comparison(3, ("math", "law"))
    last, first = compared.results[2], compared.results[0]
    full = finding_of(
        [
            replace(eqt_result, visitors={**eqt_result.visitors, last.candidate: first.whole.closed})
            for eqt_result in compared.results[:2]
        ]
        + [last]
    )
    (results,) = [table for table in full.report().tables if table.foot]
    owned = (last.whole.closed_originals.value or 0) + 2 * (first.whole.closed.value or 0)
    assert results.foot[0].cells[2].text == percent(owned / 3)
    assert "All of these" in spaced(html_of(full))


def test_without_visits_there_is_no_matrix() -> None:
    compared = comparison(2, ("math",))
    alone = finding_of([replace(eqt_result, visitors={}, ahead={}) for eqt_result in compared.results])
    assert "Who answers whose questions" not in spaced(html_of(alone))


def test_what_a_candidate_was_not_asked_has_no_number() -> None:
    first, second = comparison(2, ("math", "law")).results
    uneven = finding_of([first, replace(second, categories=second.categories[:1], visitors={}, ahead={})])
    assert re.search(r"law \d+% \[[\d., ]+\] not asked", spaced(html_of(uneven)))


@pytest.mark.long
def test_five_candidates_fit_into_a_megabyte_and_thirty_are_cut() -> None:
    assert len(html_of(comparison(5)).encode()) < 400_000
    eqt_result = comparison(2, CATEGORIES).results[0]
    crowd = finding_of([replace(eqt_result, candidate=f"model {index}", visitors={}, ahead={}) for index in range(30)])
    html = html_of(crowd)
    assert len(html.encode()) < 1_000_000
    text = spaced(html)
    assert "Shown: 24 of 30 candidates; the JSON has all of them." in text
    assert "Shown: 5 of 24 candidates; the table has all." in text


def hostile_comparison() -> EqtFinding:
    """Strangers' words for candidates and categories."""
    results = comparison(3, ("math", "law", HOSTILE)).results
    return finding_of(
        [
            replace(
                eqt_result,
                candidate=f"{HOSTILE}{index}",
                visitors={f"{HOSTILE}{name}": of for name, of in eqt_result.visitors.items()},
            )
            for index, eqt_result in enumerate(results)
        ]
    )


def hostile_benchmark() -> EqtFinding:
    """Strangers' words for models, categories and the benchmark."""
    beside = benchmark_comparison(2)
    pairings = tuple(
        replace(entry, model=HOSTILE + entry.model, category=HOSTILE + entry.category) for entry in beside.pairings
    )
    return finding_of([], benchmark=replace(beside, pairings=pairings, benchmark=HOSTILE, unmatched=(HOSTILE,)))


def test_correlations_stand_with_interval_n_and_p() -> None:
    beside = benchmark_comparison()
    text = spaced(page(beside))
    for correlation in (beside.overall, beside.between_models, beside.within_categories):
        pearson = correlation.pearson
        assert f"n = {pearson.n} {signed(pearson.value or 0)} {signed_interval(pearson.interval)} p " in text
        assert f"{signed(correlation.spearman.value or 0)} {signed_interval(correlation.spearman.interval)} p " in text
    assert f"Ranks match in {beside.matches} of 70 pairs of model and category. If" in text
    assert "stay together: p = 0.00" in text or "stay together: p < 0.001" in text


def test_ranks_match_or_differ_in_words() -> None:
    # math: A before B in both; law: A before B in one, B before A in the other; tie: .5 each, so 1.5 in both
    ours = [("A", "math", 0.9), ("B", "math", 0.5), ("A", "law", 0.8), ("B", "law", 0.4), ("A", "art", 0.5), ("B", "art", 0.5)]
    theirs = [
        ("A", "math", 0.7),
        ("B", "math", 0.6),
        ("A", "law", 0.1),
        ("B", "law", 0.2),
        ("A", "art", 0.3),
        ("B", "art", 0.3),
    ]
    beside = compare([Accuracy(*our) for our in ours], [Accuracy(*their) for their in theirs])
    table = ranks(beside.pairings, ["A", "B"])
    assert {row.head.text: [(cell.text, *cell.below) for cell in row.cells] for row in table.rows} == {
        "math": [("✓ match", "1"), ("✓ match", "2")],
        "law": [("differ", "1 : 2"), ("differ", "2 : 1")],
        "art": [("✓ match", "1.5"), ("✓ match", "1.5")],
    }
    html = unheaded(page(beside))
    assert html.count('<td class="match">✓ match') == 4
    assert html.count('<td class="differ">differ') == 2
    text = spaced(html)
    assert "1 · A 73% 37% 2 of 3" in text  # (.9 + .8 + .5) / 3 and (.7 + .1 + .3) / 3


def test_too_few_models_for_a_correlation_are_told_as_such() -> None:
    beside = compare([Accuracy("A", "math", 0.9)], [Accuracy("A", "math", 0.7)])
    text = spaced(page(beside))
    assert "is not known" in text
    assert f"n = 1 unknown {beside.overall.problem}" in text


def test_many_models_are_numbered_and_cut() -> None:
    beside = benchmark_comparison(40, ("math", "law"))
    html = page(beside)
    text = spaced(html)
    assert "Shown: 24 of 40 models; the JSON has all of them." in text
    assert "24 · openai:model-x" in text
    assert len(html.encode()) < 400_000
    assert f"{count(beside.matches)} of 80" in text
