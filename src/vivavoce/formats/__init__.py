"""Lines, tables, cells, numbers and intervals, and their wording: shared by all files and pages."""
