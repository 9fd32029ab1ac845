"""Reports as people see them: pages, terminals, notebooks, Markdown; and the look of all of them."""
