"""Make tuples of questions: a writer proposes, a checker verifies, people review; series are made by template."""
