"""What certificates report: verdicts, numbers, who graded, explanations, answers, attempts, and the method."""
