"""Parts of certificates' reports: verdicts, numbers, graders, explanations, answers, attempts, and the method."""
