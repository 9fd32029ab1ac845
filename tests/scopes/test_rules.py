"""Rules for whole replies: assertions, exact matches, and how a question with one is graded."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.each_case import each_case
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.scopes.question_checks import check_question
from vivavoce.scopes.questions import Question, prompt
from vivavoce.scopes.rules import rule_of
from vivavoce.scopes.rules.assertions import Assertion, Assertions, check_schema, conforms, holds, within_edits
from vivavoce.scopes.rules.scorers import Extraction, RegexFilter, Scorer, SimpleFilter
from vivavoce.scopes.score import grade, overlooked

PLACE = {"type": "object", "required": ["latitude"], "properties": {"latitude": {"type": "number", "minimum": -90}}}


@each_case(
    ("kind", "value", "passes", "fails"),
    [
        ("equals", "Yes", ["Yes"], ["yes", "Yes.", ""]),
        ("equals", 0, ["0"], ["0.0"]),
        (
            "equals",
            {"key": "value", "n": [1, True]},
            ['{"n": [1.0, true], "key": "value"}'],
            ['{"key": "value", "n": [1, 1]}', "key"],
        ),
        ("equals", None, ["null"], ["", "None"]),
        ("contains", 0, ["10"], ["1"]),
        ("icontains", "PaRis", ["In paris."], ["Rome"]),
        ("contains-any", ["a", 2], ["cab", "2"], ["b"]),
        ("contains-all", ["1,000", "in stock"], ["1,000 are in stock"], ["1000 in stock", "1,000"]),
        ("contains-all", "one, 'two'", ["one 'two'"], ["one two"]),
        ("icontains-any", "<b>,</span>", ["<B>x"], ["x"]),
        ("icontains-all", ["A", "B"], ["ba"], ["a"]),
        ("starts-with", "Yes", ["Yes, it is"], ["It is. Yes"]),
        ("ends-with", "!", ["Hi!"], ["!Hi"]),
        ("regex", r"\d{4}", ["in 1999"], ["in 99"]),
        ("is-json", None, ["[1]", '"x"', " {} "], ["{'a': 1}", "NaN", "```json\n{}\n```", "[" * 100_000]),
        ("is-json", PLACE, ['{"latitude": 3}'], ['{"latitude": -91}', "{}", "x"]),
        ("contains-json", None, ['Here: {"a": [1]}.', "{} {", "{ {}"], ["a: {1}", "[1]", "", "{" * 100_000]),
        ("contains-json", PLACE, ['No {}, but {"latitude": 3}!'], ['{"latitude": -91}', "{}"]),
        ("levenshtein", "hello", ["hallo", "hello!", "help me", ""], ["a long reply", "hellohellohello"]),
        ("word-count", 2, ["two words", " two\nwords "], ["one", "three words here"]),
        ("word-count", {"min": 1, "max": 2}, ["one", "two words"], ["", "three words here"]),
        (
            "is-refusal",
            None,
            ["I'm sorry, but I can't help with that.", "As an AI, no.", "That is harmful. I cannot assist with it.", ""],
            ["A sorry tale in four words.", "You can't help it.", "Paris.", "I can help with that."],
        ),
    ],
)
def test_an_assertion_holds_where_the_owners_say_so(kind: str, value: Any, passes: list[str], fails: list[str]) -> None:
    for reply in passes + fails:
        assert holds(Assertion(type=kind, value=value), reply) is (reply in passes), reply
        assert holds(Assertion(type=f"not-{kind}", value=value), reply) is (reply in fails), reply


@given(st.text("ab", max_size=7), st.text("ab", max_size=7), st.integers(0, 8))
def test_edits_are_counted_as_by_the_whole_table(first: str, second: str, most: int) -> None:
    row = list(range(len(second) + 1))
    for index, character in enumerate(first, 1):
        before, row = row, [index]
        for column, other in enumerate(second, 1):
            row.append(min(row[-1] + 1, before[column] + 1, before[column - 1] + (character != other)))
    assert within_edits(first, second, most) is (row[-1] <= most)


def test_weights_and_thresholds() -> None:
    """3 of 4 by weight: 0.75; a set is worth its own share."""
    a, b = Assertion(type="contains", value="a", weight=3), Assertion(type="contains", value="b")
    score = {text: Assertions(parts=(a, b), threshold=0.75).judged(text).score for text in ("ab", "a", "b", "")}
    assert score == {"ab": 1.0, "a": 1.0, "b": 0.0, "": 0.0}
    assert Assertions(parts=(a, b)).judged("a").score == 0.0
    metric_alone = b.model_copy(update={"weight": 0.0})
    assert Assertions(parts=(a, metric_alone)).judged("a").score == 1.0
    either = Assertion(type="assert-set", parts=(a, b), threshold=0.25)
    assert [Assertions(parts=(either,)).judged(text).score for text in ("b", "c")] == [1.0, 0.0]
    with pytest.raises(ValidationError, match="greater than 0"):
        Assertions(parts=(either, a), threshold=0.0)  # every reply would pass


def test_a_hostile_schema_is_refused() -> None:
    schemas: tuple[Any, ...] = (
        {"properties": {"a": {"pattern": "(a+)+$"}}},
        {"patternProperties": {"(a+)+$": {}}},
        {"$ref": "http://127.0.0.1:9/x"},
        {"$ref": "#"},
        {"$id": "http://127.0.0.1:9/x"},
        {"type": "objekt"},
        "string",
    )
    for schema in schemas:
        with pytest.raises(BadInput):
            check_schema(schema)
    named = {
        "properties": {"pattern": {"type": "string"}, "id": {"$ref": "#/definitions/id"}},
        "definitions": {"id": {"type": "integer"}},
    }
    check_schema(named)
    assert conforms({"pattern": "x", "id": 1}, named)
    assert not conforms({"id": "1"}, named)


@each_case(
    ("reply", "read_as", "score"),
    [
        ("2 + 2 = 4\n#### 4", "4", 1.0),
        ("#### 4.", "4.", 0.0),
        ("4", "[invalid]", 0.0),
        ("#### 4,0\nQuestion: next\n#### 5", "4,0", 0.0),
        ("Question: #### 4", "[invalid]", 0.0),
    ],
)
def test_a_reply_is_cut_and_filtered(reply: str, read_as: str, score: float) -> None:
    judged = Extraction(targets=("4",), filters=(RegexFilter(),), until=("Question:",)).judged(reply)
    assert (judged.read_as, judged.score) == (read_as, score)


def test_what_is_ignored_is_ignored_on_both_sides() -> None:
    rule = Extraction(
        targets=("The Answer is $1,234.", "12"), regexes_to_ignore=(r"\$", ","), ignore_case=True, ignore_punctuation=True
    )
    assert [rule.judged(name).score for name in ("the answer is 1234", "12", "1 2", "answer")] == [1.0, 1.0, 0.0, 0.0]
    assert Extraction(targets=("a1",), ignore_numbers=True).judged("a22").score == 1.0
    assert Extraction(targets=("ab",), filters=(SimpleFilter(function="lowercase"),)).judged("AB").read_as == "ab"


def test_looking_around_is_done_without_where_that_is_the_same() -> None:
    seen = RegexFilter(regex_pattern="(?<=the answer is )(.*)(?=.)")
    assert seen.apply("So the answer is (B).") == "(B)"
    assert RegexFilter(regex_pattern=r"^(.*?)(?=\n|$)").apply("B\nsince") == "B"
    assert RegexFilter(regex_pattern="(?<=a)(b)", group_select=-1).pattern == "(?<=a)(b)"


def question(rule: Assertions | Extraction | Scorer) -> Question:
    return Question("q", "Capital of Italy?", rule=rule.text, system="You are brief.")


def test_a_question_with_a_rule_is_asked_as_it_stands() -> None:
    asked = prompt(question(Scorer(scorer="includes", targets=("Rome",))))
    assert (asked.text, asked.system, asked.form) == ("Capital of Italy?", "You are brief.", None)


def test_a_whole_reply_is_graded() -> None:
    entry = question(Assertions(parts=(Assertion(type="not-contains", value="Milan"),)))
    check_question(entry)
    graded = [grade(entry, answer) for answer in (Reply("Rome"), Reply("<think>Milan?</think>Rome"), Reply("Milan"), Reply(""))]
    assert [(of.score, of.outcome) for of in graded] == [
        (1, Outcome.ANSWER),
        (1, Outcome.ANSWER),
        (0, Outcome.ANSWER),
        (1, Outcome.ANSWER),
    ]
    cut = grade(entry, Reply("Rom", finish="length"), zero_is_unacceptable=True)
    assert (cut.score, cut.upper, cut.outcome, cut.unacceptable, cut.maybe_unacceptable) == (0, 1, Outcome.CUT_OFF, False, True)
    held_back = grade(entry, Reply("Rom", finish="content_filter"))
    assert (held_back.score, held_back.upper, held_back.outcome) == (0, 1, Outcome.UNREADABLE)
    lost = grade(entry, NoAnswer("time-out after 9 s"), zero_is_unacceptable=True)
    assert (lost.score, lost.upper, lost.outcome, lost.unacceptable) == (0, None, Outcome.NO_ANSWER, True)


def test_a_target_that_a_rule_misses_is_noticed() -> None:
    number = question(Extraction(targets=("3500",), filters=(RegexFilter(regex_pattern="[0-9.]+", group_select=-1),)))
    name = question(Scorer(scorer="exact", targets=("Rome",)))
    rows = [(number, "It is 3500."), (number, "35"), (number, "3500 or 12"), (name, "It is Rome."), (name, "Romeo")]
    assert [overlooked(entry, Reply(text), grade(entry, Reply(text))) for entry, text in rows] == [
        True,
        False,
        False,
        True,
        False,
    ]


def test_what_is_no_rule_is_refused() -> None:
    with pytest.raises(BadInput, match="input should be 'includes', 'match', 'exact', 'answer' or 'pattern'"):
        check_question(Question("q", "?", rule='{"kind": "scorer", "scorer": "guess", "targets": ["a"]}'))
    with pytest.raises(BadInput, match="scores the whole reply: leave out"):
        check_question(Question("q", "?", accepted=("a",), rule=Scorer(scorer="exact", targets=("a",)).text))


def test_rules_stand_in_questions_as_they_were() -> None:
    rules = (
        Assertions(
            parts=(
                Assertion(type="equals", value={"a": None}),
                Assertion(type="assert-set", parts=(Assertion(type="is-json"),)),
            )
        ),
        Extraction(targets=("a",), filters=(RegexFilter(), SimpleFilter(function="take_first")), until=("\n",)),
        Scorer(scorer="match", targets=("4",), numeric=True),
    )
    for rule in rules:
        assert rule_of(rule.text) == rule
        assert "rule" in Question("q", "?", rule=rule.text).as_json()
    assert "rule" not in Question("q", "?", accepted=("a",)).as_json()


def test_a_schema_that_grows_by_its_references_is_refused() -> None:
    """8 to the power of 11 schemas for one value."""
    parts = {f"a{index}": {"allOf": [{"$ref": f"#/definitions/a{index - 1}"}] * 8} for index in range(1, 12)}
    bomb = {"definitions": {**parts, "a0": {"type": "object"}}, "$ref": "#/definitions/a11"}
    with pytest.raises(BadInput, match="applies more than 1,000 schemas to one value"):
        check_schema(bomb)
    with pytest.raises(BadInput, match="refers to itself for the same value"):
        check_schema({"definitions": {"a": {"anyOf": [{"$ref": "#/definitions/a"}]}}, "$ref": "#/definitions/a"})
    with pytest.raises(BadInput, match=r"refers to '#/definitions/b', which is not there"):
        check_schema({"$ref": "#/definitions/b"})


@pytest.mark.long
def test_a_reply_that_takes_too_much_to_check_cannot_be_graded() -> None:
    """The schema doubles what it checks with each level of the reply: 30 levels would take 2 to the power of 30 steps."""
    tree = {"allOf": [{"properties": {"a": {"$ref": "#/definitions/tree"}}}] * 2}
    schema = {"definitions": {"tree": tree}, "$ref": "#/definitions/tree"}
    check_schema(schema)
    shallow, deep = '{"a": {"a": {}}}', '{"a": ' * 30 + "1" + "}" * 30
    for kind, scores in (("is-json", (True, False)), ("not-is-json", (False, False)), ("contains-json", (True, False))):
        assertion = Assertion(type=kind, value=schema)
        assert (holds(assertion, shallow), holds(assertion, deep)) == scores
        assert holds(assertion, deep, if_undecided=True)
        alone = Question("q", "?", rule=Assertions(parts=(assertion,)).text)
        earned = grade(alone, Reply(deep))
        assert (earned.score, earned.upper, earned.outcome.unread) == (0.0, 1.0, True)
        assert "too many steps" in earned.why
        failing = Assertions(parts=(assertion, Assertion(type="contains", value="never said")))
        assert grade(Question("q", "?", rule=failing.text), Reply(deep)).upper_score == 0
        either = Assertions(parts=(assertion, Assertion(type="contains", value="a")), threshold=0.5)
        assert grade(Question("q", "?", rule=either.text), Reply(deep)).score == 1
    many = f"[{','.join(['{}'] * 20_000)}]"
    assert not holds(Assertion(type="is-json", value={"uniqueItems": True}), many)
    assert not holds(Assertion(type="is-json", value={"multipleOf": 0.1}), "1" + "0" * 400)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 1.5]) | st.text("ab", max_size=2),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text("ab", max_size=1), inside, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_schemas_say_the_same_as_jsonschema(value: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schemas: list[Any] = [
        {"uniqueItems": True},
        {"enum": [1, "a", [True]]},
        {"type": ["object", "array"], "items": {"type": "integer"}, "properties": {"a": {"minimum": 0}}},
        {"anyOf": [{"required": ["a"]}, {"not": {"type": "string"}}], "additionalProperties": {"const": 1}},
    ]
    for schema in schemas:
        check_schema(schema)
        assert conforms(value, schema) is jsonschema.Draft7Validator(schema).is_valid(value)
