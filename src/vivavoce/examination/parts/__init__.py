"""The parts of an examination: what each needs, costs, runs and reports."""
