"""Consistency tests: they find contradictions in a candidate's answers, even if no one knows the right ones."""
