"""The paper's prompts as a variant: word for word as printed, read without taking a placeholder for an answer."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from tests.eqt.examined import all_roles
from vivavoce.eqt.eqt_finding import finding_of
from vivavoce.eqt.examine import explain_query_test
from vivavoce.eqt.prompts import (
    KINDS,
    answer_prompt,
    explanation_prompt,
    made_of_placeholders,
    paraphrase_prompt,
    printed_answer_prompt,
    question_prompt,
)
from vivavoce.eqt.record import Concept, EqtConfig
from vivavoce.eqt.record_file import record_as_json, record_from_json
from vivavoce.eqt.report.sentences import caveats_of, headline_of
from vivavoce.eqt.result import PromptExampleCounts
from vivavoce.eqt.score import score
from vivavoce.interview import Interview, Prompt, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.repeated_answers import PrintedForm
from vivavoce.interview.forms.several_options import SeveralOptions, letters
from vivavoce.interview.forms.written_question import MultipleChoice, WrittenQuestion
from vivavoce.interview.reading import read
from vivavoce.interview.requests import full_prompt

GRAPHS = Concept("Graph theory", "math")
TEN = EqtConfig(questions=1, paraphrases=1, options=10, prompts="printed")
SAMPLE = """\
Question: Explain the key characteristics of graph theory as a mathematical concept.

Options:

A) Graph theory involves the study of vertices and edges to model relationships between objects.

B) It exclusively focuses on weighted graphs where edges represent costs or distances.

C) Graph theory originated with the solution to the Königsberg Bridge Problem by Euler.

D) It includes the study of complete graphs, where each pair of vertices is connected by an edge.

E) Directed graphs in graph theory have edges that indicate a two-way relationship.

F) Graph theory is primarily used in biology and has limited applications in computer science.

G) Concepts like cycles and paths are fundamental to understanding graph connectedness.

H) Graph theory does not consider the use of algorithms for exploring graph structures.

I) Multigraphs in graph theory can have multiple edges between the same pair of vertices.

J) It is a modern mathematical field developed in the late 20th century.

Correct Answers: A, C, D, G, I."""
"""The sample of the paper's appendix."""


def test_the_words_are_those_of_the_paper() -> None:
    assert explanation_prompt(GRAPHS, "printed").text == (
        "Please provide a comprehensive and detailed explanation of the concept ‘Graph theory’, including its background, key "
        "principles, applications, and examples. Ensure the explanation is thorough and covers all essential aspects."
    )
    prompt = question_prompt(GRAPHS, "Graphs are ...", 1, kind=KINDS[0], options=10, right=3, wording="printed")
    for line in (
        'Create a multiple-choice question about the following concept: Graph theory. Use this question type: "definition"',
        "1. The question should have 10 options (A to J).",
        "2. There should one or several correct answers.",
        "Correct Answers: [List of correct option letters, e.g., A, C, F]",
        "Information about Graph theory:",
    ):
        assert line in prompt.text.splitlines()
    assert full_prompt(prompt).text.endswith("Graphs are ...")  # nothing of ours behind it
    assert not prompt.system
    tree = MultipleChoice("What is a tree?", ("A graph", "A path"), frozenset([0]))
    assert full_prompt(paraphrase_prompt(GRAPHS, 1, tree, 1, "printed")).text.startswith(
        "Paraphrase the following question without"
    )
    asked = answer_prompt(GRAPHS, 1, tree.stem, tree.options, which=0, temperature=0.0, wording="printed")
    assert full_prompt(asked).text == (
        "What is a tree?\n\nOptions:\nA) A graph\nB) A path\n\nPlease select all correct options (e.g., A, C, D) and provide "
        'your answer in the format: "Answer: [Your selections]".'
    )


def test_the_sample_of_the_appendix_is_read_with_its_ten_options() -> None:
    reading = PrintedForm(WrittenQuestion(10, 3), placeholder=made_of_placeholders).read(SAMPLE)
    assert reading.value is not None
    assert len(reading.value.options) == 10
    assert letters(reading.value.key) == "A, C, D, G, I"
    form = PrintedForm(SeveralOptions(reading.value.options), printed_answer_prompt())
    assert form.read("Answer: [A, C, D, G, I]").value == reading.value.key


def test_what_the_printed_prompt_shows_is_no_answer_when_it_is_said_back() -> None:
    writer = question_prompt(GRAPHS, "Graphs are ...", 1, kind=KINDS[0], options=4, right=1, wording="printed")
    for text in (
        writer.text,
        "Question: What is a graph?\nA) Option A text\nB) Option B text\nCorrect Answers: A",
        "Question: [Your question here]\nA) A graph\nB) A path\nCorrect Answers: A",
    ):
        assert read(writer, Reply(text)).value is None
    asked = answer_prompt(
        GRAPHS, 1, "What?", ("this", "that", "a third", "a fourth"), which=0, temperature=0, wording="printed"
    )
    for text in (printed_answer_prompt(), f"Sure. {printed_answer_prompt()}", 'Answer: "[Your selections]".'):
        assert read(asked, Reply(text)).value is None
    assert read(asked, Reply(printed_answer_prompt())).outcome is Outcome.COPIED
    assert read(asked, Reply("Answer: [B]")).value == frozenset([1])


class AsThePaperHasIt:
    """Answers the printed prompts with the paper's sample."""

    name = "test:printed"

    async def answer(self, question: Prompt, /) -> Reply:
        text = question.text
        if text.startswith("Please provide a comprehensive"):
            return Reply("Graph theory studies graphs.")
        if text.startswith("Create a multiple-choice question"):
            return Reply(SAMPLE)
        if text.startswith("Paraphrase the following question"):
            return Reply("What are the key features of graph theory as a mathematical concept?")
        if "Do both ask the same" in text or "Can somebody who knows" in text:
            return Reply("Reason: It is.\nAnswer: YES")
        right = ("involves the study", "originated with", "includes the study", "cycles and paths", "Multigraphs")
        lines = [line for line in text.splitlines() if line[1:3] == ") "]
        return Reply(f"Answer: {', '.join(line[0] for line in lines if any(some in line for some in right))}")


def test_a_whole_examination_with_the_papers_words_and_ten_options() -> None:
    interview = Interview(AsThePaperHasIt(), answers=Reply)
    record = asyncio.run(explain_query_test(all_roles(interview), [GRAPHS], TEN))
    finding = score(record)
    [item] = record.concept_records[0].items
    assert item.question is not None
    assert len(item.question.options) == 10
    assert (finding.whole.closed.value, finding.whole.open_book.value, finding.whole.acs.value) == (1.0, 1.0, 1.0)
    assert finding.validity.valid == 1
    assert any("prompts are the paper's" in caveat for caveat in caveats_of(finding))
    assert json.loads(json.dumps(record_as_json(record)))["config"]["prompts"] == "printed"
    assert record_from_json(record_as_json(record)) == record
    assert '"prompts": "printed"' in finding.signature.line


class SaysTheExampleBack(AsThePaperHasIt):
    """As a small real model did: the answer is the prompt's own example."""

    async def answer(self, question: Prompt, /) -> Reply:
        said_back = "(e.g., A, C, D)" in question.text
        return Reply("Answer: A, C, D") if said_back else await super().answer(question)


def test_the_prompts_example_said_back_is_counted_and_stands_before_any_figure() -> None:
    """Five of ten options are right, so the example never is; one question is too few to call it a pattern."""
    said_back, sound = (
        asyncio.run(explain_query_test(all_roles(Interview(model, answers=Reply)), [GRAPHS], TEN))
        for model in (SaysTheExampleBack(), AsThePaperHasIt())
    )
    finding = score(said_back)
    assert finding.prompt_examples == PromptExampleCounts(answers=2, of_answers=2, keys=0, of_keys=1)
    assert finding.pattern is not None
    assert not finding.pattern.prevails
    text = "2 of 2 parsed answers are “A, C, D”"
    assert headline_of(finding).startswith(f"{text}, the example in the prompt.")
    assert any(f"{text}, and 0 of 1 keys." in caveat for caveat in caveats_of(finding))
    assert finding_of([finding]).as_json()["figures"]["results"][0]["prompt_examples"]["answers"] == 2
    assert score(sound).prompt_examples == PromptExampleCounts(answers=0, of_answers=2, keys=0, of_keys=1)
    assert "the example in the prompt" not in headline_of(score(sound))
    assert (score(sound).other_options, score(replace(sound, config=replace(TEN, options=4))).other_options) == (0, 1)
    fewer = caveats_of(score(replace(sound, config=replace(TEN, options=9))))
    assert any("1 of 1 questions don't have the 9 requested options" in caveat for caveat in fewer)
    assert score(replace(said_back, config=replace(TEN, prompts="own"))).prompt_examples is None


@pytest.mark.parametrize("options", [4, 10])
def test_options_are_declared_once_and_the_default_stays(options: int) -> None:
    assert EqtConfig().options == 4
    assert EqtConfig().prompts == "own"
    prompt = question_prompt(GRAPHS, "...", 1, kind=KINDS[0], options=options, right=1)
    assert f"with {options} different options" in prompt.text
