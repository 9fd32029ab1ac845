"""Reports on an EQT examination: figures, tables, example questions, and the method."""
