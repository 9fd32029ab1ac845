"""Certificates in the terminal."""
