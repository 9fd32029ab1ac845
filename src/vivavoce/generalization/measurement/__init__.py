"""Models of one's own measured on pairs of questions: section 5 of `vafa2024` from the first question to the last table."""
