"""Patterns in linear time, against `re`, whose dialect they are in."""

from __future__ import annotations

import random
import re

import pytest

from vivavoce.errors import BadInput
from vivavoce.formats.linear_regex import linear

pytest.importorskip("re2")

PIECES = [
    *("a", "b", "c", "x", "1", "2", "\u0663", "é", "_", " ", "\n", "$", ".", ",", "-", "(", ")", "[", "]", "\u2003", "\x1d"),
    *("A", "Answer: ", "The answer is ", "#### "),
]


@pytest.mark.parametrize(
    "pattern",
    [
        r"The answer is (\-?[0-9\.\,]*[0-9]+)",
        r"(-?[$0-9.,]{2,})|(-?[0-9]+)",
        r"#### (\-?[0-9\.\,]+)",
        r"[]a]+",
        r"[^]\d\]]+$",
        r"a{,3}b",
        r"(?i)answer: (\w+)",
        r"(?P<x>a)b",
        r"[\s\S]*?(\d)\Z",
        r"\D+",
        r"(?s).*x",
        r"[\[\]]|[a[b]+",
    ],
)
def test_finds_what_re_finds(pattern: str) -> None:
    rng, ours, number = random.Random(1), linear(pattern, "python"), 0
    for _ in range(500):
        text = "".join(rng.choice(PIECES) for _ in range(rng.randrange(14)))
        assert ours.findall(text) == re.findall(pattern, text), text
        number += bool(ours.findall(text))
    assert number


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (r"(?<=a)b", "cannot be run in linear time"),
        (r"(a)\1", "cannot be run in linear time"),
        ("(", "is not valid"),
        ("a" * 3000, "has 3,000 characters"),
        ("a{1000}{1000}", "is not valid"),
    ],
)
def test_what_cannot_be_run_is_refused(pattern: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        linear(pattern, "python")


def test_a_pattern_that_takes_forever_elsewhere_ends_here() -> None:
    assert linear(r"^(a+)+$", "python").search("a" * 100_000 + "b") is None


def test_javascript_means_other_things() -> None:
    assert linear(r"^.$", "javascript").search("\u2028") is None
    assert linear(r"^\d$", "javascript").search("\u0663") is None
    assert linear(r"a$", "javascript").search("a\n") is None
    assert linear(r"^\s$", "javascript").search("\ufeff")
    assert linear(r"^a\/b$", "javascript").search("a/b")
