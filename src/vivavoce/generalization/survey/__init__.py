"""Surveys of belief changes: what is put to whom in which order, and what the answers say."""
