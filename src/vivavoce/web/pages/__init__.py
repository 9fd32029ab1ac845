"""The pages for people: HTML made on the server, that works without a script."""
