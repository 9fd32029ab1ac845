"""Surveys of belief changes: plan, cards, sampling of pairs, responses and results."""
