"""What the site knows, one file per concern; every function works within its caller's transaction."""
