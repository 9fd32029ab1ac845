"""Converts files of other tools into question files: a question for each row, or the reason why it was left out."""
