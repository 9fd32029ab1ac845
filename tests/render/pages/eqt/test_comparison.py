"""The pages of several candidates, and of explain-query-test beside a benchmark."""

import re
from dataclasses import replace

import pytest

from tests.render.conftest import HOSTILE
from tests.render.eqt_findings import CATEGORIES, benchmark_comparison, comparison, shown
from tests.render.html_pages import html_of, unheaded
from tests.render.pages.eqt.test_page import spaced
from vivavoce.eqt.benchmark import BenchmarkComparison
from vivavoce.eqt.benchmark import compare_with_benchmark as compare
from vivavoce.eqt.benchmark_files import Accuracy
from vivavoce.eqt.eqt_finding import EqtFinding, finding_of
from vivavoce.eqt.report.benchmark import ranks
from vivavoce.eqt.report.parts import points, points_interval
from vivavoce.formats.wording import count, percent, percent_interval, score, score_interval, signed, signed_interval


def page(comparison: BenchmarkComparison) -> str:
    return html_of(finding_of([], benchmark=comparison))


def test_table_one_has_categories_down_and_candidates_across() -> None:
    compared = comparison(5)
    text = spaced(html_of(compared))
    for index, category in enumerate(CATEGORIES):
        cells = [result.categories[index] for result in compared.results]
        accuracy = " ".join(
            f"{shown(figures, 'closed', percent)} {percent_interval(figures.closed.interval)}" for figures in cells
        )
        agreement = " ".join(f"{score(figures.acs.value or 0)} {score_interval(figures.acs.interval)}" for figures in cells)
        assert f"{category} {accuracy}" in text
        assert f"{category} {agreement}" in text
    whole = " ".join(
        f"{score(result.whole.acs.value or 0)} {score_interval(result.whole.acs.interval)}" for result in compared.results
    )
    assert f"All questions {whole}" in text


def test_the_candidates_stand_beside_one_another() -> None:
    compared = comparison(3)
    text = spaced(html_of(compared))
    for number, result in enumerate(compared.results, 1):
        gap = result.whole.gap
        assert f"{number} · {result.candidate} " in text
        assert f"{shown(result.whole, 'gap', points)} {points_interval(gap.interval)} n = {gap.n}" in text
        assert f"{result.validity.valid} of {result.validity.written}" in text
    assert text.index("Of 3 candidates") < text.index("Limits") < text.index("All questions")


def test_the_matrix_says_who_answers_whose_questions() -> None:
    compared = comparison(3, ("math", "law"))
    html = unheaded(html_of(compared))
    part = html[html.index("Who answers whose questions") : html.index("How this was found")]
    assert len(re.findall(r'<td class="b\d own">', part)) == 3
    assert part.count("its own") == 3
    assert part.count("not asked") == 2  # the last candidate answered no one else's questions
    text = spaced(part)
    for result in compared.results:
        for visit in result.visitors.values():
            assert f"{percent(visit.value or 0)} {percent_interval(visit.interval)} n = {visit.n}" in text
    for tint, share in re.findall(r'<td class="b(\d)[^"]*">([\d.]+)%', part):
        assert int(tint) == sum(float(share) >= bound for bound in (20, 40, 60, 80))
    assert "All of these" not in text


def test_a_full_matrix_has_the_mean_of_each_column() -> None:
    compared = comparison(3, ("math", "law"))
    last, first = compared.results[2], compared.results[0]
    full = finding_of(
        [replace(result, visitors={**result.visitors, last.candidate: first.whole.closed}) for result in compared.results[:2]]
        + [last]
    )
    (results,) = [table for table in full.report().tables if table.foot]
    owned = (last.whole.closed_originals.value or 0) + 2 * (first.whole.closed.value or 0)
    assert results.foot[0].cells[2].text == percent(owned / 3)
    assert "All of these" in spaced(html_of(full))


def test_without_visits_there_is_no_matrix() -> None:
    compared = comparison(2, ("math",))
    alone = finding_of([replace(result, visitors={}, ahead={}) for result in compared.results])
    assert "Who answers whose questions" not in spaced(html_of(alone))


def test_what_a_candidate_was_not_asked_has_no_number() -> None:
    first, second = comparison(2, ("math", "law")).results
    uneven = finding_of([first, replace(second, categories=second.categories[:1], visitors={}, ahead={})])
    assert re.search(r"law \d+% \[[\d., ]+\] not asked", spaced(html_of(uneven)))


@pytest.mark.long
def test_five_candidates_fit_into_a_megabyte_and_thirty_are_cut() -> None:
    assert len(html_of(comparison(5)).encode()) < 400_000
    result = comparison(2, CATEGORIES).results[0]
    crowd = finding_of([replace(result, candidate=f"model {index}", visitors={}, ahead={}) for index in range(30)])
    html = html_of(crowd)
    assert len(html.encode()) < 1_000_000
    text = spaced(html)
    assert "Shown: 24 of 30 candidates; the JSON has all of them." in text
    assert "Shown: 5 of 24 candidates; the table has all." in text


def hostile() -> EqtFinding:
    """Strangers' words for candidates and categories."""
    results = comparison(3, ("math", "law", HOSTILE)).results
    return finding_of(
        [
            replace(
                result, candidate=f"{HOSTILE}{index}", visitors={f"{HOSTILE}{name}": of for name, of in result.visitors.items()}
            )
            for index, result in enumerate(results)
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
