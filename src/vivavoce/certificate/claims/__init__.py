"""The claims of certificates: on one scope, on multiple scopes, on a scope as people will use it, and on repeated answers."""
