"""Each step names the one before it, and is never altered once it is released."""
