"""Rules of consistency in Python: where inputs stand in a relation, outputs must stand in another (`fluri2024`, section 3)."""

from vivavoce.consistency.config import RelationsConfig
from vivavoce.consistency.relations.examine import ask, check
from vivavoce.consistency.relations.finding import RelationFinding
from vivavoce.consistency.relations.related import Related, changed, raised, replaced
from vivavoce.consistency.relations.rules import Rule, at_least, at_most, decreasing, equal, increasing, invariant
from vivavoce.consistency.relations.table import read_table
from vivavoce.studies.study import Source

__all__ = [
    "Related",
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
