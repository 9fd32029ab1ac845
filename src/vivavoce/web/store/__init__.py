"""What the site knows, one file per concern; every function works within the transaction of whoever calls it."""
