"""Laws of probability as logical formulas, and how far forecasts are from obeying them."""

from vivavoce.laws.law import BUILT_IN, QUANTITIES, Law, LawStatement, keys_of, law_named, parse_law
from vivavoce.laws.violation import Violations, violations

__all__ = ["BUILT_IN", "QUANTITIES", "Law", "LawStatement", "Violations", "keys_of", "law_named", "parse_law", "violations"]
