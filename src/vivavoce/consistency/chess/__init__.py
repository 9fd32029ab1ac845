"""Consistency tests of chess engines: they compare positions that must have the same value (section 5 of `fluri2024`)."""
