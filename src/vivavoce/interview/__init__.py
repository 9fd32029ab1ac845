"""The interview: one candidate answers many questions, and every answer goes on record."""
