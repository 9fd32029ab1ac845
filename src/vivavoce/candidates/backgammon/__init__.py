"""GNU Backgammon."""
