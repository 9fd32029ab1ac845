"""Steps of agents: bounded, fit for a record, and absent where there are none."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from vivavoce.candidates.text import clean_steps
from vivavoce.interview.candidate import LONGEST, MOST, MOST_CHARACTERS, Reply, Step, done, kept_steps
from vivavoce.interview.notation import Notation

STEPS = st.lists(
    st.builds(
        Step, said=st.text(), tool=st.text(), arguments=st.text(), result=st.text(), error=st.text(), seconds=st.floats()
    ),
    max_size=20,
)


def test_a_reply_without_steps_is_written_as_before() -> None:
    _, written = Notation(Reply).write(Reply("4"))
    # the fields that a reply had before it could have steps
    assert sorted(json.loads(written)) == ["finish", "first_token", "model", "text", "usage"]


@given(STEPS)
def test_what_is_kept_is_read_again(steps: list[Step]) -> None:
    reply = Reply("4", steps=clean_steps(steps))
    settled, written = Notation(Reply).write(reply)
    assert settled.answer == reply
    assert len(done(written)) == len(steps)


def test_long_steps_are_shortened_and_many_are_left_out() -> None:
    long = [Step(tool="t" * 999, arguments="a" * 99_999, result="r" * 99_999, error="e" * 99_999)] * 3
    assert max(len(text) for step in kept_steps(long) for text in (step.arguments, step.result, step.error)) == LONGEST + 1
    many = kept_steps([Step(said="s" * 99_999, result="r" * 99_999)] * 2_000)
    assert (len(many), many[-1].left_out, many[0].left_out) == (MOST, 2_000 - MOST, 0)
    assert sum(len(step.said) + len(step.result) for step in many) <= MOST_CHARACTERS + 2 * MOST
    # shortened once more, what was left out adds up
    again = kept_steps(many, limit=20, longest=10)
    assert (len(again), again[-1].left_out) == (20, 2_000 - 20)


def test_keys_go_before_a_cut_could_leave_a_beginning() -> None:
    text = "x" * (LONGEST - 5) + "sk-0123456789"
    assert "sk-0" not in clean_steps([Step(result=text)], "sk-0123456789")[0].result
