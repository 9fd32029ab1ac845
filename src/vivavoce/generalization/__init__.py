"""Will people deploy it where it fails? How people generalise from what they saw a model do, and what follows (`vafa2024`)."""
