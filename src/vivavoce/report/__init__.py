"""Reports as data: blocks of words, numbers and figures, independent of pages, terminals and plots."""
