"""Migrations of the tables, step by step."""
