"""The site where people and machines play Luna and take surveys."""
