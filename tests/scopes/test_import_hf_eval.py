"""The `eval.yaml` of benchmarks as question files: in a copy of a data set; `test_scopes_hub` has them from a hub."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scopes.imported import as_scope
from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.candidate import Reply
from vivavoce.scopes.importers.hf_eval import from_hf_eval
from vivavoce.scopes.listed_and_endless import ListedScope

pytest.importorskip("yaml")
pytest.importorskip("re2")

HEAD = 'name: Floating\ndescription: >\n  What floats.\nevaluation_framework: "inspect-ai"\ntasks:\n'
TASKS = (
    HEAD
    + """\
  - id: floating_choice
    config: default
    split: test
    field_spec:
      input: question
      target: "literal:A"
      choices: [right, wrong 1, wrong 2]
    shuffle_choices: true
    epochs: 4
    epoch_reducer: mean
    solvers:
      - name: multiple_choice
        args: {cot: true}
    scorers:
      - name: choice
  - id: floating_words
    split: test
    epochs: 4
    epoch_reducer: pass_at_1
    field_spec: {input: question, target: right, metadata: [field], id: key}
    solvers:
      - name: system_message
        args:
          template: |
            You know {field}. Answer as {format}.
      - name: prompt_template
        args: {template: "{prompt} Think. End with ANSWER: $ANSWER and {{nothing}} more, {field}."}
      - name: chain_of_thought
        args: {template: "{prompt}\\nStep by step."}
      - name: generate
    scorers:
      - name: match
        args: {location: any}
  - id: floating_judged
    field_spec: {input: question, target: right}
    solvers: [{name: generate}]
    scorers:
      - name: model_graded_fact
        args: {model: openai/o3-mini, partial_credit: true, instructions: Be strict.}
"""
)
ROWS = (
    "key,question,right,wrong 1,wrong 2,field\n"
    "k1,What floats?,Cork,Lead,Gold,physics\nk2,What sinks?,Lead,Cork,Ice,chemistry\nk3,What melts?,Ice,Cork,Lead,physics\n"
)


def copied(folder: Path, text: str = TASKS, *, rows: str = ROWS) -> Path:
    (folder / "data").mkdir()
    (folder / "data" / "test.csv").write_text(rows)
    (folder / "README.md").write_text("---\nlicense: mit\n---\n# Floating\n")
    (folder / "eval.yaml").write_text(text)
    return folder / "eval.yaml"


def opened(file: Path, task: str = "") -> ListedScope:
    return as_scope(from_hf_eval(str(file), task), file.parent)


def test_choices_are_shuffled_by_their_question(tmp_path: Path) -> None:
    scope = opened(copied(tmp_path), "floating_choice")
    right = [of.options[ord(of.accepted[0]) - ord("A")] for of in scope.questions]
    assert right == ["Cork", "Lead", "Ice"]
    assert all(
        set(of.options) == set(line.split(",")[2:5]) for of, line in zip(scope.questions, ROWS.splitlines()[1:], strict=True)
    )
    assert {of.accepted for of in scope.questions} != {("A",)}
    again = from_hf_eval(str(tmp_path / "eval.yaml"), "floating_choice")
    assert scope.questions == as_scope(again, tmp_path).questions
    assert again.unused == ("epochs", "epoch_reducer", "multiple_choice.cot")


def test_solvers_put_the_question_and_a_scorer_scores_the_reply(tmp_path: Path) -> None:
    scope = opened(copied(tmp_path), "floating_words")
    first = scope.questions[0]
    assert (first.id, first.system) == ("k1", "You know physics. Answer as {format}.")
    assert first.text == "What floats? Think. End with ANSWER: $ANSWER and {nothing} more, physics.\nStep by step."
    assert first.expected == "Cork"
    assert [scope.grade(first, Reply(text)).score for text in ("ANSWER: cork.", "Lead", "")] == [1.0, 0.0, 0.0]


def test_a_model_that_grades_is_a_judge_with_a_rubric(tmp_path: Path) -> None:
    scope = opened(copied(tmp_path), "floating_judged")
    first = scope.questions[0]
    assert first.open_ended
    assert first.rubric.splitlines()[-2:] == ["Be strict.", "Reference answer: Cork"]
    assert "5 points" in first.rubric
    assert from_hf_eval(str(tmp_path / "eval.yaml"), "floating_judged").unused == ("model_graded_fact.model",)
    with pytest.raises(BadInput, match="has no answer but a rubric: let a judge or people grade"):
        scope.grade(first, Reply("Cork"))


ONE = (
    HEAD
    + """\
  - id: only
    field_spec: {input: question, target: right}
    solvers: [{name: generate}]
    scorers: [{name: includes}]
"""
)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("inspect-ai", "math-arena", "line 4: 'evaluation_framework' is 'math-arena': only files for inspect-ai"),
        ("id: only", "id: only\n    sandbox: docker", "line 7: unknown field 'sandbox'"),
        ("target: right}", "target: right, input_image: image}", "line 7: 'input_image' is not used here: questions are texts"),
        ("target: right", "target: rihgt", "'field_spec' names the column 'rihgt', and there are key, question, right"),
        ("target: right", "target: wrong 3", "names the column 'wrong 3'"),
        ("name: generate", "name: self_critique", "line 8: 'self_critique' is not used here: run the task in Inspect itself"),
        ("{name: generate}", "{name: use_tools}, {name: generate}", "'use_tools' is not used here"),
        ("{name: generate}", "{name: generate}, {name: generate}", "must end with generate or multiple_choice, and ask once"),
        ("name: includes", "name: f1", "line 9: 'f1' is not used here"),
        ("name: includes", "name: choice", "go together"),
        ("[{name: includes}]", "[{name: includes}, {name: exact}]", "has several scorers (includes, exact)"),
        ("name: includes", "name: includes, args: {numeric: true}", "the scorer includes has no argument 'numeric'"),
        ("name: includes", "name: pattern, args: {pattern: '(?=a)'}", "cannot be run in linear time"),
        ("name: includes", "name: answer, args: {pattern: sentence}", "the scorer answer: 'answer'"),
        ("id: only", "id: only\n    epochs: 5\n    epoch_reducer: pass_at_3", "is 'pass_at_3', which is not a mean"),
        ("id: only", "id: only\n    split: dev", "the data set in its folder: there is no split 'dev'"),
        ("id: only", "id: only\n    config: law", "the data set in its folder: it names no configurations"),
        ("name: generate", "name: prompt_template, args: {template: prompt.txt}", "must end with"),
        ("{name: generate}", "{name: prompt_template, args: {template: p.txt}}, {name: generate}", "write the text out"),
    ],
)  # fmt: skip
def test_what_would_change_the_meaning_is_refused(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in ONE
    with pytest.raises(BadInput) as caught:
        opened(copied(tmp_path, ONE.replace(old, new)))
    assert problem in str(caught.value)
    assert "eval.yaml" in str(caught.value)


def test_a_task_is_named_where_there_are_several(tmp_path: Path) -> None:
    name = copied(tmp_path)
    with pytest.raises(
        BadFile, match="line 6: has 3 tasks: name one by --task, floating_choice, floating_words, floating_judged"
    ):
        opened(name)
    with pytest.raises(BadFile, match="has no task 'floating'"):
        opened(name, "floating")
    with pytest.raises(BadInput, match="write OWNER/NAME@COMMIT, the commit in 40 digits"):
        from_hf_eval("me/floating@main", "only")


def test_rows_that_are_no_questions_are_named(tmp_path: Path) -> None:
    name = copied(tmp_path, ONE, rows="question,right\nWhat floats?,Cork\nWhat sinks?,\n")
    conversion = from_hf_eval(str(name))
    assert ["row 2: 'right' is empty" in str(problem) for problem in conversion.refused] == [True]
    assert [question.text for question in as_scope(conversion, tmp_path).questions] == ["What floats?"]
