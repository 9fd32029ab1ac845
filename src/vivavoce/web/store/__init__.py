"""The site's stored data, one file per concern; every function works within its caller's transaction."""
