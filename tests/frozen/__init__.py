"""What commands find, recorded: verdicts and numbers on fixed seeds, which rebuilding must not change."""
