"""What stands between strangers and the games: sessions, forms that only we hand out, limits, and headers."""
