"""Candidates without a model: their answers depend only on the prompt and their options, so every run is the same."""
