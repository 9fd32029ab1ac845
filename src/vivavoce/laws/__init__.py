"""Laws of probability as logical formulas, and how far forecasts are from obeying them."""

from vivavoce.laws.builtin import BUILT_IN, QUANTITIES, keys_of, law_named
from vivavoce.laws.law import Law, Statement, parse_law
from vivavoce.laws.violation import Violations, violations

__all__ = ["BUILT_IN", "QUANTITIES", "Law", "Statement", "Violations", "keys_of", "law_named", "parse_law", "violations"]
