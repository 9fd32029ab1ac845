"""Before and after a dialogue with a teacher: the candidate is compared with itself, question by question."""
