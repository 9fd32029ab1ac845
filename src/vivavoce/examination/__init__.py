"""All tests that suit a candidate, within one budget and one transcript: plan, run, report, comparison."""
