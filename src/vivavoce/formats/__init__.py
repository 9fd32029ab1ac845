"""Lines, tables, cells, numbers and intervals, and how they are written in words: what every file and every page shares."""
