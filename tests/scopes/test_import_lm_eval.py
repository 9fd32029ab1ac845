"""Tasks of lm-evaluation-harness as question files: tasks in the form of its own, with other content; prompts by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.each_case import each_case
from tests.scopes.imported import as_scope
from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.candidate import Reply
from vivavoce.scopes.importers.lm_eval import from_lm_eval
from vivavoce.scopes.listed_and_endless import ListedScope

pytest.importorskip("yaml")
pytest.importorskip("re2")

LOCAL = "dataset_path: json\ndataset_kwargs: {data_files: {train: train.jsonl, test: test.jsonl}}\ntest_split: test\n"
WORDS = LOCAL + (
    """\
tag: [math_word_problems]
task: sums_in_words
output_type: generate_until
training_split: train
fewshot_split: train
doc_to_text: "Question: {{question}}\\nAnswer:"
doc_to_target: "{{answer}}"
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
    ignore_case: true
    ignore_punctuation: false
    regexes_to_ignore: [",", "\\\\$", "(?s).*#### ", "\\\\.$"]
generation_kwargs:
  until: ["Question:", "</s>"]
  do_sample: false
  temperature: 0.0
repeats: 1
num_fewshot: 1
filter_list:
  - name: strict-match
    filter:
      - {function: regex, regex_pattern: "#### (\\\\-?[0-9\\\\.\\\\,]+)"}
      - {function: take_first}
  - name: flexible-extract
    filter:
      - {function: regex, group_select: -1, regex_pattern: "(-?[$0-9.,]{2,})|(-?[0-9]+)"}
      - {function: take_first}
metadata: {version: 3.0}
"""
)


def task(folder: Path, text: str, *, test: list[dict[str, Any]], train: list[dict[str, Any]] | None = None) -> Path:
    for name, rows in (("test", test), ("train", train or [])):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "task.yaml").write_text(text)
    return folder / "task.yaml"


def opened(file: Path, filter: str | None = None, shots: int | None = None) -> ListedScope:  # noqa: A002
    return as_scope(from_lm_eval(file, filter, shots), file.parent)


SUMS: dict[str, list[dict[str, Any]]] = {
    "test": [{"question": "What is 600 times 3?", "answer": "600 * 3 = 1800\n#### 1,800"}],
    "train": [{"question": "What is 1 plus 1?", "answer": "1 + 1 = 2\n#### 2"}, {"question": "no", "answer": "#### 0"}],
}


def test_an_exact_match_with_worked_examples(tmp_path: Path) -> None:
    file = task(tmp_path, WORDS, **SUMS)
    strict, flexible, bare = opened(file, "strict-match"), opened(file, "flexible-extract"), opened(file, "strict-match", 0)
    (asked,) = strict.questions
    assert asked.text == "Question: What is 1 plus 1?\nAnswer: 1 + 1 = 2\n#### 2\n\nQuestion: What is 600 times 3?\nAnswer:"
    assert bare.questions[0].text == "Question: What is 600 times 3?\nAnswer:"
    assert from_lm_eval(file, "strict-match").unused == ("tag", "task", "repeats", "metadata")
    for reply, by_strict, by_flexible in (
        ("It is 1800.\n#### 1,800.", 1.0, 1.0),
        ("It is $1,800.00", 0.0, 0.0),
        ("#### 1800 Question: and then? #### 3", 1.0, 1.0),
        ("So 1800", 0.0, 1.0),
        ("#### 18", 0.0, 0.0),
    ):
        assert (strict.grade(asked, Reply(reply)).score, flexible.grade(flexible.questions[0], Reply(reply)).score) == (
            by_strict,
            by_flexible,
        ), reply
    with pytest.raises(BadFile, match=r"has 2 filters.*--filter strict-match, --filter flexible-extract"):
        opened(file)
    with pytest.raises(BadFile, match="there is no filter 'strict': there are strict-match, flexible-extract"):
        opened(file, "strict")
    with pytest.raises(BadInput, match="51 worked examples: at most 50"):
        opened(file, "strict-match", 51)


def test_several_targets_and_a_list_of_aliases(tmp_path: Path) -> None:
    text = LOCAL + (
        "doc_to_text: 'Question: {{question}}?\\nAnswer:'\ndoc_to_target: '{{answer.aliases}}'\n"
        "generation_kwargs: {until: [\"\\n\", '.', ',']}\n"
        "filter_list: [{name: remove_whitespace, filter: [{function: remove_whitespace}, {function: take_first}]}]\n"
        "metric_list: [{metric: exact_match, aggregation: mean, ignore_case: true, ignore_punctuation: true}]\n"
    )
    scope = opened(task(tmp_path, text, test=[{"question": "Capital of Italy", "answer": {"aliases": ["Rome", "Roma"]}}]))
    (asked,) = scope.questions
    assert asked.expected == "Rome or Roma"
    scores = {
        words: scope.grade(asked, Reply(words)).score for words in ("roma", "Rome, of course", "In Rome", "\u201cRome\u201d")
    }
    assert scores == {"roma": 1.0, "Rome, of course": 1.0, "In Rome": 0.0, "\u201cRome\u201d": 0.0}


ARC = {"question": "What floats?", "choices": {"text": ["Lead", "Cork"], "label": ["1", "2"]}, "answerKey": "2"}


@each_case(
    ("fields", "row", "text", "options", "accepted"),
    [
        (
            'doc_to_text: "Question: {{question}}\\nAnswer:"\ndoc_to_target: "{{choices.label.index(answerKey)}}"\n'
            'doc_to_choice: "{{choices.text}}"',
            ARC, "Question: What floats?", ("Lead", "Cork"), ("B",),
        ),
        (
            'doc_to_text: "{{support.lstrip()}}\\nQuestion: {{question}}\\nAnswer:"\ndoc_to_target: 2\n'
            'doc_to_choice: "{{[d1, d2, correct]}}"',
            {"support": " It rains.", "question": "Wet?", "d1": "no", "d2": "maybe", "correct": "yes"},
            "It rains.\nQuestion: Wet?", ("no", "maybe", "yes"), ("C",),
        ),
        (
            'doc_to_text: "{{passage}}\\nQuestion: {{question}}?\\nAnswer:"\n'
            'doc_to_target: label\ndoc_to_choice: ["no", "yes"]',
            {"passage": "Cork floats.", "question": "does cork float", "label": 1},
            "Cork floats.\nQuestion: does cork float?", ("no", "yes"), ("B",),
        ),
        (
            'doc_to_text: "{{question.strip()}}\\nA. {{choices[0]}}\\nB. {{choices[1]}}\\nAnswer:"\n'
            'doc_to_choice: ["A", "B"]\ndoc_to_target: answer',
            {"question": " 2 + 2? ", "choices": ["3", "4"], "answer": 1}, "2 + 2?", ("3", "4"), ("B",),
        ),
        (
            "doc_to_text: question_stem\ndoc_to_target: '{{key}}'\ndoc_to_choice: {a: Rome, b: Milan}",
            {"question_stem": "Capital?", "key": "Rome"}, "Capital?", ("Rome", "Milan"), ("A",),
        ),
    ],
)  # fmt: skip
def test_choices_become_options(
    tmp_path: Path, fields: str, row: dict[str, Any], text: str, options: tuple[str, ...], accepted: tuple[str, ...]
) -> None:
    metrics = "metric_list: [{metric: acc, aggregation: mean}, {metric: acc_norm}]"
    head = "description: 'On {{topic}}. '"
    whole = f"{LOCAL}{head}\ntraining_split: train\noutput_type: multiple_choice\n{fields}\n{metrics}\n"
    row = {**row, "topic": "things"}
    scope = opened(task(tmp_path, whole, test=[row], train=[row]), shots=1)
    (asked,) = scope.questions
    assert (asked.text, asked.options, asked.accepted, asked.system) == (text, options, accepted, "On things.")
    assert [example.accepted for example in scope.examples] == [accepted]
    assert scope.prompt(asked).shown[0].replied == f"Answer: {accepted[0]}"


def test_a_file_over_the_one_that_it_includes(tmp_path: Path) -> None:
    (tmp_path / "_base_yaml").write_text(LOCAL + 'doc_to_text: "Q: {{q}}"\ndoc_to_target: a\nnum_fewshot: 3\n')
    name = task(tmp_path, 'include: _base_yaml\ntask: other\ndoc_to_text: "{{q}} ="\n', test=[{"q": "1 + 1", "a": "2"}])
    (tmp_path / "task.yaml").write_text('include: _base_yaml\ntask: other\nnum_fewshot: 0\ndoc_to_text: "{{q}} ="\n')
    assert [of.text for of in opened(name).questions] == ["1 + 1 ="]
    (tmp_path / "_base_yaml").write_text("include: task.yaml\n")
    with pytest.raises(BadFile, match="more than 10 files include each other"):
        opened(name)
    (tmp_path / "task.yaml").write_text("include: ../secret.yaml\n")
    with pytest.raises(BadFile, match=r"line 1: names '../secret.yaml', which is not in its folder"):
        opened(name)


CHOICE = "output_type: multiple_choice\ndoc_to_choice: ['x', 'y']\n"
PLAIN = LOCAL + 'doc_to_text: "{{q}}"\ndoc_to_target: a\n'


@each_case(
    ("text", "problem"),
    [
        (PLAIN + "process_docs: !function utils.process\n", "line 6: '!function utils.process' is code, which is not run"),
        (PLAIN + "process_results: utils.x\n", "line 6: 'process_results' is not used here: it is code"),
        (PLAIN + "class: !function task.Task\n", "is code, which is not run"),
        (PLAIN + "output_type: loglikelihood\n", "line 6: 'output_type' asks for probabilities of given texts"),
        (PLAIN + "metric_list: [{metric: bleu}]\n", "line 6: 'metric_list' has bleu, but not exact_match"),
        (PLAIN + "metric_list: [{metric: exact_match, ignore_cse: true}]\n", "'ignore_cse': did you mean 'ignore_case'?"),
        (PLAIN + "metric_list: [{metric: exact_match, regexes_to_ignore: ['(?=a)']}]\n", "cannot be run in linear time"),
        (PLAIN + "filter_list: [{name: x, filter: [{function: majority_vote}]}]\n", "majority_vote'} is not used here"),
        (PLAIN + "filter_list: [{name: x, filter: [{function: regex, regex_pattern: '('}]}]\n", "the pattern '(' is not valid"),
        (PLAIN + "num_fewshot: -1\n", "'num_fewshot': input should be greater than or equal to 0"),
        (
            PLAIN + "fewshot_config: {samples: [{q: a, a: b}, {q: c, a: d}], num_fewshot: -1}\n",
            "'fewshot_config.num_fewshot': input should be greater than or equal to 0",
        ),
        (PLAIN + "num_fewshot: 2\n", "2 worked examples, but no separate fewshot_split"),
        (PLAIN + "training_split: train\nnum_fewshot: 2\n", "the split 'train' has 0 rows"),
        (PLAIN + "gen_prefix: 'So'\n", "'gen_prefix' is not used here"),
        (PLAIN + "doc_to_txt: a\n", "unknown field 'doc_to_txt': did you mean 'doc_to_text'?"),
        (PLAIN.replace("{{q}}", "{{question}}"), "row 1: the template '{{question}}': 'question' is undefined"),
        (PLAIN.replace("{{q}}", "{% for i in range(9) %}{{ i"), "row 1: the template"),
        (PLAIN.replace("test: test.jsonl", "test: ../test.jsonl"), "which is not in its folder"),
        (PLAIN.replace("test: test.jsonl", "test: 'https://example.org/a.jsonl'"), "which is not in its folder"),
        (PLAIN.replace("test_split: test", "test_split: dev"), "no data_files for the split 'dev', only for train, test"),
        (PLAIN.replace("path: json", "path: openai/gsm8k"), "name its commit, by --revision and 40 digits"),
        (PLAIN.replace("path: json", "path: ./load.py"), "write json, csv, parquet, arrow and the files"),
        (PLAIN.replace("kwargs: {", "kwargs: {trust_remote_code: true, "), "no code of a data set is run here"),
        ("task: [a, b]\n", "line 1: is a group of tasks"),
        ("- 1\n", "is not a task of lm-evaluation-harness"),
        (PLAIN + "output_type: multiple_choice\ndoc_to_choice: '{{ 1 }}'\n", "row 1: 'doc_to_choice' gives no list of choices"),
        (PLAIN + CHOICE, "'doc_to_target' gives '2', which is not one of the 2"),
        (PLAIN.replace(": a\n", ": '²'\n") + CHOICE, "gives '²', which is not one"),
        (PLAIN.replace(": a\n", f": '{'1' * 5000}'\n") + CHOICE, "not one of the 2"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_by_its_name(tmp_path: Path, text: str, problem: str) -> None:
    name = task(tmp_path, text, test=[{"q": "1 + 1?", "a": "2"}])
    with pytest.raises(BadInput) as caught:
        opened(name)
    assert problem in str(caught.value)
    assert "task.yaml" in str(caught.value)
