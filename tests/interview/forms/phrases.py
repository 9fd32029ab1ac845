"""Pieces of replies, of which any reply may be made."""

from __future__ import annotations

from hypothesis import strategies as st

PHRASES = st.lists(
    st.sampled_from(
        [
            "the answer is", "A", "or", "(B)", "C.", "I don't know", "=", "12", "\n", ",", "**", "\\boxed{", "}", "not",
            "is correct",
        ]
    )
)  # fmt: skip
