"""Pages for people: HTML made on the server, which works without scripts."""
