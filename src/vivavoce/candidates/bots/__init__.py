"""Candidates without a model: what they answer depends on the prompt and their options alone, so every run is the same."""
