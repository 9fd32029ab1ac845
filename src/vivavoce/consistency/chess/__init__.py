"""Contradictions of chess engines: positions that must be worth the same, and are not (section 5 of `fluri2024`)."""
