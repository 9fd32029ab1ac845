"""Tests of promptfoo as question files: files as its documentation has them, with other content."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.scopes.imported import as_scope
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.yaml_file import YamlSource
from vivavoce.interview.candidate import Reply
from vivavoce.scopes.importers import conversion
from vivavoce.scopes.importers.promptfoo import MOST_TESTS, from_promptfoo
from vivavoce.scopes.importers.promptfoo_tests import case_of, filled, strings
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import mixed, prompt
from vivavoce.scopes.rules import rule_of
from vivavoce.scopes.rules.assertions import Assertion, Assertions, holds

pytest.importorskip("yaml")

CONFIG = """\
description: Capitals, and a letter
prompts:
  - "You answer in one word. {{question}}"
providers: [openai:gpt-5-mini]
defaultTest:
  vars: {kind: plain}
  assert:
    - {type: not-icontains, value: "as a language model", metric: Manners}
tests:
  - description: the usual one
    vars: {question: What is the capital of France?}
    assert:
      - {type: icontains, value: Paris}
    metadata: {category: capitals, difficulty: easy}
  - vars:
      question: [Capital of Italy?, "{language} for Rome?"]
      wanted: Roma
    assert:
      - type: contains-any
        value: [Rome, "{{wanted}}"]
  - vars: {question: "Coordinates as JSON, please."}
    assert:
      - type: is-json
        value: {required: [latitude], type: object, properties: {latitude: {type: number}}}
  - vars: {question: "Anything cheap?"}
    threshold: 0.5
    options: {prefix: "First. ", suffix: " Last."}
    assert:
      - {type: regex, value: '\\d{4}', weight: 2}
      - type: assert-set
        threshold: 0.5
        assert:
          - {type: equals, value: yes}
          - {type: starts-with, value: "No"}
"""


def written(tmp_path: Path, text: str, **files: str) -> Path:
    for name, content in files.items():
        file = tmp_path / name.replace("__", "/").replace("_dot_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    config = tmp_path / "promptfooconfig.yaml"
    config.write_text(text)
    return config


def opened(config: Path, prompt: str = "") -> ListedScope:
    return as_scope(from_promptfoo(config, prompt), config.parent)


def scored(scope: ListedScope, **replies: str) -> dict[str, float]:
    """The score of each reply, by the id of its question."""
    names = {name: name.removeprefix("q").replace("_", "/") for name in replies}
    return {names[name]: scope.grade(scope.by_id[names[name]], Reply(reply)).score for name, reply in replies.items()}


def test_a_configuration_as_questions(tmp_path: Path) -> None:
    scope = opened(written(tmp_path, CONFIG))
    asked = {question.id: question for question in scope.questions}
    assert {name: of.text for name, of in asked.items()} == {
        "1": "You answer in one word. What is the capital of France?",
        "2/1": "You answer in one word. Capital of Italy?",
        "2/2": "You answer in one word. {language} for Rome?",
        "3": "You answer in one word. Coordinates as JSON, please.",
        "4": "First. You answer in one word. Anything cheap? Last.",
    }
    assert [of.category for of in scope.questions] == ["capitals", "", "", "", ""]
    assert from_promptfoo(tmp_path / "promptfooconfig.yaml").unused == ("description", "providers")
    assert asked["2/1"].expected == "not-icontains 'as a language model', and contains-any ['Rome', 'Roma']"
    assert scored(scope, q1="paris!", q2_1="Roma", q2_2="As a language model: Rome", q3='{"latitude": 1}', q4="yes") == {
        "1": 1.0, "2/1": 1.0, "2/2": 0.0, "3": 1.0, "4": 0.0,
    }  # fmt: skip
    # weights: 1 of the default test, 2 of the pattern, 1 of the set, which is worth a half where one of its two holds
    shares = {"yes": (1 + 0 + 0.5) / 4, "1999": (1 + 2 + 0) / 4, "No, as a language model in 1999": (0 + 2 + 0.5) / 4}
    assert {text: scored(scope, q4=text)["4"] for text in shares} == {key: float(share >= 0.5) for key, share in shares.items()}


def test_tests_in_tables_and_other_files(tmp_path: Path) -> None:
    table = (
        "question,__expected,__expected2,__description,__metadata:category,__threshold,__prefix\n"
        "What is 2+2?,equals: 4,,Sums,sums,,\n"
        "Capital of France?,Paris,,,,,Hm: \n"
        '"Bold?","contains-all: <b>,</b>",not-contains: <i>,,,0.5,\n'
        '"Why?","llm-rubric: Says why",,,,,\n'
    )
    config = written(
        tmp_path,
        'prompts: ["{{question}}"]\ntests: [file://tests.csv, file://more/*.yaml, file://tests.json, file://tests.jsonl]\n',
        tests_dot_csv=table,
        more__a_dot_yaml='- vars: {question: "1?"}\n  assert: [{type: equals, value: file://a.txt}]\n',
        more__a_dot_txt="one\n",
        tests_dot_json=json.dumps([{"vars": {"question": "AI?"}, "assert": [{"type": "contains", "value": "AI"}]}]),
        tests_dot_jsonl='{"vars": {"question": "5+3?"}, "assert": [{"type": "equals", "value": "8"}]}\n',
    )
    scope = opened(config)
    assert [of.text for of in scope.questions] == [
        "What is 2+2?",
        "Hm: Capital of France?",
        "Bold?",
        "Why?",
        "1?",
        "AI?",
        "5+3?",
    ]
    assert scored(scope, q1="4", q2="Paris", q3="<b><i></b>", q5="one", q6="No AI", q7="9") == {
        "1": 1.0, "2": 1.0, "3": 1.0, "5": 1.0, "6": 1.0, "7": 0.0,
    }  # fmt: skip
    assert scope.by_id["4"].rubric == "Says why"
    assert scope.by_id["4"].open_ended
    assert mixed(scope.questions), "a judge grades the one, the rule the others"


def test_prompts_by_label_number_and_as_a_conversation(tmp_path: Path) -> None:
    config = written(
        tmp_path,
        "prompts:\n"
        "  - {raw: '{{q}}', label: short}\n"
        "  - file://prompts/long.txt\n"
        "  - file://prompts/chat.json\n"
        "tests:\n"
        "  - {vars: {q: '1 \"+\" 1?'}, assert: [{type: equals, value: 2}]}\n"
        "  - {vars: {q: 'Hi?'}, prompts: [short], assert: [{type: contains, value: Hi}]}\n",
        prompts__long_dot_txt="Think. {{q}}\n---\nDo not think. {{ q }}\n",
        prompts__chat_dot_json='[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Please: {{q}}"}]',
    )
    with pytest.raises(BadFile, match=r"line 2: has 4 prompts.*--prompt, 1 \('short'\), 2 \('file://prompts/long.txt 1'\)"):
        opened(config)
    assert [of.text for of in opened(config, "short").questions] == ['1 "+" 1?', "Hi?"]
    assert [of.text for of in opened(config, "3").questions] == ['Do not think. 1 "+" 1?']
    (chat,) = opened(config, "4").questions
    assert (chat.system, chat.text) == ("Be brief.", 'Please: 1 "+" 1?')


@each_case(
    ("tests", "problem"),
    [
        ("- {vars: {q: a}, assert: [{type: javascript, value: output}]}", "line 3: test 1: the assertion 'javascript'"),
        ("- {vars: {q: a}, assert: [{type: python, value: file://a.py}]}", "the assertion 'python' runs code"),
        ("- {vars: {q: a}, assert: [{type: webhook, value: 'http://127.0.0.1/'}]}", "the assertion 'webhook' runs code"),
        ("- {vars: {q: a}, assert: [{type: similar, value: b}]}", "the assertion 'similar' is not used here"),
        ("- {vars: {q: a}, assert: [{type: contains, value: b, transform: output}]}", "'transform' is not used here"),
        ("- {vars: {q: a}, assert: [{type: contains, vlaue: b}]}", "unknown field 'vlaue': did you mean 'value'?"),
        ("- {vars: {q: a}, assert: [{type: contains}]}", "'contains' has no value"),
        ("- {vars: {q: a}, assert: [{type: contains, value: b, weight: -1}]}", "give a number from 0 to 1,000,000"),
        ("- {vars: {q: a}, assert: [{type: regex, value: '(?=a)'}]}", "cannot be run in linear time"),
        ("- {vars: {q: a}, assert: [{type: is-json, value: {pattern: a}}]}", "the JSON schema has 'pattern'"),
        ("- {vars: {q: a}, assert: [{type: llm-rubric, value: good}, {type: contains, value: b}]}", "make two tests of it"),
        ("- {vars: {q: a}, assert: [{type: llm-rubric, value: good, threshold: 0.8}]}", "'llm-rubric' with a threshold"),
        ("- {vars: {q: a}, threshold: 0.5, assert: [{type: llm-rubric, value: good}]}", "with a threshold or a weight"),
        ("- {vars: {q: a}, assert: [{type: llm-rubric, value: good, rubricPrompt: x}]}", "'rubricPrompt' is not used here"),
        ("- {vars: {q: a}}", "test 1: it has no assertion"),
        ("- {vars: {r: a}, assert: [{type: contains, value: b}]}", "test 1: the template '{{q}}': 'q' is undefined"),
        ("- {vars: {q: '{{ 7 * 7 }}'}, assert: [{type: contains, value: b}]}", "the variable 'q' is a template"),
        ("- {vars: {q: file:///etc/passwd}, assert: [{type: contains, value: b}]}", "which is not in its folder"),
        ("- {vars: {q: file://../../etc/passwd}, assert: [{type: contains, value: b}]}", "which is not in its folder"),
        ("- file://tests.py", "which does not exist"),
        ("- {path: file://tests.py:make}", "no code makes tests here"),
        ("- {vars: {q: a}, asserts: []}", "did you mean 'assert'?"),
        ("file://https://example.org/a.csv", "which is not in its folder"),
    ],
)  # fmt: skip
def test_what_cannot_be_checked_is_refused_by_its_name(tmp_path: Path, tests: str, problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        opened(written(tmp_path, f"prompts: ['{{{{q}}}}']\ntests:\n  {tests}\n"))
    assert problem in str(caught.value)
    assert "promptfooconfig.yaml, line " in str(caught.value)


@each_case(
    ("cell", "problem"),
    [
        ("javascript: output.length < 10", "runs code"),
        ("fn: output", "runs code"),
        ("python: len(output)", "runs code"),
        ("file://check.py", "runs code"),
        ("similar(0.8): Hello", "'similar' is not used here"),
        ("llm-rubric(0.8): polite", "'llm-rubric' with a threshold"),
    ],
)
def test_code_in_a_cell_is_refused_with_its_line(tmp_path: Path, cell: str, problem: str) -> None:
    config = written(tmp_path, "prompts: ['{{q}}']\ntests: file://t.csv\n", t_dot_csv=f"q,__expected\na,b\nc,{cell}\n")
    conversion = from_promptfoo(config)
    (refused,) = conversion.refused
    assert "t.csv, line 3: test 2: " in str(refused)
    assert problem in str(refused)
    assert [question.id for question in as_scope(conversion, tmp_path).questions] == ["1"]


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="is not a configuration of promptfoo"):
        opened(written(tmp_path, "- 1\n"))
    with pytest.raises(BadFile, match="line 3: 'scenarios' is not used here: write each combination as a test"):
        opened(written(tmp_path, "prompts: [a]\ntests: []\nscenarios: [1]\n"))
    with pytest.raises(BadFile, match=r"line 3: '3.5' is not a list of fields: write {name: value}"):
        opened(written(tmp_path, "prompts: [a]\ntests: []\ndefaultTest: 3.5\n"))
    with pytest.raises(BadFile, match="no tests for this prompt"):
        opened(written(tmp_path, "prompts: [a]\ntests: []\n"))


def test_time_and_cost_are_left_out_and_said(tmp_path: Path) -> None:
    tests = "- {vars: {q: a}, assert: [{type: contains, value: b}, {type: latency, threshold: 2000}]}"
    config = written(tmp_path, f"prompts: ['{{{{q}}}}']\ndefaultTest: {{assert: [{{type: cost}}]}}\ntests:\n  {tests}\n")
    conversion = from_promptfoo(config)
    assert conversion.notes == ("Assertions on cost and latency were left out: the answer alone is graded.",)
    assert scored(as_scope(conversion, tmp_path), q1="b") == {"1": 1.0}
    alone = "- {vars: {q: a}, assert: [{type: latency, threshold: 2000}]}"
    with pytest.raises(BadFile, match="test 1: it has no assertion"):
        opened(written(tmp_path, f"prompts: ['{{{{q}}}}']\ntests:\n  {alone}\n"))
    weighed = tests.replace("vars: {q: a}", "vars: {q: a}, threshold: 0.5")
    with pytest.raises(BadFile, match="'threshold' counts an assertion on time or cost"):
        opened(written(tmp_path, f"prompts: ['{{{{q}}}}']\ntests:\n  {weighed}\n"))


def test_templates_of_assertions_stand_where_they_are_referred_to(tmp_path: Path) -> None:
    text = (
        "prompts: ['{{q}}']\n"
        "assertionTemplates:\n"
        "  has42: {type: contains, value: '42'}\n"
        "tests:\n"
        "  - {vars: {q: '6*7?'}, assert: [{$ref: '#/assertionTemplates/has42'}]}\n"
        "  - {vars: {q: '6*8?'}, assert: [{$ref: '#/assertionTemplates/has42', value: '48'}]}\n"
    )
    assert scored(opened(written(tmp_path, text)), q1="It is 42", q2="42") == {"1": 1.0, "2": 0.0}
    with pytest.raises(BadFile, match="line 5: '#/assertionTemplates/has43' is not there: the templates are has42"):
        opened(written(tmp_path, text.replace("has42'}]", "has43'}]", 1)))
    conversion = from_promptfoo(written(tmp_path, text.replace("#/assertionTemplates/has42'}]", "other.yaml'}]", 1)))
    (refused,) = conversion.refused
    assert "line 5: test 1: '$ref' is not used here: only '#/assertionTemplates/NAME' of the same file" in str(refused)
    assert scored(as_scope(conversion, tmp_path), q2="48") == {"2": 1.0}


def test_a_template_is_not_repeated_without_end(tmp_path: Path) -> None:
    large = "[" + ", ".join(f"'{n}'" for n in range(3000)) + "]"
    uses = "\n".join("  - {vars: {q: a}, assert: [{$ref: '#/assertionTemplates/x'}]}" for _ in range(100))
    text = f"prompts: ['{{{{q}}}}']\nassertionTemplates: {{x: {{type: contains-any, value: {large}}}}}\ntests:\n{uses}\n"
    with pytest.raises(BadFile, match="more than 200,000 values including references"):
        opened(written(tmp_path, text))


def test_a_conversation_is_asked_from_its_beginning(tmp_path: Path) -> None:
    chat = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi, I am {{name}}"},
        {"role": "assistant", "content": "Hello {{name}}."},
        {"role": "user", "content": "{{q}}"},
    ]
    config = written(
        tmp_path,
        "prompts: [file://p.json]\ntests:\n  - {vars: {q: '6*7?', name: Ann}, assert: [{type: contains, value: '42'}]}\n",
        p_dot_json=json.dumps(chat),
    )
    (question,) = opened(config).questions
    put = prompt(question)
    assert (put.system, put.conversation) == (
        "Be brief.",
        (("user", "Hi, I am Ann"), ("assistant", "Hello Ann."), ("user", "6*7?")),
    )
    (tmp_path / "p.json").write_text(json.dumps(chat[:3]))
    with pytest.raises(BadFile, match="the prompt: a conversation is messages of the user and the assistant in turn"):
        opened(config)


def test_files_of_one_test_and_tables_with_semicolons(tmp_path: Path) -> None:
    config = written(
        tmp_path,
        "prompts: ['{{q}}']\ntests: [file://cases/*.yaml, file://t.csv]\n",
        cases__one_dot_yaml="vars: {q: x}\nassert: [{type: contains, value: a}]\n",
        t_dot_csv="q;__expected;__threshold\nWhat, then?;levenshtein(1): hello;\nWhy?;word-count: 2;\n",
    )
    assert scored(opened(config), q1="a", q2="hallo", q3="one") == {"1": 1.0, "2": 1.0, "3": 0.0}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=3), inside, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_texts_are_put_back_where_they_stood(value: object) -> None:
    assert filled(value, strings(value)) == value


@given(JSON, st.lists(st.text(max_size=4), min_size=1, max_size=3))
def test_a_rule_survives_being_written_down(value: object, listed: list[str]) -> None:
    parts = (Assertion(type="equals", value=value), Assertion(type="not-contains-any", value=listed, weight=0.5))
    rule = Assertions(parts=(*parts, Assertion(type="assert-set", parts=parts, threshold=0.5)))
    again = rule_of(rule.text)
    assert (again, again.judged(json.dumps(value))) == (rule, rule.judged(json.dumps(value)))
    assert holds(parts[0], json.dumps(value)) or not isinstance(value, dict | list | None)


@each_case("threshold", ["-1", "0", "nan", "inf", "-inf", "1e999", "7", "all"])
def test_a_threshold_by_which_all_or_none_would_pass_is_refused(tmp_path: Path, threshold: str) -> None:
    (tmp_path / "t.csv").write_text(f"q,__expected,__threshold\na,contains: zzz,{threshold}\n")
    with pytest.raises(BadFile, match=r"t\.csv, line 2: .*threshold.* give a share above 0 and at most 1"):
        opened(written(tmp_path, "prompts: ['{{q}}']\ntests: file://t.csv\n"))
    if threshold in ("-1", "0", "7"):
        inline = f"prompts: [a]\ntests: [{{threshold: {threshold}, assert: [{{type: contains, value: z}}]}}]\n"
        with pytest.raises(BadFile, match=r"line 2: test 1: the threshold is .*: give a share above 0 and at most 1"):
            opened(written(tmp_path, inline))


@settings(max_examples=20)
@given(st.lists(st.integers(0, 400), min_size=1, max_size=6), st.integers(1, 200))
def test_combinations_are_counted_before_they_are_made(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], n: int
) -> None:
    """However many lists there are, 100,000 tests are the most; what would be more takes no memory."""
    variables = {f"v{index}": list(range(size)) for index, size in enumerate(sizes)}
    test = {"vars": variables, "assert": [{"type": "contains", "value": "2"}]}
    case = case_of(YamlSource(Path("c.yaml"), None), test, ())
    assert case.size == prod(sizes)
    if not 0 < n * prod(sizes) <= MOST_TESTS:
        folder = tmp_path_factory.mktemp("combinations")
        (folder / "c.json").write_text(json.dumps({"prompts": ["a"], "tests": [test] * n}))
        with pytest.raises(BadFile, match=r"its lists make [\d,]+ tests, after [\d,]+ others: give 1 to 100,000 in all"):
            from_promptfoo(folder / "c.json")


def test_files_of_tests_that_name_themselves_are_refused(tmp_path: Path) -> None:
    (tmp_path / "rec.yaml").write_text("- file://rec.yaml\n- file://rec.yaml\n")
    with pytest.raises(BadFile, match=r"rec\.yaml, line 1: more than 5 files name each other"):
        opened(written(tmp_path, "prompts: [a]\ntests: file://rec.yaml\n"))
    (tmp_path / "wide.yaml").write_text("- file://none.yaml\n" * 200)
    (tmp_path / "none.yaml").write_text("[]")
    with pytest.raises(BadFile, match=r"more than 1,000 files are named"):
        opened(written(tmp_path, "prompts: [a]\ntests: [file://wide.yaml, " + "file://wide.yaml, " * 9 + "]\n"))
    with pytest.raises(BadFile, match=r"line 2: 'file://a.*' is not a pattern of files"):
        opened(written(tmp_path, "prompts: [a]\ntests: 'file://a**b*.csv'\n"))


def test_questions_that_share_a_long_text_are_bounded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversion, "MOST_CHARACTERS", 1 << 20)
    (tmp_path / "long.txt").write_text("x" * (1 << 12) + " {{n}}")
    tests = "[{vars: {n: [" + ",".join(map(str, range(300))) + "]}, assert: [{type: contains, value: b}]}]"
    with pytest.raises(BadInput, match=r"its rows have more than 1,048,576 characters, at row 2"):
        opened(written(tmp_path, f"prompts: ['file://long.txt']\ntests: {tests}\n"))
