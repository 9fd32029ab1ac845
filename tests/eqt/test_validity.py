"""Each kind of fault is counted where it belongs, and nothing is lost on the way."""

from __future__ import annotations

from dataclasses import replace

from tests.eqt.records import answer, item, record, sitting
from vivavoce.eqt.question_checks import faults, validity
from vivavoce.eqt.record import Answer, Concept, EqtConfig, Item, Phrasing, Sitting

GOOD = item(1, "A A")


def test_each_fault_by_itself() -> None:
    assert faults(GOOD, checked=True) == ()
    assert faults(replace(GOOD, pointing="the passage"), checked=True) == ("points at a text",)
    assert faults(replace(GOOD, self_contained=False), checked=True) == ("not self-contained",)
    assert faults(replace(GOOD, duplicate_of=1), checked=True) == ("a duplicate",)
    assert faults(replace(GOOD, key_check=answer("B")), checked=True) == ("key not reproduced",)
    assert faults(replace(GOOD, key_check=answer("?")), checked=True) == ("key not confirmed",)
    assert faults(replace(GOOD, key_check=None), checked=True) == ("key not confirmed",)


def test_a_set_key_must_be_reproduced_whole() -> None:
    two = item(1, "AC", key="AC")
    assert faults(two, checked=True) == ()
    assert faults(replace(two, key_check=answer("A")), checked=True) == ("key not reproduced",)
    assert faults(replace(two, key_check=answer("CA")), checked=True) == ()


def test_unknown_self_containment_is_taken_on_trust_and_so_are_keys_that_nobody_checks() -> None:
    assert faults(replace(GOOD, self_contained=None), checked=True) == ()
    assert faults(replace(GOOD, key_check=None, self_contained=None), checked=False) == ()


def test_every_count_by_hand() -> None:
    unwritten = Item(4, "recall", None, "unreadable", "no key")
    missing = Phrasing(None, None, problem="empty")
    changed = Phrasing("Other?", answer("B"), same_meaning=False)
    unchecked = Phrasing("Same?", answer("A"))
    told = validity(
        record(
            [
                sitting(
                    "one", [item(1, "A A A"), replace(item(2, "A"), key_check=answer("B")), item(3, "?", pointing="above")]
                ),
                sitting(
                    "two",
                    [
                        replace(GOOD, phrasings=(*GOOD.phrasings, changed)),  # 2 paraphrases, one changed
                        replace(item(2, "A"), phrasings=(Phrasing("Q?", answer("A")), missing, unchecked)),
                        replace(item(3, "A", key_check=answer("-")), duplicate_of=1, manner="lenient"),
                        unwritten,
                    ],
                ),
                Sitting(Concept("three"), None, "time-out", ()),
            ],
            set_up=EqtConfig(questions=4, paraphrases=2),
        )
    )
    # 3 sittings of 4; 3 + 3 written; one without a key, one of the first never asked for, four without explanation.
    assert (told.wanted, told.written) == (12, 6)
    assert told.not_written == {"no explanation": 4, "never asked for": 1, "no key": 1}
    assert told.manners == {"strict": 5, "lenient": 1, "unreadable": 1}
    assert (told.pointing, told.not_self_contained, told.duplicates) == (1, 0, 1)
    assert (told.key_checked, told.key_failed, told.key_unreadable) == (6, 1, 1)
    # 6 questions x 2; made: 2 + 0 + 0 + 2 + 1 + 0; one could not be made, six were never asked for.
    assert (told.paraphrases_wanted, told.paraphrases_made) == (12, 5)
    assert told.not_paraphrased == {"never asked for": 6, "empty": 1}
    assert (told.paraphrases_changed, told.paraphrases_unchecked) == (1, 1)
    # 1 of "one" (2 fails its key, 3 points), 1 and 2 of "two" (3 is a duplicate whose key is not confirmed).
    assert told.valid == 3
    assert told.wanted == told.written + sum(told.not_written.values())
    assert told.paraphrases_wanted == told.paraphrases_made + sum(told.not_paraphrased.values())


def test_what_was_never_asked_for_is_counted() -> None:
    told = validity(record([sitting("one", [GOOD])], set_up=EqtConfig(questions=99, paraphrases=99)))
    assert told.not_written == {"never asked for": 98}
    assert told.not_paraphrased == {"never asked for": 98}


def test_more_than_was_asked_for_is_no_negative_count() -> None:
    told = validity(record([sitting("one", [GOOD, item(2, "A A A A")])], set_up=EqtConfig(questions=1, paraphrases=1)))
    assert (told.not_written, told.not_paraphrased) == ({}, {})


def test_the_answers_of_a_question_do_not_touch_what_it_is_worth() -> None:
    wrong = replace(GOOD, phrasings=(Phrasing("Q?", Answer(None, "unreadable", "x")),), open_book=answer("D"))
    assert faults(wrong, checked=True) == ()
