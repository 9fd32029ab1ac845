"""All rooms that fit one candidate, within one budget and one transcript: plan, run, report, comparison."""
