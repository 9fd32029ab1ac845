"""Consistency tests of legal decisions: rules that hold whatever the right decision is."""
