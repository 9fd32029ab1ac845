"""What the alignment of models with people's beliefs reports."""
