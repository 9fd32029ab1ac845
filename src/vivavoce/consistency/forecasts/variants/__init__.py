"""Several ways to ask the same forecaster, law by law: what mends one law may harm another."""
