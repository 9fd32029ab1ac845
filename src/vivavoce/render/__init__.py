"""Reports as people see them: pages, terminals, notebooks, Markdown, plots; and the look of all of them."""
