"""The interview: who is asked, what is asked, what was answered, and what was found."""
