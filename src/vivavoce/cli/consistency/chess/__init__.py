"""`viva consistency chess` and its companions: engines and their evaluations."""
