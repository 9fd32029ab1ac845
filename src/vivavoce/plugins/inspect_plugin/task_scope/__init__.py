"""Any Inspect task as a scope, with its dataset, solver and scorer; samples run as they are drawn, with one log per model."""
