"""Rechecking a document from the record alone: the same examination is held again, and nobody is asked."""

from vivavoce.examination.recheck.again import recheck
from vivavoce.examination.recheck.rechecked import Difference, Rechecked

__all__ = ["Difference", "Rechecked", "recheck"]
