"""Luna, a game: people and machines interview each other, and guess how smart the other player is."""
