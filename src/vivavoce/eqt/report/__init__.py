"""What an examination on a candidate's own explanations reports: figures, tables, questions in full, and the method."""
