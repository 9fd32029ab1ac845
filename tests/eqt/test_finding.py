"""What findings say: the verdict follows from the interval, and each caveat stands only where it applies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.eqt.records import ROLES, answer, choice, concept_record, finding_on, item, record
from vivavoce.eqt.eqt_finding import EqtFinding, crossed_answers, finding_of, mean_over_all_questions
from vivavoce.eqt.record import Concept, ConceptRecord, EqtConfig, EqtRole, ParsedAnswer, Phrasing, QuestionRecord
from vivavoce.eqt.result import EqtResult
from vivavoce.eqt.score import KINDS, MOST_EXAMPLES, score
from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate


def many(closed: str, opened: str = "A", concepts: int = 30, right: int = 0, **more: Any) -> EqtFinding:
    """Two questions a concept; the first is answered with `closed`, but rightly in the first `right` of each ten concepts."""
    concept_records = [
        concept_record(f"c{n}", [item(1, "A A" if n % 10 < right else closed, opened), item(2, "A A", opened)])
        for n in range(concepts)
    ]
    return finding_on(record(concept_records, **more))


def test_a_gap_is_told() -> None:
    # Half of the originals are right closed-book, all of them open-book.
    text = many("B B", right=1).statement
    assert text.startswith("model answers 55% [")
    assert "of the questions on its own explanations without them, and 100% [" in text
    assert "with them. It explains more than it can answer. The gap is 45 points [" in text
    assert text.endswith("(ACS).")


def test_no_gap_is_told_with_what_is_possible() -> None:
    # An event never seen in 30 concepts: 1 - .025^(1/30) = .1157, so 12 points.
    assert many("A A").headline.endswith("with them. No gap was found, though up to 12 points are possible.")


def test_who_does_better_without() -> None:
    assert many("A A", opened="B").headline.endswith("It does better without.")


def test_too_little_is_told() -> None:
    finding = finding_on(record([concept_record("one", [item(1, "B", opened="A")])]))
    assert "the questions on its own explanation of one concept without it, and 100% [2.5, 100] with it" in finding.headline
    assert finding.headline.endswith("with it. Too little to tell whether there is a gap.")


def test_without_open_book_answers_nothing_is_said_of_a_gap() -> None:
    finding = finding_on(record([concept_record(name, [item(1, "A", opened=None)]) for name in "ab"]))
    assert finding.headline.endswith("without them. How many it answers with them is not known.")


def test_another_explainer_is_named() -> None:
    roles: dict[EqtRole, str] = {**ROLES, "explainer": "teacher"}
    finding = many("B B", roles=roles)
    assert "of the questions on teacher's explanations" in finding.headline
    assert finding.headline.endswith("It can answer less than teacher explains.")
    assert finding.caveats[0].startswith("No question goes beyond what teacher explains")


def test_nothing_written_nothing_put_nothing_valid() -> None:
    nothing = finding_on(record([ConceptRecord(Concept("one"), None, "refused", ())], config=EqtConfig(questions=3)))
    assert nothing.statement == "No result: no question was written (no explanation: 3)."
    unput = finding_on(record([concept_record("one", [item(1, ".", opened=None)])]))
    assert unput.statement == "No result: 1 question written, and none asked."
    faulty = finding_on(record([concept_record("one", [item(1, "A", key_check=answer("B"))])]))
    assert faulty.statement == "No result: 1 question written, and none without a fault."


def test_most_questions_or_answers_worth_nothing_come_first() -> None:
    bad = [item(1, "A A"), item(2, "B", pointing="above"), item(3, "C", self_contained=False)]
    finding = finding_on(record([concept_record(f"c{n}", bad) for n in range(4)]))
    assert finding.headline.startswith("Most questions are unusable: 8 of 12 have a fault. On the others: model answers 100%")
    mute = finding_on(record([concept_record(f"c{n}", [item(1, "? - A")]) for n in range(4)]))
    # Of each question one wording is unreadable: originals may all be wrong, or all be right.
    assert mute.headline.startswith("Most answers can't be parsed: 8 of 12. model answers 0–100% [0, 100]")


def repeating(**more: Any) -> EqtFinding:
    """Fourteen questions, each answered "A, C" in both wordings, which is the key of three."""
    keys = ["AC", "A", "B", "C", "D", "AC", "BD", "AC", "C", "B", "A", "D", "BC", "AB"]
    items = [item(n, "AC AC", "AC", key, key_check=answer(key)) for n, key in enumerate(keys, 1)]
    return finding_on(
        record(
            [concept_record("c", items[:7]), concept_record("d", items[7:])],
            config=EqtConfig(questions=7, paraphrases=1),
            **more,
        )
    )


def test_one_answer_to_everything_is_no_knowledge() -> None:
    finding = repeating()
    assert finding.statement == "28 of 28 answers are “A, C”; 3 of 14 keys are: these answers say nothing about knowledge."
    assert any("always the same answer would get at most 21% right" in caveat for caveat in finding.caveats)
    [words] = finding.as_json()["figures"]["results"]
    assert (words["pattern"]["answer"], words["pattern"]["prevails"]) == ("A, C", True)
    # Three of 14 are right, and all answers agree: that stands in the JSON under a name that says what it is, and nowhere else.
    assert words["of_one_pattern"]["whole"]["closed"]["value"] == pytest.approx(3 / 14)
    assert words["of_one_pattern"]["whole"]["acs"]["value"] == 1.0
    [result] = finding.results
    for figures in (result.whole, result.valid, *result.categories, *result.concepts):
        assert figures.unreadable.value == 0.0
        for name in ("closed", "closed_originals", "partial", "open_book", "gap", "acs", "acs_rescaled"):
            assert getattr(figures, name).value is None
    assert repeating(visitors={"other": {("c", 1): answer("AC")}}).results[0].ahead == {}


def test_few_questions_of_one_answer_are_told_to_be_too_few() -> None:
    finding = finding_on(
        record(
            [concept_record("c", [item(n, "AC", "AC", key) for n, key in enumerate("ABCD", 1)])],
            config=EqtConfig(questions=4, paraphrases=0),
        )
    )
    assert finding.results[0].whole.closed.value == 0.0
    assert any(
        "too few questions to tell whether it is given regardless of the question" in caveat for caveat in finding.caveats
    )


def test_what_was_copied_cut_off_or_read_after_a_turn_is_told() -> None:
    copy, cut = ParsedAnswer(None, "copied", "repeats what it was told or shown"), ParsedAnswer(None, "cut off", "cut off")
    late = ParsedAnswer(choice("A"), "lenient", after_turn=True)
    items = [replaced(item(n, "A"), parsed_answer) for n, parsed_answer in enumerate([copy, cut, late, late, copy], 1)]
    finding = finding_on(record([concept_record("c", items)], config=EqtConfig(questions=5, paraphrases=0)))
    assert finding.headline.startswith("Most answers can't be parsed: 3 of 5. 2 of 5 answers only repeat the prompt. ")
    assert "model answers 40–100%" in finding.headline
    [result] = finding.results
    assert (result.whole.closed.value, result.whole.highest["closed"], result.after_turn) == (0.4, 1.0, 2)
    for words in (
        "2 only repeat the prompt",
        "1 reply was cut off by a limit: raise the limit of tokens",
        "parsed only after a follow-up question",
    ):
        assert any(words in caveat for caveat in finding.caveats), words
    [values] = finding.as_json()["figures"]["results"]
    assert values["parses"] == {"copied": 2, "lenient": 2, "cut off": 1}
    assert values["whole"]["highest"]["closed"] == 1.0


def replaced(record: QuestionRecord, answer: ParsedAnswer) -> QuestionRecord:
    """The same question with this answer to its original."""
    return replace(record, phrasings=(replace(record.phrasings[0], answer=answer),))


# A caveat -> what brings it about.
BAD_KEY = item(2, "A A", opened="B", key_check=answer("B"))
BROUGHT_ABOUT: dict[str, Callable[[], EqtFinding]] = {
    "Keys and paraphrases were not checked": lambda: many("A A", config=EqtConfig(questions=2, paraphrases=1, checks=False)),
    "have a fault; figures are given with and without": lambda: finding_on(
        record([concept_record("c", [item(1, "A A"), BAD_KEY, BAD_KEY])])
    ),
    "can't be parsed or are missing": lambda: finding_on(record([concept_record("c", [item(1, "A ? - -")])])),
    "paraphrases are missing": lambda: many("A A", config=EqtConfig(questions=2, paraphrases=3)),
    "One concept only": lambda: finding_on(record([concept_record("c", [item(1, "A A")])])),
    "Only 9 concepts": lambda: many("A A", concepts=9),
    "Options are in the order of their writer": lambda: many(
        "A A", config=EqtConfig(questions=2, paraphrases=1, shuffle=False)
    ),
    "drawn at its own temperature": lambda: many("A A", config=EqtConfig(questions=2, paraphrases=1, temperature=None)),
    "drawn at temperature 0.7": lambda: many("A A", config=EqtConfig(questions=2, paraphrases=1, temperature=0.7)),
    "The budget ran out (money)": lambda: many("A A", exhausted="money"),
    "30 of 40 concepts were completed": lambda: many("A A", planned=40),
    "got no explanation (refused: 1)": lambda: finding_on(
        record([ConceptRecord(Concept("one"), None, "refused", ()), concept_record("c", [item(1, "A")])])
    ),
    "Keys were checked by judge": lambda: many("A A", roles={**ROLES, "checker": "judge"}),
}


@pytest.fixture(scope="module")
def plain() -> EqtFinding:
    return many("A A", concepts=12, config=EqtConfig(questions=2, paraphrases=1))


@pytest.mark.parametrize("caveat", list(BROUGHT_ABOUT))
def test_a_caveat_stands_where_it_applies_and_only_there(caveat: str, plain: EqtFinding) -> None:
    caveats = BROUGHT_ABOUT[caveat]().caveats
    assert any(caveat in text for text in caveats), caveats
    assert not any(caveat in text for text in plain.caveats)


def test_a_paraphrase_that_means_something_else_is_told() -> None:
    good = item(1, "A A")
    changed = replace(good, phrasings=(*good.phrasings, Phrasing("Other?", answer("B"), same_meaning=False)))
    finding = finding_on(record([concept_record("c", [changed])], config=EqtConfig(questions=1, paraphrases=2)))
    assert any("1 of 2 paraphrases mean something else" in caveat for caveat in finding.caveats)


def test_one_who_checks_itself_is_right_by_definition() -> None:
    text = "The checker is also the answerer"
    assert any(text in caveat for caveat in many("A A").caveats)
    assert not any(text in caveat for caveat in many("A A", roles={**ROLES, "checker": "judge"}).caveats)


def test_names_of_strangers_are_fit_to_be_shown() -> None:
    text = many("A A", roles=dict.fromkeys(ROLES, "\x1b[2J" + "x" * 500)).statement
    assert "\x1b" not in text
    assert len(text) < 500


def test_examples_are_few_telling_and_in_order() -> None:
    changed = Phrasing("Other?", answer("A"), same_meaning=False)
    right = item(3, "A A")
    items = [
        item(1, "B B"),  # a gap
        item(2, "A B"),  # another answer to another wording
        right,
        item(4, "A", key_check=answer("D")),
        item(5, "A", pointing="the passage"),
        replace(item(6, "A"), phrasings=(*item(6, "A").phrasings, changed)),
    ]
    questions = score(record([concept_record(f"c{n}", items) for n in range(3)])).examples
    assert [example.why for example in questions] == list(KINDS)
    assert len(questions) == MOST_EXAMPLES
    assert len({example.concept for example in questions}) == 3
    by_kind = {example.why: example.item.number for example in questions}
    assert list(by_kind.values()) == [1, 2, 3, 4, 5, 6]


def test_examples_of_what_the_candidate_does_are_on_valid_questions() -> None:
    questions = score(record([concept_record("c", [item(1, "B C", pointing="above")])])).examples
    assert [example.why for example in questions] == ["points at a text that the answerer does not see"]


def test_no_question_is_shown_twice_and_there_may_be_none() -> None:
    assert len(score(record([concept_record("c", [item(1, "B C")])])).examples) == 1
    assert score(record([])).examples == ()


def named_result(name: str, closed: str, **visitors: float) -> EqtResult:
    [result] = many(closed, roles=dict.fromkeys(ROLES, name), concepts=10).results
    known = {who: replace(result.whole.closed, value=value) for who, value in visitors.items()}
    return replace(result, visitors=known)


def test_candidates_side_by_side() -> None:
    compared = finding_of([named_result("ada", "A A"), named_result("bob", "B B")])
    assert compared.statement.startswith(
        "Of 2 candidates, each on questions about its own explanations, ada answers most without them, 100%, and bob least, "
        "50%."
    )
    assert "bob gains most with the explanation: 50 points [" in compared.statement
    assert mean_over_all_questions(compared.results) == {}
    assert "one that writes harder questions gets lower figures" in compared.caveats[0]
    assert list(crossed_answers(compared.results)["ada"]) == ["ada"]


def test_long_names_that_look_alike_are_two_candidates() -> None:
    first, second = (f"chat:{'a' * 40}{number}{'b' * 40}" for number in (1, 2))
    assert finding_of([named_result(first, "A A"), named_result(second, "B B")]).statement.startswith("Of 2 candidates, ")


def test_cross_examination_tells_who_knows_most_of_everyones_questions() -> None:
    # ada: 1.0 on its own, .8 on bob's; bob: .5 on its own, .9 on ada's.
    compared = finding_of([named_result("ada", "A A", bob=0.9), named_result("bob", "B B", ada=0.8)])
    assert mean_over_all_questions(compared.results) == pytest.approx({"ada": 0.9, "bob": 0.7})
    assert compared.statement.endswith("On the questions of all of them ada answers 90%, and bob 70%.")
    words = compared.as_json()["figures"]
    assert words["matrix"]["bob"]["ada"]["value"] == 0.8
    assert isinstance(crossed_answers(compared.results)["ada"]["bob"], Estimate)


def test_differences_in_how_they_were_examined_are_told() -> None:
    ada, bob = named_result("ada", "A A"), named_result("bob", "B B")
    other = replace(bob, config=replace(bob.config, temperature=1.0), concepts=bob.concepts[:5])
    text = " ".join(finding_of([ada, other]).caveats)
    assert "examined in different ways" in text
    assert "not examined on the same concepts" in text
    alike = " ".join(finding_of([ada, bob]).caveats)
    assert "different ways" not in alike
    assert "not examined" not in alike


def test_too_few_or_the_same_twice_are_refused() -> None:
    ada = named_result("ada", "A A")
    with pytest.raises(BadInput, match="there is no result"):
        finding_of([])
    with pytest.raises(BadInput, match="two results are of 'ada'"):
        finding_of([ada, ada])


def test_candidates_that_answered_nothing_cannot_be_compared() -> None:
    silent = replace(score(record([])), candidate="silent")
    assert "No comparison: 1 of 2" in finding_of([named_result("ada", "A A"), silent]).statement
