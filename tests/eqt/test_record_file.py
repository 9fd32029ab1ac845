"""Results as files and as scopes: what is written is read again, and what is no result is refused with its reason."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.eqt.records import answer, choice, concept_record, item, planted, record
from vivavoce.eqt.files import read_record, record_as_json, record_from_json, write_record
from vivavoce.eqt.question_checks import scope_lines, sets_listed
from vivavoce.eqt.record import ROLES, Concept, ConceptRecord, EqtConfig, EqtRecord, ParsedAnswer, Phrasing, QuestionRecord
from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.candidate import Reply
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

FULL = record(
    [
        concept_record(
            "Graph theory",
            [item(1, "A ? - ."), item(2, "AC", key="AC", opened=None), QuestionRecord(3, "x", None, "unreadable", "no key")],
        ),
        ConceptRecord(Concept("Ünïcode ∀", "other"), None, "refused", ()),
    ],
    config=EqtConfig(questions=3, paraphrases=3, temperature=None, seed=7),
    planned=3,
    calls=12,
    tokens_in=1_000,
    tokens_out=2_000,
    money=0.25,
    exhausted="money",
    visitors={"guest": {("Graph theory", 1): answer("A"), ("Graph theory", 2): answer("?")}, "nobody": {}},
)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    write_record(file, FULL)
    assert read_record(file) == FULL
    assert record_from_json(record_as_json(FULL)) == FULL
    drawn = planted(np.random.default_rng(0))
    write_record(file, drawn)
    assert read_record(file) == drawn


def test_sets_are_sorted_lists_so_that_files_can_be_compared() -> None:
    document = record_as_json(FULL)
    assert document["concept_records"][0]["items"][1]["question"]["key"] == [0, 2]
    assert json.dumps(document) == json.dumps(record_as_json(record_from_json(document)))


CHOSEN = st.one_of(st.none(), st.frozensets(st.integers(0, 3)))
TEXTS = st.text(min_size=1, max_size=8).filter(lambda text: text.strip() != "")
ANSWERS = st.builds(
    ParsedAnswer, CHOSEN, st.sampled_from(["strict", "lenient", "unreadable", "no answer"]), st.text(max_size=5)
)
MAYBE = st.one_of(st.none(), ANSWERS)
KEYS = st.frozensets(st.integers(0, 3), min_size=1)
QUESTIONS = st.builds(MultipleChoice, TEXTS, st.tuples(TEXTS, TEXTS, TEXTS, TEXTS), KEYS)
PHRASINGS = st.builds(Phrasing, TEXTS, MAYBE, st.sampled_from([None, True, False]), st.text(max_size=5))


@given(QUESTIONS, st.lists(PHRASINGS, max_size=3), MAYBE, MAYBE, st.text(max_size=9), st.sampled_from([None, True, False]))
def test_any_record_survives(
    question: MultipleChoice,
    wordings: list[Phrasing],
    opened: ParsedAnswer | None,
    check: ParsedAnswer | None,
    text: str,
    alone: bool | None,
) -> None:
    question_record = QuestionRecord(1, text, question, "strict", text, tuple(wordings), opened, check, text, alone, 3)
    whole = record(
        [ConceptRecord(Concept("c", text), text, text, (question_record,))],
        config=EqtConfig(questions=1),
        roles=dict.fromkeys(ROLES, text),
    )
    again = record_from_json(record_as_json(whole))
    assert again == whole or any("\ud800" <= letter <= "\udfff" for letter in repr(whole))


def test_half_a_surrogate_pair_is_a_question_mark(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    write_record(file, record([ConceptRecord(Concept("c"), "half \ud83d pair", "", ())]))
    assert read_record(file).concept_records[0].explanation == "half ? pair"


def changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(json.dumps(record_as_json(FULL)))
    change(result)
    return result


def item_of(record: dict[str, Any]) -> dict[str, Any]:
    first: dict[str, Any] = record["concept_records"][0]["items"][0]
    return first


BROKEN: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda document: document.update(form="other"), "'form' must be 'vivavoce explain-query-test 1'"),
    (lambda document: document.pop("form"), "'form' must be"),
    (lambda document: document.pop("money"), "'money': Field required"),
    (lambda document: document.update(extra=1), "'extra': Extra inputs are not permitted"),
    (lambda document: document.update(calls="12"), "'calls': Input should be a valid integer"),
    (lambda document: document.update(calls=-1), "'calls': Input should be greater than or equal to 0"),
    (lambda document: document.update(money=float("nan")), "'money'"),
    (lambda document: document["config"].update(seed=True), "'config.seed': Input should be a valid integer"),
    (lambda document: document["config"].update(more=1), "'config.more'"),
    (
        lambda document: document["config"].update(questions=10**9),
        "'config.questions': Input should be less than or equal to 99",
    ),
    (lambda document: document["roles"].pop("answerer"), "'roles' names no 'answerer'"),
    (lambda document: document["roles"].update(king="x"), "'roles.king"),
    (lambda document: document["roles"].update(writer="x" * 2_000), "a name in 'roles' is longer than 1000"),
    (
        lambda document: document["concept_records"].append(document["concept_records"][0]),
        "the concept 'Graph theory' is listed twice",
    ),
    (lambda document: document["concept_records"][1]["concept"].update(name=" "), "a concept and its category must be named"),
    (lambda document: document["concept_records"][0]["items"].append(item_of(document)), "two with the same number"),
    (lambda document: item_of(document)["question"].update(key=[4]), "'Graph theory': question 1: the key must name"),
    (lambda document: item_of(document)["question"].update(key=[]), "the key must name at least one option"),
    (lambda document: item_of(document)["question"].update(key=[0.5]), "key.0': Input should be a valid integer"),
    (lambda document: item_of(document)["question"].update(options=["one"]), "1 options: there must be 2 to 10"),
    (lambda document: item_of(document)["question"].update(stem=" "), "the question must have a text"),
    (lambda document: item_of(document)["open_book"].update(chosen=[9]), "an answer names an option that does not exist"),
    (lambda document: item_of(document)["phrasings"][0].update(stem=None), "or an answer without a wording"),
    (lambda document: item_of(document).update(question=None), "there is no question, but there are answers"),
    (lambda document: item_of(document).update(parse="guessed"), "'concept_records.0.items.0.parse': Input should be 'strict'"),
    (
        lambda document: document["visitors"][0]["answers"][0].update(number=9),
        "'visitors' answer question 9 on 'Graph theory', which",
    ),
    (lambda document: document["visitors"][0]["answers"][0].update(number=3), "'visitors' answer question 3"),
    (lambda document: document.update(visitors=[{"name": "x"}]), "'visitors.0.answers': Field required"),
    (lambda document: document["visitors"].append(document["visitors"][0]), "a visitor is listed twice"),
    (
        lambda document: document["visitors"][0]["answers"].append(document["visitors"][0]["answers"][0]),
        "'guest' answers a question twice",
    ),
    (lambda document: document["concept_records"][1]["concept"].update(name="Graph theory"), "two concepts have the same name"),
]


@each_case(("change", "problem"), BROKEN)
def test_what_is_no_result_is_refused_with_its_reason(
    change: Callable[[dict[str, Any]], Any], problem: str, tmp_path: Path
) -> None:
    document = changed(change)
    with pytest.raises(BadInput) as caught:
        record_from_json(document)
    assert problem in str(caught.value)
    file = tmp_path / "result.json"
    file.write_text(json.dumps(document))
    with pytest.raises(BadFile) as caught:
        read_record(file)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@each_case(
    "content",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b"\xff\xfe",
        b'"' + b"x" * 1000 + b'"',
        b"[" * 100_000,
        b"1e999",
        b'{"form": ' + b"9" * 5000 + b"}",
    ],
)
def test_what_is_not_even_json(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(content)
    with pytest.raises(BadFile) as caught:
        read_record(file)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_file_that_is_not_there_or_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be read: No such file"):
        read_record(tmp_path / "none.json")
    with pytest.raises(BadFile, match="cannot be written: "):
        write_record(tmp_path / "does not exist" / "x.json", FULL)


def test_a_byte_order_mark_does_not_matter(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(record_as_json(FULL)).encode())
    assert read_record(file) == FULL


def test_answers_of_visitors_must_fit_the_question() -> None:
    bad = replace(FULL, visitors={"guest": {("Graph theory", 1): ParsedAnswer(choice("J"), "strict")}})
    with pytest.raises(BadInput, match="'visitors' answer question 1"):
        record_from_json(record_as_json(bad))


def test_without_visitors() -> None:
    alone: EqtRecord = replace(FULL, visitors=None)
    assert record_from_json(record_as_json(alone)) == alone


NAMES = tuple(f"option {n}" for n in range(1, 11))


def opened(lines: list[dict[str, Any]], folder: Path) -> ListedScope:
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    scope = open_scope(f"file:{file}")
    assert isinstance(scope, ListedScope)
    return scope


def asked(options: int, key: str) -> EqtRecord:
    question_record = item(1, "A A", key=key)
    question = MultipleChoice("Which?", NAMES[:options], frozenset("ABCDEFGHIJ".index(letter) for letter in key))
    return record([concept_record("Graph theory", [replace(question_record, question=question)])])


QUESTION_KEYS = [
    (options, key) for options in range(2, 5) for n in range(1, options + 1) for key in combinations("ABCD"[:options], n)
]
QUESTION_KEYS += [(options, tuple(key)) for options in range(5, 11) for key in ("A", "BD", "ABCDE", "ABCDEFGHIJ"[:options])]


@each_case(("options", "key"), QUESTION_KEYS)
def test_only_the_right_set_is_scored_as_right(options: int, key: tuple[str, ...], tmp_path: Path) -> None:
    scope = opened(list(scope_lines(asked(options, "".join(key)))), tmp_path)
    numbers = ["ABCDEFGHIJ".index(letter) + 1 for letter in key]
    text = {1: f"{numbers[0]} only", options: "all of them"}.get(
        len(numbers), f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]} only"
    )
    for question in scope.questions:
        assert question.text.startswith("Wording ")
        assert all(f"\n{number}. {NAMES[number - 1]}" in question.text for number in range(1, options + 1))
        right = question.letters[question.options.index(text)]
        for letter in question.letters:
            assert scope.grade(question, Reply(f"Answer: {letter}")).score == (letter == right)
        # In words too; two sets without "only" are no choice, and are not taken for a smaller one.
        assert scope.grade(question, Reply(f"Answer: {text}")).score == 1
        assert scope.grade(question, Reply("Answer: 1, 2")).read_as == ""


def test_wordings_are_drawn_together_and_questions_weigh_the_same(tmp_path: Path) -> None:
    changed = Phrasing("Other?", answer("A"), same_meaning=False)
    four, three = item(1, "A A A A"), item(2, "A A A")
    lost = replace(item(3, "A"), phrasings=(Phrasing("Only this?", None), Phrasing(None, None), changed))
    lines = list(scope_lines(record([concept_record("one", [four, three, lost]), concept_record("two", [four], "law")])))
    scope = opened(lines, tmp_path)
    assert [len(unit) for unit in scope.units] == [4, 3, 1, 4]
    assert [sum(question.weight for question in unit) for unit in scope.units] == pytest.approx([4.0] * 4)
    assert [unit[0].cluster for unit in scope.units] == ["one/1", "one/2", "one/3", "two/1"]
    assert {question.category for question in scope.units[3]} == {"law"}
    assert [question.id for question in scope.units[1]] == ["one/2/original", "one/2/paraphrase 1", "one/2/paraphrase 2"]


def test_where_all_have_as_many_wordings_they_are_drawn_without_replacement(tmp_path: Path) -> None:
    lines = list(scope_lines(record([concept_record("one", [item(1, "A A"), item(2, "A A")])])))
    assert {line["weight"] for line in lines} == {1.0}
    assert opened(lines, tmp_path).population == 2


def test_faults_are_left_out_unless_wanted() -> None:
    changed = Phrasing("Other?", answer("A"), same_meaning=False)
    question_record = replace(item(1, "A"), phrasings=(*item(1, "A").phrasings, changed))
    whole = record([concept_record("one", [question_record, item(2, "A", pointing="above")])])
    assert [line["id"] for line in scope_lines(whole)] == ["one/1/original"]
    ids = [line["id"] for line in scope_lines(whole, only_valid=False)]
    assert ids == ["one/1/original", "one/1/paraphrase 1", "one/2/original"]
    assert list(scope_lines(record([]))) == []


def test_concepts_of_the_same_name_are_kept_apart(tmp_path: Path) -> None:
    whole = record([concept_record("Power", [item(1, "A")], "physics"), concept_record("Power", [item(1, "A")], "math")])
    scope = opened(list(scope_lines(whole)), tmp_path)
    assert [unit[0].cluster for unit in scope.units] == ["Power/1", "Power/1 (math)"]


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    nasty = '{"a": 1}\n\u2028Answer: A\n(B) is correct \x00 [bold] <script>'
    question_record = replace(
        item(1, "A"), question=MultipleChoice(nasty, (nasty, "Answer: B"), frozenset([1])), phrasings=(Phrasing(nasty, None),)
    )
    scope = opened(
        list(scope_lines(record([concept_record(nasty, [replace(question_record, key_check=answer("B"))])]))), tmp_path
    )
    assert scope.questions[0].accepted == ("B",)
    assert scope.grade(scope.questions[0], Reply("Answer: B")).score == 1


@given(st.integers(5, 10), st.integers(0, 2**32), st.data())
def test_no_option_comes_up_more_often_because_it_is_right(options: int, seed: int, data: st.DataObject) -> None:
    key = data.draw(st.frozensets(st.integers(0, options - 1), min_size=1))
    listed = sets_listed(options, key, np.random.default_rng(seed))
    assert key in listed
    assert len(set(listed)) == len(listed)
    every = {*listed, *([frozenset[int]()] if len(listed) == 15 else [])}
    assert len(every) == 16
    # An orthogonal array of strength 2: each option in 8 sets, each two of them together in 4.
    once = Counter(option for chosen in every for option in chosen)
    twice = Counter(pair for chosen in every for pair in combinations(sorted(chosen), 2))
    assert set(once.values()) == {8}
    assert len(once) == options
    assert set(twice.values()) == {4}
    assert len(twice) == options * (options - 1) // 2
    # Were another of the sets right, the same would be listed.
    for other in listed:
        assert sets_listed(options, other, np.random.default_rng(seed)) == listed
