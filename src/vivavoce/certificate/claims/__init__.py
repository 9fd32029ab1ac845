"""What a certificate claims: on one scope, on multiple scopes, as people will use it, and on repeated answers."""
