"""Explanations: procedures that a candidate hands over, run in a sandbox, audited, and answering their stratum."""
