"""What contradictions can be searched in: variations of questions, records of defendants, tuples under a law."""
