"""Consistency rules in Python: if inputs are in one relation, their outputs must be in another (`fluri2024`, section 3)."""

from vivavoce.consistency.config import RelationsConfig
from vivavoce.studies.rules.asking import RelationFinding, ask, check
from vivavoce.studies.rules.rules import (
    RelatedInputs,
    Rule,
    at_least,
    at_most,
    changed,
    decreasing,
    equal,
    increasing,
    invariant,
    raised,
    read_table,
    replaced,
)
from vivavoce.studies.study import Source

__all__ = [
    "RelatedInputs",
    "RelationFinding",
    "RelationsConfig",
    "Rule",
    "Source",
    "ask",
    "at_least",
    "at_most",
    "changed",
    "check",
    "decreasing",
    "equal",
    "increasing",
    "invariant",
    "raised",
    "read_table",
    "replaced",
]
