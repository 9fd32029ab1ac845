"""What each type of finding puts on a page: its title, and the values of its template."""
