"""What every form keeps, whatever it asks for."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.interview.forms.instances import FORMS, HOSTILE, PHRASES, Instance
from vivavoce.interview import forms as package
from vivavoce.interview.candidate import Exchange, Prompt, Reply
from vivavoce.interview.forms.form import READ, Outcome, ReplyForm
from vivavoce.interview.reading import read
from vivavoce.interview.requests import full_prompt

UNREAD = (Outcome.UNREADABLE, Outcome.COPIED)
QUESTIONS = (
    "What is 12 + 30?",
    "Which lies by the sea?\n\n(A) Lyon\n(B) Paris\n(C) Nice\n(D) Lille",
    "Is it so?",
    "Who was it?",
)
DRESSES = ("{}", "**{}**", "> {}", '"{}"', "- {}", "`{}`", "{}\n\n", "Sure! {}", "{}\n{}")

Law = Callable[..., None]


def forms(law: Law) -> Law:
    """The law for every form; where it cannot hold, it must be seen not to."""
    name = law.__name__
    broken = {
        instance.name: [pytest.mark.xfail(reason=instance.breaks[name], strict=True)]
        for instance in FORMS
        if name in instance.breaks
    }
    every: Law = pytest.mark.parametrize(
        "instance", [pytest.param(instance, id=instance.name, marks=broken.get(instance.name, [])) for instance in FORMS]
    )(law)
    return every


def forms_together(law: Law) -> Law:
    """The law for all forms with what is drawn once for all of them; where it cannot hold, it must be seen not to."""
    name = law.__name__
    kept = [pytest.param([instance for instance in FORMS if name not in instance.breaks], id="every form")]
    broken = [
        pytest.param([instance], id=instance.name, marks=pytest.mark.xfail(reason=instance.breaks[name], strict=True))
        for instance in FORMS
        if name in instance.breaks
    ]
    every: Law = pytest.mark.parametrize("instances", kept + broken)(law)
    return every


def test_every_form_of_the_house_is_here() -> None:
    files = (import_module(f"{package.__name__}.{module.name}") for module in iter_modules(package.__path__))
    made = {kind for file in files for kind in vars(file).values() if isinstance(kind, type) and hasattr(kind, "read_fields")}
    assert made - {ReplyForm} == {type(instance.form) for instance in FORMS}
    assert {law for instance in FORMS for law in instance.breaks} <= globals().keys()


def said_back(instance: Instance) -> Iterator[str]:
    """The instructions, and each of their lines."""
    form = instance.form
    for instruction in (form.instruction, form.schema_instruction, form.further):
        yield instruction
        yield from instruction.splitlines()


@forms
def test_no_instruction_and_no_line_of_one_is_an_answer(instance: Instance) -> None:
    for text in said_back(instance):
        for dress in DRESSES:
            reply = dress.replace("{}", text)
            assert instance.form.read(reply).outcome in UNREAD, reply
            assert instance.form.read(reply.replace('"', "")).outcome in UNREAD, reply


@forms
def test_words_of_an_instruction_are_no_answer(instance: Instance) -> None:
    for text in said_back(instance):
        words = text.split()
        for start in range(len(words)):
            for end in range(start + 5, len(words) + 1):
                part = " ".join(words[start:end])
                assert instance.form.read(part).outcome in UNREAD, part


@forms
def test_an_answer_behind_the_instruction_is_one(instance: Instance) -> None:
    for value, _ in instance.values:
        for between in ("\n",) if instance.lines else (" ", "\n"):
            assert instance.form.read(f"{instance.form.instruction}{between}{instance.form.write(value)}").value == value


@forms
def test_placeholders_are_no_answers(instance: Instance) -> None:
    for text in ("", " ", "\n\n", "Answer:", "**Answer:**", "Answer: \n"):
        assert instance.form.read(text).outcome is Outcome.UNREADABLE, text


@forms
def test_the_prompt_said_back_is_no_answer(instance: Instance) -> None:
    for question in QUESTIONS:
        prompt = Prompt(question, form=instance.form)
        for reply_format in ("text", "schema"):
            assert read(prompt, Reply(full_prompt(prompt, reply_format).text)).outcome in UNREAD, question


@forms
def test_a_whole_worked_example_said_back_is_no_answer(instance: Instance) -> None:
    value, _ = instance.values[0]
    for question in QUESTIONS:
        asked = f"{question} Think of all that was said about it before you say anything."
        shown = Exchange(asked, instance.form.write(value))
        prompt = Prompt("What is asked.", shown=(shown,), form=instance.form)
        whole = f"{shown.asked}\n\n{full_prompt(prompt).text}\n{shown.replied}"
        assert read(prompt, Reply(whole)).outcome is Outcome.COPIED, question


@forms
def test_what_is_written_is_read(instance: Instance) -> None:
    for value, _ in instance.values:
        reading = instance.form.read(instance.form.write(value))
        assert (reading.outcome, reading.value, reading.strict) == (Outcome.ANSWER, value, True)


@forms
def test_fields_say_what_words_say(instance: Instance) -> None:
    for value, fields in instance.values:
        assert instance.form.read_fields(fields).value == value
        assert read(Prompt("?", form=instance.form), Reply(json.dumps(fields))).value == value


@forms
def test_the_schema_is_one_and_closed(instance: Instance) -> None:
    schema = json.loads(json.dumps(instance.form.schema))
    assert set(schema) == {"type", "properties", "required", "additionalProperties"}
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False  # what strict servers ask for
    assert list(schema["properties"]) == schema["required"]


@forms
def test_two_that_differ_are_none(instance: Instance) -> None:
    for text in instance.differ:
        assert instance.form.read(text).outcome is Outcome.UNREADABLE, text


@forms_together
@given(before=PHRASES)
@example(before=["12"])
def test_the_last_line_in_the_form_decides(instances: list[Instance], before: list[str]) -> None:
    for instance in instances:
        for value, _ in instance.values:
            assert instance.form.read(" ".join(before) + "\n" + instance.form.write(value)).value == value, instance.name


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
)


@forms_together
@given(fields=JSON, others=st.dictionaries(st.sampled_from(["answer", "reason", "decision", "x"]), JSON))
def test_no_field_makes_it_raise(instances: list[Instance], fields: Any, others: dict[str, Any]) -> None:
    for instance in instances:
        for words in (dict.fromkeys(instance.form.schema["properties"], fields), others, {"answer": 10**5000}):
            reading = instance.form.read_fields(words)
            assert (reading.value is not None) == (reading.outcome is Outcome.ANSWER), instance.name


@forms_together
@given(text=st.text(max_size=300))
def test_no_text_makes_it_raise(instances: list[Instance], text: str) -> None:
    for instance in instances:
        for words in (text, "Answer: " + text, text * 3):
            reading = instance.form.read(words)
            assert (reading.value is not None) == (reading.outcome is Outcome.ANSWER), instance.name
            assert bool(reading.problem) == (reading.outcome is Outcome.UNREADABLE), instance.name


def test_nested_fields_are_read_as_nothing() -> None:
    text = '{"answer": ' * 50_000
    assert read(Prompt("?", form=FORMS[0].form), Reply(text)).outcome is Outcome.UNREADABLE


def steps(instance: Instance, text: str) -> int:
    """Lines of Python that reading a text takes."""
    count = 0

    def counted(*_: object) -> Any:
        nonlocal count
        count += 1
        return counted

    before = sys.gettrace()
    sys.settrace(counted)
    try:
        instance.form.read(text)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.long
@forms
def test_a_hostile_reply_costs_no_time(instance: Instance) -> None:
    for kind, piece in HOSTILE.items():
        long = piece * (4 * READ // len(piece))
        began = time.process_time()
        instance.form.read(long)
        assert time.process_time() - began < 5, kind  # backtracking would take hours


@pytest.mark.long
@forms
def test_no_more_than_the_end_of_a_reply_is_looked_at(instance: Instance) -> None:
    blanks = " " * READ
    expected = instance.form.read(blanks)
    for value, _ in instance.values:
        assert instance.form.read(instance.form.write(value) + blanks) == expected


@forms
def test_all_of_that_end_is_looked_at(instance: Instance) -> None:
    for value, _ in instance.values:
        text = instance.form.write(value)
        reading = instance.form.read(text + " " * (READ - len(text)))
        assert (reading.value, reading.strict) == (value, True)


@pytest.mark.long
@forms
def test_steps_grow_with_length_and_no_faster(instance: Instance) -> None:
    for kind, piece in HOSTILE.items():
        short, long = (piece * (size // len(piece)) for size in (250, 1_000))
        instance.form.read(long)  # what is made once and kept, such as patterns, is made here
        assert steps(instance, long) < 6 * steps(instance, short) + 250, kind
