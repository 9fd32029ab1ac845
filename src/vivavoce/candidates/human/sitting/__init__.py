"""The sitting: a page on this machine on which one person is asked one question at a time."""
