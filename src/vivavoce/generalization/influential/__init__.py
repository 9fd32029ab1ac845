"""Which answers are predicted to change beliefs most, and least."""
