"""Each room as part of an examination: what it needs, what it will ask, how it is held, what its finding says in a dossier."""
