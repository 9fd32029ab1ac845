"""Documents of made-up companies state their facts word for word, as the package itself reads them, and give the answers."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.companies import companies
from tests.companies.policy import KINDS, Company
from vivavoce.documents.reading import passages, read_documents
from vivavoce.scopes import open_scope

every_company = pytest.mark.parametrize("company", companies(), ids=lambda company: company.name)


@every_company
def test_documents_state_their_facts(tmp_path: Path, company: Company) -> None:
    company.write(tmp_path)
    documents = {document.name: document for document in read_documents([tmp_path])}
    texts = {name: "\n".join(block.text for block in document.blocks) for name, document in documents.items()}
    assert [fact.id for fact in company.facts if not all(text in texts[fact.document] for text in fact.evidence)] == []
    single = [fact for fact in company.facts if fact.kind != "comparison"]
    texts_seen = [f"{passage.where}\n{passage.text}" for passage in passages(tuple(documents.values()))]
    stated = [any(fact.is_stated_in(passage) for passage in texts_seen) for fact in single]
    assert sum(stated) >= 0.95 * len(stated), "a writer that sees passages can ask for them"


@every_company
def test_documents_are_long_enough_and_hold_each_kind_of_fact(company: Company) -> None:
    """A printed page has some 300 words."""
    assert 12 * 300 <= sum(document.words for document in company.documents) <= 40 * 300
    counts = Counter(fact.kind for fact in company.facts)
    assert set(counts) == set(KINDS)
    assert min(counts.values()) >= 65
    assert sum(fact.in_table for fact in company.facts) >= 200
    assert len({fact.question for fact in company.facts}) == len(company.facts)


@every_company
def test_answers_follow_from_the_evidence(company: Company) -> None:
    """Those that are stated stand in it; calculations and comparisons are checked by hand below."""
    for fact in company.facts:
        assert fact.wrong not in ("", fact.answer), fact.question
        assert (fact.answer == "") == (fact.kind == "not answered here")
        if fact.kind in ("fact", "condition"):
            assert _folded(fact.answer) <= _folded(f"{' '.join(fact.evidence)} {fact.about}"), fact.question


def _folded(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9%:.]+", text.lower().replace(".", " ")))


def test_calculations_match_hand_calculations() -> None:
    answers = {fact.question: fact.answer for company in companies() for fact in company.facts}
    assert answers["The tandem comes back 5 hours late to Kranich. What is the late fee?"] == "65 euros"  # 13 euros an hour
    assert answers["How much does Kranich charge for one child seat over 6 days?"] == "15 euros"  # 5 euros, three days
    assert (
        answers["A bill for glasses of 300 francs counts in full. How much is left for a member with plan Plus?"]
        == "120 francs"
    )
    assert answers["Treatment without a hospital stay was 45 days ago. How many days are left to claim?"] == "135 days"
    assert answers["What does an express repair of woodworm in the workshop cost in all?"] == "257 euros"  # 210 and 15 + 4 * 8
    assert answers["Which has the higher copayment, glasses or maternity care?"] == "maternity care"  # 16 and 28 francs
    assert answers["Which costs more for a week at Kranich, the cargo bike or the tandem?"] == "the tandem"  # 210 and 205 euros
    assert answers["What do 3 pieces of the Cato shelf cost in the catalogue?"] == "1320 euros"  # 440 each


@every_company
def test_facts_are_questions_of_a_scope(company: Company) -> None:
    scope = open_scope([fact.row for fact in company.facts])
    assert len(scope.units) == len(company.facts)  # type: ignore[union-attr]
