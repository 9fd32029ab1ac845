"""Candidates by name: a model behind an API, a Python function, a recording, a bot. `KINDS` lists them."""

from vivavoce.candidates.names import BOTS, KINDS, CandidateKind, close_candidate, open_candidate

__all__ = ["BOTS", "KINDS", "CandidateKind", "close_candidate", "open_candidate"]
