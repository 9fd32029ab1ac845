"""Several claims on one interview: many scopes, and a scope as people will use it."""
