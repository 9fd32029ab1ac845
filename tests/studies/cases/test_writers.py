"""Writers that do badly, checkers, and paraphrases that were prepared."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.studies.cases.examined import CASES, LONG, found
from tests.studies.cases.made_cases import reworded
from vivavoce.consistency.config import CasesConfig
from vivavoce.consistency.legal.paraphrasing import DIFFERENT, EMPTY, IDENTICAL, TOO_LONG, PreparedParaphrases
from vivavoce.consistency.legal.trials import FactChoice, Paraphrase
from vivavoce.interview.forms.prose import REFUSED
from vivavoce.interview.forms.written_texts import UNFORMED
from vivavoce.interview.reading import NO_ANSWER


@pytest.mark.parametrize(
    ("writer", "problem"),
    [
        ("refuses", REFUSED),
        ("filtered", REFUSED),
        ("copies", IDENTICAL),
        ("unformed", UNFORMED),
        ("empties", EMPTY),
        ("floods", TOO_LONG),
    ],
)
async def test_what_cannot_be_used_is_counted_with_its_reason(paraphraser: str, writer: str, problem: str) -> None:
    judged = await found(lambda facts: 0.5, paraphraser, CasesConfig("black", shortest=LONG), cases=CASES[:5], writer=writer)
    assert judged.counts.problems == {problem: 15}
    assert judged.counts.paraphrases == 0
    assert judged.effect(FactChoice.BLACK).rates["flips"].least is None
    assert judged.finding.headline.startswith("Nothing was compared")


async def test_a_writer_that_gives_no_answer_to_some_facts(paraphraser: str) -> None:
    judged = await found(lambda facts: 0.5, paraphraser, CasesConfig("black", shortest=LONG), writer="moody")
    lost = judged.counts.problems[NO_ANSWER]
    assert set(judged.counts.problems) == {NO_ANSWER}
    assert lost % 3 == 0
    assert 0 < lost < 180 == lost + judged.counts.paraphrases


async def test_faults_by_turns_are_told_apart(paraphraser: str) -> None:
    """The server commits a fault by the day of the fact, modulo 5; the facts chosen are the same with a good writer."""
    config = CasesConfig("black", shortest=LONG, facts=3)
    good = await found(lambda facts: 0.5, paraphraser, config, cases=CASES[:20])
    mixed = await found(lambda facts: 0.5, paraphraser, config, cases=CASES[:20], writer="mixed")
    facts = dict.fromkeys((trial.case, trial.fact) for trial in good.trials if trial.box is FactChoice.BLACK)
    faults = Counter(int(fact.split(" May")[0].split(" June")[0].split(" July")[0].split(" August")[0].split()[-1]) % 5
                     for _, fact in facts)  # fmt: skip
    assert len(facts) == 60
    assert min(faults[day] for day in range(5)) > 0
    assert mixed.counts.paraphrases == 3 * faults[0]
    assert mixed.counts.problems == {
        REFUSED: 3 * faults[1],
        IDENTICAL: 3 * faults[2],
        UNFORMED: 3 * faults[3],
        EMPTY: 3 * faults[4],
    }


async def test_a_checker_rejects_what_says_something_else(paraphraser: str) -> None:
    config = CasesConfig("black", shortest=LONG)
    unchecked = await found(lambda facts: 0.5, paraphraser, config, cases=CASES[:10], writer="careless")
    checked = await found(lambda facts: 0.5, paraphraser, config, cases=CASES[:10], checker="compares", writer="careless")
    assert (unchecked.counts.paraphrases, unchecked.counts.checked) == (30, 0)
    assert (checked.counts.paraphrases, checked.counts.checked) == (20, 20)
    assert checked.counts.problems == {DIFFERENT: 10}
    assert any("No one else checked" in caveat for caveat in unchecked.finding.caveats)
    assert not any("No one else checked" in caveat for caveat in checked.finding.caveats)


async def test_prepared_paraphrases_come_first_and_rejected_ones_are_not_used() -> None:
    fact = CASES[0].facts[3]
    known = [Paraphrase(fact, "no", "too free"), Paraphrase(fact, reworded(fact), checked=True)]
    written = await PreparedParaphrases({fact: known}, "file").paraphrases(fact, 3)
    assert [(paraphrase.text, paraphrase.problem) for paraphrase in written.paraphrases] == [
        (reworded(fact), ""),
        ("no", "too free"),
        ("", "not in the file"),
    ]
