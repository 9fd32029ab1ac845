"""`viva dossier`: dossiers compared and published."""
