"""A classifier of cases trained here: a frozen encoder of single facts, attention over facts, a line that decides."""
