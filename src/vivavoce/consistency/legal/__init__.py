"""Legal decisions: laws that they keep whatever the right decision is."""
