"""The search for contradictions: variations as genes, an archive of what was found, random drawing beside it."""
