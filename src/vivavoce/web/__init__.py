"""The site: people and machines meet here."""
