"""All rooms that fit a candidate, within one budget and one transcript, and the dossier of what they found."""
