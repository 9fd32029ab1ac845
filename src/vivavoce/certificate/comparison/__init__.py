"""Comparison of candidates on the same questions: which is better, which is worse, and which differences are significant."""
