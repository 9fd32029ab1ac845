"""Comparisons and gates on several answers to each question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.certificate.candidates import interview
from tests.certificate.claims.unsure import Guesser, of, tasks
from vivavoce.candidates import open_candidate
from vivavoce.certificate.comparison.compare import compare, terms_of
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.gate import gate
from vivavoce.errors import BadInput
from vivavoce.interview.results import ResultRows
from vivavoce.interview.transcript import Transcript
from vivavoce.render.canvas import drawing_of
from vivavoce.scopes import open_scope

SCOPE = tasks(12)


def named(name: str, *p: float, **settings: Any) -> Guesser:
    return of(SCOPE, *p, name=f"test:{name}", seed=sum(name.encode()), **settings)


async def compared(first: Guesser, second: Guesser, **settings: Any) -> Comparison:
    return await compare([interview(first), interview(second)], SCOPE, ComparisonConfig(seed=1, **settings))


@pytest.mark.parametrize(
    ("first", "second", "claim", "verdict"),
    [
        (0.9, 0.5, "mean", "better"),
        (0.5, 0.9, "mean", "worse"),
        (0.97, 0.8, "all-right", "better"),  # .97^4 = .89, .8^4 = .41
        (1.0, 1.0, "all-right", "equivalent"),
        (0.75, 0.25, "vote", "better"),  # of 4: (.75^4 + 4 .75^3 .25) + half of 6 .75^2 .25^2 = .84, and .16
        (0.9, 0.9, "vote", "equivalent"),
    ],
)
async def test_verdicts(first: float, second: float, claim: str, verdict: str) -> None:
    comparison = await compared(named("a", first), named("b", second), draws=4, draws_claim=claim, margin=0.1, questions=500)
    [pair] = comparison.pairs
    assert pair.verdict == verdict
    assert not comparison.complete
    assert comparison.drawn is not None
    assert [finding.answers for finding in comparison.drawn] == [4 * comparison.questions] * 2
    assert [candidate.questions for candidate in comparison.candidates] == [comparison.questions] * 2
    assert pair.difference.n == comparison.questions


async def test_a_list_is_not_run_to_its_end() -> None:
    comparison = await compared(named("a", 0.7), named("b", 0.7), draws=2, questions=40)
    assert (comparison.questions, comparison.pairs[0].complete, comparison.pairs[0].verdict) == (40, False, "undecided")


async def test_all_get_the_same_questions_as_often() -> None:
    first, second = named("a", 0.9), named("b", 0.6)
    records = [Transcript.open(None), Transcript.open(None)]
    asks = [
        interview(unsure, transcript=record, concurrency=1) for unsure, record in zip((first, second), records, strict=True)
    ]
    comparison = await compare(asks, SCOPE, ComparisonConfig(seed=1, draws=3, questions=20))
    orders = [[(entry.question, entry.draw) for entry in record.records(topic="certificate/tasks")] for record in records]
    number = 3 * comparison.questions
    assert orders[0][:number] == orders[1][:number]
    again = await compare(
        [interview(unsure, transcript=record, concurrency=1) for unsure, record in zip((first, second), records, strict=True)],
        SCOPE,
        ComparisonConfig(seed=1, draws=3, questions=20),
    )
    assert again.as_json() == comparison.as_json()


@pytest.mark.long
async def test_gates() -> None:
    async def held(new: Guesser, old: Guesser, **settings: Any) -> str:
        finding = await gate([interview(new), interview(old)], SCOPE, GateConfig(seed=1, margin=0.1, questions=300, **settings))
        assert "draws" in finding.as_json()["figures"]
        assert "draws" in finding.signature.settings
        return finding.verdict

    assert await held(named("a", 0.9), named("b", 0.9), draws=4) == "pass"
    assert await held(named("a", 0.5), named("b", 0.9), draws=4) == "fail"
    # as good on average, but it is sure of no question any more: all right .9^4 = .66, before (3 + .6^4) / 4 = .78
    unsure = (1.0, 1.0, 1.0, 0.6)
    assert await held(named("a", 0.9), named("b", *unsure), draws=4) == "pass"
    assert await held(named("a", 0.9), named("b", *unsure), draws=4, draws_claim="all-right") == "fail"


async def test_settings_of_draws_are_in_terms_where_there_are_any() -> None:
    asks = [interview(named("a", 1.0)), interview(named("b", 1.0))]
    plain = terms_of(asks, SCOPE, ComparisonConfig())
    drawn = terms_of(asks, SCOPE, ComparisonConfig(draws=3, draws_claim="all-right"))
    assert not {"draws", "draws_claim"} & plain.settings.keys()
    assert drawn.settings.keys() - plain.settings.keys() == {"draws", "draws_claim"}
    comparison = await compared(named("a", 1.0), named("b", 0.5))
    assert "draws" not in comparison.as_json()
    assert "draws" not in comparison.signature.settings
    with pytest.raises(BadInput, match="give '--draws N'"):
        ComparisonConfig(draws_claim="mean")


async def test_what_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "said.csv"
    file.write_text("id,a\n" + "".join(f"{q.id},Answer: A\n" for q in SCOPE.questions), encoding="utf-8")
    recorded = open_candidate(f"replay:{file}#a")
    for asks in ([recorded, named("a", 1.0)], [named("a", 1.0), recorded]):
        with pytest.raises(BadInput, match="is a recording"):
            await gate([interview(candidate) for candidate in asks], SCOPE, GateConfig(draws=2))
    lawful = open_scope("arithmetic?laws=commute")
    with pytest.raises(BadInput, match="laws over answers"):
        await compare([interview(named("a", 1.0)), interview(named("b", 1.0))], lawful, ComparisonConfig(draws=2))


async def test_readers_are_told_of_what_differences_are() -> None:
    results = ResultRows(("candidate", "draw", "right"))
    asks = [interview(named("a", 0.95), results=results), interview(named("b", 0.4), results=results)]
    comparison = await compare(asks, SCOPE, ComparisonConfig(seed=1, draws=3, draws_claim="all-right"))
    assert "the difference of their probabilities that all 3 answers to a question are right is +" in comparison.headline
    assert "drawn with replacement and answered afresh 3 times each" in comparison.basis
    table = next(table for table in comparison.report().tables if table.columns[0].head == "Candidate")
    assert [column.head for column in table.columns][1:] == ["All 3 answers right", "Questions", "Answers"]
    rows = results.rows
    assert len(rows) == 6 * comparison.questions
    assert {row.front[1] for row in rows} == {"1 of 3", "2 of 3", "3 of 3"}
    for question in comparison.pairs[0].discordant:
        assert "+" not in question.id
        counts = [int(line.partition(" of 3: ")[0]) for line in question.second.split("\n\n")]
        assert sum(counts) == 3
        assert counts == sorted(counts, reverse=True)
    [figure] = comparison.report().figures
    drawing = drawing_of(figure.data)
    assert drawing is not None
    assert drawing.alt.startswith("Difference of probabilities of all 3 right, a minus b: +")
    sure = await compared(named("a", 1.0), named("b", 0.5), draws=3)
    texts = [caveat for caveat in sure.caveats if "word for word" in caveat]
    assert len(texts) == 1
    assert "of test:a to each question" in texts[0] or "of a to each question" in texts[0]


async def test_votes_that_unread_replies_leave_open_are_nobodys_advantage() -> None:
    often_unread = named("b", 0.6, unreadable=0.4)
    comparison = await compared(named("a", 1.0), often_unread, draws=4, draws_claim="vote", questions=60)
    [pair] = comparison.pairs
    assert comparison.drawn is not None
    shown = [line for question in pair.discordant for line in question.second.split("\n\n")]
    assert any("that depends" in line for line in shown)
    assert len(pair.discordant) == pair.better < comparison.questions
    for question in pair.discordant:
        document = {text: int(number) for number, text in (line.split(" of 4: ") for line in question.second.split("\n\n"))}
        right, wrong, unread = (document.get(text, 0) for text in ("Answer: A", "Answer: B", "Well, that depends."))
        assert wrong - right > unread or (right == wrong and not unread), "nobody knows what was voted for"
