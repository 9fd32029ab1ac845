"""The page of an examination that is being held: how it stands, from the same blocks as its report."""
