"""Migrations. Each names the one before it, and never changes once it is released."""
