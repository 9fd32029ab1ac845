"""Rechecks of documents from the record alone: the same examination runs again, and no candidate is asked."""

from vivavoce.examination.recheck.again import recheck
from vivavoce.examination.recheck.comparison import FieldDifference, RecheckFinding

__all__ = ["FieldDifference", "RecheckFinding", "recheck"]
