"""Thoughts are told from words: as models of all kinds mark them, cut off, and on hostile texts."""

from __future__ import annotations

from typing import SupportsIndex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.interview import NoAnswer, Reply
from vivavoce.interview.reading import heard, split_thoughts

MARKS = [
    ("<think>", "</think>"),
    ("<THINK>\n", "\n</THINK>\n\n"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>\n", "\n<|end_of_thought|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("analysis", "assistantfinal"),
]
THOUGHT = "We need 12. Answer: 12"


@pytest.mark.parametrize(("opened", "closed"), MARKS)
def test_what_is_thought_is_no_word(opened: str, closed: str) -> None:
    assert split_thoughts(f"{opened}{THOUGHT}{closed}Answer: 13") == (THOUGHT, "Answer: 13", True)
    assert split_thoughts(f" \n{opened}{THOUGHT}{closed}Answer: 13").words == "Answer: 13" or opened == "analysis"
    # some servers strip what opens a thought
    assert split_thoughts(f"{THOUGHT}{closed} Answer: 13") == (THOUGHT, "Answer: 13", True)


@pytest.mark.parametrize(("opened", "closed"), MARKS)
def test_a_thought_without_an_end_leaves_no_words(opened: str, closed: str) -> None:
    assert split_thoughts(opened + THOUGHT) == (opened + THOUGHT, "", False)
    for answer in (
        Reply(opened + THOUGHT),  # as records from before have it
        Reply("", thoughts=opened + THOUGHT),
        Reply("", finish="stop", thoughts=f"Told apart.\n\n{opened}{THOUGHT}")
        if opened != "analysis"
        else Reply(opened + "Hm"),
    ):
        assert heard(answer) == heard(answer, whole=True) == ("", "cut off")


@pytest.mark.parametrize(
    "text",
    [
        "Use the <think> tag. Answer: 4",
        "The tags `<think>` and `</think>` mark a thought.\nAnswer: 4",
        'def words(text): return re.sub(r"<think>.*?</think>", "", text)',
        "Analysis: 2 + 2 is 4",
        "analysis of the text",
        '{"reasoning": "<think>", "answer": 4}',
        "  4 \n",
        "",
    ],
)
def test_a_mark_that_is_spoken_of_is_a_word(text: str) -> None:
    assert split_thoughts(text) == ("", text, True)


@pytest.mark.parametrize(
    ("text", "thoughts", "words"),
    [
        ("<think>\n\n</think>\n\nAnswer: 4", "", "Answer: 4"),
        ("<think>a</think>b\n<think>c</think>\nd", "a\n\nc", "b\n \nd"),
        ("Sure. <think>Answer: 1</think> Answer: 4", "Answer: 1", "Sure. Answer: 4"),
        ("<think>I close with </think> soon. 12.</think> 13", "I close with\n\nsoon. 12.", "13"),
        ("<think>as <reasoning>12</reasoning></think>13", "as <reasoning>12</reasoning>", "13"),
        ("<|channel|>final<|message|>4<|return|>", "", "4"),
        ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>4<|END_RESPONSE|>", "a", "4"),
        ("1</think>", "1", ""),
    ],
)
def test_thoughts_in_odd_places(text: str, thoughts: str, words: str) -> None:
    assert split_thoughts(text) == (thoughts, words, True)


def test_a_thought_that_begins_behind_words_and_has_no_end_takes_them_with_it() -> None:
    text = "Answer: 12\n<think>Wait, 13"
    assert split_thoughts(text) == (text, "", False)


def test_what_a_thought_names_of_another_kind_does_not_end_it() -> None:
    assert not split_thoughts("<think>In the form <reasoning>...</reasoning> Answer: 3").ended


def test_a_reply_is_heard_alike_whether_its_thoughts_stand_in_it_or_apart() -> None:
    assert heard(Reply("<think>12?</think> 13")) == heard(Reply("13", thoughts="12?")) == ("13", "")
    assert heard(Reply("<think>12?</think>")) == heard(Reply("", thoughts="12?")) == ("", "empty")
    assert heard(Reply("13", finish="length", thoughts="12?")) == ("", "cut off")
    assert heard(Reply("13", finish="length", thoughts="12?"), whole=True) == ("13", "")
    assert heard(NoAnswer("time-out")) == ("", "time-out")


PIECES = st.sampled_from([mark for pair in MARKS for mark in pair] + ["a", " ", "\n", '"', "`", "Answer: 4", "<", "think>"])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_words_are_left_alone_when_they_are_split_again(text: str) -> None:
    split = split_thoughts(text)
    if split.ended:
        assert split_thoughts(split.words) == ("", split.words, True)
    else:
        assert (split.thoughts, split.words) == (text, "")


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "a", "\n", '"', "Answer: 12"]), max_size=8).map("".join), st.text("ab \n")
)
def test_what_follows_the_last_end_is_what_is_said(before: str, after: str) -> None:
    assert split_thoughts(f"<think>{before}</think>{after}").words.endswith(after.strip())


@pytest.mark.parametrize(
    "piece", ["<think>", "x <think>", "</think>", " \t", "\n<think>", "<think></think>", "<|channel|>final"]
)
def test_work_grows_with_length_alone(piece: str) -> None:
    """What is cut out of the reply is counted, in characters: a square would make 256 times as much of 16 times the length."""

    class Counted(str):
        cut = 0

        def __getitem__(self, key: SupportsIndex | slice) -> str:
            part = super().__getitem__(key)
            Counted.cut += len(part)
            return part

    def cut(repeats: int) -> int:
        Counted.cut = 0
        split_thoughts.__wrapped__(Counted(piece * repeats + "<think>"))
        return Counted.cut

    assert cut(16_000) <= 16 * cut(1_000) + 100
